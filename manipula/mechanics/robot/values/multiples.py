"""How many times an angle: whole multiples are bounded at the door.

The proof draws an angle as a point of the circle of GF(2⁶¹−1), a group of 2⁶¹ elements. 2⁵⁹ times any of them is a
quarter turn: a twist written as "2**59*x" would look like a number there. No arm has such a twist, so more than 2²⁰
times an angle is refused, however the multiple is spelled: by a product, by sums, by names that stand for others. What
a chain adds up then stays far below the group's size, and what an expression adds up the proof counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import inf

from manipula.mechanics.robot.values.parameter import Name, Num, Parameter, ParameterOp, bits

MOST = 2**20
BITS = 4096  # of a number that is looked at: more is too large in any case


class _TooLargeError(Exception):
    """A number that need not be written out."""


class Multiples:
    """Of the leaves an expression is made of; `values` gives the names that stand for something."""

    def __init__(self, values: Mapping[str, Parameter]) -> None:
        self.values = values
        self.numbers: dict[str, Fraction | None] = {}
        self.weights: dict[str, Fraction] = {}

    def of_angle(self, x: Parameter) -> float:
        """Σ |k| where x = Σ k · leaf, or the same of what stands in a sine or cosine of it, if that is more."""
        return max(self._size(x), self.inside(x))

    def inside(self, x: Parameter) -> float:
        """The largest inside the sines and cosines of an expression that is no angle itself."""
        return max(map(self._size, _arguments(x)), default=0.0)

    def _size(self, x: Parameter) -> float:
        try:
            return float(self.weight(x))
        except (_TooLargeError, OverflowError):
            return inf

    def weight(self, x: Parameter) -> Fraction:
        """Every leaf counts once, however small its factor: a leaf is at least itself."""
        match x:
            case Name(name) if name in self.values:
                if name not in self.weights:
                    self.weights[name] = ONE  # what is defined by itself is refused elsewhere
                    self.weights[name] = self.weight(self.values[name])
                return self.weights[name]
            case ParameterOp("neg", (a,)):
                return self.weight(a)
            case ParameterOp("+" | "-", (a, b)):
                return _small(self.weight(a) + self.weight(b))
            case ParameterOp("*", (a, b)):
                return max(ONE, self._times(a, b), self._times(b, a))
            case ParameterOp("/", (a, b)):
                number = self.number(b)
                return max(ONE, _small(self.weight(a) / abs(number))) if number else ONE
        return ONE

    def _times(self, factor: Parameter, angle: Parameter) -> Fraction:
        number = self.number(factor)
        return ONE if number is None else _small(abs(number) * self.weight(angle))

    def number(self, x: Parameter) -> Fraction | None:
        """The value of what is made of numbers alone."""
        match x:
            case Num(value):
                return _small(value)
            case Name(name):
                if name not in self.numbers:
                    self.numbers[name] = None
                    self.numbers[name] = self.number(self.values[name]) if name in self.values else None
                return self.numbers[name]
            case ParameterOp(op, args):
                parts = [self.number(arg) for arg in args]
                known = [part for part in parts if part is not None]
                return _computed(op, known) if len(known) == len(parts) else None
        return None


ONE = Fraction(1)


def _computed(op: str, parts: list[Fraction]) -> Fraction | None:
    match op, parts:
        case "neg", [a]:
            return -a
        case "+", [a, b]:
            return _small(a + b)
        case "-", [a, b]:
            return _small(a - b)
        case "*", [a, b]:
            return _small(a * b)
        case "/", [a, b] if b:
            return _small(a / b)
        case "**", [a, b] if b.denominator == 1 and (a or b >= 0):
            if bits(a) * abs(b) > BITS:
                raise _TooLargeError
            return a ** int(b)
    return None  # a sine or a root of numbers is no whole number that the proof could see


def _small(x: Fraction) -> Fraction:
    if bits(x) > BITS:
        raise _TooLargeError
    return x


def _arguments(x: Parameter) -> Iterator[Parameter]:
    """What stands inside sines and cosines."""
    if isinstance(x, ParameterOp):
        if x.op in ("sin", "cos"):
            yield x.args[0]
        for arg in x.args:
            yield from _arguments(arg)
