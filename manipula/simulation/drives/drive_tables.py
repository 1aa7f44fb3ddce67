"""Motors and gears as tables: one a row, the unit of every figure in the head of its column, `rated torque [N·m]`.

Columns stand in any order. Those of a motor are at its shaft; those of a gear at its output, but for its inertia and
its speed, which makers give at the input. A gear turns (`ratio`, and torques), or it drives a slide (`lead`, the travel
of one turn, and forces). Lines that begin with # are remarks; a column that is not known is named and not read.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite, pi
from pathlib import Path
from typing import NamedTuple, TypeVar

from manipula.errors import InputError, caution, near_name
from manipula.messages import Message

TORQUES = {"N·m": 1.0, "kN·m": 1e3, "N·cm": 1e-2, "mN·m": 1e-3}
FORCES = {"N": 1.0, "kN": 1e3}
SPEEDS = {"rpm": 2 * pi / 60, "1/min": 2 * pi / 60, "r/min": 2 * pi / 60, "min-1": 2 * pi / 60, "rad/s": 1.0,
          "deg/s": pi / 180}  # fmt: skip
INERTIAS = {"kg·m2": 1.0, "kg·cm2": 1e-4, "g·cm2": 1e-7, "kg·mm2": 1e-6}
MASSES = {"kg": 1.0, "g": 1e-3}
LENGTHS = {"m": 1.0, "mm": 1e-3}
SHARES = {"": 1.0, "1": 1.0, "%": 0.01}
PLAIN = {"": 1.0, "1": 1.0}
ANY: dict[str, float] = {}  # of prices: whatever the head says
_HEAD = re.compile(r"(?P<name>[^\[\]()]*?)\s*(?:[\[(](?P<unit>[^\[\]()]*)[\])])?")


@dataclass(frozen=True)
class Motor:
    """At its shaft, SI. `rated_torque` is what it gives for ever up to its rated speed."""

    name: str
    rated_torque: float
    peak_torque: float
    rated_speed: float
    max_speed: float
    inertia: float
    mass: float | None = None
    price: float | None = None

    @property
    def power(self) -> float:
        """Rated torque times rated speed."""
        return self.rated_torque * self.rated_speed


@dataclass(frozen=True)
class Gear:
    """SI. `ratio` is in turns of the motor a turn of the joint, rad/m of one that slides; torques (N of one that
    slides) are at the output; `inertia`, `max_speed` and `mean_speed` at the input."""

    name: str
    turns: bool
    ratio: float
    rated_torque: float
    peak_torque: float
    efficiency: float
    inertia: float
    max_speed: float
    mean_speed: float | None = None
    mass: float | None = None
    price: float | None = None


class TableColumn(NamedTuple):
    """`sign`: what its numbers are: "positive", "not negative" or "share"."""

    units: Mapping[str, float]
    sign: str = "positive"
    needed: bool = True


MOTOR_COLUMNS = {
    "rated torque": TableColumn(TORQUES),
    "peak torque": TableColumn(TORQUES),
    "rated speed": TableColumn(SPEEDS),
    "max speed": TableColumn(SPEEDS),
    "inertia": TableColumn(INERTIAS, "not negative"),
    "mass": TableColumn(MASSES, needed=False),
    "price": TableColumn(ANY, "not negative", needed=False),
}
GEAR_COLUMNS = {
    "ratio": TableColumn(PLAIN, needed=False),
    "lead": TableColumn(LENGTHS, needed=False),
    "rated torque": TableColumn(TORQUES, needed=False),
    "peak torque": TableColumn(TORQUES, needed=False),
    "rated force": TableColumn(FORCES, needed=False),
    "peak force": TableColumn(FORCES, needed=False),
    "efficiency": TableColumn(SHARES, "share"),
    "inertia": TableColumn(INERTIAS, "not negative"),
    "max input speed": TableColumn(SPEEDS),
    "mean input speed": TableColumn(SPEEDS, needed=False),
    "mass": TableColumn(MASSES, needed=False),
    "price": TableColumn(ANY, "not negative", needed=False),
}
_SIGNS: dict[str, Callable[[float], bool]] = {
    "positive": lambda x: x > 0,
    "not negative": lambda x: x >= 0,
    "share": lambda x: 0 < x <= 1,
}
_WANTED = {
    "positive": Message("a number above 0"),
    "not negative": Message("a number, 0 or above"),
    "share": Message("a share above 0 and at most 1, or per cent in a column efficiency [%]"),
}


class TableRow(NamedTuple):
    """`place`: its file and line; `values` in SI by column, those of empty cells left out."""

    place: str
    name: str
    values: Mapping[str, float]

    def number(self, column: str, otherwise: str = "") -> float:
        if column not in self.values:
            raise InputError(
                "{place}, column {column!r}: the cell is empty; expected a number", self.place, otherwise or column
            )
        return self.values[column]


def motors_from_table(path: str | Path) -> tuple[Motor, ...]:
    found = []
    for row in _rows(Path(path), MOTOR_COLUMNS, Message("motor")):
        _refuse_order(row, "rated torque", "peak torque")
        _refuse_order(row, "rated speed", "max speed")
        found.append(_made(Motor, {"name": row.name} | _by_field(row.values)))
    return tuple(found)


def gears_from_table(path: str | Path) -> tuple[Gear, ...]:
    found = []
    for row in _rows(Path(path), GEAR_COLUMNS, Message("gear")):
        turns = "ratio" in row.values
        if turns == ("lead" in row.values):
            raise InputError(
                "{place}: expected a ratio (a joint that turns) or a lead (one that slides), one of both", row.place
            )
        word = "torque" if turns else "force"
        rated, peak = (row.number(f"{size} {word}") for size in ("rated", "peak"))
        _refuse_order(row, f"rated {word}", f"peak {word}")
        ratio = row.values["ratio"] if turns else 2 * pi / row.values["lead"]
        own = _by_field(row.values) | {"max_speed": row.number("max input speed")}
        own |= {"mean_speed": row.values["mean input speed"]} if "mean input speed" in row.values else {}
        given = {"name": row.name, "turns": turns, "ratio": ratio, "rated_torque": rated, "peak_torque": peak}
        found.append(_made(Gear, own | given))
    return tuple(found)


Made = TypeVar("Made", Motor, Gear)


def _made(kind: Callable[..., Made], values: Mapping[str, object]) -> Made:
    known = {entry.name for entry in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in values.items() if name in known})


def _by_field(values: Mapping[str, float]) -> dict[str, object]:
    return {column.replace(" ", "_"): value for column, value in values.items()}


def _refuse_order(row: TableRow, lower: str, upper: str) -> None:
    if row.values[lower] > row.values[upper]:
        raise InputError("{place}, column {upper!r}: is below {lower!r}", row.place, upper, lower)


# The file.


def _rows(path: Path, columns: Mapping[str, TableColumn], what: str) -> list[TableRow]:
    lines = _lines(path)
    mark = max(",;\t", key=lines[0][1].count)  # what separates columns; the first without any
    heads = _cells(lines[0][1], mark)
    places = _columns(path, heads, columns)
    found: list[TableRow] = []
    for number, line in lines[1:]:
        cells, place = _cells(line, mark), Message("{path}, line {number}", path, number)
        if len(cells) > len(heads):
            raise InputError("{place}: {count} cells, the head has {count2}", place, len(cells), len(heads))
        cells += [""] * (len(heads) - len(cells))
        name = cells[places["name"][0]]
        if not name:
            raise InputError("{place}, column 'name': the cell is empty; expected a name", place)
        if name in (row.name for row in found):
            raise InputError("{place}, column 'name': {name!r:.60} is there twice", place, name)
        values = {
            column: _value(
                cells[at], scale, columns[column], mark, Message("{place}, column {head!r}", place, heads[at])
            )
            for column, (at, scale) in places.items()
            if column != "name" and (cells[at] or columns[column].needed)
        }
        found.append(TableRow(place, name, values))
    if not found:
        raise InputError("{path}: no {what} in it, its head alone", path, what)
    return found


def _lines(path: Path) -> list[tuple[int, str]]:
    """Those that say something, with their numbers."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError("{name}: cannot be read: {strerror}", path, error.strerror) from error
    except ValueError as error:
        raise InputError("{path}: is no text: {error}", path, error) from None
    numbered = enumerate(text.splitlines(), 1)
    found = [(number, line) for number, line in numbered if line.strip(" ,;\t") and not line.lstrip().startswith("#")]
    if not found:
        raise InputError("{path}: is empty; expected a head and a row for each", path)
    return found


