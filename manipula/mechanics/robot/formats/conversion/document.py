"""Document → the tables of a robot file → the robot, by the file's reader: every mistake has the file's sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import AXES, SIX, RobotDescription
from manipula.mechanics.robot.formats.dh.joints import kind_from_text
from manipula.mechanics.robot.formats.source import checked_text, joint_label
from manipula.mechanics.robot.formats.toml.read import raw_from_toml, robot_from_raw
from manipula.mechanics.robot.formats.toml.write import bare_key, toml_from_robot
from manipula.mechanics.robot.formats.units import describe
from manipula.mechanics.robot.suffixes import row_names, suffixes
from manipula.mechanics.robot.values.terms import plain_text
from manipula.messages import Message
from manipula.support.text import quote_toml, toml_tables

# The document: what an editor of robots shows and sends, every cell as text. Nothing in it need be right yet.

LONGEST_CELL = 100_000  # characters of one cell: what is longer is no cell
Text = Annotated[str, Field(max_length=LONGEST_CELL)]
Triple = tuple[Text, Text, Text]
NOTHING: Triple = ("", "", "")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class Row(_Part):
    """One joint: a table's row, or placements where `xyz`, `rpy`, `axis` are given."""

    name: Text = ""
    type: Text = "revolute"
    theta: Text = ""
    d: Text = ""
    a: Text = ""
    alpha: Text = ""
    pitch: Text = ""
    xyz: Triple | None = Field(None, strict=False)
    rpy: Triple | None = Field(None, strict=False)
    axis: Triple | None = Field(None, strict=False)
    direction: Text = ""
    limits: tuple[Text, Text] = Field(("", ""), strict=False)
    velocity_limit: Text = ""
    effort_limit: Text = ""
    extra_toml: Text = ""


class TensorCells(_Part):
    """Entries of an inertia tensor."""

    xx: Text = ""
    yy: Text = ""
    zz: Text = ""
    xy: Text = ""
    xz: Text = ""
    yz: Text = ""


class FrictionCells(_Part):
    """The laws every joint may have."""

    viscous: Text = ""
    coulomb: Text = ""
    offset: Text = ""


class Dynamics(_Part):
    """What a row moves, and how it rubs."""

    mass: Text = ""
    com: Triple = Field(NOTHING, strict=False)
    inertia: TensorCells = TensorCells()
    motor_inertia: Text = ""
    friction: FrictionCells = FrictionCells()


class Named(_Part):
    """A name and its value, SI."""

    name: Text
    value: Text = ""


class RobotDocument(_Part):
    """A robot as an editor holds it. `extra_toml`, here and in rows, is what of the robot file has no cell."""

    format: Literal[1] = 1
    kind: Literal["table", "frames"] = "table"
    name: Text = ""
    convention: Text = "standard"
    angle: Text = "deg"
    length: Text = "m"
    gravity: Triple = Field(NOTHING, strict=False)
    inertia_about: Text = "com"
    description: Text = ""
    source: Text = ""
    values: tuple[Named, ...] = Field((), strict=False)
    rows: tuple[Row, ...] = Field((), strict=False)
    dynamics: tuple[Dynamics, ...] = Field((), strict=False)
    extra_toml: Text = ""


def document_from_data(data: object) -> RobotDocument:
    """The document of plain data, as it comes over a wire; what has not its shape is refused in a sentence."""
    if not isinstance(data, Mapping):
        raise RobotFileError("found {text}", describe(data), hint="expected a document: a table of cells")
    try:
        return RobotDocument.model_validate(dict(data))
    except ValidationError as error:
        raise _sentence(error.errors(include_url=False)[0]) from None


def _sentence(problem: Any) -> RobotFileError:
    path = [part for part in problem["loc"] if part != "function-after"]
    where = ""
    if len(path) > 1 and path[0] in ("rows", "dynamics") and isinstance(path[1], int):
        where, path = joint_label(path[1] + 1, None), path[2:]
    field = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
    return RobotFileError("found {text}", describe(problem.get("input")), where=where, field=field, hint=problem["msg"])


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


_NUMBER = re.compile(r"[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|nan|inf)")
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
    """Row and column of the cells by their automatic names, a2 or Ixx3, by which some mistakes are named."""
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
    return _join_tables(_parse_toml(document.extra_toml, ""), raw | {"joint": joints}, "")


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
        return _join_tables(_parse_toml(self.row.extra_toml, self.where), named | cells, self.where)

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


def _parse_toml(text: str, where: str) -> dict[str, Any]:
    try:
        return toml_tables(text, Decimal) if text.strip() else {}
    except ValueError as error:
        raise RobotFileError("this is not valid TOML: {message}", error, where=where, field="extra_toml") from None


def _join_tables(extra: Mapping[str, object], cells: Mapping[str, object], where: str) -> dict[str, Any]:
    """Both; the laws of friction and the values may stand in both, no single entry may."""
    found = dict(cells)
    for key, value in extra.items():
        ours = found.get(key)
        if isinstance(ours, dict) and isinstance(value, dict):
            found[key] = _join_tables(value, ours, where)
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


