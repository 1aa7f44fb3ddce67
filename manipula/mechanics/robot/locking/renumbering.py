"""The names of a robot's cells after some of its rows count as something else.

A moving joint and its link are numbered as q is, so a joint that no longer moves makes those behind it count one less:
m4 becomes m3, and the joint's own m3 becomes m_elbow. A name that the file gives to the very entry which has it
automatically is that entry's name, and goes with it, wherever else it stands; any other name is the user's and stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from manipula.mechanics.robot.description import AnyRobot, Cell, Joint, Mounted, RobotDescription, changed
from manipula.mechanics.robot.suffixes import RobotSuffixes, suffixes_of
from manipula.mechanics.robot.values.parameter import Name, names_of

Change = Callable[[Cell], Cell]


def renumbered(robot: AnyRobot, before: RobotSuffixes) -> AnyRobot:
    """The robot with the endings its rows have now; `before` are those its cells have."""
    after = suffixes_of(robot)
    rows = map(_row, robot.joints, before.rows, after.rows, before.carried, after.carried)
    payload = (changed(body, _ending(*ends)) for body, *ends in zip(robot.payload, before.payload, after.payload))
    ground = map(_mounted, robot.ground, before.ground, after.ground)
    moved = replace(robot, joints=tuple(rows), payload=tuple(payload), ground=tuple(ground))
    return _with_symbols(moved, dict(_moved_symbols(robot, moved)))


def _row(joint: Joint, old: str, new: str, carried: tuple[str, ...], now: tuple[str, ...]) -> Joint:
    bare: Joint = changed(replace(joint, carries=()), _ending(old, new))
    return replace(bare, carries=tuple(map(_mounted, joint.carries, carried, now)))


def _mounted(mounted: Mounted, old: str, new: str) -> Mounted:
    renamed: Mounted = changed(mounted, _ending(old, new))
    return renamed


def _ending(old: str, new: str) -> Change:
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
    values = tuple((names.get(name, name), _renamed(value, names)) for name, value in robot.values)
    return replace(robot, values=values, **{part: _renamed(value, names) for part, value in parts.items()})


def _renamed(part: Any, names: Mapping[str, str]) -> Any:
    """The same structure with other names in its entries: cells, limits, springs."""
    if isinstance(part, Name):
        return Name(names.get(part.name, part.name))
    if isinstance(part, tuple):
        return tuple(_renamed(item, names) for item in part)
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{item.name: _renamed(getattr(part, item.name), names) for item in fields(part)})
    return part


def _used(robot: RobotDescription) -> Iterator[str]:
    for name, value in robot.values:
        yield from (name, *names_of(value))
    for cell in robot.cells():
        yield from names_of(cell.parameter)
