"""What emitted code checks once per parameter set: the conditions a function was derived under, and that nothing is
divided by a zero that parameters alone decide.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from manipula.algebra.emit.names import ascii_text
from manipula.algebra.emit.text import ARITHMETIC, Text
from manipula.algebra.tape import Tape
from manipula.errors import InputError

_RELATIONS: dict[type[ast.cmpop], str] = {ast.NotEq: "!=", ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<="}
_BINARY: dict[type[ast.operator], str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}


@dataclass(frozen=True)
class Check:
    """A comparison that must hold; `{}` stand for the slots, in order. It reads alike in C and Python."""

    form: str
    slots: tuple[int, ...]


def checks(tape: Tape) -> tuple[Check, ...]:
    """Every check once."""
    parameters = {tape.names[slot]: slot for port in tape.inputs if not port.online for slot in port.slots}
    stated = [check_from_text(text, parameters) for text in tape.conditions]
    decided = {*parameters.values(), *(line.slot for line in tape.offline)}
    below = [line.args[1] for line in tape.lines if line.op == "div" and line.args[1] in decided]
    return tuple(dict.fromkeys([*stated, *(Check("{} != 0.0", (slot,)) for slot in below)]))


def check_from_text(text: str, parameters: Mapping[str, int]) -> Check:
    """`a2·d4 ≠ 0` → a comparison. Parsed, never run as code."""
    slots: list[int] = []
    match _parsed(ascii_text(text).replace("^", "**")):
        case ast.Compare(left=left, ops=[relation], comparators=[right]) if type(relation) in _RELATIONS:
            sides = [_side(side, parameters, slots, text).text for side in (left, right)]
            return Check(f" {_RELATIONS[type(relation)]} ".join(sides), tuple(slots))
    raise InputError(f"the condition {text!r} is not a comparison such as 'd4 ≠ 0'")


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None


def _side(node: ast.expr, parameters: Mapping[str, int], slots: list[int], text: str) -> Text:
    match node:
        case ast.Constant(value=int() | float() as number):
            return Text(repr(float(number)))
        case ast.Name(id=name) if name in parameters:
            slots.append(parameters[name])
            return Text("{}")
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return ARITHMETIC["neg"]([_side(inner, parameters, slots, text)])
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=2)):
            return ARITHMETIC["mul"]([_side(base, parameters, slots, text) for _ in range(2)])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return ARITHMETIC[_BINARY[type(op)]]([_side(side, parameters, slots, text) for side in (left, right)])
    raise InputError(f"the condition {text!r} has a part that is no parameter, number, sum or product")
