"""Two or three joints, slides among them: the orientation gives the angles, the position what slides.

    J₀ L₁ J₁ L₂ J₂ = M

A slide turns nothing. So one turning axis, or two that are not parallel, follow from the rotation of M alone, and the
position is then linear in the slides. Of two parallel axes the rotation only gives the sum; the one slide beside them
then follows from a height where it leans on them, else from a distance.

Derived here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from manipula.mechanics.models.inverse.loop import Loop, quotient
from manipula.mechanics.models.inverse.solving import Subproblems, Unknown, unknowns
from manipula.mechanics.models.inverse.subproblems import Motion, Shift, Turn
from manipula.mechanics.spatial.vector import (
    IDENTITY,
    NULL,
    Matrix,
    Vector,
    Z,
    add,
    column,
    cross,
    dot,
    matmul,
    neg,
    rotate,
    scale,
    sub,
    transpose,
    unrotate,
)
from manipula.scalar import Scalar

ONE = Fraction(1)
UNMOVED = Shift(0)


class Placed(NamedTuple):
    """One solution: a motion for each axis, and how far it is from being lost."""

    motions: tuple[Motion, ...]
    fit: Scalar


# axes whose directions give the angles


def solve_directions(loop: Loop, by: Subproblems) -> list[Placed]:
    """At most two turning axes, not parallel; any slides that are independent."""
    motions = _solve_turns(loop, by)
    sliding = [k for k, axis in enumerate(loop.axes) if axis.kind != "revolute"]
    m = sub(loop.gaps[0].back.p, _place(loop, motions))
    along = [_direction(loop, motions, k) for k in sliding]
    for k, x in zip(sliding, amounts(along, m), strict=True):
        motions[k] = by.note_known(unknowns(k)[0], Shift(x))
    return [Placed(tuple(motions), by.maths.number(ONE))]


def _solve_turns(loop: Loop, by: Subproblems) -> list[Motion]:
    """A Z₁ B Z₂ C = M: the direction of the second axis gives the first; what is left is the second."""
    turning = [k for k, axis in enumerate(loop.axes) if axis.kind == "revolute"]
    motions: list[Motion] = [UNMOVED for _ in loop.axes]
    rest = loop.gaps[0].back.R
    ends = [*turning, loop.size - 1]
    rest = matmul(transpose(rotation(loop, 0, ends[0])), rest)
    if len(turning) == 2:
        B = rotation(loop, *turning)
        aim = rotate(rest, unrotate(rotation(loop, turning[1], loop.size - 1), Z))
        first = by.turn(unknowns(turning[0])[0], column(B, 2), aim)
        motions[turning[0]] = first
        columns = [unrotate(B, first.back(column(rest, j))) for j in range(3)]
        rest = tuple(zip(*columns))  # type: ignore[assignment]
    if turning:
        last = matmul(rest, transpose(rotation(loop, turning[-1], loop.size - 1)))
        motions[turning[-1]] = by.note_known(unknowns(turning[-1])[0], Turn(last[0][0], last[1][0]))
    return motions


def rotation(loop: Loop, before: int, after: int) -> Matrix:
    """From axis `before` to axis `after`, all at zero."""
    return reduce(matmul, (loop.gaps[k].there.R for k in range(before + 1, after + 1)), IDENTITY)


def _place(loop: Loop, motions: Sequence[Motion]) -> Vector:
    """Where the last frame is, seen from axis 0."""
    p = NULL
    for k in range(loop.size - 1, 0, -1):
        p = add(rotate(loop.gaps[k].there.R, motions[k].ahead(p)), loop.gaps[k].there.p)
    return motions[0].ahead(p)


def _direction(loop: Loop, motions: Sequence[Motion], k: int) -> Vector:
    """Axis k, seen from axis 0."""
    v = Z
    for i in range(k, 0, -1):
        v = motions[i - 1].rotate(rotate(loop.gaps[i].there.R, v))
    return v


def amounts(along: Sequence[Vector], m: Vector) -> list[Scalar]:
    """Σ x d = m for one, two or three directions; of fewer than three, the nearest."""
    if len(along) == 1:
        return [dot(along[0], m)]
    if len(along) == 2:
        d, e = along
        n = cross(d, e)
        return [quotient(dot(x, n), dot(n, n)) for x in (cross(m, e), cross(d, m))]
    d, e, f = along
    volume = dot(d, cross(e, f))
    return [quotient(dot(*pair), volume) for pair in ((m, cross(e, f)), (d, cross(m, f)), (d, cross(e, m)))]


# two parallel axes and a slide


def parallel_with_slide(loop: Loop, case: str, by: Subproblems) -> list[Placed]:
    """`case`: the kinds in order, then "leaning" or "flat". Every order comes to Z p = v + x d, or Z (v + x d) = p."""
    order, how = CASES[case]
    return order(loop, how, by)


def _slide_between(loop: Loop, how: str, by: Subproblems) -> list[Placed]:
    """R P R:  Z₀ (p₁ + R₁ (x z + p₂)) = p"""
    M, (p1, R1), (p2, R2) = loop.gaps[0].back, *_gaps(loop)
    one, two, three = unknowns(0, 1, 2)
    found = []
    for x, w, fit in _solve_slide(two, M.p, add(p1, rotate(R1, p2)), column(R1, 2), how, by):
        first = by.turn(one, w, M.p)
        found.append(Placed((first, x, by.note_known(three, _rest(matmul(R1, R2), first, M.R))), fit))
    return found


def _slide_last(loop: Loop, how: str, by: Subproblems) -> list[Placed]:
    """R R P:  Z₀ p₁ = p − Q (p₂ + x R₂ z), where Q = Z₀ R₁ Z₁ = M R₂ᵀ"""
    M, (p1, R1), (p2, R2) = loop.gaps[0].back, *_gaps(loop)
    one, two, three = unknowns(0, 1, 2)
    Q = matmul(M.R, transpose(R2))
    found = []
    for x, w, fit in _solve_slide(three, p1, sub(M.p, rotate(Q, p2)), neg(column(M.R, 2)), how, by):
        first = by.turn(one, p1, w)
        found.append(Placed((first, by.note_known(two, _rest(R1, first, Q)), x), fit))
    return found


def _slide_first(loop: Loop, how: str, by: Subproblems) -> list[Placed]:
    """P R R:  Z₁ p₂ = R₁ᵀ (p − p₁ − x z)"""
    M, (p1, R1), (p2, R2) = loop.gaps[0].back, *_gaps(loop)
    one, two, three = unknowns(0, 1, 2)
    Q = matmul(transpose(R1), M.R)
    found = []
    for x, w, fit in _solve_slide(one, p2, unrotate(R1, sub(M.p, p1)), neg(R1[2]), how, by):
        first = by.turn(two, p2, w)
        found.append(Placed((x, first, by.note_known(three, _rest(R2, first, Q))), fit))
    return found


ORDERS = {"RPR": _slide_between, "RRP": _slide_last, "PRR": _slide_first}
CASES = {f"{kinds} {how}": (order, how) for kinds, order in ORDERS.items() for how in ("leaning", "flat")}


def _gaps(loop: Loop) -> list[tuple[Vector, Matrix]]:
    return [(gap.there.p, gap.there.R) for gap in loop.gaps[1:]]


def _solve_slide(
    slide: Unknown, p: Vector, v: Vector, d: Vector, how: str, by: Subproblems
) -> list[tuple[Shift, Vector, Scalar]]:
    """The x with which v + x d has the height of p, or its distance from the axis; and v + x d."""
    if how == "leaning":
        x = by.note_known(slide, Shift(quotient(p[2] - v[2], d[2])))
        return [(x, add(v, scale(x.by, d)), by.maths.number(ONE))]
    slides, rest = by.quadratic(slide, (v[0], v[1], 0), (d[0], d[1], 0), p[0] * p[0] + p[1] * p[1])
    return [(x, add(v, scale(x.by, d)), rest) for x in slides]


def _rest(R: Matrix, first: Turn, M: Matrix) -> Turn:
    """Z₂ of Z₁ R Z₂ = M"""
    x = unrotate(R, first.back(column(M, 0)))
    return Turn(x[0], x[1])
