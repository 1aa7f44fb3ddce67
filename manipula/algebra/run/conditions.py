"""Conditions on parameters ("d4 ≠ 0"): read once, checked for every new set of parameters."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

from manipula.errors import ConditionError, InputError

_RELATIONS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.NotEq: operator.ne,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_ASCII = {"≠": "!=", "≥": ">=", "≤": "<=", "·": "*", "×": "*", "−": "-", "²": "**2", "³": "**3"}


@dataclass(frozen=True)
class Condition:
    """A comparison of two sums and products of parameters."""

    text: str
    left: ast.expr
    right: ast.expr
    relation: Callable[[float, float], bool]

    def names(self) -> list[str]:
        """The parameters it speaks of, in the order it names them."""
        found = [x.id for side in (self.left, self.right) for x in ast.walk(side) if isinstance(x, ast.Name)]
        return list(dict.fromkeys(found))

    def check(self, function: str, values: Mapping[str, float]) -> None:
        """Raise unless it holds. NaN breaks nothing: it comes out as NaN."""
        if not self.holds(values):
            given = ", ".join(f"{name} = {values[name]:g}" for name in self.names())
            raise ConditionError(f"{function}: holds only for {self.text}, found {given}")

    def holds(self, values: Mapping[str, float]) -> bool:
        try:
            left, right = _value(self.left, values), _value(self.right, values)
        except ZeroDivisionError:
            return False
        return isnan(left) or isnan(right) or self.relation(left, right)


def condition_from_text(text: str) -> Condition:
    """Parsed, never run as code."""
    plain = text
    for sign, ascii_sign in _ASCII.items():
        plain = plain.replace(sign, ascii_sign)
    match _body(plain):
        case ast.Compare(left=left, ops=[relation], comparators=[right]) if type(relation) in _RELATIONS:
            return Condition(text, left, right, _RELATIONS[type(relation)])
    raise InputError(f"the condition {text!r} is not a comparison such as 'd4 ≠ 0'")


def _body(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None


def _value(node: ast.expr, values: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return float(_BINARY[type(op)](_value(left, values), _value(right, values)))
    raise InputError(f"the condition has a part that is no parameter, number, sum or product: {ast.unparse(node)}")
