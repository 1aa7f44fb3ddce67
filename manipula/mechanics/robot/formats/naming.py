"""Names in a robot: none that means two things, none given a value and never used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import Cell, Joint, Robot
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.parameter import Deg, Name, Num, Parameter, names_of


def refuse_bad_names(robot: Robot) -> None:
    """Raises on a clash of a user's name with an automatic one."""
    values = dict(robot.values)
    cells = list(robot.cells())
    users = {name for cell in cells if cell.value is not None for name in names_of(cell.value)}
    users.update(name for value in values.values() for name in names_of(value))
    bare = [cell for cell in cells if isinstance(cell.value, Name)]
    for cell in cells:
        if cell.name in users and _becomes_a_symbol(cell.value):
            raise _clash(cell, robot)
        if cell.name in values and _becomes_a_symbol(cell.value):
            raise RobotFileError(
                f"{cell.name} has a value here, and the cell {cell.name} of the table holds a number already",
                field=f"values.{cell.name}", hint=f'write "{cell.name}" in that cell, or remove the value',
            )  # fmt: skip
        _refuse_other_kind(cell, bare, robot)


def unused_values(robot: Robot) -> list[tuple[str, str]]:
    """(name, problem) for each value that nothing uses: often a misspelt name."""
    used = set(robot.names()) | {name for _, value in robot.values for name in names_of(value)}
    used.update(name for joint in robot.joints for bound in _bounds(joint) for name in names_of(bound))
    found = []
    for name, _ in robot.values:
        if name not in used:
            near = get_close_matches(name, sorted(used), n=1)
            guess = f"; did you mean {near[0]!r}?" if near else ""
            found.append((name, f"no entry of the table uses this name{guess}"))
    return found


def _bounds(joint: Joint) -> list[Parameter]:
    single = (joint.velocity_limit, joint.effort_limit)
    return [*(joint.limits or ()), *(bound for bound in single if bound is not None)]


def _where(name: str, robot: Robot) -> str:
    """The joint whose row has a cell of this automatic name."""
    rows = enumerate(robot.joints, 1)
    return next((joint_label(n, row.name) for n, row in rows if any(x.name == name for x in row.cells())), "")


def _becomes_a_symbol(value: Parameter | None) -> bool:
    """A number that takes the cell's name when all is made symbolic; 0, ±1 and quarter turns do not."""
    match value:
        case Num(number):
            return number not in (0, 1, -1)
        case Deg(angle):
            return angle % 90 != 0
    return False


def _users_of(name: str, robot: Robot) -> Iterator[str]:
    return (cell.name for cell in robot.cells() if cell.value is not None and name in names_of(cell.value))


def _clash(cell: Cell, robot: Robot) -> RobotFileError:
    user = next(_users_of(cell.name, robot), "values")
    return RobotFileError(
        f"the name {cell.name!r}, used in {user}, is the automatic name of a cell that holds a number",
        where=_where(cell.name, robot), field=cell.name,
        hint=f'write "{cell.name}" in that cell too, or use another name',
    )  # fmt: skip


def _refuse_other_kind(cell: Cell, bare: Sequence[Cell], robot: Robot) -> None:
    """A mass `m3` may be shared with another mass, but a length called `m3` is something else.

    `bare`: the cells that hold a name and nothing else.
    """
    if cell.parameter != Name(cell.name):
        return
    for other in bare:
        if other.value == Name(cell.name) and _kind(other.name) != _kind(cell.name):
            raise RobotFileError(
                f"the name {cell.name!r}, used in {other.name}, is the automatic name of another entry",
                where=_where(other.name, robot), field=other.name, hint="use another name",
            )  # fmt: skip


def _kind(name: str) -> str:
    return re.split(r"[0-9_]", name)[0].rstrip("xyz")
