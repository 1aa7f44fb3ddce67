"""Document → the tables of a robot file → the robot, by the file's reader: every mistake has the file's sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import AXES, SIX, Robot
from manipula.mechanics.robot.formats.dh.joints import kind_from_text
from manipula.mechanics.robot.formats.document.cells import entry_from_cell, moving_entry
from manipula.mechanics.robot.formats.document.schema import Dynamics, RobotDocument, Row, document_from_data
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.formats.toml.read import robot_from_raw
from manipula.mechanics.robot.formats.units import Quantity, Units
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.suffixes import row_names, suffixes
from manipula.support.toml_text import toml_tables

_HEAD = ("convention", "angle", "length", "inertia_about", "description", "source")
_TABLE: dict[str, Quantity] = {"theta": "angle", "d": "length", "a": "length", "alpha": "angle", "pitch": "length"}
_LETTERS = {
    **{field: field for field in ("theta", "d", "a", "alpha")}, "screw": "pitch", "m": "mass", "Ia": "motor_inertia",
    "fv": "friction.viscous", "fc": "friction.coulomb", "fo": "friction.offset",
    **{f"r{axis}": f"com[{k}]" for k, axis in enumerate(AXES, 1)},
    **{f"{letter}{pair}": f"inertia.{pair}" for letter in "IL" for pair in SIX},
    **{axis: f"xyz[{k}]" for k, axis in enumerate(AXES, 1)},
    **{turn: f"rpy[{k}]" for k, turn in enumerate(("roll", "pitch", "yaw"), 1)},
}  # fmt: skip
_LISTS: dict[str, Quantity] = {"xyz": "length", "rpy": "angle", "axis": "si"}


def robot_from_document(data: object) -> Robot:
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
    units = Units("rad" if document.angle == "rad" else "deg", "mm" if document.length == "mm" else "m")
    raw: dict[str, Any] = {"format": 1}
    raw |= {key: text for key in _HEAD if (text := getattr(document, key))}
    raw |= {"name": document.name} if document.name else {}
    raw |= {"gravity": [entry_from_cell(x, "si", units) for x in document.gravity]} if any(document.gravity) else {}
    values = _values(document, units)
    raw |= {"values": values} if values else {}
    bodies = (*document.dynamics, *(Dynamics.model_validate({}) for _ in document.rows))
    moving = 1
    joints: list[dict[str, Any]] = []
    for number, (row, body) in enumerate(zip(document.rows, bodies), 1):
        joints.append(_Joint(row, body, (number, moving), units).raw())
        moving += joints[-1].get("type") != "fixed"
    return _joined(_parsed(document.extra_toml, ""), raw | {"joint": joints}, "")


def _values(document: RobotDocument, units: Units) -> dict[str, Any]:
    """Names and values; a name without one is symbolic."""
    found: dict[str, Any] = {}
    for named in document.values:
        name = named.name.strip()
        if name in found:
            hint = "keep one of the two values"
            raise RobotFileError("is given twice", field=f"values.{name}", hint=hint)
        if named.value.strip():
            found[name] = entry_from_cell(named.value, "si", units)
    return found


class _Joint:
    """One row; `numbers` are those its variable may carry: of the row, and of the joint among those that move."""

    def __init__(self, row: Row, body: Dynamics, numbers: tuple[int, int], units: Units) -> None:
        self.row, self.body, self.numbers, self.units = row, body, numbers, units
        self.where = joint_label(numbers[0], row.name or None)
        self.kind = _kind(row.type)

    def raw(self) -> dict[str, Any]:
        named = {"name": self.row.name} if self.row.name else {}
        cells = {"type": self.kind, **self.geometry(), **self.motor(), **self.inertia()}
        return _joined(_parsed(self.row.extra_toml, self.where), named | cells, self.where)

    def geometry(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        moves = KINDS[self.kind].field if self.kind in KINDS else ""
        for field, quantity in _TABLE.items():
            text = getattr(self.row, field)
            if not text.strip():
                continue
            if field != moves:
                found[field] = self.entry(text, quantity)
                continue
            found[field], way = moving_entry(text, "theta" if field == "theta" else "d", self.numbers, self.units)
            found |= {"direction": way} if way == -1 else {}
        for field, quantity in _LISTS.items():
            texts = getattr(self.row, field)
            found |= {field: self.entries(texts, quantity)} if texts is not None and any(texts) else {}
        return found

    def motor(self) -> dict[str, Any]:
        row = self.row
        motion: Quantity = "angle" if self.kind not in KINDS or KINDS[self.kind].turns else "length"
        found: dict[str, Any] = {"limits": self.entries(row.limits, motion)} if any(row.limits) else {}
        found |= {"direction": _direction(row.direction, self.units)} if row.direction.strip() else {}
        si: tuple[tuple[str, str, Quantity], ...] = (
            ("velocity_limit", row.velocity_limit, motion),
            ("effort_limit", row.effort_limit, "si"),
            ("motor_inertia", self.body.motor_inertia, "si"),
        )
        found |= {field: self.entry(text, quantity) for field, text, quantity in si if text.strip()}
        return found | self.table("friction", dict(self.body.friction))

    def inertia(self) -> dict[str, Any]:
        body = self.body
        found = {"mass": self.entry(body.mass, "si")} if body.mass.strip() else {}
        found |= {"com": self.entries(body.com, "length")} if any(body.com) else {}
        return found | self.table("inertia", dict(body.inertia))

    def table(self, key: str, cells: Mapping[str, str]) -> dict[str, Any]:
        found = {name: self.entry(text, "si") for name, text in cells.items() if text.strip()}
        return {key: found} if found else {}

    def entry(self, text: str, quantity: Quantity) -> Any:
        return entry_from_cell(text, quantity, self.units)

    def entries(self, texts: Sequence[str], quantity: Quantity) -> list[Any]:
        return [self.entry(text, quantity) for text in texts]


def _kind(text: str) -> str:
    """revolute of "R"; a word nobody knows is left to the reader."""
    try:
        return kind_from_text(text)
    except RobotFileError:
        return text


def _direction(text: str, units: Units) -> Any:
    return {"+": 1, "-": -1}.get(text.strip()) or entry_from_cell(text, "si", units)


def _parsed(text: str, where: str) -> dict[str, Any]:
    try:
        return toml_tables(text, Decimal) if text.strip() else {}
    except ValueError as error:
        raise RobotFileError(f"this is not valid TOML: {error}", where=where, field="extra_toml") from None


def _joined(extra: dict[str, Any], cells: dict[str, Any], where: str) -> dict[str, Any]:
    """Both; the laws of friction and the values may stand in both, no single entry may."""
    found = dict(cells)
    for key, value in extra.items():
        ours = found.get(key)
        if isinstance(ours, dict) and isinstance(value, dict):
            found[key] = _joined(value, ours, where)
        elif key in found:
            hint = "keep the cell or the line"
            raise RobotFileError(f"{key} is given in a cell and here", where=where, field="extra_toml", hint=hint)
        else:
            found[key] = value
    return found
