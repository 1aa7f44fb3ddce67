"""Robot files in TOML: read, validated, translated into the frozen robot (`toml_text` writes them)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, Literal

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import Origin, RobotDescription
from manipula.mechanics.robot.formats.checks import warn_about
from manipula.mechanics.robot.formats.entry_checks import refuse_bad_names, refuse_heavy
from manipula.mechanics.robot.formats.snap_to_exact import Structure, finish_reading
from manipula.mechanics.robot.formats.source import checked_text, errors_of, joint_label, refuse_too_many
from manipula.mechanics.robot.formats.toml import schema
from manipula.mechanics.robot.formats.toml.build import joint_names, robot_from_table
from manipula.mechanics.robot.formats.toml.write import toml_from_robot
from manipula.mechanics.robot.formats.units import describe
from manipula.mechanics.robot.formats.variables import with_offsets
from manipula.mechanics.robot.joints import one_of_kinds
from manipula.mechanics.robot.topology import refuse_massless_base
from manipula.mechanics.robot.values.terms import Units, length_of
from manipula.messages import Message
from manipula.support.text import toml_tables

__all__ = ["toml_from_robot"]


# From pydantic's findings to one sentence: joint, field, what was found, what would be right.

_TABLES: dict[str, type[BaseModel]] = {
    "joint": schema.JointTable,
    "payload": schema.PayloadTable,
    "base": schema.BaseTable,
    "tool": schema.ToolTable,
    "inertia": schema.Tensor,
    "second_moment": schema.Tensor,
    "friction": schema.Friction,
    **schema.FRICTION_TABLES,
    "carries": schema.CarriedTable,
    "springs": schema.SpringTable,
    "loop": schema.LoopTable,
    "motors": schema.MotorsTable,
    "element": schema.ElementTable,
}
_WANTED = {
    "string_type": Message("expected text in quotes"),
    "string_too_short": Message("expected a name"),
    "string_too_long": Message("expected at most 100 characters"),
    "string_pattern_mismatch": Message("expected one line of text"),
    "tuple_type": Message("expected a list"),
    "dict_type": Message("expected a table of names and values"),
    "model_type": Message("expected a table"),
}
_MISSING = {
    "format": Message("write format = 1 at the top"),
    "convention": Message('write convention = "standard" or "modified"'),
    "angle": Message('write angle = "deg" or "rad"'),
    "joint": Message("a robot has at least one [[joint]]"),
    "type": Message("write type = {one_of_kinds}", one_of_kinds(quoted=True)),
}
OTHER_KEYS = {  # what people write for a key of ours, of the file and of a joint, apart by blanks
    schema.RobotTable: {
        "joint": "joints link links row rows dh",
        "values": "parameters params variables symbols constants value",
        "gravity": "g gravity_vector",
        "angle": "unit units angles",
        "tool": "tcp flange end_effector ee",
        "base": "world root",
        "element": "spring elements",
        "payload": "load",
    },
    schema.JointTable: {
        "type": "kind joint_type sigma",
        "theta": "offset q th variable",
        "d": "r",
        "mass": "m",
        "com": "cg cog center_of_mass centre_of_mass",
        "inertia": "I Ixx ixx tensor",
        "limits": "limit qlim range lower upper min max",
        "velocity_limit": "velocity qd_max max_velocity",
        "effort_limit": "effort torque_limit tau_max max_torque torque",
        "motor_inertia": "Jm armature rotor_inertia motor",
        "gear": "gear_ratio ratio G N",
        "friction": "B Tc viscous coulomb damping frictionloss",
        "xyz": "position pos origin translation",
        "rpy": "rotation euler orientation",
    },
}


def table_from_raw(raw: Mapping[str, Any]) -> schema.RobotTable:
    """The validated file, every column in SI, or the most telling problem in it."""
    units = Units("deg" if raw.get("angle") == "deg" else "rad", length_of(raw.get("length")))
    try:
        return schema.RobotTable.model_validate(with_offsets(raw), context=units)
    except ValidationError as error:
        found = error.errors(include_url=False)
        # a misspelt key also looks like a missing one: the misspelling is the news
        found.sort(key=lambda problem: problem["type"] != "extra_forbidden")
        first, *others = (_sentence(problem, raw) for problem in found if problem is found[0] or not _echo(problem))
        first.others = tuple(others)
        raise first from None


def _echo(problem: ErrorDetails) -> bool:
    """Rows that were refused are missing in the list, which says so again."""
    return problem["loc"] == ("joint",) and problem["type"] == "too_short"


def _sentence(problem: ErrorDetails, raw: Mapping[str, Any]) -> RobotFileError:
    where, path = _place(problem["loc"], raw)
    inner = problem.get("ctx", {}).get("error")
    if isinstance(inner, RobotFileError):
        path = [*path, inner.field] if inner.field else path
        return RobotFileError(inner.problem, where=where, field=_field_path(path), hint=inner.hint)
    text, hint = _problem_and_hint(problem)
    return RobotFileError(text, where=where, field=_field_path(path), hint=hint)


def _place(loc: tuple[int | str, ...], raw: Mapping[str, Any]) -> tuple[str, list[int | str]]:
    """The joint, and the path of keys inside it."""
    path = list(loc)
    if len(path) > 1 and path[0] == "joint" and isinstance(path[1], int):
        row = raw["joint"][path[1]]
        name = row.get("name") if isinstance(row, Mapping) else None
        return joint_label(path[1] + 1, name if isinstance(name, str) else None), path[2:]
    return "", path


def _field_path(path: Iterable[int | str]) -> str:
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}"
    return text.lstrip(".")


def _problem_and_hint(problem: ErrorDetails) -> tuple[str, str]:
    kind, loc, context = problem["type"], problem["loc"], problem.get("ctx", {})
    found = Message("found {text}", describe(problem.get("input")))
    match kind:
        case "missing":
            return Message("is missing"), _MISSING.get(str(loc[-1]), _list_hint(loc))
        case "extra_forbidden":
            return Message("unknown key"), _known_keys(loc)
        case "literal_error":
            return found, Message("expected {one_of_kinds}", context.get("expected", ""))
        case "too_short" if loc == ("joint",):
            return Message("there are no joints"), _MISSING["joint"]
        case "too_long" | "too_short":
            wanted = context.get("max_length", context.get("min_length"))
            return Message("found a list of {actual_length}", context.get("actual_length")), Message(
                "expected {wanted} entries", wanted
            )
    return found, _WANTED.get(kind, problem["msg"])


def _list_hint(loc: tuple[int | str, ...]) -> str:
    return Message("the list is too short") if isinstance(loc[-1], int) else Message("it is required")


def _known_keys(loc: tuple[int | str, ...]) -> str:
    owner = next((part for part in reversed(loc[:-1]) if isinstance(part, str)), "")
    table, key = _TABLES.get(owner, schema.RobotTable), str(loc[-1])
    known = list(table.model_fields)
    near = [ours for ours, theirs in OTHER_KEYS.get(table, {}).items() if key in theirs.split()]
    if near == ["angle"]:
        return Message("units stand at the top: {lines}", 'angle = "deg", length = "mm"')
    near = near or get_close_matches(key, known, n=1)
    return Message("did you mean {column_of!r}?", near[0]) if near else Message("known here: {known}", ", ".join(known))


Form = Literal["toml", "dh", "python"]


def robot_from_toml(text: str, file: str = "", exact: bool = False) -> RobotDescription:
    """The robot of a TOML file. Mistakes raise `RobotFileError`; oddities are `ManipulaWarning`s.

    `exact` keeps angles near a quarter turn and lengths of nothing as they are written (see `structure`).
    """
    with errors_of(file):
        return robot_from_raw(raw_from_toml(checked_text(text)), file, "toml", exact)


def robot_from_raw(raw: Mapping[str, Any], file: str, form: Form, exact: bool = False) -> RobotDescription:
    """The robot of a file's content as plain tables; every table format comes through here."""
    with errors_of(file):
        refuse_too_many(len(raw["joint"]) if isinstance(raw.get("joint"), list) else 0)
        table = table_from_raw(with_planar_rows(raw))
        robot = robot_from_table(table, _origin(table, file, form))
        refuse_heavy(robot)
        refuse_bad_names(robot)
        refuse_massless_base(robot)
        structure = Structure(exact or table.exact)
        robot = finish_reading(robot, structure)
        warn_about(robot)
    structure.warn(file)
    return robot


