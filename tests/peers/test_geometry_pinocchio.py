"""Frames and Jacobians against Pinocchio, on random arms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from manipula.mechanics.models.kinematics.jacobian import jacobian, jacobian_dot, jacobian_tool
from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from tests.pinocchio_oracle import Oracle
from tests.random_robots import random_robot, random_state

CLOSE: Any = {"rtol": 1e-10, "atol": 1e-12}
MANY = [*range(40), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(40, 300))]


@pytest.mark.parametrize("seed", MANY)
def test_geometry(seed: int) -> None:
    robot = random_robot(seed)
    chain = merge_fixed(bind(robot, FLOATS, {}))
    q, qd, *_ = random_state(robot, seed)
    oracle = Oracle(chain)
    same([at.rows() for at in frames(chain, q)], oracle.frames(q))
    same(jacobian(chain, q), oracle.jacobian(q))
    same(jacobian_tool(chain, q), oracle.jacobian(q, "tool"))
    same(jacobian_dot(chain, q, qd), oracle.jacobian_dot(q, qd))


def same(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(np.array(ours, dtype=float), theirs, **CLOSE)
