"""Degrees as a scalar: any text run over them tells how large the polynomials are that a draw in the field samples.

A value stands for a rational function N/D: `top` bounds the degree of N, and D is a product of known factors, so that
sums are brought to their least common denominator. A symbol has degree 1; so have the cosine and the sine of an angle,
whose points of the circle are cleared of their own denominators at the end: with t for the point,

    c = (1−t²)/(1+t²),  s = 2t/(1+t²),  degree n in c, s and the symbols → at most 2 n (1 + angles) in t and the symbols

An uninterpreted operation is a new variable, as long as no two different arguments meet in the same value; the degree
of such a meeting is counted beside. A root r = √(N/D) weighs as much as N·D, so what is bounded is bounded also where
r² = N/D is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple


class Factor:
    """A polynomial that stands in denominators, known by its degree."""

    __slots__ = ("degree",)

    def __init__(self, degree: int) -> None:
        self.degree = degree


Below = Mapping[Factor, int]  # factor → its power in a denominator
NOTHING: Below = {}
Leaves = frozenset[object]


class Turn(NamedTuple):
    """The point (cos, sin) of an angle: its degree in the points of the leaves, and those leaves."""

    top: int
    below: Below = NOTHING
    leaves: Leaves = frozenset()


class Degree:
    """The degree of one value; `turn` where it is an angle, `number` where it is one, `whole` for an `atan2`."""

    __slots__ = ("below", "factor", "number", "top", "turn", "whole")

    def __init__(
        self,
        top: int,
        below: Below = NOTHING,
        turn: Turn | None = None,
        number: Fraction | int | None = None,
        whole: bool = False,
    ) -> None:
        self.top, self.below, self.turn, self.number, self.whole = top, below, turn, number, whole
        self.factor: Factor | None = None

    def __add__(self, other: Any) -> Degree:
        x = degree_from(other)
        top, below = _summed(self.top, self.below, x.top, x.below)
        turn = None
        if self.turn is not None or x.turn is not None:
            turn = _turned(self.as_turn(), x.as_turn())
        return Degree(top, below, turn)

    __radd__ = __sub__ = __rsub__ = __add__

    def __mul__(self, other: Any) -> Degree:
        x = degree_from(other)
        if self.number == 0 or x.number == 0:
            return ZERO
        return Degree(self.top + x.top, _multiplied(self.below, x.below), _times(self, x) or _times(x, self))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Degree:
        x = degree_from(other)
        if x.number is not None:
            return self * (1 / Fraction(x.number))
        spare = {factor: power - self.below.get(factor, 0) for factor, power in x.below.items()}
        top = self.top + sum(max(power, 0) * factor.degree for factor, power in spare.items())
        below = {factor: power - x.below.get(factor, 0) for factor, power in self.below.items()}
        below = {factor: power for factor, power in below.items() if power > 0}
        below[x.as_factor()] = below.get(x.as_factor(), 0) + 1
        return Degree(top, below)

    def __rtruediv__(self, other: Any) -> Degree:
        return degree_from(other) / self

    def __neg__(self) -> Degree:
        return Degree(self.top, self.below, self.turn, None if self.number is None else -self.number, self.whole)

    def as_turn(self) -> Turn:
        """What is no sum of angles is an angle of its own; zero turns nothing."""
        if self.turn is not None:
            return self.turn
        return Turn(0) if self.number == 0 else Turn(1, leaves=frozenset((self,)))

    def as_factor(self) -> Factor:
        """The numerator, as a factor of what is divided by it; the same one whenever it is."""
        if self.factor is None:
            self.factor = Factor(self.top)
        return self.factor

    @property
    def both(self) -> int:
        """Numerator and denominator together."""
        return self.top + weight(self.below)


ZERO = Degree(0, turn=Turn(0), number=0)


def degree_from(x: Any) -> Degree:
    if isinstance(x, Degree):
        return x
    return ZERO if x == 0 else Degree(0, number=x)


def weight(below: Below) -> int:
    return sum(power * factor.degree for factor, power in below.items())


def _summed(a_top: int, a: Below, b_top: int, b: Below) -> tuple[int, Below]:
    """N/D + M/E over the least common multiple of D and E."""
    if a is b or not (a or b):
        return max(a_top, b_top), a
    common = {factor: max(a.get(factor, 0), b.get(factor, 0)) for factor in {**a, **b}}
    full = weight(common)
    return max(a_top + full - weight(a), b_top + full - weight(b)), common


def _multiplied(a: Below, b: Below) -> Below:
    if not a or not b:
        return a or b
    return {factor: a.get(factor, 0) + b.get(factor, 0) for factor in {**a, **b}}


def _turned(a: Turn, b: Turn) -> Turn:
    """The point of a sum: products of both points."""
    return Turn(a.top + b.top, _multiplied(a.below, b.below), a.leaves | b.leaves)


def _times(number: Degree, angle: Degree) -> Turn | None:
    """A whole multiple of an angle; half of a direction points along (1 + cos, sin), by a root."""
    k, turn = number.number, angle.turn
    if k is None or turn is None:
        return None
    if k == Fraction(1, 2) and angle.whole:
        return _direction(Degree(turn.top, turn.below), Degree(turn.top, turn.below), turn.leaves)
    if Fraction(k).denominator != 1:
        return None
    times = abs(int(k))
    return Turn(times * turn.top, {factor: times * power for factor, power in turn.below.items()}, turn.leaves)


def _direction(x: Degree, y: Degree, leaves: Leaves = frozenset()) -> Turn:
    """(x/r, y/r) with r = √(x² + y²)."""
    r = _root(x * x + y * y)
    top, below = _summed((x / r).top, (x / r).below, (y / r).top, (y / r).below)
    return Turn(top, below, leaves)


def _root(x: Degree) -> Degree:
    """r = √(N/D) = √(N D)/D"""
    return Degree(max(1, x.both), x.below)


class DegreeMaths:
    """`Maths` over degrees. What was compared and what was met on the way is kept here."""

    def __init__(self) -> None:
        self.angles: set[object] = set()  # leaves whose points of the circle were used
        self.arguments: list[int] = []  # degrees of what stands inside uninterpreted operations
        self.greatest = 0  # of all differences

    @property
    def degree(self) -> int:
        """Of the polynomial that must vanish for a wrong text to pass: a difference, or of two arguments one less the
        other or one and the other."""
        meetings = 2 * len(self.arguments) * sum(self.arguments)
        return 2 * (1 + len(self.angles)) * (self.greatest + meetings)

    def differs(self, x: Any, y: Any) -> bool:
        """Nothing is compared: only how hard it would be."""
        self.greatest = max(self.greatest, (degree_from(x) - y).top)
        return False

    def symbol(self, name: str) -> Degree:
        return Degree(1, turn=Turn(1, leaves=frozenset((name,))))

    def number(self, value: Fraction) -> Degree:
        return degree_from(value)

    def degrees(self, value: Fraction) -> Degree:
        """Quarter turns are numbers; the rest is a point of its own."""
        rest = abs(value - 90 * round(value / 90))
        return Degree(1, turn=Turn(1, leaves=frozenset((rest,))) if rest else Turn(0)) if value else ZERO

    def sin(self, x: Any) -> Degree:
        angle = degree_from(x)
        turn = angle.as_turn()
        self.angles |= turn.leaves
        self.arguments += [leaf.both for leaf in turn.leaves if isinstance(leaf, Degree)]
        return Degree(turn.top, turn.below)

    cos = sin

    def sqrt(self, x: Any) -> Degree:
        return _root(self._met(x))

    def atan2(self, y: Any, x: Any) -> Degree:
        return Degree(1, turn=_direction(self._met(x), self._met(y)), whole=True)

    def _met(self, x: Any) -> Degree:
        met = degree_from(x)
        self.arguments.append(met.both)
        return met

    def _opaque(self, *args: Any) -> Degree:
        self.arguments.append(max(degree_from(x).both for x in args))
        return Degree(1)

    sign = abs = minimum = maximum = less = select = _opaque
