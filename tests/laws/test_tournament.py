"""Formulations compete, scales wander, paths shorten: never at the price of a value, never by chance."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

import manipula as mp
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.optimise.descend import Answers, descend, wander
from manipula.algebra.optimise.passes import factor_sums, run_passes
from manipula.algebra.optimise.price import CYCLES, LATENCY, Aim, balance_function, longest_path
from manipula.algebra.optimise.prove import prove
from manipula.algebra.optimise.search.engine import _going_on, _rounds, relaxed_price, search_ways, winner
from manipula.algebra.optimise.search.ways import reference_from_function
from manipula.algebra.tape import tape_from_function
from manipula.generation.build import build_function, reference
from manipula.generation.prepare import Formulation, Request, prepare
from manipula.mechanics.models.dynamics.choices import TIP, Topic
from manipula.mechanics.models.entry import FIELD
from manipula.support.progress import Effort
from tests.random_robots import random_robot

STANFORD = prepare(Request(mp.load("stanford3"), "inverse_dynamics"))


def function_of(variables: int, parameters: str, formula: object) -> Function:
    graph = Graph()
    x = [graph.symbol(f"x{i}", online=True) for i in range(variables)]
    p = [graph.symbol(name) for name in parameters.split()]
    ports = (Input("x", tuple(x)), *([Input("p", tuple(p), role="parameter")] if p else []))
    outputs: list[Expr] = formula(x, p)  # type: ignore[operator]
    return Function("f", graph, ports, (Output("y", (len(outputs),), tuple(outputs)),))


def in_a_row(x: list[Expr]) -> Expr:
    total = x[0]
    for term in x[1:]:
        total = total - term
    return total


# balance


def test_a_long_sum_becomes_a_tree() -> None:
    row = function_of(8, "", lambda x, p: [in_a_row(x)])
    tree = balance_function(row)
    assert longest_path(row) == 7 * CYCLES["add"]
    assert longest_path(tree) == 3 * CYCLES["add"]
    assert tree.cost.total == row.cost.total
    prove(tree, reference_from_function(row))


def test_what_comes_late_is_joined_late() -> None:
    late = function_of(5, "", lambda x, p: [((x[0] * x[1]) * x[2] + x[3]) + x[4]])
    assert longest_path(balance_function(late)) == 2 * CYCLES["mul"] + CYCLES["add"]


@pytest.mark.parametrize("rewrite", [balance_function, factor_sums, run_passes])
def test_a_pass_keeps_the_names_of_what_it_keeps(rewrite: Callable[[Function], Function]) -> None:
    """A name of a shared part stays on its value; that of a part no output needs is no obstacle."""
    plain = function_of(8, "k l", lambda x, p: [in_a_row(x) * (p[0] * x[0] + p[0] * x[1]), in_a_row(x) + p[1]])
    x = plain.inputs[0].symbols
    shared, unused = in_a_row(list(x)), x[0] * x[5]
    found = rewrite(replace(plain, labels={shared: "row", unused: "unused"}))
    assert found.graph is not plain.graph
    assert {text: node.value for node, text in found.labels.items()} == {"row": shared.value}
    assert "row" in tape_from_function(found).names
    prove(found, reference_from_function(plain))


@pytest.mark.parametrize("robot", ["puma560", "stanford3", "scara"])
def test_paths_shorten_and_counts_stay(robot: str) -> None:
    request = prepare(Request(mp.load(robot), "inverse_dynamics"))
    plain = run_passes(build_function(request, request.default(FIELD)))
    short = balance_function(plain)
    assert longest_path(short) < longest_path(plain)
    assert short.cost.total <= plain.cost.total
    prove(short, reference(request))


@pytest.mark.turn
def test_a_price_may_ask_for_short_paths() -> None:
    quick = mp.generate("rx90", "inverse_dynamics", price="latency").function
    few = mp.generate("rx90", "inverse_dynamics").function
    assert LATENCY.total(quick) <= LATENCY.total(few)
    assert LATENCY.total(quick) == quick.cost.total + longest_path(quick)


# scales


def test_a_scale_moves_out_of_a_sum_and_into_the_next_factor() -> None:
    """K (k x + l y) and L (k x + l y): five operations, four with the scale k in the outer factors."""
    shared = function_of(
        2, "k l K L", lambda x, p: [p[2] * (p[0] * x[0] + p[1] * x[1]), p[3] * (p[0] * x[0] + p[1] * x[1])]
    )
    assert search_ways(shared, Effort(moves=50_000)).cost.total == 5
    scaled = search_ways(shared, Effort(moves=50_000), Aim(divisors=("k",)))
    assert scaled.cost.total == 4
    prove(scaled, reference_from_function(shared))


def test_only_lengths_may_be_divided_by() -> None:
    assert prepare(Request(mp.load("puma560_symbolic"), "pose")).structure.lengths != []
    names = set(STANFORD.structure.lengths)
    assert names <= set(STANFORD.robot.parameters)
    assert not any(name.startswith(("m", "I")) for name in names)


# the tournament


def entrants() -> list[Function]:
    space = {question.topic: question.answers for question in STANFORD.questions(FIELD)}
    start = dict(STANFORD.default(FIELD).answers)
    others = [{**start, Topic("moment", 2): "squares"}, {**start, Topic("spin", 2): "handed"}]
    assert all(answers.get(name, known[0]) in known for answers in others for name, known in space.items())
    return [
        run_passes(build_function(STANFORD, Formulation(FIELD, tuple(answers.items())))) for answers in (start, *others)
    ]


CAMPS = "aab"


def test_the_winner_is_the_same_whoever_runs_beside() -> None:
    one, two = (winner(entrants(), CAMPS, Effort(moves=6_000 // workers, seed=3), Aim(), workers) for workers in (1, 2))
    again = winner(entrants(), CAMPS, Effort(moves=3_000, seed=3), Aim(), 2)
    assert two.content()[1] == again.content()[1]
    for found in (one, two):
        prove(found, reference(STANFORD))
        assert found.cost.total <= min(function.cost.total for function in entrants())


def test_a_stopped_tournament_keeps_the_best() -> None:
    pressed = threading.Event()
    pressed.set()
    found = winner(entrants(), CAMPS, Effort(moves=10**9, stop=pressed.is_set), Aim(), 2)
    assert found.cost.total == min(function.cost.total for function in entrants())


def test_a_basin_keeps_its_place_until_the_best_of_all_basins_meet() -> None:
    ranking = "aaaaaabbbc"
    assert [ranking[place] for place in _going_on(ranking)] == ["a", "a", "b", "c"]
    assert _going_on("abcdefgh") == [0, 1, 2]  # one of each: the best third
    assert _going_on("aaaaaaa") == [0, 1, 2]
    assert _going_on("ab") == [0, 1]  # two run to the end
    assert _rounds("aaaaaabbbc") == 4  # ten, four, three, two
    assert _rounds("a" * 48) == 4


# formulations


def test_a_descent_ends_in_a_basin_and_a_walk_leaves_it() -> None:
    """Two answers that pay only together."""
    space = {"a": ("0", "1", "2"), "b": ("0", "1"), "c": ("0", "1")}

    def price(x: Answers) -> float:
        return abs(int(x["a"]) - 2) + {"00": 2, "01": 3, "10": 3, "11": 0}[x["b"] + x["c"]]

    basin = descend(price, space, {}, space)
    assert basin == {"a": "2", "b": "0", "c": "0"}
    steps = iter(range(200))
    assert wander(price, space, basin, lambda: next(steps) / 199) == {"a": "2", "b": "1", "c": "1"}


def test_a_draft_settles_below_its_price() -> None:
    draft = build_function(STANFORD, STANFORD.default(FIELD))
    assert relaxed_price(draft, 20_000) < draft.cost.total
    assert relaxed_price(draft.with_roots([draft.graph.zero for _ in draft.roots]), 20_000) == 0


@pytest.mark.drawn("robot")
@pytest.mark.parametrize("robot", ["planar2r", "rp", "stanford3", "scara"])
def test_every_change_that_is_worth_a_trial_changes_something(robot: str) -> None:
    request = prepare(Request(mp.load(robot), "inverse_dynamics"))
    usual, changes = dict(request.default(FIELD).answers), request.changes_to_try(FIELD)
    assert all(any(usual.get(topic) != answer for topic, answer in change.items()) for change in changes)
    assert len({frozenset(change.items()) for change in changes}) == len(changes)


@pytest.mark.turn
@pytest.mark.drawn("robot")
@pytest.mark.parametrize("robot", ["puma560_symbolic", "stanford", "stanford3", "scara", "rx90"])
def test_every_answer_and_every_likely_change_is_exact(robot: str) -> None:
    """Each answer alone on top of the usual ones; what divides by a structural zero is no answer on this arm."""
    request = prepare(Request(mp.load(robot), "inverse_dynamics"))
    start, plain = dict(request.default(FIELD).answers), reference(request)
    single = [{q.topic: answer} for q in request.questions(FIELD) for answer in q.answers[1:]]
    asked = [change for change in single if next(iter(change)).kind in ("axis", "spin", "unit", "gauge")]
    tried = 0
    for change in [*asked, *request.changes_to_try(FIELD)]:
        try:
            function = build_function(request, Formulation(FIELD, tuple({**start, **change}.items())))
        except ZeroDivisionError:
            continue
        prove(function, plain)
        tried += 1
    assert tried > len(request.robot.joints)


@pytest.mark.parametrize("seed", range(16))
def test_any_answers_together_keep_the_values(seed: int) -> None:
    """Questions drawn at random, answered at random: what can be built is proved."""
    draw = random.Random(seed)
    request = prepare(Request(mp.Robot.of(random_robot(seed + 3, joints=1 + seed % 4)), "coriolis", symbolic="all"))
    asked, usual, true = request.questions(FIELD), request.default(FIELD).answers, reference(request)
    for _ in range(6):
        answers = dict(usual) | {x.topic: draw.choice(x.answers) for x in draw.sample(asked, min(4, len(asked)))}
        with contextlib.suppress(ZeroDivisionError):  # measured in a lever that is none
            prove(build_function(request, Formulation(FIELD, tuple(answers.items()))), true)


def test_a_lever_that_is_nothing_has_no_length() -> None:
    """In polar form, too, where its zeros are known only after the frames have moved."""
    request = prepare(Request(mp.Robot.of(random_robot(18, joints=3)), "coriolis", symbolic="all"))
    answers = {**dict(request.default(FIELD).answers), Topic("lever", 1): "polar", TIP: "second"}
    prove(build_function(request, Formulation(FIELD, tuple(answers.items()))), reference(request))
