"""Text of a SYMORO file: its lists, and the joint variable inside an entry: `t2`, `th2 + pi/2`, `-q3`, with what is
constant beside it; `t7 - t2 + pi/2` in another joint's row is a joint that follows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from manipula.errors import RobotFileError
from manipula.mechanics.robot import joints
from manipula.mechanics.robot.description import SIX, JointKind
from manipula.mechanics.robot.exact import Formula, opposite
from manipula.mechanics.robot.values.parameter import (
    ZERO,
    Name,
    Num,
    Parameter,
    ParameterOp,
    names_of,
    text_of,
)
from manipula.messages import Message

GEOMETRY = ("ant", "sigma", "b", "d", "r", "gamma", "alpha", "mu", "theta")
INERTIA = tuple(pair.upper() for pair in SIX)
DYNAMICS = (*INERTIA, "MX", "MY", "MZ", "M", "IA", "FV", "FS")
WRENCH = ("FX", "FY", "FZ", "CX", "CY", "CZ")
AT_REST = ("W0", "WP0", "V0", "VP0")
ACTUATOR = {"Ia": "IA", "fv": "FV", "fc": "FS"}  # the letters of what the format can hold of an actuator
UNREAD = (*WRENCH, "QP", "QDP", "GAM", "K")  # inputs of a computation, and the springs of elastic joints
FLAGS = ("is_mobile", "is_floating")
SETTINGS = ("NL", "NJ", "NF", "Type", *FLAGS)
KNOWN = {key.lower(): key for key in (*GEOMETRY, *DYNAMICS, *AT_REST, *UNREAD, "eta", "Z", "G")}
KINDS: dict[str, JointKind] = {
    kind.formats["par"]: kind.name for kind in joints.KINDS.values() if "par" in kind.formats
}
IDENTITY = "1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1"
ONE = Num(Fraction(1))

_LETTERS: dict[JointKind, str] = {"revolute": "t|th|theta|q", "prismatic": "r|q|l|rl"}
_FIELD: dict[JointKind, str] = {"revolute": "Theta", "prismatic": "R"}


def split_variable(entry: Parameter, row: int, kind: JointKind, notes: list[str]) -> tuple[Parameter, int]:
    """(offset, direction): the entry is offset + direction · q."""
    if isinstance(entry, Name):
        return ZERO, 1
    terms = list(_terms(entry, 1))
    moving = [(term, sign) for term, sign in terms if isinstance(term, Name) and is_variable(term.name, row, kind)]
    if len(moving) == 1:
        rest = [Formula(term if sign == 1 else opposite(term)) for term, sign in terms if (term, sign) != moving[0]]
        return sum(rest, start=Formula(ZERO)).parameter, moving[0][1]
    if moving or any(True for _ in names_of(entry)):
        raise RobotFileError(
            "found {text_of!r}, in which the joint variable is not clear",
            text_of(entry),
            where=Message("joint {name}", row),
            field=_FIELD[kind],
            hint=Message(
                ("write it as t{row} plus a constant" if kind == "revolute" else "write it as r{row} plus a constant"),
                row,
            ),
        )
    notes.append(
        Message(
            "joint {row}: the constant {field} = {text_of} is read as the joint's offset",
            row,
            _FIELD[kind],
            text_of(entry),
        )
    )
    return entry, 1


def is_variable(name: str, row: int, kind: JointKind) -> bool:
    return re.fullmatch(rf"({_LETTERS[kind]})_?0*{row}", name, re.IGNORECASE) is not None


def coordinate_from_entry(entry: Parameter, row: int, variables: Mapping[str, int]) -> Follower | None:
    """What a joint follows, by rows, and the constant beside it, if its entry is linear in other joints' variables."""
    if row in {variables.get(name) for name in names_of(entry)} or not set(names_of(entry)) & set(variables):
        return None
    terms, rest = dict[int, Fraction](), Formula(ZERO)
    for term, sign in _terms(entry, 1):
        match term:
            case Name(name) if name in variables:
                factor = Fraction(sign)
            case ParameterOp("*", (Num(k), Name(name))) | ParameterOp("*", (Name(name), Num(k))) if name in variables:
                factor = sign * k
            case ParameterOp("/", (Name(name), Num(k))) if name in variables and k:
                factor = sign / k
            case _ if not set(names_of(term)) & set(variables):
                rest = rest + Formula(term if sign == 1 else opposite(term))
                continue
            case _:
                return None
        terms[variables[name]] = terms.get(variables[name], Fraction(0)) + factor
    return Follower(terms, rest.parameter)


class Follower(NamedTuple):
    terms: dict[int, Fraction]
    constant: Parameter


def _terms(entry: Parameter, sign: int) -> list[tuple[Parameter, int]]:
    match entry:
        case ParameterOp("+", (left, right)):
            return _terms(left, sign) + _terms(right, sign)
        case ParameterOp("-", (left, right)):
            return _terms(left, sign) + _terms(right, -sign)
        case ParameterOp("neg", (inner,)):
            return _terms(inner, -sign)
    return [(entry, sign)]


def without_comments(text: str) -> str:
    """Without `(* … *)`; one that never ends is left as it is."""
    parts, start = [], 0
    while (opened := text.find("(*", start)) >= 0 and (closed := text.find("*)", opened + 2)) >= 0:
        parts.append(text[start:opened])
        start = closed + 2
    return "".join([*parts, text[start:]])


def lists_in(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every `Key = {…}`, over any number of lines."""
    seen: set[str] = set()
    for key, inside in re.findall(r"\b(\w++)\s*+=\s*+\{([^{}]*+)\}", text):
        low = key.lower()
        if low not in KNOWN or low in seen:
            raise RobotFileError(
                ("the list is there twice" if low in seen else "found an unknown list"),
                field=key,
                hint=Message("known: {names}", ", ".join(KNOWN.values())),
            )
        seen.add(low)
        yield low, tuple(entry.strip() for entry in inside.split(",")) if inside.strip() else ()
    opened, closed = text.count("{"), text.count("}")
    if opened != closed:
        raise RobotFileError(
            "found {count} opening and {count2} closing braces", opened, closed, hint="every list ends with }"
        )
