"""Four or five joints, three of which meet in one point: the others place the point, then the three turn about it.

    J_a w = W        or        J_a (p + R J_b w) = W

The point is w seen from the last of the others and W seen from before the first. Three equations for one or two
unknowns: what does not satisfy all of them is no branch (see `plan.branches`).

Derived here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from manipula.mechanics.models.inverse.loop import Gap, Loop, quotient
from manipula.mechanics.models.inverse.slides import ONE, Placed, amounts
from manipula.mechanics.models.inverse.solving import Subproblems, Unknown, unknowns
from manipula.mechanics.models.inverse.subproblems import Motion, Shift
from manipula.mechanics.spatial.vector import Matrix, Vector, Z, add, column, rotate, scale, sub, unrotate
from manipula.scalar import Scalar

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
CASES: dict[str, tuple[str, ...]] = {
    "R": ("R",), "P": ("P",), "RR": ("RR", "R∥R"), "RP": ("RP leaning", "RP flat"), "PR": ("PR leaning", "PR flat"),
    "PP": ("PP",),
}  # fmt: skip
ROLES: dict[str, tuple[str, ...]] = {"RR": ("side",), "R∥R": ("elbow",), "RP flat": ("slide",), "PR flat": ("slide",)}
