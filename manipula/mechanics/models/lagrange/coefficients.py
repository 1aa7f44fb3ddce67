"""The coefficients of Lagrange's equations, and the symmetries that spare most of them.

    torque_i = Σ_j a_ij q̈_j + Σ_{j<k} 2 b_ijk q̇_j q̇_k + Σ_j b_ijj q̇_j² − g_i + P_i
    b_ijk = ½(∂a_ij/∂q_k + ∂a_ik/∂q_j − ∂a_jk/∂q_i)

A way to find them delivers a_ij for i ≤ j, b_ijk for i < k and j ≤ k, and g_i, all for joints counted along +z, where
joints i and j move the link of the last one: joints of different branches do not feel each other. The rest follows:

    a_ji = a_ij    b_ikj = b_ijk    b_kji = −b_ijk (j ≤ i < k)    b_iji = 0 (j ≤ i)
which leaves n(n²−1)/3 of the n³ symbols b_ijk to be computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from manipula.mechanics.robot.tree import Tree
from manipula.scalar import Scalar


@dataclass(frozen=True)
class LagrangeTerms:
    """A (n×n); COR (n × n(n−1)/2): b_ijk without its 2, columns 12 13 … 1n 23 …; CEN (n×n): b_ijj; GRA (n)."""

    A: list[list[Scalar]]
    COR: list[list[Scalar]]
    CEN: list[list[Scalar]]
    GRA: list[Scalar]


def pairs(n: int) -> list[tuple[int, int]]:
    """The columns of COR: (0, 1), (0, 2), …, (1, 2), …"""
    return [(j, k) for j in range(n) for k in range(j + 1, n)]


def lagrange_coefficients(
    chain: Tree, a: Callable[[int, int], Scalar], b: Callable[[int, int, int], Scalar], g: Callable[[int], Scalar]
) -> LagrangeTerms:
    """Every coefficient from the few that `a`, `b`, `g` compute, in the robot's own joint directions."""
    n, ways = chain.dof, [chain.support(k) for k in range(chain.dof)]
    upper = {(i, j): _signed(chain, a(i, j), i, j) for j in range(n) for i in ways[j]}
    few = {(i, j, k): _signed(chain, b(i, j, k), i, j, k) for k in range(n) for i in ways[k] if i != k for j in ways[k]}
    return LagrangeTerms(
        A=[[upper.get((min(i, j), max(i, j)), 0) for j in range(n)] for i in range(n)],
        COR=[[christoffel_symbol(few, i, j, k) for j, k in pairs(n)] for i in range(n)],
        CEN=[[christoffel_symbol(few, i, j, j) for j in range(n)] for i in range(n)],
        GRA=[_signed(chain, g(i), i) for i in range(n)],
    )


def christoffel_symbol(few: dict[tuple[int, int, int], Scalar], i: int, j: int, k: int) -> Scalar:
    """Any b_ijk from those with i < k, j ≤ k."""
    j, k = min(j, k), max(j, k)
    if i < k:
        return few.get((i, j, k), 0)
    return 0 if i == k else -few.get((k, j, i), 0)


def _signed(chain: Tree, x: Scalar, *joints: int) -> Scalar:
    """x times the directions of the joints it belongs to."""
    for i in joints:
        x = chain.links[i].signed(x)
    return x