def _cells(line: str, mark: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader(io.StringIO(line), delimiter=mark, skipinitialspace=True))]


def _columns(path: Path, heads: Sequence[str], columns: Mapping[str, TableColumn]) -> dict[str, tuple[int, float]]:
    """Column → (place, what makes its numbers SI)."""
    found: dict[str, tuple[int, float]] = {}
    strange = []
    for at, head in enumerate(heads):
        parts = _HEAD.fullmatch(head)
        name = " ".join((parts["name"] if parts else head).replace("_", " ").lower().split())
        if name in found:
            raise InputError("{path}: column {head!r:.60} is there twice", path, head)
        if name == "name":
            found[name] = (at, 1.0)
        elif name in columns:
            found[name] = (at, _scale(path, head, parts["unit"] if parts else None, columns[name].units))
        elif head:
            strange.append(head)
    needed = ["name", *(name for name, column in columns.items() if column.needed)]
    if missing := [name for name in needed if name not in found]:
        near = next((x for x in strange if near_name(x.split("[")[0].strip(), missing, {})), None)
        instead = Message("; is it {near!r}?", near) if near else ""
        units = next(iter(columns[missing[0]].units), "") if missing[0] in columns else ""
        wanted = f"{missing[0]} [{units}]" if units else missing[0]
        raise InputError("{path}: there is no column {wanted!r}{instead}", path, wanted, instead)
    if strange:
        caution("{path}: columns that are not read: {columns}", path, ", ".join(strange))
    return found


def _scale(path: Path, head: str, unit: str | None, units: Mapping[str, float]) -> float:
    if not units:
        return 1.0
    given = _plain_unit(unit or "")
    known = {_plain_unit(name): scale for name, scale in units.items()}
    if given not in known:
        listed = ", ".join(name for name in units if name)
        if unit is None:
            raise InputError(
                "{path}: column {head!r} has no unit; write it in brackets, one of {listed}", path, head, listed
            )
        raise InputError(
            "{path}: column {head!r}: unknown unit; expected {listed}", path, head, listed or Message("none")
        )
    return known[given]


def _plain_unit(text: str) -> str:
    """N·m, N m, N*m, Nm and N.m are one; so are kg·cm², kg cm^2 and kgcm2."""
    return re.sub(r"[\s·⋅*.^]", "", text.replace("²", "2").replace("⁻¹", "-1").replace("−", "-"))


def _value(text: str, scale: float, column: TableColumn, mark: str, where: str) -> float:
    if not text:
        raise InputError("{where}: the cell is empty; expected {wanted}", where, _WANTED[column.sign])
    try:
        found = float(text.replace(",", ".") if mark != "," else text) * scale
    except ValueError:
        found = float("nan")
    if not isfinite(found) or not _SIGNS[column.sign](found):
        raise InputError("{where}: expected {wanted}, found {text!r:.40}", where, _WANTED[column.sign], text)
    return found
