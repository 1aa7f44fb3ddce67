"""The joint variable in a cell, as people write it: `q1`, `θ1`, `theta1*`, `θ1 + 90°`, `-q1`; of a slide `d3*`.

It may stand where its own joint moves, beside a constant offset. Anywhere else it is refused: a twist `theta2`, or
`theta1` in the second row, would be a new symbol that nobody meant. A parameter of such a name stands in parentheses,
`(theta1)`, or has a value in the file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from typing import Any, Literal

from manipula.errors import ManipulaError, RobotFileError
from manipula.mechanics.robot.coordinates import Coordinate, own_coordinate
from manipula.mechanics.robot.default_values import outside
from manipula.mechanics.robot.description import NamedPose, RobotDescription
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.formats.units import Entry, describe, entry_from_raw, text_in_units
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.values.parameter import (
    Deg,
    Name,
    Num,
    Parameter,
    ParameterOp,
    float_of,
    floats_of,
    names_of,
    parameter_from_text,
    text_of,
)
from manipula.mechanics.robot.values.terms import Quantity, Units, in_si, plain_text
from manipula.messages import Message
from manipula.support.text import spell_greek

Column = Literal["theta", "d"]
_LETTERS = {"theta": "q|theta|teta|th|t", "d": "q|d"}
_BLANK = ("", "-")
_VARIABLE = re.compile(r"(?<![\w.])(?:(?i:theta|teta)|q)_?\d*(?!\w)")
_IN_BRACKETS = re.compile(rf"(?<!\w)\(\s*{_VARIABLE.pattern}\s*\)")
_CELLS = ("theta", "d", "a", "alpha")
_LISTS = ("xyz", "rpy", "anchor")
_QUANTITIES = (*_CELLS, *_LISTS, "mass", "com", "first_moment", "inertia", "second_moment", "motor_inertia", "friction")


@dataclass(frozen=True)
class Variable:
    """The cell where the joint moves: offset + direction·q. `sure` is False for a bare `d3`, which may be a length."""

    offset: Entry = Fraction(0)
    direction: Literal[1, -1] = 1
    sure: bool = True
    name: str = ""  # as written


def is_blank(text: str) -> bool:
    """An empty cell or a dash."""
    return text.strip() in _BLANK


def variable_from_text(
    text: str, column: Column, rows: tuple[int, ...], values: Collection[str] = ()
) -> Variable | None:
    """The joint variable with its offset, if the cell is one; `rows` are the numbers it may carry, `values` the names
    that are parameters."""
    mark = rf"(?P<name>(?P<letter>{_LETTERS[column]})_?\{{?(?P<index>\d+|i|)\}}?)\s*(?P<star>\*|\(t\)|\(var\)|)"
    whole = plain_text(text)
    before = re.fullmatch(rf"(?P<sign>[-+]?)\s*{mark}\s*(?P<rest>[-+].*)?", whole, re.I)
    found = before or re.fullmatch(rf"(?P<rest>.*[\w)])\s*(?P<sign>[-+])\s*{mark}", whole, re.I)
    if found is None or (found["letter"].lower() in ("d", "t", "th") and not found["index"]) or found["name"] in values:
        return None
    sure = column == "theta" or bool(found["star"]) or found["letter"].lower() == "q"
    if found["index"].isdigit() and found["index"].lstrip("0") not in map(str, rows):
        if not sure:
            return None  # d2 in row 3 is a length like any other
        raise RobotFileError(
            "found {text}, the variable of another joint",
            describe(text),
            hint=Message("expected {found}{rows}", found["letter"], rows[0]),
        )
    if found["rest"]:
        refuse_variables(found["rest"], values)
    offset = entry_from_raw(found["rest"]) if found["rest"] else Fraction(0)
    return Variable(offset, -1 if found["sign"] == "-" else 1, sure, found["name"])


def refuse_variables(text: str, values: Collection[str] = (), own: Collection[int] = ()) -> None:
    """Raises on a joint variable in a constant; those numbered `own` are a row's constant angle."""
    for found in _VARIABLE.finditer(_IN_BRACKETS.sub("0", plain_text(text))):
        name = found[0]
        number = re.sub(r"\D", "", name)
        if name in values or (number and int(number) in own and name[0].lower() == "t"):
            continue
        raise RobotFileError(
            "found {text}, which reads like a joint variable",
            describe(text),
            hint=Message("put a parameter of this name in parentheses, ({found}), or give it a value", name),
        )


