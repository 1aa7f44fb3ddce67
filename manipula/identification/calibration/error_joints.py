"""Every entry of an arm's geometry as a joint of its own: an error of a length slides, an error of an angle turns.

So the pose of an arm with errors e is the pose of the loosened arm at (q, e), and the derivative of the pose by every
entry is that arm's Jacobian: the texts of `pose` and `jacobian`, proved and emitted like those of any arm.

Between two axes that are parallel, or nearly so, the entries of a Denavit–Hartenberg row cannot follow a small tilt: a
tiny angle moves the common normal by any amount. Hayati's angle `beta`, a turn about y behind the row, can; the shift
along the axes is then the last that is requested.

Source: S. Hayati, "Robot arm geometric link parameter estimation", IEEE Conference on Decision and Control (1983).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from manipula.algebra.expr.evaluate import ArrayMaths
from manipula.mechanics.models.kinematics.jacobian import jacobian
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import (
    Cell,
    Joint,
    RobotDescription,
    Step,
    StepKind,
    Steps,
    actuator_of,
    cell_with_value,
)
from manipula.mechanics.robot.joints import Prismatic, Revolute
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.values.parameter import Deg, Num

ENDS = ("base", "tool")
SIX: tuple[tuple[StepKind, str], ...] = (
    ("tx", "x"), ("ty", "y"), ("tz", "z"), ("rz", "yaw"), ("ry", "pitch"), ("rx", "roll"),
)  # fmt: skip
DENAVIT_HARTENBERG = ({"rx", "tx", "tz"}, {"rx", "tx", "rz"})  # the steps of a row that turns, of one that slides
NEARLY_PARALLEL = 10.0  # degrees: below it a row's own entries move by 6 times the tilt, and more
# what turns z into the axis of a step, and back
_ASIDE: dict[str, tuple[tuple[StepKind, int], ...]] = {"x": (("ry", 90),), "y": (("rx", -90),), "z": ()}


@dataclass(frozen=True)
class Entry:
    """One unknown: the step of a placement, or a joint's offset. `order`: what is rather kept comes first."""

    name: str
    turns: bool
    part: str  # "base", "tool", or the joint's name
    place: str  # "before", "after", "motion"
    step: int
    order: int = 0

    @property
    def unit(self) -> str:
        return "rad" if self.turns else "m"


@dataclass(frozen=True)
class Loosened:
    """`arm` has a joint for every entry besides its own; `own` and `at` say which of its coordinates are
    the robot's joints (those that follow others, too) and which the entries."""

    arm: RobotDescription
    robot: RobotDescription  # the same geometry with all steps that an error may stand on
    entries: tuple[Entry, ...]
    own: tuple[int, ...]
    at: tuple[int, ...]

    def cell(self, entry: Entry) -> Cell:
        """Where it stands."""
        if entry.place == "motion":
            return next(joint for joint in self.robot.joints if joint.name == entry.part).offset
        return _steps(self.robot, entry)[entry.step].amount


def with_places(robot: RobotDescription) -> RobotDescription:
    """The robot with a step wherever an error may stand, most of them zero."""
    parallel = _nearly_parallel(robot)
    joints = [_complete_placements(joint) for joint in robot.joints]
    for row, after in enumerate(parallel):
        if after >= 0 and _is_table_row(robot.joints[row]) and _is_table_row(robot.joints[after]):
            joint = joints[row] if joints[row].after else joints[after]
            beta = (Step("ry", cell_with_value(f"beta{_row_suffix(joint)}")),)
            turned = {"after": (*joint.after, *beta)} if joints[row].after else {"before": (*joint.before, *beta)}
            joints[row if joints[row].after else after] = replace(joint, **turned)  # type: ignore[arg-type]
    return replace(robot, joints=tuple(joints))


def add_error_joints(robot: RobotDescription) -> Loosened:
    """Of a serial arm made by `with_places`."""
    rows: list[tuple[Entry | None, Joint]] = [*_loose_steps("base", "before", _six("base"))]
    for joint in robot.joints:
        rows += _loose_steps(joint.name, "before", joint.before)
        rows += _loose_joint(joint)
        rows += _loose_steps(joint.name, "after", joint.after)
    rows.append((None, Joint("", "fixed", robot.tool, cell_with_value(""), 1, (), None, actuator_of(""))))
    rows += _loose_steps("tool", "before", _six("tool"))
    named = tuple(joint if joint.name else replace(joint, name=f"~{k}") for k, (_, joint) in enumerate(rows))
    arm = replace(
        robot, joints=named, tool=(), payload=(), frames=(), tool_on=None, gravity=_NO_GRAVITY
    )  # fmt: skip
    moving = [entry for entry, joint in rows if joint.kind != "fixed"]
    at = [k for k, entry in enumerate(moving) if entry is not None]
    own = [k for k, entry in enumerate(moving) if entry is None]
    entries = tuple(entry for entry in moving if entry is not None)
    return Loosened(arm, robot, _order_entries(entries, robot), tuple(own), tuple(at))


_KIND = {True: Revolute.name, False: Prismatic.name}
_NO_GRAVITY = (cell_with_value("gx"), cell_with_value("gy"), cell_with_value("gz"))


