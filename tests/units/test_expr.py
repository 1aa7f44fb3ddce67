"""The expression core: what folds, what is one node, what is counted, what travels."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import pytest

import manipula as mp
from manipula.algebra.expr.condition import Lengths
from manipula.algebra.expr.field import P
from manipula.algebra.expr.function import Function, Input, Output, cost_of, moved_to, tree_cost_of
from manipula.algebra.expr.maths import ExprMaths, free_symbols, gradient, rebuilt, tangents, topological
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_expressions import function_of, graph_symbols


@pytest.fixture
def graph() -> Graph:
    return Graph()


# interning


def test_difference_and_its_reverse_are_one_node(graph: Graph) -> None:
    x, y = graph.symbol("x"), graph.symbol("y")
    d, r = x - y, y - x
    assert {d.op, r.op} == {"sub", "neg"}
    assert -d is r and -r is d
    assert cost_of([d, r]).offline.add == 1  # type: ignore[union-attr]


def test_sums_and_products_commute(graph: Graph) -> None:
    x, y, z = (graph.symbol(name) for name in "xyz")
    assert x + y is y + x
    assert x * y is y * x
    assert (x + y) + z is x + (z + y)
    assert (x * y) * z is x * (z * y)
    assert -x * y is -(x * y) and (-x) * (-y) is x * y
    assert x * (y + z) is x * y + z * x


def test_neutral_elements(graph: Graph) -> None:
    x = graph.symbol("x")
    assert x + 0 is x and 0 + x is x and x * 1 is x and 1 * x is x and x - 0 is x and x / 1 is x
    assert x * 0 is graph.zero and x - x is graph.zero and 0 / x is graph.zero
    assert x / x is graph.one and x**0 is graph.one
    minus = -x
    assert -minus is x and 0 - x is minus


def test_circle_identities(graph: Graph) -> None:
    m = ExprMaths(graph)
    q1, q2 = graph.symbol("q1", online=True), graph.symbol("q2", online=True)
    c1, s1, c2, s2 = m.cos(q1), m.sin(q1), m.cos(q2), m.sin(q2)
    assert s1 * s1 + c1 * c1 is graph.one
    assert m.cos(q1 + q2) is c1 * c2 - s1 * s2
    assert m.sin(q1 - q2) is s1 * c2 - c1 * s2
    assert m.cos(2 * q1) is c1 * c1 - s1 * s1
    assert m.cos(-q1) is c1 and m.sin(-q1) is -s1
    assert m.cos(0) is graph.one and m.sin(0) is graph.zero


@pytest.mark.parametrize("turns", range(-5, 6))
def test_quarter_turns_are_exact(graph: Graph, turns: int) -> None:
    m = ExprMaths(graph)
    q = graph.symbol("q", online=True)
    angle = graph.degrees(Fraction(90 * turns))
    cos, sin = [(1, 0), (0, 1), (-1, 0), (0, -1)][turns % 4]
    assert m.cos(angle) is graph.expr(cos) and m.sin(angle) is graph.expr(sin)
    assert m.cos(q + angle) is cos * m.cos(q) - sin * m.sin(q)
    assert m.sin(q - angle) is cos * m.sin(q) - sin * m.cos(q)


def test_numeric_twists_are_one_circle_point(graph: Graph) -> None:
    m = ExprMaths(graph)
    c, s = m.cos(graph.degrees(Fraction(30))), m.sin(graph.degrees(Fraction(30)))
    assert c * c + s * s is graph.one
    assert m.cos(graph.degrees(Fraction(120))) is -s  # 120° = 90° + 30°
    assert m.sin(graph.degrees(Fraction(-60))) is -c


def test_rationals_stay_exact(graph: Graph) -> None:
    third = graph.const(Fraction(1, 3))
    assert third * 3 is graph.one
    assert graph.expr(0.1) + graph.expr(0.2) is graph.expr(0.3)  # decimals, not binary fractions
    assert graph.const(-2) is -graph.const(2)
    assert graph.const(6) / 4 is graph.const(Fraction(3, 2))


def test_constants_gather_before_a_product(graph: Graph) -> None:
    x = graph.symbol("x")
    assert 2 * (3 * x) is 6 * x
    assert (x / 2) * 2 is x
    assert cost_of([2 * (3 * x)]).offline.mul == 1  # type: ignore[union-attr]


def test_numbers_the_field_cannot_tell_apart_are_refused(graph: Graph) -> None:
    """2⁶¹ ≡ 1: silently taking one for the other would be a wrong model that passes its own proof."""
    graph.const(5)
    for number in (1 << 61, P, P + 5, P - 1, Fraction(1, P)):
        with pytest.raises(InputError, match=r"cannot be|are equal in the field"):
            graph.const(number)


def test_a_number_is_a_constant_whatever_came_before(graph: Graph) -> None:
    x = graph.symbol("x")
    hidden = (x + x + x + x + x) / x
    five = graph.const(5)
    assert five.op == "const" and hidden - five is graph.zero


def test_division_by_a_hidden_zero(graph: Graph) -> None:
    m, q = ExprMaths(graph), graph.symbol("q", online=True)
    with pytest.raises(ZeroDivisionError):
        1 / (m.sin(q) * m.sin(q) + m.cos(q) * m.cos(q) - 1)


def test_symmetries_of_opaque_operations(graph: Graph) -> None:
    m, (x, y) = ExprMaths(graph), (graph.symbol("x"), graph.symbol("y"))
    assert m.sign(-x) is -m.sign(x) and m.abs(-x) is m.abs(x) and m.abs(x - y) is m.abs(y - x)
    assert m.sign(x - y) is -m.sign(y - x) and m.sign(0) is graph.zero
    assert m.sqrt(x - x) is m.abs(x - x) is graph.zero
    assert m.minimum(x, y) is m.minimum(y, x)
    assert m.less(x, y) is not m.less(y, x)
    assert m.atan2(x, y) is not m.atan2(y, x)
    assert m.sqrt(x * x) is not x  # true only for x ≥ 0


def test_online_and_offline(graph: Graph) -> None:
    a, q = graph.symbol("a"), graph.symbol("q", online=True)
    assert not (a * a).online and (a * q).online
    assert not ((a * q) / q).online
    cost = cost_of([a * a * q + a * a])
    assert (cost.mul, cost.add) == (1, 1) and cost.offline is not None and cost.offline.mul == 1


def test_tree_cost_counts_every_writing(graph: Graph) -> None:
    x, m = graph.symbol("x", online=True), ExprMaths(graph)
    s = m.sin(x) + 1
    square = s * s
    assert (cost_of([square]).mul, cost_of([square]).add) == (1, 1)
    assert (tree_cost_of([square]).mul, tree_cost_of([square]).add, tree_cost_of([square]).trig) == (1, 2, 1)


def test_a_node_tells_what_it_is_however_deep(graph: Graph) -> None:
    x = graph.symbol("x")
    y = x
    for _ in range(5000):
        y = y * y + 1
    assert repr(x * x + graph.degrees(Fraction(30))) in {"add(30°, mul(x, x))", "add(mul(x, x), 30°)"}
    assert "…" in repr(y) and len(repr(y)) < 100_000


def test_threads_share_one_graph(graph: Graph) -> None:
    """The same formulas from many threads make the same nodes, once."""
    symbols = [graph.symbol(f"x{i}") for i in range(40)]

    def work(turn: int) -> list[int]:
        pairs = [(a, b) for a in symbols for b in symbols if a is not b]
        made = [(a - b) * (b + a) if turn % 2 else -((b - a) * (a + b)) for a, b in pairs]
        return [id(node) for node in made]

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(8)))
    assert all(result == results[0] for result in results)
    assert all(P - value not in graph.table for value in graph.table)


# functions


def example(graph: Graph | None = None, name: str = "f") -> Function:
    graph = graph or Graph()
    s, m = graph_symbols(graph), ExprMaths(graph)
    c, sin = m.cos(s["x"] + s["y"]), m.sin(s["x"])
    first = c * s["a"] * s["b"] - sin / s["a"] + Fraction(1, 3)
    function = function_of(graph, first, m.select(m.less(s["z"], c), first * first, -sin), name=name)
    conditions = (Lengths().condition(s["a"]),)
    return Function(name, graph, function.inputs, function.outputs, {c: "cxy"}, {"robot": "none"}, conditions)


def test_functions_pickle_and_compare_by_content() -> None:
    function = example()
    copy = pickle.loads(pickle.dumps(function))
    assert copy == function and copy is not function and hash(copy) == hash(function)
    assert copy.digest() == function.digest() and copy.labels and list(map(str, copy.conditions)) == ["a ≠ 0"]
    assert example(name="g") != function


def test_functions_move_between_graphs() -> None:
    function, elsewhere = example(), Graph()
    elsewhere.symbol("other")
    moved = moved_to(function, elsewhere)
    assert moved == function and all(root.graph is elsewhere for root in moved.roots)


def test_rebuilding_substitutes() -> None:
    graph = Graph()
    x, y, z = (graph.symbol(name) for name in "xyz")
    assert rebuilt([x * y + z], graph, {x: z, z: y}) == [z * y + y]
    assert [node.data for node in free_symbols([z * y + y])] == ["y", "z"]


def test_first_or_last_in_a_process_gives_the_same_bytes() -> None:
    first = example()
    for letter in "pqr":
        graph = Graph()
        s = graph_symbols(graph)
        function_of(graph, s["y"] * s["x"] - ExprMaths(graph).cos(s["y"]), name=letter)
    last = example()
    assert first.content() == last.content()
    assert tape_from_function(first).digest() == tape_from_function(last).digest()


def test_every_part_that_is_run_is_in_the_digest() -> None:
    """Compiled code is kept under it: a tape that checks something else is another tape."""
    tape = mp.generate("puma560_symbolic", "inverse_dynamics").tape
    parts = ("name", "inputs", "constants", "offline", "online", "outputs", "guard", "checks", "single")
    others = [replace(tape, **{part: "" if part == "name" else getattr(tape, part)[:-1]}) for part in parts]
    assert all(getattr(tape, part) for part in parts)
    assert len({x.digest() for x in (tape, *others)}) == len(parts) + 1


SCRIPT = """
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.tape import tape_from_function
g = Graph()
m, q, p = ExprMaths(g), [g.symbol(f"q{i}", online=True) for i in range(6)], [g.symbol(f"a{i}") for i in range(6)]
roots = tuple(m.cos(a + b) * c - m.minimum(b * d, a) for a, b, c, d in zip(q, q[1:], p, p[1:]))
f = Function("f", g, (Input("q", tuple(q)), Input("p", tuple(p), role="parameter")), (Output("u", (5,), roots),))
print(f.digest(), tape_from_function(f).digest(), list({"p", "q", "r", "s", "t"}))
"""


def test_every_process_gives_the_same_bytes() -> None:
    """Whatever Python's seed for hashes is."""
    results, orders = set(), set()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        run = subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, check=True)
        function, tape, order = run.stdout.split(" ", 2)
        results.add((function, tape))
        orders.add(order)
    assert len(results) == 1
    assert len(orders) == 2  # the seeds did make a difference


