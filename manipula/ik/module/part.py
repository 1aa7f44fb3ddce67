"""What inverse kinematics adds to a robot's module: names of branches, the arm's numbers, texts and their callers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manipula.algebra.emit.javascript.whole import Exported, literal
from manipula.algebra.emit.templates import filled
from manipula.algebra.expr.function import Function
from manipula.algebra.tape import tape_from_function
from manipula.errors import ManipulaError
from manipula.generation.module.making import Maker, ModulePart
from manipula.generation.structure import numeric_chain
from manipula.ik import messages
from manipula.ik.controller.nearest import NO_POSE
from manipula.ik.elbow import NONE, elbow_angle
from manipula.ik.module.enclosing import enclosed
from manipula.ik.module.general import general_texts
from manipula.ik.module.step import MOST, stepped_towards
from manipula.ik.module.tasks import MODEL, POSE, Task, numbers, tasks_of
from manipula.ik.module.verdicts import LOST, OWN, judge, nearest_of
from manipula.ik.numeric.measures import size_of
from manipula.ik.numeric.tolerances import LimitTolerance
from manipula.ik.partial import messages as partial_messages
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.limits import Limits
from manipula.mechanics.robot.stand_ins import with_stand_ins
from manipula.messages import Message

NEAR = 0.25  # rad, and of the arm's size: an answer further away is a jump, and the arm goes by steps instead
SENTENCES = {
    "outside": messages.OUTSIDE, "away": messages.AWAY, "place": partial_messages.AWAY, "lost": messages.LOST,
    "twin": messages.TWIN, "double": messages.DOUBLE, "no_pose": messages.NO_POSE, "solution": messages.SOLUTION,
}  # fmt: skip


def inverse_part(maker: Maker) -> ModulePart:
    """A closed form with its verdicts where the arm has one, or elimination; steps to a pose where it has Jacobians."""
    pose, jacobian = (maker.function(name) for name in ("pose", "jacobian"))
    tasks = tasks_of(maker)
    if pose is None or jacobian is None or maker.robot.dof > MOST:
        maker.function(MODEL)  # whose reason is told
        return ModulePart(data=_data([]))
    if tasks:
        maker.missing.pop(MODEL, None)  # a place may be all that is solved
    general = None if tasks else _general_text(maker, pose)
    text = [enclosed(stepped_towards), _shown("step.mjs.jinja", _arm(maker.robot))]
    text += _closed_text(maker, tasks) if tasks else general or []
    text += [_shown("drag.mjs.jinja", {"closed": bool(tasks), "near": NEAR})]
    shown = {"closed": bool(tasks or general), "redundant": _redundancy(tasks) is not None}
    data = _data(tasks) | ({"tasks": [POSE]} if general else {})
    return ModulePart([_exported(task) for task in tasks], data, text, [_shown("types.d.mts.jinja", shown)])


def _general_text(maker: Maker, pose: Function) -> list[str] | None:
    """The solver of six turning joints; else the reason why there is none is told."""
    try:
        asked = maker.prepared(MODEL)
        found = general_texts(asked, pose)
    except ManipulaError as error:
        maker.missing[MODEL] = str(error)
        return None
    if found is None:
        maker.function(MODEL)
        return None
    maker.missing.pop(MODEL, None)
    road = [maker.robot.joint_names.index(name) for name in asked.robot.joint_names]
    facts = {"sentences": literal(SENTENCES), "road": road, "slack": repr(LimitTolerance.INSIDE), **found[1]}
    return [found[0], _shown("general.mjs.jinja", facts)]


def _exported(task: Task) -> Exported:
    return Exported(task.closed, tape_from_function(task.function), "every branch as the closed form has it", False)


def _data(tasks: Sequence[Task]) -> dict[str, Any]:
    return {
        "tasks": [task.name for task in tasks],
        "branches": tasks[0].branches if tasks else [],
        "redundancy": _redundancy(tasks),
    }


def _redundancy(tasks: Sequence[Task]) -> dict[str, Any] | None:
    """What a redundant arm leaves open; its value is an argument of the inverse."""
    for task in tasks:
        if (parameter := task.parameter) is not None:
            held = Message("the position of {parameter}, which the closed form leaves open", task.plan.parameter)
            circle = Message("the angle of the elbow about the line from shoulder to wrist")
            return {
                "name": task.plan.parameter, "unit": "rad" if parameter.turns else "m",
                "about": circle if parameter.fixed_joint is None else held, "joint": parameter.fixed_joint,
                "range": list(parameter.ends),
            }  # fmt: skip
    return None


def _closed_text(maker: Maker, tasks: Sequence[Task]) -> list[str]:
    road = [maker.robot.joint_names.index(name) for name in maker.prepared(MODEL).robot.joint_names]
    facts = _facts(tasks, road)
    texts = (judge, nearest_of, elbow_angle) if facts["arm_angle"] else (judge, nearest_of)
    return [enclosed(*texts), _shown("inverse.mjs.jinja", facts)]


def _facts(tasks: Sequence[Task], road: Sequence[int]) -> dict[str, Any]:
    """What the template asks for."""
    open_task = next((task for task in tasks if task.parameter is not None), None)
    parameter = open_task.parameter if open_task else None
    return {
        "tasks": [_task(task) for task in tasks],
        "sentences": literal(SENTENCES),
        "road": list(road),
        "slack": repr(LimitTolerance.INSIDE),
        "own": OWN,
        "rounded": repr(10.0**messages.ROUNDED),
        "lost": LOST,
        "no_pose": NO_POSE,
        "redundant": parameter is not None,
        "middle": repr(sum(parameter.ends) / 2) if parameter else "",
        "held": parameter.fixed_joint if parameter else None,
        "arm_angle": parameter is not None and parameter.fixed_joint is None,
        "unsure": repr(NONE),
        "senses": numbers([float(x) for x in open_task.senses]) if open_task else "",
    }


def _task(task: Task) -> dict[str, Any]:
    return {
        "name": task.name, "closed": task.closed, "redundant": task.parameter is not None,
        "names": literal({"all": task.plan.branch_names}), "inside": numbers(task.inside.tolist()),
        "anywhere": numbers(task.anywhere.tolist()),
    }  # fmt: skip


def _arm(robot: RobotDescription) -> dict[str, Any]:
    limits = Limits(robot)
    return {
        "size": repr(size_of(numeric_chain(with_stand_ins(robot)[0]))),
        "turning": numbers(list(map(float, robot.coordinates.turns))),
        "low": numbers(limits.lower.tolist()),
        "high": numbers(limits.upper.tolist()),
    }


def _shown(template: str, facts: dict[str, Any]) -> str:
    return filled("manipula.ik.module", template, facts)
