"""Denavit–Hartenberg tables: as people paste them, as Python rows, and saved as CSV.

Each becomes the tables of a robot file, so that one reader checks and builds them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from manipula.errors import RobotFileError, caution
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.dh.joints import kind_from_text, marks_variable, read_rows
from manipula.mechanics.robot.formats.dh.misplaced import refuse_misplaced
from manipula.mechanics.robot.formats.dh.table import PastedTable, columns_from_words, table_from_text
from manipula.mechanics.robot.formats.dh.text import dh_text_from_robot
from manipula.mechanics.robot.formats.dh.units import (
    ANGLES,
    angle_unit,
    joint_tables,
    refuse_other_units,
)
from manipula.mechanics.robot.formats.rows import FIELDS, Convention
from manipula.mechanics.robot.formats.source import checked_text, errors_of, joint_label
from manipula.mechanics.robot.formats.toml.read import robot_from_raw
from manipula.mechanics.robot.formats.units import describe
from manipula.mechanics.robot.values.terms import Angle, Length, length_of
from manipula.messages import Message

__all__ = ["dh_text_from_robot", "robot_from_dh_text", "robot_from_rows"]

Row = Mapping[str, Any] | Sequence[Any]
_SETTINGS = ("name", "convention")
_SAY_ORDER = Message('say the order, as in columns="alpha a d theta", or give dicts with the keys theta, d, a, alpha')


def robot_from_dh_text(
    text: str,
    *,
    name: str = "",
    convention: Convention | None = None,
    angle: Angle | None = None,
    length: Length = "m",
    file: str = "",
    columns: str | Sequence[str] | None = None,
    exact: bool = False,
) -> RobotDescription:
    """The robot of a pasted table. `columns` names the columns of a table without a header: "alpha a d theta".

    `angle` and `length` are the units of bare numbers where the header gives none; what the table leaves open is
    assumed with a `ManipulaWarning`. Nothing is known of the masses: they are symbols.
    """
    said: list[str] = []
    with errors_of(file):
        order = None if columns is None else columns_from_words(columns)
        table = table_from_text(checked_text(text), order, convention == "modified")
        if table.assumed:
            taken = ", ".join(column for column in table.columns if column in FIELDS)
            said.append(
                Message("header: there is none, the columns are taken as {taken} (a first line can name them)", taken)
            )
        raw = _raw_from_table(table, angle, length, said)
        raw["name"] = name or table.settings.get("name", "robot")
        raw["convention"] = _convention(table, convention, said)
    robot = robot_from_raw(raw, file, "dh", exact)
    for sentence in said:
        caution(Message("{place}: {text}", file, sentence) if file else sentence)
    return robot


def _raw_from_table(table: PastedTable, angle: Angle | None, length: Length, said: list[str]) -> dict[str, Any]:
    rows = read_rows(table, said)
    units = {column: unit for column, unit in zip(table.columns, table.units) if column in FIELDS}
    refuse_other_units(units)
    header = [units[field] for field in ANGLES if units[field]]
    turn: Angle = angle or ("rad" if header[:1] == ["rad"] else "deg" if header else angle_unit(rows, said))
    if angle and any(unit != angle for unit in header):
        raise RobotFileError(
            "the header says {header}, but angle={angle!r} was asked for",
            header[0],
            angle,
            field="header",
            hint="leave out one of the two",
        )
    units = {field: unit or (turn if field in ANGLES else length) for field, unit in units.items()}
    values = {key: value for key, value in table.settings.items() if key not in _SETTINGS}
    return {"format": 1, "angle": turn, "length": length_of(units["a"]), "values": values,
            "joint": list(joint_tables(rows, units))}  # fmt: skip


def _convention(table: PastedTable, asked: Convention | None, said: list[str]) -> str:
    if asked == "standard" and table.modified:
        said.append(Message("header: it reads like the modified convention (i-1), but the standard one was asked for"))
    found = asked or table.settings.get("convention") or ("modified" if table.modified else "")
    if not found:
        said.append(_assumed(table))
    return found or "standard"


def _assumed(table: PastedTable) -> str:
    """Nothing in a table of numbers tells the two conventions apart; the order of its columns may."""
    order = [column for column in table.columns if column in FIELDS]
    books = order.index("alpha") < order.index("theta") and order.index("a") < order.index("d")
    look = Message(", though books print the modified one in this order: {order}", ", ".join(order)) if books else ""
    return Message(
        (
            (
                "the table does not say its convention, standard is assumed{look} (pass "
                'convention="modified", or write # convention = … above the table)'
            )
            if books
            else (
                "the table does not say its convention, standard is assumed{look} (pass "
                'convention="standard", or write # convention = … above the table)'
            )
        ),
        look,
    )


def robot_from_rows(
    rows: Iterable[Row],
    convention: Convention = "standard",
    angle: Angle = "deg",
    length: Length = "m",
    name: str = "robot",
    columns: str | Sequence[str] | None = None,
    exact: bool = False,
    **more: Any,
) -> RobotDescription:
    """A robot from Python. A row is a tuple (theta, d, a, alpha) or (theta, d, a, alpha, type), in the order of
    `columns` where they are said, or a mapping with any keys of a `[[joint]]` of the robot file; the type is revolute
    unless said. `more` takes the other keys of the file: gravity, base, tool, payload, values, inertia_about,
    inertia_default, source, description.
    """
    order = _order(convention, columns)
    if not isinstance(rows, Iterable):
        raise RobotFileError(
            "found {text}", describe(rows), field="rows", hint="expected a list of rows, one for each joint"
        )
    joints = [_table_from_row(number, row, order) for number, row in enumerate(rows, 1)]
    _refuse_unmarked(joints, more.get("values"))
    joints = [{"type": "revolute", **joint} for joint in joints]
    head = {"format": 1, "name": name, "convention": convention, "angle": angle, "length": length}
    given = {key: _plain(value) for key, value in more.items() if value is not None}
    return robot_from_raw({**head, **given, "joint": joints}, "", "python", exact)


@dataclass(frozen=True)
class _Order:
    """The columns of bare rows; none where nobody said them and books do not agree."""

    columns: tuple[str, ...] | None
    said: bool


def _order(convention: Convention, columns: str | Sequence[str] | None) -> _Order:
    if columns is not None:
        return _Order(columns_from_words(columns), said=True)
    return _Order(None if convention == "modified" else FIELDS, said=False)


def _table_from_row(number: int, row: Row, order: _Order) -> dict[str, Any]:
    if isinstance(row, Mapping):
        table = {str(key): _plain(value) for key, value in row.items() if value is not None}
    else:
        table = _table_from_sequence(number, _plain(row), order)
    label = joint_label(number, table["name"] if isinstance(table.get("name"), str) else None)
    try:
        if isinstance(kind := table.get("type"), str):
            table["type"] = kind_from_text(kind)
        if not isinstance(row, Mapping):
            refuse_misplaced(table, str(table.get("type", "revolute")), "", _SAY_ORDER, ordered=order.said)
    except RobotFileError as error:
        raise RobotFileError(error.problem, where=label, field=error.field, hint=error.hint) from None
    return table


def _table_from_sequence(number: int, row: object, order: _Order) -> dict[str, Any]:
    if order.columns is None:
        raise RobotFileError(
            "the row is bare, and tables of the modified convention are printed in several orders",
            where=joint_label(number, None), field="row", hint=_SAY_ORDER,
        )  # fmt: skip
    named = order.columns if "type" in order.columns else (*order.columns, "type")
    if not isinstance(row, list) or len(row) not in (len(named), len(named) - 1):
        listed = ", ".join(name for name in named if name != "type")
        raise RobotFileError(
            "found {text}",
            describe(row),
            where=joint_label(number, None),
            field="row",
            hint=Message("expected ({listed}) or ({listed}, type)", listed),
        )
    return {key: value for key, value in zip(named, row) if value is not None}


def _refuse_unmarked(joints: Sequence[Mapping[str, Any]], values: Any) -> None:
    """A row without a type and without its variable, where other rows have theirs: which joint it is, nobody said."""
    meant = values if isinstance(values, Mapping) else ()
    marks = [marks_variable(joint, number, meant) for number, joint in enumerate(joints, 1)]
    for number, (joint, marked) in enumerate(zip(joints, marks), 1):
        if any(marks) and not marked and "theta" in joint and "type" not in joint:
            name = joint.get("name")
            raise RobotFileError(
                "no entry is marked as the joint variable, unlike in other rows", field="theta",
                where=joint_label(number, name if isinstance(name, str) else None),
                hint='add its type to the row: "R", "P" or "F"',
            )  # fmt: skip


def _plain(value: Any) -> Any:
    """Lists and Python numbers in place of tuples, arrays and array scalars."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if getattr(value, "free_symbols", None):
        return str(value)  # of SymPy: q1 may stand where the joint moves
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
