"""Estimators that learn sample by sample: the batch's answer, a covariance that stays, errors that never grow."""

from __future__ import annotations

import ctypes
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.backend import emit
from manipula.algebra.emit.ports import Namer, split
from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError, UnknownNameError
from manipula.identification.online.estimator import covariance, format_combinations
from tests.emitted import needs_cc, shared
from tests.golden.sentences import Sentences
from tests.languages import TOOLS, self_tested
from tests.laws.test_closed_loop import Steps
from tests.random_robots import random_robot, random_tree

pytestmark = pytest.mark.usefixtures("without_search")

TEN = ("Kxx", "Kxy", "Kxz", "Kyy", "Kyz", "Kzz", "mx", "my", "mz", "m")
ARMS = ["R", "P", "RR", pytest.param("RPR", marks=pytest.mark.slow), pytest.param("RHR", marks=pytest.mark.slow)]


@cache
def arm_of(kinds: str) -> mp.Robot:
    return mp.Robot.of(random_robot(41, joints=kinds, actuators=False))


@cache
def tree_of() -> mp.Robot:
    return mp.Robot.of(random_tree(7, 3, actuators=False))


def motion(robot: mp.Robot, rows: int, seed: int) -> tuple[Any, Any, Any]:
    return tuple(np.random.default_rng(seed).uniform(-1.5, 1.5, (3, rows, robot.dof)))  # type: ignore[return-value]


def weighted(Y: Any, rho: Any, sigma: Any, noise: Any, first: Any, decay: float = 1.0) -> Any:
    """Least squares with a prior, all samples at once; one of age a has the weight decay^a, the prior that of all."""
    weight = np.sqrt(decay) ** np.arange(len(Y))[::-1, None]
    A = np.vstack(
        [(Y * weight[..., None] / noise[:, None]).reshape(-1, Y.shape[-1]), np.diag(decay ** (len(Y) / 2) / sigma)]
    )
    b = np.concatenate([(rho * weight / noise).ravel(), decay ** (len(Y) / 2) * first / sigma])
    return np.linalg.lstsq(A, b, rcond=None)[0], np.linalg.inv(A.T @ A)


@pytest.mark.turn
@pytest.mark.drawn("kinds")
@pytest.mark.parametrize("kinds", ARMS)
def test_after_any_number_of_samples_it_is_the_batch(kinds: str) -> None:
    robot, rng = arm_of(kinds), np.random.default_rng(4)
    q, qd, qdd = motion(robot, 40, 5)
    tau = rng.normal(0, 20, q.shape)
    Y = mp.generate(robot, "base_regressor").compile()(q, qd, qdd)
    sigma, noise = rng.uniform(0.3, 3, Y.shape[-1]), rng.uniform(0.2, 2, robot.dof)
    estimator = mp.OnlineEstimator(robot, sigma=list(sigma), noise=list(noise))
    first = np.array(list(estimator.theta.values()))
    for count, row in enumerate(zip(q, qd, qdd, tau), start=1):
        estimator.update(*row)
        best, P = weighted(Y[:count], tau[:count], sigma, noise, first)
        assert np.allclose(list(estimator.theta.values()), best, rtol=0, atol=1e-9 * np.abs(best).max())
        found = covariance(estimator._state.factors, estimator.settings["sigma"])
        assert np.allclose(found, P, rtol=0, atol=1e-9 * np.abs(P).max())
        assert np.allclose(np.diag(found), estimator._variance, rtol=1e-9)


def test_what_is_forgotten_has_less_weight_in_the_batch() -> None:
    robot, decay = arm_of("RR"), 0.9
    q, qd, qdd = motion(robot, 60, 6)
    tau = np.random.default_rng(1).normal(0, 20, q.shape)
    Y = mp.generate(robot, "base_regressor").compile()(q, qd, qdd)
    estimator = mp.OnlineEstimator(robot, sigma=2.0, forgetting=decay, guard=1e12)
    first = np.array(list(estimator.theta.values()))
    for row in zip(q, qd, qdd, tau):
        estimator.update(*row)
    best, _ = weighted(Y, tau, np.full(len(first), 2.0), np.ones(2), first, decay)
    assert np.allclose(list(estimator.theta.values()), best, rtol=0, atol=1e-8 * np.abs(best).max())


