"""Entries of a robot file: a number, or text by the same rule of units (see `values.terms`).

An entry is read to an exact `Fraction` or a `ParsedText`, whose units are still to be applied, or to a `Parameter`
(SI), and a parameter is written back as a bare number wherever that is exact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

from manipula.errors import InputError, RobotFileError
from manipula.mechanics.robot.values.parameter import (
    LARGEST_EXPONENT,
    ZERO,
    Deg,
    Name,
    Num,
    Parameter,
    ParameterOp,
    names_of,
    parameter_from_text,
    text_of,
)
from manipula.mechanics.robot.values.terms import Quantity, Units, in_column, in_si, is_si, plain_text, value_in_si
from manipula.messages import Message
from manipula.support.text import without_accents


@dataclass(frozen=True)
class ParsedText:
    """A text that was parsed, its units still to be applied; `found` is how it was written."""

    tree: Parameter
    found: str


Entry = Fraction | ParsedText | Num | Deg | Name | ParameterOp

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NO_NUMBER = re.compile(r"nan|inf|infinity", re.I)
_RESERVED = re.compile(r"(?P<function>pi|sin|cos|sqrt)|q(d|dd)?[0-9]+")
_BESIDE = re.compile(r"(?<![\w.])((?:\d+(?:\.\d*)?|\.\d+))\s*(?!pi\b)([^\W\d]\w*|%)")  # a word behind a number
_LONGEST_TEXT = 500
_DEEPEST = 60
_ENTRY_HINT = 'a number, a name, or an expression such as "pi/2" or "2*L1"'


def describe(value: object) -> str:
    """A found value, short and on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            text = repr(value)
            return text if len(text) <= 60 else text[:57] + "…'"
        case int() | float() | Decimal():
            text = str(value)
            return text if len(text) <= 60 else text[:59] + "…"
        case Fraction() | Num() | Deg():
            return _short(value if isinstance(value, Fraction) else value.value)
        case dict():
            return Message("a table")
        case list() | tuple():
            return Message("a list of {count}", len(value))
        case None:
            return Message("nothing")
    return f"a {type(value).__name__}"


def _short(value: Fraction) -> str:
    try:
        return str(float(value))
    except OverflowError:
        return Message("a number without bounds")


