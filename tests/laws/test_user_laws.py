"""A law of one's own: the built-in laws rewritten as a person writes them, and texts that can be no law."""

from __future__ import annotations

import itertools
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula import api
from manipula.algebra.emit.backend import emit
from manipula.mechanics.models.control.law_arrays import FORMULAS, LOGIC
from manipula.mechanics.models.control.law_entries import entry_names
from manipula.mechanics.spatial.floats import FLOATS
from tests.control_laws import H, arm_of, drawn, numbers, outputs
from tests.emitted import c_function, needs_cc
from tests.rewritten_laws import OWN, pair_of

QUICK = ("pid", "computed_torque", "slotine_li", "momentum_observer")


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", [x if x in QUICK else pytest.param(x, marks=pytest.mark.slow) for x in OWN])
def test_a_law_rewritten_is_the_built_in_one(name: str) -> None:
    """The same torques and states to 1e-12, and no more than 1.05 of the operations."""
    ours, law = pair_of(name)
    assert law.cost.total <= 1.05 * ours.cost.total
    for seed in range(3):
        x = drawn(ours, seed)
        a, b = outputs(ours, x, {}), outputs(law, {port: x[port] for port in law.inputs if port in x}, {})
        for port in a:
            np.testing.assert_allclose(
                np.ravel(b[port]), np.ravel(a[port]), rtol=0, atol=1e-12 * max(1.0, np.abs(a[port]).max()), err_msg=port
            )


def test_every_built_in_law_is_rewritten() -> None:
    assert set(OWN) == set(api.laws())


@needs_cc
def test_its_c_is_its_python(tmp_path: Path) -> None:
    robot = arm_of(5, "RP").with_payload("mL", ("rLx", "rLy", "rLz"))
    law = mp.controller(robot, OWN["computed_torque_pid"], sample=H, kp=3, kd=2, ki=0.1, limit=4.0, delay=2)
    run = c_function(law.tape, emit(law.tape, "c", "0"), tmp_path)
    p = dict(zip(law.inputs["p"], (0.7, 0.05, -0.03, 0.11)))
    x = drawn(law, 3)
    got = run({**x, **law.settings, "p": tuple(p.values())})
    for port, value in outputs(law, x, p).items():
        np.testing.assert_allclose(got[port], value.ravel(), rtol=0, atol=1e-12, err_msg=port)


# what else a text may be


@mp.law(states={"count": 1, "P": "n×n"}, settings={"K": "n×n", "weights": [1.0, 2.0, 3.0]}, units={"K": "N·m/rad"})
def matrices(arm, q, q_ref, count, P, K, weights, sample):
    e = q_ref - q
    M = arm.inertia_matrix(q)
    w = np.array([x**2 for x in weights])
    torque = M @ (K @ e) + np.sum(w) * np.diag(P) + 0.1 * np.concatenate([e[1:], e[:1]])
    return {"tau": torque, "energy": 0.5 * e @ K @ e}, {"count": count + 1, "P": P + sample * np.outer(e, e)}


def test_matrices_states_of_every_size_and_outputs_of_its_own() -> None:
    robot = arm_of(8, "RR")
    K = np.array([[3.0, 0.2], [0.1, 2.0]])
    law = mp.controller(robot, matrices, sample=0.01, K=K)
    arm, rng = mp.Arm(robot), np.random.default_rng(0)
    q, ref, P = rng.uniform(-1, 1, 2), rng.uniform(-1, 1, 2), rng.uniform(-1, 1, (2, 2))
    state = law.start(count=4.0, P=P.ravel())
    after, (tau, energy) = law.step(state, q, ref)
    e = ref - q
    np.testing.assert_allclose(tau, arm.inertia_matrix(q) @ K @ e + 14 * np.diag(P) + 0.1 * e[::-1], atol=1e-12)
    np.testing.assert_allclose(energy, 0.5 * e @ K @ e, atol=1e-12)
    np.testing.assert_allclose(np.ravel(after.P), (P + 0.01 * np.outer(e, e)).ravel(), atol=1e-15)
    assert float(np.ravel(after.count)[0]) == 5.0
    same = [mp.controller(robot, matrices, sample=0.01, K=x) for x in (3.0, [3.0, 3.0], [[3.0, 0.0], [0.0, 3.0]])]
    assert [numbers(x)["K"].tolist() for x in same] == [[3.0, 0.0, 0.0, 3.0]] * 3
    assert {port.unit for port in law.function.inputs if port.name == "K"} == {"N·m/rad"}


