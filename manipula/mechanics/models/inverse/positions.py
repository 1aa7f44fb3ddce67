"""Three joints that place one point: every structure with a closed form, revolute and prismatic.

    J_a (p_b + R_b J_b (p_c + R_c J_c w)) = W

The point is w seen from the third joint and W seen from before the first. Each case returns its roots, always the same
number in the same order, and for each the smallest `fit` of the equations on the way. A structure met from the other
side (w and W exchanged, every gap backwards) is the same case mirrored.

Derived here, case by case: Pieper (1968) reduces the turning ones to a quartic, and the quadratic cases are those where
it factors.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from manipula.mechanics.models.inverse.loop import Gap, quotient
from manipula.mechanics.models.inverse.solving import Subproblems, Unknown
from manipula.mechanics.models.inverse.subproblems import Motion, Shift
from manipula.mechanics.spatial.vector import Vector, Z, add, column, cross, dot, matmul, rotate, scale, sub, unrotate
from manipula.scalar import Scalar


class Arm3(NamedTuple):
    """The problem."""

    b: Gap
    c: Gap
    w: Vector
    W: Vector
    axes: tuple[Unknown, Unknown, Unknown]

    def mirror(self) -> Arm3:
        """Seen from the point: J_c⁻¹ (…(J_a⁻¹ W)) = w"""
        a, b, c = (axis.opposite() for axis in self.axes)
        return Arm3(self.c.reverse(), self.b.reverse(), self.W, self.w, (c, b, a))


class Root(NamedTuple):
    """One placing of the point: the three motions, and how far it is from being lost."""

    motions: tuple[Motion, Motion, Motion]
    fit: Scalar


Case = Callable[[Arm3, Subproblems], list[Root]]
ONE = Fraction(1)


def _mirror_case(case: Case) -> Case:
    def solve(arm: Arm3, by: Subproblems) -> list[Root]:
        found = case(arm.mirror(), by)
        return [Root((c.opposite(), b.opposite(), a.opposite()), fit) for (a, b, c), fit in found]

    return solve


def revolute_second_parallel_third(arm: Arm3, by: Subproblems) -> list[Root]:
    """R R∥R: the height over the common direction u gives the first, the distance the third."""
    x_a, x_b, x_c = arm.axes
    (p_b, R_b), (p_c, R_c) = _of(arm.b), _of(arm.c)
    u, W = column(R_b, 2), arm.W
    height = dot(u, p_b) + p_c[2] + rotate(R_c, arm.w)[2]
    A, B = u[0] * W[0] + u[1] * W[1], u[0] * W[1] - u[1] * W[0]
    firsts, fit_a = by.linear(x_a, A, B, height - u[2] * W[2])
    found = []
    for a in firsts:
        m = unrotate(R_b, sub(a.back(W), p_b))
        roots, fit_c = by.pair(x_b, x_c, p_c, R_c, arm.w, m)
        found += [Root((a, b, c), by.maths.minimum(fit_a, fit_c)) for b, c in roots]
    return found


def revolute_first_crosses_second(arm: Arm3, by: Subproblems) -> list[Root]:
    """R×R R: the distance from the crossing (p_b = 0) gives the third."""
    x_a, x_b, x_c = arm.axes
    R_b, (p_c, R_c) = arm.b.there.R, _of(arm.c)
    thirds, fit_c = by.distance(x_c, p_c, R_c, arm.w, dot(arm.W, arm.W))
    found = []
    for c in thirds:
        roots, fit_b = by.two_turns(x_a, x_b, R_b, add(p_c, rotate(R_c, c.ahead(arm.w))), arm.W)
        found += [Root((a, b, c), by.maths.minimum(fit_b, fit_c)) for a, b in roots]
    return found


def slide_third_first_crosses_second(arm: Arm3, by: Subproblems) -> list[Root]:
    """R×R P, the Stanford arm: the distance from the crossing is quadratic in the slide."""
    x_a, x_b, x_c = arm.axes
    R_b, (p_c, R_c) = arm.b.there.R, _of(arm.c)
    start, e = add(p_c, rotate(R_c, arm.w)), column(R_c, 2)
    slides, rest = by.quadratic(x_c, start, e, dot(arm.W, arm.W))
    found = []
    for c in slides:
        roots, fit_b = by.two_turns(x_a, x_b, R_b, add(start, scale(c.by, e)), arm.W)
        found += [Root((a, b, c), by.maths.minimum(fit_b, rest)) for a, b in roots]
    return found


def slide_first_others_parallel(arm: Arm3, by: Subproblems) -> list[Root]:
    """P R∥R: the height over the common direction gives the slide."""
    x_a, x_b, x_c = arm.axes
    (p_b, R_b), (p_c, R_c) = _of(arm.b), _of(arm.c)
    u = column(R_b, 2)
    a = by.note_known(x_a, Shift(quotient(dot(u, sub(arm.W, p_b)) - p_c[2] - rotate(R_c, arm.w)[2], u[2])))
    m = unrotate(R_b, sub(a.back(arm.W), p_b))
    roots, fit = by.pair(x_b, x_c, p_c, R_c, arm.w, m)
    return [Root((a, b, c), fit) for b, c in roots]


def slide_second_others_parallel(arm: Arm3, by: Subproblems) -> list[Root]:
    """R P R, first ∥ third."""
    x_a, x_b, x_c = arm.axes
    (p_b, R_b), (p_c, R_c) = _of(arm.b), _of(arm.c)
    Q = matmul(R_b, R_c)
    still = add(p_b, rotate(R_b, p_c))
    b = by.note_known(x_b, Shift(quotient(arm.W[2] - still[2] - rotate(Q, arm.w)[2], R_b[2][2])))
    roots, fit = by.pair(x_a, x_c, add(still, scale(b.by, column(R_b, 2))), Q, arm.w, arm.W)
    return [Root((a, b, c), fit) for a, c in roots]


def two_slides_last(arm: Arm3, by: Subproblems) -> list[Root]:
    """R P P: the plane of the slides gives the angle."""
    x_a, x_b, x_c = arm.axes
    (p_b, R_b), (p_c, R_c) = _of(arm.b), _of(arm.c)
    e, f = column(R_b, 2), rotate(R_b, column(R_c, 2))
    n, W = cross(e, f), arm.W
    still = add(p_b, rotate(R_b, add(p_c, rotate(R_c, arm.w))))
    A, B = n[0] * W[0] + n[1] * W[1], n[0] * W[1] - n[1] * W[0]
    firsts, fit = by.linear(x_a, A, B, dot(n, still) - n[2] * W[2])
    found = []
    for a in firsts:
        m = sub(a.back(W), still)
        along = quotient(dot(cross(m, f), n), dot(n, n)), quotient(dot(cross(e, m), n), dot(n, n))
        found.append(Root((a, by.note_known(x_b, Shift(along[0])), by.note_known(x_c, Shift(along[1]))), fit))
    return found


def cylinder(arm: Arm3, by: Subproblems) -> list[Root]:
    """P R P, first ∥ second: the distance from the axis is quadratic in the last slide."""
    x_a, x_b, x_c = arm.axes
    (p_b, R_b), (p_c, R_c) = _of(arm.b), _of(arm.c)
    m, v, e = unrotate(R_b, sub(arm.W, p_b)), add(p_c, rotate(R_c, arm.w)), column(R_c, 2)
    square = e[0] * e[0] + e[1] * e[1]
    length = 1 if isinstance(square, int) and square == 1 else by.maths.sqrt(square)
    flat = (quotient(e[0], length), quotient(e[1], length), 0)
    slides, rest = by.quadratic(x_c, (v[0], v[1], 0), flat, m[0] * m[0] + m[1] * m[1], length)
    found = []
    for c in slides:
        at = add(v, scale(c.by, e))
        a = by.note_known(x_a, Shift(R_b[2][2] * (m[2] - at[2])))
        found.append(Root((a, by.turn(x_b, at, m), c), rest))
    return found


def gantry(arm: Arm3, by: Subproblems) -> list[Root]:
    """P P P: linear."""
    (p_b, R_b), (p_c, R_c) = _of(arm.b), _of(arm.c)
    e, f, g = Z, column(R_b, 2), rotate(R_b, column(R_c, 2))
    m = sub(arm.W, add(p_b, rotate(R_b, add(p_c, rotate(R_c, arm.w)))))
    volume = dot(e, cross(f, g))
    x, y, z = (quotient(dot(*sides), volume) for sides in ((m, cross(f, g)), (e, cross(m, g)), (e, cross(f, m))))
    a, b, c = (by.note_known(axis, Shift(along)) for axis, along in zip(arm.axes, (x, y, z), strict=True))
    return [Root((a, b, c), by.maths.number(ONE))]


CASES: dict[str, Case] = {
    "2∥3": revolute_second_parallel_third,
    "1∥2": _mirror_case(revolute_second_parallel_third),
    "1×2": revolute_first_crosses_second,
    "2×3": _mirror_case(revolute_first_crosses_second),
    "R×RP": slide_third_first_crosses_second,
    "PR×R": _mirror_case(slide_third_first_crosses_second),
    "PR∥R": slide_first_others_parallel,
    "R∥RP": _mirror_case(slide_first_others_parallel),
    "R∥PR": slide_second_others_parallel,
    "RPP": two_slides_last,
    "PPR": _mirror_case(two_slides_last),
    "P∥RP": cylinder,
    "PR∥P": _mirror_case(cylinder),
    "PPP": gantry,
}


def _of(gap: Gap) -> tuple[Vector, Any]:
    return gap.there.p, gap.there.R
