"""Semi-implicit Euler: the velocities first, then the positions with the new velocities. Order 1.

Source: Hairer, Lubich, Wanner, "Geometric Numerical Integration", 2nd ed., section I.1.2 ("symplectic Euler").
It is symplectic in (q, p); in (q, q̇) only where the inertia matrix is constant.
"""

from __future__ import annotations

from typing import Any

from manipula.mechanics.models.integrate.methods.steps import Advance, Rates, State, over

VELOCITY = {"q": "qd", "motor": "motor_rate"}  # positions, and the state that is their rate


def semi_implicit(rate: Rates, x: State, h: Any, advance: Advance) -> State:
    # v⁺ = v + h f(q, v),  and so every state that is no position
    k = rate(x)
    new = advance(x, over(h, k))
    # q⁺ = q + h v⁺
    return advance(x, over(h, {**k, **{q: new[v] for q, v in VELOCITY.items() if q in x}}))