def test_a_law_of_rates_goes_in_continuous_time_too() -> None:
    robot = arm_of(3, "R")
    given = {"kp": 3.0, "kd": 2.0, "ki": 0.5}
    law, ours = (mp.controller(robot, x, **given) for x in (OWN["computed_torque_pid"], "computed_torque_pid"))
    x = drawn(ours, 1)
    got, want = (outputs(y, {port: x[port] for port in y.inputs if port in x}, {}) for y in (law, ours))
    np.testing.assert_allclose(got["integral_rate"], want["integral_rate"], atol=1e-12)
    with pytest.raises(mp.InputError, match=r"rewritten_laws.py:\d+: pid: goes from sample to sample: give sample="):
        mp.controller(robot, OWN["pid"], kp=1, ki=1, kd=1, tracking=1, limit=1, filter=1)


def test_it_drives_an_arm_with_noise_delay_and_limits() -> None:
    robot = arm_of(4, "RP").without("friction")
    ref = mp.trajectory.quintic([0.1, 0.2], [0.4, -0.1], 0.2)
    runs = []
    for which in ("computed_torque", OWN["computed_torque"]):
        law = mp.controller(robot, which, kp=100, kd=20, sample=1e-3, limit=200.0, delay=1)
        runs.append(
            mp.simulate(mp.Plant(robot, effort=None), law, ref, until=0.2, sensors=mp.Sensors(noise={"q": 1e-4})).q[-1]
        )
    np.testing.assert_allclose(runs[0], runs[1], rtol=0, atol=1e-9)


def test_estimates_of_base_parameters_begin_with_those_of_the_robot() -> None:
    robot = arm_of(3, "RP")
    given = {"lam": 3.0, "kd": 2.0, "gamma": 0.1, "sample": H}
    law, ours = mp.controller(robot, OWN["slotine_li"], **given), mp.controller(robot, "slotine_li", **given)
    assert law.start().theta.tolist() == ours.start().theta.tolist() != [0.0] * len(law.start().theta)


@mp.law(inputs={"push": 3, "level": 1}, settings={"gain": "1"})
def leaning(arm, q, push, level, gain):
    return gain * (arm.jacobian(q)[:3].T @ push) + level * q


def test_more_inputs_are_declared_by_their_sizes() -> None:
    robot = arm_of(9, "RPR")
    law, arm, rng = mp.controller(robot, leaning, gain=2.0), mp.Arm(robot), np.random.default_rng(2)
    q, push = rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3)
    assert {port.name: (len(port.symbols), port.role) for port in law.function.inputs} == {
        "q": (3, "variable"), "push": (3, "variable"), "level": (1, "variable"), "gain": (1, "setting"),
    }  # fmt: skip
    found = law.step((), q, push, [0.5])[1]
    np.testing.assert_allclose(found, 2 * arm.jacobian(q)[:3].T @ push + 0.5 * q, atol=1e-13)


def test_it_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(matrices)) is matrices


# texts that can be no law: each a sentence with file and line

KEPT: list[Any] = []
TOTAL = 0.0


def _if(arm, q):
    if q[0] > 0:
        return q
    return -q


def _while(arm, q):
    while q[0] < 1:
        q = q + 1
    return q


def _range(arm, q):
    for _ in range(q[0]):
        pass
    return q


def _math(arm, q):
    import math

    return q * math.sin(q[0])


def _equal(arm, q):
    return mp.where(q == 0, q, 1)


def _model(arm, q):
    return arm.gravty(q)


def _ports(arm, q):
    return arm.inverse_dynamics(q, q)


def _many(arm, q):
    return arm.gravity(q, q)


def _length(arm, q):
    return arm.gravity(q[:1])


