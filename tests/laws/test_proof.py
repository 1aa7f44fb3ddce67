"""The proof is itself tested: what is planted wrong in the optimiser, the binder or the merger ends in an error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import manipula as mp
from manipula import api
from manipula.algebra.expr import degree
from manipula.algebra.expr.field import FieldMaths
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import TABLE_SEED, Expr, Graph
from manipula.algebra.expr.walk import free_symbols, rebuilt, topological
from manipula.algebra.optimise import passes, prove
from manipula.algebra.optimise.search import engine
from manipula.errors import InputError, ProofError
from manipula.generation import build, levels, structure, together
from manipula.generation import proved as generation
from manipula.mechanics.robot import bind as binding
from manipula.mechanics.robot.tree import Tree, in_series
from manipula.mechanics.spatial.inertia import RigidBody, Tensor
from manipula.mechanics.spatial.placement import HERE, Placement, shift_along
from manipula.support.progress import DEFAULT_EFFORT
from tests.random_robots import random_robot

Pass = Callable[[Function], Function]


def with_wrong(function: Function, node: Expr) -> Function:
    """The same function, the sign of one node changed wherever it is used."""
    return function.with_roots(rebuilt(function.roots, function.graph, {node: -node}))


def plant(monkeypatch: pytest.MonkeyPatch, wrong: Pass) -> None:
    """A wrong rewrite as the last of the passes: it runs wherever functions are optimised."""
    right = passes.optimised
    for module in (together, levels):
        monkeypatch.setattr(module, "optimised", lambda function: wrong(right(function)))


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
    monkeypatch.setattr(levels, "stored", lambda request: None)
    with pytest.raises(ProofError, match="plain model"):
        mp.generate(robot, model, parameters=parameters)


def test_a_wrong_move_of_the_search_does_not_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search's own check is switched off, too."""
    right = engine.function_from_ways
    monkeypatch.setattr(engine, "compare", lambda *given: None)
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


def test_a_wrong_record_does_not_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    right = generation.stored
    monkeypatch.setattr(
        generation,
        "stored",
        lambda request: a_sign(right(request) or levels.level_fast(request, DEFAULT_EFFORT, levels.Past())),
    )
    with pytest.raises(ProofError, match="differs from the plain model"):
        mp.generate("puma560", "inverse_dynamics", optimise="max")


@cache
def planar_part(model: str) -> Function:
    return mp.generate("planar2r", model).function


@pytest.mark.parametrize("wrong", [a_sign, a_sign_of_the_second_output, a_sign_off_line, a_lost_output])
def test_a_wrong_rewrite_of_joined_models_does_not_leave(monkeypatch: pytest.MonkeyPatch, wrong: Pass) -> None:
    models = ["pose", "gravity", "inertia_matrix"]
    parts = {model: planar_part(model) for model in models}
    monkeypatch.setattr(together, "generate_function", lambda asked, tell: parts[asked.request.model])
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


@pytest.mark.parametrize("power", [52, 57, 59, 60, 61, 200])
def test_a_multiple_that_collapses_is_refused(power: int) -> None:
    """The circle has 2**61 points: at 2**59 times every angle is a quarter turn, whatever is drawn."""
    with pytest.raises((ProofError, InputError)):
        prove.prove(*function_of(lambda m, x, y: m.sin(2**power * x) * y))


@pytest.mark.parametrize("power", [57, 59])
def test_what_a_table_folds_there_does_not_pass(power: int) -> None:
    """The plain model alone is of a large degree: the function has lost the angle."""
    for folded in (lambda m, x, y: y, lambda m, x, y: -y, lambda m, x, y: 0 * y):
        function, _ = function_of(folded)
        _, plain = function_of(lambda m, x, y: m.sin(2**power * x) * y)
        with pytest.raises(ProofError, match="cannot be proved: of degree up to"):
            prove.prove(function, plain)


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


# planted in the binder and the merger


def wrong_links(change: Callable[[Any], Any]) -> Callable[[Tree], Tree]:
    return lambda chain: replace(chain, links=tuple(map(change, chain.links)))


def wrong_parts(change: Callable[[Any], Any]) -> Callable[[Tree], Tree]:
    return wrong_links(lambda link: replace(link, parts=tuple(map(change, link.parts))))


