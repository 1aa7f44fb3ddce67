"""Elastic joints: two masses and a spring, rigid arms as the limit, energy, motors that stick, play between them."""

from __future__ import annotations

import ctypes
from math import pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.ports import Namer, split
from manipula.errors import InputError, UnknownNameError
from tests.emitted import needs_cc, shared
from tests.golden.sentences import Sentences
from tests.laws.test_closed_loop import Steps
from tests.laws.test_reference import block, gently_loaded
from tests.random_robots import random_robot, random_state, random_tree, with_laws

pytestmark = pytest.mark.usefixtures("without_search")

Array = np.ndarray[Any, np.dtype[np.float64]]


def motored(arm: Any, low: float = 0.1) -> mp.Robot:
    robot = mp.Robot.of(arm).without("payload")
    return robot.with_motor_inertia({name: low * (1 + i) for i, name in enumerate(robot.joint_names)})


def planar(**friction: Any) -> mp.Robot:
    arm = motored(mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81))
    return arm.with_friction(friction) if friction else arm


def plant(arm: mp.Robot, stiffness: Any = 2e3, **options: Any) -> mp.Plant:
    return mp.Plant(arm, **{"effort": None, "stops": False, "elastic": stiffness, **options})


def slide(mass: float = 2.0, motor: float = 0.5, **friction: Any) -> mp.Robot:
    return motored(block(mass, **friction), motor)


# the equations


@pytest.mark.parametrize(
    "method, near", [("rk4", 1e-6), pytest.param("gauss4", 1e-7, marks=pytest.mark.slow), ("dop853", 1e-11)]
)
def test_two_masses_and_a_spring_swing_as_the_formula_says(method: str, near: float) -> None:
    m, b, k, stretch, drift = 2.0, 0.5, 800.0, 0.01, 0.3
    run = mp.simulate(
        plant(slide(m, b), k), start={"q": [0.1], "qd": [drift], "motor": [0.1 + stretch], "motor_rate": [drift]},
        until=0.5, method=method,
    )  # fmt: skip
    # δ = θ − q swings with ω² = K (1/m + 1/B) about the centre of mass, which goes straight on
    delta = stretch * np.cos(sqrt(k * (1 / m + 1 / b)) * run.t)
    centre = 0.1 + stretch * b / (m + b) + drift * run.t
    assert np.abs(run.q[:, 0] - (centre - b / (m + b) * delta)).max() < near * stretch * 100
    assert np.abs(run.state["motor"][:, 0] - (centre + m / (m + b) * delta)).max() < near * stretch * 100
    assert run.balance < 100 * near


@pytest.mark.parametrize("seed, kinds", [(6, "PR"), pytest.param(7, "RRP", marks=pytest.mark.slow)])
def test_links_and_motors_obey_their_two_equations(seed: int, kinds: str) -> None:
    arm = motored(random_robot(seed, joints=kinds))
    n, rng = arm.dof, np.random.default_rng(seed)
    k, play = rng.uniform(500, 3000, n), rng.uniform(0, 0.02, n)
    q, qd, _, wrench = (np.array(x) for x in random_state(arm, seed))
    start = {"q": q, "qd": qd, "motor": q + rng.normal(size=n) * 0.02, "motor_rate": qd + rng.normal(size=n)}
    tau = rng.normal(size=n) * 5
    h = 1e-5
    run = mp.simulate(plant(arm, k, backlash=play), tau, start=start, until=2 * h, step=h, wrench=wrench)
    bare = mp.Arm(arm.without("friction", "motor_inertia"))
    stretch = run.state["motor"] - run.q
    spring = k * (stretch - np.clip(stretch, -play / 2, play / 2))
    qdd = (run.qd[2] - run.qd[0]) / (2 * h)
    outside = np.asarray(bare.jacobian(run.q[1])).T @ wrench
    asked = np.asarray(bare.inverse_dynamics(run.q[1], run.qd[1], qdd)) - outside
    assert np.allclose(asked, spring[1], rtol=1e-5, atol=1e-3 * (1 + np.abs(spring[1]).max()))
    assert np.allclose(run.qdd[1], qdd, rtol=1e-4, atol=1e-3 * (1 + np.abs(qdd).max()))
    # what friction asks of a joint that moves, of the arm with it and without
    rate = run.state["motor_rate"]
    rubs = mp.Arm(arm).inverse_dynamics(q, rate[1], 0 * q) - mp.Arm(arm.without("friction")).inverse_dynamics(
        q, rate[1], 0 * q
    )
    inertia = np.array([0.1 * (1 + i) for i in range(n)])
    turn = (rate[2] - rate[0]) / (2 * h)
    assert np.allclose(inertia * turn, tau - spring[1] - rubs, rtol=1e-4, atol=1e-3 * (1 + np.abs(spring[1]).max()))


