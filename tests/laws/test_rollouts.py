"""Loops that run by themselves: with the reference inside, many steps in one call, many arms side by side."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.run import repeated
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result
from manipula.mechanics.models.ports import Q_REF, QD_REF, QDD_REF, PortKind
from manipula.scalar import Maths
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot

pytestmark = pytest.mark.usefixtures("without_search")

PLANAR = mp.load("planar2r").with_parameters(l1=1, l2=0.7, m1=2, m2=1, g=9.81)


def _swing(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
    """q = A sin(t)"""
    sine, cosine = maths.sin(x["t"][0]), maths.cos(x["t"][0])
    return {
        "q_ref": [a * sine for a in x["swing"]],
        "qd_ref": [a * cosine for a in x["swing"]],
        "qdd_ref": [-a * sine for a in x["swing"]],
    }


SWING = Block(
    "swing",
    "a sine of every joint",
    (PortKind("t", "s", "time", ("t",)), PortKind("swing", "rad or m", "amplitudes", role="setting")),
    {kind.name: Result(kind.unit, kind.doc) for kind in (Q_REF, QD_REF, QDD_REF)},
    _swing,
)


@dataclass(frozen=True)
class Swing:
    """A motion to follow, as a loop asks for one."""

    swing: tuple[float, ...]
    block: Block | None = field(default=SWING)

    @property
    def dof(self) -> int:
        return len(self.swing)

    @property
    def settings(self) -> dict[str, tuple[float, ...]]:
        return {"swing": self.swing}

    def __call__(self, t: float) -> Any:
        return np.array([np.multiply(self.swing, x) for x in (np.sin(t), np.cos(t), -np.sin(t))])


REF = Swing((0.4, -0.7))


def law_of(robot: mp.Robot, sample: float | None, law: str = "computed_torque") -> mp.Law:
    return mp.controller(robot, law, kp=120, kd=21, sample=sample)


# the reference inside


def test_a_sampled_loop_follows_its_own_clock() -> None:
    """Step by step the loop that has the reference inside is the one that is told it."""
    law = law_of(PLANAR, 1e-3)
    inside, told = mp.closed_loop(PLANAR, law, REF), mp.closed_loop(PLANAR, law)
    a, b = inside.start(q=[0.1, 0.2]), told.start(q=[0.1, 0.2])
    assert a._fields == ("q", "qd", "clock")
    for k in range(20):
        a, out = inside.step(a)
        b, tau = told.step(b, *REF(k * 1e-3))
        np.testing.assert_allclose(out.tau, tau, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(out.qdd_ref, REF(k * 1e-3)[2], rtol=1e-14, atol=1e-16)
        np.testing.assert_allclose(a.qd, b.qd, rtol=1e-12, atol=1e-14)
    assert a.clock == 20


def test_every_stage_has_its_own_time() -> None:
    """With the law in every stage and the exact model the error is the integrator's: of the fourth order."""
    law = law_of(PLANAR, None)

    loop = mp.closed_loop(PLANAR, law, REF, step=1e-3)

    def error(steps: int) -> float:
        start = loop.start(q=REF(0.0)[0], qd=REF(0.0)[1])
        return float(np.abs(loop.run(start, steps, p={"sample": 0.4 / steps}).state.q - REF(0.4)[0]).max())

    assert abs(np.log2(error(10) / error(20)) - 4) < 0.5


def test_laws_that_ask_for_less_of_a_reference() -> None:
    robot = mp.Robot.of(random_robot(5, joints="P", actuators=False))
    loop = mp.closed_loop(robot, law_of(robot, 1e-2, "pd_gravity"), Swing((0.3,)), method="semi-implicit")
    _, out = loop.step(loop.start(clock=50))
    np.testing.assert_allclose(
        out.tau, mp.Arm(robot).gravity([0.0]) + 120 * REF(0.5)[0][:1] * 0.75 + 21 * REF(0.5)[1][:1] * 0.75
    )


def test_references_that_do_not_fit(whole: Sentences) -> None:
    law = law_of(PLANAR, 1e-3)
    with whole.raises(mp.InputError, match="drives 2 joints; the reference has 3"):
        mp.closed_loop(PLANAR, law, Swing((1.0, 2.0, 3.0)))
    with whole.raises(mp.InputError, match="no formula of the time"):
        mp.closed_loop(PLANAR, law, replace(REF, block=None))


# many steps in one call