def heavier(link: Any) -> Any:
    return replace(link, inertia=link.inertia + RigidBody(m=1))


def driven(link: Any, **entries: Any) -> Any:
    return replace(link, actuator=link.actuator.changed(entries))


MISREAD: dict[str, Callable[[Tree], Tree]] = {
    "gravity": lambda c: replace(c, gravity=(c.gravity[0], c.gravity[1], -c.gravity[2])),
    "tool": lambda c: replace(c, tool=c.tool @ shift_along("x", 1)),
    "no tool": lambda c: replace(c, tool=HERE),
    "base": lambda c: replace(c, base=c.base.inverse()),
    "direction": wrong_links(lambda x: replace(x, direction=-x.direction)),
    "offset": wrong_links(lambda x: replace(x, offset=x.offset + 1)),
    "before": wrong_links(lambda x: replace(x, before=Placement(x.before.R, x.before.p[::-1]))),
    "after": wrong_links(lambda x: replace(x, after=x.after @ shift_along("z", 1))),
    "mass": wrong_links(heavier),
    "first moment": wrong_links(lambda x: replace(x, inertia=replace(x.inertia, s=x.inertia.s[::-1]))),
    "tensor": wrong_links(lambda x: replace(x, inertia=replace(x.inertia, second=Tensor(x.inertia.I[::-1])))),
    "motor": wrong_links(lambda x: driven(x, Ia=x.motor_inertia + 1)),
    "viscous": wrong_links(lambda x: driven(x, fv=x.actuator["fc"], fc=x.actuator["fv"])),
    "constant": wrong_links(lambda x: driven(x, fo=-x.actuator["fo"])),
    "a part elsewhere": wrong_parts(lambda part: replace(part, at=part.at @ shift_along("y", 1))),
    "a part heavier": wrong_parts(lambda part: replace(part, inertia=part.inertia + RigidBody(m=1))),
    "a part less": wrong_links(lambda x: replace(x, parts=x.parts[1:])),
    "ground": lambda c: replace(c, ground=c.ground + RigidBody(m=1)),
    "last link": lambda c: replace(c, links=(*c.links[:-1], heavier(c.links[-1]))),
    "order": lambda c: replace(c, links=in_series((c.links[1], c.links[0], *c.links[2:]))),
    "parent": lambda c: replace(c, links=(*c.links[:-1], replace(c.links[-1], parent=-1))),
    "tip": lambda c: replace(c, tip=0),
}


def arm_with_everything() -> mp.Robot:
    """Fixed rows at the start, in the middle, two at the end; base, tool, payload, a branch, tilted gravity."""
    for seed in range(1000):
        robot = mp.Robot.of(random_robot(seed, joints="FRFPRFF", convention="urdf"))
        if robot.base and robot.tool and robot.payload and any(joint.carries for joint in robot.joints):
            x = robot.joints[1]
            if len({cell.value for cell in x.actuator.named().values()}) > 1:
                return robot
    raise AssertionError("no such arm")


EVERYTHING = arm_with_everything()


@pytest.mark.parametrize("name", MISREAD)
@pytest.mark.parametrize(("place", "where"), [(binding.Binding, "over"), (structure, "merge_fixed")])
def test_an_error_on_both_sides_does_not_leave(
    monkeypatch: pytest.MonkeyPatch, name: str, place: Any, where: str
) -> None:
    """The model and its reference see the same wrong arm: only the second text of the description can tell."""
    right = getattr(place, where)
    spoil: Callable[..., Tree] = lambda *given: MISREAD[name](right(*given))  # noqa: E731
    monkeypatch.setattr(place, where, spoil)
    with pytest.raises(ProofError, match="is not as the robot's description has it"):
        mp.generate(EVERYTHING, "pose", optimise="none")


def test_check_sees_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert mp.check(EVERYTHING).passed
    right = structure.merge_fixed
    monkeypatch.setattr(structure, "merge_fixed", lambda chain: MISREAD["mass"](right(chain)))
    report = mp.check(EVERYTHING)
    assert not report.passed
    assert "description" in [verdict.name for verdict in report.verdicts if not verdict.passed]


