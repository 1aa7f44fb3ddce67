"""A robot in flight: energy and angular momentum stay, the centre of mass falls, emitted code is the same step."""

from __future__ import annotations

import numpy as np
import pytest

import manipula as mp
from manipula.simulation.states import BaseState
from tests.floating_robots import near, run
from tests.laws.test_floating import FOLLOWER

LEG = FOLLOWER.format(coordinate="")


@pytest.fixture(scope="module")
def flight() -> mp.System:
    return mp.closed_loop(mp.Robot.from_text(LEG), None, step=1e-3)


def begin(flight: mp.System, seed: int) -> BaseState:
    rng = np.random.default_rng(seed)
    turned = rng.normal(size=4)
    state = {"p0": rng.normal(size=3), "quaternion": turned / np.linalg.norm(turned), "v0": rng.normal(size=3)}
    state |= {"w0": rng.normal(size=3), "q": rng.normal(size=2), "qd": rng.normal(size=2)}
    return BaseState(*flight.start(**state))


@pytest.mark.parametrize("seed", range(4))
def test_energy_and_angular_momentum_stay(flight: mp.System, seed: int) -> None:
    robot, start = mp.Robot.from_text(LEG), begin(flight, seed)
    end = BaseState(*flight.run(start, 1000, np.zeros(2), every=0).state)
    (energy, h), (later, h_later) = (_kept(robot, state) for state in (start, end))
    near(later, energy, 1e-9)
    near(h_later[3:], h[3:], 1e-11)
    mass = 5.5
    near(h_later[:3] - h[:3], [0, 0, -9.81 * mass * 1.0], 1e-10)
    near(np.linalg.norm(end.quaternion), 1.0, 1e-15)


def _kept(robot: mp.Robot, state: BaseState) -> tuple[float, np.ndarray]:  # type: ignore[type-arg]
    given = {**state._asdict(), "T0": state.T0.ravel(), "R0": state.R0.ravel()}
    energy = run(robot, "energy", given)
    h = run(robot, "centroidal_momentum", given)["h"]
    return float(energy["kinetic"] + energy["potential"]), np.r_[state.R0 @ h[:3], state.R0 @ h[3:]]


def test_a_smaller_step_errs_by_its_fourth_power() -> None:
    robot = mp.Robot.from_text(LEG)
    coarse, fine, finest = (mp.closed_loop(robot, None, step=h) for h in (0.04, 0.02, 0.0025))
    start = begin(coarse, 7)
    ends = [x.run(start, steps, np.zeros(2), every=0).state for x, steps in ((coarse, 5), (fine, 10), (finest, 80))]
    errors = [max(np.abs(a - b).max() for a, b in zip(end, ends[2])) for end in ends[:2]]
    assert 10 < errors[0] / errors[1] < 24


def test_torques_between_links_turn_nothing_as_a_whole(flight: mp.System) -> None:
    robot, start = mp.Robot.from_text(LEG), begin(flight, 3)
    end = BaseState(*flight.run(start, 200, [2.0, -1.0], every=0).state)
    near(_kept(robot, end)[1][3:], _kept(robot, start)[1][3:], 1e-10)
    assert abs(_kept(robot, end)[0] - _kept(robot, start)[0]) > 1e-3


def test_what_does_not_fly_is_refused() -> None:
    robot = mp.Robot.from_text(LEG)
    with pytest.raises(mp.ManipulaError, match="integrator of a base that moves"):
        mp.closed_loop(robot, None, method="gauss4")
    with pytest.raises(mp.InputError, match="a plant is made for a base that stands still"):
        mp.simulate(robot, until=0.1)
    with pytest.raises(mp.InputError, match="a wrench on the tool of a simulation is made for"):
        mp.closed_loop(robot, None, wrench=True)
    with pytest.raises(mp.InputError, match="a plant is made for a base that stands still"):
        mp.closed_loop(mp.Robot.from_text(LEG.replace('"free"', '"given"')), None)
