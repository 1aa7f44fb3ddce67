"""From an expression to the ways people write it: expanded with the fewest terms, and factored as short as found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from manipula.algebra.expr.function import Function, tree_cost_of
from manipula.algebra.expr.node import Expr
from manipula.algebra.simplify import terms as monomials
from manipula.algebra.simplify.factor import Bracketed, Factoriser
from manipula.algebra.simplify.polynomial import (
    Expansion,
    Poly,
    Quotient,
    terms_from_polynomial,
)
from manipula.algebra.simplify.tree import FormulaTree, Inverse, Symbol, product_of, sum_of, without_sign
from manipula.algebra.simplify.trigonometry import Exponents, Raw, Shortener
from manipula.errors import SizeError
from manipula.messages import Message

ON_THE_WAY = 40_000  # terms of an intermediate sum
TWICE = 2_000  # terms up to which a second choice of angles is tried


class Simplifier:
    """Remembers what it has expanded and written; all of it is paid from one purse of work."""

    def __init__(self) -> None:
        self.work, self.moves = monomials.Work(), monomials.Work(monomials.MOVES)
        self.expansions: dict[Expr, tuple[Expansion, Quotient]] = {}
        self.short: dict[Expr, tuple[monomials.Terms, list[FormulaTree]]] = {}
        self.trees: dict[Expr, FormulaTree] = {}
        self.brackets = Bracketed(self.argument)

    def length(self, root: Expr) -> int:
        """The terms it has when multiplied out, found by doing so. `SizeError` where too many are on the way."""
        _, (top, bottom) = self._expand(root)
        return len(top) + (0 if bottom is None else len(bottom))

    def factor(self, root: Expr) -> FormulaTree:
        """Brackets where they save operations. `SizeError` where it is too long to search."""
        if root not in self.trees:
            if self.length(root) > monomials.FACTORED_TERMS:
                raise SizeError("{length} terms", self.length(root))
            terms, atoms = self.terms(root)
            # past LONG the greedy search is slow: the factor of each rate is searched alone
            self.trees[root] = (
                Factoriser(atoms).factor(terms) if len(terms) <= monomials.LONG else _by_rates(terms, atoms)
            )
        return self.trees[root]

    def bracket(self, root: Expr) -> FormulaTree:
        """As the graph has it. `SizeError` where that repeats too much."""
        size = tree_cost_of([root]).grand_total
        if size > monomials.WRITTEN_OPERATIONS:
            raise SizeError("{grand_total} operations", size)
        return self.brackets.tree(root)

    def argument(self, root: Expr) -> FormulaTree:
        """What a function is applied to, or a denominator: factored, or as the graph has it."""
        try:
            return self.factor(root)
        except SizeError:
            return self.bracket(root)

    def terms(self, root: Expr) -> tuple[monomials.Terms, list[FormulaTree]]:
        """The shortest sum found, and its atoms. `SizeError` where too many terms are on the way."""
        if root not in self.short:
            self.short[root] = self._shortest(root)
        return self.short[root]

    def _expand(self, root: Expr) -> tuple[Expansion, Quotient]:
        if root not in self.expansions:
            expansion = Expansion(root, self.argument, ON_THE_WAY, work=self.work)
            self.expansions[root] = expansion, expansion.quotient()
        return self.expansions[root]

    def _shortest(self, root: Expr) -> tuple[monomials.Terms, list[FormulaTree]]:
        """In independent angles; where the graph uses more of them than that, also with each kept for itself."""
        expansion, quotient = self._expand(root)
        best = _shortest(expansion, quotient, self.moves)
        # dependent angles kept apart may be shorter: c12·x beside c1·y is no sum of products of c1, c2
        more = len({angle for angle, _ in expansion.angles.values()}) > len(expansion.coordinates)
        if more and 1 < len(best[0]) <= TWICE:
            try:
                other = Expansion(root, self.argument, ON_THE_WAY, monomials.all_angles, self.work)
                best = min(best, _shortest(other, other.quotient(), self.moves), key=_written_length)
            except SizeError:
                return best
        return best


def _written_length(form: tuple[monomials.Terms, list[FormulaTree]]) -> tuple[int, int]:
    return len(form[0]), monomials.plain_operations(form[0])


def _shortest(
    expansion: Expansion, quotient: Quotient, moves: monomials.Work
) -> tuple[monomials.Terms, list[FormulaTree]]:
    """The shortest sum; a denominator is a factor 1/bottom of every term."""
    top, bottom = quotient
    terms, atoms = _short(top, expansion, moves)
    return (terms, atoms) if bottom is None else _over(terms, atoms, *_short(bottom, expansion, moves))


def tree_from_polynomial(polynomial: Poly, expansion: Expansion) -> FormulaTree:
    """A polynomial of an expansion's ring, written short and factored."""
    terms, atoms = _short(polynomial, expansion, monomials.Work(monomials.MOVES))
    return Factoriser(atoms).factor(terms)