@pytest.mark.turn
@pytest.mark.parametrize(
    "seed, kinds",
    [
        (11, "R"),
        pytest.param(12, "PF", marks=pytest.mark.slow),
        *(pytest.param(i, kinds, marks=pytest.mark.slow) for i, kinds in ((13, "RFR"), (14, "RPRR"))),
    ],
)
def test_stiff_springs_tend_to_the_rigid_arm_as_one_over_the_stiffness(seed: int, kinds: str) -> None:
    arm = motored(random_robot(seed, joints=kinds, actuators=False), 0.5)
    q, qd, *_ = (np.array(x) for x in random_state(arm, seed))
    rigid = mp.simulate(mp.Plant(arm, effort=None, stops=False), start=(q, qd), until=0.2, step=5e-4)
    far = []
    for k in (2e4, 8e4):
        soft = mp.simulate(plant(arm, k), start=(q, qd), until=0.2, step=5e-4)
        far.append(float(np.abs(soft.q - rigid.q).max()))
    assert 2.5 < far[0] / far[1] < 6.5  # four, but for the phase of the swing about it
    assert far[1] < 0.02


ARMS = [
    random_tree(25, joints="RP", actuators=False),
    random_robot(21, joints="RP", actuators=False),
    random_robot(22, joints="FR", actuators=False, screws=False),
    random_robot(23, joints="RR", actuators=False, screws=True),
    random_tree(24, joints="RRR", actuators=False),
]


@pytest.mark.turn
@pytest.mark.parametrize("which", [0, *(pytest.param(i, marks=pytest.mark.slow) for i in range(1, len(ARMS)))])
def test_nothing_is_lost_without_friction_and_play_loses_nothing(which: int) -> None:
    arm = motored(ARMS[which], 0.3)
    q, qd, *_ = (np.array(x) for x in random_state(arm, which))
    soft = plant(arm, 1500, backlash=0.004, stops=False)
    run = mp.simulate(soft, start=(q, 0.2 * qd), until=0.2, step=2.5e-4)
    assert run.balance < 1e-5 and np.abs(run.state["motor"] - run.q).max() > 1e-4
    smooth = mp.simulate(plant(arm, 1500), start=(q, 0.2 * qd), until=0.2, step=2.5e-4)
    assert smooth.balance < 1e-7  # a corner of the spring costs an order


# who sees what


def test_a_law_sees_the_motors_in_python_in_a_loop_and_from_event_to_event() -> None:
    arm, goal = planar(), np.array([0.4, -0.3])
    seen: list[Array] = []

    def watched(t: float, q: Array, qd: Array) -> Array:
        seen.append(np.array(q))
        return 200 * (goal - q) - 20 * qd

    soft = plant(arm, 600)
    run = mp.simulate(soft, watched, start=[0.0, 0.0], until=0.05)
    assert np.array_equal(np.array(seen), run.state["motor"])
    assert np.abs(run.state["motor"] - run.q).max() > 1e-3
    weightless = arm.with_gravity(0, 0, 0)
    law = mp.controller(weightless, "pd_gravity", kp=200, kd=20, sample=1e-3)
    still = mp.trajectory.quintic(goal, goal, 0.05)
    joined = mp.simulate(soft, law, still, start=[0.0, 0.0])
    assert np.allclose(joined.q, run.q, rtol=0, atol=1e-12)
    exact = mp.simulate(soft, law, still, start=[0.0, 0.0], method="dop853")
    assert np.abs(exact.q - run.q).max() < 1e-6
    assert np.abs(exact.state["motor"] - run.state["motor"]).max() < 1e-6
    sharp = mp.Sensors(resolution=1e-12)
    assert np.allclose(mp.simulate(soft, law, still, start=[0.0, 0.0], sensors=sharp).q, run.q, rtol=0, atol=1e-8)


