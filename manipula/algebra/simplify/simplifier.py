"""From an expression to the ways people write it: expanded with the fewest terms, and factored as short as found."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from manipula.algebra.expr.node import Expr
from manipula.algebra.simplify.factor import Factoriser
from manipula.algebra.simplify.polynomial import Expansion, terms_from_polynomial
from manipula.algebra.simplify.terms import Monomial, Terms, added, times, tree_from_terms
from manipula.algebra.simplify.tree import Tree
from manipula.algebra.simplify.trigonometry import Exponents, Raw, Shortener

EXPANDED_TERMS = 100_000  # past this nobody reads it
FACTORED_TERMS = 3_000  # past this the search for factors takes too long


class Simplifier:
    """Remembers the outputs and arguments it has written."""

    def __init__(self) -> None:
        self.short: dict[Expr, tuple[Terms, list[Tree]]] = {}
        self.trees: dict[Expr, Tree] = {}

    def expanded(self, root: Expr) -> Tree:
        """A sum of monomials, fewest terms."""
        return tree_from_terms(*self.terms(root))

    def factored(self, root: Expr) -> Tree:
        """Brackets where they save operations."""
        if root not in self.trees:
            terms, atoms = self.terms(root)
            self.trees[root] = Factoriser(atoms).factored(terms)
        return self.trees[root]

    def terms(self, root: Expr, limit: int = EXPANDED_TERMS) -> tuple[Terms, list[Tree]]:
        """The shortest sum found, and its atoms. `SizeError` past the limit."""
        if root not in self.short:
            expansion = Expansion(root, self.factored, limit)
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
