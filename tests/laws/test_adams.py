"""Adams' methods of variable order and step: errors below what is asked for, and where something jumps, as before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import cos
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.node import Expr, Graph
from manipula.errors import DivergenceError
from manipula.mechanics.robot.values.parameter import number
from manipula.scalar import Rate
from manipula.simulation.reference import integrate
from manipula.simulation.smooth import equation
from manipula.simulation.smooth.adams import DONE, LOST, MET, STUCK
from manipula.simulation.smooth.equation import Equation
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot, random_state

pytestmark = pytest.mark.usefixtures("without_search")

FREE = (np.full(2, -np.inf), np.full(2, np.inf))
NOTHING = np.empty(0)


def of_two(rates: Callable[[Expr, Expr, Expr], tuple[Expr, Expr]], *, time: bool = False) -> Equation:
    """ẏ of two states, both watched."""
    graph = Graph()
    a, b, t = (graph.symbol(name, online=True) for name in ("a", "b", "t"))
    inputs = (Input("y", (a, b), role="state"), *((Input("t", (t,)),) if time else ()))
    found = Function("two", graph, inputs, (Output("rate", (2,), rates(a, b, t), gives=Rate("y")),))
    return Equation(found, ("y",))


SWING = of_two(lambda a, b, t: (b, -a))


def swung(tolerance: float, times: Any, equation: Equation = SWING) -> Any:
    """From (0, 1): sin t, cos t."""
    return equation.solve(np.array([0.0, 1.0]), NOTHING, np.zeros(1), times, FREE, tolerance)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9, 1e-12])
def test_errors_follow_the_tolerance_at_every_time_between_steps_too(tolerance: float) -> None:
    times = np.sort(np.random.default_rng(1).uniform(0, 20, 300))
    times[0] = 0.0
    found = swung(tolerance, times)
    true = np.stack([np.sin(times), np.cos(times)], axis=1)
    assert found.how == DONE and len(found.rows) == 300
    assert np.abs(found.rows - true).max() < 100 * tolerance
    few = swung(tolerance, times[[0, -1]])
    assert few.evaluations == found.evaluations  # what is told costs none
    assert np.array_equal(few.rows[-1], found.rows[-1])


def test_orders_are_high_where_digits_are_many() -> None:
    """Of a method of order p a digit more takes 10^(1/p) times the evaluations: here less than of order 8."""
    times = np.array([0.0, 20.0])
    assert swung(1e-12, times).evaluations < 10 ** (6 / 9) * swung(1e-6, times).evaluations < 1000


def test_python_and_slices_give_what_machine_code_does_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    times = np.linspace(0, 3, 7)
    whole = swung(1e-8, times)
    monkeypatch.setattr(equation, "SLICE", 3)
    heard: list[float] = []
    parts = SWING.solve(np.array([0.0, 1.0]), NOTHING, np.zeros(1), times, FREE, 1e-8, stop=heard.append)
    assert len(heard) > 10 and heard == sorted(heard)
    assert np.array_equal(parts.rows, whole.rows) and parts.evaluations == whole.evaluations
    monkeypatch.setattr(equation, "vector_codes", lambda *texts: texts)
    plain = swung(1e-8, times, of_two(lambda a, b, t: (b, -a)))
    assert np.abs(plain.rows - whole.rows).max() < 1e-8


def test_what_has_corners_and_jumps_in_time_costs_steps_and_no_digits() -> None:
    """ẏ = 1 below t = 1, −2 from there on; beside it |sin t|, whose slope jumps."""

    def rates(a: Expr, b: Expr, t: Expr) -> tuple[Expr, Expr]:
        graph = t.graph
        jump = graph.apply("select", graph.apply("less", t, graph.const(1)), graph.const(1), graph.const(-2))
        return jump, graph.apply("abs", graph.apply("sin", 2 * t))

    kinked = of_two(rates, time=True)
    assert not kinked.jumps  # with the states
    found = kinked.solve(np.zeros(2), NOTHING, np.zeros(1), np.array([0.0, 0.5, 1.7, 3.0]), FREE, 1e-9)
    area = [0.0, (1 - cos(1)) / 2, 1 + (1 + cos(3.4)) / 2, 1 + (1 + cos(6)) / 2]  # of |sin 2t|: 1 a half turn
    assert np.abs(found.rows[:, 0] - [0, 0.5, 1 - 2 * 0.7, 1 - 2 * 2.0]).max() < 1e-7
    assert np.abs(found.rows[:, 1] - area).max() < 1e-7


def test_a_pole_is_not_passed_and_a_bound_is_met() -> None:
    pole = of_two(lambda a, b, t: (a * a, b))  # a = 1 / (1 − t)
    end = pole.solve(np.ones(2), NOTHING, np.zeros(1), np.array([0.0, 2.0]), FREE, 1e-9)
    assert end.how in (STUCK, LOST) and 0.99 < end.time < 1.01 and len(end.rows) == 1
    lost = pole.solve(np.array([1.0, np.nan]), NOTHING, np.zeros(1), np.array([0.0, 2.0]), FREE, 1e-9)
    assert lost.how == LOST
    for bound in (0.3, 0.99, 0.999999):  # the swing just reaches 1, between two steps
        bounds = FREE[0], np.array([np.inf, np.inf])
        bounds[1][0] = bound
        met = SWING.solve(np.array([0.0, 1.0]), NOTHING, np.zeros(1), np.array([0.0, 3.0]), bounds, 1e-6)
        assert (met.how, met.who) == (MET, 0)
        assert met.time < np.arcsin(bound) + 0.6
    away = FREE[0], np.array([3.0, 3.0])
    assert SWING.solve(np.array([0.0, 1.0]), NOTHING, np.zeros(1), np.array([0.0, 3.0]), away, 1e-6).how == DONE


# arms


def random_case(seed: int, kinds: str) -> tuple[mp.Plant, Any, Any, float, float]:
    """An arm, its torques, its start, its time and an accuracy."""
    rng = np.random.default_rng(seed)
    arm = mp.Robot.of(random_robot(seed, joints=kinds, actuators=False)).without("payload")
    arm = arm.with_friction({name: {"viscous": float(rng.uniform(0, 1))} for name in arm.joint_names})
    q, qd, *_ = random_state(arm, seed)
    plant = mp.Plant(arm, effort=None, stops=False)
    return plant, rng.normal(size=arm.dof), (np.array(q), np.array(qd)), rng.uniform(0.1, 1), 10 ** rng.uniform(-12, -5)


SLOW = [
    pytest.param(seed, kinds, marks=pytest.mark.slow)
    for seed, kinds in enumerate(["RRR", "PR", "RPH", "FRR", "HH", "RRRR", "PRF", "RR", "RPRP", "HRP", "PP"])
]


@pytest.mark.parametrize("seed, kinds", [(70, "R"), *SLOW])
def test_positions_are_as_accurate_as_asked_for(seed: int, kinds: str) -> None:
    plant, tau, start, until, accuracy = random_case(seed, kinds)
    count = int(np.random.default_rng(seed).choice([40, 150]))
    run = mp.simulate(plant, tau, start=start, until=until, step=until / count, method="adams", accuracy=accuracy)
    true = integrate(plant, lambda t, q, qd: tau, start, run.t[-1], rtol=2.3e-14, atol=1e-15, at=run.t)
    assert np.abs(run.q - true.q).max() < accuracy
    assert np.abs(run.qdd - true.qdd).max() < 1e3 * accuracy * max(1.0, np.abs(true.qdd).max())


ARM = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
BARE = mp.Plant(ARM, effort=None, stops=False)


def test_an_arm_that_magnifies_errors_is_as_accurate() -> None:
    """From near upright, where a step's error grows a thousandfold: one run with a tolerance would not do."""
    until = 3.0
    run = mp.simulate(BARE, start=[2.5, 1.0], until=until, step=0.03, method="adams", accuracy=1e-5)
    true = integrate(BARE, None, [2.5, 1.0], until, rtol=2.3e-14, atol=1e-15, at=[until])
    assert np.abs(run.q[-1] - true.q[-1]).max() < 1e-5


