"""log and pow of all lanes at once, in LLVM assembly.

    x = 2ᵏ·m, √½ ≤ m < √2      s = (m − 1)/(m + 1)      log x = k·ln 2 + 2s + s³·(2/3 + s²·R(s²))
    xʸ = e to the power of y·log x

The logarithm is a sum of two numbers, good to 2⁻⁶⁴ of itself, so that a product with a large y keeps its digits. The
error of log stays below 0.51 of a unit in the last place, that of pow below 0.8.
What has no logarithm is decided by comparisons at the end: no branch.
"""

from __future__ import annotations

from manipula.algebra.machine.arithmetic import Arithmetic, Double
from manipula.algebra.machine.exponential import LEAST, LN2, MOST, scaled_exponential

_INFINITY, _NAN = float("inf"), float("nan")
_SMALLEST = 2.0**-1022  # with all its digits
_ROOT_OF_HALF = 0x3FE6A09E667F3BCD  # the bits of √½
_ONE = 0x3FF << 52  # the bits of 1
_COUNT = 2.0**52  # + n has the lowest bits n
_TWO_THIRDS = float.fromhex("0x1.5555555555555p-1"), float.fromhex("0x1.5555555555555p-55")
# R(z) = (log((1 + s)/(1 − s)) − 2s − ⅔s³)/s⁵ at Chebyshev's points of z = s² ≤ (3 − √8)², error of log below 2⁻⁶⁶
_R = (
    0.4, 0.28571428571429364, 0.22222222221655885, 0.18181818335392802, 0.1538459496251843, 0.1333480469384731,
    0.11706236339491206, 0.11723178623876518,
)  # fmt: skip


def logarithm(a: Arithmetic, x: str) -> str:
    """log x; −∞ of zero, NaN below it."""
    value, _ = _log(a, x)
    value = a.choose(a.compare("oeq", x, 0.0), -_INFINITY, value)
    value = a.choose(a.compare("oeq", x, _INFINITY), _INFINITY, value)
    return a.choose(a.compare("oge", x, 0.0), value, _NAN)


def plain_logarithm(a: Arithmetic, x: str) -> str:
    """log of a positive number with all its digits, good to 2 units in the last place: half the work."""
    k, m = _parts(a, a.bits(x), _COUNT + 1023)
    s = a.div(a.sub(m, 1.0), a.add(m, 1.0))
    z = a.mul(s, s)
    tail = a.mul(a.mul(s, z), a.fma(z, a.polynomial(z, _R), _TWO_THIRDS[0]))
    return a.fma(k, LN2[0], a.fma(k, LN2[1], a.fma(2.0, s, tail)))


def power(a: Arithmetic, x: str, y: str) -> str:
    """xʸ; NaN where x < 0, 1 where y = 0 or x = 1."""
    h, low = _log(a, x)
    size, lost = a.product(y, h)
    far = a.compare("uge", a.abs(size), MOST - LEAST)
    lost = a.choose(far, 0.0, a.fma(y, low, lost))
    value = scaled_exponential(a, a.within(LEAST, size, MOST), lost)
    # 0, ∞ and what is raised to ∞ grow or vanish
    grows = a.unlike(a.compare("ogt", x, 1.0), a.compare("olt", y, 0.0))
    extreme = a.either(a.compare("oeq", x, 0.0), a.compare("oeq", x, _INFINITY))
    extreme = a.either(extreme, a.compare("oeq", a.abs(y), _INFINITY))
    value = a.choose(extreme, a.choose(grows, _INFINITY, 0.0), value)
    value = a.choose(a.either(a.compare("oeq", y, 0.0), a.compare("oeq", x, 1.0)), 1.0, value)
    value = a.choose(a.compare("oge", x, 0.0), value, _NAN)
    return a.choose(a.compare("ord", y, 0.0), value, _NAN)


def _log(a: Arithmetic, x: str) -> Double:
    """log of a positive number."""
    k, m = _split(a, x)
    # s, its square and the sum of the series, each with what its rounding lost
    top, bottom = a.sub(m, 1.0), a.add(m, 1.0)
    bottom_low = a.sub(m, a.sub(bottom, 1.0))
    s = a.div(top, bottom)
    s_low = a.div(a.sub(a.fma(a.neg(s), bottom, top), a.mul(s, bottom_low)), bottom)
    z, z_low = a.product(s, s)
    z_low = a.fma(a.mul(2.0, s), s_low, z_low)
    c, c_low = a.sum(_TWO_THIRDS[0], a.mul(z, a.polynomial(z, _R)))
    u, u_low = a.product(z, c)
    u_low = a.fma(z_low, c, a.fma(z, a.add(c_low, _TWO_THIRDS[1]), u_low))
    v, v_low = a.product(s, u)
    v_low = a.fma(s_low, u, a.fma(s, u_low, v_low))
    h, low = a.sum(a.mul(2.0, s), v)
    low = a.add(low, a.fma(2.0, s_low, v_low))
    # + k·ln 2, the larger of the two unless k = 0; its first product is exact
    h, rest = a.sum(a.mul(k, LN2[0]), h)
    return a.sum(h, a.add(rest, a.fma(k, LN2[1], low)))


def _split(a: Arithmetic, x: str) -> Double:
    """k, m"""
    tiny = a.compare("olt", x, _SMALLEST)
    bits = a.bits(a.choose(tiny, a.mul(x, 2.0**54), x))
    return _parts(a, bits, a.choose(tiny, _COUNT + 1023 + 54, _COUNT + 1023))


def _parts(a: Arithmetic, bits: str, zero: str | float) -> Double:
    """The same of the bits of a number with all its digits; `zero` is the count of k = 0."""
    exponent = a.whole("lshr", a.whole("add", bits, _ONE - _ROOT_OF_HALF), 52)  # k + 1023
    m = a.number(a.whole("add", a.whole("sub", bits, a.whole("shl", exponent, 52)), _ONE))
    count = a.number(a.whole("add", exponent, 0x433 << 52))  # k + 1023 + 2⁵²
    return a.sub(count, zero), m
