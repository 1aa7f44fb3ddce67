"""The compiled models, through the public surface, against Pinocchio on random arms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from tests.pinocchio_oracle import Oracle
from tests.random_robots import random_robot, random_state


def close(mine: Any, theirs: Any) -> None:
    scale = max(1.0, float(np.max(np.abs(theirs))))
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-10 * scale)


LARGE = [pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 1, 3, 7, 8, 9, 11)]  # four seconds each and more


@pytest.mark.parametrize("seed", [2, 4, 5, 6, 10, *LARGE])
def test_twelve_random_arms(seed: int) -> None:
    robot = mp.Robot.of(random_robot(seed)).without("friction")
    q, qd, qdd, wrench = (np.array(part) for part in random_state(robot, seed))
    arm, oracle = mp.Arm(robot), Oracle(merge_fixed(bind(robot, FLOATS, {})))
    close(arm.frames(q), oracle.frames(q))
    close(arm.jacobian(q), oracle.jacobian(q))
    close(arm.jacobian(q, frame="tool"), oracle.jacobian(q, "tool"))
    close(arm.inertia_matrix(q), oracle.inertia_matrix(q))
    close(arm.gravity(q), oracle.gravity(q))
    close(arm.coriolis(q, qd), oracle.coriolis(q, qd))
    close(arm.inverse_dynamics(q, qd, qdd), oracle.inverse_dynamics(q, qd, qdd))
    close(arm.inverse_dynamics(q, qd, qdd, wrench), oracle.inverse_dynamics(q, qd, qdd, wrench))
    close(arm.joint_wrenches(q, qd, qdd, wrench), oracle.joint_wrenches(q, qd, qdd, wrench))
    tau = arm.inverse_dynamics(q, qd, qdd, wrench)
    close(arm.forward_dynamics(q, qd, tau, wrench), qdd)
