"""The proof is itself tested: what is planted wrong in the optimiser, the binder or the merger ends in an error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula import api
from manipula.algebra.expr import degree
from manipula.algebra.expr.field import FieldMaths
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths, free_symbols, rebuilt, topological
from manipula.algebra.expr.node import TABLE_SEED, Expr, Graph
from manipula.algebra.optimise import passes, prove
from manipula.algebra.optimise.search import engine
from manipula.errors import InputError, ProofError
from manipula.generation import compose, levels
from manipula.generation import pipeline as generation
from manipula.generation.prepare import Request, prepare
from tests.random_robots import random_robot

Pass = Callable[[Function], Function]


def with_wrong(function: Function, node: Expr) -> Function:
    """The same function, the sign of one node changed wherever it is used."""
    return function.with_roots(rebuilt(function.roots, function.graph, {node: -node}))


def plant(monkeypatch: pytest.MonkeyPatch, wrong: Pass) -> None:
    """A wrong rewrite as the last of the passes: it runs wherever functions are optimised."""
    right = passes.run_passes
    for module in (compose, levels):
        monkeypatch.setattr(module, "run_passes", lambda function: wrong(right(function)))


def last(function: Function, wanted: Callable[[Expr], bool]) -> Expr:
    return [node for node in topological(function.roots) if wanted(node)][-1]


# planted in the optimiser


def a_sign(function: Function) -> Function:
    return with_wrong(function, last(function, lambda x: x.op in ("mul", "add") and x.online))


def a_sign_of_the_second_output(function: Function) -> Function:
    first, *others, end = function.outputs
    assert len(function.outputs) > 1
    return replace(function, outputs=(first, *others, replace(end, exprs=(*end.exprs[:-1], -end.exprs[-1]))))


def a_sign_off_line(function: Function) -> Function:
    """Only what depends on parameters alone is wrong."""
    return with_wrong(function, last(function, lambda x: not x.online and bool(x.args) and x.op != "neg"))


def a_lost_output(function: Function) -> Function:
    return replace(function, outputs=function.outputs[:-1])


def a_wrong_output_of_the_same_name(function: Function) -> Function:
    """Before the right one: who looks at outputs by name sees the last."""
    first = function.outputs[0]
    wrong = replace(first, exprs=tuple(-x for x in first.exprs))
    return replace(function, outputs=(wrong, *function.outputs))


WRONG: dict[str, tuple[str, str, Pass]] = {
    "an output twice": ("planar2r", "gravity", a_wrong_output_of_the_same_name),
    "a sign": ("rx90", "gravity", a_sign),
    "the second output": ("planar2r", "energy", a_sign_of_the_second_output),
    "the last of many": ("planar2r", "lagrange_terms", a_sign_of_the_second_output),
    "off line": ("puma560_symbolic", "gravity", a_sign_off_line),
    "an output less": ("planar2r", "energy", a_lost_output),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("parameters", ["base", "full"])
def test_a_wrong_rewrite_in_the_optimiser_does_not_leave(
    monkeypatch: pytest.MonkeyPatch, name: str, parameters: str
) -> None:
    robot, model, wrong = WRONG[name]
    right = mp.generate(robot, model, parameters=parameters, optimise="fast", method="best")
    assert right.provenance.proof
    plant(monkeypatch, wrong)
    monkeypatch.setattr(generation.cache, "stored_records", lambda *given: [])
    with pytest.raises(ProofError, match="plain model"):
        mp.generate(robot, model, parameters=parameters)


def test_a_wrong_move_of_the_search_does_not_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search's own check is switched off, too."""
    right = engine.function_from_ways
    monkeypatch.setattr(engine, "compare_once", lambda *given: None)
    monkeypatch.setattr(engine, "function_from_ways", lambda ways, best: a_sign(right(ways, best)))
    with pytest.raises(ProofError, match="differs from the plain model"):
        mp.generate("stanford3", "gravity", parameters="full")
    with pytest.raises(ProofError, match="differs from the plain model"):
        api.optimise("planar2r", "inertia_matrix", search=True, parameters="full", moves=2000)


