"""Laws of the value-interned graph, on random formulas: a node is what its text says, however it was folded."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from manipula.algebra.expr.evaluate import MPMATH, evaluate
from manipula.algebra.expr.field import P
from manipula.algebra.expr.function import cost_of
from manipula.algebra.expr.maths import rebuilt, topological
from manipula.algebra.expr.node import Graph
from manipula.algebra.optimise.prove import prove
from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_expressions import PARAMETERS, VARIABLES, Text, branchy, built, function_of, play, smooth, whole

many = settings(max_examples=60, deadline=None)
texts = st.one_of(smooth, branchy)


@many
@given(texts, whole)
def test_a_node_has_the_value_of_its_text(text: Text, values: Mapping[str, Fraction]) -> None:
    root = built(text)
    with mpmath.workdps(60):
        at = {name: MPMATH.number(value) for name, value in values.items()}
        got, true = evaluate([root], at, MPMATH)[0], play(text, MPMATH, at)
        assert abs(got - true) <= mpmath.mpf(10) ** -40 * (1 + abs(true))


@many
@given(texts, texts)
def test_sign_twins_are_one_node(one: Text, other: Text) -> None:
    graph = Graph()
    x, y = built(one, graph), built(other, graph)
    assert y - x is -(x - y)
    assert x + y is y + x and x * y is y * x
    assert (-x) * y is -(x * y) and (-x) * (-y) is x * y


@many
@given(texts, texts, texts)
def test_ring_laws(one: Text, two: Text, three: Text) -> None:
    graph = Graph()
    x, y, z = (built(text, graph) for text in (one, two, three))
    assert (x + y) + z is x + (y + z)
    assert (x * y) * z is x * (y * z)
    assert x * (y + z) is x * y + x * z
    assert x - x is graph.zero and x + 0 is x and x * 1 is x


@many
@given(texts)
def test_canonical_signs(text: Text) -> None:
    """Products have no negative factor, sums no negative term; no value stands beside its opposite."""
    root = built(text)
    for node in topological([root]):
        if node.op in ("add", "sub", "mul"):
            assert all(arg.op != "neg" for arg in node.args)
        if node.op == "neg":
            assert node.args[0].op != "neg"
        if node.op == "const":
            assert node.data >= 0
    table = root.graph.table
    assert all(P - value not in table for value in table)


@many
@given(texts)
def test_rebuilding_changes_nothing(text: Text) -> None:
    root = built(text)
    again = rebuilt([root], Graph())[0]
    assert again.value == root.value and cost_of([again]) == cost_of([root])


@many
@given(texts)
def test_every_formula_is_proved_equal_to_its_text(text: Text) -> None:
    graph = Graph()
    function = function_of(graph, built(text, graph))

    def reference(maths: Any, symbol: Any) -> dict[str, Any]:
        return {"u": play(text, maths, {name: symbol(name) for name in VARIABLES + PARAMETERS})}

    prove(function, reference)


@settings(max_examples=40, deadline=None)
@given(texts, whole)
def test_compiled_code_is_the_tape(text: Text, values: Mapping[str, Fraction]) -> None:
    """The machine code rounds as the reference does, but for the last digit of a sine."""
    graph = Graph()
    tape = tape_from_function(function_of(graph, built(text, graph)))
    x, p = ([float(values[name]) for name in names] for names in (VARIABLES, PARAMETERS))
    expected = tape.evaluate({"x": x, "p": p}, FLOATS)["u"][0]
    for backend in ("llvm", "numpy"):
        np.testing.assert_allclose(compile_tape(tape, backend)(x, p=p), expected, rtol=1e-12, atol=1e-12)