def payload_columns(robot: mp.Robot, q: Any, qd: Any, qdd: Any) -> Any:
    """Y of the ten by differences of arms that hold something, which are exact: torques are linear in it."""
    law = mp.generate(robot, "loaded_dynamics").compile()
    still = np.zeros(robot.dof)
    bare = law(q, qd, qd, qdd, still, np.zeros(10), still).tau
    return np.stack([law(q, qd, qd, qdd, still, unit, still).tau - bare for unit in np.eye(10)], axis=-1)


@pytest.mark.turn
@pytest.mark.parametrize(
    "columns", [pytest.param(TEN, marks=pytest.mark.slow), ("m",), ("m", "Kxy")], ids=["10", "1", "2"]
)
def test_a_payload_is_the_batch_of_its_columns(columns: tuple[str, ...]) -> None:
    for robot in (arm_of("RP"), *([tree_of()] if len(columns) == 2 else [])):
        q, qd, qdd = motion(robot, 25, 8)
        rho = np.random.default_rng(2).normal(0, 5, q.shape)
        weigh = mp.PayloadEstimator(robot, columns=columns, sigma=1.5, noise=0.7)
        names = [x for x in TEN if x in columns]
        Y = payload_columns(robot, q, qd, qdd)[..., [TEN.index(x) for x in names]]
        own = mp.Arm(robot).inverse_dynamics(q, qd, qdd)
        for row in zip(q, qd, qdd, own + rho):
            weigh.update(*row)
        k = len(names)
        best, _ = weighted(Y, rho, np.full(k, 1.5), np.full(robot.dof, 0.7), np.zeros(k))
        assert list(weigh.theta) == names
        assert np.allclose(list(weigh.theta.values()), best, rtol=0, atol=1e-8 * max(1.0, np.abs(best).max()))


@pytest.mark.parametrize("kinds", ["RR", pytest.param("RPR", marks=pytest.mark.slow)])
def test_no_wind_up_in_a_hundred_thousand_samples_without_motion(kinds: str) -> None:
    robot = arm_of(kinds)
    estimator = mp.OnlineEstimator(robot, forgetting=0.99, sigma=3.0)
    rest = [np.full(robot.dof, 0.3), np.zeros(robot.dof), np.zeros(robot.dof), np.zeros(robot.dof)]
    for row in zip(*motion(robot, 50, 3), np.ones((50, robot.dof))):
        estimator.update(*row)
    done = estimator._code.run(estimator._state, 100_000, *rest, p=estimator._set, every=1000)
    for factors in (*done.states.factors, done.state.factors):
        P = covariance(factors, estimator.settings["sigma"]) / 9.0
        assert np.linalg.eigvalsh(P).min() > 0 and np.isfinite(P).all()
        assert np.trace(P) <= len(P) / 0.99 * (1 + 1e-9)


@pytest.mark.parametrize("kinds, gain", [("P", 0.1), ("RR", 1.99), pytest.param("RPR", 1.0, marks=pytest.mark.slow)])
def test_the_error_of_the_gradient_never_grows_without_noise(kinds: str, gain: float) -> None:
    robot = arm_of(kinds)
    q, qd, qdd = motion(robot, 60, 9)
    estimator = mp.OnlineEstimator(robot, method="gradient", sigma=2.0, noise=0.1, gain=gain)
    truth = np.random.default_rng(3).normal(0, 1, len(estimator.names))
    Y = mp.generate(robot, "base_regressor").compile()(q, qd, qdd)
    errors = [np.linalg.norm(np.array(list(estimator.theta.values())) - truth)]
    for a, b, c, rows in zip(q, qd, qdd, Y):
        estimator.update(a, b, c, rows @ truth)
        errors.append(np.linalg.norm(np.array(list(estimator.theta.values())) - truth))
    assert all(after <= before * (1 + 1e-12) for before, after in pairwise(errors))
    assert errors[-1] < 0.99 * errors[0]
    with pytest.raises(InputError, match="no sigma"):
        _ = estimator.sigma


