"""The float behind an entry, where the file gives every name in it a value; and what a check can say about it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.values.parameter import Deg, Name, Num, Parameter, float_of, names_of, text_of
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
