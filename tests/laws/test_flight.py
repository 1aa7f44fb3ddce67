"""A robot in flight: energy and angular momentum stay, the centre of mass falls, emitted code is the same step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.simulation.states import BaseState
from tests.floating_robots import near, run
from tests.laws.test_floating import FOLLOWER

LEG = FOLLOWER.format(coordinate="")
START = {"p0": [0, 0, 1], "q": [0.3], "qd": [0.5], "v0": [0.2, 0, 0.1], "w0": [0.1, 2.0, 0.3]}
# one joint, so that functions are made in no time
FOOT = """
format = 1
name = "foot"
convention = "urdf"
angle = "rad"
inertia_default = 0
[base]
moving = "free"
mass = 4
com = [0.02, 0, 0.01]
inertia = { xx = 0.1, yy = 0.2, zz = 0.3 }
[[joint]]
name = "hip"
type = "revolute"
xyz = [0.1, 0.2, 0]
axis = [0, -1, 0]
mass = 1.5
com = [0, 0.1, -0.2]
inertia = { xx = 0.01, yy = 0.02, zz = 0.03 }
friction = { viscous = 0.1 }
[[frame]]
name = "foot"
on = "hip"
xyz = [0, 0, -0.4]
"""


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
    with pytest.raises(mp.InputError, match="a wrench on the tool of a simulation is made for"):
        mp.closed_loop(robot, None, wrench=True)
    with pytest.raises(mp.InputError, match="a plant is made for a base that stands still"):
        mp.closed_loop(mp.Robot.from_text(LEG.replace('"free"', '"given"')), None)
    with pytest.raises(mp.InputError, match="takes a law, ref"):
        mp.simulate(robot, until=0.1, wrench=np.zeros(6))
    with pytest.raises(mp.InputError, match="pd_gravity is made for a base that stands still"):
        mp.controller(robot, "pd_gravity", kp=1, kd=1, sample=1e-3)
    with pytest.raises(mp.InputError, match="hold= is for a base that moves freely"):
        mp.simulate(mp.load("puma560"), until=0.1, hold={"tool": "point"})


# runs


@pytest.fixture(scope="module")
def fall() -> Any:
    return mp.simulate(mp.Robot.from_text(FOOT), start=START, until=0.2)


def test_a_run_in_flight_keeps_what_physics_keeps(fall: Any) -> None:
    assert fall.balance < 1e-10 and fall.whole
    near(fall.momentum[:, 3:], np.broadcast_to(fall.momentum[0, 3:], (201, 3)), 1e-12)
    weight = fall.momentum[:, :3] - fall.momentum[0, :3]
    near(weight, np.outer(fall.t, [0, 0, -9.81 * 5.5]), 1e-11)
    # the same steps, one by one
    flight = mp.closed_loop(fall.robot, None)
    state = BaseState(*flight.run(flight.start(**START), 200, np.zeros(1), every=0).state)
    for name in BaseState._fields:
        near(getattr(fall.base, name)[-1], getattr(state, name), 1e-14)
    # q̈ is the rate of q̇
    near(np.gradient(fall.qd, fall.t, axis=0)[1:-1], fall.qdd[1:-1], 1e-4)


def test_base_states_have_columns_with_units_that_are_read_back(fall: Any, tmp_path: Path) -> None:
    head = fall.save(tmp_path / "run.csv").read_text().splitlines()[0]
    assert "state.p0.1 [m]" in head and "state.w0.3 [rad/s]" in head and "state.quaternion4 [1]" in head
    for name in ("run.csv", "run.npz"):
        log = mp.read_log(fall.save(tmp_path / name))
        assert set(log.state) == {"p0", "quaternion", "v0", "w0"}
        assert all(np.array_equal(log.state[x], fall.state[x]) for x in log.state)


def test_a_run_has_pictures(fall: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert fall.save_plot(tmp_path / "base.png", state="p0").stat().st_size > 1000
    assert "quaternion" in fall.report(tmp_path / "run.html").read_text()
    shown, frames = fall._picture(None)
    poses = frames(shown.q[[0, -1]])
    near(poses[:, 0, :3, 3], fall.state["p0"][[0, -1]])


def test_torques_of_a_function_are_those_of_an_array(fall: Any) -> None:
    robot, given = mp.Robot.from_text(FOOT), np.sin(np.arange(60)[:, None] * 0.1)
    one = mp.simulate(robot, lambda t, state: given[min(round(t * 1000), 59)], start=START, until=0.06)
    other = mp.simulate(robot, given, start=START, until=0.06, every=20)
    near(one.q[::20], other.q, 1e-14)
    by_arm = mp.simulate(robot, lambda t, q, qd: given[min(round(t * 1000), 59)], start=START, until=0.06)
    np.testing.assert_array_equal(by_arm.q, one.q)
    assert one.balance < 1e-6 and other.balance < 1e-6 and len(other.t) == 4


def test_rows_of_a_batch_are_those_alone() -> None:
    robot, w0 = mp.Robot.from_text(FOOT), np.array([[0.1, 0.2, 0.3], [1.0, 0.0, -1.0]])
    both = mp.simulate(robot, start={**START, "w0": w0}, until=0.02)
    alone = mp.simulate(robot, start={**START, "w0": w0[1]}, until=0.02)
    assert both.q.shape == (2, 21, 1) and both.momentum.shape == (2, 21, 6)
    np.testing.assert_array_equal(both.q[1], alone.q)


def test_a_foot_that_is_held_stays() -> None:
    robot, q = mp.Robot.from_text(FOOT), np.array([0.3])

    def law(t: float, state: BaseState) -> Any:
        return 20 * (q - state.q) - state.qd

    run = mp.simulate(robot, law, start={"p0": [1, 2, 3], "q": q}, until=0.2, hold={"foot": "point"})
    arm = mp.Arm(robot)
    feet = [arm.pose(run.q[k], frame="foot", base=run.base.T0[k]) for k in (0, -1)]
    near(feet[1][:3, 3], feet[0][:3, 3], 1e-9)
    assert run.forces.shape == (201, 3) and np.abs(run.state["drift"]).max() < 1e-9 and run.balance < 1e-7
    # what the ground pushes with changes the momentum, beside the weight
    rate, mean = np.diff(run.momentum[:, :3], axis=0) * 1000, (run.forces[1:] + run.forces[:-1]) / 2
    near(rate - [0, 0, -9.81 * 5.5], mean, 1e-3)
    with pytest.raises(mp.InputError, match="is held and moves at"):
        mp.simulate(robot, start=START, until=0.2, hold={"foot": "point"})


def test_a_law_without_models_follows_a_reference() -> None:
    robot = mp.Robot.from_text(FOOT)
    law = mp.controller(robot, "pid", kp=50, kd=5, ki=0, tracking=1, limit=100, filter=1e-3, sample=1e-3)
    run = mp.simulate(robot, law, mp.trajectory.quintic([0.3], [0.2], 0.1))
    assert run.ref is not None and np.abs(run.error[-1]).max() < 0.05 and run.state["p0"].shape == (101, 3)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"start": {"p1": [0, 0, 0]}}, "No state of the robot is called|p1"),
        ({"start": {"quaternion": [1, 1, 0, 0]}}, "its length is 1.41421"),
        ({"start": {"p0": [0, 0]}}, "start: p0: expected shape"),
        ({"start": {"q": [float("nan")]}}, "start: q: found nan"),
        ({"law": [1.0, 2.0]}, "law: expected shape"),
        ({"law": "pid"}, "mp.controller"),
        ({"law": lambda t: [0.0]}, "expected a function"),
        ({"parameters": {"mb": [1.0, 2.0]}}, "a number each"),
        ({"every": 0}, "every: expected a whole number"),
        ({"until": None}, "say when the run does"),
        ({"hold": {"feet": "point"}}, "feet"),
        ({"hold": {"foot": "pose", "tool": "pose"}}, "12 rows are held"),
        ({"method": "gauss4"}, "integrator of a base that moves"),
    ],
)
def test_what_cannot_be_simulated_is_a_sentence(words: dict[str, Any], sentence: str) -> None:
    with pytest.raises(mp.ManipulaError, match=sentence):
        mp.simulate(mp.Robot.from_text(FOOT), **{"until": 0.01, **words})
