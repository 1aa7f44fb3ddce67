"""Laws and the loops they close, as a user asks for them: the motion of a loop written by hand, in Python and in C."""

from __future__ import annotations

import ctypes
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.ports import Namer, split
from manipula.algebra.tape import Tape
from manipula.generation.prepare import Request, prepare
from manipula.mechanics.models.integrate.discretisation import METHODS
from tests.emitted import needs_cc, shared
from tests.golden.sentences import Sentences
from tests.laws.test_joining import pid_step, plain, rk4_step
from tests.random_robots import random_robot

GAINS = {"kp": 60.0, "ki": 25.0, "kd": 12.0, "tracking": 15.0, "limit": 9.0, "filter": 4e-3}
LOAD = {"mL": 0.7, "rLx": 0.05, "rLy": -0.03, "rLz": 0.11}


def arm_of(seed: int, kinds: str) -> mp.Robot:
    """Without friction: a sign that rounding turns would part two loops."""
    return mp.Robot.of(random_robot(seed, joints=kinds, actuators=False))


class Steps:
    """Emitted C, driven from here: the struct of the header, and its two functions."""

    def __init__(self, tape: Tape, source: Path) -> None:
        library, name, states = shared(source), tape.name, [x for x in tape.inputs if x.role == "state"]
        kept = len(split(tape, Namer(())).kept)
        fields = [(x.name, ctypes.c_double * len(x.slots)) for x in states]

        class Memory(ctypes.Structure):
            _fields_ = [*fields, ("k", ctypes.c_double * kept)]

        self.memory, self.names = Memory(), [x.name for x in states]
        self._init, self._step = library[f"{name}_init"], library[f"{name}_step"]
        self._tau = (ctypes.c_double * next(len(x.slots) for x in tape.outputs if x.name == "tau"))()

    @staticmethod
    def vector(values: Any) -> Any:
        return (ctypes.c_double * len(values))(*map(float, values))

    def init(self, *arrays: Any) -> int:
        return int(self._init(ctypes.byref(self.memory), *map(self.vector, arrays)))

    def step(self, *arrays: Any) -> Any:
        self._step(ctypes.byref(self.memory), *map(self.vector, arrays), self._tau)
        return np.array(self._tau)

    @property
    def state(self) -> dict[str, Any]:
        return {name: np.array(getattr(self.memory, name)) for name in self.names}


def reference(i: int, n: int) -> tuple[Any, Any]:
    """A motion to follow."""
    phase = 0.004 * i + np.arange(n)
    return 0.4 * np.sin(phase), 1.6 * np.cos(phase)


@pytest.mark.turn
@needs_cc
@pytest.mark.parametrize("seed, kinds", [(31, "RP"), pytest.param(32, "RRR", marks=pytest.mark.slow)])
def test_a_thousand_steps_in_c_of_an_arm_with_an_unknown_payload(seed: int, kinds: str, tmp_path: Path) -> None:
    """PID, forward dynamics with a symbolic payload and Runge–Kutta as one function, against a loop in NumPy."""
    robot = arm_of(seed, kinds)
    plant, n, h = robot.with_payload("mL", ("rLx", "rLy", "rLz")), len(kinds), 1e-3
    law = mp.controller(robot, "pid", sample=h, **GAINS)
    loop = mp.closed_loop(plant, law)
    assert loop.inputs["p"] == ("mL", "rLx", "rLy", "rLz") and "4 calls" in loop.provenance.proof
    loop.emit("c", tmp_path)
    code = Steps(loop.tape, tmp_path / f"{loop.name}.c")
    q, qd = np.full(n, 0.2), np.zeros(n)
    start = {"q": q, "qd": qd, "integral": np.zeros(n), "filtered": q}
    settings = [loop.settings[port.name] for port in loop.function.inputs if port.role == "setting"]
    assert code.init(*(start[name] for name in code.names), *settings, list(LOAD.values())) == 0
    accelerate = plain(prepare(Request(plant, "pose")), "forward_dynamics", LOAD)
    x, fixed = dict(start), {**{k: np.full(n, v) for k, v in GAINS.items()}, "filter": GAINS["filter"], "sample": h}
    limited = 0
    for i in range(1000):
        x["q_ref"], x["qd_ref"] = reference(i, n)
        if i % 100 == 0:  # one step from equal states
            one = loop.step(code.state, x["q_ref"], x["qd_ref"], p=LOAD)
        tau = code.step(x["q_ref"], x["qd_ref"])
        if i % 100 == 0:
            for name, value in code.state.items():
                np.testing.assert_allclose(value, getattr(one.state, name), rtol=1e-13, atol=1e-13)
            np.testing.assert_allclose(tau, one.outputs, rtol=1e-13, atol=1e-13)
        new = pid_step(x, fixed)
        limited += bool((np.abs(new["tau"]) == GAINS["limit"]).any())
        x["q"], x["qd"] = rk4_step(accelerate, x["q"], x["qd"], new["tau"], h)
        x["integral"], x["filtered"] = new["integral_next"], new["filtered_next"]
        np.testing.assert_allclose(tau, new["tau"], rtol=1e-7, atol=1e-7)
    for name, value in code.state.items():
        np.testing.assert_allclose(value, x[name], rtol=1e-8, atol=1e-9)
    assert 0 < limited < 1000  # the limit was met, and left again


