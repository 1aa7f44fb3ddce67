"""Few joints whose axes change direction at most twice: the orientation gives sums of angles, the position the rest.

A run is a row of turning axes that are parallel, one after the other (slides may stand between them). The rotation of
the pose knows only the sum ψ of the angles of a run, and three sums follow from it. Then all that is not known is how
each sum is split, and what slides:

    Σ Z(a) w  +  Σ x d  =  m        over the splits a, seen from the first axis of their run, and the slides x

At most three unknowns are left in three equations (`splits` solves them). An arm with fewer than six joints reaches few
poses: what does not close the loop is no branch (see `plan.branches`).

Derived here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from manipula.mechanics.models.inverse.loop import Loop
from manipula.mechanics.models.inverse.slides import ONE, rotation
from manipula.mechanics.models.inverse.solving import Subproblems, Unknown, unknowns
from manipula.mechanics.models.inverse.subproblems import Motion, Turn
from manipula.mechanics.spatial.vector import (
    NULL,
    Matrix,
    Vector,
    add,
    column,
    matmul,
    rotate,
    sub,
    transpose,
    unrotate,
)
from manipula.scalar import Scalar

Runs = tuple[tuple[int, ...], ...]


class Slider(NamedTuple):
    """A slide: its axis; the run it follows (−1: none) and how many axes of that run; its direction there."""

    axis: int
    run: int
    level: int
    along: Vector


@dataclass(frozen=True)
class Seated:
    """The loop by its runs: all that does not depend on the pose."""

    loop: Loop
    runs: Runs

    @property
    def starts(self) -> list[int]:
        return [run[0] for run in self.runs]

    @property
    def sliders(self) -> list[Slider]:
        return [self._slider(k) for k, axis in enumerate(self.loop.axes) if axis.kind != "revolute"]

    def _slider(self, k: int) -> Slider:
        before = [axis for run in self.runs for axis in run if axis < k]
        owner = next((i for i, run in enumerate(self.runs) if before and before[-1] in run), -1)
        level = self.runs[owner].index(before[-1]) + 1 if before else 0
        return Slider(k, owner, level, column(rotation(self.loop, before[-1] if before else 0, k), 2))

    def is_inner(self, x: Slider) -> bool:
        """Between two axes of one run."""
        return x.run >= 0 and x.level < len(self.runs[x.run])

    def between(self, first: int, last: int) -> Vector:
        """From axis `first` to axis `last`, nothing moving."""
        steps = (
            rotate(rotation(self.loop, first, k - 1), self.loop.gaps[k].there.p) for k in range(first + 1, last + 1)
        )
        return reduce(add, steps, NULL)

    def turn(self, i: int) -> Matrix:
        """From the last axis of run i to the first of the next, or to the end of the arm."""
        return rotation(self.loop, self.runs[i][-1], self._next(i))

    def tail(self, i: int) -> Vector:
        return self.between(self.runs[i][-1], self._next(i))

    def _next(self, i: int) -> int:
        return self.runs[i + 1][0] if i + 1 < len(self.runs) else self.loop.size - 1


@dataclass(frozen=True)
class Sums:
    """The runs' sums for one setting, and what the position is then still to give, seen from the first run."""

    arm: Seated
    psi: tuple[Turn, ...]
    m: Vector
    by: Subproblems

    def to_run(self, v: Vector, i: int) -> Vector:
        """A vector of the first run as run i sees it."""
        for k in range(i):
            v = unrotate(self.arm.turn(k), self.psi[k].back(v))
        return v

    def from_run(self, v: Vector, i: int) -> Vector:
        """The other way."""
        for k in reversed(range(i)):
            v = self.psi[k].ahead(rotate(self.arm.turn(k), v))
        return v

    def along(self, x: Slider) -> Vector:
        """The direction of a slide that stands between runs."""
        if x.run < 0:
            return unrotate(rotation(self.arm.loop, 0, self.arm.starts[0]), x.along) if self.arm.runs else x.along
        return self.from_run(self.psi[x.run].ahead(x.along), x.run)

    def link(self, i: int, level: int = 0) -> tuple[Vector, Matrix]:
        """From an axis of run i to its next: p, R."""
        first, second = self.arm.runs[i][level : level + 2]
        return self.arm.between(first, second), rotation(self.arm.loop, first, second)

    def seconds(self, i: int, first: Turn) -> dict[int, Motion]:
        """Both angles of a run of two whose first is known: Z₁ R Z₂ = Z(ψ)"""
        one, two = self.arm.runs[i]
        return {one: first, two: self.by.second(unknowns(one, two), first, self.link(i)[1], self.psi[i])}


def settings_of(arm: Seated, by: Subproblems) -> list[tuple[tuple[Turn, ...], Scalar]]:
    """Z(ψ₁) E₁ Z(ψ₂) E₂ Z(ψ₃) = M"""
    loop, one = arm.loop, by.maths.number(ONE)
    if not arm.runs:
        return [((), one)]
    M = matmul(transpose(rotation(loop, 0, arm.starts[0])), loop.gaps[0].back.R)
    M = matmul(M, transpose(arm.turn(len(arm.runs) - 1)))
    wanted = [Unknown(run) for run in arm.runs]
    if len(wanted) == 1:
        return [((by.note_known(wanted[0], Turn(M[0][0], M[1][0])),), one)]
    if len(wanted) == 2:
        first = by.turn(wanted[0], column(arm.turn(0), 2), column(M, 2))
        rest = unrotate(arm.turn(0), first.back(column(M, 0)))
        return [((first, by.note_known(wanted[1], Turn(rest[0], rest[1]))), one)]
    settings, fit = by.orientation(wanted, arm.turn(0), arm.turn(1), lambda j: column(M, j))
    return [
        (tuple(Turn(x.cos, x.sin) if len(run) > 1 else x for x, run in zip(found, arm.runs)), fit) for found in settings
    ]


def left_of(arm: Seated, psi: Sequence[Turn]) -> Vector:
    """The position less all that the sums already tell, seen from the first run."""
    p, starts = arm.loop.gaps[0].back.p, arm.starts
    if not starts:
        return sub(p, arm.between(0, arm.loop.size - 1))
    p = unrotate(rotation(arm.loop, 0, starts[0]), sub(p, arm.between(0, starts[0])))
    known = NULL
    for i in reversed(range(len(psi))):
        beyond = rotate(arm.turn(i), known) if i + 1 < len(psi) else NULL
        known = psi[i].ahead(add(arm.tail(i), beyond))
    return sub(p, known)
