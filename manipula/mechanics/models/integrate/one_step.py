"""One step of an integrator: x(t + h) from x(t) and a function that gives the rate of a state, over any scalar.

A state is a set of named vectors. What drives the system is held over the step. The methods of a few lines stand here:
Euler's, explicit and semi-implicit, and the classical one of Runge and Kutta; each names its source above its text.
Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., chapters I.7 and II.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from manipula.scalar import Scalar

# One step of an integrator: x(t + h) from x(t) and a function that gives the rate of a state, over any scalar.
#
# A state is a set of named vectors. What drives the system is held over the step. Integrators add up steps h k; where a
# step takes a state is for its `Advance` to say: positions of a robot move as its coordinates do.

State = Mapping[str, Sequence[Any]]
Rates = Callable[[State], State]
Advance = Callable[[State, State], State]  # a state and a step from there → the state where it ends
Step = Callable[[Rates, State, Any, Advance], State]


def over(h: Scalar, k: State) -> State:
    """The step h k."""
    return {name: [h * b for b in rates] for name, rates in k.items()}


def add(x: State, step: State) -> dict[str, list[Any]]:
    """x + step, entry by entry: how states advance that are numbers."""
    return {name: [a + b for a, b in zip(x[name], step[name], strict=True)] for name in x}


# Explicit Euler: order 1.
#
# Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., section I.7, eq. (7.3).


def euler(rate: Rates, x: State, h: Scalar, advance: Advance) -> State:
    # x⁺ = x + h f(x)
    return advance(x, over(h, rate(x)))


# Semi-implicit Euler: the velocities first, then the positions with the new velocities. Order 1.
#
# Source: Hairer, Lubich, Wanner, "Geometric Numerical Integration", 2nd ed., section I.1.2 ("symplectic Euler").
# It is symplectic in (q, p); in (q, q̇) only where the inertia matrix is constant.

VELOCITY = {"q": "qd", "motor": "motor_rate"}  # positions, and the state that is their rate


def semi_implicit(rate: Rates, x: State, h: Scalar, advance: Advance) -> State:
    # v⁺ = v + h f(q, v),  and so every state that is no position
    k = rate(x)
    new = advance(x, over(h, k))
    # q⁺ = q + h v⁺
    return advance(x, over(h, {**k, **{q: new[v] for q, v in VELOCITY.items() if q in x}}))


# The classical method of Runge and Kutta: order 4.
#
# Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., section II.1, table 1.2, left.


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
