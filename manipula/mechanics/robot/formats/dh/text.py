"""Robot → its Denavit–Hartenberg table as CSV: the geometry, its names and their values, nothing of the masses."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator
from fractions import Fraction

from manipula.errors import RobotFileError
from manipula.mechanics.robot.branching import refuse_branches
from manipula.mechanics.robot.description import Joint, RobotDescription, cells_in
from manipula.mechanics.robot.exact import is_zero
from manipula.mechanics.robot.formats.rows import FIELDS, Convention, row_from_joint
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.formats.toml.build import QUANTITY_OF
from manipula.mechanics.robot.formats.toml.write import convention_of
from manipula.mechanics.robot.formats.units import text_in_units
from manipula.mechanics.robot.formats.variables import bracketed, moving_text
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.suffixes import row_names
from manipula.mechanics.robot.values.parameter import ZERO, Num, Parameter, names_of, text_of
from manipula.mechanics.robot.values.terms import Units
from manipula.messages import Message

COMMENT_MARKS = ("#", "//", "%")


def dh_text_from_robot(robot: RobotDescription) -> str:
    """The table. Comment lines hold the convention, the values of names, and what the table has no place for."""
    refuse_branches(robot, Message("a table is a serial arm"), Message("save it as TOML or URDF, which hold trees"))
    refuse_parameters(robot)
    convention, units = convention_of(robot), Units(robot.origin.angle, robot.origin.length)
    text = io.StringIO()
    text.writelines(f"# {line}\n" for line in _comments(robot, convention))
    writer = csv.writer(text, lineterminator="\n")
    quoted = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    angle, length = f"({units.angle})", f"({units.length})"
    backwards = any(joint.direction == -1 for joint in robot.joints)
    header = ["joint", "type", f"theta {angle}", f"d {length}", f"a {length}", f"alpha {angle}"]
    writer.writerow([*header, "direction"] if backwards else header)
    moving, values = 0, {name for name, _ in robot.values}
    unnamed = row_names((joint.kind, None) for joint in robot.joints)
    for number, joint in enumerate(robot.joints, 1):
        name = str(number) if joint.name == unnamed[number - 1] else joint.name
        moving += joint.kind != "fixed"
        cells = [name, *_cells(joint, convention, units, (number, moving), values)]
        kept = quoted if name.startswith(COMMENT_MARKS) else writer
        kept.writerow([*cells, joint.direction] if backwards else cells)
    return text.getvalue()


def refuse_parameters(robot: RobotDescription) -> None:
    """A table has no column for what a kind of joint has besides."""
    for row, joint in enumerate(robot.joints, 1):
        for entry, _ in joint.kind_items():
            raise RobotFileError(
                "is {kind}, and a table has no column for its {key}",
                joint.kind,
                entry.key,
                where=joint_label(row, joint.name),
                hint="save it as TOML",
            )


def _comments(robot: RobotDescription, convention: Convention) -> Iterator[str]:
    yield f"name = {robot.name}"
    yield f"convention = {convention}"
    values, used = dict(robot.values), set[str]()
    waiting = [name for cell in _geometry(robot, convention) for name in names_of(cell)]
    while waiting:
        name = waiting.pop()
        if name in values and name not in used:
            waiting.extend(names_of(values[name]))
        used.add(name)
    yield from (f"{name} = {text_of(value)}" for name, value in robot.values if name in used)
    lost = lost_from_robot(robot)
    yield from (f"not in this table: {', '.join(lost)}",) if lost else ()


def lost_from_robot(robot: RobotDescription) -> list[str]:
    """What of the robot a table of geometry has no place for."""
    return [what for what, there in _elsewhere(robot).items() if there]


def _elsewhere(robot: RobotDescription) -> dict[str, bool]:
    bodies = [body for joint in robot.joints for body in (joint.body, *(held.body for held in joint.carries)) if body]
    bodies += [held.body for held in robot.ground]
    drives = [cell for joint in robot.joints for cell in joint.actuator.named().values()]
    return {
        "base": bool(robot.base),
        "tool": bool(robot.tool),
        "masses": any(cell.value is not None and not is_zero(cell.value) for cell in cells_in(tuple(bodies))),
        "payload": bool(robot.payload),
        "motors and friction": any(not is_zero(cell.value) for cell in drives),
        "limits": any(joint.limits or joint.velocity_limit or joint.effort_limit for joint in robot.joints),
        "springs": any(joint.springs for joint in robot.joints),
        "poses": bool(robot.named_poses),
        "frames": bool(robot.frames),
        "gravity": [cell.parameter for cell in robot.gravity] != [ZERO, ZERO, Num(Fraction("-9.81"))],
    }


def _geometry(robot: RobotDescription, convention: Convention) -> Iterator[Parameter]:
    for joint in robot.joints:
        row = row_from_joint(joint, convention)
        yield from (row[field].parameter for field in FIELDS if row)


def _cells(
    joint: Joint, convention: Convention, units: Units, rows: tuple[int, int], values: Collection[str]
) -> list[str]:
    row = row_from_joint(joint, convention)
    assert row is not None  # convention_of has tried every row
    texts = {field: text_in_units(row[field].parameter, QUANTITY_OF[field], units) for field in FIELDS}
    texts = {field: bracketed(text, values) for field, text in texts.items()}
    if moves := KINDS[joint.kind].field:
        texts[moves] = moving_text(texts[moves], moves, rows, values)
    return [joint.kind, *texts.values()]
