"""`Maths` over numpy arrays: a model's own text on a whole batch at once, and an arm as functions of arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.mechanics.models.kinematics.jacobian import jacobian
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.tree import Tree

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]
Kinematics = Callable[[Floats], Floats]


class ArrayMaths:
    """Elementwise; NaN in, NaN out."""

    def number(self, value: Fraction) -> Any:
        return value.numerator / value.denominator

    def degrees(self, value: Fraction) -> Any:
        return np.radians(float(value))

    def sin(self, x: Any) -> Any:
        return np.sin(x)

    def cos(self, x: Any) -> Any:
        return np.cos(x)

    def sqrt(self, x: Any) -> Any:
        with np.errstate(invalid="ignore"):
            return np.sqrt(x)

    def atan2(self, y: Any, x: Any) -> Any:
        return np.arctan2(y, x)

    def sign(self, x: Any) -> Any:
        return np.sign(x)

    def abs(self, x: Any) -> Any:
        return np.abs(x)

    def minimum(self, x: Any, y: Any) -> Any:
        return np.minimum(x, y)

    def maximum(self, x: Any, y: Any) -> Any:
        return np.maximum(x, y)

    def less(self, x: Any, y: Any) -> Any:
        return np.where(np.isnan(x) | np.isnan(y), np.nan, np.less(x, y))

    def select(self, condition: Any, yes: Any, no: Any) -> Any:
        return np.where(np.isnan(condition), np.nan, np.where(condition != 0, yes, no))


ARRAYS = ArrayMaths()


def over_arrays(chain: Tree) -> Tree:
    """The same arm, ready for arrays of joint positions."""
    return replace(chain, maths=ARRAYS)


def pose_of(chain: Tree) -> Kinematics:
    """q (…, n) → (…, 4, 4)"""
    arm = over_arrays(chain)
    return lambda q: stacked(pose(arm, [q[..., i] for i in range(arm.dof)]).rows(), q.shape[:-1])


def jacobian_of(chain: Tree) -> Kinematics:
    """q (…, n) → (…, 6, n), world axes"""
    arm = over_arrays(chain)
    return lambda q: stacked(jacobian(arm, [q[..., i] for i in range(arm.dof)]), q.shape[:-1])


def stacked(rows: Any, lead: tuple[int, ...]) -> Floats:
    """Nested sequences of arrays and structural numbers → one array, the leading axes first."""
    if not isinstance(rows, tuple | list):
        return np.broadcast_to(np.asarray(rows, dtype=float), lead)
    return np.stack([stacked(row, lead) for row in rows], axis=len(lead))
