"""A law that does not know the payload of the arm that it drives: the shorter way is the same motion, and proved."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import manipula as mp
from manipula.algebra.expr.function import Function
from manipula.algebra.expr.walk import rebuilt, topological
from manipula.algebra.optimise.passes import optimised
from manipula.algebra.optimise.prove import prove
from manipula.errors import ProofError
from manipula.generation.build import reference
from manipula.generation.joining import surplus as module
from manipula.generation.joining.surplus import Surplus, surplus_of
from manipula.generation.joining.together import Joined, Part, asked_of, call_by_call, generate_block, join
from manipula.generation.prepare import Prepared, prepare
from manipula.generation.proved import generate_function
from manipula.generation.request import Request
from manipula.mechanics.models.block import Block, about
from manipula.mechanics.models.control.laws import law_block
from manipula.mechanics.models.integrate.discretised import discretised
from manipula.mechanics.models.integrate.driven import driven
from manipula.mechanics.models.integrate.motion import MOTION
from manipula.mechanics.robot.description import Coordinate, Robot
from tests.random_robots import random_robot, random_tree

LOAD = ("mL", ("rLx", "rLy", "rLz"))


@pytest.fixture(autouse=True)
def short_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOVES", 2_000)


def plain_arm(robot: Robot) -> mp.Robot:
    """Without payload and friction; motors keep their inertia."""
    return mp.Robot.of(replace(robot, payload=())).without("friction")


def following(robot: Robot) -> mp.Robot:
    """Its last joint moves by the two before."""
    first, second, last = robot.joints
    coordinate = Coordinate(((first.name, Fraction(1, 2)), (second.name, Fraction(-1))), Fraction(1, 10))
    return mp.Robot.of(replace(robot, joints=(first, second, replace(last, coordinate=coordinate))))


class Case:
    """The loop of a law around an arm, in both ways."""

    def __init__(self, arm: mp.Robot, method: str = "euler", held: bool = True, load: Any = LOAD) -> None:
        law = about("law", law_block("computed_torque", sampled=held, options={}))
        self.block: Block = driven(
            law, discretised(MOTION, method=method) if held else MOTION,
            step=lambda block: discretised(block, method=method),
        )  # fmt: skip
        self.asked: Prepared = prepare(Request(arm.with_payload(*load), "inverse_dynamics"))
        self.others = {"law": prepare(Request(arm, "inverse_dynamics"))}
        asked = {name: asked_of(name, self.asked, self.others) for name in self.block.calls}
        self.parts = {name: Part(generate_function(x), reference(x)) for name, x in asked.items()}

    @property
    def surplus(self) -> Surplus | None:
        return surplus_of(self.block.calls, self.asked, self.others)

    def joined(self, surplus: Surplus | None) -> Joined:
        return join(self.block, self.asked, self.parts, surplus)

    def proved(self, surplus: Surplus | None) -> None:
        made = self.joined(surplus)
        prove(made.function, call_by_call(self.block, self.asked, self.parts, made.cuts))


ARMS = {
    "one joint": plain_arm(random_robot(1, joints="R", actuators=False)),
    "slides first": plain_arm(random_robot(2, joints="PR")),
    "fixed first": plain_arm(random_robot(3, joints="FRR")),
    "helical": plain_arm(random_robot(4, joints=2, screws=True)),
    "tree": plain_arm(replace(random_tree(5, "RRPR"), tool_on=None)),
    "letters": mp.load("planar2r"),
    "follows": following(plain_arm(random_robot(6, joints="RRR"))),
}


SLOW = ("fixed first", "helical", "tree")


@pytest.mark.drawn("name")
@pytest.mark.usefixtures("without_search")
@pytest.mark.parametrize("name", [pytest.param(x, marks=pytest.mark.slow) if x in SLOW else x for x in ARMS])
def test_the_shorter_way_is_proved_call_by_call(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the arm; in one step, and with the law in every stage."""
    monkeypatch.setattr(module, "level_none", None)  # the parts are not searched here; this one is
    case = Case(ARMS[name], *(("rk4", False) if name == "one joint" else ("euler", True)))
    assert case.surplus is not None
    case.proved(case.surplus)


def changed(function: Function, place: int) -> Function:
    node = topological(function.roots)[place]
    return function.with_roots(rebuilt(function.roots, function.graph, {node: node + 1}))


@pytest.mark.drawn("place")
@pytest.mark.parametrize("place", [-1, -7, -20, -40])
def test_an_error_in_it_is_found(place: int) -> None:
    case = Case(ARMS["slides first"])
    found = case.surplus
    assert found is not None
    with pytest.raises(ProofError, match="differs from the plain model"):
        case.proved(replace(found, function=changed(found.function, place)))


def test_it_is_for_an_arm_with_a_payload_more_and_nothing_else() -> None:
    arm, rubbing = ARMS["one joint"], ARMS["one joint"].with_friction(joint1={"viscous": 1.0})
    case = Case(arm, load=(1.5, (0.1, 0, 0.2), {"xx": 0.01, "yy": 0.02, "zz": 0.015}))
    assert case.surplus is not None
    others = (
        (arm, arm),
        (rubbing, rubbing.with_payload(1)),
        (arm.with_payload(2), arm),
        (arm, rubbing.with_payload(1)),
    )
    for law, plant in others:
        asked, law_asked = (prepare(Request(robot, "inverse_dynamics")) for robot in (plant, law))
        assert surplus_of(case.block.calls, asked, {"law": law_asked}) is None


@pytest.mark.slow
def test_where_it_costs_more_it_is_not_taken() -> None:
    """SCARA with a load anywhere: apart 170 operations, together some 200."""
    case = Case(mp.load("scara").without("friction"))
    apart, together = optimised(case.joined(None).function), optimised(case.joined(case.surplus).function)
    assert apart.cost.total < together.cost.total
    assert generate_block(case.block, case.asked, others=case.others).cost.total == apart.cost.total
