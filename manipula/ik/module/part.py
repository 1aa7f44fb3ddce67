"""What inverse kinematics adds to a robot's module: names of branches, the arm's numbers, texts and their callers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manipula.algebra.emit.backend import emit_program
from manipula.algebra.emit.expressions import number
from manipula.algebra.emit.javascript.whole import Exported, literal
from manipula.algebra.emit.templates import filled
from manipula.algebra.expr.function import Function
from manipula.algebra.program.reader import program
from manipula.algebra.tape import tape_from_function
from manipula.generation.module.making import Maker, Part
from manipula.generation.structure import numeric_chain
from manipula.ik import messages
from manipula.ik.choice.text import Table
from manipula.ik.controller.nearest import NO_POSE, STATES
from manipula.ik.elbow import NONE, elbow_angle
from manipula.ik.inverse import InverseSolver
from manipula.ik.module.step import MOST, stepped_towards
from manipula.ik.module.verdicts import LOST, OWN, judge, nearest_of
from manipula.ik.numeric.limits import limit_rows
from manipula.ik.numeric.measures import size_of
from manipula.ik.numeric.tolerances import LimitTolerance
from manipula.mechanics.robot.description import Robot
from manipula.mechanics.robot.limits import Limits
from manipula.mechanics.robot.stand_ins import with_stand_ins

MODEL, CLOSED = "inverse_kinematics", "closed_form"
NEAR = 0.25  # rad, and of the arm's size: an answer further away is a jump, and the arm goes by steps instead
SENTENCES = {
    "outside": messages.OUTSIDE, "away": messages.AWAY, "lost": messages.LOST, "twin": messages.TWIN,
    "double": messages.DOUBLE, "no_pose": STATES[NO_POSE],
}  # fmt: skip


def inverse_part(maker: Maker) -> Part:
    """A closed form with its verdicts where the arm has one; steps towards a pose where it has pose and Jacobian."""
    closed = maker.function(MODEL)
    needed = [maker.function(name) for name in ("pose", "jacobian")]
    if None in needed or maker.robot.dof > MOST:
        return Part(data={"branches": [], "redundancy": None})
    text = [emit_program(program(stepped_towards), "javascript"), _shown("step.mjs.jinja", _arm(maker.robot))]
    if closed is None:
        return Part(
            data={"branches": [], "redundancy": None}, text=[*text, _shown("drag.mjs.jinja", {"closed": False})]
        )
    return _closed_part(maker, closed, text)


def _closed_part(maker: Maker, closed: Function, text: Sequence[str]) -> Part:
    asked = maker.prepared(MODEL)
    road, plan = with_stand_ins(asked.robot)[0], asked.structure.plan
    solver = InverseSolver(numeric_chain(road), _limits(road), plan=plan)
    data = {"branches": _branches(solver), "redundancy": _redundancy(solver)}
    facts = _facts(solver, [maker.robot.joint_names.index(name) for name in road.joint_names])
    texts = (judge, nearest_of, elbow_angle) if facts["arm_angle"] else (judge, nearest_of)
    known = {routine.name for routine in program(stepped_towards)}
    routines = [routine for routine in program(*texts) if routine.name not in known]
    further = [emit_program(routines, "javascript"), _shown("inverse.mjs.jinja", facts)]
    functions = [Exported(CLOSED, tape_from_function(closed), "every branch as the closed form gives it", False)]
    return Part(functions, data, [*text, *further, _shown("drag.mjs.jinja", {"closed": True, "near": NEAR})])


def _branches(solver: InverseSolver) -> list[dict[str, Any]]:
    """Every branch by name, with the sign of each two-way choice."""
    roles = solver.plan.roles
    return [{"name": name, **dict(zip(roles, signs))} for name, signs in solver.plan.settings.items()]


def _redundancy(solver: InverseSolver) -> dict[str, Any] | None:
    """What a redundant arm leaves open; its value is an argument of the inverse."""
    parameter = solver.parameter
    if not parameter.exists:
        return None
    held = f"the position of {solver.plan.parameter}, which the closed form leaves open"
    circle = "the angle of the elbow about the line from shoulder to wrist"
    return {
        "name": solver.plan.parameter,
        "unit": "rad" if parameter.turns else "m",
        "about": circle if parameter.fixed_joint is None else held,
        "joint": parameter.fixed_joint,
        "range": list(parameter.ends),
    }


def _facts(solver: InverseSolver, road: Sequence[int]) -> dict[str, Any]:
    """What the template asks for."""
    free = solver.table.copy()
    still = np.full(solver.chain.dof, np.inf)
    free[Table.ROWS :] = limit_rows(solver.turning, -still, still)
    low, high = solver.parameter.ends if solver.parameter.exists else (0.0, 0.0)
    return {
        "names": literal({"all": solver.plan.branch_names}),
        "sentences": literal(SENTENCES),
        "count": len(solver.plan.branch_names),
        "road": list(road),
        "table": numbers(solver.table.tolist()),
        "free": numbers(free.tolist()),
        "slack": repr(LimitTolerance.INSIDE),
        "rounded": repr(10.0**messages.ROUNDED),
        "own": OWN,
        "lost": LOST,
        "no_pose": NO_POSE,
        "redundant": solver.parameter.exists,
        "middle": repr((low + high) / 2),
        "held": solver.parameter.fixed_joint,
        "arm_angle": solver.parameter.exists and solver.parameter.fixed_joint is None,
        "unsure": repr(NONE),
        "senses": numbers([float(link.direction) for link in solver.chain.links]),
    }


def _arm(robot: Robot) -> dict[str, Any]:
    limits = Limits(robot)
    turns = {joint.name: joint.turns for joint in robot.joints}
    return {
        "size": repr(size_of(numeric_chain(with_stand_ins(robot)[0]))),
        "turning": numbers([float(turns[name]) for name in robot.joint_names]),
        "low": numbers(limits.lower.tolist()),
        "high": numbers(limits.upper.tolist()),
    }


def _limits(robot: Robot) -> list[tuple[float, float]]:
    limits = Limits(robot)
    return list(zip(limits.lower.tolist(), limits.upper.tolist(), strict=True))


def numbers(values: Sequence[float]) -> str:
    """An array of a program, infinite numbers too."""
    return f"Float64Array.of({', '.join(number(x, 'Infinity', 'NaN') for x in values)})"


def _shown(template: str, facts: dict[str, Any]) -> str:
    return filled("manipula.ik.module", template, facts)
