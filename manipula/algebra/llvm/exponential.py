"""exp and tanh of all lanes at once, in LLVM assembly.

    n = round(x/ln 2)      r = x − n·ln 2  (ln 2 in two pieces, the first product exact)      |r| ≤ ½ ln 2
    eˣ = 2ⁿ·(1 + r + r²·Q(r))          tanh x = t/(t + 2),  t = e²ˣ − 1 = 2ⁿ·(r + r²·Q(r)) + (2ⁿ − 1)

r, t and the quotient carry their rounding errors along. The error of exp is below 0.7 of a unit in the last place, or
0.8 where the result is denormal, that of tanh below 0.95. Infinities, NaN and zeros of either sign need no branch.
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.algebra.llvm.sincos import polynomial
from manipula.algebra.llvm.writer import Kind, Writer

# Arithmetic of all lanes at once, as LLVM assembly: for texts of elementary functions.
#
# Values are of one kind in double precision, numbers stand in every lane. No instruction looks at another lane and none
# branches, so that one lane and many give the same bits.

SHIFT = 6755399441055744.0  # 1.5·2⁵²: adding it rounds to a whole number, which its lowest bits then spell
Double = tuple[str, str]  # h + l, l less than half a unit in the last place of h


class Arithmetic:
    """What a formula is written with; a number or a value may stand anywhere."""

    def __init__(self, w: Writer, kind: Kind) -> None:
        self.w, self.k = w, kind

    def value(self, x: str | float) -> str:
        return x if isinstance(x, str) else self.k.literal(x)

    def _binary(self, name: str, x: str | float, y: str | float) -> str:
        return self.w.let(f"{name} {self.k.text} {self.value(x)}, {self.value(y)}")

    def add(self, x: str | float, y: str | float) -> str:
        return self._binary("fadd", x, y)

    def sub(self, x: str | float, y: str | float) -> str:
        return self._binary("fsub", x, y)

    def mul(self, x: str | float, y: str | float) -> str:
        return self._binary("fmul", x, y)

    def div(self, x: str | float, y: str | float) -> str:
        return self._binary("fdiv", x, y)

    def fma(self, x: str | float, y: str | float, z: str | float) -> str:
        """x·y + z, rounded once"""
        return self.w.let(self.w.intrinsic("fma", self.k, *map(self.value, (x, y, z))))

    def neg(self, x: str) -> str:
        return self.w.let(f"fneg {self.k.text} {x}")

    def abs(self, x: str) -> str:
        return self.w.let(self.w.intrinsic("fabs", self.k, x))

    def copy_sign(self, x: str, sign: str) -> str:
        """x with the sign of another."""
        return self.w.let(self.w.intrinsic("copysign", self.k, x, sign))

    def polynomial(self, x: str, coefficients: Sequence[float]) -> str:
        return polynomial(self.w, self.k, x, coefficients)

    # choices

    def compare(self, how: str, x: str | float, y: str | float) -> str:
        """LLVM's comparisons: olt, ogt, oeq … are false for NaN"""
        return self._binary(f"fcmp {how}", x, y)

    def either(self, a: str, b: str) -> str:
        return self.w.let(f"or {self.k.test} {a}, {b}")

    def unlike(self, a: str, b: str) -> str:
        return self.w.let(f"xor {self.k.test} {a}, {b}")

    def choose(self, test: str, yes: str | float, no: str | float) -> str:
        k = self.k
        return self.w.let(f"select {k.test} {test}, {k.text} {self.value(yes)}, {k.text} {self.value(no)}")

    def within(self, low: float, x: str, high: float) -> str:
        """x, or the nearest of the bounds; NaN stays."""
        x = self.choose(self.compare("olt", x, low), low, x)
        return self.choose(self.compare("ogt", x, high), high, x)

    # bits

    def bits(self, x: str) -> str:
        return self.w.let(f"bitcast {self.k.text} {x} to {self.k.bits}")

    def number(self, bits: str) -> str:
        return self.w.let(f"bitcast {self.k.bits} {bits} to {self.k.text}")

    def whole(self, name: str, bits: str, number: int | str) -> str:
        """An operation of integers: add, sub, and, shl, lshr."""
        right = number if isinstance(number, str) else self.k.whole(number)
        return self.w.let(f"{name} {self.k.bits} {bits}, {right}")

    def power_of_two(self, shifted: str) -> str:
        """2ⁿ, |n| ≤ 1022, of a whole number n to which SHIFT was added."""
        exponent = self.whole("shl", self.bits(shifted), 52)
        return self.number(self.whole("add", exponent, 0x3FF << 52))

    # sums of two numbers with what their rounding lost

    def sum(self, x: str | float, y: str | float) -> Double:
        """x + y, |x| ≥ |y| or x = 0"""
        h = self.add(x, y)
        return h, self.add(self.sub(x, h), y)

    def any_sum(self, x: str | float, y: str | float) -> Double:
        """x + y, whichever is larger."""
        h = self.add(x, y)
        part = self.sub(h, x)
        return h, self.add(self.sub(x, self.sub(h, part)), self.sub(y, part))

    def product(self, x: str | float, y: str | float) -> Double:
        h = self.mul(x, y)
        return h, self.fma(x, y, self.neg(h))