# Robot file → document: every entry in its cell as it is written; what has no cell stays TOML.

_DOCUMENT_HEAD = {"name": "", "convention": "", "angle": "", "length": "m", "inertia_about": "com"}
_TEXTS = ("description", "source")
_CELLS = ("theta", "d", "a", "alpha", "pitch")
_SIX = ("xx", "yy", "zz", "xy", "xz", "yz")
_LAWS = ("viscous", "coulomb", "offset")


class Typed(str):
    """A number of a file, as it is written there."""


def document_from_robot(robot: RobotDescription) -> dict[str, Any]:
    """The document of a robot, whatever it was read from."""
    return document_from_toml(toml_from_robot(robot))


def document_from_toml(text: str) -> dict[str, Any]:
    """The document of a robot file, right or wrong, so long as it is TOML."""
    raw = raw_from_toml(checked_text(text), Typed)
    if raw.get("format") == 1:
        del raw["format"]
    head = {key: _taken_text(raw, key) or usual for key, usual in _DOCUMENT_HEAD.items()}
    texts = {key: _taken_text(raw, key) for key in _TEXTS}
    gravity = _taken_list(raw, "gravity", 3) or ["", "", ""]
    values = _taken_table(raw, "values", None)
    listed = raw.get("joint")
    joints = raw.pop("joint") if isinstance(listed, list) and all(isinstance(x, dict) for x in listed) else []
    bodies = list(map(_body, joints))
    rows = list(map(_row, joints))
    framed = head["convention"] == "urdf" or any(row[key] for row in rows for key in _LISTS)
    named = [{"name": name, "value": value} for name, value in values.items()]
    return {
        "format": 1, "kind": "frames" if framed else "table", **head, "gravity": gravity, **texts, "values": named,
        "rows": rows, "dynamics": bodies, "extra_toml": _lines(raw),
    }  # fmt: skip


def _row(joint: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {key: _taken_text(joint, key) for key in ("name", "type")}
    found |= {field: _take_entry(joint, field) for field in _CELLS}
    found |= {key: _taken_list(joint, key, 3) for key in _LISTS}
    found |= {"direction": _take_entry(joint, "direction"), "limits": _taken_list(joint, "limits", 2) or ["", ""]}
    found |= {key: _take_entry(joint, key) for key in ("velocity_limit", "effort_limit")}
    return found | {"extra_toml": _lines(joint)}


def _body(joint: dict[str, Any]) -> dict[str, Any]:
    return {
        "mass": _take_entry(joint, "mass"),
        "com": _taken_list(joint, "com", 3) or ["", "", ""],
        "inertia": dict.fromkeys(_SIX, "") | _taken_table(joint, "inertia", _SIX),
        "motor_inertia": _take_entry(joint, "motor_inertia"),
        "friction": dict.fromkeys(_LAWS, "") | _taken_table(joint, "friction", _LAWS),
    }


# what fits into cells is taken out of the table; the rest stays in it


def _is_entry(value: object) -> bool:
    """A number or a text that a cell can show; an empty text is an entry nobody can see."""
    return (isinstance(value, int | str) and not isinstance(value, bool)) and str(value).strip() != ""


def _taken_text(table: dict[str, Any], key: str) -> str:
    fits = isinstance(table.get(key), str) and not isinstance(table[key], Typed)
    return str(table.pop(key)) if fits else ""


def _take_entry(table: dict[str, Any], key: str) -> str:
    return str(table.pop(key)) if _is_entry(table.get(key)) else ""


def _taken_list(table: dict[str, Any], key: str, size: int) -> list[str] | None:
    listed = table.get(key)
    if not isinstance(listed, list) or len(listed) != size or not all(map(_is_entry, listed)):
        return None
    return [str(entry) for entry in table.pop(key)]


def _taken_table(table: Mapping[str, object], key: str, names: Sequence[str] | None) -> dict[str, str]:
    """Entries under these names, or under any; an empty table stays, since it says something."""
    inner = table.get(key)
    if not isinstance(inner, dict) or not inner:
        return {}
    fitting = [name for name, value in inner.items() if _is_entry(value) and (names is None or name in names)]
    found = {name: str(inner.pop(name)) for name in fitting}
    if not inner:
        del table[key]
    return found


def _lines(table: Mapping[str, object]) -> str:
    return "".join(f"{bare_key(key)} = {_toml_value(value)}\n" for key, value in table.items())


def _toml_value(value: object) -> str:
    """A value of TOML."""
    match value:
        case bool():
            return "true" if value else "false"
        case Typed():
            return str(value)
        case str():
            return quote_toml(value)
        case list():
            return f"[{', '.join(map(_toml_value, value))}]"
        case dict():
            return f"{{ {', '.join(f'{bare_key(key)} = {_toml_value(inner)}' for key, inner in value.items())} }}"
    return str(value)  # a whole number, a date
