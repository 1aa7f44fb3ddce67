"""From an expression to the ways people write it: expanded with the fewest terms, and factored as short as found."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from manipula.algebra.expr.node import Expr
from manipula.algebra.simplify.dag import Bracketed
from manipula.algebra.simplify.factor import Factoriser
from manipula.algebra.simplify.polynomial import Expansion, terms_from_polynomial
from manipula.algebra.simplify.terms import Monomial, Terms, added, times
from manipula.algebra.simplify.tree import Tree
from manipula.algebra.simplify.trigonometry import Exponents, Raw, Shortener
from manipula.errors import SizeError

EXPANDED_TERMS = 100_000  # past this nobody reads it
FACTORED_TERMS = 2_000  # past this the search for factors takes too long
ON_THE_WAY = 20_000  # terms of an intermediate sum, when the aim is a factored form


class Simplifier:
    """Remembers the outputs and arguments it has written."""

    def __init__(self) -> None:
        self.short: dict[Expr, tuple[Terms, list[Tree]]] = {}
        self.trees: dict[Expr, Tree] = {}

    def factored(self, root: Expr) -> Tree:
        """Brackets where they save operations. `SizeError` where it is too long to search."""
        if root not in self.trees:
            terms, atoms = self.terms(root, ON_THE_WAY)
            if len(terms) > FACTORED_TERMS:
                raise SizeError(f"{len(terms)} terms")
            self.trees[root] = Factoriser(atoms).factored(terms)
        return self.trees[root]

    def argument(self, root: Expr) -> Tree:
        """What a function is applied to, or a denominator: factored, or as the graph has it."""
        try:
            return self.factored(root)
        except SizeError:
            return Bracketed(self.argument).tree(root)

    def terms(self, root: Expr, limit: int = EXPANDED_TERMS) -> tuple[Terms, list[Tree]]:
        """The shortest sum found, and its atoms. `SizeError` when a sum on the way passes the limit."""
        if root not in self.short:
            expansion = Expansion(root, self.argument, limit)
            self.short[root] = _shortest(terms_from_polynomial(expansion.polynomial()), expansion)
        return self.short[root]


def _shortest(terms: Terms, expansion: Expansion) -> tuple[Terms, list[Tree]]:
    """Every coefficient of a monomial in parameters and rates, written with the fewest sines and cosines."""
    atoms, index = list(expansion.atoms), dict(expansion.index)
    shortener = Shortener(expansion.coordinates)
    result: Terms = {}
    for rest, coefficient in _by_rest(terms, 2 * len(expansion.coordinates)).items():
        for trig, value in shortener.shortest(coefficient).items():
            for atom, _ in trig:
                if atom not in index:
                    index[atom] = len(atoms)
                    atoms.append(atom)
            added(result, times(rest, tuple(sorted((index[atom], e) for atom, e in trig))), value)
    return result, atoms


def _by_rest(terms: Terms, split: int) -> dict[Monomial, Raw]:
    """Sorted by what is not a sine or cosine: generators from `split` on."""
    groups: dict[Monomial, Raw] = defaultdict(dict)
    for monomial, value in terms.items():
        exponents = [0] * split
        for g, e in monomial:
            if g < split:
                exponents[g] = e
        key: Exponents = tuple(exponents)
        groups[tuple(part for part in monomial if part[0] >= split)][key] = Fraction(value)
    return groups
