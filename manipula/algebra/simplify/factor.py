"""The shortest factored form that a greedy search finds.

A sum is split as divisor·quotient + rest, over and over. Divisors tried: what flint's factoriser finds for the whole
sum, a generator with everything its terms share, a number, and binomials that several groups of terms share, such as
(a + b) in a·c + b·c + a·d + b·d + e. Small sums try several divisors and keep the cheapest outcome by the count of
written operations; long ones take the one that promises most.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import gcd, lcm
from typing import NamedTuple

from manipula.algebra.expr.node import Expr
from manipula.algebra.simplify import polynomial
from manipula.algebra.simplify import terms as monomials
from manipula.algebra.simplify import tree as formula

Split = tuple[monomials.Terms, monomials.Terms, monomials.Terms]  # divisor, quotient, rest
WIDTH = ((8, 3), (16, 2))  # up to so many terms, so many divisors are tried; past them one
FLINT_TERMS, BINOMIAL_TERMS = 150, 60


class Factoriser:
    """Factored forms over one list of atoms; remembers sums it has met."""

    def __init__(self, atoms: Sequence[formula.FormulaTree]) -> None:
        self.atoms = atoms
        self.known: dict[frozenset[tuple[monomials.Monomial, Fraction]], formula.FormulaTree] = {}

    def factor(self, terms: monomials.Terms) -> formula.FormulaTree:
        """The best tree found."""
        if len(terms) < 2:
            return monomials.tree_from_terms(terms, self.atoms)
        # the same sum stands in many entries of an inertia matrix
        key = frozenset(terms.items())
        if key not in self.known:
            self.known[key] = self._factor_terms(terms)
        return self.known[key]

    def _factor_terms(self, terms: monomials.Terms) -> formula.FormulaTree:
        monomial, number = _content(terms)
        if monomial or number != 1:
            inner = {_exact(m, monomial): c / number for m, c in terms.items()}
            return formula.product_of([monomials.tree_from_monomial(monomial, number, self.atoms), self.factor(inner)])
        whole = self._whole_factors(terms)
        return whole if whole is not None else self._split(terms)

    def _split(self, terms: monomials.Terms) -> formula.FormulaTree:
        """The cheapest of the few most promising divisors, or the plain sum. Ties keep the first."""
        best = monomials.tree_from_terms(terms, self.atoms)
        cost = formula.operations(best)
        for divisor, quotient, rest in _rank_splits(terms):
            product = formula.product_of([self.factor(divisor), self.factor(quotient)])
            candidate = formula.sum_of([product, self.factor(rest)])
            if formula.operations(candidate) < cost:
                best, cost = candidate, formula.operations(candidate)
        return best

    def _whole_factors(self, terms: monomials.Terms) -> formula.FormulaTree | None:
        """The sum as a product of sums, when it is one."""
        # flint factors short sums at once, and is slow on long ones
        if len(terms) > FLINT_TERMS:
            return None
        # a ring of the generators in use: flint's time grows with their number
        generators = sorted({g for m in terms for g, _ in m})
        constant, factors = _flint_polynomial(terms, generators).factor()
        if len(factors) == 1 and factors[0][1] == 1:
            return None
        parts = [formula.power_of(self.factor(_terms_of(p, generators)), int(e)) for p, e in factors]
        return formula.product_of([formula.FormulaNumber(polynomial.rational_from(constant)), *parts])


def _exact(a: monomials.Monomial, b: monomials.Monomial) -> monomials.Monomial:
    quotient = monomials.divide_monomials(a, b)
    assert quotient is not None
    return quotient


def _content(terms: monomials.Terms) -> tuple[monomials.Monomial, Fraction]:
    """What every term shares: a monomial, a number where all have the same, and a minus where all have one."""
    sizes = {abs(c) for c in terms.values()}
    number = next(iter(sizes)) if len(sizes) == 1 else Fraction(1)
    return monomials.common(terms), -number if all(c < 0 for c in terms.values()) else number


def _flint_polynomial(terms: monomials.Terms, generators: list[int]) -> polynomial.Poly:
    place = {g: i for i, g in enumerate(generators)}
    table = {}
    for m, c in terms.items():
        exponents = [0] * len(generators)
        for g, e in m:
            exponents[place[g]] = e
        table[tuple(exponents)] = polynomial.rational_to(c)
    return polynomial.context_of(len(generators)).from_dict(table)


def _terms_of(p: polynomial.Poly, generators: list[int]) -> monomials.Terms:
    return {
        tuple((generators[i], int(e)) for i, e in enumerate(m) if e): polynomial.rational_from(c)
        for m, c in p.to_dict().items()
    }


# divisors


class Offer(NamedTuple):
    """Some terms of a sum as divisor · quotient, the quotient made when it is wanted."""

    held: list[monomials.Monomial]
    divisor: monomials.Terms
    quotient: Callable[[], monomials.Terms]
    products: int  # written in the quotient
    length: int  # its terms

    def saved_operations(self, written: Mapping[monomials.Monomial, int]) -> int:
        """Operations it saves beside the terms as they stand."""
        plain = sum(written[m] for m in self.held) + len(self.held) - 1
        return plain - monomials.plain_operations(self.divisor) - (self.products + self.length - 1) - 1


def _rank_splits(terms: monomials.Terms) -> list[Split]:
    """The splits that save most, best first."""
    width = next((width for size, width in WIDTH if len(terms) <= size), 1)
    written = {m: monomials.products_in(m, c) for m, c in terms.items()}
    scored: dict[frozenset[monomials.Monomial], tuple[int, Offer]] = {}
    for offer in _offers(terms):
        saving, key = offer.saved_operations(written), frozenset(offer.held)
        if saving > 0 and (key not in scored or saving > scored[key][0]):
            scored[key] = (saving, offer)
    # ties by the divisor itself, so that the form does not depend on the order of a dictionary
    ranked = sorted(scored.values(), key=lambda entry: (-entry[0], sorted(entry[1].divisor.items())))
    return [(x.divisor, x.quotient(), _without(terms, x.held)) for _, x in ranked[:width]]


def _offers(terms: monomials.Terms) -> Iterator[Offer]:
    yield from _by_generator(terms)
    yield from _by_number(terms)
    if len(terms) <= BINOMIAL_TERMS:
        yield from _by_binomial(terms)


def _by_generator(terms: monomials.Terms) -> Iterator[Offer]:
    """Everything with a generator (or its square), divided by all it shares."""
    holders: dict[tuple[int, int], list[monomials.Monomial]] = defaultdict(list)
    for monomial in terms:
        for g, e in monomial:
            # squares are shared often, higher powers hardly ever
            for power in range(1, min(e, 2) + 1):
                holders[g, power].append(monomial)
    for held in holders.values():
        if len(held) > 1:
            shared = monomials.common(held)
            less = monomials.degree(shared)
            # counted without making the quotient: there are many offers, and few are taken
            products = sum(max(monomials.degree(m) - less - monomials.is_sign(terms[m]), 0) for m in held)
            yield Offer(held, {shared: Fraction(1)}, partial(_over, terms, held, shared), products, len(held))


def _over(terms: monomials.Terms, held: list[monomials.Monomial], shared: monomials.Monomial) -> monomials.Terms:
    return {_exact(m, shared): terms[m] for m in held}


def _by_number(terms: monomials.Terms) -> Iterator[Offer]:
    holders: dict[Fraction, list[monomials.Monomial]] = defaultdict(list)
    for monomial, c in terms.items():
        holders[abs(c)].append(monomial)
    for number, held in holders.items():
        if number != 1 and len(held) > 1:
            quotient = {m: terms[m] / number for m in held}
            products = sum(monomials.products_in(m, c) for m, c in quotient.items())
            yield Offer(held, {(): number}, partial(dict, quotient), products, len(held))


def _by_binomial(terms: monomials.Terms) -> Iterator[Offer]:
    """Two terms over what they share are a binomial; pairs with the same one form a product."""
    groups: dict[
        tuple[monomials.Monomial, monomials.Monomial, int, int],
        list[tuple[monomials.Monomial, monomials.Monomial, monomials.Monomial]],
    ] = defaultdict(list)
    # all pairs are compared: tables and whole numbers are made once a term
    ordered = [(m, dict(m), terms[m].numerator, terms[m].denominator) for m in sorted(terms)]
    for at, (a, _, a_top, a_below) in enumerate(ordered):
        for b, table, b_top, b_below in ordered[at + 1 :]:
            shared, x, y = monomials.apart(a, b, table)
            # one order for both: a + b and b + a are one binomial
            if x > y:
                groups[y, x, *_lowest(a_top * b_below, a_below * b_top)].append((shared, b, a))
            else:
                groups[x, y, *_lowest(b_top * a_below, b_below * a_top)].append((shared, a, b))
    for (x, y, *ratio), pairs in groups.items():
        if len(pairs) < 2:
            continue
        quotient, held = _disjoint(pairs, terms)
        if len(quotient) > 1:
            divisor, quotient = _whole({x: Fraction(1), y: Fraction(*ratio)}, quotient)
            products = sum(monomials.products_in(m, c) for m, c in quotient.items())
            yield Offer(held, divisor, partial(dict, quotient), products, len(quotient))


def _whole(divisor: monomials.Terms, quotient: monomials.Terms) -> tuple[monomials.Terms, monomials.Terms]:
    """2·a·(b + c/2) is a·(2·b + c): a divisor without fractions, where the quotient's numbers allow it."""
    below = lcm(*(c.denominator for c in divisor.values()))
    if any(c % below for c in quotient.values()):
        return divisor, quotient
    return {m: c * below for m, c in divisor.items()}, {m: c / below for m, c in quotient.items()}


