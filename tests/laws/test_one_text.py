"""One text of the Newton-Euler recursion on five scalars: float, expression, interval, prime field, mpmath."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from manipula.algebra.expr.evaluate import INTERVALS, MPMATH, evaluate
from manipula.algebra.expr.field import FieldElement, FieldMaths, rational
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state

State = list[list[Fraction]]
ARMS = [random_robot(seed, joints=kinds) for seed, kinds in ((21, "RRR"), (22, "RPFRP"), (23, "PRRPRR"))]
arms = pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)


def torques(arm: RobotDescription, maths: Any, state: Sequence[Sequence[Any]]) -> list[Any]:
    """The text under test: the same line for every scalar. `state`: q, q̇, q̈ and the wrench on the tool."""
    return newton_euler(merge_fixed(bind(arm, maths, {})), *state).tau


def exact_state(arm: RobotDescription) -> State:
    return [[Fraction(str(x)) for x in part] for part in random_state(arm, 5)]


def over(maths: Any, state: State) -> list[list[Any]]:
    return [[maths.number(x) for x in part] for part in state]


def symbolic(arm: RobotDescription, state: State) -> tuple[list[Expr], dict[str, Fraction]]:
    """The torques as expressions of x0, x1, …, and what these are at the state."""
    graph = Graph()
    values = {f"x{part}_{i}": x for part, xs in enumerate(state) for i, x in enumerate(xs)}
    names = [[graph.symbol(f"x{part}_{i}", online=True) for i in range(len(xs))] for part, xs in enumerate(state)]
    return [graph.expr(tau) for tau in torques(arm, ExprMaths(graph), names)], values


@arms
def test_floats_and_mpmath(arm: RobotDescription) -> None:
    state = exact_state(arm)
    with mpmath.workdps(40):
        precise = [float(x) for x in torques(arm, MPMATH, over(MPMATH, state))]
    assert torques(arm, FLOATS, over(FLOATS, state)) == pytest.approx(precise, rel=1e-11, abs=1e-11)


@arms
def test_expressions(arm: RobotDescription) -> None:
    state = exact_state(arm)
    roots, values = symbolic(arm, state)
    with mpmath.workdps(40):
        got = evaluate(roots, {name: MPMATH.number(x) for name, x in values.items()}, MPMATH)
        true = torques(arm, MPMATH, over(MPMATH, state))
        assert all(abs(a - b) <= mpmath.mpf(10) ** -30 * (1 + abs(b)) for a, b in zip(got, true, strict=True))
    floats = evaluate(roots, {name: float(x) for name, x in values.items()}, FLOATS)
    assert floats == pytest.approx([float(x) for x in true], rel=1e-10, abs=1e-10)


@arms
def test_intervals(arm: RobotDescription) -> None:
    """Tight, and around the true torque."""
    state = exact_state(arm)
    boxes = [INTERVALS.iv.mpf(x) for x in torques(arm, INTERVALS, over(INTERVALS, state))]
    with mpmath.workdps(40):
        true = torques(arm, MPMATH, over(MPMATH, state))
        assert all(mpmath.mpf(box.a) <= x <= mpmath.mpf(box.b) for box, x in zip(boxes, true, strict=True))
        assert all(mpmath.mpf(box.delta) < mpmath.mpf(10) ** -9 for box in boxes)


@arms
def test_the_prime_field(arm: RobotDescription) -> None:
    """The recursion over field elements is the expression, evaluated there: equal, not nearly."""
    state = exact_state(arm)
    roots, values = symbolic(arm, state)
    maths = FieldMaths("one text")
    drawn = {name: maths.symbol(name) for name in values}
    names = iter(drawn.values())
    direct = torques(arm, maths, [[next(names) for _ in part] for part in state])
    assert [x.value for x in evaluate(roots, drawn, maths)] == [_value(x) for x in direct]


def _value(x: Any) -> int:
    return x.value if isinstance(x, FieldElement) else rational(x)
