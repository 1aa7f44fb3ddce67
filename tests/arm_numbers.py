"""A robot in floats, for the tests of conversions: the pose of its tool and the torques of its bare mechanism."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS


def symbol_values(robot: RobotDescription) -> dict[str, float]:
    """A number for every parameter without a value; the same name has the same number in every robot."""
    given = dict(robot.values)
    return {name: 0.1 + zlib.crc32(name.encode()) % 997 / 997 for name in robot.names() if name not in given}


def pose_and_torques(
    robot: RobotDescription,
    q: Sequence[float],
    qd: Sequence[float],
    qdd: Sequence[float],
    symbols: dict[str, float] | None = None,
) -> tuple[Any, Any]:
    """(4×4 pose of the tool in the world, torques)"""
    chain = merge_fixed(bind(robot, FLOATS, symbol_values(robot) if symbols is None else symbols))
    at = reduce(lambda a, b: a @ b, chain.elementary(list(q)), chain.base) @ chain.tool
    tau = newton_euler(chain, list(q), list(qd), list(qdd)).tau
    return np.array(at.rows(), dtype=float), np.array(tau, dtype=float)


def assert_same_arm(one: RobotDescription, other: RobotDescription, seed: int = 0, tolerance: float = 1e-10) -> None:
    """Same pose and torques at a random state; the symbols of `one` serve both."""
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.uniform(-1.5, 1.5, (3, one.dof)).tolist()
    symbols = symbol_values(one)
    assert other.dof == one.dof
    first, second = (pose_and_torques(arm, q, qd, qdd, symbols) for arm in (one, other))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_allclose(b, a, rtol=0, atol=tolerance * max(1.0, np.abs(a).max()))
