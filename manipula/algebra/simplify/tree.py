"""Trees: a value as it is *written*, for people.

An `Expr` is known by its value, so a graph holds one way to compute a thing; a tree is one way to write it, and
several trees of the same value live side by side. Trees are printed (`algebra.show`), counted and evaluated.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from math import radians
from operator import add, mul
from typing import Any

from manipula.scalar import OPS, Maths

Key = tuple[Any, ...]


class FormulaTree:
    """Any of the nodes below. Equal trees are written alike. A tree remembers what searches ask of it over and over."""

    __slots__ = ("_key", "_operations")
    _key: Key
    _operations: int


@dataclass(frozen=True, slots=True)
class FormulaNumber(FormulaTree):
    value: Fraction


@dataclass(frozen=True, slots=True)
class Symbol(FormulaTree):
    """`online`: a variable (q, q̇ …), else a parameter."""

    name: str
    online: bool


@dataclass(frozen=True, slots=True)
class Degrees(FormulaTree):
    """A numeric angle."""

    value: Fraction


Angle = tuple[tuple[FormulaTree, int], ...]  # whole multiples of angle leaves, sorted


@dataclass(frozen=True, slots=True)
class Trig(FormulaTree):
    op: str  # sin, cos
    angle: Angle


@dataclass(frozen=True, slots=True)
class FormulaCall(FormulaTree):
    """Any other operation of the table: sqrt, atan2, sign, select …"""

    op: str
    args: tuple[FormulaTree, ...]


@dataclass(frozen=True, slots=True)
class Inverse(FormulaTree):
    """1 / bottom"""

    bottom: FormulaTree


@dataclass(frozen=True, slots=True)
class Power(FormulaTree):
    base: FormulaTree
    exponent: int


@dataclass(frozen=True, slots=True)
class FormulaProduct(FormulaTree):
    factors: tuple[FormulaTree, ...]


@dataclass(frozen=True, slots=True)
class Sum(FormulaTree):
    terms: tuple[FormulaTree, ...]


ZERO, ONE, MINUS = FormulaNumber(Fraction(0)), FormulaNumber(Fraction(1)), FormulaNumber(Fraction(-1))


# constructors: flat, ordered for reading


def product_of(factors: Iterable[FormulaTree]) -> FormulaTree:
    """A product without nested products; numbers meet in one coefficient, put first."""
    coefficient, rest = Fraction(1), []
    for factor in factors:
        for part in factor.factors if isinstance(factor, FormulaProduct) else (factor,):
            if isinstance(part, FormulaNumber):
                coefficient *= part.value
            else:
                rest.append(part)
    if not coefficient or not rest:
        return FormulaNumber(coefficient)
    # one order for equal products: trees are compared, and found again, by equality
    rest.sort(key=sort_key)
    parts = rest if coefficient == 1 else [FormulaNumber(coefficient), *rest]
    return parts[0] if len(parts) == 1 else FormulaProduct(tuple(parts))


def sum_of(terms: Iterable[FormulaTree]) -> FormulaTree:
    """A sum without nested sums; it starts with a positive term if it has one."""
    flat: list[FormulaTree] = []
    for term in terms:
        flat += terms_of(term)
    flat = sorted((term for term in flat if term != ZERO), key=sort_key)
    # b − a is shorter to read than −a + b
    lead = next((i for i, term in enumerate(flat) if coefficient_of(term) > 0), 0)
    flat = flat[lead:] + flat[:lead] if lead else flat
    return Sum(tuple(flat)) if len(flat) > 1 else (flat[0] if flat else ZERO)


def terms_of(tree: FormulaTree) -> tuple[FormulaTree, ...]:
    """What it is the sum of; itself where it is no sum."""
    return tree.terms if isinstance(tree, Sum) else (tree,)


def power_of(base: FormulaTree, exponent: int) -> FormulaTree:
    if isinstance(base, FormulaNumber):
        return FormulaNumber(base.value**exponent)
    return base if exponent == 1 else Power(base, exponent)


def coefficient_of(tree: FormulaTree) -> Fraction:
    """The number in front."""
    if isinstance(tree, FormulaProduct):
        tree = tree.factors[0]
    return tree.value if isinstance(tree, FormulaNumber) else Fraction(1)


def without_sign(tree: FormulaTree) -> tuple[bool, FormulaTree]:
    """(is it negative, its positive part)"""
    negative = coefficient_of(tree) < 0
    return negative, product_of([MINUS, tree]) if negative else tree


# the order of reading: numbers, parameters, sines and cosines, variables, functions, brackets

_DEPTH = 3


@lru_cache(maxsize=4096)
def natural(name: str) -> Key:
    """m2 before m10"""
    parts = re.split(r"(\d+)", name)
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts if part)


def sort_key(tree: FormulaTree) -> Key:
    """Where a tree stands among others."""
    try:
        return tree._key
    except AttributeError:
        # frozen dataclasses refuse assignment; the key is no part of their value
        object.__setattr__(tree, "_key", _sort_key(tree, _DEPTH))
        return tree._key


def _sort_key(tree: FormulaTree, depth: int) -> Key:
    match tree:
        case FormulaNumber(value):
            return ((0, value),)
        case Symbol(name, online):
            return ((3 if online else 1, natural(name)),)
        case Degrees(value):
            return ((0, value),)
        case Trig(op, angle):
            return _trig_key(op, angle)
        case Power(base, exponent):
            return (*_sort_key(base, depth), (-1, -exponent))
        case FormulaProduct(factors) if depth:
            # without its number: 2·a·b stands beside a·b, where the two may meet
            own = [factor for factor in factors if not isinstance(factor, FormulaNumber)]
            return tuple(part for factor in own for part in _sort_key(factor, depth - 1))
        case Sum(terms) if depth:
            return ((5, _sort_key(terms[0], depth - 1)),)
        case FormulaCall(op, args) if depth:
            return ((4, (op, tuple(_sort_key(arg, depth - 1) for arg in args))),)
        case Inverse(bottom) if depth:
            return ((6, _sort_key(bottom, depth - 1)),)
    # deeper than people look: those are equal in order, and keep the one they came in
    return ((7,),)


@lru_cache(maxsize=4096)
def _trig_key(op: str, angle: Angle) -> Key:
    return ((2, tuple(sort_key(leaf) for leaf, _ in angle), tuple(n for _, n in angle), op),)


# counting and meaning


def operations(tree: FormulaTree) -> int:
    """Binary operators as written: a square is one product, a doubling counts, a leading minus does not."""
    try:
        return tree._operations
    except AttributeError:
        object.__setattr__(tree, "_operations", _operations(tree))
        return tree._operations


def _operations(tree: FormulaTree) -> int:
    match tree:
        case Sum(terms):
            return sum(map(operations, terms)) + len(terms) - 1
        case FormulaProduct(factors):
            written = sum(factor != MINUS for factor in factors)
            return sum(map(operations, factors)) + written - 1
        case Power(base, exponent):
            return operations(base) + exponent - 1
        case FormulaCall(_, args):
            return sum(map(operations, args))
        case Inverse(bottom):
            return operations(bottom)
    return 0


def leaves(trees: Iterable[FormulaTree]) -> list[FormulaTree]:
    """The symbols, sines and cosines, and calls, each once, in the order of reading."""
    unique: set[FormulaTree] = set()
    stack = list(trees)
    while stack:
        tree = stack.pop()
        match tree:
            case Sum(parts) | FormulaProduct(parts):
                stack += parts
            case Power(inner, _) | Inverse(inner):
                stack.append(inner)
            case FormulaCall(_, parts):
                unique.add(tree)
                stack += parts
            case Symbol() | Trig():
                unique.add(tree)
    return sorted(unique, key=sort_key)


def symbol_names(trees: Iterable[FormulaTree]) -> set[str]:
    """The names of all symbols, those inside sines and cosines, too."""
    parts = leaves(trees)
    inside = (leaf for x in parts if isinstance(x, Trig) for leaf, _ in x.angle)
    return {x.name for x in (*parts, *inside) if isinstance(x, Symbol)}


def evaluate_tree(tree: FormulaTree, symbols: Mapping[str, object], maths: Maths[Any]) -> Any:
    """Its meaning over any scalar."""

    def value(x: FormulaTree) -> Any:
        match x:
            case FormulaNumber(number):
                return maths.number(number)
            case Symbol(name, _):
                return symbols[name]
            case Degrees(angle):
                return maths.degrees(angle)
            case Trig(op, angle):
                return _cos_sin_of_sum([(value(leaf), n, isinstance(leaf, FormulaNumber)) for leaf, n in angle], maths)[
                    op
                ]
            case FormulaCall(op, args):
                return OPS[op].value(maths, *map(value, args))
            case Inverse(bottom):
                return maths.number(Fraction(1)) / value(bottom)
            case Power(base, exponent):
                # products, for a scalar has no powers
                return reduce(mul, [value(base)] * exponent)
            case FormulaProduct(factors):
                return reduce(mul, map(value, factors))
            case Sum(terms):
                return reduce(add, map(value, terms))
        raise TypeError(x)

    return value(tree)


FormulaData = float | str | list[Any]
_LARGEST = Fraction(sys.float_info.max)  # a product of coefficients may be larger than any float


def data_from_tree(tree: FormulaTree) -> FormulaData:
    """The tree as plain data: a number, the name of a symbol, or [operation, its inputs …]. Angles are in radians."""
    match tree:
        case FormulaNumber(value):
            return float(min(max(value, -_LARGEST), _LARGEST))
        case Symbol(name, _):
            return name
        case Degrees(angle):
            return radians(angle)
        case Trig(op, angle):
            return [op, data_from_tree(sum_of(product_of([FormulaNumber(Fraction(n)), leaf]) for leaf, n in angle))]
        case Inverse(bottom):
            return ["div", 1, data_from_tree(bottom)]
        case Power(base, exponent):
            return ["pow", data_from_tree(base), exponent]
        case FormulaCall(op, parts):
            return [op, *map(data_from_tree, parts)]
        case FormulaProduct(parts):
            return ["mul", *map(data_from_tree, parts)]
        case Sum(parts):
            return ["add", *map(data_from_tree, parts)]
    raise TypeError(tree)


def _cos_sin_of_sum(parts: Sequence[tuple[Any, int, bool]], maths: Maths[Any]) -> dict[str, Any]:
    """Cosine and sine of a sum of (angle, times, whether it is a number of radians).

    Numbers turn one after the other: over a field the sine of 0.6 has nothing to do with that of 0.3.
    """
    named = [times * x for x, times, is_number in parts if not is_number]
    whole = reduce(add, named) if named else None
    c, s = (
        (maths.number(Fraction(1)), maths.number(Fraction(0)))
        if whole is None
        else (maths.cos(whole), maths.sin(whole))
    )
    for x, times, is_number in parts:
        # one turn at a time: over a field no function knows the sine of a multiple
        for _ in range(abs(times) if is_number else 0):
            cx, sx = maths.cos(x), maths.sin(x) if times > 0 else -maths.sin(x)
            c, s = c * cx - s * sx, s * cx + c * sx
    return {"cos": c, "sin": s}