def entry_from_raw(value: object) -> Entry:
    """A value as TOML or Python gives it. Booleans, dates, NaN, infinities and lists are refused."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0 and type(value.item()) is not type(value):
        return entry_from_raw(value.item())  # of an array library
    if type(value).__module__.partition(".")[0] == "sympy" and _is_real(value):
        return _entry_from_text(str(value))
    match value:
        case Num() | Deg() | Name() | ParameterOp():
            return _check_names(value, describe(value))
        case ParsedText():
            return value
        case str():
            return _entry_from_text(value)
        case float() | Decimal():
            return exact_number(value)
        case Rational() if not isinstance(value, bool):
            return _check_bounds(Fraction(int(value.numerator), int(value.denominator)))
        case Real() if not isinstance(value, bool):
            return exact_number(float(value))  # a long double, a number of mpmath
    raise RobotFileError("found {text}", describe(value), hint=Message("expected {one_of_kinds}", _ENTRY_HINT))


def _is_real(value: Any) -> bool:
    """An expression of SymPy with symbols, or a number that is finite and real."""
    return not value.is_number or bool(value.is_real and value.is_finite)


def _check_bounds(value: Fraction) -> Fraction:
    most = 3322 * LARGEST_EXPONENT // 1000  # log2 of 10
    if abs(value.numerator.bit_length() - value.denominator.bit_length()) > most + 1 and value:
        raise RobotFileError(
            "found a number without bounds",
            hint=Message("a number may not pass 1e{largest_exponent}", LARGEST_EXPONENT),
        )
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > 4 * _LONGEST_TEXT:
        raise RobotFileError("found a fraction of very many digits", hint="write fewer digits")
    return value


def exact_number(value: float | Decimal) -> Fraction:
    """The decimal a person wrote; one too large, too small or too long for any robot is refused."""
    decimal = Decimal(repr(float(value))) if isinstance(value, float) else value
    if not decimal.is_finite():
        raise RobotFileError("found {text}", value, hint="expected a finite number")
    if decimal and abs(decimal.adjusted()) > LARGEST_EXPONENT:
        tiny = decimal.adjusted() < 0
        raise RobotFileError(
            "found {text}",
            describe(value),
            hint=(
                Message("write 0 for what is so small")
                if tiny
                else Message("a number may not pass 1e{largest_exponent}", LARGEST_EXPONENT)
            ),
        )
    if len(decimal.as_tuple().digits) > _LONGEST_TEXT:
        raise RobotFileError(
            "found a number of {count} digits", len(decimal.as_tuple().digits), hint="write fewer digits"
        )
    return Fraction(decimal)


def _entry_from_text(written: str) -> ParsedText:
    found, text = describe(written), plain_text(written)
    if not text or len(text) > _LONGEST_TEXT:
        raise RobotFileError(
            Message("found an empty string") if not text else Message("the expression is too long"),
            hint=Message("expected {one_of_kinds}", _ENTRY_HINT),
        )
    if "°" in text:
        raise RobotFileError(
            "found {found}: a degree sign stands behind a number, as in 90°",
            found,
            hint=Message("expected {one_of_kinds}", _ENTRY_HINT),
        )
    if "·" in text:
        raise RobotFileError("found {found}: the point is a decimal one or a product", found, hint="write 2.45 or 2*45")
    try:
        tree = parameter_from_text(text)
    except RecursionError as error:
        raise RobotFileError(
            "found {found}: nested too deeply", found, hint=Message("expected {one_of_kinds}", _ENTRY_HINT)
        ) from error
    except ValueError as error:
        raise RobotFileError(_reason(error, text), hint=_instead_of(text)) from error
    if _depth(tree) > _DEEPEST:
        raise RobotFileError(
            "found {found}: nested too deeply", found, hint=Message("at most {deepest} operations deep", _DEEPEST)
        )
    return ParsedText(_check_names(tree, found), found)


_POINTS = re.compile(r"\d+\.\d*\.\d*|\.\.")  # 0.4.3, 1.000.5
_WORDS = re.compile(r"([A-Za-z]\w*)\s+(\w+)")  # L 1, l1 l2


def _instead_of(text: str) -> str:
    """What to write, where the slip is known."""
    if text.startswith("#"):
        return Message("a spreadsheet shows this where its formula fails; write the number")
    if _POINTS.search(text):
        return Message("a number has one decimal point and nothing between thousands")
    if text.count("(") != text.count(")"):
        return Message("expected as many closing parentheses as opening ones")
    if text[-1:] in "+-*/^":
        return Message("something is missing behind {sign!r}", text[-1:])
    if words := _WORDS.search(text):
        return Message(
            "a name has no blank, as in {name!r}; a product is written {product!r}",
            f"{words[1]}{words[2]}", f"{words[1]}*{words[2]}",
        )  # fmt: skip
    beside = _BESIDE.search(text)
    if beside is None or re.fullmatch(r"[eE]\d*", beside[2]):
        return Message("expected {one_of_kinds}", _ENTRY_HINT)
    return (
        Message("expected deg, rad, m, cm, mm or kg behind a number, not {beside!r}", beside[2])
        if beside[2] == "%"
        else Message(
            "expected deg, rad, m, cm, mm or kg behind a number, not {beside!r}; a product is written "
            "'{beside2}*{beside3}'",
            beside[2],
            beside[1],
            beside[2],
        )
    )


def _normal_form(parameter: Parameter) -> Parameter:
    """The form that its own text reads back to: `pi - pi` inside an expression is written, and so becomes, plain 0."""
    while (again := parameter_from_text(text_of(parameter))) != parameter:
        parameter = again
    return parameter


def _depth(parameter: Parameter) -> int:
    """Levels of operations; iterative, since the interior walks such trees by recursion and must not run out."""
    depth, level = 0, [parameter]
    while level := [inner for outer in level if isinstance(outer, ParameterOp) for inner in outer.args]:
        depth += 1
    return depth


def _reason(error: ValueError, text: str) -> str:
    if isinstance(error, InputError) and len(text) <= 60 and "\n" not in text:
        return str(error)
    return Message("found {text}, which is not a name or an arithmetic expression", describe(text))


def _check_names(parameter: Parameter, found: str) -> Parameter:
    for name in names_of(parameter):
        refuse_bad_name(name, found)
    return ZERO if parameter == Deg(Fraction(0)) else parameter


def refuse_bad_name(name: str, found: str) -> None:
    """Names go into C and LaTeX: plain letters, digits, underscores, and not the joint variables."""
    if not _NAME.fullmatch(name):
        raise RobotFileError(
            "found {found}: {name!r} cannot be a name",
            found,
            name,
            hint=Message(
                "a name is a letter, then letters, digits and underscores, without accents{instead}", _instead(name)
            ),
        )
    if _NO_NUMBER.fullmatch(name):
        raise RobotFileError("found {text}", found, hint="expected a finite number")
    if reserved := _RESERVED.fullmatch(name):
        raise RobotFileError(
            "found {found}: {name!r} is reserved",
            found,
            name,
            hint="write pi/2, sin(pi/6), or another name"
            if reserved["function"]
            else "q1, q2, … are the joint variables: give only the constant offset, or another name",
        )


def _instead(name: str) -> str:
    plain = without_accents(name)
    return Message(", as in {plain!r}", plain) if _NAME.fullmatch(plain) else ""


def parameter_from_entry(entry: Entry, quantity: Quantity, units: Units) -> Parameter:
    """The entry in SI."""
    match entry:
        case Fraction():
            return value_in_si(Num(entry), units.of(quantity)) if entry else ZERO
        case ParsedText():
            return _normal_form(in_si(entry.tree, quantity, units, entry.found))
    return entry


def parameter_from_raw(value: object, quantity: Quantity, units: Units) -> Parameter:
    """What TOML or Python gives, in SI."""
    return parameter_from_entry(entry_from_raw(value), quantity, units)


def bare_from_parameter(parameter: Parameter, quantity: Quantity, units: Units) -> Fraction | None:
    """The bare number that reads back to this parameter; None when only an expression does."""
    unit = units.of(quantity)
    match parameter:
        case Deg(value) if value == 0 or unit.startswith("deg"):
            return value
        case Num(value) if value == 0 or is_si(unit):
            return value
        case Num():
            column = in_column(parameter, quantity, units)
            return column.value if isinstance(column, Num) else None
    return None


def text_in_units(parameter: Parameter, quantity: Quantity, units: Units) -> str:
    """The text that a column of these units reads back as the parameter."""
    bare = bare_from_parameter(parameter, quantity, units)
    return text_of(Num(bare) if bare is not None else in_column(parameter, quantity, units))