PLANAR = ("base_x", "base_y", "base_yaw")
_BODY = ("mass", "com", "first_moment", "inertia", "second_moment", "inertia_about", "link_name", "carries")


def with_planar_rows(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """A base that moves in its plane as three rows: it slides along x, then y, then turns about z, and only the last
    row has a body, the base's. Its own pose stays the place of the plane."""
    base, rows = raw.get("base"), raw.get("joint")
    if not isinstance(base, Mapping) or base.get("moving") != "planar" or not isinstance(rows, list):
        return raw
    nothing = {"mass": 0, "com": [0, 0, 0], "inertia": dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0)}
    body = {key: base[key] for key in _BODY if key in base}
    kinds = (("prismatic", [1, 0, 0]), ("prismatic", [0, 1, 0]), ("revolute", [0, 0, 1]))
    planar = [
        {"name": name, "type": kind, "xyz": [0, 0, 0], "axis": axis, **(body if name == PLANAR[2] else nothing)}
        for name, (kind, axis) in zip(PLANAR, kinds)
    ]
    stands = [{**x, "parent": PLANAR[2]} if isinstance(x, Mapping) and x.get("parent") == "base" else x for x in rows]
    frames = [{**x, "on": PLANAR[2]} if isinstance(x, Mapping) and x.get("on") == "base" else x for x in _list(raw)]
    kept = {key: value for key, value in base.items() if key in ("xyz", "rpy")}
    return {**raw, "joint": [*planar, *stands], "base": kept, **({"frame": frames} if frames else {})}


