"""Choices for people: `select(c, yes, no)` with everything that hangs on c gathered under it.

A machine computes both sides, so a model guards each argument by itself, atan2(select(c, 0, y), select(c, 1, x)). On
paper there are two cases: 0 where c holds, else atan2(y, x). Two facts about choices are all that is used:

    inside a case it is known which one it is      select(c, …, f(select(c, a, b))) = select(c, …, f(b))
    f of choices by one condition is one choice    f(select(c, a, b), select(c, x, y)) = select(c, f(a, x), f(b, y))

They hold for the values of both sides, whatever f is; the prime field, where a choice is opaque, knows neither. So this
comes after the proof, and touches nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from manipula.algebra.simplify.tree import (
    ZERO,
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
)

Known = dict[FormulaTree, bool]  # condition → whether it holds here
ONE = FormulaNumber(Fraction(1))


def in_cases(tree: FormulaTree, known: Known | None = None) -> FormulaTree:
    """The same value with its choices gathered."""
    known = known or {}
    match tree:
        case FormulaCall("select", (condition, yes, no)):
            return _choice(in_cases(condition, known), yes, no, known)
        case FormulaCall(op, args):
            return _gathered(op, [in_cases(arg, known) for arg in args])
        case _:
            return _inside(tree, lambda part: in_cases(part, known))


def _choice(condition: FormulaTree, yes: FormulaTree, no: FormulaTree, known: Known) -> FormulaTree:
    if condition in known:
        return in_cases(yes if known[condition] else no, known)
    found = [in_cases(side, {**known, condition: holds}) for side, holds in ((yes, True), (no, False))]
    return found[0] if found[0] == found[1] else FormulaCall("select", (condition, *found))


def _gathered(op: str, args: list[FormulaTree]) -> FormulaTree:
    """A function of choices by one condition, as a choice of the function; nothing long is written twice for it."""
    choices = [arg for arg in args if isinstance(arg, FormulaCall) and arg.op == "select"]
    conditions = {arg.args[0] for arg in choices}
    short = all(isinstance(arg, FormulaNumber | Symbol) for arg in args if arg not in choices)
    if len(conditions) != 1 or op == "less" or not short:
        return _folded(op, args)
    (condition,) = conditions
    sides = [[_side(arg, condition, holds) for arg in args] for holds in (True, False)]
    return FormulaCall("select", (condition, *(_gathered(op, side) for side in sides)))


def _side(arg: FormulaTree, condition: FormulaTree, holds: bool) -> FormulaTree:
    if isinstance(arg, FormulaCall) and arg.op == "select" and arg.args[0] == condition:
        return arg.args[1 if holds else 2]
    return arg


def _folded(op: str, args: list[FormulaTree]) -> FormulaTree:
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
            return _raised(change(base), exponent)
        case Inverse(bottom):
            return Inverse(change(bottom))
        case Trig(op, angle) if any(_chooses(leaf) for leaf, _ in angle):
            return Trig(op, tuple((change(leaf), times) for leaf, times in angle))
    return tree


def _raised(base: FormulaTree, exponent: int) -> FormulaTree:
    """A power of a choice is a choice of powers."""
    if isinstance(base, FormulaCall) and base.op == "select":
        condition, *sides = base.args
        return FormulaCall("select", (condition, *(_raised(side, exponent) for side in sides)))
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
