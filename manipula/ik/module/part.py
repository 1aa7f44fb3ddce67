"""What inverse kinematics adds to a robot's module: names of branches, the arm's numbers, texts and their callers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manipula.algebra.emit.about import Context, fill_template
from manipula.algebra.emit.backend import emit_program
from manipula.algebra.emit.javascript.robot_module import Exported, literal
from manipula.algebra.expr.function import Function
from manipula.algebra.program.primitives import Ints, Reals
from manipula.algebra.program.reader import program
from manipula.algebra.run.texts import Text
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError, ManipulaError
from manipula.generation.arm_structure import numeric_chain
from manipula.generation.module import Maker, ModulePart
from manipula.generation.prepare import Prepared
from manipula.ik import position_targets as partial_messages
from manipula.ik import solver
from manipula.ik.controller.nearest import NO_POSE, OK
from manipula.ik.general6r.emission import METHOD, is_general
from manipula.ik.general6r.roots import MOST
from manipula.ik.general6r.solutions import solve_pose
from manipula.ik.general6r.solver import General6R
from manipula.ik.module.step import MOST as STEP_MOST
from manipula.ik.module.step import stepped_towards
from manipula.ik.module.tasks import MODEL, POSE, Task, numbers, pairs_of_limits, tasks_of
from manipula.ik.numeric.arrays import bounds, limit_rows
from manipula.ik.numeric.branches import SETTLED, WIDTH, Table, apart, away, meets, prefer, reach, wind, within
from manipula.ik.numeric.poses import size_of
from manipula.ik.numeric.tolerances import LimitTolerance
from manipula.ik.redundant import NONE, elbow_angle
from manipula.mechanics.robot.default_values import Limits, with_stand_ins
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message

# Texts as functions of a module, with what they call hidden: a text's own words are no names of the module.


def enclose_texts(*texts: Text) -> str:
    """const { judge } = (() => { … return { judge }; })();"""
    names = ", ".join(text.__name__ for text in texts)
    inner = emit_program(program(*texts), "javascript").strip("\n")
    return f"const {{ {names} }} = (() => {{\n{inner}\n\nreturn {{ {names} }};\n}})();\n"


# Six turning joints without a closed form, in a robot's module: the solver by elimination, as emitted C has it.

QUICK = "none"  # the level at which nobody waits for eliminations to be compared, which takes seconds


def general_texts(asked: Prepared, pose: Function) -> tuple[str, Context] | None:
    """The solver's text, and what its template asks for; None where an arm is of another kind."""
    if not is_general(asked):
        return None
    if any(not port.online for port in pose.inputs):
        raise InputError("by {method}, which needs a value for every length", METHOD)
    if asked.request.optimise == QUICK:
        raise InputError("by {method}, which takes a while to prepare: it comes with optimise='fast'", METHOD)
    chain = numeric_chain(asked.robot)
    low, high = bounds(pairs_of_limits(asked.robot), chain.dof)
    turning, still = np.ones(chain.dof, dtype=bool), np.full(chain.dof, np.inf)
    tables = {name: numbers(table.tolist()) for name, table in General6R(chain).tables._asdict().items()}
    rows = {"inside": limit_rows(turning, low, high), "anywhere": limit_rows(turning, -still, still)}
    facts = {"tables": tables, "most": MOST, **{name: numbers(x.tolist()) for name, x in rows.items()}}
    return enclose_texts(solve_pose, wind), facts


# Every branch of a closed form with its verdict, for pages: a text (see `algebra.program`).
#
# It decides as `choose` does for Python; what Python would polish is taken where it meets the pose to `Table.LOOSE`.
# Other than that it says of each branch what became of it.

OFF = 4.0  # entries of a pose that is off by so much may each be off by as much, and so may those of a branch
LOST, OWN = -2, -1  # of `twin`: does not reach the pose; does, as none before it