_OVER_LN2 = float.fromhex("0x1.71547652b82fep+0")  # 1/ln 2
# ln 2 = first + second; the first has 42 bits, so that its product with n is exact
LN2 = float.fromhex("0x1.62e42fefa3800p-1"), float.fromhex("0x1.ef35793c76730p-45")
# Q(r) = (eʳ − 1 − r)/r² at Chebyshev's points of |r| ≤ ½ ln 2, relative error of eʳ below 2⁻⁶¹
_Q = (
    0.5, 0.1666666666666667, 0.04166666666666667, 0.008333333333326136, 0.0013888888888883748, 0.00019841269874820627,
    2.4801587325547743e-05, 2.7557255400206422e-06, 2.75572736431103e-07, 2.5105217004720745e-08,
    2.0914686968086876e-09,
)  # fmt: skip
LEAST, MOST = -746.0, 710.0  # beyond these eˣ is 0, infinite
FLAT = 22.0  # beyond this tanh is 1


def exponential(a: Arithmetic, x: str) -> str:
    """eˣ"""
    return scaled_exponential(a, a.within(LEAST, x, MOST), None)


def scaled_exponential(a: Arithmetic, x: str, low: str | None) -> str:
    """e to the power of x + low, LEAST ≤ x ≤ MOST, low at most a unit in the last place of x."""
    n, (r, e) = _reduce_argument(a, x, low)
    one, rest = a.sum(1.0, r)
    y = a.add(one, a.add(rest, a.fma(a.mul(r, r), a.polynomial(r, _Q), e)))
    # in two steps, as 2ⁿ itself may be no number; only the second can round
    half = a.fma(n, 0.5, SHIFT)
    other = a.add(a.sub(n, a.sub(half, SHIFT)), SHIFT)
    return a.mul(a.mul(y, a.power_of_two(half)), a.power_of_two(other))


def hyperbolic_tangent(a: Arithmetic, x: str) -> str:
    """tanh x; odd, so that −0 stays."""
    size = a.abs(x)
    # a comparison with NaN is false, so NaN passes; infinity becomes FLAT, where tanh is 1 already
    size = a.choose(a.compare("ogt", size, FLAT), FLAT, size)
    # e²ˣ − 1 keeps its digits near 0, where e²ˣ itself would lose them
    t, t_low = _less_one(a, a.mul(2.0, size))
    d, d_low = a.any_sum(t, 2.0)
    q = a.div(t, d)
    # what the quotient misses: t + t_low − q·(d + d_low + t_low)
    missing = a.add(a.fma(a.neg(q), d, t), a.sub(t_low, a.mul(q, a.add(d_low, t_low))))
    return a.copy_sign(a.add(q, a.div(missing, d)), x)


