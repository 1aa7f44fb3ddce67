"""Lagrange's coefficients by the efficient algorithm proposed by Lopes da Silva (UNICAMP 1990, 3.29–3.70), corrected.

z is the axis of joint i and Ω the velocity that turning about it gives the origin of the frame all is written in;
(ω_i, v_i) = (z, Ω) for a revolute joint, (0, z) for a prismatic one. With M, s, I, K the mass, first moments, tensor
and second moments of a body there:

    XD_k  = I ω_k + s×v_k          XL_k = M v_k + ω_k×s
    a_ik  = Σ ω_i·XD_k + v_i·XL_k                                              i ≤ k
    XE_ik = K (ω_k×ω_i) + v_k×XL_i + (ω_k×s)×v_i
    b_ijk = Σ ω_j·XE_ik                                                        i < k, j ≤ k
    g_k   = Σ g·XL_k                                                           sums over the bodies l ≥ k

The source writes each summand in the frame of its body l. All of them are linear in the body, and the bodies that
count at joint k are k and those beyond it, whatever i and j: so here the sum is taken first, in the bodies, and each
vector is found once, for the composite body, in the frame that sits on joint k, where ω_k or v_k is (0, 0, 1).
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.mechanics.models.dynamics.bodies import OnJoints, Twists, on_joints
from manipula.mechanics.models.lagrange.coefficients import LagrangeTerms, lagrange_coefficients
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.inertia import RigidBody
from manipula.mechanics.spatial.screw import Twist, momentum, power
from manipula.mechanics.spatial.vector import Vector, add, cross, dot, rotate
from manipula.scalar import Scalar


def terms(chain: Tree, q: Sequence[Scalar]) -> LagrangeTerms:
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
