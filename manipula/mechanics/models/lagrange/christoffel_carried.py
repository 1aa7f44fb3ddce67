"""The same Coriolis matrix as `christoffel`, its sums carried inward: cheaper for long arms with full inertias.

C_ij = Σ_k b_ijk q̇_k, the symbols those of the efficient Lagrange algorithm, b_ijk = ω_j·XE_ik in frame k (i < k,
j ≤ k), the rest by their symmetries; but they are summed before they are multiplied out. With Ω_j = Σ_{a≤j} q̇_a ω_a,
the angular velocity of link j, and Y_i = Σ_{k>m} q̇_k XE_ik carried inward to frame m = max(i, j), where a < b says that
joint a moves the link that b stands on; joints of different branches have no symbol in common:

    C_ij = ω_j·Y_i + Ω_j·XE_ij                                              i < j    (all in frame j)
    C_ii = ω_i·Y_i
    C_ij = ω_j·(Y_i − Σ_{j<k<i} q̇_k XE_ki) − Ω_j·XE_ji                      i > j    (all in frame i)

Derived here from the symbols of `efficient`: sums over k are exchanged with the walk inward.
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.mechanics.models.dynamics.bodies import OnJoints, Twists, on_joints
from manipula.mechanics.models.lagrange.coefficients import bends, composites
from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import NULL, Vector, add, dot, rotate, scale, sub
from manipula.scalar import Scalar

Bends = dict[tuple[int, int], Vector]


def coriolis_matrix(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[list[Scalar]]:
    """C(q, q̇)"""
    frames, links, n = on_joints(chain, q), chain.links, range(chain.dof)
    rates, axes = list(map(Link.along_z, links, qd)), frames.twists()
    XE = bends(composites(chain, frames), axes)
    Y = [carried_inward(frames, XE, rates, i) for i in n]
    C: list[list[Scalar]] = [[0] * chain.dof for _ in n]
    for m in n:
        above, left = column_above(XE, Y, axes[m], rates), row_left(XE, Y, axes[m], rates)
        for other in above:
            C[other][m], C[m][other] = above[other], left[other]
        C[m][m] = dot(axes[m][m].w, Y[m][m])
    return [[links[i].along_z(links[j].along_z(C[i][j])) for j in n] for i in n]


def carried_inward(frames: OnJoints, XE: Bends, rates: Sequence[Scalar], i: int) -> list[Vector]:
    """Y_i in every frame m; used in that of joint i and in those beyond it."""

    def step(children: Sequence[tuple[Vector, Vector]], row: tuple[int, Link, Placement]) -> tuple[Vector, Vector]:
        k, link, motion = row
        found: Vector = NULL
        for _, handed in children:
            found = add(found, handed)
        moved = add(found, scale(rates[k], XE[i, k])) if (i, k) in XE else NULL
        return found, rotate(link.before.R, rotate(motion.R, moved))

    rows = list(zip(range(len(rates)), frames.chain.links, frames.motions))
    return [found for found, _ in frames.chain.inward(step, rows)]


def column_above(XE: Bends, Y: Sequence[Sequence[Vector]], axes: Twists, rates: Sequence[Scalar]) -> dict[int, Scalar]:
    """C_im for i < m, the last of `axes` being m."""
    *before, m = axes
    w = angular_velocities(axes, rates)[m]
    return {i: dot(axes[m].w, Y[i][m]) + dot(w, XE[i, m]) for i in before}


def row_left(XE: Bends, Y: Sequence[Sequence[Vector]], axes: Twists, rates: Sequence[Scalar]) -> dict[int, Scalar]:
    """C_mj for j < m."""
    *before, m = axes
    w, rest, found = angular_velocities(axes, rates), Y[m][m], dict[int, Scalar]()
    for j in reversed(before):
        found[j] = dot(axes[j].w, rest) - dot(w[j], XE[j, m])
        rest = sub(rest, scale(rates[j], XE[j, m]))
    return found


def angular_velocities(axes: Twists, rates: Sequence[Scalar]) -> dict[int, Vector]:
    """Ω of the joints up to m, in frame m."""
    total, found = NULL, dict[int, Vector]()
    for i, axis in axes.items():
        total = add(total, scale(rates[i], axis.w))
        found[i] = total
    return found
