"""The inertia the tool feels: Λ Λ⁻¹ = 1, a push on the tool, and a refusal where there is none."""

from __future__ import annotations

import numpy as np
import pytest

import manipula as mp
from tests.random_robots import random_robot, random_state
from tests.world_frame import World

pytestmark = pytest.mark.usefixtures("without_search")


def free_arm(seed: int, joints: str) -> mp.Robot:
    """A random arm whose tool moves in every direction: not all do, some axes lie on each other."""
    for tried in range(seed, 400, 4):
        robot = mp.Robot.of(random_robot(tried, joints=joints))
        J = World(robot).jacobian(np.array(random_state(robot, seed)[0]))
        if np.linalg.cond(J) < 1e3:
            return robot
    raise AssertionError("no such arm")


@pytest.mark.parametrize(("seed", "joints"), [(0, "RRRRRR"), (1, "RFRRPRR"), (2, "RRRRRRR"), (3, "PRRRRRP")])
def test_it_is_the_inverse_of_the_mobility(seed: int, joints: str) -> None:
    robot = free_arm(seed, joints)
    arm, world, q = mp.Arm(robot), World(robot), np.array(random_state(robot, seed)[0])
    mobility, inertia = arm.operational_mobility(q), arm.operational_inertia(q)
    np.testing.assert_allclose(inertia @ mobility, np.eye(6), atol=1e-14 * np.linalg.cond(mobility) + 1e-12)
    true = world.jacobian(q) @ np.linalg.solve(world.inertia_matrix(q), world.jacobian(q).T)
    np.testing.assert_allclose(mobility, true, atol=1e-9 * np.abs(true).max())


@pytest.mark.turn
@pytest.mark.drawn("joints")
@pytest.mark.parametrize("joints", [1, 3, "RPF", 6])
def test_a_push_on_the_tool(joints: int | str) -> None:
    """Forward dynamics with and without a wrench: J (q̈' − q̈) = Λ⁻¹ F."""
    robot = mp.Robot.of(random_robot(7, joints=joints))
    arm, (q, qd, tau, wrench) = mp.Arm(robot), map(np.array, random_state(robot, 7))
    pushed = arm.forward_dynamics(q, qd, tau, wrench_tool=wrench) - arm.forward_dynamics(q, qd, tau)
    want = arm.jacobian(q) @ pushed
    np.testing.assert_allclose(arm.operational_mobility(q) @ wrench, want, atol=1e-9 * max(1, np.abs(want).max()))


@pytest.mark.parametrize("name", ["planar2r", "scara"])
def test_a_tool_with_fewer_freedoms_has_none(name: str) -> None:
    with pytest.raises(mp.ManipulaError, match="six"):
        mp.generate(name, "operational_inertia")
