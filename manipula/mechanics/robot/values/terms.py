"""The units of a text's terms: the one rule by which a column reads and writes numbers.

In a sum, a term that is a number alone has the unit of its column; a term with `pi` is in radians; a factor of a name
is a pure number, and names have SI values: under millimetres `L1 + 20` is L1 plus 20 mm, `2*L1` twice L1. The argument
of a sine or cosine is an angle, the sine itself a pure number. A unit may be written behind a number: `90 deg`.
Where two readings are possible, as of 1 in `L1*(1 + k)` under millimetres, the text is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from manipula.errors import RobotFileError
from manipula.mechanics.robot.values.parameter import (
    UNIT_MARK,
    ZERO,
    Deg,
    Name,
    Num,
    Parameter,
    ParameterOp,
    divides_by_zero,
    fold,
    text_of,
)
from manipula.messages import Message
from manipula.support.text import GREEK, spell_greek

Angle = Literal["deg", "rad"]
Length = Literal["m", "cm", "mm"]
Quantity = Literal["angle", "length", "angle rate", "length rate", "mass", "any", "si"]


@dataclass(frozen=True)
class Units:
    """What a number without a unit means."""

    angle: Angle = "rad"
    length: Length = "m"

    def of(self, quantity: Quantity) -> str:
        """The unit of a column; "" where it is SI and none may be written, "any" where each may."""
        kind, _, rate = quantity.partition(" ")
        unit = {"angle": self.angle, "length": self.length, "mass": "kg", "any": "any"}.get(kind, "")
        return f"{unit}/s" if rate else unit


_SIZE = {"m": Fraction(1), "cm": Fraction(1, 100), "mm": Fraction(1, 1000), "rad": Fraction(1), "kg": Fraction(1)}
_KIND = {"m": "m", "cm": "m", "mm": "m", "deg": "rad", "rad": "rad", "kg": "kg"}  # the SI unit of each
ONE = Num(Fraction(1))
UNITS = {
    "rad": Message("an angle in deg or rad"),
    "m": Message("a length in m, cm or mm"),
    "kg": Message("a mass in kg"),
}


def length_of(word: object) -> Length:
    """The unit of this name; metres where it is not a unit, which is refused elsewhere."""
    return "cm" if word == "cm" else "mm" if word == "mm" else "m"


def in_si(tree: Parameter, quantity: Quantity, units: Units, found: str) -> Parameter:
    """The text's meaning in SI; `found` is the text as it was written, for the sentence that refuses it."""
    reader = _Reader(units, found)
    result = reader.walk(tree, units.of(quantity), clear=True)
    if reader.degrees and _has(Deg, tree, inside=True):
        raise RobotFileError(
            "found {found}: pi is in radians, {degrees} in degrees",
            found,
            reader.degrees,
            hint=Message("write the unit, as in {degrees}°, or all of it as a part of pi", reader.degrees),
        )
    if divides_by_zero(result):  # what only units show: the cosine of 90 is 0 in degrees
        raise RobotFileError("{text} divides by zero", found)
    return ZERO if result == Deg(Fraction(0)) else result


def in_column(parameter: Parameter, quantity: Quantity, units: Units) -> Parameter:
    """The tree whose text a column of these units reads back as this parameter."""
    return _Writer(units).walk(parameter, units.of(quantity), clear=True)


def value_in_si(number: Parameter, unit: str) -> Parameter:
    """So many of the unit, in SI, exact."""
    base, _, _ = unit.partition("/")
    if base == "deg":
        return _first_factor(number, lambda x: fold("*", Deg(Fraction(1)), x))
    size = _SIZE.get(base, Fraction(1))
    return number if size == 1 else _first_factor(number, lambda x: fold("*", Num(size), x))


def is_si(unit: str) -> bool:
    return unit in ("", "any") or (unit.partition("/")[0] != "deg" and _SIZE[unit.partition("/")[0]] == 1)


def bare_numbers(tree: Parameter) -> list[Fraction]:
    """The numbers of a text that take the unit of its column."""
    collector = _Collector()
    collector.walk(tree, "any", clear=True)
    return collector.numbers


def units_shown(tree: Parameter) -> Iterator[str]:
    """The units that are written in a text; pi shows radians."""
    match tree:
        case Deg():
            yield "rad"
        case ParameterOp(op, args):
            if op[0] == "@":
                yield op[1:]
                return
            for argument in args:
                yield from units_shown(argument)


