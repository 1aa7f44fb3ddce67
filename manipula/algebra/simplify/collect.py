"""Sums of angles collected: c1·c2 − s1·s2 → c12, s12·c1 − c12·s1 → s2, two terms into one."""

from __future__ import annotations

from fractions import Fraction

from manipula.algebra.simplify.angles import combined
from manipula.algebra.simplify.circle import Raw
from manipula.algebra.simplify.terms import Monomial, Terms, times
from manipula.algebra.simplify.tree import Angle, Trig

Written = dict[tuple[tuple[Trig, int], ...], Fraction]  # monomials in named sines and cosines


def collected(coordinates: tuple[Angle, ...], terms: Raw) -> Written:
    """The terms with their sines and cosines named, pairs merged while there are any."""
    return _Collection(coordinates).merged(terms)


class _Collection:
    """Angles by number; generator 2k is the sine of angle k, 2k+1 its cosine."""

    def __init__(self, coordinates: tuple[Angle, ...]) -> None:
        self.angles = list(coordinates)
        self.number = {angle: k for k, angle in enumerate(coordinates)}
        self.sums: dict[tuple[int, int, int], tuple[int, int] | None] = {}

    def merged(self, raw: Raw) -> Written:
        terms: Terms = {tuple((g, n) for g, n in enumerate(e) if n): c for e, c in sorted(raw.items())}
        work = list(terms)
        while work:
            monomial = work.pop()
            found = self._merge(terms, monomial) if monomial in terms else None
            if found is not None:
                work.append(found)
        return {self._named(monomial): c for monomial, c in terms.items()}

    def _named(self, monomial: Monomial) -> tuple[tuple[Trig, int], ...]:
        return tuple((Trig("cos" if g % 2 else "sin", self.angles[g // 2]), n) for g, n in monomial)

    def _merge(self, terms: Terms, monomial: Monomial) -> Monomial | None:
        """Join this term with a second that differs in swapping a sine and a cosine of two angles; the joint term."""
        a = terms[monomial]
        for at, (x, _) in enumerate(monomial):
            for y, _ in monomial[at + 1 :]:
                if x // 2 == y // 2:
                    continue
                partner = _exchanged(monomial, ((x, -1), (y, -1), (x ^ 1, 1), (y ^ 1, 1)))
                b = terms.get(partner)
                joint = self._joint(x, y, a, b) if b is not None and abs(a) == abs(b) else None
                if joint is not None:
                    del terms[monomial], terms[partner]
                    result = _exchanged(monomial, ((x, -1), (y, -1), (joint[0], 1)))
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
            angle, flip = combined(self.angles[i], self.angles[j], sign)
            if not angle or any(abs(n) > 1 for _, n in angle):
                self.sums[i, j, sign] = None
            else:
                if angle not in self.number:
                    self.number[angle] = len(self.angles)
                    self.angles.append(angle)
                self.sums[i, j, sign] = (self.number[angle], flip)
        return self.sums[i, j, sign]


def _exchanged(monomial: Monomial, changes: Monomial) -> Monomial:
    return tuple(part for part in times(monomial, changes) if part[1])


def _put(terms: Terms, monomial: Monomial, value: Fraction) -> Monomial | None:
    """Add the term; None where it cancels."""
    total = terms.pop(monomial, Fraction(0)) + value
    if not total:
        return None
    terms[monomial] = total
    return monomial
