"""Every operation of the table, in every language, nested in every way: the emitted text means what the tape means."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from manipula.algebra.emit.backend import emit
from manipula.algebra.emit.c.spelling import BOTH
from manipula.algebra.emit.c.spelling import language as c_language
from manipula.algebra.emit.cpp import language as cpp_language
from manipula.algebra.emit.cuda.program import language as cuda_language
from manipula.algebra.emit.fortran import LANGUAGE as FORTRAN
from manipula.algebra.emit.javascript import LANGUAGE as JAVASCRIPT
from manipula.algebra.emit.jax import LANGUAGE as JAX
from manipula.algebra.emit.latex import LANGUAGE as LATEX
from manipula.algebra.emit.matlab import LANGUAGE as MATLAB
from manipula.algebra.emit.python import LANGUAGE as PYTHON
from manipula.algebra.emit.rust import LANGUAGE as RUST
from manipula.algebra.emit.st import LANGUAGE as ST
from manipula.algebra.emit.st import SINGLE as ST_REAL
from manipula.algebra.emit.text import Language, Text
from manipula.algebra.expr.evaluate import ARRAYS, ArrayMaths
from manipula.algebra.tape import Line, Port, Tape, verify
from manipula.scalar import APART, OPS
from tests.emitted import c_function, module_from, needs_cc
from tests.languages import in_every_language, self_tested
from tests.latex_reader import state_from_latex, symbols_from_latex, values_from_latex

A, B, C, X = (Text(letter) for letter in "abcx")
C99 = c_language("f")
SPOKEN = [name for name in OPS if name != APART]  # what stands apart is gone from every tape
TABLES = {
    "c": C99, "c real": BOTH.language("f"), "cpp": cpp_language("f"), "cuda": cuda_language("f"), "jax": JAX,
    "fortran": FORTRAN, "javascript": JAVASCRIPT, "latex": LATEX, "matlab": MATLAB, "python": PYTHON, "rust": RUST,
    "st": ST, "st real": ST_REAL,
}  # fmt: skip
PLAIN = ["c", "javascript", "jax", "python"]  # with nothing around numbers and C's signs


class LibmMaths(ArrayMaths):
    """Floats with the C library's sine and cosine, so that C can be held to the last bit."""

    def sin(self, x: Any) -> Any:
        return np.float64(math.sin(x)) if math.isfinite(x) else np.float64("nan")

    def cos(self, x: Any) -> Any:
        return np.float64(math.cos(x)) if math.isfinite(x) else np.float64("nan")

    def atan2(self, y: Any, x: Any) -> Any:
        return np.float64(math.atan2(y, x))


def say(language: Language, op: str, *args: Text) -> Text:
    return language.table[op](args)


@pytest.mark.parametrize("language", TABLES.values(), ids=TABLES)
def test_the_tables_spell_every_operation(language: Language) -> None:
    assert language.table.keys() == set(SPOKEN)


@pytest.mark.parametrize("language", [TABLES[name] for name in PLAIN], ids=PLAIN)
def test_parentheses_are_the_fewest_that_keep_the_order(language: Language) -> None:
    def do(op: str, *args: Text) -> Text:
        return say(language, op, *args)

    half, minus_half = language.number(0.5), language.number(-0.5)
    cases = {
        "a - (b - c)": do("sub", A, do("sub", B, C)),
        "a - b - c": do("sub", do("sub", A, B), C),
        "a + (b + c)": do("add", A, do("add", B, C)),
        "a + b + c": do("add", do("add", A, B), C),
        "a/(b/c)": do("div", A, do("div", B, C)),
        "a/(b*c)": do("div", A, do("mul", B, C)),
        "a*b/c": do("div", do("mul", A, B), C),
        "a*(b*c)": do("mul", A, do("mul", B, C)),
        "a*(b + c)": do("mul", A, do("add", B, C)),
        "a*b + c": do("add", do("mul", A, B), C),
        "-(a + b)": do("neg", do("add", A, B)),
        "-a*b": do("neg", do("mul", A, B)),
        "-(-x)": do("neg", do("neg", X)),
        "-(-a*b)": do("neg", do("neg", do("mul", A, B))),
        "-(-0.5)": do("neg", minus_half),
        "2.0*-x": do("mul", language.number(2.0), do("neg", X)),
        "a*(-b*c)": do("mul", A, do("neg", do("mul", B, C))),
        "a - -b": do("sub", A, do("neg", B)),
        "a/-0.5": do("div", A, minus_half),
        "0.5*x": do("mul", half, X),
    }
    assert {want: got.text for want, got in cases.items()} == {want: want for want in cases}


