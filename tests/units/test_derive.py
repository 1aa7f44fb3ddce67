"""Derivatives: forward and reverse are one expression, and both are the slope."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manipula.algebra.expr.evaluate import MPMATH, evaluate
from manipula.algebra.expr.maths import ExprMaths, gradient, jacobian, pullback, tangents
from manipula.algebra.expr.node import Expr, Graph
from tests.random_expressions import SYMBOLS, Text, built, graph_symbols, nested, numbers, smooth, symbols, trig, whole

many = settings(max_examples=60, deadline=None)
# quotients and roots kept away from their poles: 1/(2 + u²), √(1 + u²), atan2(u, 2 + v²)
plain = nested(st.one_of(symbols, numbers, trig), ("add", "mul", "neg"), size=3)
two = ("number", Fraction(2))


def above_two(u: Text) -> Text:
    return ("add", two, ("mul", u, u))


tame = st.one_of(
    smooth,
    st.builds(lambda u, v: ("div", u, above_two(v)), plain, plain),
    st.builds(lambda u: ("sqrt", above_two(u)), plain),
    st.builds(lambda u, v: ("atan2", u, above_two(v)), plain, plain),
    st.builds(lambda u, v, w: ("select", ("less", above_two(u), two), v, w), plain, plain, plain),
    st.builds(lambda u, v: ("max", above_two(u), ("neg", above_two(v))), plain, plain),
    st.builds(lambda u, v: ("min", ("neg", above_two(u)), above_two(v)), plain, plain),
    st.builds(lambda u, v: ("mul", ("abs", ("neg", above_two(u))), ("sign", above_two(v))), plain, plain),
)


def slope(root: Expr, at: Mapping[str, Fraction], name: str) -> mpmath.mpf:
    """A central difference, at a precision that makes it nearly exact."""
    step = mpmath.mpf(10) ** -20
    ends = []
    for sign in (1, -1):
        values = {n: MPMATH.number(v) + (sign * step if n == name else 0) for n, v in at.items()}
        ends.append(evaluate([root], values, MPMATH)[0])
    return (ends[0] - ends[1]) / (2 * step)


@pytest.mark.turn
@many
@given(tame, whole, st.sampled_from(SYMBOLS))
def test_forward_is_reverse_is_the_slope(text: Text, at: Mapping[str, Fraction], name: str) -> None:
    root = built(text)
    symbol = graph_symbols(root.graph)[name]
    forward = tangents([root], {symbol: root.graph.one})[0]
    reverse = gradient(root, [symbol])[0]
    assert forward.value == reverse.value
    with mpmath.workdps(60):
        values = {n: MPMATH.number(v) for n, v in at.items()}
        got, true = evaluate([forward], values, MPMATH)[0], slope(root, at, name)
        assert abs(got - true) <= mpmath.mpf(10) ** -15 * (1 + abs(true))


@pytest.mark.turn
@many
@given(smooth, smooth)
def test_jacobian_and_pullback_are_transposes(one: Text, other: Text) -> None:
    graph = Graph()
    roots = [built(one, graph), built(other, graph)]
    names = list(graph_symbols(graph).values())
    weights = [graph.symbol("w1"), graph.symbol("w2")]
    rows = jacobian(roots, names)
    for column, pulled in enumerate(pullback(roots, weights, names)):
        assert pulled is weights[0] * rows[0][column] + weights[1] * rows[1][column]


def test_the_table_of_slopes() -> None:
    graph = Graph()
    m, x, y = ExprMaths(graph), graph.symbol("x", online=True), graph.symbol("y", online=True)
    assert gradient(x * y, [x, y]) == [y, x]
    assert gradient(x / y, [x, y]) == [1 / y, -x / (y * y)]
    assert gradient(m.sin(x), [x]) == [m.cos(x)] and gradient(m.cos(2 * x), [x]) == [-2 * m.sin(2 * x)]
    assert gradient(m.sqrt(x), [x]) == [1 / (2 * m.sqrt(x))]
    assert gradient(m.abs(x), [x]) == [m.sign(x)]
    assert gradient(m.sign(x) + m.less(x, y), [x, y]) == [graph.zero, graph.zero]
    assert gradient(m.atan2(y, x), [x]) == [-y / (x * x + y * y)]


def test_a_rate_along_a_direction() -> None:
    """ḟ = ∂f/∂q q̇: the time derivative of a function of joint angles."""
    graph = Graph()
    m, q, qd = ExprMaths(graph), graph.symbol("q", online=True), graph.symbol("qd", online=True)
    assert tangents([m.sin(q) * q], {q: qd}) == [m.cos(q) * qd * q + m.sin(q) * qd]
    assert tangents([], {q: qd}) == []
    assert tangents([graph.symbol("a")], {q: qd}) == [graph.zero]


def test_shared_roots_add_up() -> None:
    graph = Graph()
    x = graph.symbol("x")
    assert pullback([x * x, x * x], [graph.one, graph.one], [x]) == [4 * x]
    assert jacobian([x], []) == [[]]


@pytest.mark.parametrize("at", [-1, 0, 2])
def test_a_guarded_branch_has_the_slope_of_its_own_arm(at: int) -> None:
    """√ of what is guarded: no infinity comes from the arm not taken."""
    graph = Graph()
    m, x = ExprMaths(graph), graph.symbol("x", online=True)
    inside = m.less(0, x)
    root = m.select(inside, m.sqrt(m.select(inside, x, 1)), 0)
    got = evaluate(gradient(root, [x]), {"x": mpmath.mpf(at)}, MPMATH)[0]
    assert got == (1 / (2 * mpmath.sqrt(2)) if at == 2 else 0)
