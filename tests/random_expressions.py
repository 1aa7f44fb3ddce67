"""Random formulas as text: a tree that any `Maths` can play, so that one formula is tried on many scalars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from manipula.algebra.expr.condition import Condition
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.scalar import OPS

Text = tuple[Any, ...]  # (op, *texts), ("symbol", name), ("number", fraction) or ("degrees", fraction)
VARIABLES, PARAMETERS = ("x", "y", "z"), ("a", "b")
SYMBOLS = VARIABLES + PARAMETERS


def play(text: Text, maths: Any, symbols: Mapping[str, Any]) -> Any:
    """The formula over any scalar."""
    match text:
        case ("symbol", name):
            return symbols[name]
        case ("number", value):
            return maths.number(value)
        case ("degrees", value):
            return maths.degrees(value)
    return OPS[text[0]].value(maths, *(play(part, maths, symbols) for part in text[1:]))


def built(text: Text, graph: Graph | None = None) -> Expr:
    """The formula as a node; x, y, z are variables, a and b parameters."""
    graph = graph or Graph()
    return graph.expr(play(text, ExprMaths(graph), graph_symbols(graph)))


def graph_symbols(graph: Graph) -> dict[str, Expr]:
    return {name: graph.symbol(name, online=name in VARIABLES) for name in SYMBOLS}


def function_of(graph: Graph, *roots: Expr, name: str = "f", conditions: tuple[Condition, ...] = ()) -> Function:
    """Ports x (x, y, z) and p (a, b); one output a root: u, v, w …"""
    s = graph_symbols(graph)
    inputs = (Input("x", tuple(s[n] for n in VARIABLES)), Input("p", tuple(s[n] for n in PARAMETERS), role="parameter"))
    outputs = tuple(Output("uvwk"[i], (), (root,)) for i, root in enumerate(roots))
    return Function(name, graph, inputs, outputs, conditions=conditions)


def nested(leaves: st.SearchStrategy[Text], ops: Sequence[str], size: int = 12) -> st.SearchStrategy[Text]:
    def grow(inner: st.SearchStrategy[Text]) -> st.SearchStrategy[Text]:
        return st.one_of([st.tuples(st.just(op), *[inner] * OPS[op].arity) for op in ops])

    return st.recursive(leaves, grow, max_leaves=size)


symbols = st.sampled_from(SYMBOLS).map(lambda name: ("symbol", name))
numbers = st.fractions(-3, 3, max_denominator=12).map(lambda value: ("number", value))
dyadics = st.integers(-24, 24).map(lambda n: ("number", Fraction(n, 8)))
angles = st.sampled_from([0, 30, 45, 90, -90, 180, 270, 100]).map(lambda n: ("degrees", Fraction(n)))
# sums of joint angles, as robots have them
turns = nested(st.one_of(symbols, angles), ("add", "sub", "neg"), size=4)
trig = st.tuples(st.sampled_from(["sin", "cos"]), turns)
smooth = nested(st.one_of(symbols, numbers, trig), ("add", "sub", "mul", "neg"))
# everything but what is exact only to rounding: comparisons of these never hang on the last digit
branchy = nested(
    st.one_of(symbols, dyadics), ("add", "sub", "mul", "neg", "min", "max", "abs", "sign", "less", "select"), size=8
)
whole = st.fixed_dictionaries({name: st.integers(-16, 16).map(lambda n: Fraction(n, 8)) for name in SYMBOLS})
