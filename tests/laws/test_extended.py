"""Where an arm is after a second, against an integration over 80-bit floats of the plain recursion.

The default (rk4, 1 ms) to 1e-8 rad, the reference (dop853) and few steps of order 8 to 1e-12: of arms that swing as
arms do. One whose free links whirl loses digits by itself, in any arithmetic.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.simulation.event_driven import integrate
from tests.extended import WIDE, falling
from tests.random_robots import random_robot

pytestmark = pytest.mark.skipif(not WIDE, reason="long double is a double here")
PUMA = mp.load("puma560").without("friction")


def random_arm(seed: int, kinds: str) -> mp.Robot:
    """With motors: their inertia keeps the last links from whirling."""
    robot = mp.Robot.of(random_robot(seed, joints=kinds, actuators=False)).without("payload")
    return robot.with_motor_inertia(dict.fromkeys(robot.joint_names, 0.3))


def ended(robot: mp.Robot, q: Any, method: str, step: float) -> Any:
    plant = mp.Plant(robot, friction="none", effort=None, stops=False)
    if method == "dop853":
        found = integrate(plant, None, q, 1.0, rtol=2.3e-14, atol=1e-15, at=[1.0])
        return np.concatenate([found.q[0], found.qd[0]])
    end = mp.simulate(plant, start=q, until=1.0, step=step, method=method)
    return np.concatenate([end.q[-1], end.qd[-1]])


@pytest.mark.turn
@pytest.mark.parametrize(
    "robot, steps",
    [
        (random_arm(51, "RR"), 8),
        pytest.param(random_arm(52, "RPR"), 12, marks=pytest.mark.slow),
        pytest.param(random_arm(53, "RRRR"), 28, marks=pytest.mark.slow),
        pytest.param(PUMA, 20, marks=pytest.mark.slow),
    ],
)
def test_an_arm_is_where_80_bits_say(robot: mp.Robot, steps: int) -> None:
    q = np.linspace(0.2, 0.7, robot.dof)
    rough, true = falling(robot, q, 1.0, steps), falling(robot, q, 1.0, steps + steps // 2)
    assert np.abs(rough - true).max() < 1e-12  # so that the truth itself is known
    size = max(1.0, float(np.abs(true).max()))
    for method, step, close in (("rk4", 1e-3, 1e-8), ("rk8", 5e-3, 1e-12), ("dop853", 0.0, 1e-12)):
        far = np.abs(ended(robot, q, method, step) - true).max()
        assert far < close * size, (method, far)