@pytest.mark.drawn("kinds")
@needs_cc
@pytest.mark.parametrize("kinds", ["R", "PR"])
def test_one_step_of_an_arm_alone_in_c(kinds: str, tmp_path: Path) -> None:
    """From equal states: dry friction, clipped torques, a payload that is a parameter."""
    robot = arm_of(33, kinds)
    rubs = robot.with_friction({name: {"coulomb": 1.0} for name in robot.joint_names})
    arm = mp.closed_loop(mp.Plant(rubs.with_payload("mL"), effort=8.0), None, step=2e-3)
    arm.emit("c", tmp_path)
    library, rng, n = shared(tmp_path / f"{arm.name}.c"), np.random.default_rng(3), len(kinds)
    kept = len(split(arm.tape, Namer(())).kept)
    fields = [(name, ctypes.c_double * n) for name in ("q", "qd")]
    memory = type("Memory", (ctypes.Structure,), {"_fields_": [*fields, ("k", ctypes.c_double * kept)]})()
    friction, residual = (ctypes.c_double * n)(), (ctypes.c_double * 1)()
    for _ in range(20):
        q, qd, tau = rng.uniform(-1, 1, (3, n)) * [[1], [rng.integers(2)], [12]]
        began = library[f"{arm.name}_init"](ctypes.byref(memory), *map(Steps.vector, (q, qd, [2e-3], [0.7])))
        library[f"{arm.name}_step"](ctypes.byref(memory), Steps.vector(tau), friction, residual)
        new, out = arm.step(arm.start(q=q, qd=qd), tau, p={"mL": 0.7})
        assert began == 0
        for found, true in ((memory.q, new.q), (memory.qd, new.qd), (friction, out.friction)):
            np.testing.assert_allclose(np.array(found), true, rtol=0, atol=1e-13 * max(1.0, np.abs(true).max()))


@pytest.mark.turn
def test_computed_torque_believes_in_an_arm_without_the_payload() -> None:
    """The law's torques are those of its own robot; with the true one the error obeys ë + kd ė + kp e = 0."""
    robot = mp.load("planar2r").with_parameters(l1=1, l2=0.7, m1=2, m2=1, g=9.81)
    law = mp.controller(robot, "computed_torque", kp=100, kd=20, sample=1e-3)
    plant, arm = robot.with_payload(1.5), mp.Arm(robot)
    q, qd, ref = np.array([0.3, -0.5]), np.array([0.1, 0.4]), np.array([[0.5, 0.2], [0.0, 0.1], [0.7, -0.2]])
    a = ref[2] + 20 * (ref[1] - qd) + 100 * (ref[0] - q)
    for driven, true in ((plant, False), (robot, True)):
        loop = mp.closed_loop(driven, law, method="euler")
        new, tau = loop.step(loop.start(q=q, qd=qd), *ref)
        np.testing.assert_allclose(tau, arm.inverse_dynamics(q, qd, a), rtol=1e-12)
        found = (new.qd - qd) / 1e-3
        np.testing.assert_allclose(found, mp.Arm(driven).forward_dynamics(q, qd, tau), rtol=1e-9)
        assert np.allclose(found, a, rtol=1e-9) is true
    np.testing.assert_allclose(law.step((), q, qd, *ref).outputs, tau, rtol=1e-12)


def loop_of(robot: mp.Robot, sample: float | None) -> mp.System:
    law = mp.controller(robot, "pd_gravity", kp=30, kd=8, sample=sample)
    return mp.closed_loop(robot, law, step=1.0 if sample is None else None)


