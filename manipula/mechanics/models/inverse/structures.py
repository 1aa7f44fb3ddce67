"""The closed forms: a loop in its reading order → every branch.

Each returns a list of `Branch`: one motion for each axis of the loop, and the smallest `fit` on the way (see
`subproblems`). The order of the branches never changes, so a place in the list is a name: shoulder, elbow, wrist.

Source: the arm angle of seven axes is that of Kreutz-Delgado, Long, Seraji (1992), in full above it; the rest is
derived here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from manipula.mechanics.models.inverse.loop import Gap, Loop, quotient
from manipula.mechanics.models.inverse.positions import CASES, Arm3
from manipula.mechanics.models.inverse.slides import ONE, Placed, amounts, parallel_with_slide, solve_directions
from manipula.mechanics.models.inverse.solving import Subproblems, Unknown, unknowns
from manipula.mechanics.models.inverse.subproblems import LOCK, Motion, Shift, Turn, linear, reference, turn_from
from manipula.mechanics.spatial.inertia import half
from manipula.mechanics.spatial.placement import Placement, turn_about
from manipula.mechanics.spatial.vector import (
    IDENTITY,
    NULL,
    Matrix,
    Vector,
    Z,
    add,
    column,
    dot,
    matmul,
    rotate,
    scale,
    sub,
    transpose,
    unrotate,
)
from manipula.scalar import Maths, Scalar

# Four or five joints, three of which meet in one point: the others place the point, then the three turn about it.
#
#     J_a w = W        or        J_a (p + R J_b w) = W
#
# The point is w seen from the last of the others and W seen from before the first. Three equations for one or two
# unknowns: what does not satisfy all of them is no branch (see `plan.branches`).
#
# Derived here.


Root = tuple[tuple[Motion, ...], Scalar]
Pair = Callable[[Unknown, Unknown, Gap, Vector, Vector, Subproblems], list[Root]]


def three_that_meet(loop: Loop, case: str, by: Subproblems) -> list[Placed]:
    """Axes 0, 1, 2 of the loop meet at the origin of their frames."""
    d, e, f, a, *more = loop.gaps
    found = []
    for motions, rest in _solve_point(loop, case, by):
        M = partial(carried_back, a.back.R, motions, (*more, d))
        settings, fit = by.orientation(unknowns(0, 1, 2), e.there.R, f.there.R, M)
        found += [Placed((*setting, *motions), by.maths.minimum(rest, fit)) for setting in settings]
    return found


def carried_back(R: Matrix, motions: tuple[Motion, ...], gaps: tuple[Gap, ...], j: int) -> Vector:
    """A column of R carried back: … R₂ᵀ Z₁ᵀ v"""
    v = column(R, j)
    for motion, gap in zip(motions, gaps, strict=True):
        v = unrotate(gap.there.R, motion.rotate_back(v))
    return v


def _solve_point(loop: Loop, case: str, by: Subproblems) -> list[Root]:
    w, W, axes = loop.gaps[0].there.p, loop.gaps[3].back.p, unknowns(*range(3, loop.size))
    if loop.size == 5:
        return PAIRS[case](axes[0], axes[1], loop.gaps[4], w, W, by)
    one = by.turn(axes[0], w, W) if case == "R" else by.note_known(axes[0], Shift(W[2] - w[2]))
    return [((one,), by.maths.number(ONE))]


def two_turns(a: Unknown, b: Unknown, gap: Gap, w: Vector, W: Vector, by: Subproblems) -> list[Root]:
    """R R: the height over the first gives the second."""
    p, r = gap.there.p, gap.there.R[2]
    A, B = r[0] * w[0] + r[1] * w[1], r[1] * w[0] - r[0] * w[1]
    seconds, fit = by.linear(b, A, B, W[2] - p[2] - r[2] * w[2])
    return [((by.turn(a, _ahead(gap, second, w), W), second), fit) for second in seconds]


def two_parallel_turns(a: Unknown, b: Unknown, gap: Gap, w: Vector, W: Vector, by: Subproblems) -> list[Root]:
    """R∥R: a planar arm of two links"""
    roots, fit = by.pair(a, b, gap.there.p, gap.there.R, w, W)
    return [((first, second), fit) for first, second in roots]


def turn_then_slide(how: str) -> Pair:
    """R P: Z (v + x d) = W"""

    def solve(a: Unknown, b: Unknown, gap: Gap, w: Vector, W: Vector, by: Subproblems) -> list[Root]:
        v, d = _ahead(gap, Shift(0), w), column(gap.there.R, 2)
        slides, fit = SLID[how](b, v, d, W, by)
        return [((by.turn(a, add(v, scale(x.by, d)), W), x), fit) for x in slides]

    return solve


def slide_then_turn(how: str) -> Pair:
    """P R: Z w = Rᵀ (W − p − x z)"""

    def solve(a: Unknown, b: Unknown, gap: Gap, w: Vector, W: Vector, by: Subproblems) -> list[Root]:
        v, d = unrotate(gap.there.R, sub(W, gap.there.p)), unrotate(gap.there.R, scale(-1, Z))
        slides, fit = SLID[how](a, v, d, w, by)
        return [((x, by.turn(b, w, add(v, scale(x.by, d)))), fit) for x in slides]

    return solve


def _by_height(x: Unknown, v: Vector, d: Vector, still: Vector, by: Subproblems) -> tuple[list[Shift], Scalar]:
    """v + x d has the height of `still`."""
    return [by.note_known(x, Shift(quotient(still[2] - v[2], d[2])))], by.maths.number(ONE)


def _by_distance(x: Unknown, v: Vector, d: Vector, still: Vector, by: Subproblems) -> tuple[list[Shift], Scalar]:
    """v + x d has the distance of `still` from the axis; d is square to it."""
    square = still[0] * still[0] + still[1] * still[1]
    slides, fit = by.quadratic(x, (v[0], v[1], 0), (d[0], d[1], 0), square)
    return list(slides), fit


SLID = {"leaning": _by_height, "flat": _by_distance}


def two_slides(a: Unknown, b: Unknown, gap: Gap, w: Vector, W: Vector, by: Subproblems) -> list[Root]:
    """P P: x z + y R z = W − p − R w"""
    x, y = amounts([Z, column(gap.there.R, 2)], sub(W, _ahead(gap, Shift(0), w)))
    return [((by.note_known(a, Shift(x)), by.note_known(b, Shift(y))), by.maths.number(ONE))]


def _ahead(gap: Gap, motion: Motion, w: Vector) -> Vector:
    return add(gap.there.p, rotate(gap.there.R, motion.ahead(w)))


PAIRS: dict[str, Pair] = {
    "RR": two_turns,
    "R∥R": two_parallel_turns,
    "RP leaning": turn_then_slide("leaning"),
    "RP flat": turn_then_slide("flat"),
    "PR leaning": slide_then_turn("leaning"),
    "PR flat": slide_then_turn("flat"),
    "PP": two_slides,
}
MEETING_CASES: dict[str, tuple[str, ...]] = {
    "R": ("R",), "P": ("P",), "RR": ("RR", "R∥R"), "RP": ("RP leaning", "RP flat"), "PR": ("PR leaning", "PR flat"),
    "PP": ("PP",),
}  # fmt: skip
MEETING_ROLES: dict[str, tuple[str, ...]] = {
    "RR": ("side",),
    "R∥R": ("elbow",),
    "RP flat": ("slide",),
    "PR flat": ("slide",),
}


class Branch(NamedTuple):
    motions: tuple[Motion, ...]
    fit: Scalar


def spherical(loop: Loop, case: str, by: Subproblems) -> list[Branch]:
    """Axes 0, 1, 2 of the loop meet in a point, the origin of their frames; 3, 4, 5 place it."""
    d, e, f, a, b, c = loop.gaps
    found = []
    one, two, three = unknowns(3, 4, 5)
    for root in CASES[case](Arm3(b, c, d.there.p, a.back.p, (one, two, three)), by):
        M = partial(carried_back, a.back.R, root.motions, (b, c, d))
        settings, fit = by.orientation(unknowns(0, 1, 2), e.there.R, f.there.R, M)
        found += [Branch((*setting, *root.motions), by.maths.minimum(root.fit, fit)) for setting in settings]
    return found


def three_parallel(loop: Loop, case: str, by: Subproblems) -> list[Branch]:
    """Axes 0, 1, 2 are parallel; 3 and 4 cross at the origin of both their frames.

    The height over the common direction knows axis 5 alone; orientation then gives the sum ψ of the parallel angles and
    axes 3, 4; what is left is a planar arm of two links. Where axis 4 falls parallel to the three, ψ is free: it is put
    where the planar arm is best able to reach.
    """
    d, e, f, a, b, c = loop.gaps
    maths, sum_of_three, (x3, x4, x5) = by.maths, Unknown((0, 1, 2)), unknowns(3, 4, 5)
    k, r = c.back.p, column(d.there.R, 2)
    # −k·Z₅ r + height of the rest = 0
    rest = e.there.p[2] + f.there.p[2] + a.there.p[2] + dot(r, d.there.p) + k[2] * -r[2]
    fifths, fit5 = by.linear(x5, k[0] * r[0] + k[1] * r[1], k[1] * r[0] - k[0] * r[1], rest)
    found = []
    for fifth in fifths:
        M = partial(carried_back, c.back.R, (fifth,), (d,))
        target = _transform_point(d.back, fifth.back(k))
        settings, fit3 = by.orientation((sum_of_three, x3, x4), a.there.R, b.there.R, M)
        locked = maths.less(_flat_square(M(2)), maths.number(LOCK))
        best = partial(_best_reach, target, a.there.p, e.there.p, f.there.p, maths)
        for psi, third, fourth in settings:
            psi = by.unless(locked, psi, best)
            fourth = by.complete_turn(x4, psi, a.there.R, third, b.there.R, M(0))
            m = sub(target, psi.ahead(a.there.p))
            fit = maths.minimum(fit5, fit3)
            for motions, fit_m in _planar(e, f, m, psi, by):
                found.append(Branch((*motions, third, fourth, fifth), maths.minimum(fit, fit_m)))
    return found


def _best_reach(target: Vector, arm: Vector, p: Vector, w: Vector, maths: Maths[Scalar]) -> Turn:
    """ψ for which |target − Z arm| comes closest to what two links at a right angle span."""
    A, B = target[0] * arm[0] + target[1] * arm[1], target[1] * arm[0] - target[0] * arm[1]
    square = _flat_square(target) + _flat_square(arm) - _flat_square(p) - _flat_square(w)
    best = linear(A, B, half(square), maths)[0][0]
    return turn_from(best.cos, best.sin, maths)


def _flat_square(v: Vector) -> Scalar:
    return v[0] * v[0] + v[1] * v[1]


def _planar(e: Gap, f: Gap, m: Vector, psi: Turn, by: Subproblems) -> list[tuple[tuple[Turn, Turn, Turn], Scalar]]:
    """Z₀ (p_e + R_e Z₁ p_f) = m across z, Z₀ R_e Z₁ R_f Z₂ = Z(ψ)"""
    axes = unknowns(0, 1, 2)
    roots, fit = by.pair(axes[0], axes[1], e.there.p, e.there.R, f.there.p, m)
    return [((p, q, by.remaining_turn(axes, p, e.there.R, q, f.there.R, psi)), fit) for p, q in roots]


def _transform_point(at: Placement, v: Vector) -> Vector:
    return add(rotate(at.R, v), at.p)


def scara(loop: Loop, case: str, by: Subproblems) -> list[Branch]:
    """Three parallel turning axes 0, 1, 2 and a slide 3 along them."""
    o, e, f, g = loop.gaps
    target = _transform_point(o.back, g.back.p)
    x = rotate(o.back.R, column(g.back.R, 0))
    slide = by.note_known(Unknown((3,)), Shift(target[2] - e.there.p[2] - f.there.p[2]))
    psi = by.note_known(Unknown((0, 1, 2)), Turn(x[0], x[1]))
    return [Branch((*motions, slide), fit) for motions, fit in _planar(e, f, target, psi, by)]


def planar(loop: Loop, case: str, by: Subproblems) -> list[Branch]:
    """Three parallel turning axes alone."""
    o, e, f = loop.gaps
    psi = by.note_known(Unknown((0, 1, 2)), Turn(o.back.R[0][0], o.back.R[1][0]))
    return [Branch(motions, fit) for motions, fit in _planar(e, f, o.back.p, psi, by)]


def solve_pointing(loop: Loop, case: str, by: Subproblems) -> list[Branch]:
    """Three axes that meet: orientation alone."""
    o, e, f = loop.gaps
    settings, fit = by.orientation(unknowns(0, 1, 2), e.there.R, f.there.R, partial(column, o.back.R))
    return [Branch(tuple(setting), fit) for setting in settings]


def two_axes(loop: Loop, case: str, by: Subproblems) -> list[Branch]:
    """Two turning axes: the direction of the second gives the first; of parallel ones, its place does."""
    o, e = loop.gaps
    aim = (e.there.p, o.back.p) if case == "parallel" else (column(e.there.R, 2), column(o.back.R, 2))
    one, two = unknowns(0, 1)
    first = by.turn(one, *aim)
    rest = unrotate(e.there.R, first.back(column(o.back.R, 0)))
    return [Branch((first, by.note_known(two, Turn(rest[0], rest[1]))), by.maths.number(ONE))]


def one_axis(loop: Loop, case: str, by: Subproblems) -> list[Branch]:
    at = loop.gaps[0].back
    motion: Motion = Turn(at.R[0][0], at.R[1][0]) if case == "revolute" else Shift(at.p[2])
    return [Branch((by.note_known(Unknown((0,)), motion),), by.maths.number(ONE))]


def with_slides(loop: Loop, case: str, by: Subproblems) -> list[Branch]:
    """Two or three axes, slides among them."""
    return [Branch(*found) for found in (parallel_with_slide(loop, case, by) if case else solve_directions(loop, by))]


def solve_meeting(loop: Loop, case: str, by: Subproblems) -> list[Branch]:
    """Four or five axes of which three meet."""
    return [Branch(*found) for found in three_that_meet(loop, case, by)]


STRUCTURES: dict[str, Callable[[Loop, str, Subproblems], list[Branch]]] = {
    "spherical": spherical,
    "three parallel": three_parallel,
    "scara": scara,
    "planar": planar,
    "pointing": solve_pointing,
    "two axes": two_axes,
    "one axis": one_axis,
    "with slides": with_slides,
    "meeting": solve_meeting,
}


def closure(loop: Loop, motions: tuple[Motion, ...]) -> Scalar:
    """How far the loop is from closed: the sum of squares of R − 1 and p. For arms that cannot reach every pose."""
    R, p = IDENTITY, NULL
    for gap, motion in zip(reversed(loop.gaps), reversed(motions), strict=True):
        p = _transform_point(gap.there, motion.ahead(p))
        columns = [rotate(gap.there.R, motion.rotate(column(R, j))) for j in range(3)]
        R = transpose((columns[0], columns[1], columns[2]))
    miss = [R[i][j] - (1 if i == j else 0) for i in range(3) for j in range(3)]
    return dot(miss, miss) + dot(p, p)


# Seven axes, shoulder and wrist spherical: the arm angle ψ chooses one of the circle of elbows.
#
# S is the shoulder, W the wrist seen from it, v = SW seen from axis 3 when the elbow is bent. R₀₃ v = W leaves one
# freedom, a turn about SW:  R₀₃ = F(W) X(ψ) F(v)ᵀ, where F(x) has x/|x| as its first column and z × x as its second.
# So ψ is the angle between the plane of SW and axis 1 and the plane of SW and axis 3.
#
# Source: the arm angle is that of Kreutz-Delgado, Long, Seraji, "Kinematic analysis of 7-DOF manipulators",
# International Journal of Robotics Research 11 (1992); the frames F are chosen here.


def arm_angle(loop: Loop, psi: Scalar, by: Subproblems) -> list[Branch]:
    """Elbow, shoulder, wrist: eight branches. p₂ = p₃ = p₆ = p₇ = 0."""
    o, g2, g3, g4, g5, g6, g7 = loop.gaps
    maths, axes = by.maths, unknowns(*range(7))
    W, X = o.back.p, turn_about("x", maths.cos(psi), maths.sin(psi)).R
    elbows, fit4 = by.distance(axes[3], g4.there.p, g4.there.R, g5.there.p, dot(W, W))
    found = []
    for elbow in elbows:
        v = shoulder_to_wrist(loop, elbow)
        R03 = by.name_matrix("r", matmul(matmul(by.reference("f", W), X), transpose(by.reference("e", v))))
        shoulders, fit2 = by.orientation(axes[:3], g2.there.R, g3.there.R, partial(column, R03), "r")
        M = partial(_to_wrist, loop, R03, elbow)
        wrists, fit6 = by.orientation(axes[4:], g6.there.R, g7.there.R, M)
        fit = maths.minimum(fit4, maths.minimum(fit2, fit6))
        found += [Branch((*s, elbow, *w), fit) for s in shoulders for w in wrists]
    return found


def shoulder_to_wrist(loop: Loop, elbow: Turn) -> Vector:
    """v, seen from axis 3"""
    g4, g5 = loop.gaps[3], loop.gaps[4]
    return add(g4.there.p, rotate(g4.there.R, elbow.ahead(g5.there.p)))


def _to_wrist(loop: Loop, R03: Matrix, elbow: Turn, j: int) -> Vector:
    """R₅ᵀ Z₄ᵀ R₄ᵀ R₀₃ᵀ v, v column j of the tool's axes"""
    o, g4, g5 = loop.gaps[0], loop.gaps[3], loop.gaps[4]
    return unrotate(g5.there.R, elbow.back(unrotate(g4.there.R, unrotate(R03, column(o.back.R, j)))))


def angle_of(loop: Loop, motions: tuple[Turn, ...], maths: Maths[Scalar]) -> Scalar:
    """The arm angle of a configuration: X(ψ) = F(W)ᵀ R₀₃ F(v), the loop read at its pose."""
    v = reference(shoulder_to_wrist(loop, motions[3]), maths)
    W = reference(loop.gaps[0].back.p, maths)
    side = column(v, 1)
    for gap, motion in ((loop.gaps[2], motions[2]), (loop.gaps[1], motions[1])):
        side = rotate(gap.there.R, motion.ahead(side))
    seen = unrotate(W, motions[0].ahead(side))
    return maths.atan2(seen[2], seen[1])
