"""An angle as multiples of its terms: x·4/2 is twice x, x·y/y is x, x/2 + x/2 is x.

The proof knows the sine of whole multiples of an angle by the sine of the angle. What is written as a detour it would
take for another angle, so an angle is collected where a description is read:

    Σ k · Π atom^power        k rational; an atom is a name, a number of degrees, a sine, a root, a sum to be multiplied

Every proof holds the value of what was collected against that of what is written (`audit`).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from manipula.mechanics.robot.values.parameter import Deg, Name, Num, Parameter, ParameterOp, negated, text_of

Term = frozenset[tuple[Parameter, int]]  # atoms and their powers
Form = dict[Term, Fraction]

ONE: Term = frozenset()
MOST = 100  # the largest power that is written


class Angles:
    """`values` gives the names that stand for something; every other name is an atom."""

    def __init__(self, values: Mapping[str, Parameter]) -> None:
        self.values = values
        self.forms: dict[str, Form] = {}

    def collected(self, angle: Parameter) -> Parameter:
        """The same angle; as it is where there is nothing to collect."""
        return _written(self.form(angle)) if isinstance(angle, ParameterOp | Name) else angle

    def inside(self, x: Parameter) -> Parameter:
        """The same parameter, the angles inside its sines and cosines collected."""
        match x:
            case ParameterOp("sin" | "cos", (a,)):
                return ParameterOp(x.op, (self.collected(a),))
            case ParameterOp(op, args):
                return ParameterOp(op, tuple(map(self.inside, args)))
        return x

    def form(self, x: Parameter) -> Form:
        """What grows out of hand stays as it is written."""
        form = self._opened(x.name) if isinstance(x, Name) else self._form(x)
        return form if all(abs(power) <= MOST for term in form for _, power in term) else _atom(x)

    def _opened(self, name: str) -> Form:
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
    return (frozenset([(_written(form), 1)]), Fraction(1)) if form else (ONE, Fraction(0))


def _written(form: Form) -> Parameter:
    """The sum as a parameter."""
    total: Parameter | None = None
    for term, times in form.items():
        summand = _summand(term, times)
        total = summand if total is None else ParameterOp("+", (total, summand))
    return Num(Fraction(0)) if total is None else total


def _summand(term: Term, times: Fraction) -> Parameter:
    factors = [_raised(atom, power) for atom, power in sorted(term, key=lambda pair: text_of(pair[0]))]
    if not factors:
        return Num(times)
    total = factors[0]
    for factor in factors[1:]:
        total = ParameterOp("*", (total, factor))
    return total if times == 1 else negated(total) if times == -1 else ParameterOp("*", (Num(times), total))


def _raised(atom: Parameter, power: int) -> Parameter:
    return atom if power == 1 else ParameterOp("**", (atom, Num(Fraction(power))))
