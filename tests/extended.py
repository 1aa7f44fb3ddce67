"""Arms over 80-bit floats: the plain recursion, integrated by extrapolation. Slow, and far below a double's rounding.

Nothing of what is compared with it is used: no expressions, no code, no step of the package. On a machine whose long
double is a double (Windows, some ARM) there is nothing to gain: `WIDE` says so.

Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., section II.9: the midpoint rule
with n = 2, 4, 6, … steps, extrapolated in h²; Walker and Orin's method 3 for the accelerations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from manipula.mechanics.models.dynamics.inertia_inverse import forward_dynamics
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.scalar import OPS, Maths

LONG = np.longdouble
WIDE = bool(np.finfo(LONG).eps < 1e-18)
COLUMNS = 8  # of the extrapolation: order 16


class LongMaths(Maths[Any]):
    """`Maths` over 80-bit floats, as far as an arm needs it."""

    def number(self, value: Fraction) -> Any:
        return LONG(str(value.numerator)) / LONG(str(value.denominator))

    def degrees(self, value: Fraction) -> Any:
        return self.number(value) / 180 * LONG("3.14159265358979323846264338327950288")

    def apply(self, name: str, *args: Any) -> Any:
        return getattr(np, OPS[name].word("numpy"))(*args)


def rate_of(robot: RobotDescription) -> Callable[[Any], Any]:
    """d/dt (q, q̇) of an arm that falls free."""
    chain, n = merge_fixed(bind(robot, LongMaths(), {})), robot.dof
    still = [LONG(0)] * n

    def rate(x: Any) -> Any:
        return np.array([*x[n:], *forward_dynamics(chain, list(x[:n]), list(x[n:]), still)], dtype=LONG)

    return rate


def falling(robot: RobotDescription, q: Sequence[float], seconds: float, steps: int) -> Any:
    """(q, q̇) after so many seconds, from rest."""
    rate, x = rate_of(robot), np.array([*q, *[0.0] * robot.dof], dtype=LONG)
    for _ in range(steps):
        x = _extrapolated(rate, x, LONG(seconds) / steps)
    return x


def _extrapolated(rate: Callable[[Any], Any], x: Any, step: Any) -> Any:
    first, row = rate(x), list[Any]()
    for j in range(1, COLUMNS + 1):
        # T_j1, then T_jk = T_j,k−1 + (T_j,k−1 − T_j−1,k−1)/((n_j/n_j−k+1)² − 1)
        new = [_midpoint(rate, x, first, step, 2 * j)]
        for k, old in enumerate(row, start=1):
            new.append(new[-1] + (new[-1] - old) / ((LONG(j) / (j - k)) ** 2 - 1))
        row = new
    return row[-1]


def _midpoint(rate: Callable[[Any], Any], x: Any, first: Any, step: Any, count: int) -> Any:
    """Gragg: y₁ = x + h f, y_{m+1} = y_{m−1} + 2 h f(y_m)."""
    h = step / count
    before, now = x, x + h * first
    for _ in range(count - 1):
        before, now = now, before + 2 * h * rate(now)
    return now
