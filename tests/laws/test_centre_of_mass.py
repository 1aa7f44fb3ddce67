"""The weight pulls at the centre of mass: gravity = −m Jᵀg and potential = −m g·c, for arms, trees and followers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.dynamics import energy, torque
from manipula.mechanics.models.dynamics.energy import centre_of_mass, centre_of_mass_jacobian, mass
from manipula.mechanics.robot.description import RobotDescription
from tests.laws.test_coupled import free_and_coupled, in_floats
from tests.random_robots import random_robot, random_state, random_tree


def drawn(seed: int) -> RobotDescription:
    kind: dict[str, Any] = {"screws": seed % 3 == 0}
    return random_tree(seed, **kind) if seed % 2 else random_robot(seed, **kind)


@pytest.mark.parametrize("seed", range(30))
def test_the_weight_pulls_at_the_centre_of_mass(seed: int) -> None:
    robot = drawn(seed)
    tree, q = in_floats(robot), random_state(robot, seed)[0]
    m, g = float(mass(tree)), np.array(tree.gravity, dtype=float)
    J = np.array(centre_of_mass_jacobian(tree, q), dtype=float)
    weight = np.array(torque.gravity(tree, q), dtype=float)
    assert J.shape == (3, tree.dof)
    np.testing.assert_allclose(-m * J.T @ g, weight, atol=1e-11 * max(1, np.max(np.abs(weight))))
    potential = float(energy.potential_energy(tree, q))
    np.testing.assert_allclose(-m * g @ np.array(centre_of_mass(tree, q)), potential, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_the_models_are_right_where_joints_follow(seed: int) -> None:
    free, coupled, C, c = free_and_coupled(seed)
    tree, x = in_floats(free), np.linspace(-0.5, 0.9, coupled.dof)
    q, arm = (C @ x + c).tolist(), mp.Arm(mp.Robot.of(coupled), optimise="none")
    np.testing.assert_allclose(arm.centre_of_mass(x), centre_of_mass(tree, q), atol=1e-12)
    J = np.array(centre_of_mass_jacobian(tree, q), dtype=float)
    np.testing.assert_allclose(arm.centre_of_mass_jacobian(x), J @ C, atol=1e-12)


def test_a_load_and_a_base_that_stands_count() -> None:
    robot = mp.load("planar2r").with_parameters(l1=1, l2=1, m1=1, m2=1, g=10).with_payload(2)
    np.testing.assert_allclose(mp.Arm(robot).centre_of_mass([0, 0]), [(1 + 2 + 4) / 4, 0, 0])
    held = robot.locked(q1=0)
    np.testing.assert_allclose(mp.Arm(held).centre_of_mass([0]), [(1 + 2 + 4) / 4, 0, 0])  # link 1 stands still


def test_without_mass_there_is_none() -> None:
    row = {"d": 0, "a": 1, "alpha": 0, "mass": 0, "com": [0, 0, 0], "inertia": dict.fromkeys(("xx", "yy", "zz"), 0)}
    robot = mp.Robot.from_dh([row, row]).with_motor_inertia(joint1=1, joint2=1)
    with pytest.raises(mp.InputError, match="it wants a link with a mass"):
        mp.generate(robot, "centre_of_mass")
