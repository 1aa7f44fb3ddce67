"""Choices that are none for this robot: `a if 1 < 1e-24 else b` is b.

A model guards its choices for every arm there is; of one arm many are decided before it moves. What a part can at most
be is known from intervals (a sine lies in [−1, 1], a square is not negative), over exact numbers:

    x < y                      decided where the intervals are apart
    max(x, y), min(x, y)       the larger, the smaller, where it is known which that is
    |x|, √x                    without the bars where the sign is known; squares are taken out
    atan2(0, x), atan2(y, 0)   a number of quarter turns where the sign of the other is known

These are facts about real numbers; the prime field, where such operations are opaque, knows none of them. So this comes
after the proof, as `cases` does.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from math import inf, isqrt

from manipula.algebra.expr.function import Function
from manipula.algebra.simplify import Written, function_from_trees
from manipula.algebra.simplify.tree import (
    MINUS,
    ONE,
    ZERO,
    Degrees,
    FormulaCall,
    FormulaNumber,
    FormulaProduct,
    FormulaTree,
    Inverse,
    Power,
    Sum,
    Symbol,
    Trig,
    power_of,
    product_of,
    sum_of,
    without_sign,
)

Bound = Fraction | float  # a float is infinite
Interval = tuple[Bound, Bound]
ANY: Interval = (-inf, inf)
NOT_NEGATIVE: Interval = (Fraction(0), inf)
UPRIGHT = Degrees(Fraction(90))
ROUNDS = 4  # each decides what the one before laid open


def written_anew(written: Written, like: Function, write: Callable[[Function], Written]) -> Written:
    """Without choices that are none; what then is left is simplified again, until nothing more is known."""
    for _ in range(ROUNDS):
        known = {name: tuple(map(simplify_choices, trees)) for name, trees in written.items()}
        if known == written:
            break
        # written anew from a function: a choice that is gone may let sums around it collapse
        written = write(function_from_trees(known, like))
    return written


def simplify_choices(tree: FormulaTree) -> FormulaTree:
    """The same value without choices that are none; equal where there is nothing to decide."""
    match tree:
        case FormulaCall("select", (condition, yes, no)):
            return _simplify_select(simplify_choices(condition), yes, no)
        case FormulaCall(op, args):
            return _evaluate_known(op, [simplify_choices(arg) for arg in args])
        case Sum(terms):
            return tree if (new := [simplify_choices(x) for x in terms]) == [*terms] else sum_of(new)
        case FormulaProduct(factors):
            return tree if (new := [simplify_choices(x) for x in factors]) == [*factors] else product_of(new)
        case Power(base, exponent):
            return _power(tree, simplify_choices(base), exponent)
        case Inverse(bottom):
            return _inverse(simplify_choices(bottom))
        case Trig(op, angle):
            return Trig(op, tuple((simplify_choices(leaf), times) for leaf, times in angle))
    return tree


def _simplify_select(condition: FormulaTree, yes: FormulaTree, no: FormulaTree) -> FormulaTree:
    if isinstance(condition, FormulaNumber):
        return simplify_choices(yes if condition.value else no)
    return FormulaCall("select", (condition, simplify_choices(yes), simplify_choices(no)))


def _power(tree: FormulaTree, base: FormulaTree, exponent: int) -> FormulaTree:
    """√x² = x: where x were negative, the root had no value. |x|² = x²"""
    match base:
        case FormulaCall("sqrt", (inner,)) if exponent % 2 == 0:
            return power_of(inner, exponent // 2)
        case FormulaCall("abs", (inner,)) if exponent % 2 == 0:
            return power_of(inner, exponent)
    return tree if isinstance(tree, Power) and tree.base == base else power_of(base, exponent)


def _inverse(bottom: FormulaTree) -> FormulaTree:
    return FormulaNumber(1 / bottom.value) if isinstance(bottom, FormulaNumber) and bottom.value else Inverse(bottom)


def _evaluate_known(op: str, args: list[FormulaTree]) -> FormulaTree:
    """A function of what is known, as far as that determines its value."""
    rule = _RULES.get(op)
    value = rule(*args) if rule else None
    return FormulaCall(op, tuple(args)) if value is None else value


def _less(x: FormulaTree, y: FormulaTree) -> FormulaTree | None:
    (low, high), (least, most) = interval(x), interval(y)
    # strictly: where the intervals touch, equality is possible, and x < y then false
    if high < least:
        return ONE
    return ZERO if low >= most or x == y else None


def _max(x: FormulaTree, y: FormulaTree) -> FormulaTree | None:
    if x == y or interval(x)[0] >= interval(y)[1]:
        return x
    return y if interval(y)[0] >= interval(x)[1] else None


def _min(x: FormulaTree, y: FormulaTree) -> FormulaTree | None:
    larger = _max(x, y)
    return None if larger is None else x if x == y or larger is y else y


def _abs(x: FormulaTree) -> FormulaTree | None:
    low, high = interval(x)
    if low >= 0:
        return x
    negative, positive = without_sign(x)
    if high <= 0:
        return product_of([MINUS, x])
    factors = positive.factors if isinstance(positive, FormulaProduct) else (positive,)
    # |a·b| = a·|b| for a ≥ 0: only factors of unknown sign stay between the bars
    signed = [factor for factor in factors if interval(factor)[0] < 0]
    if len(signed) == len(factors) and not negative:
        return None
    return product_of(
        [*(factor for factor in factors if factor not in signed), FormulaCall("abs", (product_of(signed),))]
    )


def _sqrt(x: FormulaTree) -> FormulaTree | None:
    """√(a²·b) = |a|·√b"""
    factors = x.factors if isinstance(x, FormulaProduct) else (x,)
    roots = [_root(factor) for factor in factors]
    taken = [root for root in roots if root is not None]
    left = product_of(factor for factor, root in zip(factors, roots) if root is None)
    # a root of what is surely negative has no value, and must not get one
    if not taken or interval(left)[1] < 0:
        return None
    outside = _evaluate_known("abs", [product_of(taken)])
    return outside if left == ONE else product_of([outside, FormulaCall("sqrt", (left,))])


def _root(factor: FormulaTree) -> FormulaTree | None:
    match factor:
        case FormulaNumber(value) if value >= 0:
            top, below = isqrt(value.numerator), isqrt(value.denominator)
            return FormulaNumber(Fraction(top, below)) if (top**2, below**2) == value.as_integer_ratio() else None
        case Power(base, exponent) if exponent % 2 == 0:
            return power_of(base, exponent // 2)
    return None


def _atan2(y: FormulaTree, x: FormulaTree) -> FormulaTree | None:
    if y == ZERO and x != ZERO:
        low, high = interval(x)
        return ZERO if low > 0 else Degrees(Fraction(180)) if high < 0 else None
    if x == ZERO and y != ZERO:
        low, high = interval(y)
        return UPRIGHT if low > 0 else product_of([MINUS, UPRIGHT]) if high < 0 else None
    return None


_RULES: dict[str, Callable[..., FormulaTree | None]] = {
    "less": _less,
    "max": _max,
    "min": _min,
    "abs": _abs,
    "sqrt": _sqrt,
    "atan2": _atan2,
}


def interval(tree: FormulaTree) -> Interval:
    """Between which numbers it lies, whatever its symbols are; wider than need be where they meet twice."""
    match tree:
        case FormulaNumber(value):
            return value, value
        case Trig():
            return Fraction(-1), Fraction(1)
        case Sum(terms):
            parts = [interval(term) for term in terms]
            return sum((low for low, _ in parts), Fraction(0)), sum((high for _, high in parts), Fraction(0))
        case FormulaProduct(factors):
            return reduce(_times, map(interval, factors))
        case Power(base, exponent):
            return _interval_power(interval(base), exponent)
        case FormulaCall(op, args):
            return _of_call(op, [interval(arg) for arg in args])
    return ANY


def _times(a: Interval, b: Interval) -> Interval:
    ends = [x * y if x and y else Fraction(0) for x in a for y in b]  # 0·∞ is no end of a product
    return min(ends), max(ends)


def _interval_power(base: Interval, exponent: int) -> Interval:
    low, high = sorted(end**exponent for end in base)
    # an even power has its least value inside, at zero
    return (Fraction(0), high) if exponent % 2 == 0 and base[0] < 0 < base[1] else (low, high)


def _of_call(op: str, args: list[Interval]) -> Interval:
    match op:
        case "abs" | "sqrt" | "exp":
            return NOT_NEGATIVE
        case "less":
            return Fraction(0), Fraction(1)
        case "max":
            return max(args[0][0], args[1][0]), max(args[0][1], args[1][1])
        case "min":
            return min(args[0][0], args[1][0]), min(args[0][1], args[1][1])
        case "select":
            return min(args[1][0], args[2][0]), max(args[1][1], args[2][1])
    return ANY


# Choices for people: `select(c, yes, no)` with everything that hangs on c gathered under it.
#
# A machine computes both sides, so a model guards each argument separately, atan2(select(c, 0, y), select(c, 1, x)). On
# paper there are two cases: 0 where c holds, else atan2(y, x). Two facts about choices are all that is used:
#
#     inside a case it is known which one it is      select(c, …, f(select(c, a, b))) = select(c, …, f(b))
#     f of choices by one condition is one choice    f(select(c, a, b), select(c, x, y)) = select(c, f(a, x), f(b, y))
#
# They hold for the values of both sides, whatever f is; the prime field, where a choice is opaque, knows neither. So
# this
# comes after the proof, and touches nothing else.

Known = dict[FormulaTree, bool]  # condition → whether it holds here


def in_cases(tree: FormulaTree, known: Known | None = None) -> FormulaTree:
    """The same value with its choices gathered."""
    known = known or {}
    match tree:
        case FormulaCall("select", (condition, yes, no)):
            return _choice(in_cases(condition, known), yes, no, known)
        case FormulaCall(op, args):
            return _distribute_choice(op, [in_cases(arg, known) for arg in args])
        case _:
            return _inside(tree, lambda part: in_cases(part, known))


def _choice(condition: FormulaTree, yes: FormulaTree, no: FormulaTree, known: Known) -> FormulaTree:
    if condition in known:
        return in_cases(yes if known[condition] else no, known)
    # inside a case the condition is settled: choices by it below are none
    sides = [in_cases(side, {**known, condition: holds}) for side, holds in ((yes, True), (no, False))]
    return sides[0] if sides[0] == sides[1] else FormulaCall("select", (condition, *sides))


def _distribute_choice(op: str, args: list[FormulaTree]) -> FormulaTree:
    """A function of choices by one condition, as a choice of the function; nothing long is written twice for it."""
    choices = [arg for arg in args if isinstance(arg, FormulaCall) and arg.op == "select"]
    conditions = {arg.args[0] for arg in choices}
    # what is distributed is written twice: only what is short may be
    short = all(isinstance(arg, FormulaNumber | Symbol) for arg in args if arg not in choices)
    # a comparison of choices would become a choice of comparisons, which nobody reads
    if len(conditions) != 1 or op == "less" or not short:
        return _fold_function(op, args)
    (condition,) = conditions
    sides = [[_side(arg, condition, holds) for arg in args] for holds in (True, False)]
    return FormulaCall("select", (condition, *(_distribute_choice(op, side) for side in sides)))


def _side(arg: FormulaTree, condition: FormulaTree, holds: bool) -> FormulaTree:
    if isinstance(arg, FormulaCall) and arg.op == "select" and arg.args[0] == condition:
        return arg.args[1 if holds else 2]
    return arg


def _fold_function(op: str, args: list[FormulaTree]) -> FormulaTree:
    """√1 = 1, atan2(0, 1) = 0: what a guard computes in place of nothing."""
    if op == "sqrt" and args[0] in (ZERO, ONE):
        return args[0]
    return ZERO if op == "atan2" and args == [ZERO, ONE] else FormulaCall(op, tuple(args))


def _inside(tree: FormulaTree, change: Callable[[FormulaTree], FormulaTree]) -> FormulaTree:
    match tree:
        case Sum(terms):
            return sum_of(map(change, terms)) if any(map(_chooses, terms)) else tree
        case FormulaProduct(factors):
            return product_of(map(change, factors)) if any(map(_chooses, factors)) else tree
        case Power(base, exponent):
            return _raised_case(change(base), exponent)
        case Inverse(bottom):
            return Inverse(change(bottom))
        case Trig(op, angle) if any(_chooses(leaf) for leaf, _ in angle):
            return Trig(op, tuple((change(leaf), times) for leaf, times in angle))
    return tree


def _raised_case(base: FormulaTree, exponent: int) -> FormulaTree:
    """A power of a choice is a choice of powers."""
    if isinstance(base, FormulaCall) and base.op == "select":
        condition, *sides = base.args
        return FormulaCall("select", (condition, *(_raised_case(side, exponent) for side in sides)))
    return power_of(base, exponent)


def _chooses(tree: FormulaTree) -> bool:
    """Is there a choice in it?"""
    match tree:
        case FormulaCall("select", _):
            return True
        case FormulaCall(_, parts) | Sum(parts) | FormulaProduct(parts):
            return any(map(_chooses, parts))
        case Power(inner, _) | Inverse(inner):
            return _chooses(inner)
        case Trig(_, angle):
            return any(_chooses(leaf) for leaf, _ in angle)
    return False
