"""The PUC-Rio arm: its dynamics from Jacobians, as the dissertation computes them, against Newton and Euler."""

from __future__ import annotations

import random
from functools import cache

import pytest

from manipula.mechanics.models.dynamics import torque
from manipula.mechanics.models.lagrange import jacobian_dynamics
from manipula.mechanics.robot import library
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS

STATES = [[[random.Random(seed).uniform(-2, 2) for _ in range(6)] for seed in (k, k + 100)] for k in range(5)]


@cache
def arm() -> Tree:
    return merge_fixed(bind(robot_from_toml(library.text_of("pucrio"), "pucrio.toml"), FLOATS, {}))


@pytest.mark.parametrize(("q", "qd"), STATES)
def test_inertia_matrix_is_that_of_newton_euler(q: list[float], qd: list[float]) -> None:
    """Column j of M is the torque of accelerating joint j alone, less that of holding still."""
    M, hold = jacobian_dynamics.inertia_matrix_jacobian(arm(), q), torque.gravity(arm(), q)
    for j in range(6):
        unit = [float(i == j) for i in range(6)]
        moving = torque.inverse_dynamics(arm(), q, [0.0] * 6, unit)
        assert [row[j] for row in M] == pytest.approx([a - b for a, b in zip(moving, hold)], rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(("q", "qd"), STATES)
def test_velocity_torques(q: list[float], qd: list[float]) -> None:
    """V by Christoffel symbols (6.75–6.77): exact to rounding, by finite differences of M to 1e-5."""
    exact = torque.coriolis(arm(), q, qd)
    assert jacobian_dynamics.coriolis_jacobian(arm(), q, qd) == pytest.approx(exact, rel=1e-10, abs=1e-10)
    near = jacobian_dynamics.coriolis_finite_difference(arm(), q, qd, 1e-4)
    assert near == pytest.approx(exact, rel=1e-5, abs=1e-5)
    assert near != exact  # it is an approximation


@pytest.mark.parametrize(("q", "qd"), STATES)
def test_gravity(q: list[float], qd: list[float]) -> None:
    """G from the Jacobians of the centres of mass (6.54)."""
    assert jacobian_dynamics.gravity_jacobian(arm(), q) == pytest.approx(torque.gravity(arm(), q), rel=1e-10, abs=1e-10)
