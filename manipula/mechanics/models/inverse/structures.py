"""The closed forms: a loop in its reading order → every branch.

Each returns a list of `Branch`: one motion for each axis of the loop, and the smallest `fit` on the way (see
`subproblems`). The order of the branches never changes, so a place in the list is a name: shoulder, elbow, wrist.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from manipula.mechanics.models.inverse.loop import Gap, Loop
from manipula.mechanics.models.inverse.meeting import carried_back, three_that_meet
from manipula.mechanics.models.inverse.positions import CASES, ONE, Arm3
from manipula.mechanics.models.inverse.slides import parallel_with_slide, solve_directions
from manipula.mechanics.models.inverse.solving import Subproblems, Unknown, unknowns
from manipula.mechanics.models.inverse.subproblems import LOCK, Motion, Shift, Turn, linear, turn_from
from manipula.mechanics.spatial.inertia import half
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import IDENTITY, NULL, Vector, add, column, dot, rotate, sub, transpose, unrotate
from manipula.scalar import Maths, Scalar


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
