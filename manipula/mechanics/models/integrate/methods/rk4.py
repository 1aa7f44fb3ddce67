"""The classical method of Runge and Kutta: order 4.

Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., section II.1, table 1.2, left.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from manipula.mechanics.models.integrate.methods.steps import Advance, Rates, State, over


def rk4(rate: Rates, x: State, h: Any, advance: Advance) -> State:
    half = h * Fraction(1, 2)
    # k₁ = f(x),  k₂ = f(x + h/2 k₁),  k₃ = f(x + h/2 k₂),  k₄ = f(x + h k₃)
    k1 = rate(x)
    k2 = rate(advance(x, over(half, k1)))
    k3 = rate(advance(x, over(half, k2)))
    k4 = rate(advance(x, over(h, k3)))
    # x⁺ = x + h/6 (k₁ + 2 k₂ + 2 k₃ + k₄)
    total = {name: [a + 2 * (b + c) + d for a, b, c, d in zip(k1[name], k2[name], k3[name], k4[name])] for name in x}
    return advance(x, over(h * Fraction(1, 6), total))
