"""The terms of Lagrange's equations by the efficient algorithm, and the Coriolis matrix by Christoffel symbols.

Source: Siciliano et al. (2009) for the matrix; Lopes da Silva, UNICAMP 1990, for the efficient algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from manipula.mechanics.models.dynamics.bodies import OnJoints, Twists, on_joints
from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody, Twist, momentum, power
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import NULL, Vector, add, cross, dot, rotate, scale, sub
from manipula.scalar import Scalar

# The coefficients of Lagrange's equations, and the symmetries that spare most of them.
#
#     torque_i = Σ_j a_ij q̈_j + Σ_{j<k} 2 b_ijk q̇_j q̇_k + Σ_j b_ijj q̇_j² − g_i + P_i
#     b_ijk = ½(∂a_ij/∂q_k + ∂a_ik/∂q_j − ∂a_jk/∂q_i)
#
# A way to find them delivers a_ij for i ≤ j, b_ijk for i < k and j ≤ k, and g_i, all for joints counted along +z,
# where joints i and j move the link of the last one: joints of different branches do not feel each other. The rest
# follows:
#
#     a_ji = a_ij    b_ikj = b_ijk    b_kji = −b_ijk (j ≤ i < k)    b_iji = 0 (j ≤ i)
# which leaves n(n²−1)/3 of the n³ symbols b_ijk to be computed.


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
    upper = {(i, j): _with_directions(chain, a(i, j), i, j) for j in range(n) for i in ways[j]}
    few = {
        (i, j, k): _with_directions(chain, b(i, j, k), i, j, k)
        for k in range(n)
        for i in ways[k]
        if i != k
        for j in ways[k]
    }
    return LagrangeTerms(
        A=[[upper.get((min(i, j), max(i, j)), 0) for j in range(n)] for i in range(n)],
        COR=[[christoffel_symbol(few, i, j, k) for j, k in pairs(n)] for i in range(n)],
        CEN=[[christoffel_symbol(few, i, j, j) for j in range(n)] for i in range(n)],
        GRA=[_with_directions(chain, g(i), i) for i in range(n)],
    )


def christoffel_symbol(few: dict[tuple[int, int, int], Scalar], i: int, j: int, k: int) -> Scalar:
    """Any b_ijk from those with i < k, j ≤ k."""
    j, k = min(j, k), max(j, k)
    if i < k:
        return few.get((i, j, k), 0)
    return 0 if i == k else -few.get((k, j, i), 0)


def _with_directions(chain: Tree, x: Scalar, *joints: int) -> Scalar:
    """x times the directions of the joints it belongs to."""
    for i in joints:
        x = chain.links[i].along_z(x)
    return x


# Lagrange's coefficients by the efficient algorithm proposed by Lopes da Silva (UNICAMP 1990, 3.29–3.70), corrected.
#
# z is the axis of joint i and Ω the velocity that turning about it gives the origin of the frame all is written in;
# (ω_i, v_i) = (z, Ω) for a revolute joint, (0, z) for a prismatic one. With M, s, I, K the mass, first moments, tensor
# and second moments of a body there:
#
#     XD_k  = I ω_k + s×v_k          XL_k = M v_k + ω_k×s
#     a_ik  = Σ ω_i·XD_k + v_i·XL_k                                              i ≤ k
#     XE_ik = K (ω_k×ω_i) + v_k×XL_i + (ω_k×s)×v_i
#     b_ijk = Σ ω_j·XE_ik                                                        i < k, j ≤ k
#     g_k   = Σ g·XL_k                                                           sums over the bodies l ≥ k
#
# The source writes each summand in the frame of its body l. All of them are linear in the body, and the bodies that
# count at joint k are k and those beyond it, whatever i and j: so here the sum is taken first, in the bodies, and each
# vector is found once, for the composite body, in the frame that sits on joint k, where ω_k or v_k is (0, 0, 1).


def efficient_terms(chain: Tree, q: Sequence[Scalar]) -> LagrangeTerms:
    """A, COR, CEN, GRA."""
    frames = on_joints(chain, q)
    axes, bodies, g = frames.twists(), composites(chain, frames), frames.gravity_vectors()
    X = [momentum(body, row[k]) for k, (body, row) in enumerate(zip(bodies, axes))]  # (XL_k, XD_k)
    XE = bends(bodies, axes)
    return lagrange_coefficients(
        chain,
        a=lambda i, k: power(axes[k][i], X[k]),
        b=lambda i, j, k: dot(axes[k][j].w, XE[i, k]),
        g=lambda k: dot(g[k], X[k].f),
    )


def composites(chain: Tree, frames: OnJoints) -> list[RigidBody]:
    """Link k and all beyond it as one body, in the frame on joint k."""
    return frames.composites([link.inertia.by_moments().seen_from(link.after) for link in chain.links])


def bends(bodies: Sequence[RigidBody], axes: Sequence[Twists]) -> dict[tuple[int, int], Vector]:
    """XE_ik of the joints i that move link k, k itself apart, in the frame on joint k."""
    return {(i, k): bend(bodies[k], axes[k][i], axes[k][k]) for k in range(len(bodies)) for i in axes[k] if i != k}


def bend(body: RigidBody, i: Twist, k: Twist) -> Vector:
    """XE_ik = K (ω_k×ω_i) + v_k×XL_i + (ω_k×s)×v_i"""
    shifted = add(cross(k.v, momentum(body, i).f), cross(cross(k.w, body.s), i.v))
    return add(rotate(body.K, cross(k.w, i.w)), shifted)


# The Coriolis matrix by Christoffel symbols: C_ij = Σ_k b_ijk q̇_k. With this C, Ṁ − 2C is skew-symmetric.
#
# Source: Siciliano, Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), section 7.2.1,
# eqs. (7.44), (7.45).


def coriolis_matrix(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[list[Scalar]]:
    """C(q, q̇)"""
    b = christoffel_symbols(efficient_terms(chain, q))
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


# The same Coriolis matrix as `christoffel`, its sums carried inward: cheaper for long arms with full inertias.
#
# C_ij = Σ_k b_ijk q̇_k, the symbols those of the efficient Lagrange algorithm, b_ijk = ω_j·XE_ik in frame k (i < k, j
# ≤ k), the rest by their symmetries; but they are summed before they are multiplied out. With Ω_j = Σ_{a≤j} q̇_a ω_a,
# the angular velocity of link j, and Y_i = Σ_{k>m} q̇_k XE_ik carried inward to frame m = max(i, j), where a < b says
# that joint a moves the link that b stands on; joints of different branches have no symbol in common:
#
#     C_ij = ω_j·Y_i + Ω_j·XE_ij                                              i < j    (all in frame j)
#     C_ii = ω_i·Y_i
#     C_ij = ω_j·(Y_i − Σ_{j<k<i} q̇_k XE_ki) − Ω_j·XE_ji                      i > j    (all in frame i)
#
# Derived here from the symbols of `efficient`: sums over k are exchanged with the walk inward.


Bends = dict[tuple[int, int], Vector]


def coriolis_matrix_carried(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[list[Scalar]]:
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
