"""Placements: a rotation and a position, frame b seen from frame a. Named `pose_a_b` where it matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from manipula.mechanics.spatial.vector import (
    IDENTITY,
    NULL,
    Matrix,
    Vector,
    add,
    matmul,
    neg,
    rotate,
    transpose,
    unrotate,
)
from manipula.scalar import Scalar


@dataclass(frozen=True)
class Placement:
    """x_a = R x_b + p"""

    R: Matrix = IDENTITY
    p: Vector = NULL

    def __matmul__(self, other: Placement) -> Placement:
        """pose_a_c = pose_a_b @ pose_b_c"""
        return Placement(matmul(self.R, other.R), add(rotate(self.R, other.p), self.p))

    def inverse(self) -> Placement:
        return Placement(transpose(self.R), neg(unrotate(self.R, self.p)))

    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """The 4×4 homogeneous matrix."""
        return (*((*row, p) for row, p in zip(self.R, self.p, strict=True)), (0, 0, 0, 1))


HERE = Placement()


def turn_about(axis: str, cos: Scalar, sin: Scalar) -> Placement:
    """A rotation about x, y or z."""
    c, s = cos, sin
    rotations: dict[str, Matrix] = {
        "x": ((1, 0, 0), (0, c, -s), (0, s, c)),
        "y": ((c, 0, s), (0, 1, 0), (-s, 0, c)),
        "z": ((c, -s, 0), (s, c, 0), (0, 0, 1)),
    }
    return Placement(R=rotations[axis])


def shift_along(axis: str, amount: Scalar) -> Placement:
    x, y, z = (amount if axis == name else 0 for name in "xyz")
    return Placement(p=(x, y, z))
