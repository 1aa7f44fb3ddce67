"""Denavit–Hartenberg tables: as people paste them, as Python rows, and saved as CSV.

Each becomes the tables of a robot file, so that one reader checks and builds them all.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from manipula.errors import InputError, RobotFileError, caution
from manipula.mechanics.robot.description import Joint, RobotDescription, cells_in
from manipula.mechanics.robot.exact import is_zero
from manipula.mechanics.robot.formats.dh.joints import (
    ANGLES,
    angle_unit,
    joint_tables,
    kind_from_text,
    marks_variable,
    read_rows,
    refuse_misplaced,
    refuse_other_units,
)
from manipula.mechanics.robot.formats.dh.other_texts import left_out_note, plain_lines
from manipula.mechanics.robot.formats.dh.table import PastedTable, columns_from_words, table_from_text
from manipula.mechanics.robot.formats.rows import FIELDS, Convention, row_from_joint
from manipula.mechanics.robot.formats.source import checked_text, errors_of, joint_label
from manipula.mechanics.robot.formats.toml.build import QUANTITY_OF
from manipula.mechanics.robot.formats.toml.read import robot_from_raw
from manipula.mechanics.robot.formats.toml.write import convention_of
from manipula.mechanics.robot.formats.units import describe, text_in_units
from manipula.mechanics.robot.formats.variables import bracket_variables, moving_text
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.suffixes import row_names
from manipula.mechanics.robot.topology import refuse_branches
from manipula.mechanics.robot.values.parameter import ZERO, Num, Parameter, names_of, text_of
from manipula.mechanics.robot.values.terms import Angle, Length, Units, length_of
from manipula.messages import Message

# Robot → its Denavit–Hartenberg table as CSV: the geometry, its names and their values, nothing of the masses.

COMMENT_MARKS = ("#", "//", "%")


def dh_text_from_robot(robot: RobotDescription) -> str:
    """The table. Comment lines hold the convention, the values of names, and what the table has no place for."""
    refuse_branches(robot, Message("a table is a serial arm"), Message("save it as TOML or URDF, which hold trees"))
    refuse_parameters(robot)
    convention, units = convention_of(robot), Units(robot.origin.angle, robot.origin.length)
    text = io.StringIO()
    text.writelines(f"# {line}\n" for line in _comments(robot, convention))
    writer = csv.writer(text, lineterminator="\n")
    quoted = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    angle, length = f"({units.angle})", f"({units.length})"
    backwards = any(joint.direction == -1 for joint in robot.joints)
    header = ["joint", "type", f"theta {angle}", f"d {length}", f"a {length}", f"alpha {angle}"]
    writer.writerow([*header, "direction"] if backwards else header)
    moving, values = 0, {name for name, _ in robot.values}
    unnamed = row_names((joint.kind, None) for joint in robot.joints)
    for number, joint in enumerate(robot.joints, 1):
        name = str(number) if joint.name == unnamed[number - 1] else joint.name
        moving += joint.kind != "fixed"
        cells = [name, *_cells(joint, convention, units, (number, moving), values)]
        kept = quoted if name.startswith(COMMENT_MARKS) else writer
        kept.writerow([*cells, joint.direction] if backwards else cells)
    return text.getvalue()


def refuse_parameters(robot: RobotDescription) -> None:
    """A table has no column for what a kind of joint has besides."""
    for row, joint in enumerate(robot.joints, 1):
        for entry, _ in joint.kind_items():
            raise RobotFileError(
                "is {kind}, and a table has no column for its {key}",
                joint.kind,
                entry.key,
                where=joint_label(row, joint.name),
                hint="save it as TOML",
            )


def _comments(robot: RobotDescription, convention: Convention) -> Iterator[str]:
    yield f"name = {robot.name}"
    yield f"convention = {convention}"
    values, used = dict(robot.values), set[str]()
    waiting = [name for cell in _geometry(robot, convention) for name in names_of(cell)]
    while waiting:
        name = waiting.pop()
        if name in values and name not in used:
            waiting.extend(names_of(values[name]))
        used.add(name)
    yield from (f"{name} = {text_of(value)}" for name, value in robot.values if name in used)
    lost = lost_from_robot(robot)
    yield from (f"not in this table: {', '.join(lost)}",) if lost else ()


def lost_from_robot(robot: RobotDescription) -> list[str]:
    """What of the robot a table of geometry has no place for."""
    return [what for what, there in _elsewhere(robot).items() if there]


def _elsewhere(robot: RobotDescription) -> dict[str, bool]:
    bodies = [body for joint in robot.joints for body in (joint.body, *(held.body for held in joint.carries)) if body]
    bodies += [held.body for held in robot.ground]
    drives = [cell for joint in robot.joints for cell in joint.actuator.parameters_by_letter().values()]
    return {
        "base": bool(robot.base),
        "tool": bool(robot.tool),
        "masses": any(cell.value is not None and not is_zero(cell.value) for cell in cells_in(tuple(bodies))),
        "payload": bool(robot.payload),
        "motors and friction": any(not is_zero(cell.value) for cell in drives),
        "limits": any(joint.limits or joint.velocity_limit or joint.effort_limit for joint in robot.joints),
        "springs": any(joint.springs for joint in robot.joints),
        "two-point elements": bool(robot.elements),
        "poses": bool(robot.named_poses),
        "frames": bool(robot.frames),
        "gravity": [cell.parameter for cell in robot.gravity] != [ZERO, ZERO, Num(Fraction("-9.81"))],
    }


def _geometry(robot: RobotDescription, convention: Convention) -> Iterator[Parameter]:
    for joint in robot.joints:
        row = row_from_joint(joint, convention)
        yield from (row[field].parameter for field in FIELDS if row)


def _cells(
    joint: Joint, convention: Convention, units: Units, rows: tuple[int, int], values: Collection[str]
) -> list[str]:
    row = row_from_joint(joint, convention)
    assert row is not None  # convention_of has tried every row
    texts = {field: text_in_units(row[field].parameter, QUANTITY_OF[field], units) for field in FIELDS}
    texts = {field: bracket_variables(text, values) for field, text in texts.items()}
    if moves := KINDS[joint.kind].field:
        texts[moves] = moving_text(texts[moves], moves, rows, values)
    return [joint.kind, *texts.values()]


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
        plain = plain_lines(checked_text(text))
        if plain.convention and convention and plain.convention != convention:
            raise RobotFileError(
                "the text states the {stated} convention, {asked} was requested", plain.convention, convention,
                field="header", hint=Message("choose {stated}", plain.convention),
            )  # fmt: skip
        convention = cast("Convention | None", plain.convention or convention)
        said += [left_out_note(plain.left_out)] if plain.left_out else []
        table = table_from_text(plain.text, order, convention == "modified")
        if table.assumed:
            taken = ", ".join(column for column in table.columns if column in FIELDS)
            said.append(
                Message("header: missing, the columns are taken as {taken} (a first line can name them)", taken)
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
            "the header says {header}, but angle={angle!r} was requested",
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
        said.append(Message("header: it reads like the modified convention (i-1), but the standard one was requested"))
    found = asked or table.settings.get("convention") or ("modified" if table.modified else "")
    if not found:
        said.append(_convention_note(table))
    return found or "standard"


def _convention_note(table: PastedTable) -> str:
    """A table of numbers reads the same in both conventions; the order of its columns may show which it is."""
    order = [column for column in table.columns if column in FIELDS]
    books = order.index("alpha") < order.index("theta") and order.index("a") < order.index("d")
    look = Message(", though books print the modified one in this order: {order}", ", ".join(order)) if books else ""
    return Message(
        "the table does not say its convention, standard is assumed{look} (say convention={meant}, --convention "
        "{meant} in a shell, or # convention = {meant} above the table)",
        look,
        "modified" if books else "standard",
    )


def robot_from_rows(
    rows: Iterable[Row],
    convention: Convention = "standard",
    angle: Angle = "deg",
    length: Length = "m",
    name: str = "robot",
    columns: str | Sequence[str] | None = None,
    exact: bool = False,
    **more: object,
) -> RobotDescription:
    """A robot from Python. A row is a tuple (theta, d, a, alpha) or (theta, d, a, alpha, type), in the order of
    `columns` where they are said, or a mapping with any keys of a `[[joint]]` of the robot file; the type is revolute
    unless said. `more` takes the other keys of the file: gravity, base, tool, payload, values, inertia_about,
    inertia_default, source, description.
    """
    refuse_other_words(convention=convention, angle=angle, length=length)
    order = _order(convention, columns)
    if isinstance(rows, str):
        raise RobotFileError("found text", field="rows", hint=Message("a table as text is read by {name}",
                                                                      "Robot.from_text"))  # fmt: skip
    if not isinstance(rows, Iterable):
        raise RobotFileError(
            "found {text}", describe(rows), field="rows", hint="expected a list of rows, one for each joint"
        )
    joints = [_table_from_row(number, row, order) for number, row in enumerate(rows, 1)]
    _refuse_unmarked(joints, more.get("values"))
    joints = [{"type": _kind_by_mark(joint, n, more.get("values")), **joint} for n, joint in enumerate(joints, 1)]
    head = {"format": 1, "name": name, "convention": convention, "angle": angle, "length": length}
    given = {key: _plain(value) for key, value in more.items() if value is not None}
    return robot_from_raw({**head, **given, "joint": joints}, "", "python", exact)


# what books and other libraries call them
_OURS = {
    "convention": {
        "modified": ("craig", "mdh", "modified_dh", "modified dh", "proximal", "khalil", "dhm"),
        "standard": ("dh", "sdh", "paul", "spong", "siciliano", "classic", "classical", "distal", "standard_dh"),
    },
    "angle": {"deg": ("degree", "degrees", "°"), "rad": ("radian", "radians")},
    "length": {"m": ("metre", "metres", "meter", "meters"), "cm": ("centimetre", "centimetres", "centimeters"),
               "mm": ("millimetre", "millimetres", "millimeter", "millimeters")},
}  # fmt: skip


def refuse_other_words(**said: object) -> None:
    """A word of another book or library is met with ours."""
    for key, word in said.items():
        for ours, theirs in _OURS[key].items():
            if isinstance(word, str) and word != ours and word.strip().casefold() in (ours, *theirs):
                raise InputError("{key}: found {word!r}; here it is called {ours!r}", key, word, ours)


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
    unnamed = len(row) == len(named) and named[-1] == "type" and isinstance(row[-1], int | float)
    if unnamed and row[0] in (number - 1, number):
        raise RobotFileError(
            "found five numbers, the first of them {number}: is it the index of the joint?", row[0],
            where=joint_label(number, None), field="row",
            hint=Message("leave the index out: ({listed})", ", ".join(named[:-1])),
        )  # fmt: skip
    return {key: value for key, value in zip(named, row) if value is not None}


def _refuse_unmarked(joints: Sequence[Mapping[str, Any]], values: object) -> None:
    """A row without a type and without its variable, where other rows have theirs: which joint it is, nobody said."""
    marks = [marks_variable(joint, number, _names(values)) for number, joint in enumerate(joints, 1)]
    for number, (joint, marked) in enumerate(zip(joints, marks), 1):
        if any(marks) and not marked and "theta" in joint and "type" not in joint:
            name = joint.get("name")
            raise RobotFileError(
                "no entry is marked as the joint variable, unlike in other rows", field="theta",
                where=joint_label(number, name if isinstance(name, str) else None),
                hint='add its type to the row: "R", "P" or "F"',
            )  # fmt: skip


def _kind_by_mark(joint: Mapping[str, Any], number: int, values: object) -> str:
    """Prismatic where the row marks d as its variable, d3* or q3, as pasted tables do."""
    return "prismatic" if marks_variable({"d": joint.get("d")}, number, _names(values)) else "revolute"


def _names(values: object) -> Collection[str]:
    return values if isinstance(values, Mapping) else ()


def _plain(value: object) -> Any:
    """Lists and Python numbers in place of tuples, arrays and array scalars."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if getattr(value, "free_symbols", None):
        return str(value)  # of SymPy: q1 may stand where the joint moves
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