def test_a_joint_less_and_another_name_are_seen() -> None:
    maths = FieldMaths("joints")
    chain = structure.merge_fixed(binding.bind(EVERYTHING, maths, {}))
    renamed = wrong_links(lambda x: replace(x, name=f"{x.name}'"))
    for wrong in (replace(chain, links=chain.links[:-1]), renamed(chain)):
        assert list(build.misread(EVERYTHING, wrong, {}, "auto", maths)) == ["the list of moving joints"]


BINDER: dict[str, tuple[str, Callable[..., Any]]] = {
    "a step left out": ("placement", lambda self, steps, *more, right: right(self, steps[:-1])),
    "a turn the other way": ("cos_sin", lambda self, cell, *more, right: (right(self, cell)[0], -right(self, cell)[1])),
    "a body without its centre": (
        "body", lambda self, body, *more, right: replace(right(self, body), s=(0, 0, 0)) if body else RigidBody(),
    ),
    "branches forgotten": (
        "link", lambda self, joint, *more, right: right(self, replace(joint, carries=()), more[0], (), more[2]),
    ),
    "another number": ("scalar", lambda self, cell, *more, right: right(self, cell) * 2),
}  # fmt: skip


@pytest.mark.parametrize("name", BINDER)
def test_an_error_inside_the_binder_does_not_leave(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    method, wrong = BINDER[name]
    right = getattr(binding._Binder, method)
    monkeypatch.setattr(binding._Binder, method, lambda self, *given: wrong(self, *given, right=right))
    with pytest.raises(ProofError, match="is not as the robot's description has it"):
        mp.generate(EVERYTHING, "pose", optimise="none")


def test_an_error_in_the_merging_alone_does_not_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mass of a fixed link put where the link before it has its origin; two fixed links in a row."""
    right = RigidBody.seen_from
    monkeypatch.setattr(RigidBody, "seen_from", lambda self, at: right(self, Placement(at.R)))
    with pytest.raises(ProofError, match="is not as the robot's description has it"):
        mp.generate(EVERYTHING, "gravity", optimise="none")


@pytest.mark.parametrize("symbolic", ["auto", "all"])
@pytest.mark.parametrize("block", range(3))
def test_true_arms_are_as_described(symbolic: Any, block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        robot = mp.Robot.of(random_robot(seed))
        maths = FieldMaths(f"true {seed}")
        symbols = {name: maths.symbol(name) for name in binding.free_parameters(robot, symbolic)}
        chain = structure.merge_fixed(binding.bind(robot, maths, symbols, symbolic))
        assert list(build.misread(robot, chain, symbols, symbolic, maths)) == []


NAMED = """
format = 1
name = "named"
convention = "standard"
angle = "deg"
[values]
a = 2
b = "2*a - 1"
turn = "pi/3"
half = "turn/2"
[[joint]]
type = "revolute"
theta = "half"
d = "a*L + b"
a = "b**2/7"
alpha = "-turn + x"
mass = "M"
com = ["sqrt(a)", "cos(turn)*r", 0.5]
inertia = { xx = "I0", yy = 0.35, zz = "2*I0", xy = 0, xz = 0, yz = "b/10" }
[[joint]]
type = "prismatic"
theta = 30
d = "L"
a = 0
alpha = 90
direction = -1
mass = 3
first_moment = [0.1, "M*r", 0]
friction = { viscous = "fv", coulomb = 0.1, offset = "-fv/2" }
"""


@pytest.mark.parametrize("symbolic", ["auto", "all", ["L", "a", "turn"], ["fv", "Iyy1"], ["alpha2"]])
def test_names_and_values_are_read_alike(symbolic: Any) -> None:
    robot = mp.Robot.from_text(NAMED)
    if isinstance(symbolic, list):
        known = {*robot.names(), *(cell.name for cell in robot.cells()), *dict(robot.values)}
        symbolic = [name for name in symbolic if name in known]
    assert mp.generate(robot, "gravity", symbolic=symbolic, optimise="none").provenance.proof


def test_a_long_chain_is_read_alike() -> None:
    """128 rows: most of them fixed, or all of them moving."""
    for kinds in (("R" + "F" * 20) * 6 + "FF", "RP" * 64):
        robot, maths = random_robot(3, joints=kinds), FieldMaths("long")
        chain = structure.merge_fixed(binding.bind(robot, maths, {}))
        assert list(build.misread(robot, chain, {}, "auto", maths)) == []


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
