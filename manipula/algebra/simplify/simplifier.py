"""From an expression to the ways people write it: expanded with the fewest terms, and factored as short as found."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

from manipula.algebra.expr.node import Expr
from manipula.algebra.simplify.angles import all_angles
from manipula.algebra.simplify.circle import Exponents, Raw
from manipula.algebra.simplify.dag import Bracketed
from manipula.algebra.simplify.factor import Factoriser
from manipula.algebra.simplify.polynomial import Expansion, terms_from_polynomial
from manipula.algebra.simplify.terms import Monomial, Terms, added, plain_operations, times, tree_from_monomial
from manipula.algebra.simplify.tree import Inverse, Symbol, Tree, product_of, sum_of, without_sign
from manipula.algebra.simplify.trigonometry import Shortener
from manipula.errors import SizeError

EXPANDED_TERMS = 100_000  # past this nobody reads it
FACTORED_TERMS = 20_000  # past this the search for factors takes too long
LONG = 1_000  # terms past which the factor of every rate and acceleration is searched by itself
ON_THE_WAY = 40_000  # terms of an intermediate sum, when the aim is a factored form


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
            self.trees[root] = Factoriser(atoms).factored(terms) if len(terms) <= LONG else _by_rates(terms, atoms)
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
            self.short[root] = self._shortest(root, limit)
        return self.short[root]

    def _shortest(self, root: Expr, limit: int) -> tuple[Terms, list[Tree]]:
        """In independent angles; where the graph uses more of them than that, also with each kept for itself."""
        expansion = Expansion(root, self.argument, limit)
        best = _shortest(expansion)
        if len(best[0]) > 1 and len({angle for angle, _ in expansion.angles.values()}) > len(expansion.coordinates):
            other = _shortest(Expansion(root, self.argument, limit, all_angles))
            best = min(best, other, key=lambda form: (len(form[0]), plain_operations(form[0])))
        return best


def _shortest(expansion: Expansion) -> tuple[Terms, list[Tree]]:
    """The shortest sum; a denominator is a factor 1/bottom of every term."""
    top, bottom = expansion.quotient()
    terms, atoms = _short(top, expansion)
    return (terms, atoms) if bottom is None else _over(terms, atoms, *_short(bottom, expansion))


def _short(polynomial: Any, expansion: Expansion) -> tuple[Terms, list[Tree]]:
    """Every coefficient of a monomial in parameters and rates, written with the fewest sines and cosines."""
    terms = terms_from_polynomial(polynomial)
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


def _over(terms: Terms, atoms: list[Tree], bottom: Terms, own: list[Tree]) -> tuple[Terms, list[Tree]]:
    """A bottom of one term divides factor by factor; a sum stays whole."""
    (monomial, number), *more = bottom.items()
    if more:
        negative, tree = without_sign(Factoriser(own).factored(bottom))
        sign, inverse = -1 if negative else 1, ((len(atoms), 1),)
        return {times(m, inverse): sign * c for m, c in terms.items()}, [*atoms, Inverse(tree)]
    for g, e in monomial:
        place = atoms.index(own[g]) if own[g] in atoms else len(atoms)
        atoms = atoms if own[g] in atoms else [*atoms, own[g]]
        terms = {_divided(m, place, e, len(atoms)): c / number for m, c in terms.items()}
        atoms, number = [*atoms, Inverse(own[g])], Fraction(1)
    return terms, atoms


def _divided(monomial: Monomial, generator: int, exponent: int, inverse: int) -> Monomial:
    """Divided by a power; what is missing is a power of the inverse."""
    exponents = dict(monomial)
    left = exponents.pop(generator, 0) - exponent
    if left:
        exponents[generator if left > 0 else inverse] = abs(left)
    return tuple(sorted(exponents.items()))


def _by_rates(terms: Terms, atoms: list[Tree]) -> Tree:
    """Σ monomial in variables · (its coefficient, factored)"""
    variables = {i for i, atom in enumerate(atoms) if isinstance(atom, Symbol) and atom.online}
    groups: dict[Monomial, Terms] = defaultdict(dict)
    for monomial, value in terms.items():
        rates = tuple(part for part in monomial if part[0] in variables)
        groups[rates][tuple(part for part in monomial if part[0] not in variables)] = value
    factoriser, one = Factoriser(atoms), Fraction(1)
    parts = ((tree_from_monomial(rates, one, atoms), factoriser.factored(own)) for rates, own in groups.items())
    return sum_of(map(product_of, parts))


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
