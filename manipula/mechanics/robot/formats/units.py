"""Entries of a robot file: a bare number is in the file's units, a string is an expression in SI.

An entry is read to an exact `Fraction` (a bare number, its unit still to be applied) or to a `Parameter` (SI), and
a parameter is written back as a bare number wherever that is exact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, Literal

from manipula.errors import InputError, RobotFileError
from manipula.mechanics.robot.values.parameter import (
    LARGEST_EXPONENT,
    ZERO,
    Deg,
    Name,
    Num,
    Op,
    Parameter,
    names_of,
    parameter_from_text,
    text_of,
)
from manipula.mechanics.robot.values.written import plain_text
from manipula.support.letters import without_accents

Quantity = Literal["angle", "length", "si"]
Entry = Fraction | Num | Deg | Name | Op

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NO_NUMBER = re.compile(r"nan|inf|infinity", re.I)
_RESERVED = re.compile(r"pi|sin|cos|sqrt|q(d|dd)?[0-9]+")
_LONGEST_TEXT = 500
_DEEPEST = 60
_ENTRY_HINT = 'a number, a name, or an expression such as "pi/2" or "2*L1"'


@dataclass(frozen=True)
class Units:
    """What a bare number means."""

    angle: Literal["deg", "rad"] = "rad"
    length: Literal["m", "mm"] = "m"


def describe(value: object) -> str:
    """A found value, short and on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            text = repr(value)
            return text if len(text) <= 60 else text[:57] + "…'"
        case int() | float() | Decimal():
            return str(value)[:60]
        case Fraction() | Num() | Deg():
            return _short(value if isinstance(value, Fraction) else value.value)
        case dict():
            return "a table"
        case list() | tuple():
            return f"a list of {len(value)}"
        case None:
            return "nothing"
    return f"a {type(value).__name__}"


def _short(value: Fraction) -> str:
    try:
        return str(float(value))
    except OverflowError:
        return "a number without bounds"


