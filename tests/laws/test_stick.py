"""A fixed step of an arm with dry friction: zeros stay zeros, the motion converges to the event-driven one."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import log2
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError, ProofError, UnknownNameError
from manipula.generation import compose
from manipula.generation.compose import generate_block
from manipula.generation.results.system import System
from manipula.mechanics.models.integrate import stick
from manipula.mechanics.models.integrate.discretisation import METHODS
from manipula.mechanics.robot.values.parameter import number
from manipula.mechanics.spatial.floats import FLOATS
from manipula.simulation.event_driven import integrate
from manipula.simulation.exact.mechanism import Mechanism, at_rest
from manipula.simulation.plant import Plant, arm_function, limits_of, stepping_of
from tests.laws.test_reference import block, gently_loaded, planar
from tests.random_robots import random_robot, with_laws

pytestmark = pytest.mark.usefixtures("without_search")

Array = np.ndarray[Any, np.dtype[np.float64]]
RUBBED = {"viscous": 0.1, "coulomb": 0.8, "stribeck": {"torque": 0.4, "velocity": 0.3}}


@cache
def made(plant: Plant, method: str = "rk4") -> Any:
    return arm_function(plant, method)


def ended(plant: Plant, start: Any, tau: Any, until: float, h: float, method: str = "rk4") -> tuple[Any, float]:
    system = System(made(plant, method), None, settings={"sample": (h,)}, sample=h)
    q, qd = start if isinstance(start, tuple) else (start, np.zeros(plant.robot.dof))
    state, worst = system.start(q=q, qd=qd), 0.0
    for k in range(round(until / h)):
        state, out = system.step(state, np.asarray(tau(k * h) if callable(tau) else tau, dtype=float))
        worst = max(worst, float(getattr(out, "residual", [0.0])[0]))  # a rigid arm tells none
    return state, worst


def swinging(**options: Any) -> Plant:
    names = list(planar().joint_names)
    return Plant(planar(**dict.fromkeys(names, RUBBED)), **{"effort": None, "stops": False, **options})


# the velocity problem


def descended(M: Array, free: Array, low: Array, high: Array, sweeps: int) -> tuple[Array, float]:
    none: list[Any] = [None] * len(free)
    to = stick.Bounds(low.tolist(), high.tolist(), none, none, none)
    v = stick.solve_stick_slip(FLOATS, M.tolist(), free.tolist(), to, sweeps)
    return np.array(v), float(stick._residual(FLOATS, M.tolist(), free.tolist(), to, v))


def test_sweeps_find_the_velocities_of_the_convex_problem_and_tell_when_they_do_not() -> None:
    rng, right = np.random.default_rng(3), 0
    for trial in range(200):
        n = 1 + trial % 6
        root = rng.normal(size=(n, n))
        M, free = root @ root.T + 0.3 * np.eye(n), rng.normal(size=n)
        low, high = -rng.uniform(0, 2, n), rng.uniform(0, 2, n)
        true = at_rest(M, M @ free, low, high, np.ones(n, dtype=bool)).a
        found, residual = descended(M, free, low, high, stick.SWEEPS)
        far = float(np.abs(found - true).max())
        assert residual > 1e-9 or far < 1e-9  # what is not right says so
        right += far < 1e-9
        if trial % 16 == 0 or not far < 1e-9:
            many, left = descended(M, free, low, high, 1000)
            assert left < 1e-9 and np.abs(many - true).max() < 1e-8
    assert right > 180


# at rest


@pytest.mark.turn
def test_a_held_load_does_not_move_one_bit_in_a_minute() -> None:
    """Every integrator, torques anywhere within the bounds."""
    plant = swinging()
    arm, q = Mechanism(plant.robot, True, None), np.array([0.3, -0.4])
    low, high = arm.rubbing.bounds(np.zeros(2))
    asked = {
        "rk4": (0.02, 60.0),
        "gauss4": (0.9, 6.0),
        "semi-implicit": (0.97, 6.0),
        "euler": (0.5, 6.0),
        "rk8": (0.1, 6),
    }
    assert set(asked) == set(METHODS)
    for method, (part, until) in asked.items():
        tau = arm.bias(q, np.zeros(2)) + low + part * (high - low)
        state, worst = ended(plant, q, tau, until, 2e-2, method)
        assert state.q.tobytes() == q.tobytes() and not state.qd.any() and worst == 0


def test_a_ramp_breaks_a_joint_loose_within_a_step_of_the_formula() -> None:
    plant, k, h = Plant(block(2.0, **RUBBED), effort=None), 3.0, 1e-3
    system = System(made(plant), None, settings={"sample": (h,)}, sample=h)
    state, step = system.start(), 0
    while not state.qd.any() and step < 1000:
        state, _ = system.step(state, np.array([k * step * h]))
        step += 1
    assert 0 <= (step - 1) * h - 1.2 / k < 1.0001 * h


@pytest.mark.slow
def test_puma_falls_and_stops_and_a_neighbour_is_broken_loose() -> None:
    """One of its joints starts 0.58 s after the others hold: coupling alone does that. All rest at the end."""
    plant = Plant(mp.load("puma560"), effort=None, stops=False)
    start = np.array([0.2, -0.3, 0.5, 0.3, 0.4, 0.1])
    true = integrate(plant, None, start, 4.0, at=[4.0], longest=0.5)
    state, worst = ended(plant, start, np.zeros(6), 4.0, 4e-3)
    assert not state.qd.any() and np.abs(state.q - true.q[0]).max() < 2e-4 and worst < 1e-12
    assert [x.what for x in true.changes] == ["slips", "sticks", "sticks"]


# in motion


@cache
def swung() -> Any:
    return integrate(swinging(), lambda t, q, v: np.array([6.0, 1.0]), [0.2, -0.3], 1.0, at=[1.0])


@pytest.mark.parametrize("method", METHODS)
def test_steps_converge_to_the_event_driven_motion_at_order_one_at_least(method: str) -> None:
    plant, tau = swinging(), np.array([6.0, 1.0])
    true = swung()
    assert len(true.changes) >= 2
    far = [np.abs(ended(plant, [0.2, -0.3], tau, 1.0, h, method)[0].q - true.q[0]).max() for h in (8e-3, 2e-3)]
    assert log2(far[0] / far[1]) / 2 > 0.8 and far[1] < 3e-2


@pytest.mark.parametrize("method", ["rk4", "gauss4"])
def test_between_changes_a_step_has_the_order_of_its_integrator(method: str) -> None:
    """Both joints slide all the time: order 4."""
    plant, start = swinging(), ([0.2, -0.3], [1.5, 2.0])
    tau = np.array([40.0, 10.0])
    true = integrate(plant, lambda t, q, v: tau, start, 0.2, at=[0.2])
    assert not true.changes
    far = [np.abs(ended(plant, start, tau, 0.2, h, method)[0].q - true.q[0]).max() for h in (0.02, 0.01)]
    assert abs(log2(far[0] / far[1]) - 4) < 0.4


@pytest.mark.turn
@pytest.mark.parametrize("seed", [1, *(pytest.param(x, marks=pytest.mark.slow) for x in (0, *range(2, 14)))])
def test_random_arms_with_every_friction_law_converge(seed: int) -> None:
    keys = [["stribeck", "asymmetric"], ["load"], ["load", "stribeck"], ["asymmetric"]][seed % 4]
    robot = random_robot(200 + seed, joints=2 + (seed > 7), screws=seed > 5)
    robot = gently_loaded(with_laws(robot, seed, keys))
    rng, n = np.random.default_rng(seed), robot.dof
    q, A = rng.uniform(-1, 1, n), rng.uniform(2, 9, n)
    plant, tau = Plant(robot, effort=None, stops=False), A
    true = integrate(plant, lambda t, q, v: tau, q, 0.3, at=[0.3])
    far = [np.abs(ended(plant, q, tau, 0.3, h)[0].q - true.q[0]).max() for h in (4e-3, 1e-3)]
    assert far[1] < 1e-9 or far[0] / far[1] > 2.2


@pytest.mark.turn
def test_smooth_friction_and_none() -> None:
    for friction in ("smooth", "none"):
        plant = swinging(friction=friction, width=1.0)
        true = integrate(plant, lambda t, q, v: np.array([1.0, 0.3]), [0.2, -0.3], 0.48, at=[0.48])
        far = [np.abs(ended(plant, [0.2, -0.3], [1.0, 0.3], 0.48, h)[0].q - true.q[0]).max() for h in (8e-3, 4e-3)]
        assert abs(log2(far[0] / far[1]) - 4) < 0.5


# stops and efforts


@pytest.mark.parametrize("way", [1, -1])
def test_stops_hold_and_let_go(way: int) -> None:
    """A slide falls on its upper or lower stop, rests there without a bit of motion, and leaves it when pulled."""
    robot = mp.Robot.from_dh(
        [{"type": "prismatic", "theta": 0, "d": 0, "a": 0, "alpha": 0, "mass": 2, "com": [0, 0, 0],
          "inertia": dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0), "limits": sorted([-way, 0.5 * way])}]
    ).with_gravity(0, 0, 9.81 * way)  # fmt: skip
    for plant in (Plant(robot, effort=None), Plant(robot.with_friction(joint1={"coulomb": 2}), effort=None)):
        state, _ = ended(plant, [0.0], [0.0], 1.0, 1e-3)
        assert state.q[0] == 0.5 * way and state.qd[0] == 0
        state, _ = ended(plant, [0.5 * way], [-25.0 * way], 0.3, 1e-3)
        rub = 2.0 if plant.dry else 0.0
        assert abs(way * state.q[0] - (0.5 - (25 - rub - 2 * 9.81) / 2 * 0.045)) < 3e-3


def test_a_stop_on_one_joint_moves_its_neighbour_as_the_event_driven_run_says() -> None:
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    rows = (arm.joints[0], replace(arm.joints[1], limits=(number(-1), number(1))))
    plant = Plant(mp.Robot.of(replace(arm, joints=rows)), effort=None)
    start = ([0.3, 0.2], [0.5, 4.0])
    true = integrate(plant, None, start, 0.5, at=[0.5])
    assert true.changes[0].what == "hits a stop"
    far = [np.abs(ended(plant, start, [0, 0], 0.5, h)[0].q - true.q[0]).max() for h in (2e-3, 5e-4)]
    assert far[1] < 4e-3 and far[0] / far[1] > 1.7


def test_torques_are_clipped() -> None:
    state, _ = ended(Plant(block(1.0), effort=[2.0]), [0.0], [50.0], 1.0, 1e-2)
    assert abs(state.q[0] - 1.0) < 1e-12 and abs(state.qd[0] - 2.0) < 1e-12


# joined, proved, in other words


@pytest.mark.turn
def test_the_loop_of_a_plant_is_one_proved_function_of_one_arm_a_batch_and_c() -> None:
    plant = swinging(effort=[30.0, 15.0])
    law = mp.controller(plant.robot, "pd_gravity", kp=80, kd=6, sample=2e-3)
    loop = mp.closed_loop(plant, law)
    assert "calls, to the plain models" in loop.provenance.proof
    q = np.random.default_rng(0).uniform(-1, 1, (5, 2))
    many = loop.start(q=q)
    for _ in range(200):
        many, _ = loop.step(many, [0.3, -0.2], [0, 0])
    for row in range(5):
        one = loop.start(q=q[row])
        for _ in range(200):
            one, _ = loop.step(one, [0.3, -0.2], [0, 0])
        assert one.q.tobytes() == many.q[row].tobytes() and one.qd.tobytes() == many.qd[row].tobytes()
    assert (many.qd == 0).any()  # a PD law that friction holds short of its aim


def test_a_law_in_every_stage_sticks_as_well() -> None:
    plant = swinging()
    law = mp.controller(plant.robot, "pd_gravity", kp=80, kd=6)
    loop = mp.closed_loop(plant, law, step=2e-3)
    state = loop.start(q=[0.1, 0.1])
    for _ in range(1000):
        state, _ = loop.step(state, [0.4, -0.2], [0, 0])
    assert not state.qd.any()
    left = np.abs(80 * (np.array([0.4, -0.2]) - state.q))
    assert (left <= 1.2 + 1e-9).all() and (left > 0).any()  # what friction holds of the spring


def test_an_error_in_the_friction_of_a_step_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The part that a step calls is another friction than the robot's."""
    plant = swinging()
    arm, step, asked, others = stepping_of(plant, "rk4")
    names = list(plant.robot.joint_names)
    wrong = others["rubs"].with_request(robot=plant.robot.with_friction({names[0]: {**RUBBED, "coulomb": 0.81}}))
    part = compose._part

    def planted(prepared: Any, tell: Any) -> Any:
        found = part(prepared, tell)
        if prepared.request.model != "friction_parts":
            return found
        return compose.Part(compose.generate_function(wrong.with_request(model="friction_parts"), tell), found.plain)

    monkeypatch.setattr(compose, "_part", planted)
    with pytest.raises(ProofError, match="friction_parts"):
        generate_block(step(arm), asked, lambda text: None, others)


def test_what_cannot_step_says_so() -> None:
    plant = swinging()
    with pytest.raises(UnknownNameError, match="rk5"):
        arm_function(plant, "rk5")
    with pytest.raises(InputError, match="drives 6 joints"):
        mp.closed_loop(plant, mp.controller("puma560", "pd_gravity", kp=1, kd=1, sample=1e-3))
    assert limits_of(plant).dry == (True, True) and limits_of(swinging(friction="none")).dry == (False, False)
