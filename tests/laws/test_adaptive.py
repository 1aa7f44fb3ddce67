"""Adaptive laws and what they are made of: dynamics in two velocities, its regressor, its products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.random_robots import random_robot, random_tree, with_laws

# one joint, slides, screws, a fixed first joint
ARMS = [(1, "R"), (2, "P"), (3, "FRP"), (4, "HR"), (5, "PRR")]
LARGER = [(6, "RRPR"), (7, "RRRRR"), (8, "RPHRR")]


def arm_of(seed: int, kinds: str, *, actuators: bool = True) -> mp.Robot:
    return mp.Robot.of(random_robot(seed, joints=kinds, actuators=actuators))


def valued(robot: mp.Robot, rng: np.random.Generator) -> mp.Robot:
    """All its letters drawn."""
    free = [name for name, value in robot.parameters.items() if value is None]
    return robot.with_parameters(**{name: float(rng.uniform(0.3, 0.9)) for name in free})


def theta_of(robot: mp.Robot) -> Any:
    return np.array([float(x) for x in robot.base_parameters.values() if x is not None])


def motion(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """q, q̇, q̇_r, q̈_r, slip"""
    return tuple(rng.uniform(-1.5, 1.5, n) for _ in range(5))


def expected(robot: mp.Robot, q: Any, qd: Any, qd_r: Any, qdd_r: Any, slip: Any) -> Any:
    """M q̈_r + C(q, q̇) q̇_r + g, and the friction of q̇_r with tanh(slip) for its sign, read from the description."""
    arm = mp.Arm(robot)
    tau = arm.inertia_matrix(q) @ qdd_r + arm.coriolis_matrix(q, qd) @ qd_r + arm.gravity(q)
    values = robot.standard_parameters
    letters = [{x: values.get(f"{x}{i + 1}", 0.0) or 0.0 for x in ("fv", "fc", "fo")} for i in range(robot.dof)]
    return tau + [f["fv"] * v + f["fc"] * np.tanh(x) + f["fo"] for f, v, x in zip(letters, qd_r, slip)]


@pytest.mark.parametrize("seed, kinds", [*ARMS, *(pytest.param(*arm, marks=pytest.mark.slow) for arm in LARGER)])
def test_the_regressor_in_two_velocities_is_the_arm(seed: int, kinds: str) -> None:
    rng = np.random.default_rng(seed)
    robot = valued(arm_of(seed, kinds), rng)
    x = motion(rng, robot.dof)
    true, theta = expected(robot, *x), theta_of(robot)
    scale = np.abs(true).max() + 1
    Y = mp.generate(robot, "two_velocity_regressor")
    np.testing.assert_allclose(Y.compile()(*x) @ theta, true, atol=1e-11 * scale, rtol=0)
    assert Y.columns == tuple(robot.base_parameters)
    np.testing.assert_allclose(
        mp.generate(robot, "two_velocity_dynamics").compile()(*x), true, atol=1e-11 * scale, rtol=0
    )
    weights = rng.normal(size=robot.dof)
    found = mp.generate(robot, "two_velocity_products", method="recursion").compile()(*x, theta, weights)
    np.testing.assert_allclose(found.tau, true, atol=1e-11 * scale, rtol=0)
    np.testing.assert_allclose(found.slope, Y.compile()(*x).T @ weights, atol=1e-11 * scale, rtol=0)


def test_both_velocities_alike_it_is_the_regressor_of_one() -> None:
    robot = arm_of(11, "RPR", actuators=False)
    rng = np.random.default_rng(11)
    q, qd, _, qdd, slip = motion(rng, 3)
    free = {name: float(rng.uniform(0.3, 0.9)) for name, value in robot.parameters.items() if value is None} or None
    two, one = (mp.generate(robot, model).compile() for model in ("two_velocity_regressor", "base_regressor"))
    np.testing.assert_allclose(two(q, qd, qd, qdd, slip, p=free), one(q, qd, qdd, p=free), atol=1e-12)


def test_further_friction_is_that_of_the_velocity_asked_for() -> None:
    """Stribeck and asymmetric friction: with slip far from 0 the smooth sign is the sign of q̇_r."""
    rng = np.random.default_rng(12)
    robot = valued(mp.Robot.of(with_laws(random_robot(12, joints="RRP"), 12)), rng)
    q, _, qd_r, qdd_r, _ = motion(rng, robot.dof)
    x = (q, qd_r, qd_r, qdd_r, 40 * np.sign(qd_r))
    true = mp.Arm(robot).inverse_dynamics(q, qd_r, qdd_r)
    for model in ("two_velocity_dynamics", "two_velocity_products"):
        given = (*x, theta_of(robot), np.zeros(robot.dof)) if model.endswith("products") else x
        found = mp.generate(robot, model).compile()(*given)
        tau = found.tau if model.endswith("products") else found
        np.testing.assert_allclose(tau, true, atol=1e-11 * np.abs(true).max())


def test_load_dependent_friction_has_no_columns() -> None:
    robot = mp.Robot.of(with_laws(random_robot(13, joints="RR"), 13, ["load"]))
    with pytest.raises(mp.InputError, match="depends on its load"):
        mp.generate(robot, "two_velocity_regressor")
    assert mp.generate(robot, "two_velocity_dynamics").cost.total > 0


@pytest.mark.parametrize("seed", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_a_tree_has_it_too(seed: int) -> None:
    """Each link is reached by the joints before it alone."""
    rng = np.random.default_rng(seed)
    robot = valued(mp.Robot.of(random_tree(seed, "RPR", actuators=False, surroundings=False)), rng)
    x, weights = motion(rng, robot.dof), rng.normal(size=robot.dof)
    true = expected(robot, *x)
    found = mp.generate(robot, "two_velocity_products").compile()(*x, theta_of(robot), weights)
    np.testing.assert_allclose(found.tau, true, atol=1e-11 * np.abs(true).max())
    np.testing.assert_allclose(found.slope @ theta_of(robot), true @ weights, atol=1e-11 * np.abs(true).max())


def test_cheaper_than_three_regressors() -> None:
    """The matrix costs about one of them; its products, by whichever way is shorter, less than three."""
    models = ("base_regressor", "two_velocity_regressor", "two_velocity_products")
    one, two, products = (mp.generate("stanford3", model).cost.total for model in models)
    assert two < 1.3 * one
    assert products < 2.5 * one
