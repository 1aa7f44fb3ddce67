"""Trigonometric polynomials with the fewest terms: sin² + cos² = 1, and sums of angles.

Monomials in parameters and rates are independent, so each one's coefficient, a polynomial in sines and cosines with
rational coefficients, is shortened by itself. A search walks over coordinates (q2, q3 → q2, q2+q3 → …); in each, powers
are rewritten angle by angle and products are collected, c1·c2 − s1·s2 → c12; the shortest wins.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from manipula.algebra.simplify.angles import combined
from manipula.algebra.simplify.circle import fewest_powers
from manipula.algebra.simplify.polynomial import context_of, rational_from
from manipula.algebra.simplify.tree import Angle, Tree, Trig, sort_key

Exponents = tuple[int, ...]  # s, c of coordinate 0, s, c of coordinate 1, …
Raw = dict[Exponents, Fraction]
Written = dict[tuple[tuple[Trig, int], ...], Fraction]  # monomials in named sines and cosines
TOO_LONG = 1500  # terms past which coordinates are not searched


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
        p = ring.from_dict({e: _flint(c) for e, c in self.terms.items()}).compose(*images, ctx=ring)
        for k in (i, j):
            p = divmod(p, x[2 * k] * x[2 * k] + x[2 * k + 1] * x[2 * k + 1] - 1)[1]
        coordinates = (*self.coordinates[:j], angle, *self.coordinates[j + 1 :])
        return Seen(coordinates, {tuple(map(int, m)): rational_from(c) for m, c in p.to_dict().items()})

    def moves(self) -> Iterator[Seen]:
        for i, j in self._meeting():
            for sign in (1, -1):
                for a, b in ((i, j), (j, i)):
                    found = self.moved(a, b, sign)
                    if found is not None:
                        yield found

    def _meeting(self) -> list[tuple[int, int]]:
        """Pairs of coordinates that may form a sum: two terms differ in swapping a sine and a cosine of both."""
        shadows: dict[Exponents, set[tuple[int, int]]] = defaultdict(set)
        n = len(self.coordinates)
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
        found: set[tuple[int, int]] = set()
        for i, j in pairs:
            shadows.clear()
            for e in self.terms:
                rest = (*e[: 2 * i], 0, 0, *e[2 * i + 2 : 2 * j], 0, 0, *e[2 * j + 2 :])
                sines = (e[2 * i] % 2, e[2 * j] % 2)
                if (1 - sines[0], 1 - sines[1]) in shadows[rest]:
                    found.add((i, j))
                    break
                shadows[rest].add(sines)
        return sorted(found)


def _flint(x: Fraction) -> Any:
    from flint import fmpq

    return fmpq(x.numerator, x.denominator)


class Shortener:
    """Shortest ways to write trigonometric polynomials; remembers what it has done, up to a factor."""

    def __init__(self, coordinates: list[Angle]) -> None:
        self.coordinates = coordinates
        self.known: dict[tuple[tuple[Exponents, Fraction], ...], Written] = {}

    def shortest(self, terms: Raw) -> Written:
        items = sorted(terms.items())
        lead = items[0][1]
        key = tuple((e, c / lead) for e, c in items)
        if key not in self.known:
            self.known[key] = _search(self._seen(dict(key)))
        return {monomial: lead * c for monomial, c in self.known[key].items()}

    def _seen(self, terms: Raw) -> Seen:
        """Only the coordinates that occur."""
        used = [k for k in range(len(self.coordinates)) if any(e[2 * k] or e[2 * k + 1] for e in terms)]
        places = [x for k in used for x in (2 * k, 2 * k + 1)]
        return Seen(tuple(self.coordinates[k] for k in used), {tuple(e[x] for x in places): c for e, c in terms.items()})


def _search(start: Seen) -> Written:
    """Descent over coordinates: take the best move while it shortens."""
    here, best = start, _written(start)
    while 1 < len(here.terms) <= TOO_LONG:
        trials = [(_written(move), move) for move in here.moves()]
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
    return min((collected(_named(terms, seen.coordinates)) for terms in tries), key=_length)


def _named(terms: Raw, coordinates: tuple[Angle, ...]) -> Written:
    atoms = [Trig(op, angle) for angle in coordinates for op in ("sin", "cos")]
    return {
        tuple(sorted(((atoms[i], n) for i, n in enumerate(e) if n), key=_by_atom)): c for e, c in sorted(terms.items())
    }


def _by_atom(part: tuple[Tree, int]) -> Any:
    return sort_key(part[0])


def collected(terms: Written) -> Written:
    """c_x·c_y ∓ s_x·s_y → cos(x ± y), s_x·c_y ± c_x·s_y → sin(x ± y), while there is such a pair."""
    terms = dict(terms)
    while True:
        for monomial, coefficient in terms.items():
            found = _partner(terms, monomial, coefficient)
            if found:
                break
        else:
            return terms
        partner, result, value = found
        del terms[monomial], terms[partner]
        total = terms.get(result, Fraction(0)) + value
        terms.pop(result, None)
        if total:
            terms[result] = total


def _partner(terms: Written, monomial: tuple[tuple[Trig, int], ...], a: Fraction) -> Any:
    """A second term that makes an angle sum with this one: (its monomial, the merged monomial, its coefficient)."""
    atoms = [atom for atom, _ in monomial]
    for at, x in enumerate(atoms):
        for y in atoms[at + 1 :]:
            if x.angle == y.angle:
                continue
            other = _times(monomial, ((x, -1), (y, -1), (_swapped(x), 1), (_swapped(y), 1)))
            b = terms.get(other)
            if b is None or abs(a) != abs(b):
                continue
            merged = _sum_of_angles(x, y, a, b)
            if merged is not None:
                return other, _times(monomial, ((x, -1), (y, -1), (merged[0], 1))), merged[1]
    return None


def _sum_of_angles(x: Trig, y: Trig, a: Fraction, b: Fraction) -> tuple[Trig, Fraction] | None:
    """a·x·y + b·x'·y' with |a| = |b|, primes swapping sine and cosine, as one sine or cosine."""
    same = x.op == y.op
    if same:  # c c − s s = cos(x+y), c c + s s = cos(x−y)
        angle, _ = combined(x.angle, y.angle, 1 if a == -b else -1)
        value = a if x.op == "cos" or a == b else -a
        op = "cos"
    else:  # s c + c s = sin(x+y), s c − c s = sin(x−y)
        first, second = (x, y) if x.op == "sin" else (y, x)
        angle, sign = combined(first.angle, second.angle, 1 if a == b else -1)
        value, op = a * sign, "sin"
    if not angle or any(abs(n) > 1 for _, n in angle):
        return None
    return Trig(op, angle), value


def _swapped(x: Trig) -> Trig:
    return Trig("cos" if x.op == "sin" else "sin", x.angle)


def _times(monomial: tuple[tuple[Trig, int], ...], more: tuple[tuple[Trig, int], ...]) -> tuple[tuple[Trig, int], ...]:
    exponents = dict(monomial)
    for atom, n in more:
        exponents[atom] = exponents.get(atom, 0) + n
    return tuple(sorted(((atom, n) for atom, n in exponents.items() if n), key=_by_atom))
