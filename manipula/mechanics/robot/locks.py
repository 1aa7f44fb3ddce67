"""Joints held still: a joint at rest at q = v is a fixed row that stands where the joint stood there.

    before · motion(v) · after        motion = Rz(offset + direction·v), Tz(offset + direction·v), or both of a screw

Joints that follow locked ones are locked where these put them, q = Σ factor·v + constant; of one that follows others
too the constant changes. A motor that does not turn has no inertia to speed up and no friction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.robot.coordinates import Coordinate
from manipula.mechanics.robot.default_values import outside
from manipula.mechanics.robot.description import (
    AnyRobot,
    Cell,
    Joint,
    Mounted,
    RobotDescription,
    Step,
    StepKind,
    Steps,
    actuator_of,
    cell_with_value,
    map_cells,
)
from manipula.mechanics.robot.exact import Formula, axis_of, parameter_of, total, without_zeros
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.reduce import take, take_last
from manipula.mechanics.robot.suffixes import RobotSuffixes, suffixes_of
from manipula.mechanics.robot.topology import refuse_loops
from manipula.mechanics.robot.values.parameter import Deg, Name, Num, Parameter, floats_of, names_of, text_of
from manipula.messages import Message

# The names of a robot's cells after some of its rows count as something else.
#
# A moving joint and its link are numbered as q is, so a joint that no longer moves makes those behind it count one
# less:
# m4 becomes m3, and the joint's own m3 becomes m_elbow. A name that the file gives to the very entry which has it
# automatically is that entry's name, and goes with it, wherever else it stands; any other name is the user's and stays.

Change = Callable[[Cell], Cell]


def renumber_rows(robot: AnyRobot, before: RobotSuffixes) -> AnyRobot:
    """The robot with the endings its rows have now; `before` are those its cells have."""
    after = suffixes_of(robot)
    rows = map(_row, robot.joints, before.rows, after.rows, before.carried, after.carried)
    payload = (
        map_cells(body, _suffix_change(*ends)) for body, *ends in zip(robot.payload, before.payload, after.payload)
    )
    ground = map(_rename_mounted, robot.ground, before.ground, after.ground)
    moved = replace(robot, joints=tuple(rows), payload=tuple(payload), ground=tuple(ground))
    return _with_symbols(moved, dict(_moved_symbols(robot, moved)))


def _row(joint: Joint, old: str, new: str, carried: tuple[str, ...], now: tuple[str, ...]) -> Joint:
    bare: Joint = map_cells(replace(joint, carries=()), _suffix_change(old, new))
    return replace(bare, carries=tuple(map(_rename_mounted, joint.carries, carried, now)))


def _rename_mounted(mounted: Mounted, old: str, new: str) -> Mounted:
    renamed: Mounted = map_cells(mounted, _suffix_change(old, new))
    return renamed


def _suffix_change(old: str, new: str) -> Change:
    """Of a cell that ends so; `x12` does not end in the 2 of the second joint."""

    def change(cell: Cell) -> Cell:
        letters = cell.name.removesuffix(old)
        own = cell.name.endswith(old) and not (old.isdigit() and letters[-1:].isdigit())
        return Cell(letters + new, cell.value) if own else cell

    return change


def _moved_symbols(robot: RobotDescription, moved: RobotDescription) -> Iterator[tuple[str, str]]:
    """Names of entries that were their automatic ones, and what these are now."""
    for old, new in zip(robot.cells(), moved.cells(), strict=True):
        if old.name != new.name and old.value == Name(old.name):
            yield old.name, new.name


def _with_symbols(robot: AnyRobot, names: Mapping[str, str]) -> AnyRobot:
    """With other names everywhere, all at once. One that would meet a name of the user's stays as it was."""
    kept = set(_used(robot)) - set(names)
    while taken := {old for old, new in names.items() if new in kept}:
        names, kept = {old: new for old, new in names.items() if old not in taken}, kept | taken
    parts = {part.name: getattr(robot, part.name) for part in fields(robot) if part.name not in ("values", "origin")}
    values = tuple((names.get(name, name), _rename_entries(value, names)) for name, value in robot.values)
    return replace(robot, values=values, **{part: _rename_entries(value, names) for part, value in parts.items()})


def _rename_entries(part: object, names: Mapping[str, str]) -> Any:
    """The same structure with other names in its entries: cells, limits, springs."""
    if isinstance(part, Name):
        return Name(names.get(part.name, part.name))
    if isinstance(part, tuple):
        return tuple(_rename_entries(item, names) for item in part)
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{item.name: _rename_entries(getattr(part, item.name), names) for item in fields(part)})
    return part


def _used(robot: RobotDescription) -> Iterator[str]:
    for name, value in robot.values:
        yield from (name, *names_of(value))
    for cell in robot.cells():
        yield from names_of(cell.parameter)


Held = Mapping[str, Parameter]
_NUMBERED = re.compile(r"(?:joint|q)_?([1-9][0-9]*)")
_TURN: dict[str, StepKind] = {"x": "rx", "y": "ry", "z": "rz"}
_SHIFT: dict[str, StepKind] = {"x": "tx", "y": "ty", "z": "tz"}


def joint_meant(robot: RobotDescription, name: str) -> str:
    """The joint of this name, or the third one by `joint3` or `q3`."""
    free = robot.joint_names
    if name in free:
        return name
    if (told := _why_not(robot, name)) is not None:
        raise InputError(told)
    number = _NUMBERED.fullmatch(name)
    if number is None or int(number[1]) > len(free):
        raise UnknownNameError("joint", name, free)
    return free[int(number[1]) - 1]


