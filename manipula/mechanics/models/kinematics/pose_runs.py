"""Runs of parallel axes, and columns left out: what the ways to multiply the pose have in common.

Derived here from Rz(a) Rz(b) = Rz(a + b) and, for a column left out, third = first × second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
    matmul,
    nothing,
    rotate,
    transpose,
)
from manipula.scalar import Maths, Scalar

Run = Sequence[tuple[Link, Scalar]]  # links with parallel axes, each with its coordinate


def without(T: Placement, j: int) -> Placement:
    """Column j suppressed: structural zeros cost nothing."""
    x, y, z = (NULL if k == j else axis for k, axis in enumerate(transpose(T.R)))
    return Placement(transpose((x, y, z)), T.p)


def regenerated(T: Placement, j: int) -> Placement:
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

    def placed(self, at: Placement, maths: Maths[Any]) -> Passed:
        """Past a placement:  p + Rz(angle) C p'"""
        return Passed(self.angle, matmul(self.C, at.R), add(self.p, turned(self.angle, rotate(self.C, at.p), maths)))

    def moved(self, link: Link, q: Scalar, maths: Maths[Any]) -> Passed:
        """Past a joint, whose z may point against that of the run's first."""
        x = link.offset + link.signed(q)
        turn = link.kind.turn(x)
        there = Passed(self.angle + (turn if self.C[2][2] == 1 else -turn), self.C, self.p)
        return there.placed(Placement(p=(0, 0, link.kind.slide(x))), maths)

    def placement(self, maths: Maths[Any]) -> Placement:
        x, y, z = (turned(self.angle, axis, maths) for axis in transpose(self.C))
        return Placement(transpose((x, y, z)), self.p)


def turned(angle: Scalar, a: Vector, maths: Maths[Any]) -> Vector:
    """Rz(angle) a; what lies along z, or has no angle to turn by, stays as it is, structural zeros included."""
    if nothing(angle) or (nothing(a[0]) and nothing(a[1])):
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
