"""Degrees as a scalar: any text run over them gives the degrees of the polynomials that a draw in the field samples.

A value stands for a rational function N/D: `top` bounds the degree of N, and D is a product of known factors, so that
sums are brought to their least common denominator. A symbol has degree 1; so have the cosine and the sine of an angle,
whose points of the circle are cleared of their own denominators at the end: with t for the point,

    c = (1−t²)/(1+t²),  s = 2t/(1+t²),  degree n in c, s and the symbols → at most 2 n (1 + angles) in t and the symbols

Fractions of angles are whole multiples of a part of them: the points of q/parts are the variables then, and the cosine
of q has the degree `parts`. Degrees are counted in whole angles meanwhile, and multiplied by the parts at the end.

An uninterpreted operation is a new variable, as long as no two different arguments meet in the same value; the degree
of such a meeting is counted beside. A root r = √(N/D) weighs as much as N·D, so what is bounded is bounded also where
r² = N/D is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, lcm
from typing import NamedTuple

from manipula.scalar import APART, Maths


class Factor:
    """A polynomial that stands in denominators, known by its degree."""

    __slots__ = ("degree",)

    def __init__(self, degree: Fraction | int) -> None:
        self.degree = degree


class Below:
    """A denominator: its factors and their powers. Products and common multiples are made once for each pair."""

    __slots__ = ("multiples", "powers", "products", "weight")

    def __init__(self, powers: Mapping[Factor, int]) -> None:
        self.powers = powers
        self.weight = sum(power * factor.degree for factor, power in powers.items())
        self.products: dict[Below, Below] = {}
        self.multiples: dict[Below, Below] = {}

    def __mul__(self, other: Below) -> Below:
        if not (self.powers and other.powers):
            return self if self.powers else other
        if other not in self.products:
            a, b = self.powers, other.powers
            self.products[other] = Below({factor: a.get(factor, 0) + b.get(factor, 0) for factor in {**a, **b}})
        return self.products[other]

    def __or__(self, other: Below) -> Below:
        """The least common multiple."""
        if self is other or not (self.powers and other.powers):
            return self if self.powers else other
        if other not in self.multiples:
            a, b = self.powers, other.powers
            # one of the two operands where it will do: identical objects make the next sum cheap
            common = {factor: max(a.get(factor, 0), b.get(factor, 0)) for factor in {**a, **b}}
            self.multiples[other] = self if common == a else other if common == b else Below(common)
        return self.multiples[other]

    def __truediv__(self, other: Below) -> Below:
        """What is left of it when the factors of another are taken away."""
        left = {factor: power - other.powers.get(factor, 0) for factor, power in self.powers.items()}
        return Below({factor: power for factor, power in left.items() if power > 0})

    def __pow__(self, times: int) -> Below:
        return Below({factor: times * power for factor, power in self.powers.items()}) if self.powers else self


NOTHING = Below({})
MOST_PARTS = 10**9  # of an angle; a finer fraction of it is an angle of its own
Leaves = frozenset[object]


class CirclePoint(NamedTuple):
    """The point (cos, sin) of an angle: its degree in the points of the leaves, those leaves, into how many parts it
    divides them, and whether it can be divided further: a numeric angle and a direction cannot."""

    top: Fraction | int
    below: Below = NOTHING
    leaves: Leaves = frozenset()
    parts: int = 1
    divisible: bool = True


class Degree:
    """The degree of one value; `turn` where it is an angle, `number` where it is one, `whole` for an `atan2`."""

    __slots__ = ("below", "factor", "number", "top", "turn", "whole")

    def __init__(
        self,
        top: Fraction | int,
        below: Below = NOTHING,
        turn: CirclePoint | None = None,
        number: Fraction | int | None = None,
        whole: bool = False,
    ) -> None:
        self.top, self.below, self.turn, self.number, self.whole = top, below, turn, number, whole
        self.factor: Below | None = None

    def __add__(self, other: Operand) -> Degree:
        x = degree_from(other)
        if self.number == 0 or x.number == 0:
            return x if self.number == 0 else self
        top, below = _sum_degrees(self.top, self.below, x.top, x.below)
        turn = None
        if self.turn is not None or x.turn is not None:
            turn = _turn_of_sum(self.as_turn(), x.as_turn())
        return Degree(top, below, turn)

    __radd__ = __sub__ = __rsub__ = __add__

    def __mul__(self, other: Operand) -> Degree:
        x = degree_from(other)
        if self.number == 0 or x.number == 0:
            return ZERO
        return Degree(self.top + x.top, self.below * x.below, _times(self, x) or _times(x, self))

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Degree:
        x = degree_from(other)
        if x.number is not None:
            # a number divides no polynomial: degree and denominator stay, and an angle stays an angle
            return self * (1 / Fraction(x.number))
        return Degree(self.top + (x.below / self.below).weight, (self.below / x.below) * x.as_factor())

    def __rtruediv__(self, other: Operand) -> Degree:
        return degree_from(other) / self

    def __neg__(self) -> Degree:
        return Degree(self.top, self.below, self.turn, None if self.number is None else -self.number, self.whole)

    def as_turn(self) -> CirclePoint:
        """What is no sum of angles is an angle of its own; zero turns nothing."""
        if self.turn is not None:
            return self.turn
        return CirclePoint(0) if self.number == 0 else CirclePoint(1, leaves=frozenset((self,)))

    def as_factor(self) -> Below:
        """The numerator, as a factor of what is divided by it; the same one whenever it is."""
        if self.factor is None:
            self.factor = Below({Factor(self.top): 1})
        return self.factor

    @property
    def both(self) -> Fraction | int:
        """Numerator and denominator together."""
        return self.top + self.below.weight


Operand = Degree | Fraction | int
ZERO = Degree(0, turn=CirclePoint(0), number=0)


def degree_from(x: Operand) -> Degree:
    if isinstance(x, Degree):
        return x
    return ZERO if x == 0 else Degree(0, number=x)


def _sum_degrees(a_top: Fraction | int, a: Below, b_top: Fraction | int, b: Below) -> tuple[Fraction | int, Below]:
    """N/D + M/E over the least common multiple of D and E."""
    if a is b:
        return max(a_top, b_top), a
    common = a | b
    return max(a_top + common.weight - a.weight, b_top + common.weight - b.weight), common


def _turn_of_sum(a: CirclePoint, b: CirclePoint) -> CirclePoint:
    """The point of a sum: products of both points."""
    parts, divisible = lcm(a.parts, b.parts), a.divisible and b.divisible
    return CirclePoint(a.top + b.top, a.below * b.below, a.leaves | b.leaves, parts, divisible)


def _times(number: Degree, angle: Degree) -> CirclePoint | None:
    """A multiple of an angle; half of a direction points along (1 + cos, sin), by a root."""
    k, turn = number.number, angle.turn
    if k is None or turn is None:
        return None
    if k == Fraction(1, 2) and angle.whole:
        return _direction(Degree(turn.top, turn.below), Degree(turn.top, turn.below), turn.leaves)
    parts = turn.parts * k.denominator
    if k.denominator > 1 and not (turn.divisible and parts <= MOST_PARTS):
        return None
    # cos(n·x) and sin(n·x) are polynomials of degree n in cos x and sin x
    times = abs(k.numerator)
    top = turn.top * (times if k.denominator == 1 else Fraction(times, k.denominator))
    return CirclePoint(top, turn.below**times, turn.leaves, parts, turn.divisible)


def _direction(x: Degree, y: Degree, leaves: Leaves = frozenset()) -> CirclePoint:
    """(x/r, y/r) with r = √(x² + y²)."""
    # the direction of atan2 has this root in it, which the field does not interpret
    r = _root(x * x + y * y)
    top, below = _sum_degrees((x / r).top, (x / r).below, (y / r).top, (y / r).below)
    return CirclePoint(top, below, leaves, divisible=False)


def _root(x: Degree) -> Degree:
    """r = √(N/D) = √(N D)/D"""
    # never below 1: the root itself is a variable of the polynomial
    return Degree(max(1, x.both), x.below)


class DegreeMaths(Maths[Degree]):
    """`Maths` over degrees. What was compared and what was met on the way is kept here."""

    def __init__(self, divides: bool = True) -> None:
        self.divides, self.parts = divides, 1  # are angles divided, and into how many parts were they?
        self.angles: set[object] = set()  # leaves whose points of the circle were used
        self.arguments: list[Fraction | int] = []  # degrees of the arguments of uninterpreted operations
        self.greatest: Fraction | int = 0  # of all differences

    @property
    def degree(self) -> int:
        """Of the polynomial that must vanish for a wrong text to pass: a difference, or of two arguments one less the
        other or one and the other."""
        # any two of the arguments may meet, so every pair's degree counts: n·Σd bounds Σ over pairs
        meetings = 2 * len(self.arguments) * sum(self.arguments)
        return ceil(2 * (1 + len(self.angles)) * (self.greatest + meetings) * self.parts)

    def differs(self, x: Operand, y: Operand) -> bool:
        """Nothing is compared: only how hard it would be."""
        self.greatest = max(self.greatest, (degree_from(x) - y).top)
        return False

    def symbol(self, name: str) -> Degree:
        return Degree(1, turn=CirclePoint(1, leaves=frozenset((name,)), divisible=self.divides))

    def number(self, value: Fraction) -> Degree:
        return degree_from(value)

    def degrees(self, value: Fraction) -> Degree:
        """Quarter turns are numbers; the rest is a point of its own."""
        rest = abs(value - 90 * round(value / 90))
        turn = CirclePoint(1, leaves=frozenset((rest,)), divisible=False) if rest else CirclePoint(0, divisible=False)
        return Degree(1, turn=turn) if value else ZERO

    def sin(self, x: Operand) -> Degree:
        angle = degree_from(x)
        turn = angle.as_turn()
        self.angles |= turn.leaves
        self.parts = lcm(self.parts, turn.parts)
        self.arguments += [leaf.both for leaf in turn.leaves if isinstance(leaf, Degree)]
        return Degree(turn.top, turn.below)

    def cos(self, x: Operand) -> Degree:
        return self.sin(x)

    def sqrt(self, x: Operand) -> Degree:
        return _root(self._note_argument(x))

    def atan2(self, y: Operand, x: Operand) -> Degree:
        return Degree(1, turn=_direction(self._note_argument(x), self._note_argument(y)), whole=True)

    def apart(self, x: Operand) -> Degree:
        found = self.apply(APART, x)
        return Degree(found.top, turn=found.as_turn())

    def _note_argument(self, x: Operand) -> Degree:
        met = degree_from(x)
        self.arguments.append(met.both)
        return met

    def apply(self, name: str, *args: Operand) -> Degree:
        """A new variable."""
        self.arguments.append(max(degree_from(x).both for x in args))
        return Degree(1)


class LinearChoiceDegrees(DegreeMaths):
    """Where a choice is s·yes + (1 − s)·no, s a variable of its condition."""

    def select(self, condition: Operand, yes: Operand, no: Operand) -> Degree:
        self._note_argument(condition)
        return no + Degree(1) * (degree_from(yes) - no)
