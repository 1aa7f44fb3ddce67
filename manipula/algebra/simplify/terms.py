"""Sums of monomials as dictionaries: what the trigonometry and the factoring work on once flint has expanded.

A monomial is a sorted tuple of (generator, exponent); generators are numbers that index a list of atoms (trees).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from manipula.algebra.simplify.tree import FormulaNumber, FormulaTree, Inverse, power_of, product_of, sum_of

Monomial = tuple[tuple[int, int], ...]
Terms = dict[Monomial, Fraction]


def times(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    exponents = dict(a)
    for generator, exponent in b:
        exponents[generator] = exponents.get(generator, 0) + exponent
    return tuple(sorted(exponents.items()))


def divided(a: Monomial, b: Monomial) -> Monomial | None:
    """a / b, or None where b does not divide a."""
    exponents = dict(a)
    for generator, exponent in b:
        left = exponents.get(generator, 0) - exponent
        if left < 0:
            return None
        if left:
            exponents[generator] = left
        else:
            del exponents[generator]
    return tuple(exponents.items())  # in order still


def apart(a: Monomial, b: Monomial, theirs: Mapping[int, int]) -> tuple[Monomial, Monomial, Monomial]:
    """(what both share, what is left of a, what is left of b); `theirs` is b as a table."""
    shared = tuple((g, min(e, theirs[g])) for g, e in a if g in theirs)
    if not shared:
        return (), a, b
    least = dict(shared)
    x = tuple((g, e - least.get(g, 0)) for g, e in a if e != least.get(g))
    y = tuple((g, e - least.get(g, 0)) for g, e in b if e != least.get(g))
    return shared, x, y


def common(monomials: Iterable[Monomial]) -> Monomial:
    """The greatest common divisor."""
    flow = iter(monomials)
    shared = dict(next(flow, ()))
    for monomial in flow:
        if not shared:
            break
        here = dict(monomial)
        shared = {g: min(e, here[g]) for g, e in shared.items() if g in here}
    return tuple(shared.items())


def added(terms: Terms, monomial: Monomial, coefficient: Fraction) -> None:
    """terms += coefficient·monomial, in place."""
    total = terms.get(monomial, Fraction(0)) + coefficient
    if total:
        terms[monomial] = total
    else:
        terms.pop(monomial, None)


def degree(monomial: Monomial) -> int:
    return sum(exponent for _, exponent in monomial)


def plain_operations(terms: Terms) -> int:
    """Binary operators when written without brackets."""
    return sum(products_in(m, c) for m, c in terms.items()) + len(terms) - 1 if terms else 0


def products_in(monomial: Monomial, coefficient: Fraction) -> int:
    """Products in one term as written; a sign is none."""
    return max(degree(monomial) - is_sign(coefficient), 0)


def is_sign(coefficient: Fraction) -> bool:
    """1 or −1: written as a sign at most."""
    return coefficient == 1 or coefficient == -1  # noqa: PLR1714  # a set would hash a fraction


def tree_from_monomial(monomial: Monomial, coefficient: Fraction, atoms: Sequence[FormulaTree]) -> FormulaTree:
    return product_of([FormulaNumber(coefficient), *(power_of(atoms[g], e) for g, e in monomial)])


def tree_from_terms(terms: Terms, atoms: Sequence[FormulaTree]) -> FormulaTree:
    """The expanded form: no brackets, but around the sums that stand over a common denominator."""
    shared = tuple((g, e) for g, e in common(terms) if isinstance(atoms[g], Inverse))
    plain = ((divided(m, shared) or (), c) for m, c in terms.items())
    top = sum_of(tree_from_monomial(m, c, atoms) for m, c in plain)
    return product_of([top, tree_from_monomial(shared, Fraction(1), atoms)])
