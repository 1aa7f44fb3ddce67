"""Joints that meet their stops: they land on them, what an impact takes is booked, what follows is as exact as ever."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import manipula as mp

HEAD = 'format = 1\nname = "x"\nconvention = "standard"\nangle = "rad"\ninertia_default = 0\n'
DROP = """gravity = [0, 0, -9.81]
[[joint]]
name = "z"
type = "prismatic"
theta = 0
a = 0
alpha = 0
mass = 2
com = [0, 0, 0]
limits = [0, 1]
"""


def drop() -> mp.Plant:
    return mp.Plant(mp.Robot.from_text(HEAD + DROP), effort=None)


def hanging(*limits: tuple[float, float] | None, motor: float = 0.02, **options: Any) -> mp.Plant:
    """A chain of turning joints in a vertical plane, each with limits or without."""
    rows = [
        f'[[joint]]\nname = "j{i}"\ntype = "revolute"\nd = 0\na = 0.4\nalpha = 0\nmass = {2 - 0.5 * i}\n'
        f"com = [-0.2, 0, 0]\ninertia = {{ zz = 0.03 }}\nmotor_inertia = {motor}\n"
        + (f"limits = [{ends[0]}, {ends[1]}]\n" if ends else "")
        for i, ends in enumerate(limits)
    ]
    return mp.Plant(mp.Robot.from_text(f"{HEAD}gravity = [0, -9.81, 0]\n{''.join(rows)}"), effort=None, **options)


def run_of(plant: mp.Plant, **asked: Any) -> Any:
    """Without a word of doubt."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", mp.ManipulaWarning)
        return mp.simulate(plant, **asked)


@pytest.mark.parametrize(
    ("method", "step"),
    [("rk4", 1e-3), ("rk4", 1e-4), ("gauss4", 5e-4), pytest.param("rk8", 1e-3, marks=pytest.mark.slow)],
)
def test_a_fall_ends_on_the_stop_whatever_the_step_and_the_height(method: str, step: float) -> None:
    heights = np.random.default_rng(3).uniform(0.05, 0.95, 40)
    run = run_of(drop(), start=heights[:, None], until=0.5, step=step, method=method)
    assert run.balance.max() < 1e-11
    assert (run.q >= 0).all() and (run.q[:, -1] == 0).all() and (run.qd[:, -1] == 0).all()
    falls = np.sqrt(2 * heights / 9.81)
    rests = {mode.row: mode for mode in run.modes if mode.until > mode.since}
    assert len(rests) == len(heights)
    for row, fall in enumerate(falls):
        assert 0 <= rests[row,].since - fall < step * (1 + 1e-9) and rests[row,].until == run.t[-1]
    still = (run.qd == 0) & (run.t[:, None] > 0)
    assert (run.q[still] == 0).all()  # none is halted in the air


def test_a_velocity_into_the_stop_it_starts_on_is_booked_too() -> None:
    for method in ("rk4", "dop853"):
        run = run_of(drop(), start=([0.0], [-1.5]), until=0.05, method=method)
        assert run.balance < 1e-12 and (run.q == 0).all() and (run.qd[1:] == 0).all()


@pytest.mark.turn
@pytest.mark.parametrize(
    ("method", "step", "most"),
    [("rk4", 1e-3, 2e-5), ("rk4", 2.5e-4, 2e-6), pytest.param("gauss4", 1e-3, 2e-5, marks=pytest.mark.slow)],
)
def test_arms_of_two_joints_land_rest_and_leave(method: str, step: float, most: float) -> None:
    """From anywhere: within the stops, on them where a joint rests, and the energy accounts for itself."""
    limits = np.array([[-1.8, 1.8], [-0.5, 0.5]])
    plant = hanging(*map(tuple, limits.tolist()))
    start = np.random.default_rng(7).uniform(limits[:, 0], limits[:, 1], (24, 2))
    run = run_of(plant, start=start, until=1.0, step=step, method=method)
    assert run.balance.max() < most
    assert (run.q >= limits[:, 0]).all() and (run.q <= limits[:, 1]).all()
    on = (run.q == limits[:, 0]) | (run.q == limits[:, 1])
    assert on[(run.qd == 0) & (run.t[:, None] > 0)].all()
    met = on[:, 1:] & ~on[:, :-1]
    assert met.any(axis=(0, 1)).all() and (on[:, :-1] & ~on[:, 1:]).any()  # each joint meets one, some leave it
    # the loss of impacts is no excuse for a gain: energy falls, from rest on
    arm = mp.Arm(plant.robot)
    energy = np.sum(arm.energy(run.q, run.qd), axis=0)
    assert np.diff(energy, axis=-1).max() < 1e-4 * np.ptp(energy)


def test_rigid_and_elastic_arms_follow_the_event_driven_run() -> None:
    for options in ({}, {"elastic": 800.0}):
        plant = hanging(None, (-0.5, 0.5), **options)
        true = run_of(plant, start=[0.5, -0.4], until=0.45, method="dop853")
        far = []
        for step in (1e-3, 2.5e-4):
            run = run_of(plant, start=[0.5, -0.4], until=0.45, step=step)
            assert run.balance < 1e-4
            far.append(np.abs(run.q[-1] - true.q[-1]).max())
        assert far[0] < 5e-3 and far[1] < max(0.5 * far[0], 1e-4)


def test_a_joint_that_nothing_pushes_off_its_stop_does_not_hold_the_event_driven_run() -> None:
    """At the moment in which what pushes it off is exactly nothing, it had neither rested nor moved."""
    plant = hanging((-1.8, 1.8), (-0.5, 0.5), motor=0.0)
    run = run_of(plant, start=[0.5, -0.4], until=1.0, method="dop853")
    assert run.t[-1] == 1.0 and run.balance < 1e-9


def test_without_stops_any_start_will_do_also_the_end_of_a_run() -> None:
    plant = mp.Plant(mp.Robot.from_text(HEAD + DROP), effort=None, stops=False)
    first = run_of(plant, start=[0.5], until=0.5)
    assert first.q[-1, 0] == pytest.approx(0.5 - 9.81 / 8)
    for method in ("rk4", "dop853"):
        on = run_of(plant, start=(first.q[-1], first.qd[-1]), until=0.1, method=method)
        assert on.q[-1, 0] == pytest.approx(0.5 - 9.81 * 0.36 / 2, abs=1e-9)
    with pytest.raises(mp.InputError, match="outside its limits"):
        mp.simulate(drop(), start=first.q[-1], until=0.1)


def test_a_coarse_record_of_an_accurate_run_is_no_reason_to_doubt_it() -> None:
    """Work and heat are integrated with the positions, not read from the samples."""
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81).with_friction(theta1={"viscous": 2.0})
    plant = mp.Plant(arm, effort=None)
    coarse = run_of(plant, start=[0.3, 0.2], until=1.0, step=0.1, method="dop853")
    fine = run_of(plant, start=[0.3, 0.2], until=1.0, step=1e-3, method="dop853")
    np.testing.assert_allclose(coarse.q, fine.q[::100], rtol=0, atol=1e-8)
    assert fine.balance < 1e-6
