"""Rows of a pasted table → their cells: which kind each joint is, where its variable stands, its constants."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from manipula.errors import RobotFileError, some_of
from manipula.mechanics.robot.description import JointKind
from manipula.mechanics.robot.formats.dh.table import PastedTable
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.formats.toml.build import QUANTITY_OF
from manipula.mechanics.robot.formats.units import Entry, ParsedText, describe, entry_from_raw, parameter_from_entry
from manipula.mechanics.robot.formats.variables import Column, Variable, is_blank, refuse_variables, variable_from_text
from manipula.mechanics.robot.joints import KINDS, one_of_kinds
from manipula.mechanics.robot.values.parameter import ZERO
from manipula.mechanics.robot.values.terms import Angle, Units, bare_numbers, units_shown
from manipula.messages import Message
from manipula.support.text import without_accents

# Names that stand in another column than their letter says: the sign of a table whose columns are in another order.
#
# Books print modified tables as alpha, a, d, theta, and a table swallowed in the wrong order is a robot nobody meant:
# theta1 becomes a twist, a2 an offset.

_COLUMNS = {"theta": "theta|teta|th|θ|ϑ|q", "alpha": "alpha|alfa|α|⍺", "a": "a", "d": "d"}
_MARK = r"[-+]?\s*\\?(?:{})_?\{{?\d+\}}?\s*(?:\*|\(t\)|\(var\))?"
_OF_COLUMN = {column: re.compile(_MARK.format(letters), re.I) for column, letters in _COLUMNS.items()}


def refuse_misplaced(
    cells: Mapping[str, object],
    kind: str,
    where: str,
    hint: str,
    meant: Collection[str] = (),
    ordered: bool = False,
) -> None:
    """Raises on a joint variable outside its column; and on a2, d3, alpha1 outside theirs, unless the name is `meant`
    so or somebody said how the columns are `ordered`."""
    for column, text in cells.items():
        owner = _owner(text) if isinstance(text, str) and column in _COLUMNS else None
        slides = owner == "theta" and column == "d" and kind == "prismatic"  # q3 is any joint's variable
        if owner is None or owner == column or slides:
            continue
        if owner == "theta" or not (ordered or str(text) in meant):
            raise RobotFileError(
                (
                    Message("found {text}, which reads like a joint variable", describe(text))
                    if owner == "theta"
                    else Message("found {text}, which reads like an entry of the column {owner}", describe(text), owner)
                ),
                where=where,
                field=column,
                hint=hint,
            )


def _owner(text: str) -> str | None:
    """The column whose letter, with a number, is all there is."""
    return next((column for column, mark in _OF_COLUMN.items() if mark.fullmatch(text.strip())), None)


_KINDS: dict[str, JointKind] = {word: kind.name for kind in KINDS.values() for word in kind.words}
_OTHER_ORDER = Message("are the headings in the order of the columns? a name meant so takes a value: # a2 = 0.4")


def kind_from_text(text: str) -> JointKind:
    """R, P, F, or a word for them in English or Portuguese; σ = 0, 1, 2 as Khalil has it."""
    bare = without_accents(text.strip().lower())
    if bare not in _KINDS:
        raise RobotFileError(
            "found {text}", describe(text), field="type", hint=Message("expected {one_of_kinds}", one_of_kinds())
        )
    return _KINDS[bare]


@dataclass(frozen=True)
class ReadRow:
    """A row with its cells read; units are still to be chosen."""

    name: str | None
    kind: JointKind
    cells: dict[str, Entry]
    direction: Literal[1, -1]


def read_rows(table: PastedTable, said: list[str]) -> list[ReadRow]:
    """Every row, its kind and its constants; what had to be assumed is added to `said`."""
    raw = [dict(zip(table.columns, row)) for row in table.rows]
    marked = any(marks_variable(row, number, table.settings) for number, row in enumerate(raw, 1))
    rows: list[ReadRow] = []
    moving = 1
    for number, row in enumerate(raw, 1):
        reader = _RowReader(row, (number, moving), table)
        rows.append(reader.read(marked, said))
        refuse_misplaced(row, rows[-1].kind, reader.where, _OTHER_ORDER, table.settings)
        moving += rows[-1].kind != "fixed"
    if "type" not in table.columns and not marked and (slides := _bare_shifts(raw, table.settings)):
        said.append(
            Message(
                "d: {some_of} are taken as lengths of revolute joints, as no entry is marked as a joint variable (add "
                "a type column)",
                some_of(slides),
            )
        )
    return rows


def _bare_shifts(rows: list[dict[str, str]], values: Collection[str]) -> list[str]:
    """d1, d2, … where every row has one: each may be its joint's variable."""
    found = [variable_from_text(row["d"], "d", (number,), values) for number, row in enumerate(rows, 1)]
    return [row["d"] for row in rows] if None not in found else []


# What tables write for the variable instead of its name: `var`, `variable + 90°`, `90° + *`.
_WORD = r"(?:\*|var(?:\.|iable|iavel)?)"
_SPELLED_OUT = re.compile(
    rf"(?P<before>\s*[-+−]?\s*){_WORD}(?P<rest>\s*[-+−].*)?|(?P<head>.*\S\s*[-+−]\s*){_WORD}\s*", re.I
)


