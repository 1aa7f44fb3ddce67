"""The proof catches what is wrong: ten subtle errors planted in true functions, each found, each true one passed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar

import pytest

import manipula.mechanics.models.dynamics.newton_euler as rnea
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths, gradient, rebuilt, topological
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.optimise.prove import Reference, prove
from manipula.errors import ProofError
from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.description import (
    Cell,
    Joint,
    RobotDescription,
    Step,
    actuator_of,
    cell_with_value,
    unknown_body,
)
from manipula.mechanics.robot.joints import KINDS, Prismatic
from manipula.mechanics.robot.reduce import frames_on_joints, merge_fixed
from manipula.mechanics.robot.values.parameter import Deg, Num
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_expressions import function_of, graph_symbols


@dataclass(frozen=True)
class Arm:
    """A function of a robot and the plain model it must equal."""

    function: Function
    reference: Reference


def joint(row: int, kind: str, alpha: int, length: Cell) -> Joint:
    after = (Step("tx", length), Step("rx", Cell(f"alpha{row}", Deg(Fraction(alpha)))))
    body = unknown_body(str(row))
    offset, drive = cell_with_value(f"offset{row}"), actuator_of(str(row))
    return Joint(
        name=f"joint{row}", kind=kind, before=(), offset=offset, direction=1, after=after, body=body, actuator=drive
    )  # type: ignore[arg-type]


def robot(kinds: str, lengths: Sequence[Fraction | None] = ()) -> RobotDescription:
    """A standard table: twists 90, −90, …; lengths a1, a2, … unless numbers are given."""
    rows = []
    for row, letter in enumerate(kinds, 1):
        number = lengths[row - 1] if lengths else None
        cell = Cell(f"a{row}", None if number is None else Num(number))
        rows.append(joint(row, {"R": "revolute", "P": "prismatic"}[letter], 90 if row % 2 else -90, cell))
    return RobotDescription(kinds, tuple(rows), (cell_with_value("gx"), cell_with_value("gy"), Cell("g")))


@cache
def arm(kinds: str, lengths: tuple[Fraction, ...] = ()) -> Arm:
    """Torques by Newton and Euler, with frames on the joints; the reference keeps the table's frames."""
    described, graph = robot(kinds, lengths), Graph()
    names = list(free_parameters(described, "all"))
    parameters = {name: graph.symbol(name) for name in names}
    state = [[graph.symbol(f"{kind}{i}", online=True) for i in range(1, len(kinds) + 1)] for kind in ("q", "qd", "qdd")]
    chain = merge_fixed(bind(described, ExprMaths(graph), parameters, "all"))
    tau = rnea.newton_euler(frames_on_joints(chain), *state).tau
    ports = [Input(name, tuple(symbols)) for name, symbols in zip(("q", "qd", "qdd"), state)]
    inputs = (*ports, Input("p", tuple(parameters.values()), role="parameter"))
    outputs = (Output("tau", (len(kinds),), tuple(map(graph.expr, tau))),)
    return Arm(Function(f"tau of {kinds}", graph, inputs, outputs), torques_of(described, names))


def torques_of(described: RobotDescription, names: Sequence[str]) -> Reference:
    def reference(maths: Any, symbol: Callable[[str], Any]) -> dict[str, Sequence[Any]]:
        chain = merge_fixed(bind(described, maths, {name: symbol(name) for name in names}, "all"))
        state = [[symbol(f"{kind}{i}") for i in range(1, chain.dof + 1)] for kind in ("q", "qd", "qdd")]
        return {"tau": rnea.newton_euler(chain, *state).tau}

    return reference


def with_planted(function: Function, node: Expr, wrong: Any) -> Function:
    """The same function with one node replaced wherever it is used."""
    return function.with_roots(rebuilt(function.roots, function.graph, {node: function.graph.expr(wrong)}))


def nodes_of(function: Function, wanted: Callable[[Expr], bool]) -> list[Expr]:
    found = [node for node in topological(function.roots) if wanted(node)]
    assert found, "nothing to plant an error in"
    return found


def is_caught(wrong: Function, true: Arm) -> None:
    """The true function passes, the wrong one does not, and the message names the output."""
    prove(true.function, true.reference)
    assert wrong != true.function
    with pytest.raises(ProofError, match="differs from the plain model"):
        prove(wrong, true.reference)


def test_a_sign_on_one_product() -> None:
    true = arm("RR")
    for product in nodes_of(true.function, lambda x: x.op == "mul" and x.online)[::6]:
        is_caught(with_planted(true.function, product, -product), true)


def test_s_for_c_in_one_link() -> None:
    """The cosine of joint 2 in a single product; every other use of it is right."""
    true = arm("RRP")
    maths, q2 = ExprMaths(true.function.graph), true.function.inputs[0].symbols[1]
    c2, s2 = maths.cos(q2), maths.sin(q2)
    for product in nodes_of(true.function, lambda x: x.op == "mul" and c2 in x.args)[::3]:
        other = product.args[1] if product.args[0] is c2 else product.args[0]
        is_caught(with_planted(true.function, product, s2 * other), true)


