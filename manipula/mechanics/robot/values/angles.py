"""An angle as multiples of its terms: x·4/2 is twice x, x·y/y is x, x/2 + x/2 is x.

The proof knows the sine of whole multiples of an angle by the sine of the angle. What is written as a detour it would
take for another angle, so an angle is collected where a description is read:

    Σ k · Π atom^power        k rational; an atom is a name, a number of degrees, a sine, a root, a sum to be multiplied

Every proof holds the value of what was collected against that of what is written (`audit`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import inf

from manipula.mechanics.robot.values.parameter import (
    ZERO,
    Deg,
    Name,
    Num,
    Parameter,
    ParameterOp,
    bits,
    negate,
    text_of,
)

Term = frozenset[tuple[Parameter, int]]  # atoms and their powers
Form = dict[Term, Fraction]

ONE: Term = frozenset()
MOST = 100  # the largest power that is written


class Angles:
    """`values` gives the names that stand for something; every other name is an atom."""

    def __init__(self, values: Mapping[str, Parameter]) -> None:
        self.values = values
        self.forms: dict[str, Form] = {}

    def collect(self, angle: Parameter, least: Fraction = Fraction(0)) -> Parameter:
        """The same angle; as it is where there is nothing to collect. Terms with a factor below `least` are left
        out."""
        if not isinstance(angle, ParameterOp | Name):
            return ZERO if isinstance(angle, Num) and abs(angle.value) < least else angle
        return _parameter_from_form({term: k for term, k in self.form(angle).items() if abs(k) >= least})

    def inside(self, x: Parameter) -> Parameter:
        """The same parameter, the angles inside its sines and cosines collected."""
        match x:
            case ParameterOp("sin" | "cos", (a,)):
                return ParameterOp(x.op, (self.collect(a),))
            case ParameterOp(op, args):
                return ParameterOp(op, tuple(map(self.inside, args)))
        return x

    def form(self, x: Parameter) -> Form:
        """What grows out of hand stays as it is written."""
        form = self._open_name(x.name) if isinstance(x, Name) else self._form(x)
        return form if all(abs(power) <= MOST for term in form for _, power in term) else _atom(x)

    def _open_name(self, name: str) -> Form:
        """What a name stands for, if that is made of names alone: a tower of names is not written out."""
        if name not in self.values:
            return _atom(Name(name))
        if name not in self.forms:
            form = self.form(self.values[name])
            plain = all(isinstance(atom, Name | Deg) for term in form for atom, _ in term)
            self.forms[name] = form if plain else _atom(Name(name))
        return self.forms[name]

    def _form(self, x: Parameter) -> Form:
        match x:
            case Num(value):
                return _times({ONE: Fraction(1)}, value)
            case ParameterOp("neg", (a,)):
                return _times(self.form(a), Fraction(-1))
            case ParameterOp("+", (a, b)):
                return _sum(self.form(a), self.form(b))
            case ParameterOp("-", (a, b)):
                return _sum(self.form(a), _times(self.form(b), Fraction(-1)))
            case ParameterOp("*", (a, b)):
                return _product(self.form(a), self.form(b))
            case ParameterOp("/", (a, b)):
                return _product(self.form(a), _power(self.form(b), -1))
            case ParameterOp("**", (a, Num(n))):
                return _power(self.form(a), int(n))
        return _atom(self.inside(x))


def _atom(x: Parameter) -> Form:
    return {frozenset([(x, 1)]): Fraction(1)}


def _times(form: Form, k: Fraction) -> Form:
    return {term: k * times for term, times in form.items()} if k else {}


def _sum(a: Form, b: Form) -> Form:
    total = {term: a.get(term, Fraction(0)) + b.get(term, Fraction(0)) for term in {**a, **b}}
    return {term: times for term, times in total.items() if times}


def _product(a: Form, b: Form) -> Form:
    """A number multiplies every term; a sum times anything else is an atom."""
    for number, other in ((a, b), (b, a)):
        if number.keys() <= {ONE}:
            return _times(other, number.get(ONE, Fraction(0)))
    (x, k), (y, n) = _single(a), _single(b)
    powers = dict(x)
    for atom, power in y:
        powers[atom] = powers.get(atom, 0) + power
    return {frozenset((atom, power) for atom, power in powers.items() if power): k * n}


def _power(form: Form, n: int) -> Form:
    term, times = _single(form)
    if not times and n < 0:
        raise ZeroDivisionError("division by an expression that is identically zero")
    raised = frozenset((atom, n * power) for atom, power in term) if n else ONE
    return _times({raised: Fraction(1)}, times**n)


def _single(form: Form) -> tuple[Term, Fraction]:
    """As one term."""
    if len(form) == 1:
        return next(iter(form.items()))
    return (frozenset([(_parameter_from_form(form), 1)]), Fraction(1)) if form else (ONE, Fraction(0))


def _parameter_from_form(form: Form) -> Parameter:
    """The sum as a parameter."""
    total: Parameter | None = None
    for term, times in form.items():
        summand = _summand(term, times)
        total = summand if total is None else ParameterOp("+", (total, summand))
    return Num(Fraction(0)) if total is None else total


def _summand(term: Term, times: Fraction) -> Parameter:
    factors = [_power_of_atom(atom, power) for atom, power in sorted(term, key=lambda pair: text_of(pair[0]))]
    if not factors:
        return Num(times)
    total = factors[0]
    for factor in factors[1:]:
        total = ParameterOp("*", (total, factor))
    return total if times == 1 else negate(total) if times == -1 else ParameterOp("*", (Num(times), total))


def _power_of_atom(atom: Parameter, power: int) -> Parameter:
    return atom if power == 1 else ParameterOp("**", (atom, Num(Fraction(power))))


# How many times an angle: whole multiples are bounded at the door.
#
# The proof draws an angle as a point of the circle of GF(2⁶¹−1), a group of 2⁶¹ elements. 2⁵⁹ times any of them is a
# quarter turn: a twist written as "2**59*x" would look like a number there. No arm has such a twist, so more than 2²⁰
# times an angle is refused, however the multiple is spelled: by a product, by sums, by names that stand for others.
# What
# a chain adds up then stays far below the group's size, and what an expression adds up the proof counts.

MOST_TIMES = 2**20
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
        """Σ |k| where x = Σ k · leaf, or the same of the contents of a sine or cosine of it, if that is more."""
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
                    self.weights[name] = ONCE  # what is defined through itself is refused elsewhere
                    self.weights[name] = self.weight(self.values[name])
                return self.weights[name]
            case ParameterOp("neg", (a,)):
                return self.weight(a)
            case ParameterOp("+" | "-", (a, b)):
                return _small(self.weight(a) + self.weight(b))
            case ParameterOp("*", (a, b)):
                return max(ONCE, self._times(a, b), self._times(b, a))
            case ParameterOp("/", (a, b)):
                number = self.number(b)
                return max(ONCE, _small(self.weight(a) / abs(number))) if number else ONCE
        return ONCE

    def _times(self, factor: Parameter, angle: Parameter) -> Fraction:
        number = self.number(factor)
        return ONCE if number is None else _small(abs(number) * self.weight(angle))

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
                return _evaluate(op, known) if len(known) == len(parts) else None
        return None


ONCE = Fraction(1)


def _evaluate(op: str, parts: list[Fraction]) -> Fraction | None:
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
    """What is inside sines and cosines."""
    if isinstance(x, ParameterOp):
        if x.op in ("sin", "cos"):
            yield x.args[0]
        for arg in x.args:
            yield from _arguments(arg)
