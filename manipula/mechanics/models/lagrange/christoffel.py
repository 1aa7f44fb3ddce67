"""The Coriolis matrix by Christoffel symbols: C_ij = Σ_k b_ijk q̇_k. With this C, Ṁ − 2C is skew-symmetric.

Source: Siciliano, Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), section 7.2.1, eqs.
(7.44), (7.45).
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.mechanics.models.lagrange.coefficients import LagrangeTerms, pairs, terms
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.vector import dot
from manipula.scalar import Scalar


def coriolis_matrix(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[list[Scalar]]:
    """C(q, q̇)"""
    b = christoffel_symbols(terms(chain, q))
    return [[dot(row, qd) for row in plane] for plane in b]


def christoffel_symbols(found: LagrangeTerms) -> list[list[list[Scalar]]]:
    """b[i][j][k], symmetric in j and k, from the columns of COR and CEN."""
    n = len(found.GRA)
    column = {pair: c for c, pair in enumerate(pairs(n))}
    return [
        [
            [found.CEN[i][j] if j == k else found.COR[i][column[min(j, k), max(j, k)]] for k in range(n)]
            for j in range(n)
        ]
        for i in range(n)
    ]
