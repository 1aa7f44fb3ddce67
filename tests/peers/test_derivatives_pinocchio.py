"""Derivatives of the dynamics and what goes with them, through the public surface, against Pinocchio."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import manipula as mp
from manipula.mechanics.models.linear.regressor import parameter_vector
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from manipula.mechanics.spatial.inertia import RigidBody
from tests.peers.test_compiled_pinocchio import close
from tests.pinocchio_oracle import Oracle
from tests.random_robots import random_robot, random_state

SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("panda", "ur5", 0, 2, 4, 5, 6)]


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["puma560", 1, 3, *SLOW])
def test_derivatives(name: str | int) -> None:
    robot = mp.load(name) if isinstance(name, str) else mp.Robot.of(random_robot(name))
    robot = robot.without("friction")
    q, qd, qdd, _ = (np.array(part) for part in random_state(robot, 3))
    arm, oracle = mp.Arm(robot, optimise="none"), Oracle(merge_fixed(bind(robot, FLOATS, {})))
    inverse = oracle.inverse_dynamics_derivatives(q, qd, qdd)
    for mine, theirs in zip(arm.inverse_dynamics_derivatives(q, qd, qdd), inverse):
        close(mine, theirs)
    tau = arm.inverse_dynamics(q, qd, qdd)
    forward = oracle.forward_dynamics_derivatives(q, qd, tau)
    for mine, theirs in zip(arm.forward_dynamics_derivatives(q, qd, tau), forward):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-8 * max(1.0, float(np.abs(theirs).max())))


@pytest.mark.turn
@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["puma560", 1, 3, *SLOW])
def test_products_with_the_derivatives(name: str | int) -> None:
    robot = (mp.load(name) if isinstance(name, str) else mp.Robot.of(random_robot(name))).without("friction")
    q, qd, qdd, _ = (np.array(part) for part in random_state(robot, 4))
    u, v, w, weights = np.random.default_rng(7).uniform(-1, 1, size=(4, robot.dof))
    arm, oracle = mp.Arm(robot, optimise="none"), Oracle(merge_fixed(bind(robot, FLOATS, {})))
    tau = arm.inverse_dynamics(q, qd, qdd)
    for kind, third in (("inverse", qdd), ("forward", tau)):
        dq, dqd, last = getattr(oracle, f"{kind}_dynamics_derivatives")(q, qd, third)
        along = getattr(arm, f"{kind}_dynamics_jvp")(q, qd, third, u, v, w)
        np.testing.assert_allclose(along, dq @ u + dqd @ v + last @ w, rtol=0, atol=1e-8 * _size(dq, dqd, last))
        for mine, theirs in zip(getattr(arm, f"{kind}_dynamics_vjp")(q, qd, third, weights), (dq, dqd, last)):
            np.testing.assert_allclose(mine, weights @ theirs, rtol=0, atol=1e-8 * _size(theirs))


@pytest.mark.turn
@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["puma560", 1, 3, *SLOW])
def test_what_else_both_have(name: str | int) -> None:
    """Coriolis matrix, Jacobian's rate, inverse of M, energies and the rows that give them, all compiled."""
    robot = (mp.load(name) if isinstance(name, str) else mp.Robot.of(random_robot(name))).without(
        "friction", "motor_inertia"
    )
    q, qd, _, _ = (np.array(part) for part in random_state(robot, 5))
    chain = merge_fixed(bind(robot, FLOATS, {}))
    arm, oracle = mp.Arm(robot, optimise="none"), Oracle(chain)
    close(arm.coriolis_matrix(q, qd), oracle.coriolis_matrix(q, qd))
    close(arm.jacobian_dot(q, qd), oracle.jacobian_dot(q, qd))
    inverse = np.array(pin.computeMinverse(oracle.model, oracle.data, q)).reshape(robot.dof, robot.dof)
    upper = np.triu(arm.inertia_matrix_inverse(q))  # Pinocchio leaves the lower triangle undefined
    np.testing.assert_allclose(upper, np.triu(inverse), rtol=0, atol=1e-8 * _size(inverse))
    pi = np.array(parameter_vector(chain), dtype=float)
    rows = arm.model("energy_regressor")(q, qd)
    still = Oracle(replace(chain, ground=RigidBody()))  # what stands still has no column
    for mine, row, theirs, moving in zip(arm.energy(q, qd), rows, oracle.energy(q, qd), still.energy(q, qd)):
        close(mine, theirs)
        close(row @ pi, moving)


def _size(*parts: Any) -> float:
    return max(1.0, *(float(np.abs(part).max()) for part in parts))
