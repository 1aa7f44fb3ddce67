"""A division takes as long as ten products: one a joint is all that forward dynamics needs."""

from __future__ import annotations

import pytest

import manipula as mp
from tests.random_robots import random_robot


@pytest.mark.drawn("name", few=4)
@pytest.mark.parametrize("name", ["planar2r", "puma560", "stanford", "ur5e", "scara"])
@pytest.mark.parametrize("model", ["forward_dynamics", "inertia_matrix_inverse"])
def test_library_arms(name: str, model: str) -> None:
    made = mp.generate(name, model)
    assert 1 <= made.cost.div <= mp.load(name).dof


@pytest.mark.parametrize("seed", range(6))
def test_random_arms(seed: int) -> None:
    robot = mp.Robot.of(random_robot(seed, joints=seed % 5 + 1))
    assert mp.generate(robot, "forward_dynamics").cost.div <= robot.dof
