"""Lagrange's coefficients from composite bodies: the sums over links are taken once, in the bodies themselves.

Every coefficient is linear in the inertia of the links, and the links that count for a_ik and b_ijk (i < k, j ≤ k)
are k and those beyond it: one rigid body C_k. With frame k on joint k, M, s, I the composite's moments there,
K = ½tr(I)1 − I, and (ω_i, v_i) the unit motion of joint i in that frame:

    a_ik  = ω_i·XD_k + v_i·XL_k            XD_k = I ω_k + s×v_k      XL_k = M v_k + ω_k×s
    b_ijk = ω_j·XE_ik                      XE_ik = K (ω_k×ω_i) + v_k×XL_i + (ω_k×s)×v_i
    g_k   = g·XL_k
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manipula.mechanics.models.bodies import Twist, felt, momentum, on_joints
from manipula.mechanics.models.lagrange_coefficients import LagrangeTerms, lagrange_coefficients
from manipula.mechanics.robot.chain import Chain
from manipula.mechanics.spatial.inertia import Inertia
from manipula.mechanics.spatial.vector import Vector, add, cross, dot, rotate


def terms(chain: Chain, q: Sequence[Any]) -> LagrangeTerms:
    """A, COR, CEN, GRA."""
    seated = on_joints(chain, q)
    twists, bodies, g = seated.twists(), seated.composites(), seated.gravity_vectors()
    moments = [body.second_moments() for body in bodies]
    own = [momentum(body, row[-1]) for body, row in zip(bodies, twists)]
    XE = {
        (i, k): bend(bodies[k], moments[k], twists[k][i], twists[k][k]) for k in range(chain.dof) for i in range(k)
    }
    return lagrange_coefficients(
        chain,
        a=lambda i, k: felt(twists[k][i], own[k]),
        b=lambda i, j, k: dot(twists[k][j].w, XE[i, k]),
        g=lambda k: dot(g[k], own[k].f),
    )


def bend(body: Inertia, K: tuple[Vector, Vector, Vector], i: Twist, k: Twist) -> Vector:
    """XE_ik = K (ω_k×ω_i) + v_k×XL_i + (ω_k×s)×v_i"""
    moved = add(cross(k.v, momentum(body, i).f), cross(cross(k.w, body.s), i.v))
    return add(rotate(K, cross(k.w, i.w)), moved)
