"""The units of a pasted table, and its rows as the tables of a robot file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Literal

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.dh.cells import parameter_from_value
from manipula.mechanics.robot.formats.dh.joints import ReadRow
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.values.parameter import Deg

Angle = Literal["deg", "rad"]
ANGLES = ("theta", "alpha")


def angle_unit(rows: list[ReadRow], said: list[str]) -> Angle:
    """As other cells of the table show, or guessed from the size and told in `said`."""
    cells = [row.cells[field] for row in rows for field in ANGLES]
    bare = [abs(cell.entry) for cell in cells if cell.needs_unit and isinstance(cell.entry, Fraction)]
    shown = {cell.unit for cell in cells if cell.unit} | {"rad" for cell in cells if isinstance(cell.entry, Deg)}
    if not bare or len(shown) == 1:
        return "rad" if shown == {"rad"} else "deg"
    guess: Angle = "deg" if max(bare) > 2 * math.pi else "rad"
    word = "degrees" if guess == "deg" else "radians"
    said.append(
        f"alpha: the table does not say the unit of its angles, {word} are assumed, the largest being "
        f'{float(max(bare)):g} (write alpha (deg) or alpha (rad) in the header, or pass angle="{guess}")'
    )
    return guess


def joint_tables(rows: list[ReadRow], units: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The rows as the tables of a robot file, entries in SI; `units` are those of the columns."""
    for number, row in enumerate(rows, 1):
        table: dict[str, Any] = {"type": row.kind}
        if row.name:
            table["name"] = row.name
        if row.direction == -1:
            table["direction"] = -1
        for field, value in row.cells.items():
            where = joint_label(number, row.name)
            refuse_other_unit(value.unit or units[field], field, where)
            table[field] = parameter_from_value(value, units[field])
        yield table


def refuse_other_unit(unit: str, field: str, where: str = "") -> None:
    """A length in degrees."""
    if (unit in ("deg", "rad")) != (field in ANGLES):
        wanted = "an angle" if field in ANGLES else "a length"
        raise RobotFileError(f"found a value in {unit}", where=where, field=field, hint=f"expected {wanted}")