@pytest.mark.turn
def test_a_law_in_continuous_time_acts_in_every_stage() -> None:
    """Its error falls with the fourth power of the step; a torque that is held leaves an error of the first."""
    robot = mp.load("planar2r").with_parameters(l1=1, l2=0.7, m1=2, m2=1, g=9.81)
    q0, ref = np.array([0.3, -0.5]), np.array([[0.5, 0.2], [0.0, 0.0]])

    made = {held: loop_of(robot, 1.0 if held else None) for held in (False, True)}

    def ended(steps: int, held: bool) -> Any:
        loop = replace(made[held], settings={**made[held].settings, "sample": (0.2 / steps,)})
        state = loop.start(q=q0)
        for _ in range(steps):
            state = loop.step(state, *ref).state
        return np.concatenate(state)

    true = ended(160, held=False)
    for held, order in ((False, 4), (True, 1)):
        coarse, fine = (np.abs(ended(n, held) - true).max() for n in (20, 40))
        assert abs(np.log2(coarse / fine) - order) < 0.4


@pytest.mark.turn
@pytest.mark.drawn("method")
@pytest.mark.parametrize("method", METHODS)
def test_a_batch_of_loops_is_the_loops(method: str) -> None:
    robot = arm_of(7, "PR")
    loop = mp.closed_loop(robot, mp.controller(robot, "pid", sample=2e-3, **GAINS), method=method)
    rng = np.random.default_rng(1)
    start = {name: rng.uniform(-0.3, 0.3, size=(6, 2)) for name in ("q", "qd", "filtered")}
    ref = rng.uniform(-0.5, 0.5, size=(2, 6, 2))
    many, ones = loop.start(**start), [loop.start(**{k: v[i] for k, v in start.items()}) for i in range(6)]
    for _ in range(5):
        many = loop.step(many, *ref, out=many).state
        ones = [loop.step(x, ref[0, i], ref[1, i]).state for i, x in enumerate(ones)]
    for i, one in enumerate(ones):
        assert all(a.tobytes() == b[i].tobytes() for a, b in zip(one, many))


ODD = """
format = 1
name = "odd arm"
convention = "modified"
angle = "rad"
length = "m"
[[joint]]
name = "stand"
type = "fixed"
theta = 0
d = 0.3
a = 0
alpha = 0
mass = 4
com = [0, 0, 0.1]
inertia = { xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0 }
[[joint]]
name = "state"
type = "prismatic"
theta = 0
d = 0
a = 0
alpha = 1.5707963267948966
mass = 1.5
com = [0.1, 0, 0]
inertia = { xx = 0, yy = 0.02, zz = 0.02, xy = 0, xz = 0, yz = 0 }
[[joint]]
name = "k"
type = "revolute"
theta = "pi/3"
d = 0
a = 0.4
alpha = 0
mass = 0.8
com = [0.1, 0.02, 0]
inertia = { xx = 0.01, yy = 0.02, zz = 0.02, xy = 0, xz = 0, yz = 0 }
friction = { viscous = "fv2", coulomb = 0.3, offset = 0 }
"""


@pytest.mark.turn
@needs_cc
def test_a_fixed_first_joint_a_quarter_turn_as_a_float_odd_names(tmp_path: Path) -> None:
    robot = mp.Robot.from_text(ODD)
    law = mp.controller(robot, "pd_gravity", kp=[20, 30], kd=np.array([3, 4]), sample=1e-2)
    loop = mp.closed_loop(robot, law, method="semi-implicit")
    assert loop.inputs["p"] == ("fv2",) and loop.settings["kp"] == (20.0, 30.0)
    arm, p = mp.Arm(robot.with_parameters(fv2=0.4)), {"fv2": 0.4}
    q, qd, ref = np.array([0.1, 0.7]), np.array([-0.3, 0.2]), np.array([[0.4, 0.1], [0.0, 0.2]])
    new, tau = loop.step(loop.start(q=q, qd=qd), *ref, p=p)
    np.testing.assert_allclose(tau, arm.gravity(q) + [20, 30] * (ref[0] - q) + [3, 4] * (ref[1] - qd), rtol=1e-12)
    after = qd + 1e-2 * arm.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(new.qd, after, rtol=1e-10)
    np.testing.assert_allclose(new.q, q + 1e-2 * after, rtol=1e-12)
    loop.emit("c", tmp_path)
    code = Steps(loop.tape, tmp_path / f"{loop.name}.c")
    assert code.init(q, qd, *loop.settings.values(), [0.4]) == 0
    np.testing.assert_allclose(code.step(*ref), tau, rtol=1e-13)
    np.testing.assert_allclose(code.state["q"], new.q, rtol=1e-13)


