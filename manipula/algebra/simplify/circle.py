"""Powers of one angle's sine and cosine, written with the fewest terms under s² + c² = 1."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb

Exponents = tuple[int, ...]  # s, c of coordinate 0, s, c of coordinate 1, …
Raw = dict[Exponents, Fraction]
Squares = tuple[tuple[int, int, Fraction], ...]  # Σ value·(c²)^i·(s²)^j as (i, j, value)
_PASSES = 4


def fewest_powers(terms: Raw, order: Sequence[int]) -> Raw:
    """Angle after angle, every coefficient by itself, until the number of terms stops falling."""
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
    return _trimmed(coefficients)


def _trimmed(coefficients: list[Fraction]) -> tuple[Fraction, ...]:
    while coefficients and not coefficients[-1]:
        coefficients.pop()
    return tuple(coefficients)


@lru_cache(maxsize=4096)
def fewest_squares(f: tuple[Fraction, ...]) -> Squares:
    """A polynomial in u = c² as few products of powers of c² and s² = 1 − u."""
    if not f:
        return ()
    whole = [[(i, 0, x) for i, x in enumerate(f) if x], [(0, j, x) for j, x in enumerate(_mirrored(f)) if x]]
    outer, f = _divided_by_u(f)
    inner, g = _divided_by_u(_mirrored(f))  # powers of 1 − u are powers of u after u → 1 − u
    f = _mirrored(g)
    top = len(f) - 1
    in_c = [(i, 0, x) for i, x in enumerate(f)]
    in_s = [(0, j, x) for j, x in enumerate(_mirrored(f))]
    both = [(i, top - i, x) for i, x in enumerate(_homogeneous(f))]
    ways = [[(i + outer, j + inner, x) for i, j, x in way if x] for way in (in_c, in_s, both)]
    best = min(map(tuple, ways), key=_length)
    return min(best, *map(tuple, whole), key=len)  # 1 − u⁶ has more terms when 1 − u is divided out


def _length(way: Sequence[tuple[int, int, Fraction]]) -> tuple[int, int, Fraction]:
    return len(way), sum(i + j for i, j, _ in way), sum((abs(x) for _, _, x in way), Fraction(0))


def _divided_by_u(f: tuple[Fraction, ...]) -> tuple[int, tuple[Fraction, ...]]:
    """The power of u that divides f, and the rest."""
    power = next(i for i, x in enumerate(f) if x)
    return power, f[power:]


def _mirrored(f: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """f(1 − u)"""
    result = [Fraction(0)] * len(f)
    for i, x in enumerate(f):
        for m in range(i + 1):
            result[m] += x * comb(i, m) * (-1) ** m
    return _trimmed(result)


def _homogeneous(f: tuple[Fraction, ...]) -> list[Fraction]:
    """Σ f_i u^i (u + v)^(top−i), v = 1 − u: the coefficients of u^i·v^(top−i)."""
    top = len(f) - 1
    result = [Fraction(0)] * len(f)
    for i, x in enumerate(f):
        for m in range(top - i + 1):
            result[i + m] += x * comb(top - i, m)
    return result
