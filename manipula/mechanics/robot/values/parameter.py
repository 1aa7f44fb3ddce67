"""One entry of a robot table: an exact number, an angle in degrees, a name, or arithmetic of these.

Text is parsed, never evaluated as code. `pi` times a rational is recognised as an angle, so that `"pi/2"`
and 90 degrees are the same exact quarter turn.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from keyword import kwlist
from typing import Any, Literal

from manipula.errors import InputError
from manipula.scalar import Maths, S
from manipula.support.text import exact_text


@dataclass(frozen=True)
class Num:
    """An exact number, SI."""

    value: Fraction


@dataclass(frozen=True)
class Deg:
    """An angle of so many degrees, exact."""

    value: Fraction


@dataclass(frozen=True)
class Name:
    """A named parameter; its value, if any, is in the robot's `values`."""

    name: str


@dataclass(frozen=True)
class ParameterOp:
    """`op` is one of + - * / ** neg sin cos sqrt; ** has an int literal exponent. In a text whose units are still to be
    applied, @deg, @mm, … is a number with its unit (see `values.terms`)."""

    op: str
    args: tuple[Parameter, ...]


Parameter = Num | Deg | Name | ParameterOp

ZERO = Num(Fraction(0))
_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_FUNCTIONS = ("sin", "cos", "sqrt")
UNIT_MARK = "\ua7b1"  # before the unit behind a number, in `plain_text`: nobody types it
_APART = "\ua7b0"  # a letter nobody types, before names that are words of Python, such as lambda: we use its reader
_KEYWORD = re.compile(rf"\b({'|'.join(sorted({*kwlist} - {'True', 'False', 'None'}))})\b")
LARGEST_EXPONENT = 300
_LONGEST_NUMBER = 500  # digits


def number(value: int | float | str | Fraction) -> Num:
    """The exact decimal a person wrote: 0.1 is one tenth, whatever the float is."""
    return Num(value if isinstance(value, Fraction) else Fraction(repr(value) if isinstance(value, float) else value))


def parameter_from_text(text: str) -> Parameter:
    """Parse `"2*L1"`, `"pi/2"`, `"-g"`, `"0.5"`. Raises `InputError` that says what is not allowed."""
    source = _KEYWORD.sub(rf"{_APART}\1", text.strip().replace("^", "**").replace("@", "?")).replace(UNIT_MARK, "@")
    text = text.replace(UNIT_MARK, "").replace("_per_", "/")
    try:
        return _convert(ast.parse(source, mode="eval").body, text, source)
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise InputError("{text!r} is not a name or an arithmetic expression", text[:60]) from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError("{text!r} is not a name or an arithmetic expression", text[:60]) from error


def _convert(node: ast.expr, text: str, source: str) -> Parameter:
    match node:
        case ast.Constant(value=bool() | complex()):
            pass
        case ast.Constant(value=int() | float()):
            return Num(_literal((ast.get_source_segment(source, node) or "").replace("_", ""), text))
        case ast.Name(id="pi"):
            return Deg(Fraction(180))
        case ast.Name(id=name):
            return Name(name.removeprefix(_APART))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return fold("neg", _convert(operand, text, source))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _convert(operand, text, source)
        case ast.BinOp(op=ast.MatMult(), left=left, right=ast.Name(id=unit)):
            return ParameterOp(f"@{unit.replace('_per_', '/')}", (_convert(left, text, source),))
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _BINARY:
            return _binary(_BINARY[type(op)], _convert(left, text, source), _convert(right, text, source), text)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            return fold(name, _convert(argument, text, source))
    raise InputError(
        "{text!r}: only numbers, names, pi, + - * / **, parentheses, {functions} are allowed",
        text,
        ", ".join(_FUNCTIONS),
    )


def _literal(written: str, text: str) -> Fraction:
    """The exact decimal; `1e999999999` would be a number of a milliard digits."""
    exponent = re.search(r"(?i)[0-9.]e[+-]?([0-9]+)$", written)
    if len(written) > _LONGEST_NUMBER or (exponent and int(exponent[1]) > LARGEST_EXPONENT):
        raise InputError("{text!r}: a number may not pass 1e{largest_exponent}", text[:60], LARGEST_EXPONENT)
    return Fraction(written)