@cache
def loop_on(seed: int, kinds: str, law: str, method: str = "rk4", ref: bool = False) -> mp.System:
    """An arm with a load that the law does not know, and the loop around it."""
    robot = mp.Robot.of(random_robot(seed, joints=kinds, actuators=False))
    plant = robot.with_payload("mL", ("rLx", "rLy", "rLz"))
    swing = Swing(tuple(0.1 * (i + 1) for i in range(len(kinds)))) if ref else None
    more = {"ki": 25, "tracking": 15, "limit": 40, "filter": 4e-3} if law == "pid" else {}
    made = mp.controller(robot, law, kp=90, kd=15, sample=1e-3, **more)
    return mp.closed_loop(plant, made, swing, method=method)


def loads(rng: np.random.Generator, *rows: int) -> dict[str, Any]:
    return {"mL": rng.uniform(0, 1, rows), **{name: rng.uniform(-0.1, 0.1, rows) for name in ("rLx", "rLy", "rLz")}}


def starts(loop: mp.System, rng: np.random.Generator, *rows: int) -> Any:
    names = [x for x in loop.function.states if x.name != "clock"]
    return loop.start(**{x.name: rng.uniform(-0.3, 0.3, (*rows, len(x.symbols))) for x in names})


def drawn(loop: mp.System, rng: np.random.Generator, *rows: int) -> list[Any]:
    """The inputs that are no states."""
    free = [x for x in loop.function.inputs if x.role == "variable"]
    return [rng.uniform(-0.2, 0.2, (*rows, len(x.symbols))) for x in free]


def same(a: Any, b: Any) -> bool:
    return all(np.asarray(x).tobytes() == np.asarray(y).tobytes() for x, y in zip(a, b, strict=True))


CASES = [
    (3, "R", "pid", "rk4", False),
    (4, "PR", "computed_torque", "semi-implicit", True),
    (5, "RP", "pid", "euler", False),
    pytest.param((6, "RRR", "pid", "rk4", True), marks=pytest.mark.slow),
    pytest.param((7, "RPRR", "computed_torque", "rk4", False), marks=pytest.mark.slow),
]


@pytest.mark.parametrize("case", CASES)
def test_many_steps_are_the_steps(case: Any) -> None:
    """Bit by bit: one call of machine code, and as many calls of one step; every record, held inputs and along time."""
    loop, rng, n = loop_on(*case), np.random.default_rng(case[0]), 23
    state, load = starts(loop, rng), loads(rng)
    held, series = drawn(loop, rng), drawn(loop, rng, n)
    moving = [x.name for x in loop.function.inputs if x.role == "variable"]
    for along in [(), moving[:1]] if moving else [()]:
        given = [b if name in along else a for name, a, b in zip(moving, held, series)]
        for every in (1, 4):
            ran = loop.run(state, n, *given, p=load, every=every, along=along)
            x, records = state, []
            for k in range(n):
                before, (x, out) = x, loop.step(x, *(y[k] if m in along else y for m, y in zip(moving, given)), p=load)
                records += [(before, out)] if k % every == 0 else []
            assert same(ran.state, x) and ran.steps == n
            assert same(ran.states, [np.stack(y) for y in zip(*(before for before, _ in records))])
            outputs = [out for _, out in records]
            one = isinstance(ran.outputs, np.ndarray)
            assert same([ran.outputs] if one else ran.outputs, map(np.stack, [outputs] if one else zip(*outputs)))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dtype, backend", [("float64", "auto"), ("float32", "auto"), ("float64", "numpy")])
def test_a_row_of_a_batch_is_that_arm_alone(case: Any, dtype: str, backend: str) -> None:
    """States, inputs and loads of every row its own, in any number of threads."""
    loop, rng, rows, n = loop_on(*case), np.random.default_rng(case[0]), 37, 17
    f = loop.compile(backend, dtype)
    state, load, given = starts(loop, rng, rows), {**loop._set, **loads(rng, rows)}, drawn(loop, rng, rows, n)
    moving = [x.name for x in loop.function.inputs if x.role == "variable"]
    many = f.run(state, n, *given, p=load, every=3, along=moving)
    for threads in (2, 3):
        assert same(f.run(state, n, *given, p=load, every=3, along=moving, threads=threads).state, many.state)
    for i in range(0, rows, 6):
        own = {name: x if np.ndim(x) == 0 else x[i] for name, x in load.items()}
        one = f.run([x[i] for x in state], n, *(x[i] for x in given), p=own, every=3, along=moving)
        assert same(one.state, [x[i] for x in many.state]) and same(one.states, [x[i] for x in many.states])


