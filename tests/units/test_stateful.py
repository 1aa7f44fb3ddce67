"""Functions with states: steps in Python, and `name_state`, `name_init`, `name_step` in every language."""

from __future__ import annotations

import ctypes
import json
import pickle
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.backend import emit
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.node import Graph
from manipula.algebra.run.compiled_function import Compiled, compile_tape
from manipula.algebra.tape import Tape, tape_from_function
from manipula.errors import ConditionError, InputError, UnknownNameError
from manipula.generation.compose import generate_block
from manipula.generation.prepare import Request, prepare
from manipula.mechanics.models.control.laws import LAWS
from manipula.mechanics.models.integrate.discretisation import discretise
from manipula.mechanics.models.integrate.motion import MOTION
from manipula.scalar import Next
from tests.emitted import CC, module_from, needs_cc, shared, written
from tests.golden import planar
from tests.languages import TOOLS, in_every_language, self_tested, sh
from tests.random_robots import random_robot

pytestmark = pytest.mark.usefixtures("kept_functions")

LANGUAGES = ("c", "cpp", "cuda", "fortran", "javascript", "python", "rust", "st")
QUICK = ("c", "javascript", "python", "st")
SLOWER = [("a state alone", "cpp"), ("a state alone", "rust")]
FIRST = "a setting and a parameter"
GAINS = {"l1": 0.5, "stiff": 3.0, "pace": 0.25}


@cache
def pid() -> Tape:
    return tape_from_function(
        generate_block(LAWS["pid"].sampled, prepare(Request(random_robot(5, joints="RPR"), "pose")))
    )


@cache
def falling() -> Tape:
    """States only: nothing goes out of a step but what is remembered; no parameters either, and no settings."""
    robot = mp.load("planar2r").with_parameters(l1=1, l2=1, m1=1, m2=1, g=10)
    block = discretise(MOTION, Fraction(1, 1000))
    return tape_from_function(generate_block(block, prepare(Request(robot, "pose"))))


def counter() -> Tape:
    """One state, called like the struct, and nothing else: no variable, no output, nothing to prepare."""
    graph = Graph()
    x = graph.symbol("x", online=True)
    further = (Output("further", (1,), (x * x - Fraction(3, 2),), gives=Next("state")),)
    return tape_from_function(Function("counter", graph, (Input("state", (x,), role="state"),), further))


TAPES = {FIRST: planar.servo, "a law of an arm": pid, "a state alone": counter}


CASES = [(case, x) for case in TAPES for x in (LANGUAGES if case == FIRST else QUICK)] + SLOWER