def recording(robot: mp.Robot, rate: float, seconds: float) -> mp.Log:
    """A smooth motion, already going when it begins."""
    t = np.arange(round(seconds * rate)) / rate
    pace = 1.3 + 0.9 * np.arange(robot.dof)
    phase = pace * t[:, None] + 0.4
    q, qd, qdd = 0.7 * np.sin(phase), 0.7 * pace * np.cos(phase), -0.7 * pace**2 * np.sin(phase)
    return mp.Log(t, q, mp.Arm(robot).inverse_dynamics(q, qd, qdd), qd=qd, qdd=qdd)


@pytest.mark.turn
@pytest.mark.parametrize(
    "kinds, columns, centre",
    [
        ("RR", TEN[6:], (0, 0, 0)),
        pytest.param("RR", TEN, (0.05, -0.02, 0.1), marks=pytest.mark.slow),
        pytest.param("RPR", TEN, (0.05, -0.02, 0.1), marks=pytest.mark.slow),
    ],
)
def test_without_accelerations_a_load_is_found_as_with_them(kinds: str, columns: Any, centre: Any) -> None:
    robot = arm_of(kinds)
    log = recording(robot.with_payload(1.7, centre), 4000, 1.0)
    assert log.tau is not None and log.qd is not None and log.qdd is not None
    Y, own = payload_columns(robot, log.q, log.qd, log.qdd), mp.Arm(robot).inverse_dynamics(log.q, log.qd, log.qdd)
    for sample, within in ((None, 1e-5), (1 / 4000, 1e-3)):
        weigh = mp.PayloadEstimator(robot, columns=columns, sample=sample)
        rows = weigh.run(log)
        assert rows.shape == (len(log), len(columns)) and np.array_equal(rows[-1], list(weigh.theta.values()))
        left = Y[..., -len(columns) :] @ rows[-1] - (log.tau - own)
        assert np.abs(left).max() < within * np.abs(log.tau).max()


@pytest.mark.turn
def test_many_samples_have_the_bits_of_single_ones() -> None:
    robot = arm_of("RR")
    log = recording(robot.with_payload(0.8), 500, 1.0)
    whole, single = (mp.PayloadEstimator(robot, sample=1 / log.rate, forgetting=0.999) for _ in range(2))
    rows = whole.run(log)
    for k in range(len(log)):
        single.update(log.q[k], log.qd[k], None, log.tau[k])
        assert np.array_equal(rows[k], list(single.theta.values()))
    assert whole.samples == single.samples == len(log)
    assert whole.sigma == pytest.approx(single.sigma, rel=1e-9) and whole.identifiable == single.identifiable


def test_recordings_in_pieces_do_not_run_into_each_other() -> None:
    """After a recording the arm may be anywhere: the low-pass starts anew."""
    robot = arm_of("RR")
    log = recording(robot.with_payload(0.8), 1000, 1.0)
    assert log.qd is not None and log.tau is not None
    weigh = mp.PayloadEstimator(robot, sample=1e-3)
    weigh.run(log)
    known = weigh.mass
    for k in range(300):
        weigh.update(log.q[k], log.qd[k], None, log.tau[k])
    assert weigh.mass == pytest.approx(known, rel=5e-3)
    assert weigh.samples == 1300