def _shape(arm, q):
    return q + np.ones(5)


def _few(arm, q):
    return q[:1]


def _none(arm, q):
    arm.gravity(q)


def _text(arm, q):
    return ["left", "right"]


def _infinite(arm, q):
    return q * float("inf")


def _name(arm, q):
    return q + undefined  # noqa: F821


def _index(arm, q):
    return q[7] + q


def _random(arm, q):
    return q * np.random.default_rng().uniform()


def _remember(arm, q):
    KEPT.append(q)
    return KEPT[0] + KEPT[-1]


def _solve(arm, q):
    return np.linalg.solve(arm.inertia_matrix(q), q)


def _zero(arm, q):
    return q / 0


def _round(arm, q):
    return np.array([round(x) for x in q])


def _gamma(arm, q):
    return np.arcsinh(q)


def _caught(arm, q):
    try:
        if q[0] > 0:
            return q
    except Exception:
        pass
    return -q


def _place(arm, q):
    return q * [2.0, 3.0][q[0]]


def _entry(arm, q):
    return q * np.arange(2)[q[0]]


def _twice(arm, q):
    try:
        return q * float(q[0])
    except mp.InputError:
        return q / 0


def _bits(arm, q):
    return mp.where(~q, q, 1)


def _inverse(arm, q):
    return arm.inverse_kinematics(np.eye(4))


def _fills(arm, q):
    x = np.zeros(arm.n)
    for i in range(arm.n):
        x[i] = 2 * q[i]
    return x


def _mask(arm, q):
    return q[q > 0]


def _masked(arm, q):
    q = q.copy()
    q[q > 0] = 0
    return q


def _key(arm, q):
    return q * len({q[0], q[1]})


def _format(arm, q):
    return q * float(f"{q[0]}")


def _library(arm, q):
    from scipy.linalg import solve

    return solve(arm.inertia_matrix(q), q)


def _stateless(arm, q):
    return q, {"x": q}


RUNS = {
    _stateless: "none is defined",
    _fills: "np.zeros_like(q)", _mask: "mp.where(q > 0, q, 0)", _masked: "mp.where(q > 0, q, 0)", _key: "a key",
    _format: "a text", _library: "object arrays",
    _caught: "mp.where", _place: "an index", _entry: "an index", _twice: "np.sin",
    _bits: "np.invert joins conditions", _inverse: "which is no number",
    _if: "mp.where", _while: "mp.where", _range: "np.sin", _math: "np.sin", _equal: "abs(a - b) < d",
    _model: "gravity", _ports: "takes q[2], qd[2], qdd[2], found q[2], qd[2]", _many: "takes q, found 2",
    _length: "takes q[2], found q[1]", _shape: "shape",
    _few: "tau: 1 where 2 is wanted", _none: "None", _text: "'left'", _infinite: "inf", _name: "undefined",
    _index: "out of bounds", _random: "run again", _remember: "states=", _solve: "arm.forward_dynamics(q",
    _zero: "divides by 0",
    _round: "np.", _gamma: "arcsinh",
}  # fmt: skip


@pytest.mark.parametrize("text", RUNS)
def test_what_can_be_no_law_is_refused_with_its_line(text: Any) -> None:
    KEPT.clear()
    with pytest.raises(mp.InputError) as said:
        mp.controller("planar2r", mp.law(text), sample=1e-3)
    place = re.search(r"test_user_laws\.py:(\d+): ", str(said.value))
    assert place and int(place[1]) in {line for *_, line in text.__code__.co_lines()}
    assert RUNS[text] in str(said.value) and text.__name__ in str(said.value)


def test_a_name_of_its_own_is_no_function_of_pythons() -> None:
    def print(x: Any) -> Any:
        return 2 * x

    def doubled(arm: Any, q: Any) -> Any:
        return print(q)

    assert mp.controller("planar2r", mp.law(doubled), sample=1e-3).cost.total <= 2