def _first_factor(x: Parameter, change: Callable[[Parameter], Parameter]) -> Parameter:
    """A product with its first factor changed; a factor that becomes 1 is left out."""
    match x:
        case ParameterOp("neg", (a,)):
            return fold("neg", _first_factor(a, change))
        case ParameterOp("*" | "/" as op, (a, b)):
            first = _first_factor(a, change)
            return b if op == "*" and first == ONE else fold(op, first, b)
    return change(x)


def _is_pure(x: Parameter) -> bool:
    """Is it a number whatever names are worth lengths or angles? Sines and cosines are."""
    match x:
        case Name():
            return False
        case ParameterOp("sin" | "cos", _):
            return True
        case ParameterOp(op, args):
            return op[0] != "@" and all(map(_is_pure, args))
    return True


def _has(kind: type[Num | Deg], x: Parameter, inside: bool = False) -> bool:
    """Does it contain a number, or pi? Arguments of sines and cosines do not count unless requested."""
    match x:
        case ParameterOp(op, args):
            return (inside or op not in ("sin", "cos")) and any(_has(kind, y, inside) for y in args)
    return isinstance(x, kind)


class _Walker:
    """Goes through a tree, and changes the terms that are numbers alone. `clear` is False of a term in a sum that is
    multiplied by names: whether that sum is the length, or a factor of it, cannot be known."""

    def number(self, x: Parameter, unit: str, clear: bool) -> Parameter:
        raise NotImplementedError

    def apply_unit(self, x: Parameter, written: str, unit: str, clear: bool) -> Parameter:
        raise NotImplementedError

    angle = "rad"

    def walk(self, x: Parameter, unit: str, clear: bool) -> Parameter:
        match x:
            case ParameterOp(op, (a,)) if op[0] == "@":
                return self.apply_unit(a, op[1:], unit, clear)
            case ParameterOp("neg" | "+" | "-" as op, args):
                return fold(op, *(self.walk(argument, unit, clear) for argument in args))
            case _ if _is_pure(x):
                return self.number(x, unit, clear)
            case ParameterOp("*", (a, b)) if _is_pure(a):
                return fold("*", self.factor(a), self.walk(b, unit, clear))
            case ParameterOp("*" | "/" as op, (a, b)) if _is_pure(b):
                first = self.walk(a, unit, clear)
                return self.factor(b) if op == "*" and first == ONE else fold(op, first, self.factor(b))
            case ParameterOp(op, args):
                inner = (self.factor(y) if _is_pure(y) else self.walk(y, unit, clear=False) for y in args)
                return fold(op, *inner)
        return x

    def factor(self, x: Parameter) -> Parameter:
        """A pure number, in which only angles have units."""
        match x:
            case ParameterOp("sin" | "cos" as op, (a,)):
                return fold(op, self.walk(a, self.angle, clear=True))
            case ParameterOp(op, args):
                return fold(op, *map(self.factor, args))
        return x


class _Collector(_Walker):
    def __init__(self) -> None:
        self.numbers: list[Fraction] = []

    def number(self, x: Parameter, unit: str, clear: bool) -> Parameter:
        self.numbers += [x.value] if isinstance(x, Num) and x.value else []
        return x

    def apply_unit(self, x: Parameter, written: str, unit: str, clear: bool) -> Parameter:
        return x


