"""Explicit Euler: order 1.

Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., section I.7, eq. (7.3).
"""

from __future__ import annotations

from typing import Any

from manipula.mechanics.models.integrate.methods.steps import Advance, Rates, State, over


def euler(rate: Rates, x: State, h: Any, advance: Advance) -> State:
    # x⁺ = x + h f(x)
    return advance(x, over(h, rate(x)))