def _loose_steps(part: str, place: str, steps: Steps) -> Iterator[tuple[Entry | None, Joint]]:
    for k, step in enumerate(steps):
        turns, axis = step.kind[0] == "r", step.kind[1]
        aside = tuple(Step(kind, cell_with_value("", Deg(Fraction(angle)))) for kind, angle in _ASIDE[axis])
        back = tuple(Step(kind, cell_with_value("", Deg(Fraction(-angle)))) for kind, angle in _ASIDE[axis])
        kind = _KIND[turns]
        joint = Joint("", kind, aside, step.amount, 1, back, None, actuator_of(""))
        yield Entry(step.amount.name, turns, part, place, k), joint


def _loose_joint(joint: Joint) -> Iterator[tuple[Entry | None, Joint]]:
    """The joint alone, behind one that is held: the error of its offset."""
    bare = replace(
        _bare_row(joint), before=(), after=(), limits=None, velocity_limit=None, effort_limit=None,
        actuator=actuator_of(""),
    )  # fmt: skip
    if joint.kind != "fixed":
        kind = _KIND[joint.turns]  # the offset of a screw turns and does not advance
        held = replace(bare, name="", kind=kind, of_kind=(), offset=cell_with_value(""), direction=1)
        yield Entry(joint.offset.name, joint.turns, joint.name, "motion", 0), held
    yield None, bare


def _order_entries(entries: tuple[Entry, ...], robot: RobotDescription) -> tuple[Entry, ...]:
    """Angles and lengths of the rows, then shifts along axes, first those that no parallel axis shares, tool, base."""
    parallel = _nearly_parallel(robot)
    shared = set[str]()
    for row, after in enumerate(parallel):
        if after >= 0:
            shared |= {robot.joints[row].name} if robot.joints[row].after else {robot.joints[after].name}

    def order(entry: Entry) -> int:
        if entry.part in ENDS:
            return 5 if entry.part == "base" else 4
        along = entry.place != "motion" and _steps(robot, entry)[entry.step].kind == "tz"
        return (3 if entry.part in shared else 2) if along else 0 if entry.place == "motion" else 1

    return tuple(replace(entry, order=order(entry)) for entry in entries)


def correct_entry(robot: RobotDescription, entry: Entry, value: float) -> RobotDescription:
    """The robot with one entry of a row at another value."""
    cell = Cell(entry.name, Num(Fraction(repr(value))))

    def replace_amount(steps: Steps) -> Steps:
        return tuple(replace(step, amount=cell) if k == entry.step else step for k, step in enumerate(steps))

    joints = [
        joint if joint.name != entry.part else _row_with(joint, entry, cell, replace_amount) for joint in robot.joints
    ]
    return replace(robot, joints=tuple(joints))


def _row_with(joint: Joint, entry: Entry, cell: Cell, changed: Callable[[Steps], Steps]) -> Joint:
    match entry.place:
        case "motion":
            return replace(joint, offset=cell)
        case "before":
            return replace(joint, before=changed(joint.before))
    return replace(joint, after=changed(joint.after))


def _steps(robot: RobotDescription, entry: Entry) -> Steps:
    if entry.part in ENDS:
        return _six(entry.part)
    joint = next(joint for joint in robot.joints if joint.name == entry.part)
    return joint.before if entry.place == "before" else joint.after


def _is_table_row(joint: Joint) -> bool:
    return {step.kind for step in (*joint.before, *joint.after)} in DENAVIT_HARTENBERG


def _complete_placements(joint: Joint) -> Joint:
    """A row that is no table's may be placed in all six ways: those it lacks stand behind its own, as zeros."""
    if _is_table_row(joint):
        return joint
    there = {step.kind for step in (*joint.before, *joint.after)}
    named = [Step(kind, cell_with_value(f"{word}{_row_suffix(joint)}")) for kind, word in SIX if kind not in there]
    return replace(joint, before=(*joint.before, *named))


def _six(part: str) -> Steps:
    """An error of a base or a tool stands behind it, in its own axes: there no direction is lost, however it lies."""
    return tuple(Step(kind, cell_with_value(f"{part}_{word}")) for kind, word in SIX)


def _row_suffix(joint: Joint) -> str:
    """What the names of a row end in: 3 of theta3, _flange of theta_flange."""
    name = joint.offset.name
    return name.removeprefix("theta") if name.startswith("theta") else name.removeprefix("d")


def _nearly_parallel(robot: RobotDescription) -> list[int]:
    """Of every row the next moving row if their axes are parallel within `NEARLY_PARALLEL`, else −1."""
    bare = replace(
        robot, joints=tuple(map(_bare_row, robot.joints)), payload=(), tool=(), frames=(),
        tool_on=None, gravity=_NO_GRAVITY,
    )  # fmt: skip
    chain = merge_fixed(bind(bare, ArrayMaths(), {}))
    rows = np.array(jacobian(chain, [0.0] * bare.dof), dtype=float)
    moving = [row for row, joint in enumerate(robot.joints) if joint.kind != "fixed"]
    found = [-1] * len(robot.joints)
    axes = [rows[3:, k] if robot.joints[row].turns else rows[:3, k] for k, row in enumerate(moving)]
    for (row, axis), (after, other) in pairwise(zip(moving, axes)):
        across = np.linalg.norm(np.cross(axis, other))
        found[row] = after if across < np.sin(np.radians(NEARLY_PARALLEL)) else -1
    return found


def _bare_row(joint: Joint) -> Joint:
    return replace(joint, body=None, carries=(), parent=None, coordinate=None)