def random_tape(seed: int, lines: int = 80) -> Tape:
    """Lines of random operations on random slots, names nobody gave: all the nesting the writer can make."""
    dice = random.Random(seed)
    variables, parameters, constants = range(4), range(4, 8), range(8, 12)
    names = [*(f"q{i + 1}" for i in range(4)), *(f"p{i + 1}" for i in range(4))]
    order = [*SPOKEN, *dice.choices(["add", "sub", "mul", "div", "neg"], k=lines)]
    dice.shuffle(order)
    code: list[Line] = []
    unread = list(range(12))

    def argument() -> int:
        """Mostly what nobody has read yet: that is what gets written in place, and nests."""
        if unread and dice.random() < 0.6:
            return unread.pop(dice.randrange(len(unread)))
        return dice.randrange(12 + len(code))

    for op in order:
        args = tuple(argument() for _ in range(OPS[op].arity))
        if op == "sqrt":  # of something that is not negative, or NaN would hide all that follows
            code.append(Line(12 + len(code), "abs", args))
            args = (code[-1].slot,)
        code.append(Line(12 + len(code), op, args))
        unread.append(code[-1].slot)
    online: set[int] = set(variables)
    for line in code:
        if not online.isdisjoint(line.args):
            online.add(line.slot)
    read = {arg for line in code for arg in line.args}
    slots = (0, 4, 8, *(line.slot for line in code if line.slot not in read))  # a tape has no line that nothing needs
    tape = Tape(
        "every_op",
        (Port("q", (4,), tuple(variables), names=tuple(names[:4])),
         Port("p", (4,), tuple(parameters), role="parameter", names=tuple(names[4:]))),
        tuple(zip(constants, (-2.0, 0.5, 1e-5, -3.75), strict=True)),
        tuple(line for line in code if line.slot not in online),
        tuple(line for line in code if line.slot in online),
        (Port("y", (len(slots),), slots),),
        (*names, *(f"D{i}" for i in range(1, 5 + len(code)))),
    )  # fmt: skip
    verify(tape)
    return tape


def drawn(seed: int) -> dict[str, list[float]]:
    dice = random.Random(seed)
    return {"q": [dice.uniform(-2, 2) for _ in range(4)], "p": [dice.uniform(0.5, 2) for _ in range(4)]}


def expected(tape: Tape, inputs: Mapping[str, Sequence[float]], maths: ArrayMaths) -> list[float]:
    with np.errstate(all="ignore"):
        exact = {name: [np.float64(x) for x in values] for name, values in inputs.items()}
        return [float(x) for x in tape.evaluate(exact, maths)["y"]]


def without_checks(tape: Tape) -> bool:
    """A denominator of parameters may be zero by design here; such tapes belong to the test of conditions."""
    return not any(line.op == "div" for line in tape.offline)


SEEDS = [seed for seed in range(60) if without_checks(random_tape(seed))]


def test_the_random_tapes_have_every_operation_on_line() -> None:
    assert len(SEEDS) >= 10
    assert {line.op for seed in SEEDS[:10] for line in random_tape(seed).online} == set(SPOKEN)
    results = [expected(random_tape(seed), drawn(seed), ARRAYS) for seed in SEEDS[:10]]
    assert np.mean(np.isfinite(np.concatenate(results))) > 0.7, "too much NaN to compare"


@needs_cc
@pytest.mark.parametrize("seed", SEEDS[:6])
def test_c_is_the_tape(seed: int, tmp_path: Path) -> None:
    tape = random_tape(seed)
    inputs = drawn(seed)
    got = c_function(tape, emit(tape, "c", "0"), tmp_path)(inputs)["y"]
    np.testing.assert_allclose(got, expected(tape, inputs, LibmMaths()), rtol=1e-15, atol=0)


@pytest.mark.parametrize("seed", SEEDS[:10])
def test_python_is_the_tape(seed: int, tmp_path: Path) -> None:
    tape = random_tape(seed)
    inputs = drawn(seed)
    module = module_from(emit(tape, "python", "0")["every_op.py"], "every_op", tmp_path)
    with np.errstate(all="ignore"):
        got = module.every_op(inputs["q"], inputs["p"])
    np.testing.assert_allclose(got, expected(tape, inputs, ARRAYS), rtol=1e-15, atol=0)