def _lowest(top: int, below: int) -> tuple[int, int]:
    """A quotient in lowest terms: pairs are many, and a `Fraction` of each takes longer than all else."""
    divisor = gcd(top, below) if below > 0 else -gcd(top, below)
    return top // divisor, below // divisor


def _disjoint(
    pairs: list[tuple[monomials.Monomial, monomials.Monomial, monomials.Monomial]], terms: monomials.Terms
) -> tuple[monomials.Terms, list[monomials.Monomial]]:
    """Pairs that use no term twice."""
    quotient: monomials.Terms = {}
    held: list[monomials.Monomial] = []
    for shared, first, second in pairs:
        if first not in held and second not in held:
            quotient[shared] = terms[first]
            held += [first, second]
    return quotient, held


def _without(terms: monomials.Terms, held: list[monomials.Monomial]) -> monomials.Terms:
    gone = set(held)
    return {m: c for m, c in terms.items() if m not in gone}


# Factored forms without expansion: for outputs whose expanded form is out of reach.
#
# The graph's own brackets are kept; only the sums in it, one by one, are searched for common factors.

LONG_SUM = 60  # terms past which a sum is left as it is


class Bracketed:
    """Trees of nodes, sums first flattened, then factored over the trees below them."""

    def __init__(self, write: polynomial.Write) -> None:
        self.write = write  # arguments of functions
        self.trees: dict[Expr, formula.FormulaTree] = {}

    def tree(self, root: Expr) -> formula.FormulaTree:
        for node in polynomial.polynomial_cone(root):
            if node not in self.trees:
                self.trees[node] = self._make_tree(node)
        return self.trees[root]

    def _make_tree(self, node: Expr) -> formula.FormulaTree:
        match node.op:
            case "const" | "tolerance":
                return formula.FormulaNumber(node.data)
            case "symbol":
                return formula.Symbol(str(node.data), node.online)
            case "sin" | "cos":
                angle, sign = polynomial.angle_of(node.args[0], self.write)
                return formula.product_of(
                    [formula.FormulaNumber(Fraction(sign if node.op == "sin" else 1)), formula.Trig(node.op, angle)]
                )
            case "neg":
                return formula.product_of([formula.FormulaNumber(Fraction(-1)), self.trees[node.args[0]]])
            case "mul":
                return formula.product_of(self.trees[arg] for arg in node.args)
            case "div":
                return formula.product_of([self.trees[node.args[0]], formula.Inverse(self.trees[node.args[1]])])
            case "add" | "sub":
                return self._sum(node)
        return formula.FormulaCall(node.op, tuple(map(self.write, node.args)))

    def _sum(self, node: Expr) -> formula.FormulaTree:
        atoms: dict[Expr, int] = {}
        terms: monomials.Terms = {}
        for summand, sign in flatten_sum(node):
            coefficient, parts = _factors(summand)
            monomial = tuple(sorted(Counter(atoms.setdefault(part, len(atoms)) for part in parts).items()))
            monomials.add_term(terms, monomial, sign * coefficient)
        trees = [self.trees[part] for part in atoms]
        return Factoriser(trees).factor(_on_circle(terms, atoms))


