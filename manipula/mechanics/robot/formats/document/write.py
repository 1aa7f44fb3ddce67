"""Robot file → document: every entry in its cell as it is written; what has no cell stays TOML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.source import checked_text
from manipula.mechanics.robot.formats.toml.read import raw_from_toml
from manipula.mechanics.robot.formats.toml.write import bare_key, toml_from_robot
from manipula.support.toml_text import quoted

_HEAD = {"name": "", "convention": "", "angle": "", "length": "m", "inertia_about": "com"}
_TEXTS = ("description", "source")
_CELLS = ("theta", "d", "a", "alpha", "pitch")
_LISTS = ("xyz", "rpy", "axis")
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
    head = {key: _taken_text(raw, key) or usual for key, usual in _HEAD.items()}
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
    found |= {field: _taken(joint, field) for field in _CELLS}
    found |= {key: _taken_list(joint, key, 3) for key in _LISTS}
    found |= {"direction": _taken(joint, "direction"), "limits": _taken_list(joint, "limits", 2) or ["", ""]}
    found |= {key: _taken(joint, key) for key in ("velocity_limit", "effort_limit")}
    return found | {"extra_toml": _lines(joint)}


def _body(joint: dict[str, Any]) -> dict[str, Any]:
    return {
        "mass": _taken(joint, "mass"),
        "com": _taken_list(joint, "com", 3) or ["", "", ""],
        "inertia": dict.fromkeys(_SIX, "") | _taken_table(joint, "inertia", _SIX),
        "motor_inertia": _taken(joint, "motor_inertia"),
        "friction": dict.fromkeys(_LAWS, "") | _taken_table(joint, "friction", _LAWS),
    }


# what fits into cells is taken out of the table; the rest stays in it


def _is_entry(value: object) -> bool:
    """A number or a text that a cell can show; an empty text is an entry nobody can see."""
    return (isinstance(value, int | str) and not isinstance(value, bool)) and str(value).strip() != ""


def _taken_text(table: dict[str, Any], key: str) -> str:
    fits = isinstance(table.get(key), str) and not isinstance(table[key], Typed)
    return str(table.pop(key)) if fits else ""


def _taken(table: dict[str, Any], key: str) -> str:
    return str(table.pop(key)) if _is_entry(table.get(key)) else ""


def _taken_list(table: dict[str, Any], key: str, size: int) -> list[str] | None:
    listed = table.get(key)
    if not isinstance(listed, list) or len(listed) != size or not all(map(_is_entry, listed)):
        return None
    return [str(entry) for entry in table.pop(key)]


def _taken_table(table: dict[str, Any], key: str, names: Sequence[str] | None) -> dict[str, str]:
    """Entries under these names, or under any; an empty table stays, since it says something."""
    inner = table.get(key)
    if not isinstance(inner, dict) or not inner:
        return {}
    fitting = [name for name, value in inner.items() if _is_entry(value) and (names is None or name in names)]
    found = {name: str(inner.pop(name)) for name in fitting}
    if not inner:
        del table[key]
    return found


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(f"{bare_key(key)} = {_written(value)}\n" for key, value in table.items())


def _written(value: Any) -> str:
    """A value of TOML."""
    match value:
        case bool():
            return "true" if value else "false"
        case Typed():
            return str(value)
        case str():
            return quoted(value)
        case list():
            return f"[{', '.join(map(_written, value))}]"
        case dict():
            return f"{{ {', '.join(f'{bare_key(key)} = {_written(inner)}' for key, inner in value.items())} }}"
    return str(value)  # a whole number, a date
