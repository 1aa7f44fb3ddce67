"""Forward dynamics through the inertia matrix: M q̈ = τ − (coriolis + gravity + friction − Jᵀ·wrench).

M = Lᵀ D L is factored from the tip inward, L unit lower triangular: no square roots, one division per joint. The
pivots D are the inertias each joint sees when the joints beyond it are free; all are positive if M is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manipula.mechanics.models.composite import inertia_matrix
from manipula.mechanics.models.torque import Wrench, inverse_dynamics
from manipula.mechanics.robot.chain import Chain
from manipula.mechanics.spatial.vector import dot


def forward_dynamics(
    chain: Chain, q: Sequence[Any], qd: Sequence[Any], tau: Sequence[Any], wrench: Wrench = None
) -> list[Any]:
    """q̈ under the motor torques `tau`."""
    bias = inverse_dynamics(chain, q, qd, [0] * chain.dof, wrench)
    return solve(inertia_matrix(chain, q), [t - b for t, b in zip(tau, bias, strict=True)])


def factored(M: Sequence[Sequence[Any]]) -> tuple[list[list[Any]], list[Any]]:
    """L (rows, below the diagonal) and D with M = Lᵀ D L."""
    n = len(M)
    work = [list(row) for row in M]
    L: list[list[Any]] = [[0] * n for _ in range(n)]
    for k in range(n - 1, -1, -1):
        for i in range(k - 1, -1, -1):
            L[k][i] = work[k][i] / work[k][k]
            for j in range(i + 1):
                work[i][j] = work[i][j] - L[k][i] * work[k][j]
    return L, [work[k][k] for k in range(n)]


def solve(M: Sequence[Sequence[Any]], right: Sequence[Any]) -> list[Any]:
    """x with M x = right, M symmetric."""
    (L, D), n = factored(M), len(M)
    y = list(right)
    for k in range(n - 1, -1, -1):  # Lᵀ y = right
        for i in range(k):
            y[i] = y[i] - L[k][i] * y[k]
    x: list[Any] = []
    for k in range(n):  # D L x = y
        x.append(y[k] / D[k] - dot(L[k][:k], x))
    return x
