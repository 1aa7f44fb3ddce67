"""The same integrator around Pinocchio's articulated bodies: the same motion to the twelfth digit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.integrate.runge_kutta import add, rk4
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from tests.pinocchio_oracle import Oracle, pin
from tests.random_robots import random_robot


@pytest.mark.parametrize(
    "seed, kinds",
    [(3, "RPR"), (4, "P"), *(pytest.param(*x, marks=pytest.mark.slow) for x in ((5, "RRPR"), (8, "RRRRRRR")))],
)
def test_an_arm_moves_as_pinocchio_accelerates_it(seed: int, kinds: str) -> None:
    """Torques held, 50 steps of 1 ms; the arm has turned by more than it could be off."""
    robot = mp.Robot.of(random_robot(seed, joints=kinds)).without("friction")
    oracle, n, rng = Oracle(merge_fixed(bind(robot, FLOATS, {}))), robot.dof, np.random.default_rng(seed)
    q, qd, tau = rng.uniform(-1, 1, n), rng.uniform(-2, 2, n), rng.uniform(-5, 5, n)

    def rate(x: Any) -> Any:
        a = pin.aba(oracle.model, oracle.data, np.array(x["q"]), np.array(x["qd"]), tau)
        return {"q": x["qd"], "qd": a.tolist()}

    x: Any = {"q": q.tolist(), "qd": qd.tolist()}
    for _ in range(50):
        x = rk4(rate, x, 1e-3, add)
    run = mp.simulate(mp.Plant(robot, stops=False, effort=None), tau, start=(q, qd), until=0.05, step=1e-3)
    assert np.abs(run.q[-1] - q).max() > 1e-3
    np.testing.assert_allclose(run.q[-1], x["q"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.qd[-1], x["qd"], rtol=1e-11, atol=1e-11)