def meet_loosely(
    branches: int, dof: int, T: Reals, q: Reals, there: Reals, allowed: float, table: Reals, twin: Ints
) -> None:
    """Which branches meet the pose to within what is allowed, and which of them repeat an earlier one."""
    for b in range(branches):
        twin[b] = LOST
        if not meets(WIDTH, T, there[16 * b :], allowed):
            continue
        twin[b] = OWN
        for k in range(b):
            if twin[k] == OWN and apart(dof, q[b * dof :], q[k * dof :], table[Table.ROWS :]) < table[Table.SAME]:
                twin[b] = k
                break


def seat_own(branches: int, dof: int, q: Reals, seed: Reals, table: Reals, twin: Ints) -> None:
    """A seed that stands at the pose takes the place of the answer nearest to it, whole turns left out."""
    place = -1
    least = 0.0
    for b in range(branches):
        if twin[b] == OWN:
            gap = apart(dof, q[b * dof :], seed, table[Table.ROWS :])
            if place < 0 or gap < least:
                least = gap
                place = b
    for j in range(dof if place >= 0 else 0):
        q[place * dof + j] = seed[j]


def judge(
    branches: int, dof: int, T: Reals, q: Reals, fit: Reals, calm: float, defect: float, there: Reals, seeded: bool,
    seed: Reals, seed_there: Reals, table: Reals, twin: Ints, inside: Ints,
) -> int:  # fmt: skip
    """OK or NO_POSE; `twin` and `inside` of every branch, each wound in place."""
    if not (defect <= table[Table.TOLD] and calm >= 0):  # NaN is neither
        return NO_POSE
    settled = False
    if defect <= table[Table.CLEAN]:
        settled = reach(branches, dof, T, q, fit, calm, there, table, twin) == SETTLED
    # a page does not polish: what a rounded pose costs is allowed for
    allowed = table[Table.LOOSE] + OFF * defect
    if settled:
        for b in range(branches):
            twin[b] = twin[b] - 2  # marks of `reach`: 0 lost, 1 its own, 2 + k the same as k
    else:
        meet_loosely(branches, dof, T, q, there, allowed, table, twin)
    asked = seeded and (not settled or calm < table[Table.BLURRED]) and within(dof, seed, table[Table.ROWS :])
    if asked and meets(WIDTH, T, seed_there, table[Table.GOOD] if settled else allowed):
        seat_own(branches, dof, q, seed, table, twin)
    for b in range(branches):
        inside[b] = 1 if wind(dof, q[b * dof :], seeded, seed, table[Table.ROWS :]) else 0
    prefer(branches, dof, q, inside, seeded, seed, twin)
    return OK


def nearest_of(branches: int, dof: int, q: Reals, twin: Ints, inside: Ints, seeded: bool, seed: Reals) -> int:
    """The answer nearest to the seed, the first without one; −1 where it is missing."""
    place = -1
    least = 0.0
    for b in range(branches):
        if twin[b] == OWN and inside[b] == 1:
            gap = away(dof, q[b * dof :], seed) if seeded else 0.0
            if place < 0 or gap < least:
                least = gap
                place = b
    return place


NEAR = 0.25  # rad, and of the arm's size: an answer further away is a jump, and the arm goes by steps instead
SENTENCES = {
    "outside": solver.OUTSIDE, "away": solver.AWAY, "place": partial_messages.AWAY, "lost": solver.LOST,
    "twin": solver.TWIN, "double": solver.DOUBLE, "no_pose": solver.NO_POSE, "solution": solver.SOLUTION,
}  # fmt: skip