@pytest.mark.turn
def test_a_row_of_a_batch_has_the_bits_of_one_arm() -> None:
    arm = planar(theta1={"coulomb": 2.0, "viscous": 0.3}, theta2={"coulomb": 0.5})
    law = mp.controller(arm, "pd_gravity", kp=300, kd=30, sample=1e-3)
    ref = mp.trajectory.quintic([0, 0], [0.4, 0.4], 0.1)
    starts = np.random.default_rng(2).normal(size=(5, 2)) * 0.1
    soft = plant(arm, [1e3, 2e3], backlash=[0.0, 0.01], effort=[40, 20])
    many = mp.simulate(soft, law, ref, start=starts)
    one = mp.simulate(soft, law, ref, start=starts[4])
    assert np.array_equal(one.q, many.q[4])
    assert all(np.array_equal(one.state[name], many.state[name][4]) for name in ("motor", "motor_rate"))


@needs_cc
def test_one_step_in_c_is_that_of_the_arm(tmp_path: Path) -> None:
    arm = slide(1.5, 0.4, coulomb=2.0, viscous=0.3)
    alone = mp.closed_loop(plant(arm, 800, backlash=0.01, effort=8.0), None, step=1e-3)
    alone.emit("c", tmp_path)
    code, rng = shared(tmp_path / f"{alone.name}.c"), np.random.default_rng(4)
    names = [port.name for port in alone.function.inputs if port.role == "state"]
    kept = len(split(alone.tape, Namer(())).kept)
    fields = [*((name, ctypes.c_double) for name in names), ("k", ctypes.c_double * kept)]
    memory, friction = type("Memory", (ctypes.Structure,), {"_fields_": fields})(), (ctypes.c_double * 1)()
    assert names == ["q", "qd", "motor", "motor_rate"]
    for trial in range(20):
        state, tau = rng.normal(size=4) * [1, 1, 1, trial % 2], rng.normal() * 10
        assert code[f"{alone.name}_init"](ctypes.byref(memory), *(Steps.vector([x]) for x in (*state, 1e-3))) == 0
        code[f"{alone.name}_step"](ctypes.byref(memory), Steps.vector([tau]), friction)
        new, out = alone.step(alone.start(**{name: [x] for name, x in zip(names, state)}), [tau])
        for name in names:
            true = float(getattr(new, name)[0])
            assert abs(getattr(memory, name) - true) <= 1e-13 * max(1.0, abs(true))
        assert abs(friction[0] - float(np.ravel(out)[0])) <= 1e-12


# friction, efforts, stops


@pytest.mark.turn
def test_a_motor_that_friction_holds_keeps_every_bit_while_its_link_swings() -> None:
    arm = planar(theta1={"coulomb": 80.0}, theta2={"coulomb": 40.0})
    for method in ("rk4", "dop853"):
        run = mp.simulate(plant(arm, 5e3), start=[0.2, 0.1], until=0.2, method=method)
        assert (run.state["motor"] == run.state["motor"][0]).all() and (run.state["motor_rate"] == 0).all()
        assert np.abs(run.q - run.q[0]).max() > 1e-3
        assert [(x.joint, x.since, x.until) for x in run.modes] == [(0, 0.0, 0.2), (1, 0.0, 0.2)]


