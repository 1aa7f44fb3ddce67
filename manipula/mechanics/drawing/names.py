"""Which names of a robot have values of their own, and which its geometry asks for."""

from __future__ import annotations

from collections.abc import Iterable

from manipula.mechanics.robot.description import Cell, RobotDescription, cells_in
from manipula.mechanics.robot.values.parameter import floats_of, names_of


class Names:
    """Of a robot as it was given, and as it is drawn, every name with a value."""

    def __init__(self, given: RobotDescription, drawn: RobotDescription) -> None:
        self.own, self.values = floats_of(dict(given.values)), floats_of(dict(drawn.values))
        self._inside = {name: tuple(names_of(value)) for name, value in drawn.values}
        placements = [(drawn.base, drawn.tool, drawn.frames)]
        rows = [(joint.before, joint.offset, joint.after, joint.of_kind) for joint in drawn.joints]
        self.of_geometry = self._opened(
            name for cell in cells_in((*placements, *rows)) for name in names_of(cell.parameter)
        )

    def known(self, cells: Iterable[Cell]) -> bool:
        """Has all of this a value without a stand-in?"""
        return all(name in self.own for cell in cells for name in names_of(cell.parameter))

    def _opened(self, names: Iterable[str]) -> set[str]:
        """The names, and those in their values."""
        found, waiting = set[str](), list(names)
        while waiting:
            if (name := waiting.pop()) not in found:
                found.add(name)
                waiting.extend(self._inside.get(name, ()))
        return found
