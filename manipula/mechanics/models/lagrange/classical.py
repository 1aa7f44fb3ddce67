"""Lagrange's coefficients by the classical 4×4 traces (Uicker, Kahn; Lopes da Silva, UNICAMP 1990, 3.21–3.25).

Body l has the pseudo-inertia J_l in its frame; Δ_i = T⁻¹ Q_i T is the operator of joint i there, T the placement of
frame l from joint i and Q_i the derivative of a turn about, or a shift along, z.

    a_ij  = Σ_l tr(Δ_i J_l Δ_jᵀ)
    b_ijk = Σ_l tr(Δ_i J_l Δ_kᵀ Δ_jᵀ)        j ≤ k
    g_i   = Σ_l gᵀ T_l Δ_i J_l (0,0,0,1)     g in the axes the pose T_l starts from

over the bodies l that all the joints named move.
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.mechanics.models.lagrange.coefficients import LagrangeTerms, lagrange_coefficients
from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import Vector, dot, sum_of, unrotate
from manipula.scalar import Scalar

Rows = list[list[Scalar]]


def terms(chain: Tree, q: Sequence[Scalar]) -> LagrangeTerms:
    """A, COR, CEN, GRA."""
    delta = [{i: operator(chain.links[i], T) for i, T in row.items()} for row in placements(chain, q)]
    pseudo = [pseudo_inertia(link.inertia) for link in chain.links]
    weighed = [{i: product(D, J) for i, D in row.items()} for row, J in zip(delta, pseudo)]  # Δ_i J_l
    twice = [{(j, k): product(row[j], row[k]) for j in row for k in row} for row in delta]
    g, moved = gravity_in_links(chain, q), [chain.beyond(k) for k in range(chain.dof)]
    return lagrange_coefficients(
        chain,
        a=lambda i, j: sum_of(trace_of(weighed[l][i], delta[l][j]) for l in moved[j]),
        b=lambda i, j, k: sum_of(trace_of(weighed[l][i], twice[l][j, k]) for l in moved[k]),
        g=lambda i: sum_of(dot(g[l], [row[3] for row in weighed[l][i][:3]]) for l in moved[i]),
    )


def placements(chain: Tree, q: Sequence[Scalar]) -> list[dict[int, Placement]]:
    """Row l: T(i, l) of the joints i that move link l, from the moving side of joint i to the frame of link l."""

    def step(parent: dict[int, Placement], row: tuple[int, Link, Placement]) -> dict[int, Placement]:
        l, link, at = row
        return {i: T @ at for i, T in parent.items()} | {l: link.after}

    return chain.outward(step, list(zip(range(chain.dof), chain.links, chain.elementary(q))), {})


def operator(link: Link, T: Placement) -> Rows:
    """Δ = T⁻¹ Q T"""
    turn, slide = link.kind.turn(1), link.kind.slide(1)
    Q: Rows = [[0, -turn, 0, 0], [turn, 0, 0, 0], [0, 0, 0, slide], [0, 0, 0, 0]]
    return product(product(rows_of(T.inverse()), Q), rows_of(T))


def rows_of(T: Placement) -> Rows:
    return [list(row) for row in T.rows()]


def pseudo_inertia(body: RigidBody) -> Rows:
    """J = [[K, s], [sᵀ, m]] with the second moments K"""
    K = body.K
    return [*([*row, s] for row, s in zip(K, body.s)), [*body.s, body.m]]


def product(A: Rows, B: Rows) -> Rows:
    return [[dot(row, column) for column in zip(*B)] for row in A]


def trace_of(A: Rows, B: Rows) -> Scalar:
    """tr(A Bᵀ)"""
    return sum_of(dot(a, b) for a, b in zip(A, B))


def gravity_in_links(chain: Tree, q: Sequence[Scalar]) -> list[Vector]:
    """The gravity vector in every link frame."""

    def step(g: Vector, at: Placement) -> Vector:
        return unrotate(at.R, g)

    return chain.outward(step, chain.elementary(q), unrotate(chain.base.R, chain.gravity))
