"""Derivatives of the dynamics, through the public surface, against Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from tests.peers.test_compiled_pinocchio import close
from tests.pinocchio_oracle import Oracle
from tests.random_robots import random_robot, random_state

SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("panda", "ur5", 0, 2, 4, 5, 6)]


@pytest.mark.parametrize("name", ["puma560", 1, 3, *SLOW])
def test_derivatives(name: str | int) -> None:
    robot = mp.load(name) if isinstance(name, str) else mp.Robot.of(random_robot(name))
    robot = robot.without("friction")
    q, qd, qdd, _ = (np.array(part) for part in random_state(robot, 3))
    arm, oracle = mp.Arm(robot), Oracle(merge_fixed(bind(robot, FLOATS, {})))
    inverse = oracle.inverse_dynamics_derivatives(q, qd, qdd)
    for mine, theirs in zip(arm.inverse_dynamics_derivatives(q, qd, qdd), inverse):
        close(mine, theirs)
    tau = arm.inverse_dynamics(q, qd, qdd)
    forward = oracle.forward_dynamics_derivatives(q, qd, tau)
    for mine, theirs in zip(arm.forward_dynamics_derivatives(q, qd, tau), forward):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-8 * max(1.0, float(np.abs(theirs).max())))
