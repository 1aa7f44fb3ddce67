"""exp and tanh of all lanes at once, in LLVM assembly.

    n = round(x/ln 2)      r = x − n·ln 2  (ln 2 in two pieces, the first product exact)      |r| ≤ ½ ln 2
    eˣ = 2ⁿ·(1 + r + r²·Q(r))          tanh x = t/(t + 2),  t = e²ˣ − 1 = 2ⁿ·(r + r²·Q(r)) + (2ⁿ − 1)

r, t and the quotient carry their rounding errors along. The error of exp is below 0.7 of a unit in the last place, or
0.8 where the result is denormal, that of tanh below 0.95. Infinities, NaN and zeros of either sign need no branch.
"""

from __future__ import annotations

from manipula.algebra.machine.arithmetic import SHIFT, Arithmetic, Double

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
    n, (r, e) = _reduced(a, x, low)
    one, rest = a.sum(1.0, r)
    y = a.add(one, a.add(rest, a.fma(a.mul(r, r), a.polynomial(r, _Q), e)))
    # in two steps, as 2ⁿ itself may be no number; only the second can round
    half = a.fma(n, 0.5, SHIFT)
    other = a.add(a.sub(n, a.sub(half, SHIFT)), SHIFT)
    return a.mul(a.mul(y, a.power_of_two(half)), a.power_of_two(other))


def hyperbolic_tangent(a: Arithmetic, x: str) -> str:
    """tanh x; odd, so that −0 stays."""
    size = a.abs(x)
    size = a.choose(a.compare("ogt", size, FLAT), FLAT, size)
    t, t_low = _less_one(a, a.mul(2.0, size))
    d, d_low = a.any_sum(t, 2.0)
    q = a.div(t, d)
    # what the quotient misses: t + t_low − q·(d + d_low + t_low)
    missing = a.add(a.fma(a.neg(q), d, t), a.sub(t_low, a.mul(q, a.add(d_low, t_low))))
    return a.signed(a.add(q, a.div(missing, d)), x)


def _less_one(a: Arithmetic, x: str) -> Double:
    """eˣ − 1, x ≥ 0, and what its rounding lost."""
    n, (r, e) = _reduced(a, x, None)
    p, p_low = a.sum(r, a.fma(a.mul(r, r), a.polynomial(r, _Q), e))
    scale = a.power_of_two(a.add(n, SHIFT))
    h, low = a.any_sum(a.sub(scale, 1.0), a.mul(scale, p))
    return h, a.fma(scale, p_low, low)


def _reduced(a: Arithmetic, x: str, low: str | None) -> tuple[str, Double]:
    """n, and r with its rounding error."""
    n = a.sub(a.fma(x, _OVER_LN2, SHIFT), SHIFT)
    minus = a.neg(n)
    first = a.fma(minus, LN2[0], x)  # exact
    r = a.fma(minus, LN2[1], first)
    e = a.fma(minus, LN2[1], a.sub(first, r))
    return n, ((r, e) if low is None else a.sum(r, a.add(e, low)))