def _short(polynomial: Poly, expansion: Expansion, moves: monomials.Work) -> tuple[monomials.Terms, list[FormulaTree]]:
    """Every coefficient of a monomial in parameters and rates, written with the fewest sines and cosines."""
    terms = terms_from_polynomial(polynomial)
    atoms, index = list(expansion.atoms), dict(expansion.index)
    shortener = Shortener(expansion.coordinates, moves)
    result: monomials.Terms = {}
    for rest, coefficient in _by_rest(terms, 2 * len(expansion.coordinates)).items():
        for trig, value in shortener.shortest(coefficient).items():
            for atom, _ in trig:
                if atom not in index:
                    index[atom] = len(atoms)
                    atoms.append(atom)
            monomials.add_term(
                result, monomials.times(rest, tuple(sorted((index[atom], e) for atom, e in trig))), value
            )
    return result, atoms


def _over(
    terms: monomials.Terms, atoms: list[FormulaTree], bottom: monomials.Terms, own: list[FormulaTree]
) -> tuple[monomials.Terms, list[FormulaTree]]:
    """A bottom of one term divides factor by factor; a sum stays whole."""
    (monomial, number), *more = bottom.items()
    if more:
        negative, tree = without_sign(Factoriser(own).factor(bottom))
        # the sign goes to the top: 1/(−a − b) is −1/(a + b)
        sign, inverse = -1 if negative else 1, ((len(atoms), 1),)
        return {monomials.times(m, inverse): sign * c for m, c in terms.items()}, [*atoms, Inverse(tree)]
    for g, e in monomial:
        place = atoms.index(own[g]) if own[g] in atoms else len(atoms)
        atoms = atoms if own[g] in atoms else [*atoms, own[g]]
        terms = {_divide_power(m, place, e, len(atoms)): c / number for m, c in terms.items()}
        atoms, number = [*atoms, Inverse(own[g])], Fraction(1)
    return terms, atoms


def _divide_power(monomial: monomials.Monomial, generator: int, exponent: int, inverse: int) -> monomials.Monomial:
    """Divided by a power; what is missing is a power of the inverse."""
    exponents = dict(monomial)
    left = exponents.pop(generator, 0) - exponent
    if left:
        exponents[generator if left > 0 else inverse] = abs(left)
    return tuple(sorted(exponents.items()))


def _by_rates(terms: monomials.Terms, atoms: list[FormulaTree]) -> FormulaTree:
    """Σ monomial in variables · (its coefficient, factored)"""
    variables = {i for i, atom in enumerate(atoms) if isinstance(atom, Symbol) and atom.online}
    groups: dict[monomials.Monomial, monomials.Terms] = defaultdict(dict)
    for monomial, value in terms.items():
        rates = tuple(part for part in monomial if part[0] in variables)
        # Σ q̇ᵢq̇ⱼ·(…): the form in which a dynamic model is written in books
        groups[rates][tuple(part for part in monomial if part[0] not in variables)] = value
    factoriser, one = Factoriser(atoms), Fraction(1)
    parts = ((monomials.tree_from_monomial(rates, one, atoms), factoriser.factor(own)) for rates, own in groups.items())
    return sum_of(map(product_of, parts))


def _by_rest(terms: monomials.Terms, split: int) -> dict[monomials.Monomial, Raw]:
    """Sorted by what is not a sine or cosine: generators from `split` on."""
    groups: dict[monomials.Monomial, Raw] = defaultdict(dict)
    for monomial, value in terms.items():
        exponents = [0] * split
        for g, e in monomial:
            if g < split:
                exponents[g] = e
        key: Exponents = tuple(exponents)
        groups[tuple(part for part in monomial if part[0] >= split)][key] = Fraction(value)
    return groups


# Which outputs of a function can be written in a form for people, known before any is written.


@dataclass(frozen=True)
class Lengths:
    """Terms of every output when multiplied out, why some are not known, and whether every one was measured."""

    terms: dict[Expr, int]
    lost: dict[Expr, str]
    whole: bool

    @property
    def reason(self) -> str:
        return next(iter(self.lost.values()), "")

    def __str__(self) -> str:
        return self.reason or f"{monomials.rounded_text(sum(self.terms.values()))} terms{self.more}"

    @property
    def more(self) -> str:
        return "" if self.whole else " and more"


