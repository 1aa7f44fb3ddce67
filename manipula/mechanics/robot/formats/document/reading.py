"""Document → the tables of a robot file → the robot, by the file's reader: every mistake has the file's sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import AXES, SIX, RobotDescription
from manipula.mechanics.robot.formats.dh.joints import kind_from_text
from manipula.mechanics.robot.formats.document.schema import Dynamics, RobotDocument, Row, document_from_data
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.formats.toml.read import robot_from_raw
from manipula.mechanics.robot.suffixes import row_names, suffixes
from manipula.mechanics.robot.values.written import plain_text
from manipula.messages import Message
from manipula.support.toml_text import toml_tables

_HEAD = ("convention", "angle", "length", "inertia_about", "description", "source")
_TABLE = ("theta", "d", "a", "alpha", "pitch")
_LETTERS = {
    **{field: field for field in ("theta", "d", "a", "alpha")}, "screw": "pitch", "m": "mass", "Ia": "motor_inertia",
    "fv": "friction.viscous", "fc": "friction.coulomb", "fo": "friction.offset",
    **{f"r{axis}": f"com[{k}]" for k, axis in enumerate(AXES, 1)},
    **{f"{letter}{pair}": f"inertia.{pair}" for letter in "IL" for pair in SIX},
    **{axis: f"xyz[{k}]" for k, axis in enumerate(AXES, 1)},
    **{turn: f"rpy[{k}]" for k, turn in enumerate(("roll", "pitch", "yaw"), 1)},
}  # fmt: skip
_LISTS = ("xyz", "rpy", "axis")


_NUMBER = re.compile(r"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan|inf)")
LONGEST = 4000  # digits that Python makes a whole number of


def robot_from_document(data: object) -> RobotDescription:
    """The robot that the cells describe. Mistakes raise `RobotFileError`, with `row` and `field` of the cell."""
    raw = raw_from_document(document_from_data(data))
    try:
        return robot_from_raw(raw, "", "toml")
    except RobotFileError as error:
        if error.field in (places := _places(raw)):
            raise error.at_cell(*places[error.field]) from error.__cause__
        raise


def _places(raw: Mapping[str, Any]) -> dict[str, tuple[int, str]]:
    """Row and column of the cells by their automatic names, a2 or Ixx3, which some mistakes are told by."""
    kinds = [("fixed" if "coordinate" in x else x["type"], x.get("name")) for x in raw["joint"]]
    ends = suffixes([(kind, name, ()) for (kind, _), name in zip(kinds, row_names(kinds))], 0).rows
    return {f"{letters}{end}": (row, column) for row, end in enumerate(ends, 1) for letters, column in _LETTERS.items()}


def raw_from_document(document: RobotDocument) -> dict[str, Any]:
    """The content of the robot file that says the same."""
    raw: dict[str, Any] = {"format": 1}
    raw |= {key: text for key in _HEAD if (text := getattr(document, key))}
    raw |= {"name": document.name} if document.name else {}
    raw |= {"gravity": [*map(_entry, document.gravity)]} if any(document.gravity) else {}
    values = _values(document)
    raw |= {"values": values} if values else {}
    bodies = (*document.dynamics, *(Dynamics.model_validate({}) for _ in document.rows))
    joints = [_Joint(row, body, number).raw() for number, (row, body) in enumerate(zip(document.rows, bodies), 1)]
    return _joined(_parsed(document.extra_toml, ""), raw | {"joint": joints}, "")


def _values(document: RobotDocument) -> dict[str, Any]:
    """Names and values; a name without one is symbolic."""
    found: dict[str, Any] = {}
    for named in document.values:
        name = named.name.strip()
        if name in found:
            raise RobotFileError("is given twice", field=f"values.{name}", hint=Message("keep one of the two values"))
        if named.value.strip():
            found[name] = _entry(named.value)
    return found


class _Joint:
    """One row, its cells as they were typed: the file's reader says what each means."""

    def __init__(self, row: Row, body: Dynamics, number: int) -> None:
        self.row, self.body = row, body
        self.where = joint_label(number, row.name or None)

    def raw(self) -> dict[str, Any]:
        named = {"name": self.row.name} if self.row.name else {}
        cells = {"type": _kind(self.row.type), **self.geometry(), **self.motor(), **self.inertia()}
        return _joined(_parsed(self.row.extra_toml, self.where), named | cells, self.where)

    def geometry(self) -> dict[str, Any]:
        found: dict[str, Any] = {field: _entry(text) for field in _TABLE if (text := getattr(self.row, field)).strip()}
        lists = {field: getattr(self.row, field) or () for field in _LISTS}
        return found | {field: [*map(_entry, texts)] for field, texts in lists.items() if any(texts)}

    def motor(self) -> dict[str, Any]:
        row = self.row
        found: dict[str, Any] = {"limits": [*map(_entry, row.limits)]} if any(row.limits) else {}
        found |= {"direction": _direction(row.direction)} if row.direction.strip() else {}
        single = {"velocity_limit": row.velocity_limit, "effort_limit": row.effort_limit}
        single["motor_inertia"] = self.body.motor_inertia
        found |= {field: _entry(text) for field, text in single.items() if text.strip()}
        return found | _table("friction", dict(self.body.friction))

    def inertia(self) -> dict[str, Any]:
        body = self.body
        found: dict[str, Any] = {"mass": _entry(body.mass)} if body.mass.strip() else {}
        found |= {"com": [*map(_entry, body.com)]} if any(body.com) else {}
        return found | _table("inertia", dict(body.inertia))


def _table(key: str, cells: Mapping[str, str]) -> dict[str, Any]:
    found = {name: _entry(text) for name, text in cells.items() if text.strip()}
    return {key: found} if found else {}


def _kind(text: str) -> str:
    """revolute of "R"; a word nobody knows is left to the reader."""
    try:
        return kind_from_text(text)
    except RobotFileError:
        return text


def _entry(text: str) -> Any:
    """A number as the file would have it, anything else as it was typed."""
    number = plain_text(text)
    if not _NUMBER.fullmatch(number):
        return text
    return int(number) if number.lstrip("+-").isdecimal() and len(number) < LONGEST else Decimal(number)


def _direction(text: str) -> Any:
    return {"+": 1, "-": -1}.get(text.strip()) or _entry(text)


def _parsed(text: str, where: str) -> dict[str, Any]:
    try:
        return toml_tables(text, Decimal) if text.strip() else {}
    except ValueError as error:
        raise RobotFileError("this is not valid TOML: {message}", error, where=where, field="extra_toml") from None


def _joined(extra: dict[str, Any], cells: dict[str, Any], where: str) -> dict[str, Any]:
    """Both; the laws of friction and the values may stand in both, no single entry may."""
    found = dict(cells)
    for key, value in extra.items():
        ours = found.get(key)
        if isinstance(ours, dict) and isinstance(value, dict):
            found[key] = _joined(value, ours, where)
        elif key in found:
            raise RobotFileError(
                "{key} is given in a cell and here",
                key,
                where=where,
                field="extra_toml",
                hint=Message("keep the cell or the line"),
            )
        else:
            found[key] = value
    return found