def _list(raw: Mapping[str, Any]) -> list[Any]:
    frames = raw.get("frame")
    return frames if isinstance(frames, list) else []


def _origin(table: schema.RobotTable, file: str, form: Form) -> Origin:
    notes = (f"{name}: {joint.note}" for name, joint in zip(joint_names(table), table.joint) if joint.note)
    base = "" if table.base is None else table.base.link_name or ""
    about = (file, table.source, (*table.notes, *notes), table.description, base, table.visuals)
    return Origin(form, table.convention, table.angle, table.length, *about)


def raw_from_toml(text: str, number: Callable[[str], Any] = Decimal) -> dict[str, Any]:
    """The tables of the text; `number` makes something of a number with a point."""
    try:
        return toml_tables(text, number)
    except tomllib.TOMLDecodeError as error:
        raise _syntax(str(error), text) from None
    except ValueError as error:
        raise RobotFileError("this is not valid TOML: {message}", error) from None


def _syntax(message: str, text: str) -> RobotFileError:
    """The parser's complaint, with the usual slips of a table typed by hand named."""
    found = re.search(r"\s*\(at (?:line (\d+), column \d+|end of document)\)", message)
    lines = text.splitlines()
    number = int(found[1]) if found and found[1] else len(lines)
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    problem = message[: found.start()] if found else message
    return RobotFileError(
        "this is not valid TOML: {message}",
        problem,
        where=Message("line {number}", number),
        field=_key(line),
        hint=_slip(line),
    )


def _key(line: str) -> str:
    return line.split("=", maxsplit=1)[0].strip()[:40] if "=" in line else ""


def _slip(line: str) -> str:
    if re.search(r"[0-9]\s*[°º˚]", line):
        return Message('write the number without its degree sign, or in quotes, as in "90°"')
    if re.search(r"=\s*-?[0-9]+,[0-9]", line):
        return Message("write a decimal point, not a comma")
    if re.search(r"=\s*-?[A-Za-z]", line):
        return Message('write names and expressions in quotes, such as "a2"')
    return Message("the line reads {line!r}", line.strip()[:60]) if line.strip() else ""
