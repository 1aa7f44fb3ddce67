"""Denavit–Hartenberg tables: as people paste them, as Python rows, and saved as CSV.

Each becomes the tables of a robot file, so that one reader checks and builds them all.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from manipula.errors import ManipulaWarning, RobotFileError
from manipula.mechanics.robot.description import Robot
from manipula.mechanics.robot.formats.dh_cells import is_blank, variable_from_cell
from manipula.mechanics.robot.formats.dh_joints import kind_from_text, read_rows
from manipula.mechanics.robot.formats.dh_table import PastedTable, table_from_text
from manipula.mechanics.robot.formats.dh_text import dh_text_from_robot
from manipula.mechanics.robot.formats.dh_units import ANGLES, Angle, angle_unit, joint_tables
from manipula.mechanics.robot.formats.rows import FIELDS, Convention
from manipula.mechanics.robot.formats.source import checked_text, errors_of, joint_label
from manipula.mechanics.robot.formats.toml import robot_from_raw
from manipula.mechanics.robot.formats.units import describe
from manipula.mechanics.robot.parameter import Deg

__all__ = ["dh_text_from_robot", "robot_from_dh_text", "robot_from_rows"]

Length = Literal["m", "mm"]
Row = Mapping[str, Any] | Sequence[Any]
_SETTINGS = ("name", "convention")


def robot_from_dh_text(
    text: str,
    *,
    name: str = "",
    convention: Convention | None = None,
    angle: Angle | None = None,
    length: Length = "m",
    file: str = "",
    order: Sequence[str] | None = None,
) -> Robot:
    """The robot of a pasted table. `order` names the columns of a table without a header.

    `angle` and `length` are the units of bare numbers where the header gives none; what the table leaves open is
    assumed with a `ManipulaWarning`. Nothing is known of the masses: they are symbols.
    """
    said: list[str] = []
    with errors_of(file):
        table = table_from_text(checked_text(text), order)
        raw = _raw_from_table(table, angle, length, said)
        raw["name"] = name or table.settings.get("name", "robot")
        raw["convention"] = _convention(table, convention, said)
    for sentence in said:
        warnings.warn(f"{file}: {sentence}" if file else sentence, ManipulaWarning, stacklevel=2)
    return robot_from_raw(raw, file, "dh")


def _raw_from_table(table: PastedTable, angle: Angle | None, length: Length, said: list[str]) -> dict[str, Any]:
    rows = read_rows(table, said)
    units = {column: unit for column, unit in zip(table.columns, table.units) if column in FIELDS}
    header = [units[field] for field in ANGLES if units[field]]
    turn: Angle = angle or ("rad" if header[:1] == ["rad"] else "deg" if header else angle_unit(rows, said))
    if angle and any(unit != angle for unit in header):
        raise RobotFileError(
            f"the header says {header[0]}, but angle={angle!r} was asked for",
            field="header",
            hint="leave out one of the two",
        )
    units = {field: unit or (turn if field in ANGLES else length) for field, unit in units.items()}
    values = {key: value for key, value in table.settings.items() if key not in _SETTINGS}
    written: Length = "mm" if units["a"] == "mm" else "m"
    return {"format": 1, "angle": turn, "length": written, "values": values,
            "joint": list(joint_tables(rows, units, said))}  # fmt: skip


def _convention(table: PastedTable, asked: Convention | None, said: list[str]) -> str:
    if asked == "standard" and table.modified:
        said.append("header: it reads like the modified convention (i-1), but the standard one was asked for")
    return asked or table.settings.get("convention") or ("modified" if table.modified else "standard")


def robot_from_rows(
    rows: Iterable[Row],
    convention: Convention = "standard",
    angle: Angle = "deg",
    length: Length = "m",
    name: str = "robot",
    **more: Any,
) -> Robot:
    """A robot from Python. A row is a tuple (theta, d, a, alpha) or (theta, d, a, alpha, type), or a mapping with any
    keys of a `[[joint]]` of the robot file; the type is revolute unless said. `more` takes the other keys of the
    file: gravity, base, tool, payload, values, inertia_about, inertia_default, source, description.
    """
    joints = [_table_from_row(number, row, angle) for number, row in enumerate(rows, 1)]
    head = {"format": 1, "name": name, "convention": convention, "angle": angle, "length": length}
    given = {key: _plain(value) for key, value in more.items() if value is not None}
    return robot_from_raw({**head, **given, "joint": joints}, "", "python")


def _table_from_row(number: int, row: Row, angle: Angle) -> dict[str, Any]:
    if isinstance(row, Mapping):
        table = {str(key): _plain(value) for key, value in row.items() if value is not None}
    else:
        table = _table_from_sequence(number, _plain(row))
    label = joint_label(number, table["name"] if isinstance(table.get("name"), str) else None)
    try:
        kind = table.get("type", "revolute")
        table["type"] = kind_from_text(kind) if isinstance(kind, str) else kind
        _take_variable(table, number)
    except RobotFileError as error:
        raise RobotFileError(error.problem, where=label, field=error.field, hint=error.hint) from None
    for field in ANGLES if angle == "rad" else ():
        if isinstance(table.get(field), float):
            table[field] = _multiple_of_pi(table[field])
    return table


def _table_from_sequence(number: int, row: object) -> dict[str, Any]:
    if not isinstance(row, list) or len(row) not in (4, 5):
        raise RobotFileError(
            f"found {describe(row)}", where=joint_label(number, None), field="row",
            hint="expected (theta, d, a, alpha) or (theta, d, a, alpha, type)",
        )  # fmt: skip
    return {key: value for key, value in zip((*FIELDS, "type"), row) if value is not None}


def _take_variable(table: dict[str, Any], number: int) -> None:
    """`q1`, `theta1` or nothing may stand where the joint moves."""
    for kind, field in (("revolute", "theta"), ("prismatic", "d")):
        text = table.get(field)
        if table["type"] != kind or not isinstance(text, str):
            continue
        variable = None if is_blank(text) else variable_from_cell(text, "theta" if field == "theta" else "d", (number,))
        if variable is not None and not variable.offset.unit:
            table[field] = variable.offset.entry
            table.setdefault("direction", variable.direction)


def _multiple_of_pi(value: float) -> float | Deg:
    """`math.pi/2` is a quarter turn: floats have no other way to say so."""
    steps = round(value * 12 / math.pi)
    return Deg(Fraction(15 * steps)) if steps and abs(value - steps * math.pi / 12) < 1e-12 else value


def _plain(value: Any) -> Any:
    """Lists and Python numbers in place of tuples, arrays and array scalars."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
