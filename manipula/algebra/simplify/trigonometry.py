"""Trigonometric polynomials with the fewest terms: sin² + cos² = 1, and sums of angles.

Monomials in parameters and rates are independent, so each one's coefficient, a polynomial in sines and cosines with
rational coefficients, is shortened alone. A search walks over coordinates (q2, q3 → q2, q2+q3 → …); in each, powers
are rewritten angle by angle and products are collected, c1·c2 − s1·s2 → c12; the shortest wins.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

from manipula.algebra.simplify.polynomial import context_of, rational_from, rational_to
from manipula.algebra.simplify.terms import MOVES, SHORT, SHORTEST, Monomial, Terms, Work, combine_angles, times
from manipula.algebra.simplify.tree import Angle, Trig

# Powers of one angle's sine and cosine, written with the fewest terms under s² + c² = 1.

Exponents = tuple[int, ...]  # s, c of coordinate 0, s, c of coordinate 1, …
Raw = dict[Exponents, Fraction]
Squares = tuple[tuple[int, int, Fraction], ...]  # Σ value·(c²)^i·(s²)^j as (i, j, value)
_PASSES = 4


def fewest_powers(terms: Raw, order: Sequence[int]) -> Raw:
    """Angle after angle, every coefficient alone, until the number of terms stops falling."""
    order = [k for k in order if any(e[2 * k] + e[2 * k + 1] > 1 for e in terms)]
    best = terms
    for _ in range(_PASSES):
        shorter = best
        for k in order:
            shorter = _one_angle(shorter, k)
        if len(shorter) >= len(best):
            return shorter if len(shorter) == len(best) and best is terms else best
        best = shorter
    return best


def _one_angle(terms: Raw, k: int) -> Raw:
    """Coordinate k rewritten, the other exponents kept."""
    groups: dict[tuple[Exponents, int, int], dict[tuple[int, int], Fraction]] = defaultdict(dict)
    for e, value in terms.items():
        s, c = e[2 * k], e[2 * k + 1]
        rest = (*e[: 2 * k], 0, 0, *e[2 * k + 2 :])
        # s² + c² = 1 relates even powers only: odd rests are apart
        groups[rest, s % 2, c % 2][c // 2, s // 2] = value
    result: Raw = {}
    for (rest, s, c), squares in groups.items():
        alone = len(squares) == 1  # one term cannot become fewer
        ways = [(*key, x) for key, x in squares.items()] if alone else fewest_squares(_in_cosine(squares))
        for i, j, value in ways:
            result[(*rest[: 2 * k], s + 2 * j, c + 2 * i, *rest[2 * k + 2 :])] = value
    return result


def _in_cosine(squares: dict[tuple[int, int], Fraction]) -> tuple[Fraction, ...]:
    """Σ value·u^i·(1−u)^j as coefficients of powers of u = c²."""
    coefficients = [Fraction(0)] * (1 + max(i + j for i, j in squares))
    for (i, j), value in squares.items():
        for m in range(j + 1):
            coefficients[i + m] += value * comb(j, m) * (-1) ** m
    return _trim_zeros(coefficients)


def _trim_zeros(coefficients: list[Fraction]) -> tuple[Fraction, ...]:
    while coefficients and not coefficients[-1]:
        coefficients.pop()
    return tuple(coefficients)


@lru_cache(maxsize=4096)
def fewest_squares(f: tuple[Fraction, ...]) -> Squares:
    """A polynomial in u = c² as few products of powers of c² and s² = 1 − u."""
    if not f:
        return ()
    whole = [[(i, 0, x) for i, x in enumerate(f) if x], [(0, j, x) for j, x in enumerate(_mirror_polynomial(f)) if x]]
    # a common power of c² or s² belongs in front, whatever the rest is written in
    outer, f = _divided_by_u(f)
    inner, g = _divided_by_u(_mirror_polynomial(f))  # powers of 1 − u are powers of u after u → 1 − u
    f = _mirror_polynomial(g)
    top = len(f) - 1
    in_c = [(i, 0, x) for i, x in enumerate(f)]
    in_s = [(0, j, x) for j, x in enumerate(_mirror_polynomial(f))]
    both = [(i, top - i, x) for i, x in enumerate(_homogeneous(f))]
    ways = [[(i + outer, j + inner, x) for i, j, x in way if x] for way in (in_c, in_s, both)]
    best = min(map(tuple, ways), key=_length_on_circle)
    return min(best, *map(tuple, whole), key=len)  # 1 − u⁶ has more terms when 1 − u is divided out


def _length_on_circle(way: Sequence[tuple[int, int, Fraction]]) -> tuple[int, int, Fraction]:
    return len(way), sum(i + j for i, j, _ in way), sum((abs(x) for _, _, x in way), Fraction(0))


def _divided_by_u(f: tuple[Fraction, ...]) -> tuple[int, tuple[Fraction, ...]]:
    """The power of u that divides f, and the rest."""
    power = next(i for i, x in enumerate(f) if x)
    return power, f[power:]


def _mirror_polynomial(f: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """f(1 − u)"""
    result = [Fraction(0)] * len(f)
    for i, x in enumerate(f):
        for m in range(i + 1):
            result[m] += x * comb(i, m) * (-1) ** m
    return _trim_zeros(result)


def _homogeneous(f: tuple[Fraction, ...]) -> list[Fraction]:
    """Σ f_i u^i (u + v)^(top−i), v = 1 − u: the coefficients of u^i·v^(top−i)."""
    top = len(f) - 1
    result = [Fraction(0)] * len(f)
    for i, x in enumerate(f):
        for m in range(top - i + 1):
            result[i + m] += x * comb(top - i, m)
    return result


# Sums of angles collected: c1·c2 − s1·s2 → c12, s12·c1 − c12·s1 → s2, two terms into one.

Written = dict[tuple[tuple[Trig, int], ...], Fraction]  # monomials in named sines and cosines


def collect_terms(coordinates: tuple[Angle, ...], terms: Raw) -> Written:
    """The terms with their sines and cosines named, pairs merged while there are any."""
    return _Collection(coordinates).merge_pairs(terms)


class _Collection:
    """Angles by number; generator 2k is the sine of angle k, 2k+1 its cosine."""

    def __init__(self, coordinates: tuple[Angle, ...]) -> None:
        self.angles = list(coordinates)
        self.number = {angle: k for k, angle in enumerate(coordinates)}
        self.sums: dict[tuple[int, int, int], tuple[int, int] | None] = {}

    def merge_pairs(self, raw: Raw) -> Written:
        terms: Terms = {tuple((g, n) for g, n in enumerate(e) if n): c for e, c in sorted(raw.items())}
        work = list(terms)
        while work:
            monomial = work.pop()
            joint = self._merge(terms, monomial) if monomial in terms else None
            if joint is not None:
                work.append(joint)
        return {self._name_factors(monomial): c for monomial, c in terms.items()}

    def _name_factors(self, monomial: Monomial) -> tuple[tuple[Trig, int], ...]:
        return tuple((Trig("cos" if g % 2 else "sin", self.angles[g // 2]), n) for g, n in monomial)

    def _merge(self, terms: Terms, monomial: Monomial) -> Monomial | None:
        """Join this term with a second that differs in swapping a sine and a cosine of two angles; the joint term."""
        a = terms[monomial]
        for at, (x, _) in enumerate(monomial):
            for y, _ in monomial[at + 1 :]:
                if x // 2 == y // 2:
                    continue
                # of c1·c2 the partner is s1·s2: looked up, not searched
                partner = _exchange_factors(monomial, ((x, -1), (y, -1), (x ^ 1, 1), (y ^ 1, 1)))
                b = terms.get(partner)
                joint = self._joint(x, y, a, b) if b is not None and abs(a) == abs(b) else None
                if joint is not None:
                    del terms[monomial], terms[partner]
                    result = _exchange_factors(monomial, ((x, -1), (y, -1), (joint[0], 1)))
                    return _put(terms, result, joint[1])
        return None

    def _joint(self, x: int, y: int, a: Fraction, b: Fraction) -> tuple[int, Fraction] | None:
        """a·x·y + b·x'·y', |a| = |b| and primes swapping sine and cosine, as (generator, coefficient)."""
        if x % 2 == y % 2:  # c c − s s = cos(x+y), c c + s s = cos(x−y)
            angle = self._sum(x // 2, y // 2, 1 if a == -b else -1)
            return None if angle is None else (2 * angle[0] + 1, a if x % 2 or a == b else -a)
        if x % 2:
            x, y = y, x
        angle = self._sum(x // 2, y // 2, 1 if a == b else -1)  # s c ± c s = sin(x ± y)
        return None if angle is None else (2 * angle[0], a * angle[1])

    def _sum(self, i: int, j: int, sign: int) -> tuple[int, int] | None:
        """(number of the angle i + sign·j, sign taken out), where every leaf stands in it once at most."""
        if (i, j, sign) not in self.sums:
            angle, flip = combine_angles(self.angles[i], self.angles[j], sign)
            # cos(2·q1) is no name that people use: only plain sums and differences
            if not angle or any(abs(n) > 1 for _, n in angle):
                self.sums[i, j, sign] = None
            else:
                if angle not in self.number:
                    self.number[angle] = len(self.angles)
                    self.angles.append(angle)
                self.sums[i, j, sign] = (self.number[angle], flip)
        return self.sums[i, j, sign]


def _exchange_factors(monomial: Monomial, changes: Monomial) -> Monomial:
    return tuple(part for part in times(monomial, changes) if part[1])


def _put(terms: Terms, monomial: Monomial, value: Fraction) -> Monomial | None:
    """Add the term; None where it cancels."""
    total = terms.pop(monomial, Fraction(0)) + value
    if not total:
        return None
    terms[monomial] = total
    return monomial


TOO_LONG = 1500  # terms past which coordinates are not searched
PAIRS = 4  # pairs tried at each step, in what is longer


@dataclass(frozen=True)
class Seen:
    """A trigonometric polynomial in some coordinates, s² eliminated."""

    coordinates: tuple[Angle, ...]
    terms: Raw

    def replace_coordinate(self, i: int, j: int, sign: int) -> Seen | None:
        """The same with coordinate j replaced by j + sign·i."""
        angle, flip = combine_angles(self.coordinates[j], self.coordinates[i], sign)
        if not angle or angle in self.coordinates or any(abs(n) > 1 for _, n in angle):
            return None
        n = len(self.coordinates)
        ring = context_of(2 * n)
        x = list(ring.gens())
        si, ci, sj, cj = x[2 * i], x[2 * i + 1], flip * x[2 * j], x[2 * j + 1]
        images = list(x)
        images[2 * j], images[2 * j + 1] = sj * ci - sign * cj * si, cj * ci + sign * sj * si
        p = ring.from_dict({e: rational_to(c) for e, c in self.terms.items()}).compose(*images, ctx=ring)
        for k in (i, j):
            # the substitution has made squares of sines again
            p = divmod(p, x[2 * k] * x[2 * k] + x[2 * k + 1] * x[2 * k + 1] - 1)[1]
        coordinates = (*self.coordinates[:j], angle, *self.coordinates[j + 1 :])
        return Seen(coordinates, {tuple(map(int, m)): rational_from(c) for m, c in p.to_dict().items()})

    def moves(self) -> Iterator[Seen]:
        """The most promising pairs of coordinates first."""
        for i, j in self._candidate_pairs():
            for sign in (1, -1):
                for a, b in ((i, j), (j, i)):
                    moved = self.replace_coordinate(a, b, sign)
                    if moved is not None:
                        yield moved

    def _candidate_pairs(self) -> list[tuple[int, int]]:
        """Pairs of coordinates that may form a sum: terms of one size differ in swapping sine and cosine of both."""
        n = len(self.coordinates)
        met = {(i, j): self._count_partners(i, j) for i in range(n) for j in range(i + 1, n)}
        ranked = sorted((pair for pair, times in met.items() if times), key=lambda pair: (-met[pair], pair))
        # every move rewrites all terms: long sums try the best pairs only
        return ranked[:PAIRS] if len(self.terms) > SHORT else ranked

    def _count_partners(self, i: int, j: int) -> int:
        """How many terms have such a partner."""
        shadows: dict[tuple[Exponents, Fraction], Counter[tuple[int, int]]] = defaultdict(Counter)
        for e, value in self.terms.items():
            rest = (*e[: 2 * i], 0, 0, *e[2 * i + 2 : 2 * j], 0, 0, *e[2 * j + 2 :])
            shadows[rest, abs(value)][e[2 * i] % 2, e[2 * j] % 2] += 1
        pairs = (((0, 0), (1, 1)), ((0, 1), (1, 0)))
        return sum(min(seen[x], seen[y]) for seen in shadows.values() for x, y in pairs)


class Shortener:
    """Shortest ways to write trigonometric polynomials; remembers what it has done, up to a factor."""

    def __init__(self, coordinates: list[Angle], moves: Work | None = None) -> None:
        self.coordinates, self.moves = coordinates, moves or Work(MOVES)
        self.known: dict[tuple[tuple[Exponents, Fraction], ...], Written] = {}

    def shortest(self, terms: Raw) -> Written:
        items = sorted(terms.items())
        lead = items[0][1]
        # up to a factor: coefficients of different masses are often the same polynomial
        key = tuple((e, c / lead) for e, c in items)
        if key not in self.known:
            self.known[key] = _search(self._relevant_polynomial(dict(key)), self.moves)
        return {monomial: lead * c for monomial, c in self.known[key].items()}

    def _relevant_polynomial(self, terms: Raw) -> Seen:
        """Only the coordinates that occur."""
        # the number of moves grows with the square of the coordinates
        used = [k for k in range(len(self.coordinates)) if any(e[2 * k] or e[2 * k + 1] for e in terms)]
        places = [x for k in used for x in (2 * k, 2 * k + 1)]
        coordinates = tuple(self.coordinates[k] for k in used)
        return Seen(coordinates, {tuple(e[x] for x in places): c for e, c in terms.items()})


def _search(start: Seen, moves: Work) -> Written:
    """Descent over coordinates: take the best move while it shortens; any but the shortest while moves are left."""
    here, best = start, _simplicity(start)
    while 1 < len(here.terms) <= (TOO_LONG if moves.left > 0 else SHORTEST):
        trials = [(_simplicity(move), move) for move in here.moves()]
        moves.left -= sum(len(move.terms) for _, move in trials)
        if not trials:
            break
        shortest, move = min(trials, key=lambda trial: _length(trial[0]))
        if _length(shortest) >= _length(best):
            break
        here, best = move, shortest
    return best


def _length(written: Written) -> tuple[int, int]:
    return len(written), sum(e for monomial in written for _, e in monomial)


def _simplicity(seen: Seen) -> Written:
    """Powers first, then sums of angles."""
    n = len(seen.coordinates)
    # the order of angles decides what is left over: both ends are tried
    tries = [fewest_powers(seen.terms, list(order)) for order in (range(n), reversed(range(n)))]
    return min((collect_terms(seen.coordinates, terms) for terms in tries), key=_length)
