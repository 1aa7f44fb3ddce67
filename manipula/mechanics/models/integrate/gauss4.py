"""The method of Gauss with two stages: order 4, stable however stiff a law or a spring is.

    k_i = f(x + h Σ_j a_ij k_j),    x⁺ = x + h/2 (k₁ + k₂),    A = ( 1/4      1/4 − r )
                                                                   ( 1/4 + r  1/4     ),    r = √3/6

Source: Hairer, Wanner, "Solving Ordinary Differential Equations II", 2nd ed., sections IV.5 (the method, and that it is
stable for every λ in the left half-plane) and IV.8 (the stages by simplified Newton iterations); Hairer, Lubich,
Wanner, "Geometric Numerical Integration", 2nd ed., section II.1.3: it is symmetric, and symplectic in (q, p); in (q, q̇)
only where the inertia matrix is constant.

The stages come by a fixed number of iterations from k = f(x),

    (I − h A ⊗ S) Δk = f(g) − k          g_i = x + h Σ_j a_ij k_j

with S the stiff part of f′ at x (`stiffness`). What S leaves out, weight and Coriolis forces, makes an iteration gain
an order only: three make order 4, and the fourth leaves h⁶ of the way to the solved stages. What is linear and in S, a
spring or a gain, is solved by the first. How far the last one moved a stage is told as `unsolved`.

The matrix is eliminated without exchanging rows: positions first, whose pivots are 1, then the rest stage by stage. For
the springs K and dampers D of an inertia M those pivots are M + h/4 D + h²/24 K and what follows, never zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import Any, NamedTuple

from manipula.mechanics.models.integrate.one_step import VELOCITY, Advance, Rates, State, over
from manipula.mechanics.spatial.inertia import reciprocal
from manipula.scalar import Maths, Scalar

SWEEPS = 4
DIGITS = 10**20
R = Fraction(isqrt(DIGITS**2 // 12), DIGITS)  # √3/6 = √(1/12), closer than a double can tell
QUARTER = Fraction(1, 4)
A = ((QUARTER, QUARTER - R), (QUARTER + R, QUARTER))
Rows = Sequence[Sequence[Scalar]]


class Solved(NamedTuple):
    """The state after a step, and the largest way of a stage in the last iteration."""

    state: State
    unsolved: Scalar


def gauss4(maths: Maths[Scalar], rate: Rates, slopes: Rows, x: State, h: Scalar, advance: Advance) -> Solved:
    k1 = k2 = rate(x)
    newton = Stages(maths, slopes, x, h)
    moved: list[Scalar] = []
    for _ in range(SWEEPS):
        # g₁ = x + h (1/4 k₁ + (1/4 − r) k₂),  g₂ = x + h ((1/4 + r) k₁ + 1/4 k₂)
        g1, g2 = (advance(x, over(h, _combine(k1, row[0], k2, row[1]))) for row in A)
        # Δk = (I − h A ⊗ S)⁻¹ (f(g) − k)
        d1, d2 = newton(_difference(rate(g1), k1), _difference(rate(g2), k2))
        k1, k2 = _combine(k1, 1, d1, 1), _combine(k2, 1, d2, 1)
        moved = [h * change for d in (d1, d2) for changes in d.values() for change in changes]
    # x⁺ = x + h/2 (k₁ + k₂)
    half = Fraction(1, 2)
    return Solved(advance(x, over(h, _combine(k1, half, k2, half))), _largest(maths, moved))


class Stages:
    """Δk of both stages for what is left of both."""

    def __init__(self, maths: Maths[Scalar], slopes: Rows, x: State, h: Scalar) -> None:
        self._maths = maths
        self._places = [(name, i) for name, values in x.items() for i in range(len(values))]
        first = [i for i, (name, _) in enumerate(self._places) if name in VELOCITY]
        others = [i for i, (name, _) in enumerate(self._places) if name not in VELOCITY]
        self._order = [(s, i) for part in (first, others) for s in (0, 1) for i in part]
        hA = [[h * a for a in row] for row in A]
        matrix = [
            [int((s, i) == (t, j)) - _product(hA[s][t], slopes[i][j]) for t, j in self._order] for s, i in self._order
        ]
        self._upper, self._lower, self._inverse = _factorise_sparse(maths, matrix)

    def __call__(self, *left: State) -> list[dict[str, list[Scalar]]]:
        y = [left[s][self._places[i][0]][self._places[i][1]] for s, i in self._order]
        for k, rows in enumerate(self._lower):
            for i, share in rows:
                y[i] = y[i] - share * y[k]
        for k in range(len(y) - 1, -1, -1):
            rest = y[k]
            for j, entry in self._upper[k]:
                rest = rest - entry * y[j]
            y[k] = rest * self._inverse[k]
        found = dict(zip(self._order, y))
        return [
            self._state_from_flat([self._maths.apart(found[s, i]) for i in range(len(self._places))]) for s in (0, 1)
        ]

    def _state_from_flat(self, flat: Sequence[Scalar]) -> dict[str, list[Scalar]]:
        state: dict[str, list[Scalar]] = {}
        for (name, _), value in zip(self._places, flat, strict=True):
            state.setdefault(name, []).append(value)
        return state


Sparse = list[list[tuple[int, Scalar]]]  # of every row, or column, the entries that are not nothing, and where


def _factorise_sparse(maths: Maths[Scalar], matrix: Sequence[Sequence[Scalar]]) -> tuple[Sparse, Sparse, list[Scalar]]:
    """U by rows, L by columns, both without their diagonals, and the inverses of the pivots."""
    work, inverse = [list(row) for row in matrix], list[Scalar]()
    lower: Sparse = []
    for k in range(len(work)):
        inverse.append(_alone(maths, reciprocal(work[k][k])))
        shares = [(i, _alone(maths, work[i][k] * inverse[k])) for i in range(k + 1, len(work)) if _some(work[i][k])]
        for i, share in shares:
            for j in range(k + 1, len(work)):
                work[i][j] = work[i][j] - _product(share, work[k][j])
        lower.append(shares)
    upper = [[(j, row[j]) for j in range(k + 1, len(row)) if _some(row[j])] for k, row in enumerate(work)]
    return upper, lower, inverse


def _alone(maths: Maths[Scalar], x: Scalar) -> Scalar:
    """As a value of its own, so that degrees do not double from pivot to pivot."""
    return x if isinstance(x, int | Fraction) else maths.apart(x)


def _some(x: Scalar) -> bool:
    return not (isinstance(x, int) and x == 0)


def _product(a: Scalar, b: Scalar) -> Scalar:
    """A structural zero stays one."""
    return a * b if _some(b) else 0


def _combine(k1: State, a: Fraction | int, k2: State, b: Fraction | int) -> dict[str, list[Scalar]]:
    """a k₁ + b k₂"""
    return {name: [a * one + b * two for one, two in zip(k1[name], k2[name], strict=True)] for name in k1}


def _difference(a: State, b: State) -> dict[str, list[Scalar]]:
    return {name: [one - two for one, two in zip(a[name], b[name], strict=True)] for name in a}


def _largest(maths: Maths[Scalar], values: Sequence[Scalar]) -> Any:
    worst: Any = None
    for x in values:
        size = maths.abs(x)
        worst = size if worst is None else maths.maximum(worst, size)
    return worst