def test_leading_axes_broadcast() -> None:
    """States of (5, 1), loads of (3,): fifteen arms."""
    loop, rng = loop_on(3, "R", "pid", "rk4", False), np.random.default_rng(0)
    state, load = starts(loop, rng, 5, 1), loads(rng, 3)
    ran = loop.run(state, 9, [0.1], [0.0], p=load, every=2)
    assert ran.state.q.shape == (5, 3, 1) and ran.states.q.shape == (5, 3, 5, 1) == ran.outputs.shape
    one = loop.run([x[4, 0] for x in state], 9, [0.1], [0.0], p={name: x[1] for name, x in load.items()})
    assert same(one.state, [x[4, 1] for x in ran.state])


def test_gains_may_be_other_in_every_row() -> None:
    loop, rng = loop_on(4, "PR", "computed_torque", "semi-implicit"), np.random.default_rng(0)
    gains, state, load = rng.uniform(50, 100, (7, 2)), starts(loop, rng), loads(rng)
    ref = drawn(loop, rng)
    ran = loop.run(state, 11, *ref, p={**load, "kp": gains, "kd": 12})
    for i in range(7):
        own = replace(loop, settings={**loop.settings, "kp": tuple(gains[i]), "kd": (12.0, 12.0)})
        assert same(own.run(state, 11, *ref, p=load).state, [x[i] for x in ran.state])


def test_no_steps_no_rows_no_records() -> None:
    loop, rng = loop_on(3, "R", "pid", "rk4", False), np.random.default_rng(0)
    state, load = starts(loop, rng, 4), loads(rng)
    ran = loop.run(state, 0, [0.1], [0.0], p=load)
    assert same(ran.state, state) and ran.states.q.shape == (4, 0, 1) and ran.steps == 0
    assert loop.run(state, 5, [0.1], [0.0], p=load, every=0).states.q.shape == (4, 0, 1)
    assert loop.run(starts(loop, rng, 0), 5, [0.1], [0.0], p=load).states.q.shape == (0, 5, 1)


def test_slices_of_time_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """However short they are, and however they lie to the records."""
    loop, rng = loop_on(4, "PR", "computed_torque", "semi-implicit", True), np.random.default_rng(1)
    state, load = starts(loop, rng, 9), loads(rng)
    whole = loop.run(state, 50, p=load, every=7)
    for first, entries in ((9, 2**22), (2**15, 300), (40, 500)):
        monkeypatch.setattr(repeated, "FIRST", first)
        monkeypatch.setattr(repeated, "ENTRIES", entries)
        monkeypatch.setattr(repeated, "SLICE", 0.0)
        ran = loop.run(state, 50, p=load, every=7)
        assert same(ran.state, whole.state) and same(ran.states, whole.states) and same(ran.outputs, whole.outputs)