@pytest.mark.parametrize("level", ["none", "fast", "max"])
def test_whatever_a_level_hands_over_is_proved(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    """By the road all of them share; what ships goes the same way."""
    right = levels.LEVELS[level]
    monkeypatch.setitem(levels.LEVELS, level, lambda *given: a_sign(levels.level_fast(*given)))
    with pytest.raises(ProofError, match="differs from the plain model"):
        mp.generate("planar2r", "inertia_matrix", optimise=level)
    assert right is not levels.LEVELS[level]


RECORDED = ("puma560", "inverse_dynamics")


@pytest.mark.parametrize("level", ["fast", "max"])
def test_a_wrong_record_does_not_leave(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    """It is as good as none: the level is called."""
    tried, right = [], generation.cache.stored_records

    def wrong_records(*given: Any) -> list[Function]:
        tried[:] = map(a_sign, right(*given))
        return tried

    monkeypatch.setattr(generation.cache, "stored_records", wrong_records)
    monkeypatch.setitem(levels.LEVELS, level, levels.level_none)
    assert mp.generate(*RECORDED, optimise=level).cost == mp.generate(*RECORDED, optimise="none").cost
    assert tried


@pytest.mark.parametrize("level", ["fast", "max"])
def test_a_record_is_proved_once(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    proofs, right = [], generation.prove
    monkeypatch.setattr(generation, "prove", lambda *given: proofs.append(right(*given)) or proofs[-1])
    record = generation.cache.stored_records(prepare(Request(mp.load(RECORDED[0]), RECORDED[1])))[0]
    made = mp.generate(*RECORDED, optimise=level)
    assert made.cost == record.cost and made.provenance.proof == str(*proofs)


@cache
def planar_part(model: str) -> Function:
    return mp.generate("planar2r", model).function


@pytest.mark.parametrize("wrong", [a_sign, a_sign_of_the_second_output, a_sign_off_line, a_lost_output])
def test_a_wrong_rewrite_of_joined_models_does_not_leave(monkeypatch: pytest.MonkeyPatch, wrong: Pass) -> None:
    models = ["pose", "gravity", "inertia_matrix"]
    parts = {model: planar_part(model) for model in models}
    monkeypatch.setattr(compose, "generate_function", lambda asked, tell: parts[asked.request.model])
    assert "chance of error below 1e-" in mp.generate("planar2r", models).provenance.proof
    plant(monkeypatch, wrong)
    with pytest.raises(ProofError):
        mp.generate("planar2r", models)


def test_every_draw_is_fresh_and_none_is_the_table_s(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds, right = [], prove.compare

    def noted(function: Function, reference: Any, maths: Any) -> None:
        seeds.extend([maths.seed] if isinstance(maths, FieldMaths) else [])
        right(function, reference, maths)

    monkeypatch.setattr(prove, "compare", noted)
    for _ in range(3):
        mp.generate("planar2r", "gravity", optimise="none")
    mp.generate("planar2r", ["gravity", "pose"], optimise="none")
    assert len(seeds) == 6 * prove.DRAWS
    values = {FieldMaths(seed).symbol("q1").value for seed in [*seeds, TABLE_SEED]}
    assert len(values) == len(seeds) + 1


# the bound


def function_of(text: Callable[[Any, Any, Any], Any]) -> tuple[Function, Any]:
    """A function of x and y made from a text, and the text itself as its reference."""
    graph = Graph()
    x, y = graph.symbol("x", online=True), graph.symbol("y", online=True)
    found = graph.expr(text(ExprMaths(graph), x, y))
    function = Function("f", graph, (Input("x", (x, y)),), (Output("u", (), (found,)),))
    return function, lambda maths, symbol: {"u": text(maths, symbol("x"), symbol("y"))}


DEGREES: dict[str, tuple[Callable[[Any, Any, Any], Any], int]] = {
    "root": (lambda m, x, y: m.sqrt(x * y * y), 3),  # as much as what it is the root of, where r² = x y² is used
    "root of a quotient": (lambda m, x, y: m.sqrt(x / y), 3),
    "product": (lambda m, x, y: x * y * x, 3),
    "sum": (lambda m, x, y: x * y + x, 2),
    "quotient": (lambda m, x, y: x * y / (x + y), 3),  # x y − u (x + y)
    "one denominator": (lambda m, x, y: x / y + 1 / y, 2),
    "two denominators": (lambda m, x, y: x / y + y / x, 4),
    "quotient of quotients": (lambda m, x, y: 1 / (1 / x + 1 / y), 3),
    "sine": (lambda m, x, y: m.sin(x) * m.cos(y), 2),
    "angle sum": (lambda m, x, y: m.sin(x + y), 2),
    "multiple": (lambda m, x, y: m.cos(5 * x - y), 6),
}


@pytest.mark.parametrize("name", DEGREES)
def test_degrees_by_hand(name: str) -> None:
    text, least = DEGREES[name]
    maths = degree.DegreeMaths()
    found = text(maths, maths.symbol("x"), maths.symbol("y"))
    assert least <= found.both <= 2 * least
    exact = {
        "root": 3,
        "root of a quotient": 3,
        "product": 3,
        "sum": 2,
        "angle sum": 2,
        "multiple": 6,
        "one denominator": 2,
    }
    assert found.both == exact.get(name, found.both)


def test_the_degree_is_that_of_both_sides() -> None:
    """A function of degree 1 against a plain model of degree 2**44, and the other way round: both bounds count it."""
    small, small_text = function_of(lambda m, x, y: x)
    large, large_text = function_of(lambda m, x, y: m.cos(2**44 * y) + x)
    assert prove.degree_of(small) < 10 < 2**44 < prove.degree_of(large)
    assert prove.degree_between(small, small_text) < 10
    for function, text in ((small, large_text), (large, small_text), (large, large_text)):
        assert prove.degree_between(function, text) > 2**44


def test_the_points_of_the_circle_are_cleared_of_their_denominators() -> None:
    """Of k sines in one product the numerator has degree 2 in each t, and each term all the denominators."""
    for k in (1, 3, 8):
        maths = degree.DegreeMaths()
        found = maths.number(Fraction(1))
        for i in range(k):
            found = found * maths.sin(maths.symbol(f"q{i}")) + maths.symbol("x")
        maths.differs(found, 0)
        assert maths.degree == 2 * (1 + k) * maths.greatest and maths.greatest == k


@pytest.mark.parametrize("power", [59, 60, 61, 125, 126, 128, 200])
def test_a_multiple_that_collapses_is_refused(power: int) -> None:
    """A circle has 2**61 points, or 2**127: at a quarter of that every angle is a quarter turn, whatever is drawn."""
    with pytest.raises((ProofError, InputError)):
        prove.prove(*function_of(lambda m, x, y: m.sin(2**power * x) * y))


@pytest.mark.parametrize(("power", "why"), [(57, "differs"), (59, "differs"), (126, "cannot be"), (128, "cannot be")])
def test_what_a_table_folds_there_does_not_pass(power: int, why: str) -> None:
    """The plain model alone is of a large degree: the function has lost the angle."""
    for folded in (lambda m, x, y: y, lambda m, x, y: -y, lambda m, x, y: 0 * y):
        function, _ = function_of(folded)
        _, plain = function_of(lambda m, x, y: m.sin(2**power * x) * y)
        with pytest.raises(ProofError, match=f"f: {'u ' * (why == 'differs')}{why}"):
            prove.prove(function, plain)


def function_of_parameters(text: Callable[[Any, Any, Any, Any], Any]) -> tuple[Function, Any]:
    """A function of the variable x and the parameters a and b."""
    graph = Graph()
    x, a, b = graph.symbol("x", online=True), graph.symbol("a", online=False), graph.symbol("b", online=False)
    inputs = (Input("x", (x,)), Input("p", (a, b)))
    function = Function("f", graph, inputs, (Output("u", (), (graph.expr(text(ExprMaths(graph), x, a, b)),)),))
    return function, lambda maths, symbol: {"u": text(maths, *map(symbol, "xab"))}


# right only by (√a)² = a; and wrong for a negative number under the square
BY_ROOTS: dict[str, tuple[Callable[[Any, Any, Any, Any], Any], Callable[[Any, Any, Any, Any], Any], int]] = {
    "one": (lambda m, x, a, b: squared(m.sqrt(a)) * x + b, lambda m, x, a, b: a * x + b, 1),
    "two": (lambda m, x, a, b: squared(m.sqrt(a) + m.sqrt(b)) * x,
            lambda m, x, a, b: (a + b + 2 * m.sqrt(a) * m.sqrt(b)) * x, 2),
    "of a sum": (lambda m, x, a, b: squared(m.sqrt(a + b * b)) + x, lambda m, x, a, b: a + b * b + x, 1),
    "in a root": (lambda m, x, a, b: squared(m.sqrt(a + m.sqrt(b))) * x, lambda m, x, a, b: (a + m.sqrt(b)) * x, 2),
}  # fmt: skip
WRONG_BY_ROOTS: list[tuple[Callable[[Any, Any, Any, Any], Any], Callable[[Any, Any, Any, Any], Any]]] = [
    (lambda m, x, a, b: m.sqrt(a * a) * x + b, lambda m, x, a, b: a * x + b),
    (lambda m, x, a, b: squared(m.sqrt(a)) * x + b, lambda m, x, a, b: a * x - b),
    (lambda m, x, a, b: squared(m.sqrt(a) - m.sqrt(b)) * x,
     lambda m, x, a, b: (a + b + 2 * m.sqrt(a) * m.sqrt(b)) * x),
]  # fmt: skip


@pytest.mark.parametrize("number", [0, 2, 3, 5, 7])
def test_roots_of_numbers_beside_those_of_parameters_leave_the_proof_as_it_is(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number's root is the same at every draw, there or not: it can decide nothing, and nothing waits for it."""

    def beside(text: Callable[[Any, Any, Any, Any], Any]) -> Callable[[Any, Any, Any, Any], Any]:
        return lambda m, x, a, b: text(m, x, a, b) + (m.sqrt(m.number(Fraction(number))) * x * a if number else 0)

    for one, other, roots in BY_ROOTS.values():
        function, (_, plain) = function_of_parameters(beside(one))[0], function_of_parameters(beside(other))
        proof = prove.prove(function, plain)
        assert proof.roots == roots and "where its roots of parameters exist" in str(proof)
    monkeypatch.setattr(prove, "TRIES", 40)  # points at which the root that decides is looked for, in vain
    for one, other in WRONG_BY_ROOTS * 8:  # √(a²) = a holds at every second point: two may agree by chance
        with pytest.raises(ProofError, match="f: "):
            prove.prove(function_of_parameters(beside(one))[0], function_of_parameters(beside(other))[1])


def test_the_chance_of_error_counts_the_roots() -> None:
    """Of degrees around those at which one point more, or the larger field, is needed."""

    def times(form: Callable[[Any, Any], Any], power: int) -> Callable[[Any, Any, Any, Any], Any]:
        return lambda m, x, a, b: form(m, a) * m.cos(2**power * x) * m.sqrt(b)

    for power in range(28, 52):
        function, _ = function_of_parameters(times(lambda m, a: squared(m.sqrt(a)), power))
        _, plain = function_of_parameters(times(lambda m, a: a, power))
        proof = prove.prove(function, plain)
        assert proof.roots == 2 and proof.error_exponent <= prove.LIMIT


def chained(x: Any, y: Any, times: int) -> Any:
    """x² + y of x² + y …: of degree 2 to the times."""
    return x if not times else chained(x * x + y, y, times - 1)


@pytest.mark.parametrize("times", [58, 90])
def test_a_larger_field_takes_over_where_points_of_the_smaller_one_are_not_enough(times: int) -> None:
    """The limit of the chance of error is the same, and a wrong sign is still found."""
    function, plain = function_of(lambda m, x, y: chained(x + m.sin(y), y, times) + y)
    proof = prove.prove(function, plain)
    assert proof.p == 2**127 - 1 and proof.draws == prove.DRAWS
    assert prove.exponent_of(proof.degree, proof.entries) * prove.MOST_DRAWS > prove.LIMIT >= proof.error_exponent
    assert proof.degree > 2**times and "points of GF(2^127-1); chance of error below 1e-" in str(proof)
    wrong, _ = function_of(lambda m, x, y: chained(x + m.sin(y), y, times) - y)
    with pytest.raises(ProofError, match="f: u differs"):
        prove.prove(wrong, plain)


def squared(x: Any) -> Any:
    return x * x


def part(x: Any, above: int, below: int) -> Any:
    return Fraction(above, below) * x


FRACTIONS: dict[str, tuple[Callable[[Any, Any, Any], Any], Callable[[Any, Any, Any], Any], int]] = {
    "a quarter and five": (lambda m, x, y: m.sin(x - part(x, 5, 4)), lambda m, x, y: -m.sin(part(x, 1, 4)), 4),
    "twice a third": (lambda m, x, y: m.cos(part(x, 2, 3)), lambda m, x, y: 2 * squared(m.cos(part(x, 1, 3))) - 1, 3),
    "two denominators": (
        lambda m, x, y: m.cos(part(x, 1, 6) + part(x, 1, 4)),
        lambda m, x, y: m.cos(part(x, 5, 12)),
        12,
    ),
    "a sum with what is no angle": (
        lambda m, x, y: 2 * squared(m.cos(part(x + y * y, 1, 2))) - 1,
        lambda m, x, y: m.cos(x + y * y),
        2,
    ),
    "another angle beside it": (
        lambda m, x, y: m.sin(part(x, 1, 2) + y),
        lambda m, x, y: m.sin(y) * m.cos(part(x, 1, 2)) + m.cos(y) * m.sin(part(x, 1, 2)),
        2,
    ),
}


@pytest.mark.parametrize("name", FRACTIONS)
def test_fractions_of_an_angle_are_multiples_of_one_part(name: str) -> None:
    """Either text proves the other; with the fraction changed, neither does."""
    one, other, parts = FRACTIONS[name]
    for mine, yours in ((one, other), (other, one)):
        function, (_, plain) = function_of(mine)[0], function_of(yours)
        assert prove.measure_degrees(function, plain).parts == parts
        assert prove.prove(function, plain).degree >= parts
        wrong, _ = function_of(lambda m, x, y, mine=mine: mine(m, x * Fraction(11, 13), y))
        with pytest.raises(ProofError, match="f: u differs"):
            prove.prove(wrong, plain)


def test_fractions_without_a_sensible_common_part_are_angles_of_their_own() -> None:
    """As 0.333333333333 of a joint: proved as before, if nothing adds up to another."""
    fine = Fraction(333333333333, 10**12)
    function, plain = function_of(lambda m, x, y: m.sin(fine * x) * m.cos(Fraction(1, 3) * x))
    measure = prove.measure_degrees(function, plain)
    assert measure.parts == 3 and prove.prove(function, plain).p == 2**61 - 1
    # each a sensible number of parts, both together not
    function, plain = function_of(lambda m, x, y: m.sin(Fraction(1, 10**9) * x) * m.cos(Fraction(1, 7**9) * x))
    assert prove.measure_degrees(function, plain).parts == 1 and prove.prove(function, plain).draws == prove.DRAWS


def test_more_draws_make_up_for_a_large_degree() -> None:
    function, plain = function_of(lambda m, x, y: m.sin(2**35 * x) * y)
    proof = prove.prove(function, plain)
    assert prove.DRAWS < proof.draws <= prove.MOST_DRAWS and proof.error_exponent <= prove.LIMIT
    small, plain = function_of(lambda m, x, y: m.sin(x) * y)
    assert prove.prove(small, plain).draws == prove.DRAWS
    assert prove.prove(small, plain).error_exponent < -30


def test_arguments_of_comparisons_are_counted() -> None:
    """sign(x + 2**-40 of it …): two arguments that meet at a draw would look like one."""
    function, plain = function_of(lambda m, x, y: m.sign(m.sin(2**30 * x)))
    assert prove.degree_between(function, plain) > 2**31
    function, plain = function_of(lambda m, x, y: m.sign(x))
    assert prove.degree_between(function, plain) < 100


@pytest.mark.parametrize("model", ["forward_dynamics", "inertia_matrix_inverse", "forward_dynamics_derivatives"])
def test_quotients_of_quotients_stay_within_the_bound(model: str) -> None:
    """Eight joints: what stands below the bar is kept as factors, else the bound would be astronomical."""
    robot = mp.Robot.of(random_robot(7, joints="RPRRRPRR" if "deriv" not in model else "RPRR", surroundings=False))
    proof = mp.generate(robot, model, optimise="none").provenance.proof
    assert "at 2 random points" in proof or "at 3 random points" in proof


ROW = """[[joint]]
name = "{name}"
type = "{kind}"
parent = "{parent}"
a = 0.{number}
alpha = {alpha}
{more}
mass = 1.{number}
com = [0.01, 0.02, 0.1]
inertia = {{ xx = 0.01, yy = 0.012, zz = 0.004 }}
"""


def branched(*roads: str, fingers: int) -> Any:
    """A tree of one base, a road of turning joints for each word, with its own stops; sliding fingers at the last."""
    rows, turns, parent = [], {"z": 0, "x": 90, "y": -90}, ""
    for k, road in enumerate(roads):
        parent = "base"
        for i, twist in enumerate(road):
            name = f"r{k}_{i}"
            rows.append((name, "revolute", parent, turns[twist], "d = 0.1\nlimits = [-115, 115]"))
            parent = name
    rows += [(f"f{i}", "prismatic", parent, 90, f"theta = {180 * i}\nlimits = [0, 0.04]") for i in range(fingers)]
    text = 'format = 1\nname = "tree"\nconvention = "modified"\nangle = "deg"\ninertia_default = 0\n'
    keys = ("name", "kind", "parent", "alpha", "more")
    return mp.Robot.from_text(
        text + "".join(ROW.format(number=1 + i % 9, **dict(zip(keys, row))) for i, row in enumerate(rows))
    )


def test_the_step_of_an_arm_with_two_fingers_and_stops_is_proved() -> None:
    """Of degree 1e16 and more, it needs the larger field."""
    plant = mp.Plant(branched("zxyxyxy", fingers=2), effort=None)
    assert "GF(2^127-1)" in mp.closed_loop(plant, None, optimise="none").provenance.proof


@pytest.mark.slow
@pytest.mark.parametrize("roads", [("zxyxyxy",), ("zxyxyxy", "zxyxyxy")])
def test_long_arms_with_fingers_and_two_armed_trees_are_simulated_by_default(roads: tuple[str, ...]) -> None:
    robot = branched(*roads, fingers=2)
    plant, start = mp.Plant(robot, effort=None), np.linspace(-0.3, 0.4, robot.dof)
    start[-2:] = 0.02
    run, true = (mp.simulate(plant, start=start, until=0.004, method=x) for x in ("rk4", "dop853"))
    np.testing.assert_allclose(run.q[-1], true.q[-1], rtol=0, atol=1e-9)


def test_what_cannot_be_proved_says_what_works(monkeypatch: pytest.MonkeyPatch) -> None:
    plant = mp.Plant(mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81), effort=None)
    monkeypatch.setattr(prove, "MOST_DRAWS", 1)
    with pytest.raises(ProofError, match=r'cannot be proved: of degree .*; method="dop853" simulates it'):
        mp.simulate(plant, until=0.01)


# conditions


@pytest.mark.parametrize(
    ("robot", "said"),
    [("planar2r", ["l1"]), ("puma560_symbolic", ["a2"]), ("stanford3", ["d2"]), ("puma560", []), ("scara", [])],
)
def test_generated_models_say_where_they_hold(robot: str, said: list[str]) -> None:
    """Every denominator of parameters alone, and nothing else."""
    model = mp.generate(robot, "inverse_dynamics")
    divisors = [x.args[1] for x in topological(model.function.roots) if x.op == "div" and not x.args[1].online]
    read = {str(x.data) for x in free_symbols(divisors)}
    assert {name for condition in model.conditions for name in condition.names} == read == set(said)
    assert mp.generate(robot, "inverse_dynamics", optimise="none").conditions == ()


def test_exact_numbers_stay_exact() -> None:
    maths = degree.DegreeMaths()
    assert maths.number(Fraction(3, 7)).top == 0 and maths.degrees(Fraction(90)).as_turn().top == 0
    assert (maths.symbol("x") * 0).top == 0
