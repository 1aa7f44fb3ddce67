"""The method of Gauss with two stages: order 4.

    k_i = f(x + h Σ_j a_ij k_j),    x⁺ = x + h/2 (k₁ + k₂),    A = ( 1/4      1/4 − r )
                                                                   ( 1/4 + r  1/4     ),    r = √3/6

Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., section II.7 (the method, and
the stages by iteration); Hairer, Lubich, Wanner, "Geometric Numerical Integration", 2nd ed., section II.1.3. With its
stages solved it is symmetric, and symplectic in (q, p); in (q, q̇) only where the inertia matrix is constant.

The stages come by a fixed number of sweeps from k = f(x), in each both anew: one straight line, 1 + 2·SWEEPS rates a
step. A sweep gains an order: three make order 4, and the fourth leaves h⁶ of the way to the solved stages.

Sweeps converge where h L < 1/‖A‖_∞ = 1.27, L being the Lipschitz constant of f; near a rest where h |λ| < √12 = 3.46,
λ being the eigenvalues of f′, for those of A have the size 1/√12. A step is stable up to h λ = −3.55 and ±3.46 i (RK4:
−2.79 and ±2.83 i). The method with its stages solved is stable for every λ in the left half-plane; this is not, and a
law that is stiffer wants a shorter step. What it gains is the error, and the energy of an arm that swings for long: in
a step an oscillator of frequency ω loses (hω)⁸/3456 of its amplitude, with RK4 (hω)⁶/144.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Any

from manipula.mechanics.models.integrate.steps import Rates, State, along

SWEEPS = 4
DIGITS = 10**20
R = Fraction(isqrt(DIGITS**2 // 12), DIGITS)  # √3/6 = √(1/12), closer than a double can tell
QUARTER = Fraction(1, 4)


def gauss4(rate: Rates, x: State, h: Any) -> State:
    k1 = k2 = rate(x)
    for _ in range(SWEEPS):
        # g₁ = x + h (1/4 k₁ + (1/4 − r) k₂),  g₂ = x + h ((1/4 + r) k₁ + 1/4 k₂),  k_i = f(g_i)
        first, second = _mixed(k1, QUARTER, k2, QUARTER - R), _mixed(k1, QUARTER + R, k2, QUARTER)
        k1, k2 = rate(along(x, h, first)), rate(along(x, h, second))
    # x⁺ = x + h/2 (k₁ + k₂)
    return along(x, h, _mixed(k1, Fraction(1, 2), k2, Fraction(1, 2)))


def _mixed(k1: State, a: Fraction, k2: State, b: Fraction) -> State:
    """a k₁ + b k₂"""
    return {name: [a * one + b * two for one, two in zip(k1[name], k2[name], strict=True)] for name in k1}
