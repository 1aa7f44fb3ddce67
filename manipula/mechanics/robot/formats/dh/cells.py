"""One cell of a pasted table: a number with its unit, an expression, or the mark of the joint variable.

`90°`, `-90 deg`, `0,5 rad`, `-pi/2`, `a2`; and, where the joint moves, `q1`, `θ1`, `theta1*`, `teta1 + 90°`, `-q1`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.units import Entry, describe, entry_from_raw
from manipula.mechanics.robot.values.parameter import ZERO, Deg, Num, Parameter
from manipula.mechanics.robot.values.written import plain_text

_LETTERS = {"theta": r"q|theta|teta|th|t|θ|ϑ", "d": r"q|d"}
_SUFFIX = re.compile(r"\s*(°|deg|graus?|rad|mm|m)\s*$", re.I)
_UNIT_OF = {"°": "deg", "deg": "deg", "grau": "deg", "graus": "deg", "rad": "rad", "mm": "mm", "m": "m"}
_BLANK = ("", "-")


@dataclass(frozen=True)
class Value:
    """A constant cell. `unit` is the one written in it; a bare number without one takes the column's."""

    entry: Entry
    unit: str = ""

    @property
    def needs_unit(self) -> bool:
        return isinstance(self.entry, Fraction) and self.entry != 0 and not self.unit


@dataclass(frozen=True)
class Variable:
    """The cell where the joint moves: offset + direction·q. `sure` is False for a bare `d3`, which may be a length."""

    offset: Value
    direction: Literal[1, -1] = 1
    sure: bool = True


ZERO_VALUE = Value(Fraction(0))


def value_from_cell(text: str, decimal_comma: bool) -> Value:
    """A constant. Arithmetic of bare numbers is a bare number; names and pi are SI."""
    written = plain_text(text).strip()
    if decimal_comma:
        written = with_points(written)
    elif re.fullmatch(r"[-+]?\d+,\d+.*", written):
        raise RobotFileError(f"found {describe(text)}", hint="write a decimal point, or separate the columns by ;")
    number, unit = unit_apart(written)
    entry = entry_from_raw(number)
    return Value(entry.value if isinstance(entry, Num) else entry, unit)


def with_points(text: str) -> str:
    """Decimal commas as points."""
    return re.sub(r"(?<=\d),(?=\d)", ".", text)


def unit_apart(text: str) -> tuple[str, str]:
    """A number and the unit written behind it; a name has none: `2*m` ends in one, not in metres."""
    suffix = _SUFFIX.search(text) if re.match(r"[-+.\d(]", text) else None
    if suffix is None or re.search(r"[A-Za-z_]", text[: suffix.start()]):
        return text, ""
    return text[: suffix.start()], _UNIT_OF[suffix[1].lower()]


def variable_from_cell(
    text: str, column: Literal["theta", "d"], rows: tuple[int, ...], comma: bool = False
) -> Variable | None:
    """The joint variable with its offset, if the cell is one; `rows` are the indices it may carry."""
    mark = rf"(?P<letter>{_LETTERS[column]})_?\{{?(?P<index>\d+|i|)\}}?\s*(?P<star>\*|\(t\)|\(var\)|)"
    whole = plain_text(text).strip()
    before = re.fullmatch(rf"(?P<sign>[-+]?)\s*{mark}\s*(?P<rest>[-+].*)?", whole, re.I)
    found = before or re.fullmatch(rf"(?P<rest>.*[\w)°])\s*(?P<sign>[-+])\s*{mark}", whole, re.I)
    if found is None or (found["letter"].lower() in ("d", "t", "th") and not found["index"]):
        return None
    sure = column == "theta" or bool(found["star"]) or found["letter"].lower() == "q"
    if found["index"].isdigit() and (len(found["index"]) > 9 or int(found["index"]) not in rows):
        if not sure:
            return None  # d2 in row 3 is a length like any other
        raise RobotFileError(
            f"found {describe(text)}, the variable of another joint", hint=f"expected {found['letter']}{rows[0]}"
        )
    offset = value_from_cell(found["rest"], comma) if found["rest"] else ZERO_VALUE
    return Variable(offset, -1 if found["sign"] == "-" else 1, sure)


def is_blank(text: str) -> bool:
    """An empty cell or a dash."""
    return text.strip() in _BLANK


def parameter_from_value(value: Value, unit: str) -> Parameter:
    """SI; `unit` is the column's."""
    if not isinstance(value.entry, Fraction):
        return value.entry
    match value.unit or unit:
        case "deg":
            return Deg(value.entry) if value.entry else ZERO
        case "mm":
            return Num(value.entry / 1000)
    return Num(value.entry)
