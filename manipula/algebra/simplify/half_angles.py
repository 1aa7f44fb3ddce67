"""The factors of a trigonometric polynomial.

Sines and cosines with s² + c² = 1 do not factor in one way only: s² is also (1 − c)(1 + c). Of half angles they do.
With u = cos(x/2) and v = sin(x/2)

    s = 2 u v        c = u² − v²        1 = u² + v²

every term becomes one of the same degree in u and v, such polynomials have one set of factors, and a factor of even
degree goes back to the whole angle. Factors of odd degree (a sine is u times v) go back together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import reduce
from math import gcd, lcm
from operator import mul

from flint import fmpq

from manipula.algebra.expr.node import Expr
from manipula.algebra.simplify.polynomial import Expansion, Poly, context_of
from manipula.algebra.simplify.simplifier import ON_THE_WAY, Simplifier, tree_from_polynomial
from manipula.algebra.simplify.tree import FormulaTree

Factor = tuple[FormulaTree, int]  # and how often it stands there


def trigonometric_factors(root: Expr) -> list[Factor]:
    """Trees whose product is the expression, a polynomial in sines and cosines; numbers and letters among them.
    `SizeError` where a sum on the way is too long."""
    simplifier = Simplifier()
    expansion = Expansion(root, simplifier.argument, ON_THE_WAY)
    top, bottom = expansion.quotient()
    assert bottom is None, "a quotient has no factors here"
    if not top:
        return [(tree_from_polynomial(top, expansion), 1)]
    constant, factors = _to_half_angles(top, len(expansion.coordinates)).factor()
    whole = _gather_odd([(factor, int(times)) for factor, times in factors], len(expansion.coordinates))
    back = [(_to_double_angles(factor, len(expansion.coordinates)), times) for factor, times in whole]
    back = [(expansion.reduce_circles(p, range(len(expansion.coordinates))), times) for p, times in back]
    # half angles leave quarters behind: every factor has whole coefficients, and the number in front takes the rest
    shares = [_content(p) for p, _ in back]
    number = expansion.ring.constant(reduce(mul, [share**times for share, (_, times) in zip(shares, back)], constant))
    back = [(p / share, times) for share, (p, times) in zip(shares, back)]
    return [(tree_from_polynomial(p, expansion), times) for p, times in [(number, 1), *back] if not p.is_one()]


def _to_half_angles(p: Poly, angles: int) -> Poly:
    """In u, v of every angle in place of its sine and cosine; every term of one degree in each pair."""
    ring = p.context()
    pairs = [(ring.gen(2 * k), ring.gen(2 * k + 1)) for k in range(angles)]
    # homogeneous in each pair: factors are unique only then
    most = [max(e[2 * k] + e[2 * k + 1] for e in p.to_dict()) for k in range(angles)]
    total = ring.constant(0)
    for exponents, coefficient in p.to_dict().items():
        own = [0] * (2 * angles) + [int(e) for e in exponents[2 * angles :]]
        term = ring.from_dict({tuple(own): coefficient})
        for (u, v), s, c, degree in zip(pairs, exponents[0::2], exponents[1::2], most):
            term = term * (2 * u * v) ** int(s) * (u * u - v * v) ** int(c) * (u * u + v * v) ** int(degree - s - c)
        total = total + term
    return total


def _degree(p: Poly, k: int) -> int:
    """In u and v of one angle together: the same in every term."""
    exponents = next(iter(p.to_dict()))
    return int(exponents[2 * k] + exponents[2 * k + 1])


def _gather_odd(factors: Sequence[tuple[Poly, int]], angles: int) -> list[tuple[Poly, int]]:
    """Those of odd degree in the same angles as one; what then is still odd, altogether as one."""
    kinds: dict[tuple[int, ...], list[tuple[Poly, int]]] = defaultdict(list)
    for factor, power in factors:
        kinds[tuple(_degree(factor, k) % 2 for k in range(angles))].append((factor, power))
    even = kinds.pop((0,) * angles, [])
    products = [reduce(mul, [factor**times for factor, times in group]) for group in kinds.values()]
    rest = [p for p in products if any(_degree(p, k) % 2 for k in range(angles))]
    whole = [p for p in products if p not in rest]
    return [*even, *((p, 1) for p in whole), *([(reduce(mul, rest), 1)] if rest else [])]


def _to_double_angles(p: Poly, angles: int) -> Poly:
    """u² = (1 + c)/2, v² = (1 − c)/2, u v = s/2"""
    ring = context_of(p.context().nvars())
    total = ring.constant(0)
    for exponents, coefficient in p.to_dict().items():
        own = [0] * (2 * angles) + [int(e) for e in exponents[2 * angles :]]
        term = ring.from_dict({tuple(own): coefficient})
        for k in range(angles):
            u, v = int(exponents[2 * k]), int(exponents[2 * k + 1])
            s, c = ring.gen(2 * k), ring.gen(2 * k + 1)
            term = term * (1 + c) ** (u // 2) * (1 - c) ** (v // 2) * s ** (u % 2) / 2 ** ((u + v) // 2)
        total = total + term
    return total


def _content(p: Poly) -> fmpq:
    """What leaves coprime integers for coefficients when the polynomial is divided by it."""
    values = list(p.to_dict().values())
    return fmpq(gcd(*(int(x.p) for x in values)), lcm(*(int(x.q) for x in values)))