def bracket_variables(text: str, values: Collection[str] = ()) -> str:
    """The text of a parameter with names in parentheses that would be read as the joint variable."""
    return _VARIABLE.sub(lambda name: name[0] if name[0] in values else f"({name[0]})", text)


def moving_text(text: str, field: Column, rows: tuple[int, ...], values: Collection[str] = ()) -> str:
    """The text of a constant offset, in parentheses where it would be read as the joint variable."""
    try:
        variable = variable_from_text(text, field, rows, values)
    except RobotFileError:
        return f"({text})"
    return text if variable is None else f"({text})"


def with_offsets(raw: Mapping[str, object]) -> dict[str, Any]:
    """A file's tables with the joint variables taken out of the cells, which leaves the offsets and directions."""
    joints = raw.get("joint")
    if not isinstance(joints, list):
        return dict(raw)
    given = raw.get("values")
    values = {spell_greek(str(name)) for name in given} if isinstance(given, Mapping) else set[str]()
    moving, tables, slides = 1, list[Any](), dict[str, str]()
    for place in ("base", "tool"):
        if isinstance(table := raw.get(place), Mapping):
            for field, text in _texts(table):
                try:
                    refuse_variables(text, values)
                except RobotFileError as error:
                    raise RobotFileError(error.problem, where=place, field=field, hint=error.hint) from None
    for number, joint in enumerate(joints, 1):
        tables.append(_with_offset(joint, (number, moving), values, slides) if isinstance(joint, Mapping) else joint)
        moving += not (isinstance(joint, Mapping) and joint.get("type") == "fixed")
    for place, part in (
        ("base", raw.get("base")),
        ("tool", raw.get("tool")),
        *zip(map(_label, count(1), tables), tables),
    ):
        for field in _QUANTITIES if isinstance(part, Mapping) else ():
            for name in slides.keys() & set(_WORD.findall(" ".join(_strings(part.get(field))))):
                raise RobotFileError(
                    "the name {name!r} is the variable of {joint}", name, slides[name], where=place, field=field,
                    hint="use another name",
                )  # fmt: skip
    return {**raw, "joint": tables}


def _label(number: int, joint: object) -> str:
    name = joint.get("name") if isinstance(joint, Mapping) else None
    return joint_label(number, name if isinstance(name, str) else None)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield plain_text(value)
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(part)


def _with_offset(
    joint: Mapping[str, object], rows: tuple[int, int], values: Collection[str], slides: dict[str, str]
) -> dict[str, Any]:
    """`slides` learns what the row calls the variable of a shift."""
    kind, where = joint.get("type"), _label(rows[0], joint)
    moves = KINDS[kind].field if isinstance(kind, str) and kind in KINDS else ""
    table = dict(joint)
    for field, text in _texts(joint):
        try:
            if field != moves:
                refuse_variables(text, values, rows if field == "theta" else ())
                continue
            variable = variable_from_text(text, "theta" if field == "theta" else "d", rows, values)
            if variable is None:
                refuse_variables(text, values)
            else:
                table[field] = variable.offset
                table.setdefault("direction", variable.direction)
                if variable.name[:1] == "d":
                    slides[variable.name] = where
        except RobotFileError as error:
            raise RobotFileError(error.problem, where=where, field=field, hint=error.hint) from None
    return table