def _why_not(robot: RobotDescription, name: str) -> str | None:
    joint = next((joint for joint in robot.joints if joint.name == name), None)
    if joint is None:
        return None
    if joint.coordinate is None:
        return Message("{name}: joint {name2!r} is fixed already", robot.name, name)
    leads = ", ".join(map(repr, joint.coordinate.leads))
    return Message(
        "{name}: joint {name2!r} follows {leads} and stands where that puts it; lock {leads}", robot.name, name, leads
    )


def with_locks(robot: AnyRobot, held: Held) -> AnyRobot:
    """The robot with these joints, each by its own name, at rest at these coordinates."""
    refuse_loops(robot, "locked")
    if len(held) == robot.dof:
        raise InputError("{name}: every joint would be locked; at least one must be free to move", robot.name)
    coordinates = {joint.name: _coordinate(joint, held) for joint in robot.joints if joint.coordinate is not None}
    still = {name: at for name, at in coordinates.items() if not isinstance(at, Coordinate)}
    at = {**held, **still}
    _refuse_outside(robot, at)
    ends = suffixes_of(robot)

    def row(joint: Joint, end: str) -> Joint:
        if joint.name in at:
            return _fix_row(joint, at[joint.name], end, robot.origin.convention == "urdf")
        moved = coordinates.get(joint.name)
        return replace(joint, coordinate=moved) if isinstance(moved, Coordinate) else joint

    notes = (f"joint {name!r} is locked at {text_of(value)}" for name, value in at.items())
    origin = replace(robot.origin, notes=(*robot.origin.notes, *notes))
    return renumber_rows(replace(robot, joints=tuple(map(row, robot.joints, ends.rows)), origin=origin), ends)


def _coordinate(joint: Joint, held: Held) -> Coordinate | Parameter:
    """Of a joint that follows others: what is left of its coordinate, or where it stands if all it follows do."""
    assert joint.coordinate is not None
    numbers = {name: _number(at) for name, at in held.items() if isinstance(at, Num | Deg)}
    left = joint.coordinate.through(numbers)
    letters = [name for name in left.leads if name in held]
    if len(letters) == len(left.leads):
        rest: Any = sum(factor * Formula(held[name]) for name, factor in left.terms)
        return parameter_of(rest + Formula(Num(left.constant)) + Formula(Deg(left.degrees)))
    if letters:
        leads = ", ".join(repr(name) for name in left.leads if name not in held)
        raise InputError(
            "joint {name!r} follows {leads} as well, so what it follows is locked at a number", joint.name, leads
        )
    return left


def _number(at: Num | Deg) -> Coordinate:
    """Degrees stay beside radians, which no decimal makes of them."""
    return Coordinate((), degrees=at.value) if isinstance(at, Deg) else Coordinate((), at.value)


def _refuse_outside(robot: RobotDescription, at: Held) -> None:
    values = floats_of(dict(robot.values))
    for joint in robot.joints:
        if joint.name in at and (there := outside(joint, at[joint.name], values)):
            raise InputError(
                (
                    "{name}: joint {name2!r} (it follows another) would stand at {outside}"
                    if joint.coordinate is not None
                    else "{name}: joint {name2!r} would stand at {outside}"
                ),
                robot.name,
                joint.name,
                there,
            )


def _fix_row(joint: Joint, at: Parameter, end: str, placed: bool) -> Joint:
    """The row at rest. `placed`: rows are placements, shifts before turns, as a URDF has them."""
    way = _way(joint, *_motion(joint, at, end), placed)
    return replace(
        joint, kind="fixed", before=way, offset=cell_with_value(f"offset{end}"), direction=1, after=(),
        actuator=actuator_of(end),
        limits=None, velocity_limit=None, effort_limit=None, coordinate=None, of_kind=(), springs=(),
    )  # fmt: skip


def _motion(joint: Joint, at: Parameter, end: str) -> tuple[Cell, Cell]:
    """How far it turns and how far it slides. The offset of a screw makes it turn, not advance."""
    kind, offset = KINDS[joint.kind], Formula(joint.offset.parameter)
    moved: Any = joint.direction * Formula(at)
    turn: Any = offset + moved if kind.turns else 0
    slide: Any = 0
    if kind.slides:
        slide = moved * Formula(joint.of_kind[0].parameter) if kind.turns else offset + moved
    return Cell(f"theta{end}", parameter_of(turn)), Cell(f"d{end}", parameter_of(slide))


def _way(joint: Joint, turn: Cell, slide: Cell, placed: bool) -> Steps:
    """before · Rz Tz · after, with what else stands along the axis taken together: turns and shifts there commute."""
    out, (axis, sense) = axis_of(joint)
    head, tail = take_last(joint.before[: len(joint.before) - len(out)], axis)
    lead, rest = take(joint.after[len(out) :], axis)
    along = (*tail, *lead)
    turn, slide = (Cell(x.name, parameter_of(sense * Formula(x.parameter))) for x in (turn, slide))
    turns, slides = (total([own, *(x.amount for x in along if x.kind[0] == letter)], own.name)
                     for letter, own in (("r", turn), ("t", slide)))  # fmt: skip
    own = (Step(_TURN[axis], replace(turns, name=turn.name)), Step(_SHIFT[axis], replace(slides, name=slide.name)))
    return (*head, *without_zeros(own[::-1] if placed else own), *rest)
