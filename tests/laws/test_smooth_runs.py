"""Runs in which nothing jumps: few steps of order 8 and the event-driven reference agree to many digits, two codes that
share neither a step nor a function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.simulation.event_driven import integrate
from tests.random_robots import random_robot, random_state

pytestmark = pytest.mark.usefixtures("without_search")

ARM = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
BARE = mp.Plant(ARM, effort=None, stops=False)


def random_case(seed: int, kinds: str) -> tuple[mp.Plant, Any, Any, float]:
    """An arm with viscous friction, its torques, its start and its time."""
    rng = np.random.default_rng(seed)
    arm = mp.Robot.of(random_robot(seed, joints=kinds, actuators=False)).without("payload")
    arm = arm.with_friction({name: {"viscous": float(rng.uniform(0, 1))} for name in arm.joint_names})
    q, qd, *_ = random_state(arm, seed)
    plant = mp.Plant(arm, effort=None, stops=False)
    return plant, rng.normal(size=arm.dof), (np.array(q), np.array(qd)), rng.uniform(0.1, 1)


SLOW = [
    pytest.param(seed, kinds, marks=pytest.mark.slow)
    for seed, kinds in enumerate(["RRR", "PR", "RPH", "FRR", "HH", "RRRR", "PRF", "RR", "RPRP", "HRP", "PP"])
]


@pytest.mark.turn
@pytest.mark.parametrize("seed, kinds", [(70, "R"), *SLOW])
def test_order_8_is_where_the_reference_is(seed: int, kinds: str) -> None:
    plant, tau, start, until = random_case(seed, kinds)
    true = integrate(plant, lambda t, q, qd: tau, start, until, rtol=2.3e-14, atol=1e-15, at=np.linspace(0, until, 41))
    for method, step, near in (("rk8", until / 400, 1e-10), ("dop853", until / 40, 1e-10)):
        run = mp.simulate(
            plant, tau, start=start, until=until, step=step, every=round(until / step) // 40, method=method
        )
        assert np.abs(run.q - true.q).max() < near, method
        assert np.abs(run.qdd - true.qdd).max() < 1e3 * near * max(1.0, np.abs(true.qdd).max()), method


def test_an_arm_that_magnifies_errors_keeps_its_digits() -> None:
    """From near upright, where a step's error grows a thousandfold."""
    until = 3.0
    true = integrate(BARE, None, [2.5, 1.0], until, rtol=2.3e-14, atol=1e-15, at=[until])
    for method, step in (("rk8", 5e-3), ("dop853", 0.03)):
        run = mp.simulate(BARE, start=[2.5, 1.0], until=until, step=step, method=method)
        assert np.abs(run.q[-1] - true.q[-1]).max() < 1e-7, method


@pytest.mark.turn
@pytest.mark.parametrize("law", ["computed_torque", pytest.param("slotine_li", marks=pytest.mark.slow)])
def test_a_law_in_continuous_time_with_a_load_it_does_not_know(law: str) -> None:
    gains = {"computed_torque": {"kp": 120, "kd": 15}, "slotine_li": {"lam": 8, "kd": 20, "gamma": 0.5}}[law]
    made = mp.controller(ARM, law, sample=None, **gains)
    ref = mp.trajectory.quintic([0, 0], [1, -0.5], 0.1)
    held = mp.Plant(ARM.with_payload(1.0), effort=None, stops=False)
    asked: dict[str, Any] = {"start": [0.1, 0.05], "until": 0.12, "step": 1e-3}
    asked["events"] = [mp.Event(0.08, payload={"mass": 0.3})]
    found, true = (mp.simulate(held, made, ref, method=method, **asked) for method in ("rk8", "dop853"))
    assert np.abs(found.q - true.q).max() < 1e-9 and np.abs(found.tau - true.tau).max() < 1e-5
    assert found.state.keys() == true.state.keys()
    for name, values in found.state.items():
        assert np.abs(values - true.state[name]).max() < 1e-6 * max(1.0, np.abs(values).max())


@pytest.mark.turn
def test_rows_of_a_batch_are_arms_alone() -> None:
    starts = np.random.default_rng(3).uniform(-1, 1, (2, 2, 2))
    symbolic = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, g=9.81)
    plant, masses = mp.Plant(symbolic, effort=None, stops=False), np.array([[1.0, 2.0], [0.5, 4.0]])
    asked: dict[str, Any] = {"until": 0.1, "method": "rk8", "every": 10}
    batch = mp.simulate(plant, start=starts, parameters={"m2": masses}, threads=2, **asked)
    assert batch.q.shape == (2, 2, 11, 2)
    for row in np.ndindex(2, 2):
        alone = mp.simulate(plant, start=starts[row], parameters={"m2": masses[row]}, **asked)
        assert np.array_equal(alone.q, batch.q[row]) and np.array_equal(alone.tau, batch.tau[row])
