"""No optimised function is less accurate than its plain one: expressions that cancel, at values drawn here."""

from __future__ import annotations

import random

import pytest

import manipula as mp
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.generation import pipeline
from manipula.generation.pipeline import LEAST, LOSS, composed_names, generate_function, lost_digits
from manipula.generation.prepare import Request, prepare

# what a person may type; x, y, z are names
CANCELLING = [
    "((x+y)**2-x**2-2*x*y)/y",  # y
    "((x+y)*(x-y)+y**2)/x",  # x
    "((x-y)**2-x**2+2*x*y)/y",  # y
    "((x+y)**3-x**3-3*x**2*y-3*x*y**2)/y**2",  # y
    "(x**2-y**2)/(x-y)-x",  # y
    "(x+y+z)**2/(x+y+z)-x-y",  # z
    "((x+1)**3-x**3-3*x**2-3*x)*y",  # y
    "(x+y)**2-(x-y)**2-3*x*y",  # xy
]
MODELS = ["inverse_dynamics", "inertia_matrix", "forward_dynamics", "gravity", "jacobian"]
POINT = {"theta": 0, "d": 0, "a": 0.3, "alpha": 0, "mass": 1, "com": [0, 0, 0]}  # masses at the ends of the links
NOTHING = dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0)
PLACES: list[tuple[tuple[int, str], ...]] = [
    ((0, "a"),), ((0, "a"), (1, "a")), ((0, "a"), (1, "mass")), ((0, "com"),), ((1, "d"),), ((0, "inertia"), (1, "a")),
]  # fmt: skip


def arm(text: str, places: tuple[tuple[int, str], ...], twist: int = 0) -> mp.Robot:
    """Two joints; the expression stands in these cells."""
    rows = [{**POINT, "alpha": twist, "inertia": dict(NOTHING)} for _ in range(2)]
    for row, cell in places:
        entry = {"com": [text, 0, 0], "inertia": {**NOTHING, "zz": text}}.get(cell, text)
        rows[row][cell] = entry
    robot = mp.Robot.from_dh(rows, convention="standard", angle="deg", name="cancelling")
    return robot.with_gravity(0, -9.81, 0)


def losses(robot: mp.Robot, model: str, dice: random.Random, draws: int) -> list[tuple[float, float]]:
    """(optimised, plain): what each loses, where names span sixteen powers of ten."""
    fast, none = (generate_function(prepare(Request(robot, model, optimise=level))) for level in ("fast", "none"))
    found = []
    for _ in range(draws):
        draw = {name: dice.uniform(-2, 2) for port in fast.inputs if port.online for name in port.names}
        draw |= {name: 10 ** dice.uniform(-8, 8) for name in "xyz"}
        if pipeline.holds(fast, draw):
            found.append((lost_digits(fast, draw), lost_digits(none, draw)))
    return found


def worse(pairs: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Where fewer than ten digits are left, and a hundred times more is lost."""
    return [(fast, none) for fast, none in pairs if fast > 1e-10 and fast > LOSS * max(none, LEAST)]


@pytest.mark.parametrize("text", CANCELLING[:4])
def test_the_length_that_cancels_keeps_its_digits(text: str) -> None:
    """Each of these is off by up to its own size when the arrangement alone decides."""
    pairs = losses(arm(text, ((0, "a"), (1, "mass"))), "inverse_dynamics", random.Random(1), 8)
    assert len(pairs) >= 4
    assert worse(pairs) == []


def test_dry_friction_does_not_hide_what_is_lost() -> None:
    """Coulomb friction is a sign, which jumps: the rest of the torque is measured all the same."""
    robot = arm(CANCELLING[0], ((0, "a"), (1, "mass"))).with_friction(joint1={"coulomb": 0.1, "viscous": 0.2})
    pairs = losses(robot, "inverse_dynamics", random.Random(1), 8)
    assert len(pairs) >= 4
    assert worse(pairs) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(120))
def test_cancelling_expressions_keep_their_digits(seed: int) -> None:
    dice = random.Random(seed)
    robot = arm(CANCELLING[seed % len(CANCELLING)], dice.choice(PLACES), dice.choice((0, 90)))
    assert worse(losses(robot, dice.choice(MODELS), dice, 12)) == []


def test_the_value_that_was_half_off() -> None:
    robot = arm(CANCELLING[0], ((0, "a"),))
    p, state = {"x": 1e8, "y": 1.0}, [[0.3, 0.4], [0.5, -0.2], [1.0, 0.7]]
    wanted = mp.generate(robot.with_parameters(**p), "inverse_dynamics").compile()(*state)
    for level in ("none", "fast"):
        model = mp.generate(robot, "inverse_dynamics", optimise=level)
        own = {name: p[name] for name in model.inputs["p"]}
        assert model.compile()(*state, p=own) == pytest.approx(wanted, rel=1e-12)


def test_plain_forms_are_taken_only_where_they_keep_more() -> None:
    """Ordinary arms keep what was found, and only names in sums are drawn far apart."""
    for name in ("planar2r", "puma560"):
        assert not composed_names(mp.load(name))
        asked = prepare(Request(mp.load(name), "inverse_dynamics", symbolic="all"))
        assert pipeline.loses_digits(asked, generate_function(asked)) == []
    robot = arm("2*x+3*y-z/2", ((0, "a"),))
    assert composed_names(robot) == {"x", "y", "z"}
    assert composed_names(arm("2*x/y", ((0, "a"),))) == set()
    assert composed_names(arm("x*(1+y*(z-2*x))", ((0, "a"),))) == {"x", "y", "z"}


def test_the_measure_is_the_error_beside_the_largest_entry() -> None:
    """√(1 + a) − 1 at a = 1e-9 has seven digits left of sixteen."""
    graph = Graph()
    a = graph.symbol("a", online=True)
    root = ExprMaths(graph).sqrt(a + 1) - 1  # a root is opaque to the table: the difference stays
    function = Function("f", graph, (Input("a", (a,)),), (Output("y", (), (root,)),))
    x = 1e-9
    true = x / 2 - x * x / 8
    assert lost_digits(function, {"a": x}) == pytest.approx(abs(((x + 1) ** 0.5 - 1) - true) / true, rel=1e-6)
    assert 1e-9 < lost_digits(function, {"a": x}) < 1e-6


def test_names_are_drawn_so_far_apart_that_a_root_cancels() -> None:
    """√(x² + y²) − y keeps its digits beside y of its own size, and loses them where x is small beside y: the draws
    must have both. A name alone in its cell is drawn about its value."""
    asked = prepare(Request(arm("sqrt(x*x+y*y)-y", ((0, "a"), (1, "a"))), "gravity", optimise="none"))
    found = generate_function(asked)
    draws = pipeline.loses_digits(asked, found)
    assert draws and all(lost_digits(found, draw) > 1e-11 and draw["x"] < 1e-2 * draw["y"] for draw in draws)
    assert {name for draw in draws for name, x in draw.items() if x < 1} & {"x"}
    near = {"q1": 0.3, "q2": 0.4, "x": 3.0, "y": 4.0}
    assert lost_digits(found, near) < 1e-14 and pipeline.is_worse(found, found, draws) is False
    alone = prepare(Request(arm("sqrt(x*x)", ((0, "a"), (1, "a"))), "gravity", optimise="none"))
    assert pipeline.loses_digits(alone, generate_function(alone)) == []
