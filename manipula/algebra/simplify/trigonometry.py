"""Trigonometric polynomials with the fewest terms: sin² + cos² = 1, and sums of angles.

Monomials in parameters and rates are independent, so each one's coefficient, a polynomial in sines and cosines with
rational coefficients, is shortened by itself. A search walks over coordinates (q2, q3 → q2, q2+q3 → …); in each, powers
are rewritten angle by angle and products are collected, c1·c2 − s1·s2 → c12; the shortest wins.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from manipula.algebra.simplify.angles import combined
from manipula.algebra.simplify.circle import Exponents, Raw, fewest_powers
from manipula.algebra.simplify.collect import Written, collected
from manipula.algebra.simplify.limits import MOVES, SHORT, SHORTEST, Work
from manipula.algebra.simplify.polynomial import context_of, rational_from, rational_to
from manipula.algebra.simplify.tree import Angle

TOO_LONG = 1500  # terms past which coordinates are not searched
PAIRS = 4  # pairs tried at each step, in what is longer


@dataclass(frozen=True)
class Seen:
    """A trigonometric polynomial in some coordinates, s² eliminated."""

    coordinates: tuple[Angle, ...]
    terms: Raw

    def moved(self, i: int, j: int, sign: int) -> Seen | None:
        """The same with coordinate j replaced by j + sign·i."""
        angle, flip = combined(self.coordinates[j], self.coordinates[i], sign)
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
            p = divmod(p, x[2 * k] * x[2 * k] + x[2 * k + 1] * x[2 * k + 1] - 1)[1]
        coordinates = (*self.coordinates[:j], angle, *self.coordinates[j + 1 :])
        return Seen(coordinates, {tuple(map(int, m)): rational_from(c) for m, c in p.to_dict().items()})

    def moves(self) -> Iterator[Seen]:
        """The most promising pairs of coordinates first."""
        for i, j in self._meeting():
            for sign in (1, -1):
                for a, b in ((i, j), (j, i)):
                    found = self.moved(a, b, sign)
                    if found is not None:
                        yield found

    def _meeting(self) -> list[tuple[int, int]]:
        """Pairs of coordinates that may form a sum: terms of one size differ in swapping sine and cosine of both."""
        n = len(self.coordinates)
        met = {(i, j): self._met(i, j) for i in range(n) for j in range(i + 1, n)}
        ranked = sorted((pair for pair, times in met.items() if times), key=lambda pair: (-met[pair], pair))
        return ranked[:PAIRS] if len(self.terms) > SHORT else ranked

    def _met(self, i: int, j: int) -> int:
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
        key = tuple((e, c / lead) for e, c in items)
        if key not in self.known:
            self.known[key] = _search(self._seen(dict(key)), self.moves)
        return {monomial: lead * c for monomial, c in self.known[key].items()}

    def _seen(self, terms: Raw) -> Seen:
        """Only the coordinates that occur."""
        used = [k for k in range(len(self.coordinates)) if any(e[2 * k] or e[2 * k + 1] for e in terms)]
        places = [x for k in used for x in (2 * k, 2 * k + 1)]
        coordinates = tuple(self.coordinates[k] for k in used)
        return Seen(coordinates, {tuple(e[x] for x in places): c for e, c in terms.items()})


def _search(start: Seen, moves: Work) -> Written:
    """Descent over coordinates: take the best move while it shortens; any but the shortest while moves are left."""
    here, best = start, _written(start)
    while 1 < len(here.terms) <= (TOO_LONG if moves.left > 0 else SHORTEST):
        trials = [(_written(move), move) for move in here.moves()]
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


def _written(seen: Seen) -> Written:
    """Powers first, then sums of angles."""
    n = len(seen.coordinates)
    tries = [fewest_powers(seen.terms, list(order)) for order in (range(n), reversed(range(n)))]
    return min((collected(seen.coordinates, terms) for terms in tries), key=_length)
