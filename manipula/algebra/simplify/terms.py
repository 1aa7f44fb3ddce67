"""Sums of monomials as dictionaries: what the trigonometry and the factoring work on once flint has expanded.

A monomial is a sorted tuple of (generator, exponent); generators are numbers that index a list of atoms (trees).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from manipula.algebra.simplify import tree
from manipula.errors import SizeError

Monomial = tuple[tuple[int, int], ...]
Terms = dict[Monomial, Fraction]


def times(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    exponents = dict(a)
    for generator, exponent in b:
        exponents[generator] = exponents.get(generator, 0) + exponent
    return tuple(sorted(exponents.items()))


def divide_monomials(a: Monomial, b: Monomial) -> Monomial | None:
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


def add_term(terms: Terms, monomial: Monomial, coefficient: Fraction) -> None:
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
    """Products in one term as written; a sign does not count."""
    return max(degree(monomial) - is_sign(coefficient), 0)


def is_sign(coefficient: Fraction) -> bool:
    """1 or −1: written as a sign at most."""
    return coefficient == 1 or coefficient == -1  # noqa: PLR1714  # a set would hash a fraction


def tree_from_monomial(
    monomial: Monomial, coefficient: Fraction, atoms: Sequence[tree.FormulaTree]
) -> tree.FormulaTree:
    return tree.product_of([tree.FormulaNumber(coefficient), *(tree.power_of(atoms[g], e) for g, e in monomial)])


def tree_from_terms(terms: Terms, atoms: Sequence[tree.FormulaTree]) -> tree.FormulaTree:
    """The expanded form: no brackets, but around the sums that stand over a common denominator."""
    # (a + b)/c, not a/c + b/c
    shared = tuple((g, e) for g, e in common(terms) if isinstance(atoms[g], tree.Inverse))
    plain = ((divide_monomials(m, shared) or (), c) for m, c in terms.items())
    top = tree.sum_of(tree_from_monomial(m, c, atoms) for m, c in plain)
    return tree.product_of([top, tree_from_monomial(shared, Fraction(1), atoms)])


# Angles as whole-number combinations of leaves, and the choice of coordinates to expand in.
#
# With the axes of joints 2 and 3 parallel, everything beyond joint 3 depends on q2 and q2 + q3; expanded in those it is
# short, in q2 and q3 long. The angles that the expression itself uses most become the coordinates.


def angle_from(parts: dict[tree.FormulaTree, int]) -> tuple[tree.Angle, int]:
    """(sorted angle with a positive lead, sign taken out); the zero angle is ()."""
    kept = sorted(((leaf, n) for leaf, n in parts.items() if n), key=lambda part: tree.sort_key(part[0]))
    sign = -1 if kept and kept[0][1] < 0 else 1
    return tuple((leaf, sign * n) for leaf, n in kept), sign


def combine_angles(x: tree.Angle, y: tree.Angle, sign: int) -> tuple[tree.Angle, int]:
    """x + sign·y"""
    parts = Counter(dict(x))
    for leaf, n in y:
        parts[leaf] += sign * n
    return angle_from(dict(parts))


def coordinates_for(uses: Counter[tree.Angle]) -> list[tree.Angle]:
    """As many of the most used angles as are independent, if all others are whole combinations of them; else leaves."""
    ordered = all_angles(uses)
    chosen: list[tree.Angle] = []
    for angle in ordered:
        if express_in_basis(angle, chosen) is None:
            chosen.append(angle)
    # with halves among them sines would need half angles, which the expression does not have
    if all(_whole(express_in_basis(angle, chosen)) for angle in ordered):
        return chosen
    leaves = {leaf for angle in ordered for leaf, _ in angle}
    return [((leaf, 1),) for leaf in sorted(leaves, key=tree.sort_key)]


def all_angles(uses: Counter[tree.Angle]) -> list[tree.Angle]:
    """Every angle, the most used first."""
    return sorted(uses, key=lambda angle: (-uses[angle], len(angle), [(tree.sort_key(leaf), n) for leaf, n in angle]))


def _whole(combination: list[Fraction] | None) -> bool:
    return combination is not None and all(x.denominator == 1 for x in combination)


def express_in_basis(angle: tree.Angle, basis: Sequence[tree.Angle]) -> list[Fraction] | None:
    """The combination of the (independent) basis that gives the angle, by elimination; None where it is missing."""
    leaves = sorted({leaf for x in (angle, *basis) for leaf, _ in x}, key=tree.sort_key)
    rows = [[Fraction(dict(x).get(leaf, 0)) for x in (*basis, angle)] for leaf in leaves]
    n = len(basis)
    for column in range(n):
        # exact fractions: any pivot is as good as another
        pivot = next(i for i in range(column, len(rows)) if rows[i][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        scale = rows[column][column]
        rows[column] = [x / scale for x in rows[column]]
        for i, row in enumerate(rows):
            if i != column and row[column]:
                rows[i] = [x - row[column] * y for x, y in zip(row, rows[column])]
    if any(row[n] for row in rows[n:]):
        return None
    return [row[n] for row in rows[:n]]


# How long a form for people may get, and how much work may go into it.
#
# All are counts, not seconds: the same request is answered or refused alike on any machine. A polynomial is expanded
# much
# faster than it is shortened, factored and printed, so its length is known first: what is too long is refused within a
# second or two, what is not is written within ten (`bench/equations.py` measures every model of every robot that
# ships).

EXPANDED_TERMS = 10_000  # of all outputs together, before sums of angles shorten them
FACTORED_TERMS = 8_000  # the same, where brackets are searched
SHORT_TERMS = 4_000  # after sums of angles have shortened them, where brackets are searched
WRITTEN_OPERATIONS = 20_000  # of all outputs together, where the graph's own brackets are kept
CALLS = 5_000  # roots, branches and the like as often as they are written, one in the other
LONG = 1_000  # terms past which the factor of every rate and acceleration is searched alone
WORK = 12_000_000  # products of terms
MOVES = 30_000  # terms written anew in other angles
SHORT = 40  # terms up to which every pair of angles is tried, not the best alone
SHORTEST = 6  # terms up to which it is tried always


@dataclass
class Work:
    """What may be spent on expanding one function."""

    left: int = WORK

    def take(self, products: int) -> None:
        self.left -= products
        if self.left < 0:
            raise SizeError("to multiply it out takes more than {work:,} products of terms", WORK)


def rounded_text(size: int) -> str:
    """1,234,000: three digits tell enough; past a milliard the power of ten."""
    if size >= 10**9:
        return f"10^{len(str(size)) - 1}"
    return f"{round(size, 3 - len(str(size))):,}" if size > 999 else str(size)
