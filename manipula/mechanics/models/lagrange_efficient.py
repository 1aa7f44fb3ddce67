"""Lagrange's coefficients by the efficient algorithm proposed by Lopes da Silva (UNICAMP 1990, 3.29–3.70), corrected.

In the frame of link l, z is the axis of joint i and Ω the velocity that turning about it gives the frame's origin;
(ω_i, v_i) = (z, Ω) for a revolute joint, (0, z) for a prismatic one. M, s, Ī, K: mass, first moments, tensor, second
moments of body l there.

    XD_k  = Ī ω_k + s×v_k          XL_k = M v_k + ω_k×s
    a_ik  = Σ_{l≥k} ω_i·XD_k + v_i·XL_k                                        i ≤ k
    XE_ik = K (ω_k×ω_i) + v_k×XL_i + (ω_k×s)×v_i
    b_ijk = Σ_{l≥k} ω_j·XE_ik                                                  i < k, j ≤ k
    g_k   = g·Σ_{l≥k} R_l XL_k

The sums run inward: ω_j·XE is the same in every frame, so Σ R XE is carried from frame to frame and multiplied by ω_j
once, in frame k; so is the sum of (XD, XL), a moment and its force.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manipula.mechanics.models.bodies import Screw, Twist, axis_twist, felt, momentum
from manipula.mechanics.models.lagrange_coefficients import LagrangeTerms, lagrange_coefficients
from manipula.mechanics.robot.chain import Chain
from manipula.mechanics.spatial.inertia import Inertia
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import NULL, Matrix, Vector, add, cross, dot, rotate, unrotate


def terms(chain: Chain, q: Sequence[Any]) -> LagrangeTerms:
    """A, COR, CEN, GRA."""
    steps = chain.elementary(q)
    axes = unit_motions(chain, steps)
    X = [effects(link.inertia, row) for link, row in zip(chain.links, axes)]
    totals = [summed(X, steps, k) for k in range(chain.dof)]
    g = gravity_in_links(chain, steps)
    return lagrange_coefficients(
        chain,
        a=lambda i, k: felt(axes[k][i], totals[k][0]),
        b=lambda i, j, k: dot(axes[k][j].w, totals[k][1][i]),
        g=lambda k: dot(g[k], totals[k][0].f),
    )