@pytest.mark.parametrize("law", ["computed_torque", pytest.param("slotine_li", marks=pytest.mark.slow)])
def test_a_law_in_continuous_time_with_a_load_it_does_not_know(law: str) -> None:
    gains = {"computed_torque": {"kp": 120, "kd": 15}, "slotine_li": {"lam": 8, "kd": 20, "gamma": 0.5}}[law]
    made = mp.controller(ARM, law, sample=None, **gains)
    ref = mp.trajectory.quintic([0, 0], [1, -0.5], 0.1)
    held = mp.Plant(ARM.with_payload(1.0), effort=None, stops=False)
    asked: dict[str, Any] = {"start": [0.1, 0.05], "until": 0.12, "step": 2e-3}
    asked["events"] = [mp.Event(0.08, payload={"mass": 0.3})]
    found = mp.simulate(held, made, ref, method="adams", accuracy=1e-9, **asked)
    true = mp.simulate(held, made, ref, method="dop853", **asked)
    assert np.abs(found.q - true.q).max() < 1e-9 and np.abs(found.tau - true.tau).max() < 1e-5
    assert found.state.keys() == true.state.keys()
    for name, values in found.state.items():
        assert np.abs(values - true.state[name]).max() < 1e-6 * max(1.0, np.abs(values).max())


