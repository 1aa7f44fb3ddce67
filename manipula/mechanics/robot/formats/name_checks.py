"""Names in a robot: none that means two things, none given a value and never used."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import AnyRobot, Cell, Joint, RobotDescription, with_cells
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.values.parameter import Name, Parameter, is_plain_number, names_of
from manipula.messages import Message

_LENGTH_OF_A_FRAME = re.compile(r"(base|tool)_[xyza]")


def refuse_bad_names(robot: RobotDescription) -> None:
    """Raises on a clash of a user's name with an automatic one."""
    values, users = dict(robot.values), _users(robot)
    cells = list(robot.cells())
    bare = [cell for cell in cells if isinstance(cell.value, Name)]
    for cell in cells:
        if cell.name in users and is_plain_number(cell.value):
            raise _clash(cell, robot)
        if cell.name in values and is_plain_number(cell.value):
            raise RobotFileError(
                "{name} has a value here, and the cell {name} of the table holds a number already",
                cell.name,
                field=f"values.{cell.name}",
                hint=Message('write "{name}" in that cell, or remove the value', cell.name),
            )
        _refuse_other_kind(cell, bare, robot)


def told_apart(robot: AnyRobot) -> AnyRobot:
    """Where a number stands in a cell whose automatic name is the file's for something else, the number takes a new
    name: of a table written anew nobody is to blame for that."""
    users = _users(robot) | {name for name, _ in robot.values}
    taken, named = users | {cell.name for cell in robot.cells()}, dict[str, Parameter]()

    def apart(cell: Cell) -> Cell:
        if cell.value is None or cell.name not in users or not is_plain_number(cell.value):
            return cell
        name = next(name for count in itertools.count(2) if (name := f"{cell.name}_{count}") not in taken | set(named))
        named[name] = cell.value
        return Cell(cell.name, Name(name))

    changed = with_cells(robot, apart)
    return replace(changed, values=(*robot.values, *named.items())) if named else robot


def _users(robot: RobotDescription) -> set[str]:
    """The names the file uses."""
    written = [cell.value for cell in robot.cells() if cell.value is not None] + [value for _, value in robot.values]
    return {name for value in written for name in names_of(value)}


def unused_values(robot: RobotDescription) -> list[tuple[str, str]]:
    """(name, problem) for each value that nothing uses: often a misspelt name."""
    used = set(robot.names()) | {name for _, value in robot.values for name in names_of(value)}
    used.update(name for joint in robot.joints for bound in _bounds(joint) for name in names_of(bound))
    found = list[tuple[str, str]]()
    for name, _ in robot.values:
        if name not in used:
            near = get_close_matches(name, sorted(used), n=1)
            told = Message("no entry of the table uses this name")
            if near:
                told = Message("no entry of the table uses this name; did you mean {near!r}?", near[0])
            found.append((name, told))
    return found


def _bounds(joint: Joint) -> list[Parameter]:
    single = (joint.velocity_limit, joint.effort_limit)
    hung = [entry for spring in joint.springs for entry in spring.entries]
    return [*(joint.limits or ()), *(bound for bound in single if bound is not None), *hung]


def _where(name: str, robot: RobotDescription) -> str:
    """The joint whose row has a cell of this automatic name."""
    rows = enumerate(robot.joints, 1)
    return next((joint_label(n, row.name) for n, row in rows if any(x.name == name for x in row.cells())), "")


def _users_of(name: str, robot: RobotDescription) -> Iterator[str]:
    return (cell.name for cell in robot.cells() if cell.value is not None and name in names_of(cell.value))


def _clash(cell: Cell, robot: RobotDescription) -> RobotFileError:
    user = next(_users_of(cell.name, robot), "values")
    return RobotFileError(
        "the name {name!r}, used in {user}, is the automatic name of a cell that holds a number",
        cell.name,
        user,
        where=_where(cell.name, robot),
        field=cell.name,
        hint=Message('write "{name}" in that cell too, or use another name', cell.name),
    )


def _refuse_other_kind(cell: Cell, bare: Sequence[Cell], robot: RobotDescription) -> None:
    """A mass `m3` may be shared with another mass, but a length called `m3` is something else.

    `bare`: the cells that hold a name and nothing else.
    """
    if cell.parameter != Name(cell.name):
        return
    for other in bare:
        if other.value == Name(cell.name) and not _alike(other.name, cell.name):
            raise RobotFileError(
                "the name {name!r}, used in {name2}, is the automatic name of another entry",
                cell.name,
                other.name,
                where=_where(other.name, robot),
                field=other.name,
                hint="use another name",
            )


def _alike(user: str, named: str) -> bool:
    """Whether two cells are of one kind; a base or a tool may stand as far off as a row says."""
    placed = _LENGTH_OF_A_FRAME.fullmatch(user) is not None and _kind(named) in ("a", "d")
    return placed or _kind(user) == _kind(named)


def _kind(name: str) -> str:
    return re.split(r"[0-9_]", name)[0].rstrip("xyz")
