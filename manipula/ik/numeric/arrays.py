"""A model's own text on a whole batch at once: an arm as functions of arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.mechanics.models.kinematics.jacobian import jacobian
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.tree import Tree

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]
Kinematics = Callable[[Floats], Floats]


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
