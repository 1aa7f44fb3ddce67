"""A cell as it was typed ↔ the entry of a robot file.

A bare number, with a decimal point or comma, is in the file's units; behind `90°`, `1.57 rad`, `430 mm` stands its own;
anything else is an expression in SI, in brackets where it would be taken for a number or the joint variable. What
cannot be understood so stays as it was typed: the file reader says what is wrong with it.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Literal

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.dh.cells import (
    parameter_from_value,
    unit_apart,
    value_from_cell,
    variable_from_cell,
    with_points,
)
from manipula.mechanics.robot.formats.units import Quantity, Units, entry_from_raw
from manipula.mechanics.robot.values.written import plain_text

_NUMBER = re.compile(r"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan|inf)")
_UNITS: dict[Quantity, tuple[str, ...]] = {"angle": ("deg", "rad"), "length": ("m", "mm"), "si": ()}


LONGEST = 4000  # digits that Python makes a whole number of


class Typed(str):
    """A number of a file, as it is written there."""


def entry_from_cell(text: str, quantity: Quantity, units: Units) -> Any:
    """What a robot file would have in its place."""
    written = with_points(plain_text(text)).strip()
    if _NUMBER.fullmatch(written):
        return int(written) if written.lstrip("+-").isdecimal() and len(written) < LONGEST else Decimal(written)
    if unit_apart(written)[1] in _UNITS[quantity]:
        return _measured(written, quantity, units) or text
    return text if written == text.strip() or not _reads(written) else written


def _measured(written: str, quantity: Quantity, units: Units) -> Any:
    """A number behind which its unit stands; None where it is no number."""
    try:
        value = value_from_cell(written, decimal_comma=True)
    except RobotFileError:
        return None
    own = value.unit == (units.angle if quantity == "angle" else units.length)
    return value.entry if own else parameter_from_value(value, value.unit)


def _reads(text: str) -> bool:
    try:
        entry_from_raw(text)
    except RobotFileError:
        return False
    return True


def moving_entry(text: str, field: Literal["theta", "d"], rows: tuple[int, ...], units: Units) -> tuple[Any, int]:
    """The offset where the joint moves, and which way it goes: `q2`, `θ2 + 90°`, `-q2`, or the offset alone."""
    quantity: Quantity = "angle" if field == "theta" else "length"
    try:
        variable = variable_from_cell(text, field, rows, comma=True)
    except RobotFileError:
        variable = None  # of another joint: the reader says so
    if variable is None:
        return entry_from_cell(text, quantity, units), 1
    offset = variable.offset
    unit = offset.unit or (units.angle if field == "theta" else units.length)
    if unit not in _UNITS[quantity]:
        return text, 1
    return parameter_from_value(offset, unit), variable.direction


def cell_from_entry(entry: Any, quantity: Quantity, units: Units) -> str:
    """The text of a file's entry, so that it is read back as the same."""
    if not isinstance(entry, str) or isinstance(entry, Typed):
        return str(entry)
    if not (_NUMBER.fullmatch(entry.strip()) and quantity != "si"):
        return entry
    unit, own = ("rad", units.angle) if quantity == "angle" else ("m", units.length)
    return entry if unit == own else f"{entry} {unit}"


def moving_cell(entry: Any, field: Literal["theta", "d"], rows: tuple[int, ...], units: Units) -> str:
    """The same where the joint moves: a name like the variable's is put in brackets."""
    text = cell_from_entry(entry, "angle" if field == "theta" else "length", units)
    try:
        variable = isinstance(entry, str) and variable_from_cell(text, field, rows, comma=True) is not None
    except RobotFileError:
        variable = False
    return f"({text})" if variable else text