@pytest.mark.turn
@needs_cc
@pytest.mark.parametrize("sample", [pytest.param(None, marks=pytest.mark.slow), 2e-3])
def test_the_step_in_c_is_that_of_python(sample: float | None, tmp_path: Path) -> None:
    robot = arm_of("RP")
    weigh = mp.PayloadEstimator(robot, sample=sample, forgetting=0.995)
    log = recording(robot.with_payload(0.8), 500, 0.4)
    weigh.emit("c", tmp_path)
    tape = tape_from_function(weigh.emitted_step)
    steps, code = Emitted(tape, tmp_path / f"{tape.name}.c"), compile_tape(tape)
    settings = [weigh.settings[x.name] for x in tape.inputs if x.role == "setting"]
    begin = [np.zeros(len(x.slots)) for x in tape.inputs if x.role == "state"]
    assert steps.init(*begin, *settings) == 0
    for k in range(len(log)):
        given = [getattr(log, name)[k] for name in weigh._variables]
        own = code.step(code.start(**steps.state), *given, p=weigh._set).state
        steps.step(*given)
        for name, value in steps.state.items():
            wanted = getattr(own, name)
            # residuals are differences of torques
            size = np.abs(given[-1]).max() if name.startswith("sum") else 0.0
            assert np.allclose(value, wanted, rtol=1e-13, atol=1e-13 * max(np.abs(wanted).max(), size)), name
    assert steps.state["load"][-1] != 0
    weigh.run(log)
    told = dict(zip([x.name for x in tape.outputs if x.gives is None], map(list, steps.results)))
    assert told["sigma_now"] == pytest.approx(list(weigh.sigma.values()), rel=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_the_emitted_step_is_as_sure_as_python(seed: int) -> None:
    """Noise that lasts, drives that are off, joints that slide: the same sigma at every sample, from the first one."""
    rng = np.random.default_rng(seed)
    robot = arm_of("".join(rng.choice(list("RRP"), 2)))
    log = recording(robot.with_payload(float(rng.uniform(0, 2))), 150, 0.4)
    assert log.tau is not None
    noise = np.cumsum(rng.normal(size=log.tau.shape), axis=0) * rng.choice([0.0, 1e-3, 1e-2])
    tau = log.tau * rng.uniform(0.9, 1.1, robot.dof) + noise
    sample = [None, 4e-3][seed % 2]
    weigh = mp.PayloadEstimator(robot, sample=sample, forgetting=float(rng.choice([1.0, 0.99])), noise=0.1)
    code = compile_tape(tape_from_function(weigh.emitted_step))
    state = code.start(**weigh._first)
    for k in range(len(log)):
        given = {"q": log.q[k], "qd": log.qd[k], "qdd": None if sample else log.qdd[k], "tau": tau[k]}  # type: ignore[index]
        weigh.update(**given)
        state, outputs = code.step(state, *(given[name] for name in weigh._variables), p=weigh._set)[:2]
        assert outputs.sigma_now == pytest.approx(list(weigh.sigma.values()), rel=1e-6)
    known = np.sqrt(weigh._variance) < np.array(weigh.settings["sigma"]) / 10
    assert np.array_equal(outputs.identifiable, known.astype(float))


class Emitted:
    """Emitted C, driven from here: the struct of the header, and its two functions."""

    def __init__(self, tape: Any, source: Path) -> None:
        library, states = shared(source), [x for x in tape.inputs if x.role == "state"]
        kept = len(split(tape, Namer(())).kept)
        fields = [(x.name, ctypes.c_double * len(x.slots)) for x in states]
        self.memory = type("Memory", (ctypes.Structure,), {"_fields_": [*fields, ("k", ctypes.c_double * kept)]})()
        self.names, self.results = (
            [x.name for x in states],
            [(ctypes.c_double * len(x.slots))() for x in tape.outputs if x.gives is None],
        )
        self._init, self._step = library[f"{tape.name}_init"], library[f"{tape.name}_step"]

    def init(self, *arrays: Any) -> int:
        return int(self._init(ctypes.byref(self.memory), *map(Steps.vector, arrays)))

    def step(self, *arrays: Any) -> None:
        self._step(ctypes.byref(self.memory), *map(Steps.vector, arrays), *self.results)

    @property
    def state(self) -> dict[str, Any]:
        return {name: np.array(getattr(self.memory, name)) for name in self.names}


@pytest.mark.parametrize("language", [x for x in ("javascript", "rust", "cpp") if TOOLS[x].found])
@pytest.mark.slow
def test_other_languages_pass_their_own_tests(language: str, tmp_path: Path) -> None:
    weigh = mp.PayloadEstimator(arm_of("RP"), sample=1e-3)
    done = self_tested(language, emit(tape_from_function(weigh.emitted_step), language, "1"), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_the_motion_shows_is_told() -> None:
    """An arm in a plane never shows mz; before anything has moved nothing is shown; mass and mx apart take motion."""
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    weigh = mp.PayloadEstimator(arm, noise=0.01)
    assert weigh.identifiable == ()
    held, zero = mp.Arm(arm.with_payload(2.0, (0.1, 0.05, 0.2))), [0.0, 0.0]
    for k in range(200):
        q, qdd = [0.02 * k, 1.5 * np.sin(0.1 * k)], [np.sin(0.3 * k), np.cos(0.2 * k)]
        weigh.update(q, zero, qdd, held.inverse_dynamics(q, zero, qdd))
    assert weigh.sigma["mz"] > 100 * weigh.sigma["my"]
    assert weigh.theta["mz"] == 0 and not any("mz" in text for text in weigh.identifiable)
    assert len(weigh.identifiable) == 3
    weigh.reset()
    assert weigh.identifiable == () and weigh.samples == 0 and weigh.mass == 0 and np.isnan(weigh.com).all()


def test_combinations_are_told_by_what_leads_them() -> None:
    known = np.array([3.0, 0.0, 1.0])  # m + 3 mx is known, and nothing else
    P = np.linalg.inv(np.eye(3) + 1e6 * np.outer(known, known))
    assert format_combinations(P, [1.0, 1.0, 1.0], ["mx", "my", "m"]) == ("m + 3·mx",)
    P = np.linalg.inv(np.diag([1.0, 1e6, 1e6]))
    assert format_combinations(P, [1.0, 1.0, 1.0], ["mx", "my", "m"]) == ("m", "my")


ARM = ("planar2r", {"l1": 0.5, "l2": 0.4, "m1": 3, "m2": 2, "g": 9.81})
BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"forgetting": 0.0}, InputError, "forgetting"),
    ({"forgetting": 1.01}, InputError, "forgetting"),
    ({"forgetting": float("nan")}, InputError, "forgetting"),
    ({"forgetting": "much"}, InputError, "forgetting"),
    ({"noise": 0}, InputError, "noise"),
    ({"noise": [1, 2, 3]}, InputError, "noise"),
    ({"sigma": -1}, InputError, "sigma"),
    ({"guard": 0}, InputError, "guard"),
    ({"sample": 0}, InputError, "sample"),
    ({"sample": 1e-3, "filter": 0}, InputError, "filter"),
    ({"smoothing": 0}, InputError, "smoothing"),
    ({"columns": ()}, InputError, "columns"),
    ({"columns": ("m", "m")}, InputError, "each once"),
    ({"columns": ("mass",)}, UnknownNameError, "payload"),
    ({"frame": "hand"}, UnknownNameError, "frame"),
]