def _less_one(a: Arithmetic, x: str) -> Double:
    """eˣ − 1, x ≥ 0, and what its rounding lost."""
    n, (r, e) = _reduce_argument(a, x, None)
    p, p_low = a.sum(r, a.fma(a.mul(r, r), a.polynomial(r, _Q), e))
    scale = a.power_of_two(a.add(n, SHIFT))
    # 2ⁿ − 1 is exact up to n = 53, and the 1 no longer counts beyond
    h, low = a.any_sum(a.sub(scale, 1.0), a.mul(scale, p))
    return h, a.fma(scale, p_low, low)


def _reduce_argument(a: Arithmetic, x: str, low: str | None) -> tuple[str, Double]:
    """n, and r with its rounding error."""
    # rounding by adding and taking away SHIFT: an instruction that every machine has, in all lanes
    n = a.sub(a.fma(x, _OVER_LN2, SHIFT), SHIFT)
    minus = a.neg(n)
    first = a.fma(minus, LN2[0], x)  # exact
    r = a.fma(minus, LN2[1], first)
    e = a.fma(minus, LN2[1], a.sub(first, r))
    return n, ((r, e) if low is None else a.sum(r, a.add(e, low)))


# log and pow of all lanes at once, in LLVM assembly.
#
#     x = 2ᵏ·m, √½ ≤ m < √2      s = (m − 1)/(m + 1)      log x = k·ln 2 + 2s + s³·(2/3 + s²·R(s²))
#     xʸ = e to the power of y·log x
#
# The logarithm is a sum of two numbers, good to 2⁻⁶⁴ of itself, so that a product with a large y keeps its digits. The
# error of log stays below 0.51 of a unit in the last place, that of pow below 0.8.
# What has no logarithm is decided by comparisons at the end: no branch.

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
    # m − 1 is exact near 1, where log cancels; s is small on both sides of it
    s = a.div(a.sub(m, 1.0), a.add(m, 1.0))
    z = a.mul(s, s)
    tail = a.mul(a.mul(s, z), a.fma(z, a.polynomial(z, _R), _TWO_THIRDS[0]))
    return a.fma(k, LN2[0], a.fma(k, LN2[1], a.fma(2.0, s, tail)))


def power(a: Arithmetic, x: str, y: str) -> str:
    """xʸ; NaN where x < 0, 1 where y = 0 or x = 1."""
    h, low = _log(a, x)
    size, lost = a.product(y, h)
    far = a.compare("uge", a.abs(size), MOST - LEAST)
    # so far out the result is 0 or ∞, and the lost part ∞ − ∞
    lost = a.choose(far, 0.0, a.fma(y, low, lost))
    value = scaled_exponential(a, a.within(LEAST, size, MOST), lost)
    # 0, ∞ and what is raised to ∞ grow or vanish
    grows = a.unlike(a.compare("ogt", x, 1.0), a.compare("olt", y, 0.0))
    extreme = a.either(a.compare("oeq", x, 0.0), a.compare("oeq", x, _INFINITY))
    extreme = a.either(extreme, a.compare("oeq", a.abs(y), _INFINITY))
    value = a.choose(extreme, a.choose(grows, _INFINITY, 0.0), value)
    # IEEE 754 has pow(NaN, 0) = 1; the two lines below make it NaN again, as everywhere here
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
    # denormal numbers have no exponent of their own: scaled first, counted back below
    bits = a.bits(a.choose(tiny, a.mul(x, 2.0**54), x))
    return _parts(a, bits, a.choose(tiny, _COUNT + 1023 + 54, _COUNT + 1023))


def _parts(a: Arithmetic, bits: str, zero: str | float) -> Double:
    """The same of the bits of a number with all its digits; `zero` is the count of k = 0."""
    # the sum carries into the exponent exactly where m would reach √2
    exponent = a.whole("lshr", a.whole("add", bits, _ONE - _ROOT_OF_HALF), 52)  # k + 1023
    m = a.number(a.whole("add", a.whole("sub", bits, a.whole("shl", exponent, 52)), _ONE))
    count = a.number(a.whole("add", exponent, 0x433 << 52))  # k + 1023 + 2⁵²
    return a.sub(count, zero), m