@pytest.mark.turn
@pytest.mark.drawn("case")
@pytest.mark.parametrize("case, language", [(case, x) for case, x in CASES if TOOLS[x].found])
def test_the_self_test_of_what_remembers_passes(case: str, language: str, tmp_path: Path) -> None:
    files = emit(TAPES[case](), language, "1")
    done = self_tested(language, files, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "step" in "".join(files.values())


BROKEN = {  # in the text of a step: what it remembers is not what it computed
    "c": ("state->low[i] = low_next[i]", "state->low[i] = low_next[0]"),
    "cpp": ("state.low = result.low_next", "state.low = result.tau"),
    "cuda": ("state.low[i] = low_next[i]", "state.low[i] = low_next[0]"),
    "fortran": ("memory%low = low_next", "memory%low = tau"),
    "javascript": ("state.low = result.low_next", "state.low = result.tau"),
    "python": ("state.low = result.low_next", "state.low = result.tau"),
    "rust": ("state.low = result.low_next", "state.low = result.tau"),
    "st": ("low_now := low_next", "low_now := tau"),
}


@pytest.mark.turn
@pytest.mark.drawn("language", few=3)
@pytest.mark.parametrize("language", in_every_language(LANGUAGES))
def test_a_self_test_sees_a_step_that_is_wrong(language: str, tmp_path: Path) -> None:
    right, wrong = BROKEN[language]
    files = emit(planar.servo(), language, "1")
    assert sum(text.count(right) for text in files.values()) == 1
    done = self_tested(language, {name: text.replace(right, wrong) for name, text in files.items()}, tmp_path)
    assert done.returncode != 0


def trajectory(f: Compiled, steps: int) -> tuple[Any, Any]:
    """States and outputs of the servo, driven by a fixed motion."""
    state, seen, out = f.start(low=[0.3, -0.2]), [], []
    for i in range(steps):
        state, tau = f.step(state, [np.sin(0.1 * i), np.cos(0.07 * i)], p=GAINS)
        seen.append(state.low)
        out.append(tau)
    return np.array(seen), np.array(out)


@needs_cc
def test_c_goes_the_way_python_goes(tmp_path: Path) -> None:
    assert CC is not None
    written(emit(planar.servo(), "c", "1"), tmp_path)
    library = shared(tmp_path / "planar_servo.c")

    class Memory(ctypes.Structure):
        _fields_ = [("low", ctypes.c_double * 2), ("k", ctypes.c_double * 2)]

    memory, tau = Memory(), (ctypes.c_double * 2)()

    def vector(*values: float) -> Any:
        return (ctypes.c_double * len(values))(*values)

    start = (vector(0.3, -0.2), vector(GAINS["stiff"], GAINS["pace"]), vector(GAINS["l1"]))
    assert library.planar_servo_init(ctypes.byref(memory), *start) == 0
    low, out = trajectory(compile_tape(planar.servo()), 200)
    for i in range(200):
        library.planar_servo_step(ctypes.byref(memory), vector(np.sin(0.1 * i), np.cos(0.07 * i)), tau)
        np.testing.assert_allclose(memory.low, low[i], rtol=0, atol=1e-13)
        np.testing.assert_allclose(tau, out[i], rtol=0, atol=1e-13)
    assert library.planar_servo_init(ctypes.byref(memory), *start[:2], vector(0.0)) == 1
    library.planar_servo_step(ctypes.byref(memory), vector(0.0, 0.0), tau)
    assert np.isnan(tau).all()


@pytest.mark.parametrize("language", in_every_language(["javascript"]))
def test_javascript_goes_the_way_python_goes(language: str, tmp_path: Path) -> None:
    written(emit(planar.servo(), language, "1"), tmp_path)
    (tmp_path / "walk.mjs").write_text(
        'import { planar_servo_init, planar_servo_step } from "./planar_servo.mjs";\n'
        "const state = planar_servo_init([0.3, -0.2], [3.0, 0.25], [0.5]);\nconst seen = [];\n"
        "for (let i = 0; i < 50; i++) {\n"
        "  planar_servo_step(state, [Math.sin(0.1 * i), Math.cos(0.07 * i)]);\n  seen.push(state.low);\n}\n"
        "console.log(JSON.stringify(seen));\n"
    )
    done = sh(tmp_path, "node", "walk.mjs")
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(json.loads(done.stdout), trajectory(compile_tape(planar.servo()), 50)[0], atol=1e-13)


def test_emitted_python_goes_the_way_python_goes(tmp_path: Path) -> None:
    text = emit(planar.servo(), "python", "1")["planar_servo.py"]
    module = module_from(text, "planar_servo", tmp_path)
    state = module.planar_servo_init([0.3, -0.2], [GAINS["stiff"], GAINS["pace"]], [GAINS["l1"]])
    low, out = trajectory(compile_tape(planar.servo()), 50)
    for i in range(50):
        tau = module.planar_servo_step(state, [np.sin(0.1 * i), np.cos(0.07 * i)]).tau
        np.testing.assert_allclose([state.low, tau], [low[i], out[i]], rtol=0, atol=1e-13)
    with pytest.raises(ValueError, match="l1 != 0"):
        module.planar_servo_init([0.3, -0.2], [3.0, 0.25], [0.0])


# in Python


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("tape", [planar.servo, pid])
def test_a_row_of_many_has_the_bits_of_one(backend: str, tape: Any) -> None:
    f, rng = compile_tape(tape(), backend), np.random.default_rng(7)
    p = rng.uniform(0.2, 1.0, len(f.parameters))
    given = [rng.normal(size=(9, *port.shape)) for port in f.inputs if port.role != "state"]
    state = f.start(**{port.name: rng.normal(size=(9, *port.shape)) for port in f.inputs if port.role == "state"})
    many = f.step(state, *given, p=p)
    for i in range(9):
        one = f.step([x[i] for x in state], *(x[i] for x in given), p=p)
        for a, b in zip(one.state, many.state):
            assert a.tobytes() == b[i].tobytes()
        assert np.array_equal(one.outputs, many.outputs[i])
    again = f.step(state, *given, p=p, out=state)
    assert all(a is b for a, b in zip(again.state, state))
    assert all(np.array_equal(a, b) for a, b in zip(state, many.state))


def test_states_are_named_tuples_that_start_at_zero_and_pickle() -> None:
    f = compile_tape(planar.servo())
    state = f.start()
    assert state._fields == ("low",) and np.array_equal(state.low, [0, 0])
    assert np.array_equal(pickle.loads(pickle.dumps(state)).low, state.low)
    assert f.start(low=np.ones((4, 2))).low.shape == (4, 2)
    given = np.zeros(2)
    f.step(f.start(low=given), [1.0, 1.0], p=GAINS, out=f.start(low=given))
    assert np.array_equal(given, [0, 0])  # what one starts from is copied
    assert f.step({"low": [0, 0]}, [1.0, 1.0], p=GAINS).state.low.tolist() == [0.25, 0.25]


def test_an_arm_that_falls_has_no_outputs_but_its_states() -> None:
    f = compile_tape(falling())
    state, outputs = f.step(f.start(q=[0.1, 0.2]), [0.0, 0.0])
    assert outputs == () and state._fields == ("q", "qd") and (state.qd != 0).all()


def test_what_cannot_be_stepped_says_why() -> None:
    f, plain = compile_tape(planar.servo()), compile_tape(planar.tip())
    with pytest.raises(InputError, match="planar_tip: has no states"):
        plain.step([], [0.0, 0.0])
    with pytest.raises(UnknownNameError, match="high"):
        f.start(high=[0, 0])
    with pytest.raises(InputError, match=r"low: expected shape \(..., 2\), found \(3,\)"):
        f.start(low=[0, 0, 0])
    with pytest.raises(InputError, match=r"takes 1 inputs \(q\), found 2"):
        f.step(f.start(), [0.0, 0.0], [0.0, 0.0], p=GAINS)
    with pytest.raises(InputError, match="state: expected low, found up"):
        f.step({"up": [0, 0]}, [0.0, 0.0], p=GAINS)
    with pytest.raises(InputError, match="as `start` gives them"):
        f.step((), [0.0, 0.0], p=GAINS)
    with pytest.raises(InputError, match="out: low: expected float64"):
        f.step(f.start(), [0.0, 0.0], p=GAINS, out=[np.zeros(3)])
    with pytest.raises(ConditionError, match="l1"):
        f.step(f.start(), [0.0, 0.0], p={**GAINS, "l1": 0.0})