def entry_from_raw(value: object) -> Entry:
    """A value as TOML or Python gives it. Booleans, dates, NaN, infinities and lists are refused."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0 and type(value.item()) is not type(value):
        return entry_from_raw(value.item())  # of an array library
    if type(value).__module__.partition(".")[0] == "sympy" and _is_real(value):
        return _entry_from_text(str(value))
    match value:
        case Num() | Deg() | Name() | Op():
            return _checked(value, describe(value))
        case str():
            return _entry_from_text(value)
        case float() | Decimal():
            return exact_number(value)
        case Rational() if not isinstance(value, bool):
            return _bounded(Fraction(int(value.numerator), int(value.denominator)))
        case Real() if not isinstance(value, bool):
            return exact_number(float(value))  # a long double, a number of mpmath
    raise RobotFileError(f"found {describe(value)}", hint=f"expected {_ENTRY_HINT}")


def _is_real(value: Any) -> bool:
    """An expression of SymPy with symbols, or a number that is finite and real."""
    return not value.is_number or bool(value.is_real and value.is_finite)


def _bounded(value: Fraction) -> Fraction:
    most = 3322 * LARGEST_EXPONENT // 1000  # log2 of 10
    if abs(value.numerator.bit_length() - value.denominator.bit_length()) > most + 1 and value:
        raise RobotFileError("found a number without bounds", hint=f"a number may not pass 1e{LARGEST_EXPONENT}")
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > 4 * _LONGEST_TEXT:
        raise RobotFileError("found a fraction of very many digits", hint="write fewer digits")
    return value


def exact_number(value: float | Decimal) -> Fraction:
    """The decimal a person wrote; one too large, too small or too long for any robot is refused."""
    decimal = Decimal(repr(float(value))) if isinstance(value, float) else value
    if not decimal.is_finite():
        raise RobotFileError(f"found {value}", hint="expected a finite number")
    if decimal and abs(decimal.adjusted()) > LARGEST_EXPONENT:
        tiny = decimal.adjusted() < 0
        raise RobotFileError(
            f"found {describe(value)}",
            hint="write 0 for what is so small" if tiny else f"a number may not pass 1e{LARGEST_EXPONENT}",
        )
    if len(decimal.as_tuple().digits) > _LONGEST_TEXT:
        raise RobotFileError(f"found a number of {len(decimal.as_tuple().digits)} digits", hint="write fewer digits")
    return Fraction(decimal)


def _entry_from_text(text: str) -> Parameter:
    found, text = describe(text), plain_text(text)
    if any(sign in text for sign in "°º˚"):
        raise RobotFileError(
            f"found {found}: a degree sign is not allowed here",
            hint='write the bare number with angle = "deg", or an expression such as "pi/2"',
        )
    if not text.strip() or len(text) > _LONGEST_TEXT:
        raise RobotFileError(
            "found an empty string" if not text.strip() else "the expression is too long",
            hint=f"expected {_ENTRY_HINT}",
        )
    try:
        parameter = _settled(parameter_from_text(text))
    except RecursionError as error:
        raise RobotFileError(f"found {describe(text)}: nested too deeply", hint=f"expected {_ENTRY_HINT}") from error
    except ValueError as error:
        raise RobotFileError(_reason(error, text), hint=f"expected {_ENTRY_HINT}") from error
    if _depth(parameter) > _DEEPEST:
        raise RobotFileError(f"found {describe(text)}: nested too deeply", hint=f"at most {_DEEPEST} operations deep")
    return _checked(parameter, describe(text))


def _settled(parameter: Parameter) -> Parameter:
    """The form that its own text reads back to: `pi - pi` inside an expression is written, and so becomes, plain 0."""
    while (again := parameter_from_text(text_of(parameter))) != parameter:
        parameter = again
    return parameter


def _depth(parameter: Parameter) -> int:
    """Levels of operations; iterative, since the interior walks such trees by recursion and must not run out."""
    depth, level = 0, [parameter]
    while level := [inner for outer in level if isinstance(outer, Op) for inner in outer.args]:
        depth += 1
    return depth


def _reason(error: ValueError, text: str) -> str:
    if isinstance(error, InputError) and len(text) <= 60 and "\n" not in text:
        return str(error)
    return f"found {describe(text)}, which is not a name or an arithmetic expression"


def _checked(parameter: Parameter, found: str) -> Parameter:
    for name in names_of(parameter):
        refuse_bad_name(name, found)
    return ZERO if parameter == Deg(Fraction(0)) else parameter


def refuse_bad_name(name: str, found: str) -> None:
    """Names go into C and LaTeX: plain letters, digits, underscores, and not the joint variables."""
    if not _NAME.fullmatch(name):
        raise RobotFileError(
            f"found {found}: {name!r} cannot be a name",
            hint=f"a name is a letter, then letters, digits and underscores, without accents{_instead(name)}",
        )
    if _NO_NUMBER.fullmatch(name):
        raise RobotFileError(f"found {found}", hint="expected a finite number")
    if _RESERVED.fullmatch(name):
        raise RobotFileError(
            f"found {found}: {name!r} is reserved",
            hint="q1, q2, … are the joint variables: give only the constant offset, or another name",
        )


def _instead(name: str) -> str:
    plain = without_accents(name)
    return f", as in {plain!r}" if _NAME.fullmatch(plain) else ""


def parameter_from_entry(entry: Entry, quantity: Quantity, units: Units) -> Parameter:
    """The entry in SI; a bare number takes the unit of its quantity."""
    if not isinstance(entry, Fraction):
        return entry
    if quantity == "angle" and units.angle == "deg":
        return Deg(entry) if entry else ZERO
    return Num(entry / 1000 if quantity == "length" and units.length == "mm" else entry)


def bare_from_parameter(parameter: Parameter, quantity: Quantity, units: Units) -> Fraction | None:
    """The bare number that reads back to this parameter; None when only an expression does."""
    match parameter:
        case Num(value) if quantity == "angle" and units.angle == "deg":
            return value if value == 0 else None
        case Num(value):
            return value * 1000 if quantity == "length" and units.length == "mm" else value
        case Deg(value) if value == 0 or (quantity == "angle" and units.angle == "deg"):
            return value
    return None


def text_in_units(parameter: Parameter, quantity: Quantity, units: Units) -> str:
    """In the column's unit; radians in a column of degrees say so; names and pi are SI."""
    bare = bare_from_parameter(parameter, quantity, units)
    if bare is not None:
        return text_of(Num(bare))
    return f"{text_of(parameter)} rad" if isinstance(parameter, Num) else text_of(parameter)