def flatten_sum(node: Expr) -> list[tuple[Expr, int]]:
    """A sum of sums as (summand, sign), at most `LONG_SUM` deep."""
    done: list[tuple[Expr, int]] = []
    stack = [(node, 1)]
    while stack:
        x, sign = stack.pop()
        match x.op:
            case "neg":
                stack.append((x.args[0], -sign))
            case "add" | "sub" if len(stack) + len(done) < LONG_SUM:
                stack += [(x.args[1], sign if x.op == "add" else -sign), (x.args[0], sign)]
            case _:
                done.append((x, sign))
    return done


def _on_circle(terms: monomials.Terms, atoms: dict[Expr, int]) -> monomials.Terms:
    """k·x·sin² + k·x·cos² = k·x, where a sum has both as they stand."""
    cosines = {node.args[0]: i for node, i in atoms.items() if node.op == "cos"}
    for sine, i in atoms.items():
        if sine.op != "sin" or sine.args[0] not in cosines:
            continue
        pair = (i, 2), (cosines[sine.args[0]], 2)
        for monomial in [x for x in terms if pair[0] in x]:
            rest = tuple(power for power in monomial if power != pair[0])
            other = tuple(sorted((*rest, pair[1])))
            if terms[monomial] == terms.get(other):
                value = terms.pop(monomial)
                del terms[other]
                monomials.add_term(terms, rest, value)
    return terms


def _factors(node: Expr) -> tuple[Fraction, list[Expr]]:
    """(number, the factors that are no products)"""
    coefficient, parts = Fraction(1), []
    stack = [node]
    while stack:
        x = stack.pop()
        match x.op:
            case "const":
                coefficient *= x.data
            case "neg":
                coefficient = -coefficient
                stack.append(x.args[0])
            case "mul":
                stack += [x.args[1], x.args[0]]
            case _:
                parts.append(x)
    return coefficient, parts