def refuse_nested(function: Function, form: str) -> None:
    """Functions in functions are written as often as they are read: no sum collects them."""
    cost = tree_cost_of(function.roots)
    calls = sum(x.sqrt + x.other for x in (cost, cost.offline) if x is not None)
    if calls > monomials.CALLS:
        raise _too_long(
            function,
            form,
            Message(
                "{rounded} roots, choices and the like ({calls:,} at most)",
                monomials.rounded_text(calls),
                monomials.CALLS,
            ),
        )


def refuse_long(function: Function, simplifier: Simplifier) -> None:
    """Of the expanded form."""
    lengths = _measure_lengths(function, simplifier, _never_expanded)
    if _never_expanded(lengths):
        raise _too_long(
            function, "expanded", Message("{measured} ({expanded_terms:,} at most)", lengths, monomials.EXPANDED_TERMS)
        )


def bracketed_roots(function: Function, simplifier: Simplifier) -> set[Expr]:
    """The outputs whose factored form keeps the brackets of the graph: the longest, past what can be searched."""
    lengths = _measure_lengths(function, simplifier, _never_bracketed)
    if not lengths.whole:
        raise _bracketed_too_long(function, _never_searched(lengths), lengths)
    # the purse goes to as many outputs as possible: the short ones first
    kept = set(function.roots) - _shortest_first(lengths.terms, monomials.FACTORED_TERMS)
    _refuse_bracketed(function, kept, lengths)
    short = {root: len(simplifier.terms(root)[0]) for root in lengths.terms if root not in kept}
    kept |= set(short) - _shortest_first(short, monomials.SHORT_TERMS)
    _refuse_bracketed(function, kept, lengths)
    return kept


def _measure_lengths(function: Function, simplifier: Simplifier, past_hope: Callable[[Lengths], bool]) -> Lengths:
    """One output after the other, no further than it takes to know that all of them are too long."""
    lengths = Lengths({}, {}, whole=False)
    for root in dict.fromkeys(function.roots):
        # a refusal needs no more than the certainty that all of it is too long
        if past_hope(lengths):
            return lengths
        try:
            lengths.terms[root] = simplifier.length(root)
        except SizeError as error:
            lengths.lost[root] = str(error)
    return replace(lengths, whole=True)


def _never_expanded(found: Lengths) -> bool:
    return bool(found.lost) or sum(found.terms.values()) > monomials.EXPANDED_TERMS


def _never_bracketed(found: Lengths) -> bool:
    """Are those that keep the graph's brackets for certain too long already?"""
    return _written_size(_never_searched(found)) > monomials.WRITTEN_OPERATIONS


def _never_searched(found: Lengths) -> list[Expr]:
    """The outputs each of which is alone too long to search."""
    return [*(root for root, length in found.terms.items() if length > monomials.FACTORED_TERMS), *found.lost]


def _written_size(roots: Iterable[Expr]) -> int:
    return sum(tree_cost_of([root]).grand_total for root in roots)


def _shortest_first(lengths: dict[Expr, int], limit: int) -> set[Expr]:
    """As many as fit."""
    fit: set[Expr] = set()
    for root in sorted(lengths, key=lambda root: lengths[root]):
        limit -= lengths[root]
        if limit < 0:
            break
        fit.add(root)
    return fit


def _refuse_bracketed(function: Function, kept: set[Expr], found: Lengths) -> None:
    if _written_size(kept) > monomials.WRITTEN_OPERATIONS:
        raise _bracketed_too_long(function, kept, found)


def _bracketed_too_long(function: Function, kept: Iterable[Expr], found: Lengths) -> SizeError:
    return _too_long(
        function,
        "factored",
        Message(
            "{found} ({factored_terms:,} at most), or {rounded} operations{more} as it is computed",
            found,
            monomials.FACTORED_TERMS,
            monomials.rounded_text(_written_size(kept)),
            found.more,
        ),
    )


def _too_long(function: Function, form: str, told: str) -> SizeError:
    return SizeError(
        (
            (
                "{name}: too long for the {form} form: {told}; ask for the form "
                "'auxiliary' or some of its entries instead"
            )
            if len(function.roots) > 1
            else ("{name}: too long for the {form} form: {told}; ask for the form 'auxiliary' instead")
        ),
        function.name,
        form,
        told,
    )
