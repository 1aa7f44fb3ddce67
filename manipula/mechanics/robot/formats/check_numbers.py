"""The float behind an entry, where the file gives every name in it a value; and what a check can say about it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.values.parameter import (
    Deg,
    Name,
    Num,
    Parameter,
    ParameterOp,
    float_of,
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
    """Raises on a value defined by itself, and on one too large written out."""
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
            "{name} is defined by itself",
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
