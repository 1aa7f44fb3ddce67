"""The same Coriolis matrix as `christoffel`, its sums carried inward: cheaper for long arms with full inertias.

C_ij = Σ_k b_ijk q̇_k, the symbols those of the efficient Lagrange algorithm, b_ijk = ω_j·XE_ik in frame k (i < k,
j ≤ k), the rest by their symmetries; but they are summed before they are multiplied out. With Ω_j = Σ_{a≤j} q̇_a ω_a,
the angular velocity of link j, and Y_i = Σ_{k>m} q̇_k XE_ik carried inward to frame m = max(i, j):

    C_ij = ω_j·Y_i + Ω_j·XE_ij                                              i < j    (all in frame j)
    C_ii = ω_i·Y_i
    C_ij = ω_j·(Y_i − Σ_{j<k<i} q̇_k XE_ki) − Ω_j·XE_ji                      i > j    (all in frame i)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manipula.mechanics.models.dynamics.bodies import OnJoints, Twist, on_joints
from manipula.mechanics.models.lagrange.efficient import bends, composites
from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.vector import NULL, Vector, add, dot, rotate, scale, sub

Bends = dict[tuple[int, int], Vector]


def coriolis_matrix(chain: Tree, q: Sequence[Any], qd: Sequence[Any]) -> list[list[Any]]:
    """C(q, q̇)"""
    seated, links, n = on_joints(chain, q), chain.links, range(chain.dof)
    rates = list(map(Link.signed, links, qd))
    twists = seated.twists()
    axes = [list(row.values()) for row in twists]
    XE = bends(composites(chain, seated), twists)
    Y = [carried_inward(seated, XE, rates, i) for i in n]
    C: list[list[Any]] = [[0] * chain.dof for _ in n]
    for m in n:
        above, left = column_above(XE, Y, axes[m], rates), row_left(XE, Y, axes[m], rates)
        for other in range(m):
            C[other][m], C[m][other] = above[other], left[other]
        C[m][m] = dot(axes[m][m].w, Y[m][m])
    return [[links[i].signed(links[j].signed(C[i][j])) for j in n] for i in n]


def carried_inward(seated: OnJoints, XE: Bends, rates: Sequence[Any], i: int) -> list[Vector]:
    """Y_i in the frames m = 0 … n−1 (those before i are not used)."""
    n, found = len(rates), [NULL]
    for k in range(n - 1, 0, -1):
        moved = add(found[-1], scale(rates[k], XE[i, k])) if i < k else NULL
        found.append(rotate(seated.chain.links[k].before.R, rotate(seated.motions[k].R, moved)))
    return found[::-1]


def column_above(XE: Bends, Y: Sequence[Sequence[Vector]], axes: Sequence[Twist], rates: Sequence[Any]) -> list[Any]:
    """C_im for i < m, the last of `axes` being m."""
    m = len(axes) - 1
    w = turning(axes, rates)[m]
    return [dot(axes[m].w, Y[i][m]) + dot(w, XE[i, m]) for i in range(m)]


def row_left(XE: Bends, Y: Sequence[Sequence[Vector]], axes: Sequence[Twist], rates: Sequence[Any]) -> list[Any]:
    """C_mj for j < m."""
    m, found = len(axes) - 1, []
    w, rest = turning(axes, rates), Y[m][m]
    for j in range(m - 1, -1, -1):
        found.append(dot(axes[j].w, rest) - dot(w[j], XE[j, m]))
        rest = sub(rest, scale(rates[j], XE[j, m]))
    return found[::-1]


def turning(axes: Sequence[Twist], rates: Sequence[Any]) -> list[Vector]:
    """Ω_0 … Ω_m in frame m."""
    total, found = NULL, []
    for axis, rate in zip(axes, rates):
        total = add(total, scale(rate, axis.w))
        found.append(total)
    return found
