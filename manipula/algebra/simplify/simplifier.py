"""From an expression to the ways people write it: expanded with the fewest terms, and factored as short as found."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

from manipula.algebra.expr.cost import tree_cost_of
from manipula.algebra.expr.node import Expr
from manipula.algebra.simplify.angles import all_angles
from manipula.algebra.simplify.circle import Exponents, Raw
from manipula.algebra.simplify.dag import Bracketed
from manipula.algebra.simplify.factor import Factoriser
from manipula.algebra.simplify.limits import FACTORED_TERMS, LONG, MOVES, WRITTEN_OPERATIONS, Work
from manipula.algebra.simplify.polynomial import Expansion, terms_from_polynomial
from manipula.algebra.simplify.quotient import Quotient
from manipula.algebra.simplify.terms import Monomial, Terms, added, plain_operations, times, tree_from_monomial
from manipula.algebra.simplify.tree import FormulaTree, Inverse, Symbol, product_of, sum_of, without_sign
from manipula.algebra.simplify.trigonometry import Shortener
from manipula.errors import SizeError

ON_THE_WAY = 40_000  # terms of an intermediate sum
TWICE = 2_000  # terms up to which a second choice of angles is tried


class Simplifier:
    """Remembers what it has expanded and written; all of it is paid from one purse of work."""

    def __init__(self) -> None:
        self.work, self.moves = Work(), Work(MOVES)
        self.expansions: dict[Expr, tuple[Expansion, Quotient]] = {}
        self.short: dict[Expr, tuple[Terms, list[FormulaTree]]] = {}
        self.trees: dict[Expr, FormulaTree] = {}
        self.brackets = Bracketed(self.argument)

    def length(self, root: Expr) -> int:
        """The terms it has when multiplied out, found by doing so. `SizeError` where too many are on the way."""
        _, (top, bottom) = self._expanded(root)
        return len(top) + (0 if bottom is None else len(bottom))

    def factored(self, root: Expr) -> FormulaTree:
        """Brackets where they save operations. `SizeError` where it is too long to search."""
        if root not in self.trees:
            if self.length(root) > FACTORED_TERMS:
                raise SizeError("{length} terms", self.length(root))
            terms, atoms = self.terms(root)
            self.trees[root] = Factoriser(atoms).factored(terms) if len(terms) <= LONG else _by_rates(terms, atoms)
        return self.trees[root]

    def bracketed(self, root: Expr) -> FormulaTree:
        """As the graph has it. `SizeError` where that repeats too much."""
        size = tree_cost_of([root]).grand_total
        if size > WRITTEN_OPERATIONS:
            raise SizeError("{grand_total} operations", size)
        return self.brackets.tree(root)

    def argument(self, root: Expr) -> FormulaTree:
        """What a function is applied to, or a denominator: factored, or as the graph has it."""
        try:
            return self.factored(root)
        except SizeError:
            return self.bracketed(root)

    def terms(self, root: Expr) -> tuple[Terms, list[FormulaTree]]:
        """The shortest sum found, and its atoms. `SizeError` where too many terms are on the way."""
        if root not in self.short:
            self.short[root] = self._shortest(root)
        return self.short[root]

    def _expanded(self, root: Expr) -> tuple[Expansion, Quotient]:
        if root not in self.expansions:
            expansion = Expansion(root, self.argument, ON_THE_WAY, work=self.work)
            self.expansions[root] = expansion, expansion.quotient()
        return self.expansions[root]

    def _shortest(self, root: Expr) -> tuple[Terms, list[FormulaTree]]:
        """In independent angles; where the graph uses more of them than that, also with each kept for itself."""
        expansion, quotient = self._expanded(root)
        best = _shortest(expansion, quotient, self.moves)
        more = len({angle for angle, _ in expansion.angles.values()}) > len(expansion.coordinates)
        if more and 1 < len(best[0]) <= TWICE:
            try:
                other = Expansion(root, self.argument, ON_THE_WAY, all_angles, self.work)
                best = min(best, _shortest(other, other.quotient(), self.moves), key=_written_length)
            except SizeError:
                return best
        return best


def _written_length(form: tuple[Terms, list[FormulaTree]]) -> tuple[int, int]:
    return len(form[0]), plain_operations(form[0])


def _shortest(expansion: Expansion, quotient: Quotient, moves: Work) -> tuple[Terms, list[FormulaTree]]:
    """The shortest sum; a denominator is a factor 1/bottom of every term."""
    top, bottom = quotient
    terms, atoms = _short(top, expansion, moves)
    return (terms, atoms) if bottom is None else _over(terms, atoms, *_short(bottom, expansion, moves))


def tree_from_polynomial(polynomial: Any, expansion: Expansion) -> FormulaTree:
    """A polynomial of an expansion's ring, written short and factored."""
    terms, atoms = _short(polynomial, expansion, Work(MOVES))
    return Factoriser(atoms).factored(terms)


def _short(polynomial: Any, expansion: Expansion, moves: Work) -> tuple[Terms, list[FormulaTree]]:
    """Every coefficient of a monomial in parameters and rates, written with the fewest sines and cosines."""
    terms = terms_from_polynomial(polynomial)
    atoms, index = list(expansion.atoms), dict(expansion.index)
    shortener = Shortener(expansion.coordinates, moves)
    result: Terms = {}
    for rest, coefficient in _by_rest(terms, 2 * len(expansion.coordinates)).items():
        for trig, value in shortener.shortest(coefficient).items():
            for atom, _ in trig:
                if atom not in index:
                    index[atom] = len(atoms)
                    atoms.append(atom)
            added(result, times(rest, tuple(sorted((index[atom], e) for atom, e in trig))), value)
    return result, atoms


def _over(
    terms: Terms, atoms: list[FormulaTree], bottom: Terms, own: list[FormulaTree]
) -> tuple[Terms, list[FormulaTree]]:
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


def _by_rates(terms: Terms, atoms: list[FormulaTree]) -> FormulaTree:
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
