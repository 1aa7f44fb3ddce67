"""The joint variable inside an entry of a SYMORO table: `t2`, `th2 + pi/2`, `-q3`, and what is constant beside it."""

from __future__ import annotations

import re

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import JointKind
from manipula.mechanics.robot.exact import Formula, opposite
from manipula.mechanics.robot.values.parameter import ZERO, Name, Parameter, ParameterOp, names_of, text_of
from manipula.messages import Message

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


def _terms(entry: Parameter, sign: int) -> list[tuple[Parameter, int]]:
    match entry:
        case ParameterOp("+", (left, right)):
            return _terms(left, sign) + _terms(right, sign)
        case ParameterOp("-", (left, right)):
            return _terms(left, sign) + _terms(right, -sign)
        case ParameterOp("neg", (inner,)):
            return _terms(inner, -sign)
    return [(entry, sign)]
