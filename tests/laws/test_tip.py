"""The last frame turned until a moment of its link is zero: the same torques, proved where the roots it takes exist."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import manipula as mp
from bench.arms import generic, planar
from manipula.algebra.emit.backend import emit
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths, rebuilt, topological
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.optimise.passes import run_passes
from manipula.algebra.optimise.prove import Proof, is_decidable_root, prove
from manipula.algebra.optimise.search.engine import search_ways
from manipula.algebra.tape import tape_from_function
from manipula.errors import ProofError
from manipula.generation.build import build_function, reference
from manipula.generation.prepare import Formulation, Prepared, Request, prepare
from manipula.mechanics.models.dynamics.choices import TIP, Answer
from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.models.entry import FIELD
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import PAIRS, frames_on_joints, merge_fixed, tip_turned
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS
from manipula.support.progress import Effort
from tests.emitted import c_function, needs_cc
from tests.random_robots import random_robot, random_state

ARMS: dict[str, Callable[[], RobotDescription]] = {
    **{name: lambda name=name: generic(name) for name in ("puma", "stanford", "rx90", "iiwa")},  # type: ignore[misc]
    "planar": planar,
    **{name: lambda name=name: mp.load(name) for name in ("irb140", "irb120", "scara", "ur5e")},  # type: ignore[misc]
}


def request_for(name: str) -> Prepared:
    return prepare(Request(ARMS[name](), "inverse_dynamics", symbolic="all"))


def tips_of(request: Prepared) -> tuple[Answer, ...]:
    return next((x.answers[1:] for x in request.questions(FIELD) if x.topic == TIP), ())


def with_tip(request: Prepared, tip: str) -> Function:
    answers = {**dict(request.default(FIELD).answers), TIP: tip}
    return build_function(request, Formulation(FIELD, tuple(answers.items())))


# the arm


@pytest.mark.drawn("name", few=3)
@pytest.mark.parametrize("name", ARMS)
def test_every_turn_of_the_tip_is_exact(name: str) -> None:
    request = request_for(name)
    tips = tips_of(request)
    assert set(tips) >= ({"third", "second"} if name == "ur5e" else set(PAIRS))
    for tip in tips:
        assert prove(with_tip(request, tip), reference(request)).error_exponent < -20


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["puma", "stanford", "rx90", "iiwa"])
def test_a_moment_less_is_worth_more_than_the_offset(name: str) -> None:
    request = request_for(name)
    plain = run_passes(with_tip(request, "given")).cost.total
    assert all(run_passes(with_tip(request, tip)).cost.total < plain for tip in PAIRS)


def test_the_search_goes_on_from_there() -> None:
    request = request_for("planar")
    found = search_ways(with_tip(request, "first"), Effort(moves=100_000), request.aim)
    prove(found, reference(request))


@pytest.mark.parametrize("tip", PAIRS)
@pytest.mark.parametrize("seed", range(4))
def test_a_turned_chain_is_the_same_arm(seed: int, tip: str) -> None:
    robot = random_robot(seed, joints="RPR")
    chain = frames_on_joints(merge_fixed(bind(robot, FLOATS, {})))
    turned = tip_turned(chain, tip)
    x, y = PAIRS[tip](turned.links[-1].inertia)
    assert x >= 0 and isinstance(y, int) and y == 0
    q, qd, qdd, wrench = random_state(robot, seed)
    assert turned_torques(turned, q, qd, qdd, wrench) == pytest.approx(turned_torques(chain, q, qd, qdd, wrench))
    for mine, true in zip(tool_of(turned, q), tool_of(chain, q), strict=True):
        assert mine == pytest.approx(true)


def turned_torques(chain: Tree, *state: Any) -> list[float]:
    return [float(x) for x in newton_euler(chain, *state).tau]


def tool_of(chain: Tree, q: Sequence[float]) -> Sequence[Sequence[float]]:
    at = chain.base
    for link in chain.elementary(q):
        at = at @ link
    return (at @ chain.tool).rows()


def test_nothing_is_asked_where_nothing_can_be_gained_or_proved() -> None:
    for robot, symbolic in (("puma560", "auto"), ("puma560_symbolic", "all"), ("stanford3", "all"), ("rp", "all")):
        assert tips_of(prepare(Request(mp.load(robot), "inverse_dynamics", symbolic=symbolic))) == ()
    assert tips_of(prepare(Request(generic("puma"), "inverse_dynamics", parameters="full"))) == ()
    assert tips_of(prepare(Request(generic("puma"), "energy"))) == ()


# numbers: whatever the parameters happen to be


def pair_set(tip: str, n: int, x: float, y: float) -> dict[str, float]:
    """Values of link n that make this pair (x, y): m = 1, and the centre of mass on the axis or in the plane z = 0."""
    flat = {f"m{n}": 1.0, f"rz{n}": 0.0}
    match tip:
        case "first":
            return {**flat, f"rx{n}": x, f"ry{n}": y}
        case "third":
            return {**flat, f"Ixz{n}": -x, f"Iyz{n}": -y}
    return {**flat, f"rx{n}": 0.0, f"ry{n}": 0.0, f"Ixx{n}": 1.0, f"Iyy{n}": 1 + 2 * x, f"Ixy{n}": -y}


def drawn_values(request: Prepared, tip: str, x: float, y: float) -> dict[str, float]:
    rng, function = random.Random(5), with_tip(request, "given")
    names = [name for port in function.inputs for name in port.names]
    return {name: rng.uniform(0.2, 1.5) for name in names} | pair_set(tip, request.robot.dof, x, y)


PLACES = [(x, y) for x in (0.0, 1.0, -0.7) for y in (0.0, 1e-9, -0.4)]  # no direction, and where a direction jumps


@pytest.mark.parametrize("name", ["puma", "planar"])
@pytest.mark.parametrize("tip", PAIRS)
def test_a_vanishing_moment_is_no_trouble(name: str, tip: str) -> None:
    request = request_for(name)
    function, plain = run_passes(with_tip(request, tip)), request.model.methods["newton-euler"]
    for x, y in PLACES:
        values = drawn_values(request, tip, x, y)
        given = {port: [values[name] for name in names] for port, names in request.inputs.items()}
        true = plain(merge_fixed(bind(request.robot, FLOATS, values, "all")), given)["tau"]
        assert function(values, FLOATS)["tau"] == pytest.approx(true, rel=1e-12, abs=1e-12)


@needs_cc
@pytest.mark.parametrize("tip", PAIRS)
def test_emitted_c_is_the_function(tip: str, tmp_path: Path) -> None:
    request = request_for("planar")
    function = run_passes(with_tip(request, tip))
    tape = tape_from_function(function)
    run = c_function(tape, emit(tape, "c", "0"), tmp_path)
    for x, y in PLACES:
        values = drawn_values(request, tip, x, y)
        ports = {port.name: [values[name] for name in port.names] for port in function.inputs}
        assert run(ports)["tau"] == pytest.approx(function(values, FLOATS)["tau"], rel=1e-13, abs=1e-13)


# planted errors


def replanted(function: Function, node: Expr, wrong: Expr) -> Function:
    return function.with_roots(rebuilt(function.roots, function.graph, {node: wrong}))


@pytest.mark.parametrize("tip", PAIRS)
def test_a_wrong_turn_is_caught(tip: str) -> None:
    """φ backwards, and ρ with the wrong sign or without its root."""
    request = request_for("puma")
    function = with_tip(request, tip)
    nodes = {node.op: node for node in topological(function.roots) if not node.online}
    angle, length = nodes["atan2"], nodes["sqrt"]
    for node, wrong in ((angle, -angle), (length, -length), (length, length.args[0])):
        with pytest.raises(ProofError, match="differs from the plain model"):
            prove(replanted(function, node, wrong), reference(request))


# roots in proofs


def proof_of(formula: Callable[[Any, Any, Any, Any], Any], meant: Callable[[Any, Any, Any, Any], Any]) -> Proof:
    """Is f(maths; x, y parameters, q variable) = g?"""
    graph = Graph()
    x, y, q = graph.symbol("x"), graph.symbol("y"), graph.symbol("q", online=True)
    found = graph.expr(formula(ExprMaths(graph), x, y, q))
    ports = (Input("q", (q,)), Input("p", (x, y), role="parameter"))
    function = Function("f", graph, ports, (Output("u", (1,), (found,)),))
    return prove(function, lambda m, symbol: {"u": [meant(m, symbol("x"), symbol("y"), symbol("q"))]})


def length(m: Any, x: Any, y: Any) -> Any:
    return m.sqrt(x * x + y * y)


def half_turn(m: Any, x: Any, y: Any, q: Any) -> Any:
    return q + m.atan2(y, x) / 2


def test_what_roots_of_parameters_are_is_known() -> None:
    assert proof_of(lambda m, x, y, q: q * m.sqrt(x) * m.sqrt(x), lambda m, x, y, q: q * x).roots == 1
    assert proof_of(lambda m, x, y, q: q * length(m, x, y) ** 2, lambda m, x, y, q: q * (x * x + y * y)).roots == 1
    turned = proof_of(
        lambda m, x, y, q: length(m, x, y) * m.cos(half_turn(m, x, y, q)) ** 2 * 2,
        lambda m, x, y, q: length(m, x, y) + x * m.cos(q + q) - y * m.sin(q + q),
    )
    assert turned.roots == 2
    assert "where its roots of parameters exist" in str(turned)


def test_roots_cost_something_in_the_bound() -> None:
    free, rooted = Proof(2, 10, 6), Proof(2, 10, 6, roots=2)
    assert rooted.error_exponent - free.error_exponent == pytest.approx(2 * 1.2041, abs=1e-3)


@pytest.mark.parametrize("_", range(5))
def test_half_true_is_not_true(_: int) -> None:
    """√(y²) = y at every second point, √x √y = √(xy) for what is a root in the field: neither is taken for proved."""
    for formula, meant in (
        (lambda m, x, y, q: q * m.sqrt(y * y), lambda m, x, y, q: q * y),
        (lambda m, x, y, q: q * m.sqrt(x) * m.sqrt(x), lambda m, x, y, q: q * y),
        (lambda m, x, y, q: q * m.sqrt(x) * m.sqrt(x * y * y), lambda m, x, y, q: q * x * y),
    ):
        with pytest.raises(ProofError):
            proof_of(formula, meant)


def test_roots_of_variables_stay_opaque_and_do_not_hinder() -> None:
    """Twenty of them: a point that has all is one in a million."""

    def many(m: Any, x: Any, q: Any) -> Any:
        total = x
        for k in range(1, 21):
            total = total + m.sqrt(q + k)
        return total

    assert proof_of(lambda m, x, y, q: many(m, x, q) + m.sqrt(y) ** 2, lambda m, x, y, q: many(m, x, q) + y).roots == 1
    with pytest.raises(ProofError):
        proof_of(lambda m, x, y, q: m.sqrt(q) * m.sqrt(q), lambda m, x, y, q: q)


def test_which_roots_a_proof_can_follow() -> None:
    graph = Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    assert is_decidable_root(x * x + y * y) and is_decidable_root(x)
    assert not any(map(is_decidable_root, (x * x, 25 * y * y, (x + y) * (x + y), graph.const(3), 3 * x * x)))