def _drawn_text(rng: np.random.Generator, depth: int, condition: bool) -> str:
    """NumPy's own words for conditions among numbers, both as they come."""

    def any_(kind: bool) -> str:
        return _drawn_text(rng, depth - 1, kind)

    def either() -> str:
        return any_(bool(rng.integers(2)))

    if depth == 0:
        numbers = ["q", "qd", "z * q", "np.full_like(q, z)", "z", "2.0"]
        conditions = ["(q > 0)", "(qd <= 0)", "(q < qd)", "(z >= 1)", "(z > q)"]
        return str(rng.choice(conditions if condition else numbers))
    if condition:
        words = [
            lambda: f"({any_(True)} {rng.choice(['&', '|', '^', '*', '+'])} {any_(True)})",
            lambda: f"(~{any_(True)})",
            lambda: f"np.logical_{rng.choice(['and', 'or', 'xor'])}({either()}, {either()})",
            lambda: f"np.logical_not({either()})",
            lambda: f"mp.where({either()}, {any_(True)}, {any_(True)})",
            lambda: f"np.{rng.choice(['any', 'all'])}({either()})",
            lambda: f"({any_(False)} {rng.choice(['<', '>', '<=', '>='])} {any_(False)})",
        ]
    else:
        words = [
            lambda: f"mp.where({either()}, {any_(False)}, {any_(False)})",
            lambda: f"({any_(True)} * {any_(False)})",
            lambda: f"(np.sum({any_(True)}) + {any_(False)})",
            lambda: f"({any_(False)} - 0.5 * {any_(False)})",
            lambda: f"(1 - 1.0 * {any_(True)})",
        ]
    return str(words[rng.integers(len(words))]())


@pytest.mark.parametrize("seed", range(30))
def test_conditions_and_numbers_join_as_numpy_joins_them(seed: int) -> None:
    """`z` counts: as a condition it holds unless it is 0, whatever else it is."""
    rng = np.random.default_rng(seed)
    made: dict[str, Any] = {"np": np, "mp": mp}
    text = f"({_drawn_text(rng, 3, bool(seed % 2))}) * 1.0 + 0 * q"
    exec(f"def drawn_text(arm, q, qd, z):\n    return {text}", made)
    law = mp.controller("planar2r", mp.law(made["drawn_text"], inputs={"z": 1}), sample=1e-3)
    run = law.compile()
    for z in (0.0, 1.0, 2.0, -1.0, 0.7):
        x = {"q": rng.uniform(-2, 2, 2), "qd": rng.uniform(-2, 2, 2), "z": z}
        # the words may leave out what they do not need
        got = run(*(x[name] for name in law.inputs if name in x))
        wanted = made["drawn_text"](None, x["q"], x["qd"], np.float64(z))
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12, err_msg=text)


# functions of NumPy's that make one number or one a joint, of vectors `q`, `qd` and a matrix `K`
TEXTS = """
K.max() K.min() K.sum() K.mean() np.sum(K,axis=(0,1)) np.sum(K,keepdims=True)[0,0] np.prod(K) np.linalg.norm(K)
np.amax(q) np.amin(K,axis=0) np.std(q) np.var(K) np.ptp(q) np.average(q,weights=[1,2]) np.polyval([1,2,3],q)
np.trunc(q) np.select([q>1,q>0],[q,qd],0.5) np.select([q>1],[K[0]]) np.select([q>1],[q],default=qd)
np.log10(abs(q)+1) np.log2(abs(q)+1) np.cosh(q) np.degrees(q) K.max(axis=1) np.rad2deg(q) (q>0).astype(float)
(q>0).astype(np.float64)+q.astype(float) np.delete(np.append(q,qd),[0,1]) np.insert(q,0,1.0)[:2] np.rot90(K)[0]
np.fliplr(K)[1] np.array_split(np.append(q,qd),2)[1] np.linalg.multi_dot([K,K,q]) q.std() K.var(axis=0)
np.zeros_like(q,shape=(2,2))[0] q[::-1] K[:,1] K[K.shape[0]-1] np.any(K>1) np.all(K>0,axis=0)
"""
NUMPYS = TEXTS.split()


