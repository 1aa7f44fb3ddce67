"""Checks of single entries: the float behind one where every name in it has a value, and the names themselves."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from graphlib import CycleError, TopologicalSorter

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import AnyRobot, Cell, Joint, RobotDescription, with_cells
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.values.parameter import (
    Deg,
    Name,
    Num,
    Parameter,
    ParameterOp,
    float_of,
    is_plain_number,
    names_of,
    text_of,
)
from manipula.messages import Message


@dataclass(frozen=True)
class Place:
    """A field of a joint, for messages."""

    where: str
    field: str

    def error(self, problem: str, hint: str = "") -> RobotFileError:
        return RobotFileError(problem, where=self.where, field=self.field, hint=hint)


@dataclass(frozen=True)
class Doubt:
    """A suspicious entry."""

    place: Place
    problem: str
    hint: str = ""


class Numbers:
    """Evaluates the entries of one robot."""

    def __init__(self, robot: RobotDescription) -> None:
        self.units = (robot.origin.angle, robot.origin.length)
        self._values = dict(robot.values)
        self._found: dict[str, float | None] = {}

    def value(self, parameter: Parameter, place: Place) -> float | None:
        """The number, or None when a name in it has no value."""
        known = {name: self._look_up(name) for name in names_of(parameter)}
        given = {name: number for name, number in known.items() if number is not None}
        if len(given) < len(known):
            return None
        try:
            number = float_of(parameter, given)
        except (ArithmeticError, ValueError) as error:
            raise place.error(
                Message("has no finite real value"), Message("{text_of} gives: {error}", text_of(parameter), error)
            ) from error
        if not math.isfinite(number):
            raise place.error(Message("has no finite real value"), Message("it gives {number}", number))
        return number

    def not_negative(self, parameter: Parameter, place: Place) -> float | None:
        """The number, refused when it is below zero."""
        value = self.value(parameter, place)
        if value is not None and value < 0:
            raise place.error(Message("is negative: {value:g}", value), Message("expected zero or more"))
        return value

    def plain(self, parameter: Parameter) -> Num | Deg | None:
        """The exact number or angle behind a chain of names; None for anything computed or unknown."""
        while isinstance(parameter, Name) and parameter.name in self._values:
            parameter = self._values[parameter.name]
        return parameter if isinstance(parameter, Num | Deg) else None

    def _look_up(self, name: str) -> float | None:
        if name not in self._found:
            value = self._values.get(name)
            self._found[name] = None if value is None else self.value(value, Place("", f"values.{name}"))
        return self._found[name]


# How large the values of a robot become when every name in them is replaced by its own value.
#
# Names make a graph: forty of them, each twice the one before, are a short file and an expression of 2⁴⁰ terms. The
# interior works with exact numbers and trees, so what would grow beyond any robot's table is refused at the door.

HEAVIEST = 5000  # operations, and words of 64 bits
DEEPEST = 100  # values inside values


def refuse_heavy(robot: RobotDescription) -> None:
    """Raises on a value defined through itself, and on one too large written out."""
    values = dict(robot.values)
    weights: dict[str, int] = {}
    levels: dict[str, int] = {}
    for name in _inner_first(values):
        inner = [part for part in names_of(values[name]) if part in values]
        weights[name] = _weight(values[name], weights)
        levels[name] = 1 + max((levels[part] for part in inner), default=0)
        if weights[name] > HEAVIEST or levels[name] > DEEPEST:
            raise _too_large(f"values.{name}")
    for cell in robot.cells():
        if isinstance(cell.value, ParameterOp) and _weight(cell.value, weights) > HEAVIEST:
            raise _too_large(cell.name)


def _inner_first(values: Mapping[str, Parameter]) -> list[str]:
    graph = {name: [inner for inner in names_of(value) if inner in values] for name, value in values.items()}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        name = error.args[1][0]
        raise RobotFileError(
            "{name} is defined through itself",
            name,
            field=f"values.{name}",
            hint=Message("give a number, or remove it to keep a symbol"),
        ) from None


def _too_large(field: str) -> RobotFileError:
    return RobotFileError(
        "with the values of its names written out this is too large",
        field=field,
        hint=Message("at most {heaviest} operations, {deepest} names deep", HEAVIEST, DEEPEST),
    )


def _weight(parameter: Parameter, weights: Mapping[str, int]) -> int:
    match parameter:
        case Num(value) | Deg(value):
            return 1 + max(value.numerator.bit_length(), value.denominator.bit_length()) // 64
        case Name(name):
            return weights.get(name, 1)
        case ParameterOp("**", (base, Num(power))):
            return 1 + _weight(base, weights) * abs(int(power))
        case ParameterOp(_, args):
            return 1 + sum(_weight(argument, weights) for argument in args)
    raise AssertionError(parameter)


# Names in a robot: none that means two things, none given a value and never used.


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