def test_rows_of_a_batch_are_arms_alone() -> None:
    starts = np.random.default_rng(3).uniform(-1, 1, (2, 2, 2))
    symbolic = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, g=9.81)
    plant, masses = mp.Plant(symbolic, effort=None, stops=False), np.array([[1.0, 2.0], [0.5, 4.0]])
    asked: dict[str, Any] = {"until": 0.1, "method": "adams", "every": 10}
    batch = mp.simulate(plant, start=starts, parameters={"m2": masses}, threads=2, **asked)
    assert batch.q.shape == (2, 2, 11, 2)
    for row in np.ndindex(2, 2):
        alone = mp.simulate(plant, start=starts[row], parameters={"m2": masses[row]}, **asked)
        assert np.array_equal(alone.q, batch.q[row]) and np.array_equal(alone.tau, batch.tau[row])


def test_ctrl_c_ends_early_with_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half way of the second time it is solved."""
    monkeypatch.setattr(equation, "SLICE", 20)

    heard = list[float]()

    def tell(text: str) -> None:
        if text.endswith(" of 0.1 s"):
            heard.append(float(text.split(maxsplit=1)[0]))
            if 0.1 in heard[:-1] and heard[-1] > 0.05:
                raise KeyboardInterrupt

    whole = mp.simulate(BARE, start=[0.3, 0.2], until=0.1, method="adams")
    part = mp.simulate(BARE, start=[0.3, 0.2], until=0.1, method="adams", tell=tell)
    assert not part.whole and 10 < len(part.t) < 101
    assert np.abs(part.q - whole.q[: len(part.t)]).max() < 1e-9 and part.tau.shape == part.q.shape


def test_too_much_to_do_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equation, "SLICE", 20)
    monkeypatch.setattr(equation, "ENOUGH", 60)
    with pytest.raises(DivergenceError, match=r"takes more than 6e.01 evaluations: ask for less accuracy"):
        mp.simulate(BARE, start=[0.3, 0.2], until=0.5, method="adams")


DRY = ARM.with_friction({name: {"coulomb": 0.5} for name in ARM.joint_names})
SOFT = ARM.with_motor_inertia(dict.fromkeys(ARM.joint_names, 0.5))
STOPPED = replace(ARM, joints=(replace(ARM.joints[0], limits=(number(-1), number(Fraction(31, 100)))), ARM.joints[1]))
JUMPING: dict[str, tuple[Any, Any]] = {
    "dry friction": (mp.Plant(DRY, effort=None), None),
    "torques along time": (BARE, np.random.default_rng(2).normal(size=(20, 2))),
    "elastic joints": (mp.Plant(SOFT, effort=None, elastic=2000.0), None),
    "a function": (BARE, lambda t, q, qd: -2 * qd),
    "a sampled law": (BARE, mp.controller(ARM, "pd_gravity", sample=1e-2, kp=50, kd=5)),
    "a stop": (mp.Plant(STOPPED, effort=None), np.array([60.0, 0.0])),
}


@pytest.mark.parametrize("what", JUMPING)
def test_where_something_jumps_it_goes_from_event_to_event(what: str) -> None:
    plant, law = JUMPING[what]
    asked: dict[str, Any] = {"start": [0.3, 0.2], "until": 0.02, "step": 1e-3}
    found, exact = (mp.simulate(plant, law, method=method, **asked) for method in ("adams", "dop853"))
    assert np.array_equal(found.q, exact.q) and found.modes == exact.modes


@pytest.mark.slow
@pytest.mark.parametrize("effort, alike", [(35.0, True), (500.0, False)])
def test_a_law_that_reaches_an_effort_limit_goes_from_event_to_event(effort: float, alike: bool) -> None:
    law = mp.controller(ARM, "pd_gravity", sample=None, kp=300, kd=5)
    ref = mp.trajectory.quintic([0, 0], [1, -0.5], 0.2)
    plant = mp.Plant(ARM, effort=effort)
    asked: dict[str, Any] = {"until": 0.1, "step": 5e-3}
    with pytest.warns(mp.ManipulaWarning, match="before the reference does"):
        found, exact = (mp.simulate(plant, law, ref, method=x, **asked) for x in ("adams", "dop853"))
    assert np.array_equal(found.q, exact.q) == alike
    assert np.abs(found.q - exact.q).max() < 1e-9


@pytest.mark.parametrize(
    "asked, told",
    [
        ({"accuracy": 0.0}, "accuracy: expected a number from 1e-13"),
        ({"accuracy": np.nan}, "accuracy: expected a number"),
        ({"accuracy": "fine"}, "accuracy: expected a number"),
        ({"accuracy": True}, "accuracy: expected a number"),
        ({"accuracy": 1e-6, "method": "rk4"}, 'accuracy: is of method="adams"'),
        ({"start": [[0, 0], [1, 1]], "law": np.ones((100, 2)) * np.arange(100)[:, None]}, "adams: the torques change"),
        ({"law": "computed_torque"}, "law: found 'computed_torque'"),
    ],
)
def test_what_cannot_be_is_a_sentence(asked: dict[str, Any], told: str, whole: Sentences) -> None:
    with whole.raises(mp.InputError, match=told):
        asked = {"start": [0, 0], "until": 0.1, "method": "adams"} | asked
        mp.simulate(BARE, **asked)
