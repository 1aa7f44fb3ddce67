"""The arm's inertia as its tool feels it: J M⁻¹ Jᵀ, and its inverse Λ.

With ẍ = J q̈ + J̇ q̇ and τ = Jᵀ F, a force F on the tool of an arm at rest and without weight accelerates it by

    ẍ = Λ⁻¹ F        Λ⁻¹ = J M⁻¹ Jᵀ        Λ = (J M⁻¹ Jᵀ)⁻¹

Λ⁻¹ exists wherever M does and is singular where J is; Λ only where the tool moves in all six directions. With the
factors M = Lᵀ D L no inverse of M is formed:

    Λ⁻¹ = Yᵀ D⁻¹ Y        Lᵀ Y = Jᵀ

Source: O. Khatib, A unified approach for motion and force control of robot manipulators: the operational space
formulation, IEEE J. of Robotics and Automation 3(1), 1987, eq. 21 (Λ = J⁻ᵀ M J⁻¹) and 51 (redundant arms).
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver, inverted
from manipula.mechanics.spatial.vector import sum_of
from manipula.scalar import Scalar

Rows = list[list[Scalar]]


def mobility(J: Sequence[Sequence[Scalar]], M: Sequence[Sequence[Scalar]]) -> Rows:
    """Λ⁻¹ = Yᵀ D⁻¹ Y (6×6), rows and columns as in the Jacobian."""
    solver = InertiaSolver(M)
    Y = [solver.halfway(row) for row in J]  # row i of J is column i of Jᵀ
    scaled = [[y * d for y, d in zip(row, solver.inverse)] for row in Y]
    lower = [[sum_of([a * b for a, b in zip(scaled[i], Y[j])]) for j in range(i + 1)] for i in range(len(Y))]
    return [[lower[max(i, j)][min(i, j)] for j in range(len(Y))] for i in range(len(Y))]


def inertia(J: Sequence[Sequence[Scalar]], M: Sequence[Sequence[Scalar]]) -> Rows:
    """Λ (6×6); an arm whose tool has fewer than six freedoms has none."""
    return inverted(mobility(J, M))
