"""Explicit Euler: order 1.

Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., section I.7, eq. (7.3).
"""

from __future__ import annotations

from typing import Any

from manipula.mechanics.models.integrate.methods.steps import Rates, State, along


def euler(rate: Rates, x: State, h: Any) -> State:
    # x⁺ = x + h f(x)
    return along(x, h, rate(x))