class _Reader(_Walker):
    def walk(self, x: Parameter, unit: str, clear: bool) -> Parameter:
        match x:
            case ParameterOp("*", (a, Name(name))) if unit and name in _KIND and name != "m" and _is_pure(a):
                raise RobotFileError(
                    "found {found}: {name!r} is a unit",
                    self.found,
                    name,
                    hint=Message("write it behind the number, as in {text_of} {name}", text_of(a), name),
                )
        return super().walk(x, unit, clear)

    def __init__(self, units: Units, found: str) -> None:
        self.angle, self.found = units.angle, found
        self.degrees = ""  # a number that was read in degrees

    def number(self, x: Parameter, unit: str, clear: bool) -> Parameter:
        angle, value = unit.startswith("deg"), self.factor(x)
        if is_si(unit) or x == ZERO or (angle and (_has(Deg, x) or (_has(Deg, x, True) and not _has(Num, x)))):
            return value
        if not clear:
            raise RobotFileError(
                "found {found}: the unit of {text_of} is not clear in a product of names",
                self.found,
                text_of(x),
                hint=Message("write it, as in {text_of} {unit}, or multiply the brackets out", text_of(x), unit),
            )
        self.degrees = self.degrees or (text_of(x) if angle else "")
        return value_in_si(value, unit)

    def apply_unit(self, x: Parameter, written: str, unit: str, clear: bool) -> Parameter:
        kind, _, rate = written.partition("/")
        column, _, column_rate = unit.partition("/")
        if not _is_pure(x):
            told = Message("found {found}: the unit {written} stands behind a name", self.found, written)
            raise RobotFileError(told, hint="names have SI values; a unit belongs behind a number, as in L1 + 20 mm")
        if clear and unit != "any" and (not unit or (_KIND[kind], rate) != (_KIND[column], column_rate)):
            told = Message("found {found}, a value in {written}", self.found, written)
            raise RobotFileError(told, hint=_expected_unit(column, column_rate))
        if kind == "deg" and _has(Deg, x):
            told = Message("found {found}: pi is in radians, not in degrees", self.found)
            raise RobotFileError(told, hint="write rad, or leave the unit out")
        return value_in_si(self.factor(x), written)


def _expected_unit(unit: str, rate: str) -> str:
    if not unit:
        return Message("expected a number in SI, without a unit")
    return (
        Message("expected a speed, as in 2 {unit}/s", unit)
        if rate
        else Message("expected {one_of_kinds}", UNITS[_KIND[unit]])
    )


class _Writer(_Walker):
    def __init__(self, units: Units) -> None:
        self.angle = units.angle

    def number(self, x: Parameter, unit: str, clear: bool) -> Parameter:
        (kind, slash, rate), value = unit.partition("/"), self.factor(x)
        if is_si(unit) or x == ZERO or (kind == "deg" and _has(Deg, x)):
            return value
        if clear and kind != "deg":
            return _first_factor(value, lambda y: fold("*", Num(1 / _SIZE[kind]), y))
        return _first_factor(value, lambda y: _append_unit(y, f"{_KIND[kind]}{slash}{rate}"))


def _append_unit(x: Parameter, unit: str) -> Parameter:
    """A number with its unit behind it, a sine with that of the 1 before it."""
    return (
        ParameterOp(f"@{unit}", (x,)) if isinstance(x, Num) else ParameterOp("*", (ParameterOp(f"@{unit}", (ONE,)), x))
    )


# Entries as people write them, with the signs of books, Unicode or LaTeX, as plain text of the table's arithmetic.
#
# `−90°`, `2π/3`, `\frac{\pi}{2}`, `-90^\circ`, `$L_{1}$`, `β`, `0,5`, `40 cm`: the meaning of each is one. A unit
# behind
# a number is marked; whether it may stand there is for the reader of the column to say.

