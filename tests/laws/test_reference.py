"""The event-driven integrator: what rests stays to the last bit, events come when formulas say, energies balance."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import exp, log
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import DivergenceError, InputError, SingularError, UnknownNameError
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.values.parameter import number
from manipula.simulation.event_driven import integrate
from manipula.simulation.exact.equations import Drive
from manipula.simulation.exact.mechanism import Mechanism, at_rest
from manipula.simulation.plant import Plant
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot, with_laws

pytestmark = pytest.mark.usefixtures("without_search")

Array = np.ndarray[Any, np.dtype[np.float64]]


def planar(**friction: Any) -> mp.Robot:
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    return arm.with_friction({name: friction.get(name, {"coulomb": 1.0}) for name in arm.joint_names})


def block(mass: float = 2.0, **friction: Any) -> mp.Robot:
    """A mass on a level slide."""
    joint = {"type": "prismatic", "theta": 0, "d": 0, "a": 0, "alpha": 0, "mass": mass, "com": [0, 0, 0]}
    body = {"inertia": dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0)}
    robot = mp.Robot.from_dh([{**joint, **body}]).with_gravity(-9.81, 0, 0)
    return robot.with_friction({robot.joint_names[0]: friction})


def gently_loaded(robot: RobotDescription) -> RobotDescription:
    """Friction that follows the load at a tenth: as gears have it. A joint with more can lock itself."""
    tenth = lambda cell: replace(cell, value=number(cell.value.value / 10))  # noqa: E731
    rows = [
        replace(
            x,
            actuator=replace(x.actuator, laws=tuple(y.map_entries(tenth) if y.loaded else y for y in x.actuator.laws)),
        )
        for x in robot.joints
    ]
    return replace(robot, joints=tuple(rows))


def plant(robot: RobotDescription, **options: Any) -> Plant:
    return Plant(robot, **{"effort": None, "stops": False, **options})


# which joints rest


def cost(M: Array, p: Array, low: Array, high: Array, resting: Array, a: Array) -> float:
    dry = np.where(resting, np.maximum(low * a, high * a), 0.0)
    return float(0.5 * a @ M @ a - a @ p + dry.sum())


def test_the_joints_at_rest_are_those_of_the_smallest_sum_over_all_ways() -> None:
    rng = np.random.default_rng(1)
    for trial in range(150):
        n = 1 + trial % 4
        root = rng.normal(size=(n, n))
        M, p = root @ root.T + 0.05 * np.eye(n), rng.normal(size=n) * 3
        high, low = rng.uniform(0, 2, n), -rng.uniform(0, 2, n)
        resting = rng.random(n) < 0.8
        found = at_rest(M, p, low, high, resting)
        best = np.inf
        for ways in product((-1, 0, 1), repeat=n):
            moves = np.array([way != 0 or not rest for way, rest in zip(ways, resting)])
            bound = np.where(resting, np.where(np.array(ways) > 0, high, np.where(np.array(ways) < 0, low, 0)), 0)
            a = np.zeros(n)
            if moves.any():
                a[moves] = np.linalg.solve(M[np.ix_(moves, moves)], (p - bound)[moves])
            best = min(best, cost(M, p, low, high, resting, a))
        assert cost(M, p, low, high, resting, found.a) <= best + 1e-12
        stay = resting & (found.ways == 0)
        assert (
            (found.a[stay] == 0).all()
            and (found.push[stay] <= high[stay]).all()
            and (found.push[stay] >= low[stay]).all()
        )


# at rest


@pytest.mark.parametrize("seed", range(4))
def test_a_load_that_friction_holds_does_not_move_one_bit_in_a_minute(seed: int) -> None:
    robot = with_laws(random_robot(seed, joints=1 + seed % 2), seed, ["stribeck", "asymmetric"])
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, robot.dof)
    arm = Mechanism(robot, True, None)
    low, high = arm.rubbing.bounds(np.zeros(robot.dof))
    offset = arm.rubbing.smooth(np.zeros(robot.dof), np.zeros(robot.dof))
    tau = arm.bias(q, np.zeros(robot.dof)) + offset + low + rng.uniform(0.01, 0.99, robot.dof) * (high - low)
    held = arm.rubbing.dry.all()
    course = integrate(plant(robot), lambda t, x, v: tau, q, 60.0, at=[60.0], longest=5.0)
    assert held and course.q[-1].tobytes() == q.tobytes() and not course.qd[-1].any() and not course.changes


@pytest.mark.turn
@pytest.mark.parametrize("way", [1, -1])
def test_a_push_that_ends_before_the_step_does_is_felt(way: int) -> None:
    """A bump of force above what friction holds, within one long step; two joints, so that one goes on resting."""
    robot = planar(theta1={"coulomb": 60.0}, theta2={"coulomb": 20.0})
    q = np.array([0.1, 0.2])
    hold = Mechanism(robot, True, None).bias(q, np.zeros(2))
    for centre in np.linspace(1.0, 1.05, 6).tolist():

        def push(t: float, x: Array, v: Array, centre: float = centre) -> Array:
            bump = way * (15 + 10 * exp(-(((t - centre) / 0.012) ** 2)))
            return np.array([hold[0], hold[1] + bump])

        course = integrate(plant(robot), push, q, 1.07, since=0.96, at=[1.07], longest=0.05)
        let_go = centre - 0.012 * np.sqrt(log(10 / 5))  # 15 + 10 e^(−x²) = 20
        assert course.changes[0].t == pytest.approx(let_go, abs=1e-9)
        assert way * (course.q[-1, 1] - q[1]) > 1e-6 and course.q[-1, 0] == q[0]


@pytest.mark.parametrize("way", [1, -1])
def test_a_ramp_of_torque_breaks_a_joint_loose_when_the_formula_says(way: int) -> None:
    """τ = g + way·k t breaks away at t = f/k, f the breakaway torque of the law, with what Stribeck adds."""
    friction = {"stribeck": {"torque": 0.7, "velocity": 0.05}, "asymmetric": {
        "coulomb_plus": 1.1, "coulomb_minus": 0.6, "viscous_plus": 0.2, "viscous_minus": 0.1}}  # fmt: skip
    names, k = list(planar().joint_names), 2.0
    robot = planar(**{names[0]: {"coulomb": 50.0}, names[1]: {"coulomb": 0.4, **friction}})
    weight = Mechanism(robot, True, None).bias(np.array([0.3, 0.4]), np.zeros(2))
    course = integrate(plant(robot), lambda t, q, v: weight + np.array([0, way * k * t]), [0.3, 0.4], 2.0)
    true = (0.4 + 0.7 + (1.1 if way > 0 else 0.6)) / k
    slips = [change for change in course.changes if change.what == "slips"]
    assert slips[0].joint == 1 and abs(slips[0].t - true) < 1e-9
    before = course.q[course.t < true]
    assert len(before) > 1 and (before == before[0]).all() and course.balance < 1e-10


@pytest.mark.turn
def test_a_stuck_joint_is_broken_loose_by_its_neighbour() -> None:
    """Joint 2 is not driven: joint 1 accelerates at a(t) and asks M21 a of its friction."""
    robot = planar().with_gravity(0, 0, 0)
    names, k = list(robot.joint_names), 4.0
    robot = robot.with_friction({names[0]: {"coulomb": 0.1}, names[1]: {"coulomb": 0.3}})
    arm, q = Mechanism(robot, True, None), np.array([0.0, 0.5])
    M = arm.inertia(q)
    course = integrate(plant(robot), lambda t, q, v: np.array([k * t, 0.0]), q, 1.0)
    first, second = (next(x.t for x in course.changes if x.joint == i and x.what == "slips") for i in (0, 1))
    assert abs(first - 0.1 / k) < 1e-9
    # λ2 = −M21 a − c2 with a = (k t − 0.1)/M11; the velocity is small, so c2 is
    i = int(np.searchsorted(course.t, second))
    assert course.t[i] == second or abs(course.t[i] - second) < 1e-12
    v = course.qd[i, 0]
    push = M[1, 0] * (k * second - 0.1) / M[0, 0] + arm.bias(q, np.array([v, 0.0]))[1]
    assert abs(abs(push) - 0.3) < 1e-9


# in motion


def test_a_sliding_block_stops_when_and_where_the_formula_says() -> None:
    m, v = 2.0, 1.5
    course = integrate(plant(block(m, coulomb=3.0)), None, ([0.0], [v]), 2.0)
    assert abs(course.changes[0].t - m * v / 3.0) < 1e-11 and course.changes[0].what == "sticks"
    assert abs(course.q[-1, 0] - m * v * v / 6.0) < 1e-11 and course.qd[-1, 0] == 0
    course = integrate(plant(block(m, coulomb=3.0, viscous=0.8)), None, ([0.0], [-v]), 2.0)
    assert abs(course.changes[0].t - m / 0.8 * log(1 + 0.8 * v / 3.0)) < 1e-11 and course.balance < 1e-12


@pytest.mark.turn
def test_a_block_pulled_by_a_spring_sticks_and_slips_for_ever() -> None:
    """Stribeck friction on a drive of constant speed: a limit cycle with the same time from slip to slip."""
    robot = block(1.0, coulomb=1.0, stribeck={"torque": 0.5, "velocity": 0.02})
    course = integrate(plant(robot), lambda t, q, v: 40.0 * (0.05 * t - q), [0.0], 8.0)
    slips = np.array([x.t for x in course.changes if x.what == "slips"])
    assert len(slips) > 4 and abs(slips[0] - 1.5 / 2.0) < 1e-9
    assert np.ptp(np.diff(slips[1:])) < 1e-8 and course.balance < 1e-10


@pytest.mark.turn
def test_puma_falls_with_its_friction_and_stops() -> None:
    arm = plant(mp.load("puma560"))
    runs = [
        integrate(arm, None, [0.2, -0.3, 0.5, 0.3, 0.4, 0.1], 5.0, rtol=r, atol=r / 10, longest=0.5)
        for r in (1e-12, 1e-10)
    ]
    for run in runs:
        assert len(run.changes) >= 3 and not run.qd[-1].any() and all(run.modes[-1].resting) and run.balance < 1e-9
    a, b = (np.array([x.t for x in run.changes]) for run in runs)
    assert np.abs(a - b).max() < 1e-8 and np.abs(runs[0].q[-1] - runs[1].q[-1]).max() < 1e-8


@pytest.mark.turn
def test_reversing_torques_make_many_events_and_lose_no_energy() -> None:
    A, f = np.array([40, 60, 25, 6, 5, 4]), np.array([1.3, 1.7, 2.1, 3.1, 3.7, 4.3])
    start = [0.2, -0.3, 0.5, 0.3, 0.4, 0.1]
    course = integrate(
        plant(mp.load("puma560")), lambda t, q, v: A * np.sin(2 * np.pi * f * t), start, 2.5, rtol=1e-11, atol=1e-12
    )
    assert len(course.changes) >= 80 and course.balance < 1e-9 and course.evaluations < 10_000


@pytest.mark.turn
@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(x, marks=pytest.mark.slow) for x in (0, *range(3, 16)))])
def test_random_arms_with_every_friction_law_balance_and_stay_within_bounds(seed: int) -> None:
    keys = [["coulomb", "stribeck"], ["asymmetric"], ["load"], ["load", "stribeck", "asymmetric"]][seed % 4]
    robot = gently_loaded(
        with_laws(random_robot(100 + seed, joints=1 + seed % (2 if seed < 4 else 3), screws=seed > 9), seed, keys)
    )
    rng = np.random.default_rng(seed)
    n = robot.dof
    A, f, q = rng.uniform(1, 8, n), rng.uniform(0.5, 3, n), rng.uniform(-1, 1, n)
    v = rng.uniform(-1, 1, n) * (rng.random(n) < 0.5)
    course = integrate(plant(robot), lambda t, q, v: A * np.sin(f * t), (q, v), 0.4, rtol=1e-11, atol=1e-12)
    assert course.balance < 1e-9
    arm = Mechanism(robot, True, None)
    for i in range(0, len(course.t), 5):
        tau, q, v, a = course.tau[i], course.q[i], course.qd[i], course.qdd[i]
        loads = arm.inertia(q) @ a + arm.bias(q, v)
        if arm.rubbing.loaded:
            loads = loads - arm._motors * a
        left = tau - arm.inertia(q) @ a - arm.bias(q, v) - arm.rubbing.smooth(v, loads)
        low, high = arm.rubbing.bounds(loads)
        rest = (v == 0) & (a == 0)
        assert (left[rest] <= high[rest] + 1e-9).all() and (left[rest] >= low[rest] - 1e-9).all()
        slides = arm.rubbing.dry_friction(v, np.sign(v), loads)
        quick = np.abs(v) > 1e-9
        assert np.abs(left - slides)[quick].max(initial=0) < 1e-8


# no dry friction


@pytest.mark.parametrize("name", ["planar2r", "rp", pytest.param("stanford3", marks=pytest.mark.slow)])
def test_energy_without_friction(name: str) -> None:
    robot = mp.load(name)
    missing = {x: 0.5 + 0.1 * i for i, (x, value) in enumerate(robot.parameters.items()) if value is None}
    robot = robot.with_parameters(**missing) if missing else robot
    q = np.linspace(0.3, 0.9, robot.dof)
    course = integrate(plant(robot, friction="none"), None, q, 2.0, rtol=1e-13, atol=1e-14)
    assert course.balance < 1e-12 and not course.changes
    back = integrate(plant(robot, friction="none"), None, (course.q[-1], -course.qd[-1]), 2.0, rtol=1e-13, atol=1e-14)
    assert np.abs(back.q[-1] - q).max() < 1e-9


def test_smooth_friction_creeps_as_its_page_says() -> None:
    """A load of a part of fc: q̇ = width · atanh(part)."""
    robot = block(1.0, coulomb=2.0)
    course = integrate(plant(robot, friction="smooth", width=1e-2), lambda t, q, v: np.array([1.0]), [0.0], 1.0)
    assert abs(course.qd[-1, 0] - 1e-2 * np.arctanh(0.5)) < 1e-9
    assert integrate(plant(robot), lambda t, q, v: np.array([1.0]), [0.0], 1.0).qd[-1, 0] == 0


# stops, efforts, laws with memory


def test_a_joint_ends_at_its_stop_without_bouncing() -> None:
    robot = mp.Robot.from_dh(
        [{"type": "prismatic", "theta": 0, "d": 0, "a": 0, "alpha": 0, "mass": 2, "com": [0, 0, 0],
          "inertia": dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0), "limits": [-1, 0.5]}]
    ).with_gravity(0, 0, 9.81)  # fmt: skip
    course = integrate(Plant(robot, effort=None), lambda t, q, v: np.array([0.0 if t < 1 else -30.0]), [0.0], 2.0,
                       at=np.linspace(0, 2, 201))  # fmt: skip
    hit = course.changes[0]
    assert hit.what == "hits a stop" and abs(hit.t - (2 * 0.5 / 9.81) ** 0.5) < 1e-10
    there = (course.t > hit.t) & (course.t < 1)
    assert (course.q[there] == 0.5).all() and (course.qd[there] == 0).all()
    assert course.q[-1, 0] < 0.5 and course.balance < 1e-11 and abs(course.heat[there][0] - 2 * 9.81 * 0.5) < 1e-9


def test_an_impact_keeps_the_momentum_of_the_other_joints() -> None:
    """What the stop takes is an impulse on the one joint: M Δq̇ has no other entry."""
    robot = planar(a={}).with_gravity(0, 0, 0)
    rows = tuple(joint for joint in robot.joints)
    limited = replace(rows[1], limits=(number(-1), number(1)))
    arm = mp.Robot.of(replace(robot, joints=(rows[0], limited)))
    course = integrate(Plant(arm, effort=None, friction="none"), None, ([0.0, 0.0], [0.5, 3.0]), 1.0, longest=0.01)
    hit = next(x.t for x in course.changes)
    i = int(np.searchsorted(course.t, hit))
    before, after = course.qd[i - 1], course.qd[i]
    M = Mechanism(arm, True, None).inertia(course.q[i])
    assert course.q[i, 1] == 1 and after[1] == 0
    assert abs((M @ (after - before))[0]) < 0.05 < abs((M @ (after - before))[1]) and course.balance < 1e-9


def test_torques_are_clipped_to_the_efforts() -> None:
    robot = block(1.0)
    course = integrate(Plant(robot, effort=[2.0], stops=False), lambda t, q, v: np.array([50.0]), [0.0], 1.0)
    assert (course.tau == 2.0).all() and abs(course.q[-1, 0] - 1.0) < 1e-12


@pytest.mark.turn
def test_laws_with_memory_in_continuous_time_and_sampled() -> None:
    """ẋ = q − 1, τ = −q − q̇ − ½ x; sampled: τ held, x⁺ = x + h (q − 1), against the exact steps of a mass."""
    robot = block(1.0)
    law = Drive(lambda t, q, v, x: (-q - v - 0.5 * x, q - 1), np.zeros(1))
    course = integrate(plant(robot), law, [0.2], 40.0)
    assert abs(course.q[-1, 0] - 1) < 1e-3 and abs(course.state[-1, 0] + 2) < 1e-2 and course.balance < 1e-10
    h, q, v, x = 0.1, 0.2, 0.0, 0.0
    sampled = Drive(lambda t, q, v, x: (-q - v - 0.5 * x, x + h * (q - 1)), np.zeros(1), sample=h)
    found = integrate(plant(robot), sampled, [0.2], 1.0, at=[1.0])
    for _ in range(10):
        tau, x = -q - v - 0.5 * x, x + h * (q - 1)
        q, v = q + h * v + h * h / 2 * tau, v + h * tau
    assert abs(found.q[0, 0] - q) < 1e-12 and abs(found.qd[0, 0] - v) < 1e-12


def test_asked_times_are_given_and_do_not_change_the_motion() -> None:
    arm, times = plant(planar()), np.linspace(0, 1, 7)
    few, own = integrate(arm, None, [0.3, 0.4], 1.0, at=times), integrate(arm, None, [0.3, 0.4], 1.0)
    assert few.t.tolist() == times.tolist() and few.q[-1].tobytes() == own.q[-1].tobytes()
    assert few.evaluations >= own.evaluations and few.q.shape == few.tau.shape == few.qdd.shape == (7, 2)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"friction": "wet"}, "no friction of a plant is called 'wet'"),
        ({"effort": "some"}, "expected 'limits', None or numbers"),
        ({"effort": [1.0, -2.0]}, "one number above 0"),
        ({"effort": [1.0, 2.0, 3.0]}, "one number above 0"),
        ({"effort": float("nan")}, "one number above 0"),
        ({"stops": 1}, "expected True or False"),
        ({"width": 0}, "a velocity above 0"),
    ],
)
def test_a_plant_that_cannot_be_says_so(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=sentence):
        Plant(planar(), **{"effort": None, **options})


def test_what_cannot_be_integrated_says_so(whole: Sentences) -> None:
    arm = plant(planar())
    with whole.raises(InputError, match="found 560, expected the name of a library robot"):
        Plant(560)  # type: ignore[arg-type]
    with pytest.warns(mp.ManipulaWarning, match="no joint has an effort limit"):
        Plant(planar())
    for start in ([0.1], [0.1, np.nan], "ab", ([0, 0], [0])):
        with whole.raises(InputError, match="start"):
            integrate(arm, None, start, 1.0)
    for until in (0.0, -1.0, np.nan, np.inf):
        with whole.raises(InputError, match="until"):
            integrate(arm, None, [0, 0], until)
    with whole.raises(InputError, match="rising times"):
        integrate(arm, None, [0, 0], 1.0, at=[0.5, 0.2])
    with whole.raises(InputError, match="shape"):
        integrate(arm, lambda t, q, v: np.zeros(3), [0, 0], 1.0)
    with whole.raises(InputError, match="needs a value for"):
        integrate(plant(mp.load("planar2r")), None, [0, 0], 1.0)
    with pytest.raises(DivergenceError, match=r"the motion of joint 'theta\d' cannot be followed beyond t = \d"):
        integrate(arm, lambda t, q, v: 1e3 * v**3, ([0, 0], [1, 1]), 5.0)
    with whole.raises((SingularError, InputError), match="inertia"):
        integrate(plant(block(0.0)), None, [0.0], 1.0)


# by the verb


GAINS: dict[str, Any] = {"kp": 400, "ki": 300, "kd": 40, "limit": 60, "tracking": 20, "filter": 5e-3}
DRIVES: dict[str, Any] = {
    "nothing": lambda robot: {"start": [0.3, 0.2], "until": 0.3},
    "wrench": lambda robot: {"start": [0.3, 0.2], "until": 0.2, "wrench": [5, 1, 0, 0, 0, 2]},
    "event": lambda robot: {
        "start": [0.3, 0.2], "until": 0.2, "events": [mp.Event(t=0.1, wrench=[0, 30, 0, 0, 0, 0])]},
    "torques": lambda robot: {"law": np.linspace(0, 20, 201)[:, None] * [1, 0.2], "start": [0, 0], "until": 0.2},
    "law": lambda robot: {"law": mp.controller(robot, "pd_gravity", kp=400, kd=40), "ref": QUINTIC},
    "sampled": lambda robot: {"law": mp.controller(robot, "pd_gravity", kp=400, kd=40, sample=1e-3), "ref": QUINTIC},
    "memory": lambda robot: {"law": mp.controller(robot, "pid", **GAINS), "ref": QUINTIC},
    "sampled memory": lambda robot: {"law": mp.controller(robot, "pid", sample=2e-3, **GAINS), "ref": QUINTIC},
}  # fmt: skip
QUICK = ("event", "sampled memory")
QUINTIC = mp.trajectory.quintic([0, 0], [1, -0.5], 0.3)


@pytest.mark.turn
@pytest.mark.parametrize("drive", [x if x in QUICK else pytest.param(x, marks=pytest.mark.slow) for x in DRIVES])
def test_simulate_goes_from_event_to_event_as_it_goes_by_steps(drive: str) -> None:
    """Whatever drives the arm: the same motion, torques and memory as by small steps, and energies that balance."""
    robot = planar()
    arm, asked = Plant(robot, effort=[80, 40], stops=False), DRIVES[drive](robot)
    by_steps, exact = (mp.simulate(arm, method=method, **asked) for method in ("rk4", "dop853"))
    assert exact.balance < 1e-11 and (exact.t == by_steps.t).all() and exact.whole
    assert np.abs(exact.q - by_steps.q).max() < 2e-4
    assert np.abs(exact.tau - by_steps.tau).max() < 0.1
    for name in by_steps.state:
        assert np.abs(exact.state[name] - by_steps.state[name]).max() < 0.05


def test_what_simulate_cannot_do_from_event_to_event_it_says() -> None:
    arm = plant(planar())
    with pytest.raises(InputError, match="one arm"):
        mp.simulate(arm, start=[[0, 0], [1, 1]], until=0.1, method="dop853")
    with pytest.raises(InputError, match="sensors"):
        mp.simulate(arm, start=[0, 0], until=0.1, method="dop853", sensors=mp.Sensors(noise={"q": 1e-3}))