def _texts(joint: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    cells = {field: joint.get(field) for field in _CELLS}
    for field in _LISTS:
        entries = joint.get(field)
        cells |= {f"{field}[{k}]": x for k, x in enumerate(entries if isinstance(entries, list | tuple) else (), 1)}
    yield from ((field, text) for field, text in cells.items() if isinstance(text, str))


# A joint that follows others, as text: "2*elbow - shoulder + 0.1", linear in their coordinates, exact.
#
# A number alone has the unit of the joint that follows, `pi` is in radians, and a unit may be written: "j7 - j2 +
# pi/2", "j7 - j2 + 90 deg". A name that is no word of arithmetic stands in quotes: "2*'joint 1' + 0.1".


_QUOTED = re.compile(r"'((?:[^']|'')+)'")
_WORD = re.compile(r"[^\W\d]\w*")


def coordinate_from_text(text: str, quantity: Quantity, units: Units) -> Coordinate:
    """`quantity` is that of the joint that follows."""
    held = dict.fromkeys(_QUOTED.findall(text))  # a quote within a name is written twice
    words = {name: f"held{number}in{len(text)}" for number, name in enumerate(held)}
    plain = _QUOTED.sub(lambda quoted: words[quoted[1]], text)
    names = {spell_greek(word): word for word in _WORD.findall(plain)} | {
        word: name.replace("''", "'") for name, word in words.items()
    }
    tree = in_si(parameter_from_text(plain_text(plain)), quantity, units, describe(text))
    found = _linear(tree, text)
    moving = tuple(term for term in found.terms if term[1]) or found.terms  # 0*elbow stands still
    return replace(found, terms=tuple((names.get(name, name), factor) for name, factor in moving))


def text_from_coordinate(coordinate: Coordinate, quantity: Quantity, units: Units) -> str:
    named = [(_quote_name(name), k) for name, k in coordinate.terms]
    terms = [(f"{_number(abs(k))}*{name}" if abs(k) != 1 else name, k < 0) for name, k in named]
    parts: tuple[Num | Deg, ...] = (Num(coordinate.constant), Deg(coordinate.degrees))
    for part in parts:
        if part.value:
            terms.append((text_in_units(type(part)(abs(part.value)), quantity, units), part.value < 0))
    text = " ".join(f"{'-' if minus else '+'} {term}" for term, minus in terms)
    return text.removeprefix("+ ")


def _quote_name(name: str) -> str:
    """The name as the text has it."""
    quoted = "'" + name.replace("'", "''") + "'"
    try:
        return name if parameter_from_text(plain_text(name)) == Name(name) else quoted
    except ManipulaError:
        return quoted


def _number(x: Fraction) -> str:
    text = text_of(Num(x))
    return text if text.replace(".", "").isdigit() else f"({text})"


def _linear(x: Parameter, text: str) -> Coordinate:
    match x:
        case Num(value):
            return Coordinate((), value)
        case Deg(value):
            return Coordinate((), degrees=value)
        case Name(name):
            return own_coordinate(name)
        case ParameterOp("neg", (a,)):
            return -1 * _linear(a, text)
        case ParameterOp("+" | "-" as op, (a, b)):
            return _linear(a, text) + (1 if op == "+" else -1) * _linear(b, text)
        case ParameterOp("*", (a, Num(k))) | ParameterOp("*", (Num(k), a)):
            return k * _linear(a, text)
        case ParameterOp("/", (a, Num(k))) if k:
            return 1 / k * _linear(a, text)
    raise RobotFileError("found {text!r}, which is not linear in the coordinates of joints", text)


# Poses by name, `home` or `ready`: a coordinate for every joint that moves on its own, kept by the joint's name, so
# that an arm with fewer joints has what is left of them.


def named_pose(robot: RobotDescription, name: str, entries: Sequence[Parameter]) -> NamedPose:
    """A pose of this robot; one that it cannot take is refused."""
    if len(entries) != robot.dof:
        told, joints = Message("found {count} coordinates", len(entries)), ", ".join(robot.joint_names)
        raise _wrong(robot, name, told, Message("expected {dof}, of {joints}", robot.dof, joints))
    values, rows = floats_of(dict(robot.values)), {joint.name: joint for joint in robot.joints}
    for joint, entry in zip(robot.joint_names, entries):
        if unknown := [letter for letter in names_of(entry) if letter not in values]:
            raise _wrong(
                robot,
                name,
                Message("{unknown!r} of joint {joint!r} has no value", unknown[0], joint),
                Message("expected numbers"),
            )
        if there := outside(rows[joint], entry, values):
            raise _wrong(robot, name, Message("joint {joint!r} would stand at {outside}", joint, there), "")
    return name, tuple(zip(robot.joint_names, entries))


def _wrong(robot: RobotDescription, name: str, problem: str, hint: str) -> RobotFileError:
    return RobotFileError(problem, file=robot.origin.path, field=f"poses.{name}", hint=hint)


def poses_of(robot: RobotDescription) -> dict[str, tuple[float, ...]]:
    """In numbers, joint by joint."""
    values = floats_of(dict(robot.values))
    kept = ((name, dict(entries)) for name, entries in robot.named_poses)
    return {name: tuple(float_of(at[joint], values) for joint in robot.joint_names) for name, at in kept}