# depth: nothing recurses


def deep(steps: int) -> tuple[Graph, Expr, list[Expr]]:
    """Two nodes a step, each on top of the last."""
    graph = Graph()
    x, y, z = (graph.symbol(name, online=True) for name in "xyz")
    node = x
    for _ in range(steps):
        node = node * y + z
    return graph, node, [x, y, z]


def test_a_chain_of_a_hundred_thousand_nodes() -> None:
    graph, node, symbols = deep(50_000)
    assert len(topological([node])) == 100_003
    assert (cost_of([node]).mul, tree_cost_of([node]).add) == (50_000, 50_000)
    function = Function("deep", graph, (Input("x", tuple(symbols)),), (Output("u", (), (node,)),))
    assert len(tape_from_function(function).lines) == 100_000
    copy = pickle.loads(pickle.dumps(function))
    assert copy.roots[0].value == node.value


@pytest.mark.parametrize("steps", [4_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_derivatives_of_a_deep_chain(steps: int) -> None:
    graph, node, symbols = deep(steps)
    forward = tangents([node], {symbols[0]: graph.one})[0]
    assert forward is gradient(node, symbols[:1])[0]
    assert rebuilt([forward], Graph())[0].value == pow(symbols[1].value, steps, P)


def test_a_sign_before_a_difference_turns_it_round() -> None:
    graph = Graph()
    x, y = graph.symbol("x", online=True), graph.symbol("y", online=True)
    less = -(x * x - y)

    def lines(*roots: Expr, **named: Expr) -> list[str]:
        ports = (Input("x", (x,)), Input("y", (y,)))
        labels = {node: name for name, node in named.items()}
        outputs = tuple(Output(f"o{i}", (), (root,)) for i, root in enumerate(roots))
        tape = tape_from_function(Function("f", graph, ports, outputs, labels))
        found = tape.evaluate({"x": [3.0], "y": [5.0]}, FLOATS)
        told = {"o0": -4.0, "o1": 4.0}
        assert all(found[f"o{i}"] == [told[f"o{i}"]] for i in range(len(roots)))
        return [line.op for line in tape.online]

    assert less.op == "neg" and less.args[0].op == "sub"
    assert lines(less) == ["mul", "sub"]
    assert lines(less, less.args[0]) == ["mul", "sub", "neg"]  # somebody else reads the difference
    assert lines(less, named=less.args[0]) == ["mul", "sub", "neg"]  # it is told by its name


def test_the_direction_of_an_arctangent_is_x_then_y(graph: Graph) -> None:
    """r cos(atan2(y, x)) is x itself, r sin(atan2(y, x)) is y: one node each, whatever the root."""
    m = ExprMaths(graph)
    x, y = graph.symbol("x"), graph.symbol("y")
    r, angle = m.sqrt(x * x + y * y), m.atan2(y, x)
    assert r * m.cos(angle) is x and r * m.sin(angle) is y
    assert r * m.cos(m.atan2(x, y)) is y