@pytest.mark.parametrize("seed", range(20))
def test_functions_of_numpy_give_what_numpy_gives(seed: int) -> None:
    """Several of them in one text, on drawn numbers."""
    rng = np.random.default_rng(seed)
    parts = [f"{rng.choice(['+', '*'])} {x}" for x in rng.choice(NUMPYS, 4, replace=False)]
    made: dict[str, Any] = {"np": np}
    exec(f"def drawn_text(arm, q, qd, K):\n    return 0*qd + q {' '.join(parts)}", made)
    law = mp.controller("planar2r", mp.law(made["drawn_text"], settings={"K": "n×n"}), K=rng.uniform(-2, 2, (2, 2)))
    run = law.compile()
    for _ in range(3):
        x = {"q": rng.uniform(-2, 2, 2), "qd": rng.uniform(-2, 2, 2), "K": rng.uniform(-2, 2, (2, 2))}
        wanted = made["drawn_text"](None, *x.values())
        got = run(*(x[name].ravel() for name in law.inputs if name in x))
        np.testing.assert_allclose(got, wanted, rtol=1e-11, atol=1e-11, err_msg=" ".join(parts))


DOMAINS = {"arcsin": (-1, 1), "arccos": (-1, 1), "sqrt": (0, 4), "log": (0.1, 4), "log2": (0.1, 4),
           "log10": (0.1, 4), "power": (0.1, 2), "float_power": (0.1, 2)}  # fmt: skip


