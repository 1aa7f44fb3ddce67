"""√((a + b)·(a − b)) is read more easily as √(a² − b²), and costs no more."""

from __future__ import annotations

from manipula.algebra.simplify.tree import (
    MINUS,
    FormulaCall,
    FormulaProduct,
    FormulaTree,
    Sum,
    power_of,
    product_of,
    sum_of,
    without_sign,
)


def with_squares(tree: FormulaTree) -> FormulaTree:
    """The tree with the differences of squares under its roots written so."""
    match tree:
        case FormulaProduct(factors):
            return product_of(map(with_squares, factors))
        case Sum(terms):
            return sum_of(map(with_squares, terms))
        case FormulaCall("sqrt", (FormulaProduct((Sum() as one, Sum() as other)),)):
            return FormulaCall("sqrt", (_difference(one, other) or tree.args[0],))
        case FormulaCall(op, args):
            return FormulaCall(op, tuple(map(with_squares, args)))
    return tree


def _difference(one: Sum, other: Sum) -> FormulaTree | None:
    """a² − b², where the two are a + b and a − b."""
    shared = [term for term in one.terms if term in other.terms]
    if len(one.terms) != 2 or len(other.terms) != 2 or len(shared) != 1:
        return None
    (a,), (b,) = shared, [term for term in one.terms if term not in shared]
    if product_of([MINUS, b]) not in other.terms:
        return None
    return sum_of([_square(a), product_of([MINUS, _square(b)])])


def _square(tree: FormulaTree) -> FormulaTree:
    return power_of(without_sign(tree)[1], 2)
