"""Bad input of simulation and control, each answered by a sentence: one table of calls, by what is wrong in them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf, nan
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.simulation import closed_run
from tests.golden.sentences import Sentences

pytestmark = pytest.mark.usefixtures("kept_functions")

ARM = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
PLANT = mp.Plant(ARM, effort=None)
REF = mp.trajectory.quintic([0, 0], [0.5, -0.2], 0.05)
LIMITED = mp.Robot.from_dh(
    [{"theta": "q1", "d": 0, "a": 0.4, "alpha": 0, "limits": [-1, 1], "mass": 1, "com": [0, 0, 0],
      "inertia": {"zz": 0.1, "xx": 0.1, "yy": 0.1, "xy": 0, "xz": 0, "yz": 0}}],
)  # fmt: skip
PUSH = mp.Event(0.5, wrench=[0] * 6)


@cache
def law() -> mp.Law:
    return mp.controller(ARM, "pd_gravity", kp=100, kd=20, sample=1e-3)


def made(name: str = "pd_gravity", **given: Any) -> Any:
    return mp.controller(ARM, name, **{"kp": 100, "kd": 20, "sample": 1e-3, **given})


def learns(**given: Any) -> Any:
    return mp.controller(ARM, "dynamic_adaptive", **{"lam": 1, "kd": 1, "gamma_load": 1, "sample": 1e-3, **given})


def dropping(name: str) -> Any:
    return mp.controller(ARM, "dynamic_adaptive", adapt="simplified", dropped=name, lam=1, kd=1, gamma_theta=1)


def free(**given: Any) -> Any:
    """No law: nothing is generated before the fault is met."""
    return mp.simulate(**{"plant": PLANT, "start": [0.1, 0.2], "until": 0.01, **given})


def follow(**given: Any) -> Any:
    return mp.simulate(**{"plant": PLANT, "law": law(), "ref": REF, **given})


def torques(told: Any) -> Callable[..., Any]:
    return lambda t, q, qd: told


Case = tuple[Callable[[], Any], str]
GAINS: list[Case] = [
    (lambda: made(kp=nan), "kp: expected a number or 2 numbers, one for each, found NaN"),
    (lambda: made(kp=-1), r"kp \(proportional gains, .*\): expected at least 0, found -1"),
    (lambda: made(kp=inf), "expected at least 0, found inf"),
    (lambda: made(kp=10**400), "kp: expected a number"),
    (lambda: made(kp="100"), "found '100'"),
    (lambda: made(kp=True), "found True"),
    (lambda: made(kp=None), "found None"),
    (lambda: made(kp=1j), "found 1j"),
    (lambda: made(kp=[1, 2, 3]), r"found \[1, 2, 3\]"),
    (lambda: made(kp=[]), r"found \[\]"),
    (lambda: made(kp=[[1, 2]]), r"found \[\[1, 2\]\]"),
    (lambda: made(kp=np.ones((2, 2))), r"found array\(\[\[1., 1.\], \[1., 1.\]\]\)"),
    (lambda: made(kp={"theta1": 1, "theta2": 2}), "kp: expected a number"),
    (lambda: mp.controller(ARM, "pd_gravity", kp=1), r"no value for kd \(derivative gains"),
    (lambda: made(kpp=1), "is called 'kpp'; did you mean 'kp'"),
    (lambda: made("computed_torque", kp=4e4, kd=400, delay=3), "unstable at a sample of 0.001 s and a delay of 3"),
    (lambda: made("computed_torque", kp=1e7), "is unstable at a sample of 0.001 s"),
    (lambda: made(delay=1.5), "delay: expected whole samples"),
    (lambda: made(sample=0), "sample: expected the time of a step in seconds, more than 0, found 0"),
    (lambda: made(sample=-1e-3), "sample: expected"),
    (lambda: made(sample=nan), "sample: expected"),
    (lambda: made(sample="1e-3"), "sample: expected"),
    (lambda: made(sample=True), "sample: expected"),
    (lambda: made("computed_torqe"), "no control law is called 'computed_torqe'; did you mean 'computed_torque'"),
    (lambda: made(None), "no control law is called None"),  # type: ignore[arg-type]
    (lambda: made(["pid"]), r"no control law is called \['pid'\]"),  # type: ignore[arg-type]
    (lambda: made(symbolic="some"), "symbolic: expected 'auto', 'none', 'all' or a list of names, found 'some'"),
    (lambda: made(optimise="very"), "no optimisation level is called 'very'"),
    (lambda: made("impedance", task="dance"), "expected 'pose' or 'position'"),
    (lambda: learns(adapt=3), "no part of an arm to adapt is called '3'"),
    (lambda: learns(adapt=None), "no part of an arm to adapt"),
    (lambda: learns(adapt=()), "one or several of payload, friction, simplified"),
    (lambda: learns(adapt=("payload", "payload")), "each once"),
    (lambda: dropping("m9"), "no parameter of dynamic_adaptive .* is called 'm9'"),
    (lambda: mp.controller(3, "pid"), "found 3, expected the name of a library robot"),  # type: ignore[arg-type]
    (lambda: mp.controller("nobody", "pid"), "is called 'nobody'"),
    (lambda: follow(parameters={"kp": -5.0}), r"kp \(proportional gains, .*\): expected at least 0, found -5"),
    (lambda: follow(parameters={"kp": np.array([[1.0, 2.0], [3.0, -4.0]])}), "expected at least 0, found -4"),
    (lambda: follow(parameters={"kp": [1, 2, 3]}), r"parameters: kp: expected shape \(…, 2\), found \(3,\)"),
]
TIMES: list[Case] = [
    (lambda: free(step=0), "step: expected a time in seconds, more than 0, found 0"),
    (lambda: free(step=-1e-3), "step: expected"),
    (lambda: free(step=nan), "step: expected"),
    (lambda: free(step="1e-3"), "step: expected"),
    (lambda: free(step=None), "step: expected"),
    (lambda: free(step=np.array([1e-3])), "step: expected"),
    (lambda: free(step=1e-300), "steps are too many to keep"),
    (lambda: free(until=0), "until: expected a time"),
    (lambda: free(until=-1), "until: expected a time"),
    (lambda: free(until=inf), "until: expected a time"),
    (lambda: free(until=nan), "until: expected a time"),
    (lambda: free(until="1"), "until: expected a time"),
    (lambda: free(until=0.0005), "no whole number of steps"),
    (lambda: free(until=1e-4), "no whole number of steps"),
    (lambda: free(until=None), "until: without a reference"),
    (lambda: free(until=1e300), r"^1e\+303 steps are too many to keep"),
    (lambda: free(until=1e9, step=1e-9), "too many to keep"),
    (lambda: free(method="rk44"), "no method is called 'rk44'; did you mean 'rk4'"),
    (lambda: free(method="adams"), "no method is called 'adams'\\. Known: .*rk8, .*dop853\\."),
    (lambda: free(method=None), "no method is called None"),
    (lambda: free(method=4), "no method is called 4"),
    (lambda: free(every=0), "every: expected a whole number"),
    (lambda: free(every=1.5), "every: expected a whole number"),
    (lambda: free(threads=-1), "threads: expected a whole number"),
    (lambda: free(threads="2"), "threads: expected a whole number"),
    (lambda: free(seed="x"), "seed: expected a whole number"),
    (lambda: free(seed=-1), "seed: expected a whole number"),
    (
        lambda: follow(ref=None, start=[0, 0], step=7e-4, until=0.007),
        "sample time of 0.001 s is no whole multiple of step = 0.0007 s",
    ),
    (lambda: mp.closed_loop(ARM, law(), step=3e-4), "no whole multiple of step"),
    (lambda: mp.closed_loop(ARM, law(), step=0), "step: expected the time of a step"),
    (lambda: mp.closed_loop(ARM, law(), method="rk"), "no integrator is called 'rk'"),
]
STARTS: list[Case] = [
    (lambda: free(start=[0, 0, 0]), r"start: q: expected shape \(…, 2\)"),
    (lambda: free(start=0.3), "start: q: expected shape"),
    (lambda: free(start=[0, nan]), "start: q: found nan at"),
    (lambda: free(start=([0, 0], [0])), "start: qd: expected shape"),
    (lambda: free(start="here"), "start: q: expected numbers"),
    (lambda: free(start=["a", "b"]), "start: q: expected numbers"),
    (lambda: free(start=[[1, 2], [3]]), "start: q: expected numbers"),
    (lambda: free(start=[1j, 0]), "start: q: expected numbers"),
    (lambda: free(start={"p": [0, 0]}), "is called 'p'"),
    (lambda: free(start=np.zeros((0, 2))), "empty array"),
    (lambda: free(start=(np.zeros((2, 2)), np.zeros((3, 2)))), "do not go together"),
    (lambda: free(start=np.zeros((3, 2)), parameters={"m1": [1.0, 2.0]}), "do not go together"),
    (lambda: free(start=np.zeros((300_000, 2)), until=10.0), r"10000|1e\+04 steps of 300000 arms are too many to keep"),
    (lambda: free(start=np.zeros((2, 2)), method="dop853"), "dop853 simulates one arm"),
    (
        lambda: mp.simulate(LIMITED, start=[1.5], until=0.1),
        r"start: joint 'joint1' is at 1.5 rad, outside .* -1 … 1 rad",
    ),
    (lambda: mp.simulate(LIMITED, start=[[0.5], [-2]], until=0.1), r"start: joint 'joint1' is at -2 rad \(row 1\)"),
    (lambda: mp.simulate("planar2r", start=[0, 0], until=0.01), "needs a value for .*m1.*; parameters="),
    (lambda: free(parameters=[1]), "parameters: expected values by name"),
    (lambda: free(parameters={"mass": 1}), "no parameter of planar2r is called 'mass'"),
    (lambda: free(parameters={"m1": nan}), "parameters: m1: found nan"),
    (lambda: free(parameters={"m1": "heavy"}), "parameters: m1: expected numbers"),
    (lambda: free(plant=None), "found None, expected the name of a library robot"),
    (lambda: free(plant="nobody"), "is called 'nobody'"),
]
DRIVES: list[Case] = [
    (
        lambda: mp.simulate(LIMITED, ref=mp.trajectory.quintic([0], [1.5], 1.0)),
        r"ref: joint 'joint1' is at 1.0.* rad at 0",
    ),
    (lambda: free(ref=3), "ref: expected a trajectory"),
    (lambda: free(ref=[0, 0]), "ref: expected a trajectory"),
    (lambda: free(ref=lambda t: t), "ref: expected a trajectory"),
    (lambda: free(ref=mp.trajectory.quintic([0], [1], 0.01)), "ref: moves 1 joints; planar2r has 2"),
    (lambda: follow(ref={"x_ref": [0, 0]}, until=0.01), "no input of a law of this run is called 'x_ref'"),
    (lambda: follow(ref={"q_ref": [0, 0]}, until=0.01), "no reference for qd_ref"),
    (lambda: follow(ref={"q_ref": np.zeros((3, 2)), "qd_ref": [0, 0]}, until=0.01), "ref: q_ref: expected shape"),
    (lambda: mp.closed_loop(ARM, law(), 3), "ref: expected a trajectory"),  # type: ignore[arg-type]
    (lambda: mp.closed_loop(ARM, law(), mp.trajectory.quintic([0], [1], 1)), "the reference has 1"),
    (lambda: free(law=[1, 2, 3]), "law: expected shape"),
    (lambda: free(law=np.zeros((7, 2))), "law: expected shape"),
    (lambda: free(law=[1, nan]), "law: found nan"),
    (lambda: free(law="pid"), r"law: found 'pid'; mp.controller\(robot, 'pid', …\) makes a law"),
    (lambda: free(law={"tau": 1}), "law: expected numbers"),
    (lambda: free(law=torques([1.0])), "law: gave shape"),
    (lambda: free(law=torques(None)), "law: gave shape"),
    (lambda: free(law=torques("much")), "law: gave 'much' at 0 s, expected 2 torques"),
    (lambda: free(law=torques([0, nan])), "law: gave nan at 0 s, expected finite torques"),
    (lambda: mp.simulate(mp.Plant(LIMITED, effort=None), law(), start=[0], until=0.01), "drives 2 joints; robot has 1"),
    (lambda: free(wrench=[1, 2, 3]), "wrench: expected shape"),
    (lambda: free(wrench=np.zeros((7, 6))), "wrench: expected shape"),
    (lambda: free(wrench=[1, 2, 3, 4, 5, inf]), "wrench: found inf"),
    (lambda: free(wrench="push"), "wrench: expected numbers"),
    (lambda: free(sensors=mp.Sensors()), "sensors need a law"),
    (lambda: follow(sensors="noisy"), r"sensors: expected mp.Sensors\("),
    (lambda: follow(sensors=mp.Sensors(noise={"q": [1, 2, 3]})), "q_sigma: expected a number or 2 numbers"),
    (lambda: follow(sensors=mp.Sensors(), method="dop853"), "sensors: dop853 does not support them"),
    (lambda: mp.Sensors(noise=1e-3), "sensors: noise: expected standard deviations by name"),  # type: ignore[arg-type]
    (lambda: mp.Sensors(noise={"q": -1}), "noise of q: expected numbers, at least 0"),
    (lambda: mp.Sensors(noise={"p": 1}), "no measured quantity is called 'p'"),
    (lambda: mp.Sensors(resolution=0), "resolution: expected numbers, more than 0"),
    (lambda: mp.Sensors(delay=-1), "delay: expected whole samples"),
]
EVENTS: list[Case] = [
    (lambda: free(events=[3]), "events: expected a list of mp.Event"),
    (lambda: free(events=None), "events: expected a list of mp.Event"),
    (lambda: free(events="now"), "events: expected a list of mp.Event"),
    (lambda: free(events=[PUSH]), "event at 0.5 s: the run ends at 0.01 s"),
    (lambda: free(events=[mp.Event(0.0015, wrench=[0] * 6)]), "event at 0.0015 s: no whole number of steps"),
    (lambda: free(events=[mp.Event(0.003, wrench=[0] * 6)], every=2), "event at 0.003 s: no whole number of every = 2"),
    (lambda: free(events=[mp.Event(0.003, wrench=[0, 1])]), "wrench: expected shape"),
    (lambda: free(events=[mp.Event(0.003, law="pid")]), "law: found 'pid'"),
    (lambda: free(events=[mp.Event(0.003, payload={"mass": 1, "com": [0, nan, 0]})]), "found nan"),
    (lambda: mp.Event(-1, payload=1), "t: expected a time"),
    (lambda: mp.Event(nan, payload=1), "t: expected a time"),
    (lambda: mp.Event("1", payload=1), "t: expected a time"),  # type: ignore[arg-type]
    (lambda: mp.Event(1), "nothing changes"),
    (lambda: mp.Event(1, payload=-1), "expected a mass in kg, at least 0, found -1"),
    (lambda: mp.Event(1, payload=nan), "expected a mass"),
    (lambda: mp.Event(1, payload={"com": [0, 0, 0]}), "expected a mass, or mass, com and inertia"),
    (lambda: mp.Event(1, payload={"mass": 1, "volume": 2}), "expected a mass, or mass, com and inertia"),
    (lambda: mp.Plant(ARM, friction="sticky"), "no friction of a plant is called 'sticky'; did you mean 'stick'"),  # type: ignore[arg-type]
    (lambda: mp.Plant(ARM, effort=-1), "effort: expected"),
    (lambda: mp.Plant(ARM, effort=nan), "effort: expected"),
    (lambda: mp.Plant(ARM, effort=[1, 2, 3]), "effort: expected"),
    (lambda: mp.Plant(ARM, effort="max"), "effort: expected"),  # type: ignore[arg-type]
    (lambda: mp.Plant(ARM, width=0), "width: expected"),
    (lambda: mp.Plant(ARM, stops="yes"), "stops: expected True or False"),  # type: ignore[arg-type]
    (lambda: mp.Plant(3), "found 3, expected the name of a library robot"),  # type: ignore[arg-type]
    (lambda: ARM.with_payload(-1), "payload: mass: is negative"),
    (lambda: mp.loads(ARM, None), "loads: expected a run or a trajectory"),
    (lambda: mp.loads(ARM, REF, wrench=[1, 2]), "wrench: expected a force and a moment, six numbers"),
    (lambda: mp.loads(ARM, REF, wrench="push"), "wrench: expected a force and a moment, six numbers"),
    (lambda: mp.loads("planar2r", REF), "needs a value for l1"),
    (lambda: mp.loads("planar2r", REF, parameters={"l1": "x"}), "parameters: l1: expected numbers"),  # type: ignore[dict-item]
    (lambda: mp.loads(LIMITED, REF), "not one of 1 joints"),
]
ALL = {"gains": GAINS, "times": TIMES, "starts": STARTS, "drives": DRIVES, "events, plants and loads": EVENTS}
LISTED = [pytest.param(*case, id=f"{kind}: {case[1][:50]}") for kind, cases in ALL.items() for case in cases]


@pytest.mark.parametrize("call, sentence", LISTED)
def test_bad_input_is_answered_by_a_sentence(call: Callable[[], Any], sentence: str, whole: Sentences) -> None:
    with whole.raises(mp.InputError, match=sentence) as told:
        call()
    assert "\n" not in str(told.value) and len(str(told.value)) < 600


def test_a_robot_without_effort_limits_is_warned_of() -> None:
    with pytest.warns(mp.ManipulaWarning, match="no joint has an effort limit"):
        mp.Plant(ARM)


def test_torques_row_by_row_are_each_held_for_a_step() -> None:
    """Of a robot with loops; the last row goes on where there is no other."""
    robot: Any = SimpleNamespace(name="linkage", motors=("a", "b"))
    table, step = np.arange(8.0).reshape(4, 2), 0.1
    torques = closed_run._torques(robot, table, 4, step)
    nothing = np.zeros(2)
    for k in range(4):
        for within in (0.0, 0.5, 0.99):
            assert torques((k + within) * step, nothing, nothing).tolist() == table[k].tolist()
    assert torques(9.0, nothing, nothing).tolist() == table[-1].tolist()
    assert closed_run._torques(robot, [3, 4], 4, step)(0.3, nothing, nothing).tolist() == [3, 4]
    for wrong in (table, table[:, :1], [1.0], "torque"):
        with pytest.raises(mp.InputError, match=r"linkage: simulate: .* torques of a, b, held or a row a step"):
            closed_run._torques(robot, wrong, 5, step)
