"""A model of a robot with loops from the positions of its motors alone, or of some joints: formulas give the others.

The formulas (`closure.closed_forms`) stand before the model as the text of a block. The positions they give are values
of their own there, so the model is proved at any positions whatever, closed or not, and costs what it costs alone. That
the formulas close the loops is proved beside it, exactly, where the lengths of the file close them exactly: over a
prime field with true roots, at points where there are any. It is measured at closed positions in any case.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from manipula.algebra.expr.field import WIDE, NoRootError, RootingMaths
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.expr.provenance import Provenance
from manipula.errors import InputError, UnknownNameError
from manipula.generation.arm_structure import ArmStructure
from manipula.generation.compose import generate_block
from manipula.generation.pipeline import generate_function
from manipula.generation.prepare import Prepared, Request, prepare
from manipula.generation.reports import plain_block
from manipula.mechanics.models.closure.assembly import NumericLinkage, starts_of
from manipula.mechanics.models.closure.closed_forms import ClosedForm, close_in_formulas
from manipula.mechanics.models.closure.closed_models import Closure
from manipula.mechanics.models.closure.constraint import closure_error, seen_from_first
from manipula.mechanics.models.closure.position import Closing, start_of
from manipula.mechanics.models.closure.recognition import closed_forms
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result
from manipula.mechanics.models.ports import PORTS, POSITION, PortKind
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message
from manipula.scalar import Maths
from manipula.support.progress import Tell, silent, told_when_slow

DRAWS = 3  # at which the loops must close; a wrong formula does at one with a chance below 1e-30
TRIES = 60  # half of the points have no root
CLOSES = Result("1", "1 where the loops close with the motors there; 0 where they do not, and all else is NaN")


class ClosedPlan(NamedTuple):
    """The coordinates that are given, and the formulas for the others."""

    given: tuple[int, ...]
    forms: tuple[ClosedForm, ...]


def given_coordinates(robot: RobotDescription, positions: str | Sequence[str]) -> tuple[int, ...] | None:
    """The coordinates meant by "motors" or by names of joints; None for all of them."""
    names = robot.joint_names
    if isinstance(positions, str):
        if positions == "all" or (positions == "motors" and not robot.loops):
            return None
        if positions == "motors":
            return tuple(robot.motor_coordinates)
        positions = [name.strip() for name in positions.split(",")]
    if not robot.loops:
        raise InputError("{robot}: positions= is for robots with loops, and it has no loop", robot.name)
    for name in positions:
        if name not in names:
            raise UnknownNameError(Message("joint of {name}", robot.name), name, ["all", "motors", *names])
    return tuple(dict.fromkeys(names.index(name) for name in positions))


def plan_positions(asked: Prepared, given: Sequence[int], near: object = None) -> ClosedPlan:
    """The formulas for a robot, in the assembly of `near`, and their proof."""
    robot = asked.robot
    plan, tree = asked.structure.closure_and_tree
    linkage = NumericLinkage(robot.name, tree, robot.motor_coordinates)
    start = start_of(robot, near)
    meant, status = Closing(linkage, plan).assemble(start)
    if status != "closed":  # letters have drawn values there, at which a pose of the file need not close
        meant = linkage.closed_positions([start])[0]
    others = linkage.closed_positions([meant, *starts_of(robot)], seed=1)
    forms = closed_forms(linkage, given, meant, others)
    return ClosedPlan(tuple(given), tuple(replace(form, proved=closes_exactly(asked, form)) for form in forms))


def closes_exactly(asked: Prepared, form: ClosedForm) -> bool:
    """Whether a formula closes its loop identically, wherever the other joints are: in a prime field, at points where
    its roots exist. A redundant pin closes only where the other loops do, and rounded lengths nowhere."""
    agreed, structure = 0, asked.structure
    for _ in range(TRIES):
        maths = RootingMaths(f"closure {secrets.token_hex(16)}", WIDE)
        tree = structure.over(maths, structure.symbols(maths.symbol))
        known = set(range(len(tree.coordinates))) - set(form.coordinates)
        try:
            q = close_in_formulas(tree, [form], {c: maths.symbol(f"q{c + 1}") for c in known}, exact=True).q
        except NoRootError:
            continue
        one = replace(tree, cuts=(tree.cuts[form.cut],))
        errors: list[Any] = closure_error(one, tree.coordinates.spread(q))
        if any(maths.value(e) for e in errors):
            return False
        agreed += 1
        if agreed == DRAWS:
            return True
    return False


def positions_block(asked: Prepared, part: Function, plan: ClosedPlan) -> Block:
    """The model on positions that the formulas give."""
    model, structure, given = asked.request.model, asked.structure, plan.given
    ports = {port.name: replace(PORTS[port.name], size=port.names) for port in part.inputs if port.role != "parameter"}
    inputs = list(ports)
    names = tuple(f"q{c + 1}" for c in given)
    joints = ", ".join(asked.robot.joint_names[c] for c in given)
    ports["q"] = PortKind("q", POSITION, f"positions of {joints}", names)

    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        tree = structure.over(maths, structure.symbols(_symbols_of(maths)))
        found = close_in_formulas(tree, plan.forms, dict(zip(given, x["q"], strict=True)))
        outputs = dict(call(model, **{name: found.q if name == "q" else x[name] for name in inputs}))
        outputs.pop("columns", None)
        return outputs | ({"closes": _closes(maths, found.radicands)} if found.radicands else {})

    outputs = {port.name: Result(port.unit, port.doc) for port in part.outputs}
    if any(form.signs for form in plan.forms):
        outputs["closes"] = CLOSES
    doc = f"{asked.model.doc}, from positions of {joints}"
    return Block(f"{model}_from_positions", doc, tuple(ports[name] for name in inputs), outputs, text, (model,),
                 closed=True)  # fmt: skip


def _symbols_of(maths: Any) -> Callable[[str], Any]:
    symbol: Callable[[str], Any] = maths.graph.symbol if isinstance(maths, ExprMaths) else maths.symbol
    return symbol


def _closes(maths: Maths[Any], radicands: Sequence[Any]) -> Any:
    least, *others = radicands
    for x in others:
        least = maths.minimum(least, x)
    return maths.less(0, least)


def forms_of(robot: RobotDescription, positions: str | Sequence[str], near: object = None) -> tuple[ClosedForm, ...]:
    """What closes the loops of a robot, its motors or some joints given."""
    given = given_coordinates(robot, positions)
    if not robot.loops or given is None:
        return ()
    return plan_positions(prepare(Request(robot, "closure")), given, near).forms


def generate_from_positions(
    request: Request, given: Sequence[int], near: object = None, tell: Tell = silent
) -> tuple[Function, Callable[[], Function]]:
    """The model from the positions of some joints, optimised and proved; and what makes it around the plain one."""
    if request.method != "best" or request.wrench or request.frames:
        raise InputError("positions= goes with the method 'best' and without wrench= and frames=")
    asked = prepare(request)
    if "q" not in asked.model.inputs:
        raise InputError("{model} takes no positions; leave positions= out", request.model)
    with told_when_slow(f"deriving {request.model} of {request.robot.name}"):
        plan, part = plan_positions(asked, given, near), generate_function(asked, tell)
        block = positions_block(asked, part, plan)
        made = request.describe(generate_block(block, asked, tell))
        made = replace(made, provenance=replace(made.provenance, columns=part.provenance.columns))
    return made, lambda: plain_block(block, request)


def closure_function(robot: RobotDescription) -> Function:
    """Of positions of all joints: how far the loops are from closed, in parts of the mechanism's size and in rad, and
    the divisors of the closure, each beside its usual size. Another assembly has other signs of these."""
    structure, graph = ArmStructure(robot), Graph()
    (plan, floats), maths = structure.closure_and_tree, ExprMaths(graph)
    q = tuple(graph.symbol(f"q{c + 1}", online=True) for c in range(robot.dof))
    tree = structure.bound_tree(maths, structure.symbols(graph.symbol))
    at, units = Closure(tree, plan, q, seen_from_first), NumericLinkage(robot.name, floats, plan.driven).units[0]
    gap = graph.zero
    for error, unit in zip(closure_error(tree, at.joints), units, strict=True):
        gap = maths.maximum(gap, maths.abs(graph.expr(error) / graph.expr(float(unit))))
    divisors = zip(at.solver.divisors(), plan.usual, strict=True)
    beside = tuple(graph.expr(x) / graph.expr(float(size)) for x, size in divisors)
    outputs = (Output("gap", (), (gap,), "1"), Output("divisors", (len(beside),), beside, "1"))
    return Function("closure", graph, (Input("q", q, POSITION),), outputs, provenance=Provenance(robot.name))
