"""Lagrange's coefficients by Megahed's factored traces (Lopes da Silva, UNICAMP 1990, 3.26–3.27).

All is seen from one frame, so the sums over bodies move inside the trace:

    H_m = Σ_l T_l J_l T_lᵀ                 over link m and all beyond it
    a_ik  = tr(Δ_i H_k Δ_kᵀ)               i ≤ k
    b_ijk = tr(Δ_i H_k Δ_kᵀ Δ_jᵀ)          i < k, j ≤ k
    g_k   = gᵀ Δ_k H_k (0,0,0,1)

No coefficient but g depends on where the base stands, nor, where a single joint stands on it, on that joint: so the
frame all is seen from is the moving side of joint 1, or the base where several joints stand on it.

With Δ = [[ω]×, v] and D_k = H_k Δ_kᵀ the traces are read from a few entries:

    tr(Δ_i D) = ω_i·(d23−d32, d31−d13, d12−d21) + v_i·(d41, d42, d43)
    tr(Δ_i D Δ_jᵀ) = ω_j·(e32−e23, e13−e31, e21−e12),   E = Δ_i D      (v_j falls out, for j ≤ k)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from manipula.mechanics.models.lagrange.coefficients import LagrangeTerms, lagrange_coefficients
from manipula.mechanics.robot.tree import BASE, Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody, Twist
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import (
    Matrix,
    Vector,
    add,
    cross,
    dot,
    neg,
    scale,
    transpose,
    unrotate,
)
from manipula.scalar import Scalar


@dataclass(frozen=True)
class Weighed:
    """D = H Δᵀ: the columns (d1c d2c d3c) and the fourth row."""

    columns: Matrix
    last: Vector


def terms(chain: Tree, q: Sequence[Scalar]) -> LagrangeTerms:
    """A, COR, CEN, GRA."""
    axes, poses = seen_from_first(chain, q)
    delta = [unit_motion(link, axis) for link, axis in zip(chain.links, axes)]
    bodies = [link.inertia.by_moments().seen_from(pose) for link, pose in zip(chain.links, poses)]
    H = chain.inward(lambda beyond, body: reduce(lambda whole, x: whole + x, beyond, body), bodies)
    D = [weigh(body, motion) for body, motion in zip(H, delta)]
    E = {(i, k): bend(delta[i], D[k]) for k in range(chain.dof) for i in chain.support(k) if i != k}
    g = first_gravity(chain, q)
    return lagrange_coefficients(
        chain,
        a=lambda i, k: dot(delta[i].w, twist_part(D[k])) + dot(delta[i].v, D[k].last),
        b=lambda i, j, k: dot(delta[j].w, E[i, k]),
        g=lambda k: dot(g, D[k].last),
    )


def seen_from_first(chain: Tree, q: Sequence[Scalar]) -> tuple[list[Placement], list[Placement]]:
    """The joints (moving sides) and the link frames, seen from the moving side of joint 1, or from the base."""

    def step(parent: tuple[Placement, Placement], row: tuple[Link, Placement]) -> tuple[Placement, Placement]:
        link, motion = row
        axis = HERE if link.parent == BASE and _single(chain) else parent[1] @ link.before @ motion
        return axis, axis @ link.after

    found = chain.outward(step, list(zip(chain.links, chain.motions(q))), (HERE, HERE))
    return [axis for axis, _ in found], [pose for _, pose in found]


def _single(chain: Tree) -> bool:
    """Does one joint alone stand on the base?"""
    return len(chain.children(BASE)) == 1


def first_gravity(chain: Tree, q: Sequence[Scalar]) -> Vector:
    """The gravity vector in the frame all is seen from."""
    g = unrotate(chain.base.R, chain.gravity)
    if _single(chain):
        first = chain.links[0]
        g = unrotate(first.motion(q[0], chain.maths).R, unrotate(first.before.R, g))
    return g


def unit_motion(link: Link, axis: Placement) -> Twist:
    """Δ of a joint: (z, p×z) revolute, (0, z) prismatic"""
    z = (axis.R[0][2], axis.R[1][2], axis.R[2][2])
    turn, slide = link.kind.turn(1), link.kind.slide(1)
    return Twist(scale(turn, z), add(scale(turn, cross(axis.p, z)), scale(slide, z)))


def weigh(H: RigidBody, motion: Twist) -> Weighed:
    """D = H Δᵀ. Row r of D is ω×(row r of K) + s_r v; the fourth is ω×s + m v."""
    rows = tuple(add(cross(motion.w, row), scale(s, motion.v)) for row, s in zip(H.K, H.s))
    return Weighed(transpose((rows[0], rows[1], rows[2])), add(cross(motion.w, H.s), scale(H.m, motion.v)))


def twist_part(D: Weighed) -> Vector:
    """(d23−d32, d31−d13, d12−d21)"""
    (_, d21, d31), (d12, _, d32), (d13, d23, _) = D.columns
    return (d23 - d32, d31 - d13, d12 - d21)


def bend(motion: Twist, D: Weighed) -> Vector:
    """(e32−e23, e13−e31, e21−e12) of E = Δ D: column c of E is ω×(column c of D) + v d4c"""
    E = tuple(add(cross(motion.w, column), scale(last, motion.v)) for column, last in zip(D.columns, D.last))
    return neg(twist_part(Weighed((E[0], E[1], E[2]), D.last)))