@pytest.mark.turn
@pytest.mark.parametrize(
    "seed, keys", [(33, ("load", "stribeck")), pytest.param(32, ("asymmetric",), marks=pytest.mark.slow)]
)
def test_fixed_steps_come_near_to_the_reference_integrator(seed: int, keys: tuple[str, ...]) -> None:
    drawn = with_laws(random_robot(seed, joints="R"), seed, keys)
    arm = motored(gently_loaded(drawn) if "load" in keys else drawn)
    soft, tau = plant(arm, 900, backlash=0.002), np.full(arm.dof, 3.0)
    start: Any = {"q": np.zeros(arm.dof), "qd": np.full(arm.dof, 0.7)}
    wrench = np.random.default_rng(seed).normal(size=6) * 3  # which a joint bears, and its spring with it
    exact = mp.simulate(soft, tau, start=start, until=0.2, step=2e-3, wrench=wrench, method="dop853")
    assert exact.balance < 1e-10
    far = []
    for step in (2e-3, 2e-3 / 8):
        run = mp.simulate(soft, tau, start=start, until=0.2, step=step, every=round(2e-3 / step), wrench=wrench)
        far.append(float(np.abs(run.q - exact.q).max()))
    assert far[1] < far[0] / 4 + 1e-9 and far[1] < 1e-3


@pytest.mark.turn
def test_stops_hold_the_links_and_efforts_clip_the_motors() -> None:
    arm = mp.Robot.from_text(STOPPED)
    run = mp.simulate(mp.Plant(arm, elastic=True), np.array([10.0]), start=[0.0], until=0.5)
    assert (run.q <= 0.1).all() and (run.q == 0.1).sum() > 5 and (run.tau == 4.0).all()
    assert run.state["motor"].max() > 0.1  # the motor goes on, against its spring
    assert run.balance < 1e-3
    exact = mp.simulate(mp.Plant(arm, elastic=True), np.array([10.0]), start=[0.0], until=0.5, method="dop853")
    assert exact.q.max() == 0.1 and exact.balance < 1e-10
    assert np.abs(exact.state["motor"] - run.state["motor"]).max() < 5e-3


STOPPED = """
format = 1
name = "slider"
convention = "standard"
angle = "rad"
length = "m"
gravity = [0, 0, 0]
[[joint]]
type = "prismatic"
theta = 0
a = 0
alpha = 0
mass = 1.5
com = [0, 0, 0]
inertia = { xx = 0, yy = 0, zz = 0 }
motor_inertia = 0.4
stiffness = 700
limits = [-0.1, 0.1]
effort_limit = 4
friction = { viscous = 2 }
"""


# play


def test_a_link_bounces_between_the_ends_of_its_play_as_often_as_the_formula_says() -> None:
    m, k, play, speed = 2.0, 5e3, 0.02, 0.5
    arm = slide(m, 0.5, coulomb=1e3)  # the motor is held
    run = mp.simulate(
        plant(arm, k, backlash=play), start={"q": [0.0], "qd": [speed], "motor_rate": [0.0]}, until=0.6, step=2.5e-4
    )
    inside = np.abs(run.q[:, 0]) < play / 2
    assert inside.any() and not inside.all()
    assert np.abs(np.abs(run.qd[inside, 0]) - speed).max() < 1e-3  # nothing pushes it there, and springs give all back
    # across the play and back, and half a swing of √(K/m) at either end
    period = 2 * play / speed + 2 * pi / sqrt(k / m)
    rising = np.flatnonzero((run.q[:-1, 0] < 0) & (run.q[1:, 0] >= 0))
    times = [run.t[i] - run.q[i, 0] / run.qd[i, 0] for i in rising]
    assert len(times) == 2 and np.allclose(np.diff(times), period, rtol=1e-3)
    assert run.balance < 1e-5


def test_a_motor_within_its_play_moves_nothing() -> None:
    arm = slide(2.0, 0.5)
    run = mp.simulate(plant(arm, 1e3, backlash=0.1), start={"q": [0.3], "motor": [0.3], "motor_rate": [0.4]}, until=0.1)
    assert (run.q == 0.3).all() and np.allclose(run.state["motor"][-1], 0.34, rtol=1e-12)