def test_ctrl_c_returns_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The signal comes in the third slice: what is returned is a shorter run, whole."""
    loop, rng = loop_on(3, "R", "pid", "rk4", False), np.random.default_rng(0)
    state, load, slices = starts(loop, rng, 4), loads(rng), [0]
    shared_out = repeated.shared_out

    def disturbed(*given: Any) -> None:
        slices[0] += 1
        if slices[0] == 3:
            os.kill(os.getpid(), signal.SIGINT)
        shared_out(*given)

    monkeypatch.setattr(repeated, "FIRST", 4 * 10)
    monkeypatch.setattr(repeated, "SLICE", 0.0)
    monkeypatch.setattr(repeated, "shared_out", disturbed)
    ran = loop.run(state, 1000, [0.1], [0.0], p=load, every=2)
    assert ran.steps == 12 and ran.states.q.shape == (4, 6, 1)
    monkeypatch.undo()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    whole = loop.run(state, 12, [0.1], [0.0], p=load, every=2)
    assert same(ran.state, whole.state) and same(ran.states, whole.states)


def test_nan_stays_in_its_row() -> None:
    loop, rng = loop_on(5, "RP", "pid", "euler", False), np.random.default_rng(0)
    state, load, ref = starts(loop, rng, 11), loads(rng), drawn(loop, rng)
    true = loop.run(state, 20, *ref, p=load).state
    state.q[3] = np.nan
    ran = loop.run(state, 20, *ref, p=load).state
    assert np.isnan(ran.q[3]).all() and all(
        same([a[i]], [b[i]]) for a, b in zip(ran, true) for i in range(11) if i != 3
    )


def test_what_many_steps_need_is_said(whole: Sentences) -> None:
    loop, rng = loop_on(3, "R", "pid", "rk4", False), np.random.default_rng(0)
    state, load, ref = starts(loop, rng), loads(rng), ([0.1], [0.0])
    for wrong in (-1, 2.0, True, "3", None):
        with whole.raises(mp.InputError, match="steps: expected a whole number"):
            loop.run(state, wrong, *ref, p=load)
        with whole.raises(mp.InputError, match="every: expected a whole number"):
            loop.run(state, 3, *ref, p=load, every=wrong)
    with whole.raises(mp.UnknownNameError, match="did you mean 'q_ref'"):
        loop.run(state, 3, *ref, p=load, along="q_re")
    with whole.raises(mp.InputError, match=r"q_ref: expected shape \(..., 3, 1\), one row a step, found \(1,\)"):
        loop.run(state, 3, *ref, p=load, along="q_ref")
    with whole.raises(mp.InputError, match="takes 2 inputs"):
        loop.run(state, 3, [0.1], p=load)
    with whole.raises(mp.InputError, match="no value for mL"):
        loop.run(state, 3, *ref)
    with whole.raises(mp.InputError, match="do not broadcast"):
        loop.run(starts(loop, rng, 2), 3, *ref, p=loads(rng, 3))
    with whole.raises(mp.InputError, match=r"kp: expected a number or shape \(..., 1\)"):
        loop.run(state, 3, *ref, p={**load, "kp": [1, 2]})
    with whole.raises(mp.InputError, match="threads"):
        loop.run(state, 3, *ref, p=load, threads=-1)
    with whole.raises(mp.InputError, match="has no states"):
        mp.generate(PLANAR, "gravity").compile().run((), 3, [0, 0])


# a law that acts every so many steps


@pytest.mark.parametrize("name, several", [("pid", 3), ("pd_gravity", 2)])
def test_a_law_acts_every_so_many_steps(name: str, several: int) -> None:
    """Beside the law asked by hand at its samples, and the arm alone in between."""
    more = {"ki": 25, "tracking": 15, "limit": 40, "filter": 4e-3} if name == "pid" else {}
    law = mp.controller(PLANAR, name, kp=90, kd=15, sample=several * 1e-3, **more)
    loop = mp.closed_loop(PLANAR, law, step=1e-3, method="semi-implicit")
    assert loop.sample == 1e-3
    arm, ref = mp.Arm(PLANAR), ([0.3, 0.1], [0.1, 0.0])
    q, qd, memory = np.array([0.1, 0.2]), np.zeros(2), law.start() if not more else law.start(filtered=[0.1, 0.2])
    start = {"filtered": q} if more else {}
    ran = loop.run(loop.start(q=q, **start), 10, *ref)
    for k in range(10):
        if k % several == 0:
            seen = {"q": q, "qd": qd, "q_ref": ref[0], "qd_ref": ref[1]}
            memory, tau = law.step(memory, *(seen[x.name] for x in law.function.inputs if x.role == "variable"))
        np.testing.assert_allclose(ran.outputs[k], tau, rtol=1e-11)
        qd = qd + 1e-3 * arm.forward_dynamics(q, qd, tau)
        q = q + 1e-3 * qd
    np.testing.assert_allclose(ran.state.q, q, rtol=1e-12)
    assert ran.state.phase == 10 % several
    if more:
        np.testing.assert_allclose(ran.state.filtered, memory.filtered, rtol=1e-12)


def test_sensors_are_late_by_samples_of_the_law() -> None:
    law = mp.controller(PLANAR, "pd_gravity", kp=90, kd=15, sample=2e-3)
    loop = mp.closed_loop(PLANAR, law, step=1e-3, sensors=mp.Sensors(delay=1), method="euler")
    ran = loop.run(loop.start(q=[0.1, 0.2], q_seen1=[0.1, 0.2]), 8, [0.3, 0.1], [0, 0])
    torque = mp.Arm(PLANAR).gravity(ran.states.q[2]) + 90 * ([0.3, 0.1] - ran.states.q[2]) - 15 * ran.states.qd[2]
    np.testing.assert_allclose(ran.outputs.tau[4], torque, rtol=1e-11)
    assert ran.outputs.tau[4].tobytes() == ran.outputs.tau[5].tobytes() != ran.outputs.tau[6].tobytes()
