"""Conditions on parameters ("a2·d4 ≠ 0"), read once for every use: parsed, never run as code.

Emitted code checks, once per parameter set, the conditions a function was derived under, and that nothing is divided
by a zero that parameters alone decide.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from math import isnan

from manipula.algebra.tape import Tape
from manipula.errors import InputError

_RELATIONS: dict[type[ast.cmpop], str] = {ast.NotEq: "!=", ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<="}
_BINARY: dict[type[ast.operator], str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}
_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "!=": operator.ne, ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le,
}  # fmt: skip
_COMPUTED: dict[str, Callable[..., float]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
}  # fmt: skip
_TYPED = {"≠": "!=", "≥": ">=", "≤": "<=", "·": "*", "×": "*", "−": "-", "²": "**2", "³": "**3", "^": "**"}
_POWERS = range(1, 10)


@dataclass(frozen=True)
class Parameter:
    """A leaf, by name."""

    name: str


@dataclass(frozen=True)
class Slot:
    """A leaf, by its place in a tape."""

    number: int


@dataclass(frozen=True)
class Operation:
    """add, sub, mul, div or neg of sides."""

    op: str
    args: tuple[Side, ...]


Side = float | Parameter | Slot | Operation


@dataclass(frozen=True)
class Comparison:
    """left relation right; the relation is one of != > >= < <="""

    relation: str
    left: Side
    right: Side


def checks(tape: Tape) -> tuple[Comparison, ...]:
    """What must hold, over the slots of a tape, every comparison once."""
    parameters = {tape.names[slot]: slot for port in tape.inputs if not port.online for slot in port.slots}
    stated = [check_from_text(text, parameters) for text in tape.conditions]
    decided = {*parameters.values(), *(line.slot for line in tape.offline)}
    below = [line.args[1] for line in tape.lines if line.op == "div" and line.args[1] in decided]
    return tuple(dict.fromkeys([*stated, *(Comparison("!=", Slot(slot), 0.0) for slot in below)]))


def check_from_text(text: str, parameters: Mapping[str, int]) -> Comparison:
    """A condition over the slots of its parameters."""
    read = comparison_from_text(text)
    unknown = [name for name in names_in(read) if name not in parameters]
    if unknown:
        raise InputError(f"the condition {text!r} speaks of {unknown[0]!r}, which is no parameter")
    return Comparison(read.relation, _placed(read.left, parameters), _placed(read.right, parameters))


def comparison_from_text(text: str) -> Comparison:
    """`a2·d4 ≠ 0` → a comparison of sums and products."""
    plain = text
    for sign, typed in _TYPED.items():
        plain = plain.replace(sign, typed)
    match _parsed(plain):
        case ast.Compare(left=left, ops=[relation], comparators=[right]) if type(relation) in _RELATIONS:
            return Comparison(_RELATIONS[type(relation)], _side(left, text), _side(right, text))
    raise InputError(f"the condition {text!r} is not a comparison such as 'd4 ≠ 0'")


def holds(comparison: Comparison, values: Mapping[str, float]) -> bool:
    """For these parameters. NaN breaks nothing, since it comes out as NaN; a division by zero breaks everything."""
    try:
        left, right = _value(comparison.left, values), _value(comparison.right, values)
    except ZeroDivisionError:
        return False
    return isnan(left) or isnan(right) or _COMPARED[comparison.relation](left, right)


def _value(side: Side, values: Mapping[str, float]) -> float:
    match side:
        case float():
            return side
        case Parameter(name) if name in values:
            return values[name]
        case Operation(op, args):
            return _COMPUTED[op](*(_value(arg, values) for arg in args))
    raise InputError(f"a condition speaks of {side}, which has no value")


def names_in(comparison: Comparison) -> list[str]:
    """The parameters it speaks of, in the order it names them."""
    found = [leaf.name for leaf in leaves(comparison) if isinstance(leaf, Parameter)]
    return list(dict.fromkeys(found))


def slots_in(comparison: Comparison) -> list[int]:
    """The slots it reads, as often as it reads them."""
    return [leaf.number for leaf in leaves(comparison) if isinstance(leaf, Slot)]


def leaves(comparison: Comparison) -> Iterator[Side]:
    for side in (comparison.left, comparison.right):
        yield from _leaves(side)


def _leaves(side: Side) -> Iterator[Side]:
    if isinstance(side, Operation):
        for arg in side.args:
            yield from _leaves(arg)
    else:
        yield side


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None


def _side(node: ast.expr, text: str) -> Side:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return Parameter(name)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return Operation("neg", (_side(inner, text),))
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() as times)) if times in _POWERS:
            return reduce(lambda power, factor: Operation("mul", (power, factor)), [_side(base, text)] * times)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return Operation(_BINARY[type(op)], (_side(left, text), _side(right, text)))
    raise InputError(f"the condition {text!r} has a part that is no parameter, number, sum or product")


def _placed(side: Side, parameters: Mapping[str, int]) -> Side:
    match side:
        case Parameter(name):
            return Slot(parameters[name])
        case Operation(op, args):
            return Operation(op, tuple(_placed(arg, parameters) for arg in args))
    return side