@pytest.mark.parametrize("function", FORMULAS, ids=lambda x: x.__name__)
def test_each_function_of_one_number_is_numpys(function: np.ufunc) -> None:
    """Also of whole numbers, which are exact in a text, and of equal ones."""
    rng = np.random.default_rng(1)
    low, high = DOMAINS.get(function.__name__, (-3, 3))
    rows = rng.uniform(low, high, (12, function.nin))
    rows[0] = rows[0, 0]
    for row in rows:
        wanted = function(*row)
        assert float(FORMULAS[function](FLOATS, *row.tolist())) == pytest.approx(float(wanted), rel=1e-12, abs=1e-12)
    for whole in itertools.product((-3, -1, 1, 2, 3), repeat=function.nin):
        if all(low <= x <= high for x in whole):
            wanted = function(*map(float, whole))
            assert float(FORMULAS[function](FLOATS, *whole)) == pytest.approx(float(wanted), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("function", LOGIC, ids=lambda x: x.__name__)
def test_each_function_of_conditions_is_numpys(function: np.ufunc) -> None:
    for row in itertools.product((0, 1), repeat=function.nin):
        assert LOGIC[function](FLOATS, *row) == int(function(*map(bool, row)))


def test_several_results_of_a_model_are_taken_apart_as_those_of_an_arm() -> None:
    def drains(arm: Any, q: Any, qd: Any) -> Any:
        kinetic, potential = arm.energy(q, qd)
        found = arm.energy(q, qd)
        return qd * (kinetic + 2 * potential) + found[0] * q + found.potential

    q, qd = np.array([[0.3, 0.4], [0.5, -0.2]])
    robot = mp.load("planar2r").with_parameters(l1=1, l2=0.8, m1=3, m2=2, g=9.81)
    law, arm = mp.controller(robot, mp.law(drains)), mp.Arm(robot)
    np.testing.assert_allclose(law.compile()(q, qd), drains(arm, q, qd), rtol=1e-12)


def _global(arm, q):
    global TOTAL  # noqa: PLW0603
    TOTAL = TOTAL + 1
    return q


def _attribute(arm, q):
    arm.memory = q
    return q


def _yield(arm, q):
    yield q


def _stars(arm, *q):
    return q


def _default(arm, q, kp=3):
    return kp * q


def _unknown(arm, q, qdot):
    return q


def _prints(arm, q):
    print(q)
    return q


def _writes_a_file(arm, q):
    def keep(x):
        with open("law.txt", "w") as file:
            file.write(str(x))

    keep(q)
    return q


def _nobody():
    return 0


def _names(arm, q):
    globals()["TOTAL"] = q
    return q


def _plain(arm, q):
    return q


BAD = [
    (_names, {}, "calls globals"),
    (_global, {}, "a global name"), (_attribute, {}, "an attribute"), (_yield, {}, "yield"), (_stars, {}, "argument"),
    (_default, {}, "settings="), (_unknown, {}, "'qdot'"), (_nobody, {}, "the arm"),
    (_plain, {"states": {"x": "n"}}, "no argument"), (_plain, {"settings": {"q": 1.0}}, "one thing only"),
    (lambda arm, q: q, {}, "a name in plain letters"), (_prints, {}, "calls print"), (_writes_a_file, {}, "calls open"),
    (_plain, {"states": {"x": 0}}, "states: x"), (_plain, {"settings": {"x": "m"}}, "settings: x"),
    (_plain, {"inputs": {"x": []}}, "inputs: x"),
]  # fmt: skip


@pytest.mark.parametrize("text, declared, words", BAD)
def test_what_its_declaration_shows_is_refused_at_once(text: Any, declared: Any, words: str) -> None:
    with pytest.raises(mp.InputError) as said:
        mp.law(text, **declared)
    place = re.search(r"test_user_laws\.py:(\d+): ", str(said.value))
    assert words in str(said.value) and place
    codes = [text.__code__, *(x for x in text.__code__.co_consts if hasattr(x, "co_lines"))]
    lines = [line for code in codes for *_, line in code.co_lines() if line]
    # what is done is named by its own line, what is declared by the first
    done = "writes" in str(said.value) or "calls" in str(said.value)
    assert int(place[1]) in (lines if done else [text.__code__.co_firstlineno])
    assert (int(place[1]) > lines[0]) == done


def test_a_name_of_the_function_around_it_is_not_written() -> None:
    total = 0

    def counting(arm: Any, q: Any) -> Any:
        nonlocal total
        total += 1
        return q * total

    with pytest.raises(mp.InputError, match="the function around it"):
        mp.law(counting)


@pytest.mark.parametrize(
    "declared, words",
    [
        ({"states": {"x": 0}}, "states: x"), ({"states": {"x": "m"}}, "states: x"),
        ({"states": {"x": 1.5}}, "states: x"),
        ({"settings": {"x": "two"}}, "settings: x"), ({"settings": {"x": float("nan")}}, "settings: x"),
        ({"settings": {"x": None}}, "settings: x"), ({"settings": {"x": ("n", "a")}}, "settings: x"),
    ],
)  # fmt: skip
def test_sizes_and_values_are_declared_in_words_that_are_known(declared: Any, words: str) -> None:
    def law(arm: Any, q: Any, x: Any) -> Any:
        return q

    with pytest.raises(mp.InputError, match=words):
        mp.law(law, **declared)


@pytest.mark.parametrize(
    "returned, words",
    [
        (lambda q, x: q, "state x: the text returns"), (lambda q, x: (q, {"y": x}), "'y'"),
        (lambda q, x: (q, {"x": x, "x_rate": x}), "one of both"), (lambda q, x: (q, {"x": x[:1]}), "1 where 2"),
        (lambda q, x: ({"q": q}, {"x": x}), "a name of its own"), (lambda q, x: ({}, {"x": x}), "returns nothing"),
    ],
)  # fmt: skip
def test_what_it_returns_is_its_outputs_and_its_states(returned: Any, words: str) -> None:
    @mp.law(states={"x": "n"})
    def law(arm: Any, q: Any, x: Any) -> Any:
        return returned(q, x)

    with pytest.raises(mp.InputError, match=words):
        mp.controller("planar2r", law, sample=1e-3)


def test_a_law_drives_an_arm_only_as_the_law_of_a_robot() -> None:
    plant = mp.Plant("planar2r", effort=None)
    for drive in (
        lambda: mp.simulate(plant, matrices, until=0.1),
        lambda: mp.simulate(plant, events=[mp.Event(t=0.05, law=matrices)], start=[0.1, 0.2], until=0.1),
        lambda: mp.closed_loop("planar2r", matrices),
    ):
        with pytest.raises(mp.InputError, match=r"^law: .*matrices"):
            drive()


def test_settings_are_refused_as_those_of_any_law() -> None:
    law = OWN["pd_gravity"]
    with pytest.raises(mp.InputError, match="no value for"):
        mp.controller("planar2r", law, kp=1, sample=1e-3)
    with pytest.raises(mp.UnknownNameError, match="'ks'"):
        mp.controller("planar2r", law, kp=1, kd=1, ks=1, sample=1e-3)
    with pytest.raises(mp.InputError, match="K: expected 2×2"):
        mp.controller("planar2r", matrices, K=[1, 2, 3], sample=1e-3)


# forces of the surroundings on a plant


@mp.law(settings={"k": ("n", 40.0), "c": 0.3})
def surroundings(arm, q, qd, k, c):
    return -k * (q - 0.2) - c * qd * np.abs(qd)


@mp.law(settings={"share": "1"})
def buoyancy(arm, q, share):
    return share * arm.gravity(q)


def test_a_spring_and_a_fluid_push_the_plant() -> None:
    """As torques of a function in Python do in the exact integrator; the power balance has them."""
    robot = arm_of(4, "RP").without("friction")
    plant = mp.Plant(robot, friction="none", effort=None, stops=False)
    given: dict[str, Any] = {"start": [0.3, -0.1], "until": 0.2}
    run = mp.simulate(replace(plant, forces=surroundings), None, **given)
    true = mp.simulate(plant, lambda t, q, qd: -40 * (q - 0.2) - 0.3 * qd * np.abs(qd), **given, method="dop853")
    np.testing.assert_allclose(run.q[-1], true.q[-1], atol=1e-8)
    assert run.balance < 1e-7


@pytest.mark.parametrize("more", [{}, {"friction": "smooth"}, {"elastic": 500.0}])
def test_an_arm_that_floats_stays(more: dict[str, Any]) -> None:
    robot = arm_of(6, "RP").without("friction")
    float_away = mp.controller(robot, buoyancy, share=1)
    plant = mp.Plant(robot.with_motor_inertia(**dict.fromkeys(robot.joint_names, 0.1)), effort=None, **more)
    run = mp.simulate(replace(plant, forces=float_away), None, start=[0.3, -0.1], until=0.05)
    np.testing.assert_allclose(run.q[-1], [0.3, -0.1], atol=1e-12)
    assert hash(plant) == hash(replace(plant, forces=float_away))


@pytest.mark.parametrize(
    ("forces", "words"),
    [
        ("a spring", "forces: expected a function of mp.law"), (matrices, "matrices: forces on planar2r are torques"),
        (OWN["pd_gravity"], "pd_gravity: forces on planar2r are torques"),
        (buoyancy, r"test_user_laws.py:\d+: buoyancy: no value for share"),
    ],
)  # fmt: skip
def test_what_can_be_no_force_is_refused(forces: Any, words: str) -> None:
    with pytest.raises(mp.InputError, match=words):
        mp.Plant("planar2r", effort=None, forces=forces)


def test_the_exact_integrator_has_no_forces() -> None:
    plant = mp.Plant("planar2r", effort=None, forces=surroundings)
    with pytest.raises(mp.InputError, match=r"^forces: dop853 does not support them"):
        mp.simulate(plant, None, start=[0, 0], until=0.1, method="dop853")


def test_entries_are_numbered_from_one_and_no_two_have_one_name() -> None:
    """A name that ends in a digit keeps it apart: entry 1 of k1 is not entry 11 of k."""
    assert entry_names("kp", ()) == ("kp",) and entry_names("k2", ()) == ("k2",)
    assert entry_names("kp", (3,)) == ("kp1", "kp2", "kp3") and entry_names("k1", (2,)) == ("k1_1", "k1_2")
    assert entry_names("K", (2, 2)) == ("K1_1", "K1_2", "K2_1", "K2_2")
    several = [entry_names(name, shape) for name in ("k", "k1", "k11") for shape in ((12,), (2, 3))]
    assert all(len(set(names)) == size for names, size in zip(several, (12, 6) * 3))
    lists = several[::2]
    assert len({name for names in lists for name in names}) == sum(map(len, lists))