def test_backlash_of_the_file_is_there_unless_another_is_given() -> None:
    arm = mp.Robot.from_text(STOPPED.replace("stiffness = 700", "stiffness = 700\nbacklash = 0.03"))
    assert mp.Plant(arm, elastic=True).springs.play == [0.03]  # type: ignore[union-attr]
    assert mp.Plant(arm, elastic=True, backlash=0.0).springs.play == [0.0]  # type: ignore[union-attr]
    assert mp.Plant(arm, elastic=800).springs.stiffness == [800.0]  # type: ignore[union-attr]
    rigid = mp.simulate(mp.Plant(arm), start=[0.0], until=0.01)
    assert not rigid.state  # a rigid arm reads neither


# what cannot be


@pytest.mark.parametrize(
    "options, told",
    [
        ({"elastic": True}, "joint 'theta1' has no stiffness, so it cannot be elastic"),
        ({"elastic": [1e3, -1]}, "elastic: expected one number above 0, or 2"),
        ({"elastic": float("nan")}, "elastic: expected one number above 0"),
        ({"elastic": "stiff"}, "elastic: expected one number above 0"),
        ({"elastic": [1, 2, 3]}, "elastic: expected one number above 0, or 2, one a joint"),
        ({"elastic": 1e3, "backlash": -0.1}, "backlash: expected one number at least 0"),
        ({"backlash": 0.1}, "backlash: is play in a spring: give elastic=True"),
    ],
)
def test_springs_that_cannot_be_are_told(options: dict[str, Any], told: str, whole: Sentences) -> None:
    with whole.raises(InputError, match=told.replace("[", r"\[")):
        mp.Plant(planar(), effort=None, **options)


def test_a_joint_without_motor_inertia_or_one_that_follows_is_told(whole: Sentences) -> None:
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    with whole.raises(InputError, match="'theta1' has no motor_inertia, so it cannot be elastic"):
        plant(arm)
    bare = mp.Robot.from_dh([("q1", 0, 1, 0)])
    bare = bare.with_standard_parameters(dict.fromkeys(bare.standard_parameters, 0)).with_motor_inertia(joint1=0.2)
    for method in ("rk4", "dop853"):
        with whole.raises(mp.ManipulaError, match=r"'joint1' feels no inertia.*behind a spring"):
            mp.simulate(plant(bare), until=0.01, method=method)
    unknown = planar().with_motor_inertia(theta2="J2")
    with whole.raises(InputError, match="J2 has no value"):
        plant(unknown)


def test_states_to_start_with_are_checked(whole: Sentences) -> None:
    soft = plant(planar())
    with whole.raises(UnknownNameError, match="bristle"):
        mp.simulate(soft, start={"q": [0, 0], "bristle": [0, 0]}, until=0.01)
    with whole.raises(InputError, match="start: motor"):
        mp.simulate(soft, start={"q": [0, 0], "motor": [0, float("nan")]}, until=0.01)
    with whole.raises(InputError, match="start: motor"):
        mp.simulate(soft, start={"q": [0, 0], "motor": [0, 0, 0]}, until=0.01)


def test_steps_too_long_for_a_spring_are_told_with_one_that_is_not() -> None:
    # two masses: ω² = K (1/m + 1/B), and Runge–Kutta bears h ω ≤ √8
    most = sqrt(8.0) / sqrt(1e5 * (1 / 2.0 + 1 / 0.5))
    with pytest.raises(InputError, match=r"'joint1': its drive swings faster than .* take step="):
        mp.simulate(plant(slide(2.0, 0.5), 1e5), start=([0.0], [1.0]), until=100 * 1.05 * most, step=1.05 * most)
    run = mp.simulate(plant(slide(2.0, 0.5), 1e5), start=([0.0], [1.0]), until=100 * 0.95 * most, step=0.95 * most)
    assert np.isfinite(run.q).all()