@pytest.mark.parametrize("words, kind, match", BAD, ids=[str(words) for words, _, _ in BAD])
def test_settings_that_make_no_sense_are_refused(
    words: dict[str, Any], kind: type[Exception], match: str, whole: Sentences
) -> None:
    with whole.raises(kind, match=match):
        mp.PayloadEstimator(mp.load(ARM[0]).with_parameters(**ARM[1]), **words)


def test_robots_and_samples_that_cannot_be_are_refused(whole: Sentences) -> None:
    arm = mp.load(ARM[0]).with_parameters(**ARM[1])
    with whole.raises(InputError, match="no value for"):
        mp.PayloadEstimator(mp.load("planar2r"))
    with whole.raises(InputError, match="no masses"):
        mp.PayloadEstimator(mp.load("planar2r").with_parameters(l1=1, l2=1, m1=0, m2=0, g=9.81))
    with whole.raises(InputError, match="found 2, expected the name of a library robot"):
        mp.PayloadEstimator(2)  # type: ignore[arg-type]
    with whole.raises(UnknownNameError, match="on-line estimator"):
        mp.OnlineEstimator(arm, method="kalman")
    weigh, two = mp.PayloadEstimator(arm, sample=1e-2), [0.0, 0.0]
    for row in (
        ([0.0], two, None, two),
        (two, [0.0, float("nan")], None, two),
        (two, two, None, None),
        (two, two, two, two),
    ):
        with whole.raises(InputError):
            weigh.update(*row)
    log = recording(arm, 100, 1.0)
    with whole.raises(InputError, match="torques"):
        weigh.run(mp.Log(log.t, log.q))
    with whole.raises(InputError, match="expected a log"):
        weigh.run([1.0])  # type: ignore[arg-type]
    with whole.raises(InputError, match="mass"):
        _ = mp.PayloadEstimator(arm, columns=("mx",)).mass
