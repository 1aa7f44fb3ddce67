"""The units of a pasted table, and its rows as the tables of a robot file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.dh.joints import ReadRow
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.formats.toml.build import QUANTITY_OF
from manipula.mechanics.robot.formats.units import Entry, ParsedText, parameter_from_entry
from manipula.mechanics.robot.values.terms import Angle, Units, bare_numbers, units_shown
from manipula.messages import Message

ANGLES = ("theta", "alpha")


def angle_unit(rows: list[ReadRow], said: list[str]) -> Angle:
    """As other cells of the table show, or guessed from the size and told in `said`."""
    cells = [row.cells[field] for row in rows for field in ANGLES]
    bare = [abs(number) for cell in cells for number in _bare(cell)]
    shown = {unit for cell in cells if isinstance(cell, ParsedText) for unit in units_shown(cell.tree)}
    if not bare or len(shown) == 1:
        return "rad" if shown == {"rad"} else "deg"
    guess: Angle = "deg" if max(bare) > 2 * math.pi else "rad"
    said.append(
        Message(
            (
                (
                    "alpha: the table does not say the unit of its angles, degrees are "
                    "assumed, the largest being {bare:g} (write alpha (deg) or alpha (rad) "
                    'in the header, or pass angle="{guess}")'
                )
                if guess == "deg"
                else (
                    "alpha: the table does not say the unit of its angles, radians are "
                    "assumed, the largest being {bare:g} (write alpha (deg) or alpha (rad) "
                    'in the header, or pass angle="{guess}")'
                )
            ),
            float(max(bare)),
            guess,
        )
    )
    return guess


def _bare(cell: Entry) -> list[Fraction]:
    return (
        [cell]
        if isinstance(cell, Fraction) and cell
        else bare_numbers(cell.tree)
        if isinstance(cell, ParsedText)
        else []
    )


def joint_tables(rows: list[ReadRow], units: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The rows as the tables of a robot file, entries in SI; `units` are those of the columns."""
    angle: dict[str, Angle] = {field: "rad" if units[field] == "rad" else "deg" for field in ANGLES}
    for number, row in enumerate(rows, 1):
        table: dict[str, Any] = {"type": row.kind}
        if row.name:
            table["name"] = row.name
        if row.direction == -1:
            table["direction"] = -1
        for field, entry in row.cells.items():
            length: Any = units[field] if field not in ANGLES else "m"
            column = Units(angle.get(field, angle["alpha"]), length)
            try:
                table[field] = parameter_from_entry(entry, QUANTITY_OF[field], column)
            except RobotFileError as error:
                where = joint_label(number, row.name)
                raise RobotFileError(error.problem, where=where, field=field, hint=error.hint) from None
        yield table


def refuse_other_units(units: Mapping[str, str]) -> None:
    """A column of lengths in degrees."""
    for field, unit in units.items():
        if unit and (unit in ("deg", "rad")) != (field in ANGLES):
            raise RobotFileError(
                "found a value in {unit}",
                unit,
                field=field,
                hint=Message("expected an angle" if field in ANGLES else "expected a length"),
            )