_SIGNS = str.maketrans(
    {
        **dict(zip("−–—⁻×⋅∙˚º₀₁₂₃₄₅₆₇₈₉\u00a0\u2009\u202f", "----*··°°0123456789   ")),
        **dict.fromkeys("\u2044\u2215÷", "/"),  # the slashes of fractions
        "²": "**2",
        "³": "**3",
        "√": "sqrt",
        "ℓ": "l",
        "$": "",
    }
)
_UNITS = ((r"\\(?:SI|qty)\s*\{([^{}]*)\}\s*\{\s*\\degree\s*\}", r"\1°"), (r"\\ang\s*\{([^{}]*)\}", r"\1°"))
_COMMANDS = (
    (r"\^\s*\{?\s*\\circ\b\s*\}?|\\(?:text)?degrees?\b|\\(?:unit|si)\s*\{\s*\\degree\s*\}", "°"),
    (r"\\[,;:! ]|\\q?quad\b|~", " "),
    (r"\\(?:left|right|[Bb]igg?[lr]?|displaystyle)(?![A-Za-z])", ""),
    (r"\\(?:mathrm|mathit|mathbf|text|operatorname)\s*\{([^{}]*)\}", r"\1"),
    (r"\\(?:cdot|times)\b", "*"),
    (r"\\ell(?![A-Za-z])", "l"),
    (r"\\var(?=(?:theta|phi|epsilon|rho|sigma|pi|kappa)(?![A-Za-z]))", r"\\"),
    (r"\\(pi|sin|cos|sqrt)(?![A-Za-z])", r" \1 "),
    (rf"\\({'|'.join(sorted(set(GREEK.values()), key=len, reverse=True))})(?![A-Za-z])", r" \1"),
    (r"_\s*\{\s*(\w+)\s*\}", r"_\1"),
    (r"\^\s*\{?\s*\*\s*\}?", "*"),
)
_FRACTION = re.compile(r"\\[tdc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_GROUP = re.compile(r"\{([^{}]*)\}")
_SHORT_FRACTION = re.compile(r"\\[tdc]?frac\s*([0-9]|pi\b|[A-Za-z])\s*([0-9]|pi\b|[A-Za-z])")
_RAISED = re.compile(r"(?P<whole>(?<![\w.])\d+)?(?P<before>\s*)·(?P<after>\s*)(?P<digits>(?=\d+(?![\d.])))?")
_COMMA = re.compile(r"(?<=\d),(?=\d)|(?<![^-+*/( ]),(?=\d)")
_TIMES_PI = re.compile(r"(?<=[0-9])\s*(?=pi\b)")
_PRODUCT = re.compile(r"(?<=\))\s*(?=[A-Za-z0-9(])|(?<=\bpi)\s*(?=\()")
_NUMBER = r"(?<![\w.])(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|\bpi\b|\)"
_UNIT_WORDS = {
    "deg": r"°|deg(?:rees?)?|graus?", "rad": r"rad(?:ians?|ianos?)?", "mm": "mm", "cm": "cm",
    "m": r"m(?:et(?:re|er|ro)s?)?", "kg": "kg",
}  # fmt: skip
_WITH_UNIT = re.compile(
    rf"(?P<number>{_NUMBER})\s*(?:{'|'.join(f'(?P<{unit}>{words})' for unit, words in _UNIT_WORDS.items())})"
    r"(?P<rate>\s*/\s*s\b)?(?![A-Za-z0-9_(])",
    re.I,
)
_OF_NUMBERS = re.compile(r"(?:pi\b|(?:sqrt|sin|cos)\b|[\d.]+(?:[eE][-+]?\d+)?|[-+*/()\s])*")
_PLAIN = re.compile(r"[\x00-\x23\x25-\x5b\x5d-\x7a\x7c\x7f]*")  # ASCII without $ \ { } ~


def plain_text(text: str) -> str:
    """The same entry in letters, digits and signs of arithmetic; what is not understood stays for the reader to
    refuse."""
    if not _PLAIN.fullmatch(text):
        text = _ascii(text)
    text = _WITH_UNIT.sub(_unit_marked, _TIMES_PI.sub("*", _COMMA.sub(".", text)))
    return _PRODUCT.sub("*", text).strip()


def _ascii(text: str) -> str:
    text = spell_greek(text.translate(_SIGNS))
    for pattern, plain in (*_UNITS, *_COMMANDS):
        text = re.sub(pattern, plain, text)
    text = _SHORT_FRACTION.sub(r"((\1)/(\2))", text)
    while (further := _GROUP.sub(_bracket_group, _FRACTION.sub(r"((\1)/(\2))", text))) != text:
        text = further
    return _RAISED.sub(_decimal_point, text)


def _decimal_point(point: re.Match[str]) -> str:
    """`0·3` is a decimal of a British book, `2 · 45` a product; of `2·45` and `0 · 3` either is possible: they stay."""
    whole, before, after = point["whole"] or "", point["before"], point["after"]
    if not whole or point["digits"] is None or (whole.strip("0") and (before or after)):
        return f"{whole}*"
    return point[0] if whole.strip("0") or before or after else f"{whole}."


def _unit_marked(found: re.Match[str]) -> str:
    """`(2 + 3) m` is five metres, `(a + b) m` a product with a name."""
    number = found["number"]
    if number == ")" and not _OF_NUMBERS.fullmatch(_bracket_before(found.string, found.start())):
        return found[0]
    unit = next(unit for unit in _UNIT_WORDS if found[unit])
    return f"{number}{UNIT_MARK}{unit}{'_per_s' if found['rate'] else ''}"


def _bracket_before(text: str, end: int) -> str:
    """What is between this closing bracket and its opening one."""
    depth = 0
    for at in range(end, -1, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if not depth:
            return text[at + 1 : end]
    return text


def _bracket_group(group: re.Match[str]) -> str:
    """Braces around anything are brackets, but for the two halves of a fraction."""
    before = group.string[: group.start()].rstrip()
    return group[0] if before.endswith(("frac", "}")) else f"({group[1]})"