def _binary(op: str, left: Parameter, right: Parameter, text: str) -> Parameter:
    if op == "/" and right == ZERO:
        raise InputError("{text!r} divides by zero", text)
    if op == "**" and not (isinstance(right, Num) and right.value.denominator == 1 and abs(right.value) <= 100):
        raise InputError("{text!r}: an exponent must be a whole number of at most 100", text)
    match op, left, right:
        case "**", Num(base), Num(power) if bits(base) * abs(power) > 10_000:
            raise InputError("{text!r} is too large a number", text)
    if op == "**" and left == ZERO and isinstance(right, Num) and right.value < 0:
        raise InputError("{text!r} divides by zero", text)
    return fold(op, left, right)


def bits(value: Fraction) -> int:
    """Of the longer of its two whole numbers."""
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def fold(op: str, *args: Parameter) -> Parameter:
    """Exact arithmetic on exact numbers and angles; anything with a name stays a tree."""
    match op, args:
        case "neg", (Num(x),):
            return Num(-x)
        case "neg", (Deg(x),):
            return Deg(-x)
        case "+", (Num(x), Num(y)):
            return Num(x + y)
        case "-", (Num(x), Num(y)):
            return Num(x - y)
        case "*", (Num(x), Num(y)):
            return Num(x * y)
        case "/", (Num(x), Num(y)) if y:
            return Num(x / y)
        case "**", (Num(x), Num(y)) if x or y >= 0:
            return Num(x ** int(y))
        case "+", (Deg(x), Deg(y)):
            return Deg(x + y)
        case "-", (Deg(x), Deg(y)):
            return Deg(x - y)
        case ("*", (Deg(x), Num(y))) | ("*", (Num(y), Deg(x))):
            return Deg(x * y)
        case "/", (Deg(x), Num(y)) if y:
            return Deg(x / y)
        case "/", (Deg(x), Deg(y)) if y:
            return Num(x / y)
        case "sin" | "cos", (Deg(x),) if x % 90 == 0:  # as the models do: 90*cos(0) is an angle of 90 degrees
            return Num(Fraction((0, 1, 0, -1)[int(x // 90 + (op == "cos")) % 4]))
        case "sin" | "cos", (Num(x),) if not x:
            return Num(Fraction(op == "cos"))
    return ParameterOp(op, args)


def divides_by_zero(parameter: Parameter) -> bool:
    match parameter:
        case ParameterOp("/", (_, Num(x) | Deg(x))) if not x:
            return True
        case ParameterOp("**", (Num(x) | Deg(x), Num(power))) if not x and power < 0:
            return True
        case ParameterOp(_, args):
            return any(map(divides_by_zero, args))
    return False


def negate(parameter: Parameter) -> Parameter:
    return fold("neg", parameter)


def terms_of(parameter: Parameter) -> Iterator[Parameter]:
    """What a sum adds and takes away, without the signs; anything else is one term."""
    match parameter:
        case ParameterOp("+" | "-" | "neg", args):
            for argument in args:
                yield from terms_of(argument)
        case _:
            yield parameter


def names_of(parameter: Parameter) -> Iterator[str]:
    """The names used, left to right."""
    match parameter:
        case Name(name):
            yield name
        case ParameterOp(_, args):
            for argument in args:
                yield from names_of(argument)


def is_plain_number(value: Parameter | None) -> bool:
    """A number that takes its cell's name when all is made symbolic; 0, ±1 and quarter turns do not."""
    match value:
        case Num(number):
            return number not in (0, 1, -1)
        case Deg(angle):
            return angle % 90 != 0
    return False


def text_of(parameter: Parameter) -> str:
    """Text that `parameter_from_text` reads back to the same parameter."""
    match parameter:
        case Num(value):
            return exact_text(value)
        case Deg(value):
            return f"{exact_text(value / 180)}*pi" if value else "0"
        case Name(name):
            return name
        case ParameterOp("neg", (argument,)):
            return f"-{_parenthesised_text(argument)}"
        case ParameterOp(op, (argument,)) if op[0] == "@":
            return f"{text_of(argument) if isinstance(argument, Num) else _parenthesised_text(argument)} {op[1:]}"
        case ParameterOp(op, (left, right)):
            return f"{_parenthesised_text(left)}{op}{_parenthesised_text(right)}"
        case ParameterOp(op, (argument,)):
            return f"{op}({text_of(argument)})"
    raise AssertionError(parameter)


def _parenthesised_text(parameter: Parameter) -> str:
    text = text_of(parameter)
    return text if isinstance(parameter, Name) or text.replace(".", "").isdigit() else f"({text})"


def scalar_from_parameter(parameter: Parameter, symbols: Mapping[str, S], maths: Maths[S]) -> S:
    """The parameter's value over any scalar; `symbols` holds every name."""
    match parameter:
        case Num(value):
            return maths.number(value)
        case Deg(value):
            return maths.degrees(value)
        case Name(name):
            return symbols[name]
        case ParameterOp("**", (base, Num(power))):
            powered: S = _power(scalar_from_parameter(base, symbols, maths), int(power))
            return powered
        case ParameterOp(op, args):
            values: list[Any] = [scalar_from_parameter(argument, symbols, maths) for argument in args]
            result: S = apply_operation(op, values, maths)
            return result
    raise AssertionError(parameter)


def _power(base: object, power: int) -> Any:
    result: Any = 1
    for _ in range(abs(power)):
        result = result * base
    return result if power >= 0 else 1 / result


def apply_operation(op: str, values: list[Any], maths: Maths[S]) -> Any:
    """An operation of a table's arithmetic over any scalar, powers apart."""
    match op, values:
        case "+", [x, y]:
            return x + y
        case "-", [x, y]:
            return x - y
        case "*", [x, y]:
            return x * y
        case "/", [x, y]:
            return x / y
        case "neg", [x]:
            return -x
        case "sin", [x]:
            return maths.sin(x)
        case "cos", [x]:
            return maths.cos(x)
        case "sqrt", [x]:
            return maths.sqrt(x)
    raise AssertionError(op)


def floats_of(values: Mapping[str, Parameter]) -> dict[str, float]:
    """The names that have a value, as floats; a name whose value asks for one without is left out."""
    found: dict[str, float] = {}
    pending = dict(values)
    while ready := [name for name, value in pending.items() if all(inner in found for inner in names_of(value))]:
        found.update({name: float_of(pending.pop(name), found) for name in ready})
    return found


def float_of(parameter: Parameter, values: Mapping[str, float]) -> float:
    """The parameter as a float, names from `values`."""
    from manipula.mechanics.spatial.floats import FLOATS

    return float(scalar_from_parameter(parameter, values, FLOATS))


# A parameter that a robot file may give of a joint: what it is called there, in names and in which unit.

Bound = Literal["any", "not negative", "positive", "not zero", "share"]  # a share is above 0 and at most 1
Units = tuple[str, str]  # of a joint that turns, of one that slides

TORQUE, DAMPING, INERTIA, SHARE = ("N·m", "N"), ("N·m·s/rad", "N·s/m"), ("kg·m²", "kg"), ("1", "1")
POSITION, VELOCITY, STIFFNESS = ("rad", "m"), ("rad/s", "m/s"), ("N·m/rad", "N/m")


@dataclass(frozen=True)
class ParameterEntry:
    """One parameter of a joint: its key in a robot file ("" for the only one of a law), its letters, its units."""

    key: str
    letters: str
    units: Units
    linear: bool = True  # is the torque linear in it?
    bound: Bound = "not negative"  # what makes sense; a negative coefficient would push the joint along
    quantity: Literal["si", "length"] = "si"  # a bare number is in SI, or in the file's unit of length

    @property
    def unit(self) -> str:
        """For people: "N·m or N"."""
        return " or ".join(dict.fromkeys(self.units))
