"""The units of a text's terms: the one rule by which a column reads and writes numbers.

In a sum, a term that is a number alone has the unit of its column; a term with `pi` is in radians; a factor of a name
is a pure number, and names have SI values: under millimetres `L1 + 20` is L1 plus 20 mm, `2*L1` twice L1. The argument
of a sine or cosine is an angle, the sine itself a pure number. A unit may be written behind a number: `90 deg`.
Where two readings are possible, as of 1 in `L1*(1 + k)` under millimetres, the text is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from manipula.errors import RobotFileError
from manipula.mechanics.robot.values.parameter import ZERO, Deg, Name, Num, Parameter, ParameterOp, fold, text_of
from manipula.messages import Message

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
    """The unit of this name; metres where it is none, which is refused elsewhere."""
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
    return ZERO if result == Deg(Fraction(0)) else result


def in_column(parameter: Parameter, quantity: Quantity, units: Units) -> Parameter:
    """The tree whose text a column of these units reads back as this parameter."""
    return _Writer(units).walk(parameter, units.of(quantity), clear=True)


def scaled(number: Parameter, unit: str) -> Parameter:
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
    """Does it contain a number, or pi? Arguments of sines and cosines do not count unless asked for."""
    match x:
        case ParameterOp(op, args):
            return (inside or op not in ("sin", "cos")) and any(_has(kind, y, inside) for y in args)
    return isinstance(x, kind)


class _Walker:
    """Goes through a tree, and changes the terms that are numbers alone. `clear` is False of a term in a sum that is
    multiplied by names: whether that sum is the length, or a factor of it, cannot be known."""

    def number(self, x: Parameter, unit: str, clear: bool) -> Parameter:
        raise NotImplementedError

    def measured(self, x: Parameter, written: str, unit: str, clear: bool) -> Parameter:
        raise NotImplementedError

    angle = "rad"

    def walk(self, x: Parameter, unit: str, clear: bool) -> Parameter:
        match x:
            case ParameterOp(op, (a,)) if op[0] == "@":
                return self.measured(a, op[1:], unit, clear)
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

    def measured(self, x: Parameter, written: str, unit: str, clear: bool) -> Parameter:
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
        return scaled(value, unit)

    def measured(self, x: Parameter, written: str, unit: str, clear: bool) -> Parameter:
        kind, _, rate = written.partition("/")
        column, _, column_rate = unit.partition("/")
        if not _is_pure(x):
            told = Message("found {found}: the unit {written} stands behind a name", self.found, written)
            raise RobotFileError(told, hint="names have SI values; a unit belongs behind a number, as in L1 + 20 mm")
        if clear and unit != "any" and (not unit or (_KIND[kind], rate) != (_KIND[column], column_rate)):
            told = Message("found {found}, a value in {written}", self.found, written)
            raise RobotFileError(told, hint=_expected(column, column_rate))
        if kind == "deg" and _has(Deg, x):
            told = Message("found {found}: pi is in radians, not in degrees", self.found)
            raise RobotFileError(told, hint="write rad, or leave the unit out")
        return scaled(self.factor(x), written)


def _expected(unit: str, rate: str) -> str:
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
        return _first_factor(value, lambda y: _marked(y, f"{_KIND[kind]}{slash}{rate}"))


def _marked(x: Parameter, unit: str) -> Parameter:
    """A number with its unit behind it, a sine with that of the 1 before it."""
    return (
        ParameterOp(f"@{unit}", (x,)) if isinstance(x, Num) else ParameterOp("*", (ParameterOp(f"@{unit}", (ONE,)), x))
    )
