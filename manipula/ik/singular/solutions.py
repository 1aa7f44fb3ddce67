"""Where a factor of a determinant is zero, solved for an angle or a shift where that is one formula.

sin x = 0: x = 0, π            cos x = 0: x = ±π/2            A cos x + B sin x = 0: x = atan2(−A, B), + π
cos x = r: x = ±atan2(√(1 − r²), r)            sin x = r: x = y, π − y with y = atan2(r, √(1 − r²))
A cos x + B sin x + C = 0: x = atan2(B, A) ± atan2(√(A² + B² − C²), −C)            A q + C = 0: q = −C/A
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from manipula.algebra.simplify.tree import (
    MINUS,
    ONE,
    ZERO,
    Angle,
    FormulaCall,
    FormulaNumber,
    FormulaProduct,
    FormulaTree,
    Inverse,
    Power,
    Sum,
    Symbol,
    Trig,
    leaves,
    power_of,
    product_of,
    sum_of,
)

Solved = tuple[FormulaTree, tuple[FormulaTree, ...]]  # what is solved for, and its values
PI = Symbol("pi", False)
_HALF = product_of([FormulaNumber(Fraction(1, 2)), PI])


def variables(tree: FormulaTree) -> list[str]:
    """The joints it depends on, each once."""
    found: dict[str, None] = {}
    for leaf in leaves([tree]):
        inner = leaves(x for x, _ in leaf.angle) if isinstance(leaf, Trig) else [leaf]
        found |= {x.name: None for x in inner if isinstance(x, Symbol) and x.online}
    return list(found)


def solved(factor: FormulaTree) -> Solved | None:
    """The zeros of a factor; None where they are no single formula, and the equation itself is the answer."""
    if isinstance(factor, Power):
        return solved(factor.base)
    if isinstance(factor, Symbol) and factor.online:
        return factor, (ZERO,)
    parts = _parts(factor)
    if parts is None:
        return None
    unknown, (A, B, C), turns = parts
    return unknown, _angles(A, B, C) if turns else (_over(product_of([MINUS, C]), A),)


def _angles(A: FormulaTree, B: FormulaTree, C: FormulaTree) -> tuple[FormulaTree, ...]:
    """The zeros of A cos x + B sin x + C."""
    if C == ZERO and A == ZERO:
        return ZERO, PI
    if C == ZERO and B == ZERO:
        return _HALF, product_of([MINUS, _HALF])
    if C == ZERO:
        first = FormulaCall("atan2", (product_of([MINUS, A]), B))
        return first, sum_of([first, PI])
    if ZERO in (A, B):
        part = _over(C, B if A == ZERO else A)
        ratio = product_of([MINUS, part])  # the sine, or the cosine
        other = _root([ONE, product_of([MINUS, power_of(part, 2)])])
        if A == ZERO:
            first = FormulaCall("atan2", (ratio, other))
            return first, sum_of([PI, product_of([MINUS, first])])
        first = FormulaCall("atan2", (other, ratio))
        return first, product_of([MINUS, first])
    lead = FormulaCall("atan2", (B, A))
    squares = [power_of(A, 2), power_of(B, 2), product_of([MINUS, power_of(C, 2)])]
    apart = FormulaCall("atan2", (_root(squares), product_of([MINUS, C])))
    return sum_of([lead, apart]), sum_of([lead, product_of([MINUS, apart])])


def _over(top: FormulaTree, bottom: FormulaTree) -> FormulaTree:
    """A number below is a factor: z3, not z3/1."""
    return product_of([top, FormulaNumber(1 / bottom.value) if isinstance(bottom, FormulaNumber) else Inverse(bottom)])


def _root(terms: list[FormulaTree]) -> FormulaTree:
    """√ of a sum in which numbers are one number."""
    number = sum((x.value for x in terms if isinstance(x, FormulaNumber)), Fraction(0))
    return FormulaCall(
        "sqrt", (sum_of([FormulaNumber(number), *(x for x in terms if not isinstance(x, FormulaNumber))]),)
    )


def _parts(factor: FormulaTree) -> tuple[FormulaTree, tuple[FormulaTree, FormulaTree, FormulaTree], bool] | None:
    """x and (A, B, C) of A cos x + B sin x + C, or of A x + C where it is no angle; None of anything else."""
    terms = factor.terms if isinstance(factor, Sum) else (factor,)
    split = [_term(term) for term in terms]
    unknowns = {_unknown(leaf) for leaf, _ in split if leaf is not None}
    if len(unknowns) != 1 or any(variables(rest) for _, rest in split):
        return None
    turns = {isinstance(leaf, Trig) for leaf, _ in split if leaf is not None}
    if len(turns) != 1:
        return None
    sines = sum_of(rest for leaf, rest in split if isinstance(leaf, Trig) and leaf.op == "sin")
    others = sum_of(rest for leaf, rest in split if leaf is not None and getattr(leaf, "op", "cos") == "cos")
    rest = sum_of(rest for leaf, rest in split if leaf is None)
    return next(iter(unknowns)), (others, sines, rest), turns.pop()


def _term(term: FormulaTree) -> tuple[FormulaTree | None, FormulaTree]:
    """(the sine, the cosine or the shift in it, what it is multiplied by)"""
    factors = term.factors if isinstance(term, FormulaProduct) else (term,)
    moving = [x for x in factors if variables(x)]
    if len(moving) != 1 or not isinstance(moving[0], Trig | Symbol):
        return None, term
    return moving[0], product_of([ONE, *(x for x in factors if x is not moving[0])])


def _unknown(leaf: FormulaTree) -> FormulaTree:
    return angle_tree(leaf.angle) if isinstance(leaf, Trig) else leaf


def angle_tree(angle: Angle) -> FormulaTree:
    """q2 + q3 of the angle of a sine."""
    return sum_of(product_of([FormulaNumber(Fraction(times)), leaf]) for leaf, times in angle)


def without_number(tree: FormulaTree) -> tuple[Fraction, FormulaTree]:
    """(the number in front, the rest)"""
    factors = tree.factors if isinstance(tree, FormulaProduct) else (tree,)
    numbers = [x.value for x in factors if isinstance(x, FormulaNumber)]
    value = Fraction(1)
    for x in numbers:
        value *= x
    return value, product_of([ONE, *(x for x in factors if not isinstance(x, FormulaNumber))])


def moving_factors(factors: Iterator[tuple[FormulaTree, int]]) -> tuple[FormulaTree, list[FormulaTree]]:
    """(the product of all, the factors that the joints change, each once)"""
    whole, moving = list[FormulaTree](), list[FormulaTree]()
    for tree, times in factors:
        value, bare = without_number(tree)
        whole.append(product_of([FormulaNumber(value**times), power_of(bare, times)]))
        inner = bare.factors if isinstance(bare, FormulaProduct) else (bare,)
        moving += [x.base if isinstance(x, Power) else x for x in inner if variables(x)]
    return product_of(whole), list(dict.fromkeys(moving))
