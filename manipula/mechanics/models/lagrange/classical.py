"""Lagrange's coefficients by the classical 4×4 traces (Uicker, Kahn; Lopes da Silva, UNICAMP 1990, 3.21–3.25).

Body l has the pseudo-inertia J_l in its frame; Δ_i = T⁻¹ Q_i T is the operator of joint i there, T the placement of
frame l from joint i and Q_i the derivative of a turn about, or a shift along, z.

    a_ij  = Σ_{l≥max(i,j)}   tr(Δ_i J_l Δ_jᵀ)
    b_ijk = Σ_{l≥max(i,j,k)} tr(Δ_i J_l Δ_kᵀ Δ_jᵀ)        j ≤ k
    g_i   = Σ_{l≥i}          gᵀ T_l Δ_i J_l (0,0,0,1)     g in the axes the pose T_l starts from
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manipula.mechanics.models.lagrange.coefficients import LagrangeTerms, lagrange_coefficients
from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.inertia import Inertia
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import dot, sum_of, unrotate

Rows = list[list[Any]]


def terms(chain: Tree, q: Sequence[Any]) -> LagrangeTerms:
    """A, COR, CEN, GRA."""
    bodies = range(chain.dof)
    roads = placements(chain, q)
    delta = [[operator(chain.links[i], roads[l][i]) for i in range(l + 1)] for l in bodies]
    pseudo = [pseudo_inertia(link.inertia) for link in chain.links]
    weighed = [[product(D, pseudo[l]) for D in delta[l]] for l in bodies]  # Δ_i J_l
    twice = [[[product(delta[l][j], delta[l][k]) for k in range(l + 1)] for j in range(l + 1)] for l in bodies]
    g = gravity_in_links(chain, q)
    return lagrange_coefficients(
        chain,
        a=lambda i, j: sum_of(trace_of(weighed[l][i], delta[l][j]) for l in bodies[j:]),
        b=lambda i, j, k: sum_of(trace_of(weighed[l][i], twice[l][j][k]) for l in bodies[k:]),
        g=lambda i: sum_of(dot(g[l], [row[3] for row in weighed[l][i][:3]]) for l in bodies[i:]),
    )


def placements(chain: Tree, q: Sequence[Any]) -> list[list[Placement]]:
    """Row l: T(i, l) for i = 0 … l, from the moving side of joint i to the frame of link l."""
    rows: list[list[Placement]] = []
    for link, step in zip(chain.links, chain.elementary(q)):
        rows.append([*(T @ step for T in (rows[-1] if rows else [])), link.after])
    return rows


def operator(link: Link, T: Placement) -> Rows:
    """Δ = T⁻¹ Q T"""
    turn, slide = link.kind.turn(1), link.kind.slide(1)
    Q: Rows = [[0, -turn, 0, 0], [turn, 0, 0, 0], [0, 0, 0, slide], [0, 0, 0, 0]]
    return product(product(rows_of(T.inverse()), Q), rows_of(T))


def rows_of(T: Placement) -> Rows:
    return [list(row) for row in T.rows()]


def pseudo_inertia(body: Inertia) -> Rows:
    """J = [[K, s], [sᵀ, m]] with the second moments K"""
    K = body.second_moments()
    return [*([*row, s] for row, s in zip(K, body.s)), [*body.s, body.m]]


def product(A: Rows, B: Rows) -> Rows:
    return [[dot(row, column) for column in zip(*B)] for row in A]


def trace_of(A: Rows, B: Rows) -> Any:
    """tr(A Bᵀ)"""
    return sum_of(dot(a, b) for a, b in zip(A, B))


def gravity_in_links(chain: Tree, q: Sequence[Any]) -> list[Any]:
    """The gravity vector in every link frame."""
    g, vectors = unrotate(chain.base.R, chain.gravity), []
    for step in chain.elementary(q):
        g = unrotate(step.R, g)
        vectors.append(g)
    return vectors