def test_laws_are_values() -> None:
    law = mp.controller("planar2r", "pd_gravity", kp=1, kd=2, sample=1e-3)
    again = pickle.loads(pickle.dumps(law))
    assert again == law and again.settings == law.settings and again.request == law.request
    assert law != mp.controller("planar2r", "pd_gravity", kp=1, kd=3, sample=1e-3)
    assert law.start() == () and [x.gives for x in law.function.outputs] == [None]


def test_what_a_law_needs_is_said(whole: Sentences) -> None:
    with whole.raises(mp.UnknownNameError, match="did you mean 'pid'"):
        mp.controller("planar2r", "pit", kp=1)
    with whole.raises(mp.InputError, match=r"no value for ki \(integral gains, .*limit \(largest torques"):
        mp.controller("planar2r", "pid", kp=1, kd=1, filter=1e-3, tracking=1, sample=1e-3)
    with whole.raises(mp.UnknownNameError, match="no setting of planar2r_pid is called 'kg'"):
        mp.controller("planar2r", "pid", **GAINS, kg=2, sample=1e-3)
    for wrong in ([1, 2, 3], "12", [1, "x"], None, float("nan")):
        with whole.raises(mp.InputError, match="planar2r_pid: kp: expected a number or 2 numbers"):
            mp.controller("planar2r", "pid", **{**GAINS, "kp": wrong}, sample=1e-3)
    law = mp.controller("planar2r", "pd_gravity", kp=1, kd=1, sample=1e-3)
    for step in (3e-4, 2e-3, 1.5e-3):
        with whole.raises(mp.InputError, match=r"sample time of 0\.001 s is no whole multiple of step="):
            mp.closed_loop("planar2r", law, step=step)
    with whole.raises(mp.InputError, match="step="):
        mp.closed_loop("planar2r", mp.controller("planar2r", "pid", **GAINS))
    with whole.raises(mp.InputError, match="drives 2 joints; pucrio has 6"):
        mp.closed_loop("pucrio", law)
    with whole.raises(mp.UnknownNameError, match="integrator"):
        mp.closed_loop("planar2r", law, method="rk45")
    flowing = mp.controller("planar2r", "pid", **GAINS)
    first = flowing.start(filtered=[0.1, 0.2])
    assert first.filtered.tolist() == [0.1, 0.2] and not first.integral.any()
    with whole.raises(mp.InputError, match="gives the rates of its states, in continuous time"):
        flowing.step(first, [0, 0], [0, 0], [0, 0], [0, 0])
    with whole.raises(mp.InputError, match="no value for"):
        law.step((), [0, 0], [0, 0], [0, 0], [0, 0])


@pytest.mark.parametrize("wrong", [{name: -1e-9} for name in GAINS] + [{"kp": [1, -1]}, {"ki": float("inf")}])
def test_gains_limits_and_times_are_not_negative(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(mp.InputError, match=rf"planar2r_pid: {name} \(.*\): expected at least 0, found"):
        mp.controller("planar2r", "pid", **{**GAINS, **wrong}, sample=1e-3)


@pytest.mark.parametrize("wrong", [0, -1e-3, float("nan"), float("inf"), "1"])
def test_time_goes_on(wrong: Any) -> None:
    for law in ("pid", "pd_gravity"):
        gains = GAINS if law == "pid" else {"kp": 1, "kd": 1}
        with pytest.raises(mp.InputError, match="sample"):
            mp.controller("planar2r", law, **gains, sample=wrong)
    with pytest.raises(mp.InputError, match="step"):
        mp.closed_loop("planar2r", mp.controller("planar2r", "pid", **GAINS), step=wrong)


def test_no_limit_and_no_filter() -> None:
    """A limit may be none; a low-pass of no time is one step long, and in continuous time there is no such thing."""
    free = {**GAINS, "limit": float("inf"), "filter": 0.0}
    assert mp.controller("planar2r", "pid", **free, sample=1e-3).settings["limit"] == (float("inf"),) * 2
    with pytest.raises(mp.InputError, match=r"filter .*: expected more than 0, found 0"):
        mp.controller("planar2r", "pid", **free)
