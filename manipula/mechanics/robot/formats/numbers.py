"""The float behind an entry, where the file gives every name in it a value."""

from __future__ import annotations

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import Robot
from manipula.mechanics.robot.parameter import Deg, Name, Num, Parameter, float_of, names_of


class Numbers:
    """Evaluates the entries of one robot."""

    def __init__(self, robot: Robot) -> None:
        self._values = dict(robot.values)
        self._found: dict[str, float | None] = {}

    def value(self, parameter: Parameter) -> float | None:
        """The number, or None when a name in it has no value."""
        known = {name: self._look_up(name) for name in names_of(parameter)}
        given = {name: number for name, number in known.items() if number is not None}
        return float_of(parameter, given) if len(given) == len(known) else None

    def plain(self, parameter: Parameter) -> Num | Deg | None:
        """The exact number or angle behind a chain of names; None for anything computed or unknown."""
        while isinstance(parameter, Name) and parameter.name in self._values:
            parameter = self._values[parameter.name]
        return parameter if isinstance(parameter, Num | Deg) else None

    def _look_up(self, name: str) -> float | None:
        if name not in self._found:
            self._found[name] = self._computed(name)
        return self._found[name]

    def _computed(self, name: str) -> float | None:
        if name not in self._values:
            return None
        try:
            return self.value(self._values[name])
        except (ArithmeticError, ValueError) as error:
            raise RobotFileError("has no finite real value", field=f"values.{name}", hint=str(error)) from error
