"""The joint variable in a cell, as people write it: `q1`, `θ1`, `theta1*`, `θ1 + 90°`, `-q1`; of a slide `d3*`.

It may stand where its own joint moves, beside a constant offset. Anywhere else it is refused: a twist `theta2`, or
`theta1` in the second row, would be a new symbol that nobody meant. A parameter of such a name stands in parentheses,
`(theta1)`, or has a value in the file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.formats.units import Entry, describe, entry_from_raw
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.values.terms import plain_text
from manipula.messages import Message
from manipula.support.text import spell_greek

Column = Literal["theta", "d"]
_LETTERS = {"theta": "q|theta|teta|th|t", "d": "q|d"}
_BLANK = ("", "-")
_VARIABLE = re.compile(r"(?<![\w.])(?:(?i:theta|teta)|q)_?\d*(?!\w)")
_IN_BRACKETS = re.compile(rf"(?<!\w)\(\s*{_VARIABLE.pattern}\s*\)")
_CELLS = ("theta", "d", "a", "alpha")
_LISTS = ("xyz", "rpy", "anchor")


@dataclass(frozen=True)
class Variable:
    """The cell where the joint moves: offset + direction·q. `sure` is False for a bare `d3`, which may be a length."""

    offset: Entry = Fraction(0)
    direction: Literal[1, -1] = 1
    sure: bool = True


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
    return Variable(offset, -1 if found["sign"] == "-" else 1, sure)


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
    moving, tables = 1, list[Any]()
    for number, joint in enumerate(joints, 1):
        tables.append(_with_offset(joint, (number, moving), values) if isinstance(joint, Mapping) else joint)
        moving += not (isinstance(joint, Mapping) and joint.get("type") == "fixed")
    return {**raw, "joint": tables}


def _with_offset(joint: Mapping[str, object], rows: tuple[int, int], values: Collection[str]) -> dict[str, Any]:
    kind, name = joint.get("type"), joint.get("name")
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
        except RobotFileError as error:
            where = joint_label(rows[0], name if isinstance(name, str) else None)
            raise RobotFileError(error.problem, where=where, field=field, hint=error.hint) from None
    return table


def _texts(joint: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    cells = {field: joint.get(field) for field in _CELLS}
    for field in _LISTS:
        entries = joint.get(field)
        cells |= {f"{field}[{k}]": x for k, x in enumerate(entries if isinstance(entries, list | tuple) else (), 1)}
    yield from ((field, text) for field, text in cells.items() if isinstance(text, str))