def inverse_part(maker: Maker) -> ModulePart:
    """A closed form with its verdicts where the arm has one, or elimination; steps to a pose where it has Jacobians."""
    pose, jacobian = (maker.function(name) for name in ("pose", "jacobian"))
    tasks = tasks_of(maker)
    if pose is None or jacobian is None or maker.robot.dof > STEP_MOST:
        maker.function(MODEL)  # for the reason it records
        return ModulePart(data=_data([]))
    if tasks:
        maker.missing.pop(MODEL, None)  # a place may be all that is solved
    general = None if tasks else _general_text(maker, pose)
    text = [enclose_texts(stepped_towards), _fill_template("step.mjs.jinja", _arm(maker.robot))]
    text += _closed_text(maker, tasks) if tasks else general or []
    text += [_fill_template("drag.mjs.jinja", {"closed": bool(tasks), "near": NEAR})]
    shown = {"closed": bool(tasks or general), "redundant": _redundancy(tasks) is not None}
    data = _data(tasks) | ({"tasks": [POSE]} if general else {})
    return ModulePart([_export_task(task) for task in tasks], data, text, [_fill_template("types.d.mts.jinja", shown)])


def _general_text(maker: Maker, pose: Function) -> list[str] | None:
    """The solver of six turning joints; else the reason why it is missing."""
    try:
        prepared = maker.prepare_model(MODEL)
        texts = general_texts(prepared, pose)
    except ManipulaError as error:
        maker.missing[MODEL] = str(error)
        return None
    if texts is None:
        maker.function(MODEL)
        return None
    maker.missing.pop(MODEL, None)
    road = [maker.robot.joint_names.index(name) for name in prepared.robot.joint_names]
    facts = {"sentences": literal(SENTENCES), "road": road, "slack": repr(LimitTolerance.INSIDE), **texts[1]}
    return [texts[0], _fill_template("general.mjs.jinja", facts)]


def _export_task(task: Task) -> Exported:
    return Exported(
        task.function_name, tape_from_function(task.function), "every branch as the closed form has it", False
    )


def _data(tasks: Sequence[Task]) -> Context:
    return {
        "tasks": [task.name for task in tasks],
        "branches": tasks[0].branches if tasks else [],
        "redundancy": _redundancy(tasks),
    }


def _redundancy(tasks: Sequence[Task]) -> Context | None:
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
    road = [maker.robot.joint_names.index(name) for name in maker.prepare_model(MODEL).robot.joint_names]
    facts = _facts(tasks, road)
    texts = (judge, nearest_of, elbow_angle) if facts["arm_angle"] else (judge, nearest_of)
    return [enclose_texts(*texts), _fill_template("inverse.mjs.jinja", facts)]


def _facts(tasks: Sequence[Task], road: Sequence[int]) -> Context:
    """What the template asks for."""
    open_task = next((task for task in tasks if task.parameter is not None), None)
    parameter = open_task.parameter if open_task else None
    return {
        "tasks": [_task(task) for task in tasks],
        "sentences": literal(SENTENCES),
        "road": list(road),
        "slack": repr(LimitTolerance.INSIDE),
        "own": OWN,
        "rounded": repr(10.0**solver.ROUNDED),
        "lost": LOST,
        "no_pose": NO_POSE,
        "redundant": parameter is not None,
        "middle": repr(sum(parameter.ends) / 2) if parameter else "",
        "held": parameter.fixed_joint if parameter else None,
        "arm_angle": parameter is not None and parameter.fixed_joint is None,
        "unsure": repr(NONE),
        "senses": numbers([float(x) for x in open_task.senses]) if open_task else "",
    }


def _task(task: Task) -> Context:
    return {
        "name": task.name, "closed": task.function_name, "redundant": task.parameter is not None,
        "names": literal({"all": task.plan.branch_names}), "inside": numbers(task.inside.tolist()),
        "anywhere": numbers(task.anywhere.tolist()),
    }  # fmt: skip


def _arm(robot: RobotDescription) -> Context:
    limits = Limits(robot)
    return {
        "size": repr(size_of(numeric_chain(with_stand_ins(robot)[0]))),
        "turning": numbers(list(map(float, robot.coordinates.turns))),
        "low": numbers(limits.lower.tolist()),
        "high": numbers(limits.upper.tolist()),
    }


def _fill_template(template: str, facts: Context) -> str:
    return fill_template("manipula.ik.module", template, facts)
