"""Every entry of the table of operations: one value over every scalar, true slopes, and no rule that is not a law."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from manipula.algebra.expr.evaluate import ARRAYS, INTERVALS, MPMATH, evaluate
from manipula.algebra.expr.field import FieldMaths, P
from manipula.algebra.expr.maths import ExprMaths, gradient, tangents
from manipula.algebra.expr.node import Graph
from manipula.algebra.show.sympy_bridge import SympyMaths
from manipula.mechanics.robot.precise import PRECISE
from manipula.mechanics.spatial import adjoint, dual
from manipula.mechanics.spatial.floats import FLOATS
from manipula.scalar import ARITHMETIC, OPS
from tests.emitted import python

NAMED = [name for name in OPS if name not in ARITHMETIC]
NAMES = ("x", "y", "z")


def drawn(name: str, seed: int) -> list[float]:
    """Arguments where the operation has a value."""
    dice = random.Random(f"{name} {seed}")
    values = [dice.uniform(-2.5, 2.5) for _ in range(OPS[name].arity)]
    return [abs(values[0]), *values[1:]] if OPS[name].partial else values


CASES = [(name, seed) for name in NAMED for seed in range(6)]


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_one_value_over_every_scalar(name: str, seed: int) -> None:
    op, values = OPS[name], drawn(name, seed)
    with mpmath.workdps(40):
        true = float(op.value(MPMATH, *map(mpmath.mpf, values)))
    got = {
        "floats": op.value(FLOATS, *values),
        "arrays": op.value(ARRAYS, *(np.array([x, x]) for x in values))[1],
        "precise": op.value(PRECISE, *map(PRECISE.number, map(Fraction, values))),
        "dual": op.value(dual.DualMaths(FLOATS), *dual.variables(values)).value,
        "traced": op.value(adjoint.TracedMaths(FLOATS), *adjoint.variables(values)).value,
        "sympy": op.value(SympyMaths(sympy), *map(sympy.Float, values)),
    }
    assert {kind: float(x) for kind, x in got.items()} == {kind: pytest.approx(true, rel=1e-15) for kind in got}
    box = op.value(INTERVALS, *(INTERVALS.iv.mpf([x - 1e-3, x + 1e-3]) for x in values))
    assert mpmath.mpf(box.a) <= true <= mpmath.mpf(box.b)


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_slopes_are_those_of_the_value(name: str, seed: int) -> None:
    """Central differences with forty digits; a piece that is flat there has the slope 0."""
    op, values = OPS[name], drawn(name, seed)
    with mpmath.workdps(40):
        at, step = [mpmath.mpf(x) for x in values], mpmath.mpf(10) ** -12

        def along(k: int, sign: int) -> Any:
            return op.value(MPMATH, *(x + sign * step * (i == k) for i, x in enumerate(at)))

        true = [float((along(k, 1) - along(k, -1)) / (2 * step)) for k in range(op.arity)]
    near = pytest.approx(true, rel=1e-13, abs=1e-13)
    forward = op.value(dual.DualMaths(FLOATS), *dual.variables(values))
    assert [float(dual.partial(forward, k)) for k in range(op.arity)] == near
    traced = adjoint.variables(values)
    assert [float(x) for x in adjoint.gradient(op.value(adjoint.TracedMaths(FLOATS), *traced), traced)] == near
    graph = Graph()
    symbols = [graph.symbol(word) for word in NAMES[: op.arity]]
    root = op.value(ExprMaths(graph), *symbols)
    found = [*gradient(root, symbols), *(tangents([root], {symbol: graph.one})[0] for symbol in symbols)]
    assert evaluate(found, dict(zip(NAMES, values)), FLOATS) == pytest.approx(true * 2, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("maths", [FLOATS, ARRAYS, MPMATH], ids=["floats", "arrays", "mpmath"])
@pytest.mark.parametrize("name", NAMED)
def test_nan_in_gives_nan_out(name: str, maths: Any) -> None:
    """In any place, whatever stands in the others; the arm that is not taken apart."""
    arity, nan = OPS[name].arity, maths.number(Fraction(1)) * math.nan
    for place in range(arity if name != "select" else 1):
        for other in (Fraction(0), Fraction(1), Fraction(-2)):
            args = [nan if i == place else maths.number(other) for i in range(arity)]
            assert math.isnan(OPS[name].value(maths, *args)), (place, other)


@pytest.mark.parametrize("maths", [FLOATS, ARRAYS, MPMATH], ids=["floats", "arrays", "mpmath"])
def test_the_ends_of_the_range(maths: Any) -> None:
    one, inf = maths.number(Fraction(1)), maths.number(Fraction(1)) * math.inf
    values = {
        "exp": (maths.exp(1000 * one), maths.exp(-1000 * one), maths.exp(inf), maths.exp(-inf)),
        "log": (maths.log(0 * one), maths.log(inf), maths.log(-one)),
        "tanh": (maths.tanh(inf), maths.tanh(-1000 * one)),
        "pow": (maths.pow(0 * one, 2 * one), maths.pow(0 * one, -one), maths.pow(0 * one, 0 * one),
                maths.pow(-one, 2 * one), maths.pow(one, inf), maths.pow(2 * one, -inf), maths.pow(inf, 0 * one)),
        "floor": (maths.floor(-one / 2), maths.floor(-3 * one), maths.floor(inf)),
    }  # fmt: skip
    assert {name: [float(x) for x in found] for name, found in values.items()} == {
        "exp": [math.inf, 0, math.inf, 0],
        "log": [-math.inf, math.inf, pytest.approx(math.nan, nan_ok=True)],
        "tanh": [1, -1],
        "pow": [0, math.inf, 1, pytest.approx(math.nan, nan_ok=True), 1, 0, 1],
        "floor": [-1, -3, math.inf],
    }


def test_towers_of_exponentials_end() -> None:
    """No number is too large to be refused: mpmath would store an exponent of a billion digits."""
    x = mpmath.mpf(50)
    for _ in range(4):
        x = MPMATH.exp(x)
    assert x == mpmath.inf and MPMATH.pow(mpmath.mpf(10), mpmath.mpf(10) ** 30) == mpmath.inf
    graph = Graph()
    maths = ExprMaths(graph)
    assert evaluate([maths.exp(maths.exp(graph.const(40)))], {}, MPMATH) == [mpmath.inf]


@pytest.mark.parametrize("name", [name for name in NAMED if OPS[name].opaque])
def test_the_graph_and_the_field_know_the_same(name: str) -> None:
    """Symmetries and the one known value, and nothing else: at any other point the value is its own."""
    op, graph, field = OPS[name], Graph(), FieldMaths("test")
    maths = ExprMaths(graph)
    x, y = graph.symbol("x"), field.symbol("x")
    rest = (graph.symbol("y"), graph.symbol("z"))[: op.arity - 1]
    drawn_rest = (field.symbol("y"), field.symbol("z"))[: op.arity - 1]
    if op.parity:
        assert op.value(maths, -x) is (op.value(maths, x) if op.parity > 0 else -op.value(maths, x))
        assert op.value(field, -y).value == op.parity * op.value(field, y).value % P
    if op.known is not None:
        at, found = op.known
        assert op.value(maths, at) is graph.const(found) and op.value(field, at).value == found
        assert float(op.value(FLOATS, float(at))) == found  # a law of numbers, not of the table
    for number in {-1, 2, 3} | ({0, 1} - set(op.known or ())):
        node = op.value(maths, number, *rest)
        assert node.op == name or (op.parity and node.op in ("neg", name)), number
    others = {op.value(FieldMaths(f"test {i}"), 5, *drawn_rest).value for i in range(3)}
    assert len(others) == 3


def test_entries_have_words_for_readers() -> None:
    for op in OPS.values():
        assert op.doc and not op.doc.endswith("."), op.name
        assert op.counted_as in ("mul", "add", "neg", "div", "sqrt", "trig", "other", "nothing"), op.name


ONE_ENTRY = '''
import manipula.scalar as scalar

def sinh(self, x):
    """Hyperbolic sine."""
    return self.apply("sinh", x)

slopes = lambda m, v, x: (m.sqrt(1 + v * v),)
scalar.Maths.sinh = scalar.operation(slopes, parity=-1, known=(0, 0), monotone=True)(sinh)

import math
import numpy as np
import sympy
from manipula.algebra.emit.backend import emit, languages
from manipula.algebra.expr.maths import gradient
from manipula.algebra.expr.evaluate import MPMATH
from manipula.algebra.expr.field import FieldMaths
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.show.sympy_bridge import to_sympy
from manipula.algebra.tape import tape_from_function
from manipula.mechanics.spatial.dual import DualMaths, variables
from manipula.mechanics.spatial.floats import FLOATS

graph = Graph()
maths, x = ExprMaths(graph), graph.symbol("x", online=True)
root = maths.sinh(x)
function = Function("f", graph, (Input("q", (x,)),), (Output("y", (2,), (root, gradient(root, [x])[0])),))
tape = tape_from_function(function)
rows = np.linspace(-3, 3, 11)
for backend in ("llvm", "numpy"):
    got = compile_tape(tape, backend)(rows[:, None])
    np.testing.assert_allclose(got, np.stack([np.sinh(rows), np.cosh(rows)], axis=-1), rtol=1e-14)
for language in languages():
    assert any("sinh" in text.lower() for text in emit(tape, language, "1").values()), language
assert maths.sinh(-x) is -root and FieldMaths("a").sinh(0).value == 0
assert math.isclose(float(MPMATH.sinh(MPMATH.number(2))), math.sinh(2))
assert math.isclose(DualMaths(FLOATS).sinh(variables([0.7])[0]).partials[0], math.cosh(0.7))
assert to_sympy(function)["y"][0] == sympy.sinh(sympy.Symbol("x", real=True))
print("everywhere")
'''


@pytest.mark.turn
def test_an_operation_is_one_entry() -> None:
    """A new one, entered before anything else is loaded, is known to every scalar, back end and printer."""
    assert python("-c", ONE_ENTRY) == "everywhere\n"
