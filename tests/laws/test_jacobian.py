"""The Jacobian is the derivative of the pose, exactly: the models themselves over complex numbers, by complex steps."""

from __future__ import annotations

import cmath
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from manipula.mechanics.models.kinematics.jacobian import jacobian, jacobian_dot, jacobian_tool
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state

SEEDS = range(40)
STEP = 1e-30
CLOSE: Any = {"rtol": 1e-11, "atol": 1e-12}


class ComplexMaths:
    """What the geometry needs, over complex numbers."""

    def number(self, value: Fraction) -> complex:
        return complex(float(value))

    def degrees(self, value: Fraction) -> complex:
        return complex(FLOATS.degrees(value))

    def sin(self, x: complex) -> complex:
        return cmath.sin(x)

    def cos(self, x: complex) -> complex:
        return cmath.cos(x)


def chains(robot: RobotDescription) -> tuple[Tree, Tree]:
    """Over floats and over complex numbers."""
    over_complex: Any = ComplexMaths()
    return merge_fixed(bind(robot, FLOATS, {})), merge_fixed(bind(robot, over_complex, {}))


def array(rows: Any) -> Any:
    return np.array(rows, dtype=float)


def slope(function: Any, q: list[float], along: Any) -> Any:
    """d/ds function(q + s·along) at s = 0."""
    moved = [complex(x, STEP * rate) for x, rate in zip(q, along, strict=True)]
    return np.array(function(moved), dtype=complex).imag / STEP


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_is_the_derivative_of_the_pose(seed: int) -> None:
    robot = random_robot(seed)
    q = random_state(robot, seed)[0]
    real, over_complex = chains(robot)
    J, R = array(jacobian(real, q)), array(pose(real, q).R)
    assert J.shape == (6, robot.dof)
    for joint, direction in enumerate(np.eye(robot.dof)):
        dT = slope(lambda x: pose(over_complex, x).rows(), q, direction)
        W = dT[:3, :3] @ R.T  # [w]×
        np.testing.assert_allclose(W, -W.T, atol=1e-13)
        np.testing.assert_allclose(J[:, joint], [*dT[:3, 3], W[2, 1], W[0, 2], W[1, 0]], **CLOSE)


@pytest.mark.parametrize("seed", SEEDS)
def test_tool_axes(seed: int) -> None:
    robot = random_robot(seed)
    q = random_state(robot, seed)[0]
    real, _ = chains(robot)
    turned = np.kron(np.eye(2), array(pose(real, q).R).T)
    np.testing.assert_allclose(array(jacobian_tool(real, q)), turned @ array(jacobian(real, q)), **CLOSE)


@pytest.mark.parametrize("seed", SEEDS)
def test_time_derivative(seed: int) -> None:
    robot = random_robot(seed)
    q, qd, *_ = random_state(robot, seed)
    real, over_complex = chains(robot)
    expected = slope(lambda x: jacobian(over_complex, x), q, qd)
    np.testing.assert_allclose(array(jacobian_dot(real, q, qd)), expected, **CLOSE)


def test_sliding_joints_alone_never_turn_the_tool() -> None:
    robot = random_robot(5, joints="PPP")
    q, qd, *_ = random_state(robot, 5)
    real, _ = chains(robot)
    assert not array(jacobian(real, q))[3:].any()
    assert not array(jacobian_dot(real, q, qd)).any()
    assert np.linalg.norm(array(jacobian(real, q))[:3], axis=0) == pytest.approx(np.ones(3))
