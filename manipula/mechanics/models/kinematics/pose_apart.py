"""The pose with its position worked out apart: only levers are turned, and the tool's own is a multiple of a column.

    T = (R, p)      R: tool → base over runs of parallel axes, without second columns      p = v + ℓ·(column of R)

v is the position of the last joint. While nothing that turns has been added to it, the lever (x, y) that a run turns by
its angle θ is constant, and its polar form needs two products instead of four:

    Rz(θ) (x, y) = ρ (cos(θ + φ), sin(θ + φ))      ρ = √(x² + y²)      φ = atan2(y, x)

The frames must be on the joints.

Derived here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.placement import Placement, turn_about
from manipula.mechanics.spatial.vector import (
    IDENTITY,
    NULL,
    Matrix,
    Vector,
    add,
    column,
    cross,
    is_structural_zero,
    matmul,
    rotate,
    scale,
    transpose,
)
from manipula.scalar import Maths, Scalar

# Runs of parallel axes, and columns left out: what the ways to multiply the pose have in common.
#
# Derived here from Rz(a) Rz(b) = Rz(a + b) and, for a column left out, third = first × second.

Run = Sequence[tuple[Link, Scalar]]  # links with parallel axes, each with its coordinate


def without(T: Placement, j: int) -> Placement:
    """Column j suppressed: structural zeros cost nothing."""
    x, y, z = (NULL if k == j else axis for k, axis in enumerate(transpose(T.R)))
    return Placement(transpose((x, y, z)), T.p)


def regenerate_column(T: Placement, j: int) -> Placement:
    """Column j as the cross product of the next two."""
    lost = cross(column(T.R, (j + 1) % 3), column(T.R, (j + 2) % 3))
    x, y, z = (lost if k == j else axis for k, axis in enumerate(transpose(T.R)))
    return Placement(transpose((x, y, z)), T.p)


# Merging parallel axes. Along a run every constant rotation C keeps the z axis, up to its sense, so that
# Rz(θ1) C Rz(θ2) = Rz(θ1 ± θ2) C: one turn by the sum of the angles stands for all of them.


@dataclass(frozen=True)
class Passed:
    """The road from a run's first joint: a turn by `angle` about z, then the constant C; the position beside it."""

    angle: Scalar = 0
    C: Matrix = IDENTITY
    p: Vector = NULL

    def past_placement(self, at: Placement, maths: Maths[Scalar]) -> Passed:
        """Past a placement:  p + Rz(angle) C p'"""
        return Passed(
            self.angle, matmul(self.C, at.R), add(self.p, rotate_about_z(self.angle, rotate(self.C, at.p), maths))
        )

    def past_joint(self, link: Link, q: Scalar, maths: Maths[Scalar]) -> Passed:
        """Past a joint, whose z may point against that of the run's first."""
        x = link.offset + link.along_z(q)
        turn = link.kind.turn(x)
        there = Passed(self.angle + (turn if self.C[2][2] == 1 else -turn), self.C, self.p)
        return there.past_placement(Placement(p=(0, 0, link.kind.slide(x))), maths)

    def placement(self, maths: Maths[Scalar]) -> Placement:
        x, y, z = (rotate_about_z(self.angle, axis, maths) for axis in transpose(self.C))
        return Placement(transpose((x, y, z)), self.p)


def rotate_about_z(angle: Scalar, a: Vector, maths: Maths[Scalar]) -> Vector:
    """Rz(angle) a; a part along z, or without an angle to turn by, stays as it is, structural zeros included."""
    if is_structural_zero(angle) or (is_structural_zero(a[0]) and is_structural_zero(a[1])):
        return a
    return rotate(turn_about("z", maths.cos(angle), maths.sin(angle)).R, a)


def parallel_runs(chain: Tree, q: Sequence[Scalar]) -> list[Run]:
    """The links, cut wherever an axis is not, by structure, parallel to the one before."""
    runs: list[list[tuple[Link, Scalar]]] = []
    for link, x in zip(chain.links, q, strict=True):
        if runs and _keeps_z(matmul(runs[-1][-1][0].after.R, link.before.R)):
            runs[-1].append((link, x))
        else:
            runs.append([(link, x)])
    return [*runs]


def _keeps_z(R: Matrix) -> bool:
    """By structure: the ints of quarter turns. A twist that happens to be near zero is a number like any other."""
    return all(isinstance(x, int) for x in R[2]) and R[2][:2] == (0, 0)


AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
SECOND = 1  # the column that is regenerated: the last joint's own axis is the cheapest to carry


def merged_apart(chain: Tree, q: Sequence[Scalar]) -> Placement:
    """Tool → base over runs of parallel axes; the position apart."""
    along, start = _along(chain.tool), without(chain.tool, SECOND)
    at, constant = Placement(start.R, (0, 0, 0)) if along is not None else start, True
    for run in reversed(parallel_runs(chain, q)):
        at, constant = _through(run, at, constant, chain.maths)
    at = chain.base @ at
    if along is not None:
        at = Placement(at.R, add(at.p, scale(sum(chain.tool.p), column(at.R, along))))
    return regenerate_column(at, SECOND)


def _along(tool: Placement) -> int | None:
    """The column that the tool's lever lies along by structure, if it is one that is carried."""
    lever = [k for k in range(3) if not is_structural_zero(tool.p[k])]
    axes = [j for j in (0, 2) if len(lever) == 1 and column(tool.R, j) == AXES[lever[0]]]
    return axes[0] if axes else None


def _through(run: Run, beyond: Placement, constant: bool, maths: Maths[Scalar]) -> tuple[Placement, bool]:
    """What is beyond a run, seen from before its first joint; and whether its position is still a constant."""
    state = Passed().past_joint(*run[0], maths)
    for (previous, _), (link, q) in pairwise(run):
        state = state.past_placement(previous.after @ link.before, maths).past_joint(link, q, maths)
    tail = _compose(run[-1][0].after, beyond)
    arm = _rotate(state.C, tail.p)
    lever = polar(state.angle, arm, maths) if constant else rotate_about_z(state.angle, arm, maths)
    passed = Passed(state.angle, matmul(state.C, tail.R), add(state.p, lever))
    at = _compose(run[0][0].before, passed.placement(maths))
    slides = any(link.kind.slides for link, _ in run)
    still = constant and not slides and all(map(is_structural_zero, (*arm[:2], *state.p[:2])))
    return at, still


def polar(angle: Scalar, a: Vector, maths: Maths[Scalar]) -> Vector:
    """Rz(angle) a, for a constant a"""
    x, y, z = a
    if is_structural_zero(angle) or is_structural_zero(x) or is_structural_zero(y):
        return rotate_about_z(angle, a, maths)
    length, whole = maths.sqrt(x * x + y * y), angle + maths.atan2(y, x)
    return (length * maths.cos(whole), length * maths.sin(whole), z)


def _compose(a: Placement, b: Placement) -> Placement:
    """a · b, structural zeros of the position kept"""
    return Placement(matmul(a.R, b.R), add(a.p, _rotate(a.R, b.p)))


def _rotate(R: Matrix, p: Vector) -> Vector:
    """R p, structural zeros kept"""
    x, y, z = (
        sum(r * e for r, e in zip(row, p) if not is_structural_zero(r) and not is_structural_zero(e)) for row in R
    )
    return (x, y, z)