def one_op(op: str) -> Tape:
    arity = OPS[op].arity
    names = tuple(f"q{i + 1}" for i in range(arity))
    inputs = (Port("q", (arity,), tuple(range(arity)), names=names),)
    line = Line(arity, op, tuple(range(arity)))
    return Tape(f"one_{op}", inputs, (), (), (line,), (Port("y", (), (arity,)),), (*names, "D1"))


# what has an answer of its own at some values: NaN, infinities, zeros of either sign, ties
DECIDING = tuple(name for name in SPOKEN if OPS[name].opaque and name != "atan2")
NAN = float("nan")
INF = float("inf")
EDGES = [
    (NAN, 1.0, 2.0), (1.0, NAN, 2.0), (0.0, NAN, 2.0), (1.0, 2.0, NAN), (NAN, NAN, 0.0), (0.0, 0.0, 3.0),
    (-0.0, 0.0, 3.0), (0.0, -0.0, 3.0), (1.0, 1.0, 4.0), (-1.0, 2.0, 4.0), (3.0, INF, 4.0), (INF, -INF, 4.0),
    (1.0, INF, 4.0), (INF, 0.0, 4.0), (0.0, -1.5, 4.0), (-INF, 0.5, 4.0), (-2.5, -3.5, 4.0), (3.0, 2.5, 4.0),
    (0.5, -0.25, 4.0), (-2.0, -1.0, 4.0),
]  # fmt: skip


@pytest.mark.parametrize("language", [pytest.param("c", marks=needs_cc), "python"])
@pytest.mark.parametrize("op", DECIDING)
def test_nan_and_ties_are_as_the_reference_has_them(op: str, language: str, tmp_path: Path) -> None:
    tape, arity = one_op(op), OPS[op].arity
    files = emit(tape, language, "0")
    states = [{"q": list(row[:arity])} for row in EDGES]
    if language == "c":
        run = c_function(tape, files, tmp_path)
        got = [run(state)["y"][0] for state in states]
    else:
        function = getattr(module_from(files[f"one_{op}.py"], f"one_{op}", tmp_path), f"one_{op}")
        with np.errstate(all="ignore"):
            got = [float(function(state["q"])) for state in states]
    np.testing.assert_allclose(got, [expected(tape, state, LibmMaths())[0] for state in states], rtol=3e-16, atol=0)


# every language, one package: random operations and the edges of those that decide


def deciding_tape(seed: int) -> Tape:
    """A random tape that also computes, of its raw inputs, every operation that decides something."""
    tape = random_tape(seed)
    first = len(tape.names)
    lines = tuple(Line(first + i, op, tuple(range(OPS[op].arity))) for i, op in enumerate(DECIDING))
    names = tuple(f"E{i}" for i in range(len(DECIDING)))
    decided = Port("e", (len(DECIDING), 1), tuple(line.slot for line in lines))
    made = replace(tape, online=tape.online + lines, outputs=(*tape.outputs, decided), names=tape.names + names)
    verify(made)
    return made


def samples(seed: int) -> list[dict[str, list[float]]]:
    p = drawn(seed)["p"]
    return [*(drawn(seed + i) for i in range(4)), *({"q": [*row, 0.7], "p": p} for row in EDGES)]


EVERY = next(seed for seed in SEEDS if {line.op for line in random_tape(seed).online} == set(SPOKEN))


@pytest.mark.parametrize("language", in_every_language())
def test_every_language_is_the_tape(language: str, tmp_path: Path) -> None:
    done = self_tested(language, emit(deciding_tape(EVERY), language, "0", samples(EVERY)), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_latex_reads_as_the_tape(seed: int) -> None:
    """Also where names look alike: a program written from the document computes the document's own state."""
    tape, inputs = random_tape(seed), drawn(seed)
    alike = replace(tape, names=("q1", "q_1", "q3", "q4", "p1", "p_1", "D_1", "d1", *tape.names[8:]))
    for one in (tape, alike):
        text = emit(one, "latex", "0", [inputs])["every_op.tex"]
        symbols = [symbol for port in symbols_from_latex(text).values() for symbol in port]
        assert len(symbols) == len(set(symbols)) == 8
        state = state_from_latex(text)
        got, wanted = values_from_latex(text, state), expected(one, inputs, ARRAYS)
        for name, numbers in {**inputs, "y": wanted}.items():
            np.testing.assert_allclose(state[name], numbers, rtol=1e-12)
        np.testing.assert_allclose([got[rf"y_{{{i + 1}}}"] for i in range(len(wanted))], wanted, rtol=1e-12)