def test_a_dropped_two() -> None:
    true = arm("RP")
    two = true.function.graph.const(2)
    for doubled in nodes_of(true.function, lambda x: x.op == "mul" and x.args[0] is two):
        is_caught(with_planted(true.function, doubled, doubled.args[1]), true)


def test_a_rule_valid_only_for_positive_numbers() -> None:
    """√(x²) → x"""
    graph = Graph()
    x, y = graph_symbols(graph)["x"], graph_symbols(graph)["y"]
    true = Arm(
        function_of(graph, ExprMaths(graph).sqrt(x * x) + y),
        lambda maths, symbol: {"u": maths.sqrt(symbol("x") * symbol("x")) + symbol("y")},
    )
    is_caught(function_of(graph, x + y), true)


class WithoutCoriolis(Prismatic):
    """A sliding joint whose Coriolis force somebody forgot: 2 ω×ḋ is gone, d̈ is not."""

    calls: ClassVar[list[Any]] = []

    def slide(self, rate: Any) -> Any:
        self.calls.append(rate)  # the recursion asks for the rate first, then for the acceleration
        return 0 if len(self.calls) % 2 else rate


def test_an_error_visible_only_for_prismatic_joints(monkeypatch: pytest.MonkeyPatch) -> None:
    turning, sliding = arm("RR"), arm("RRP")
    with monkeypatch.context() as patch:
        patch.setitem(KINDS, "prismatic", WithoutCoriolis())
        same, wrong = arm.__wrapped__("RR"), arm.__wrapped__("RRP")
    prove(same.function, turning.reference)  # revolute arms cannot see it
    is_caught(wrong.function, sliding)


def test_an_error_in_the_offline_part() -> None:
    true = arm("RR")
    for sum_of_parameters in nodes_of(true.function, lambda x: x.op in ("add", "sub") and not x.online)[::5]:
        is_caught(with_planted(true.function, sum_of_parameters, sum_of_parameters.args[0]), true)


def test_a_wrong_regrouping() -> None:
    """(a + b)·c → a + b·c"""
    true = arm("RRP")
    grouped = nodes_of(true.function, lambda x: x.op == "mul" and x.args[1].op == "add")
    for product in grouped[::8]:
        c, (a, b) = product.args[0], product.args[1].args
        is_caught(with_planted(true.function, product, a + b * c), true)


def test_a_swapped_pair_of_equal_valued_symbols() -> None:
    """a1 = a2 = 2/5 in the file: no number shows the swap, the proof over all values does."""
    true = arm("RRR", (Fraction(2, 5), Fraction(2, 5), Fraction(1, 5)))
    named = {name: symbol for port in true.function.inputs for name, symbol in zip(port.names, port.symbols)}
    swap = {named["a1"]: named["a2"], named["a2"]: named["a1"]}
    wrong = true.function.with_roots(rebuilt(true.function.roots, true.function.graph, swap))
    values = {name: 0.1 + 0.37 * i for i, name in enumerate(named)} | {"a1": 0.4, "a2": 0.4, "a3": 0.2}
    assert wrong(values, FLOATS)["tau"] == pytest.approx(true.function(values, FLOATS)["tau"], rel=1e-9)
    is_caught(wrong, true)


def test_a_wrong_select_arm() -> None:
    graph = Graph()
    s, m = graph_symbols(graph), ExprMaths(graph)
    condition = m.less(s["x"], s["y"])

    def reference(maths: Any, symbol: Callable[[str], Any]) -> dict[str, Any]:
        x, y, a, b = map(symbol, ("x", "y", "a", "b"))
        return {"u": maths.select(maths.less(x, y), x * a, y * b) + x}

    yes, no = s["x"] * s["a"], s["y"] * s["b"]
    true = Arm(function_of(graph, m.select(condition, yes, no) + s["x"]), reference)
    is_caught(function_of(graph, m.select(condition, no, yes) + s["x"]), true)
    is_caught(function_of(graph, m.select(m.less(s["y"], s["x"]), yes, no) + s["x"]), true)


def test_a_wrong_derivative() -> None:
    """∂/∂x of cos(x·y)·x, with the inner factor y forgotten in one term."""
    graph = Graph()
    s, m = graph_symbols(graph), ExprMaths(graph)
    x, y = s["x"], s["y"]
    slope = gradient(m.cos(x * y) * x, [x])[0]

    def reference(maths: Any, symbol: Callable[[str], Any]) -> dict[str, Any]:
        x, y = symbol("x"), symbol("y")
        return {"u": maths.cos(x * y) - x * y * maths.sin(x * y)}

    true = Arm(function_of(graph, slope), reference)
    is_caught(function_of(graph, m.cos(x * y) - x * m.sin(x * y)), true)
    is_caught(function_of(graph, m.cos(x * y) + x * y * m.sin(x * y)), true)


def test_the_bound_is_stated() -> None:
    proof = prove(arm("RRP").function, arm("RRP").reference)
    assert proof.draws >= 2 and proof.error_exponent < -25
    assert "GF(2^61-1)" in str(proof)