def name_variable(text: str, values: Collection[str]) -> str:
    """The cell with the joint's variable as q where it is only called one."""
    found = _SPELLED_OUT.fullmatch(without_accents(text))
    if found is None or {"var", "variable"} & set(values):
        return text
    return f"{found['head']}q" if found["head"] else f"{found['before']}q{found['rest'] or ''}"


def marks_variable(row: Mapping[str, object], number: int, values: Collection[str]) -> bool:
    """Does the row mark its joint variable, in whatever column?"""
    columns: tuple[Column, ...] = ("theta", "d")
    for column in columns:
        text = row.get(column)
        try:
            named = name_variable(text, values) if isinstance(text, str) else ""
            variable = variable_from_text(named, column, (number,), values)
        except RobotFileError:
            return True
        if variable is not None and variable.sure:
            return True
    return False


class _RowReader:
    def __init__(self, row: Mapping[str, str], indices: tuple[int, int], table: PastedTable) -> None:
        self.row, self.indices = row, indices
        self.comma, self.values = table.decimal_comma, table.settings
        named = row.get("name", "").strip().rstrip("*")
        self.name = None if not named or named.isdigit() else named
        self.where = joint_label(indices[0], self.name)

    def error(self, field: str, error: RobotFileError) -> RobotFileError:
        return RobotFileError(error.problem, where=self.where, field=error.field or field, hint=error.hint)

    def text(self, field: str) -> str:
        text = self.row[field]
        if not self.comma and re.match(r"\s*[-+−]?\d+,\d", text):
            raise RobotFileError(
                "found {text}",
                describe(text),
                where=self.where,
                field=field,
                hint=Message("write a decimal point, or separate the columns by ;"),
            )
        return text

    def value(self, field: str) -> Entry:
        if is_blank(self.row[field]):
            raise RobotFileError("is empty", where=self.where, field=field, hint="write 0 if the entry is zero")
        try:
            refuse_variables(self.text(field), self.values, self.indices if field == "theta" else ())
            return entry_from_raw(self.row[field])
        except RobotFileError as error:
            raise self.error(field, error) from None

    def variable(self, field: Literal["theta", "d"]) -> Variable | None:
        if is_blank(self.row[field]):
            return Variable()
        try:
            return variable_from_text(name_variable(self.text(field), self.values), field, self.indices, self.values)
        except RobotFileError as error:
            raise self.error(field, error) from None

    def kind(self, marked: bool, said: list[str]) -> JointKind:
        if not is_blank(self.row.get("type", "")):
            try:
                return kind_from_text(self.row["type"])
            except RobotFileError as error:
                raise self.error("type", error) from None
        return self.guessed_kind(marked, said)

    def guessed_kind(self, marked: bool, said: list[str]) -> JointKind:
        """By the mark of the variable; a table without any mark has revolute joints only."""
        shift = self.variable("d")
        if shift is not None and shift.sure:
            if is_blank(self.row["d"]) and not is_blank(self.row["theta"]) and self.variable("theta") is not None:
                self.value("d")  # a dash for zero, or for the variable? theta has one
            return "prismatic"
        turn = self.variable("theta")
        if marked and shift is not None and is_blank(self.row["theta"]):
            self.value("theta")  # and d2 beside a dash, where other rows mark theirs?
        if turn is not None or not marked:
            return "revolute"
        if shift is not None:
            said.append(
                Message(
                    "{joint_label}: d: {row} is taken as a prismatic joint's variable (add a type column)",
                    self.where,
                    self.row["d"],
                )
            )
            return "prismatic"
        raise RobotFileError(
            "no entry is marked as the joint variable, unlike in other rows",
            where=self.where, field="theta", hint="add a column type with R, P or F",
        )  # fmt: skip

    def read(self, marked: bool, said: list[str]) -> ReadRow:
        kind = self.kind(marked, said)
        moving = KINDS[kind].field or None
        cells = {field: self.value(field) for field in ("theta", "d", "a", "alpha") if field != moving}
        if moving is None:
            return ReadRow(self.name, kind, cells, 1)
        variable = self.variable(moving) or Variable(self.value(moving))
        cells[moving] = self.with_offset(variable.offset, moving)
        return ReadRow(self.name, kind, cells, 1 if variable.direction == self.direction() else -1)

    def direction(self) -> int:
        text = self.row.get("direction", "1").strip() or "1"
        if text not in ("1", "+1", "+", "-1", "-"):
            raise RobotFileError(
                "found {text}", describe(text), where=self.where, field="direction", hint="expected 1 or -1"
            )
        return -1 if text.startswith("-") else 1

    def with_offset(self, offset: Entry, moving: str) -> Entry:
        """The offset in the row's own cell, or the one in the offset column."""
        if is_blank(self.row.get("offset", "")):
            return offset
        extra = self.value("offset")
        if not _is_zero(extra) and not _is_zero(offset):
            raise RobotFileError(
                "two offsets are given, in {moving} and in offset",
                moving,
                where=self.where,
                field="offset",
                hint="keep one",
            )
        return extra if _is_zero(offset) else offset


def _is_zero(entry: Entry) -> bool:
    return entry == 0 or (isinstance(entry, ParsedText) and entry.tree == ZERO)


# The units of a pasted table, and its rows as the tables of a robot file.

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
