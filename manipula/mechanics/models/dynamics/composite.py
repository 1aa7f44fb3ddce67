"""The inertia matrix, and gravity, by composite bodies (Walker and Orin).

Joint k alone accelerates link k and all beyond it as one rigid body; the force that takes is carried inward, and every
joint on the way feels its share:

    F_k = C_k (ω_k, v_k)      M_ik = what joint i feels of F_k, i on the way from the base to k

Source: Walker, Orin, "Efficient dynamic computer simulation of robotic mechanisms", ASME Journal of Dynamic Systems,
Measurement, and Control 104 (1982), method 3; Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 6.
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.mechanics.models.dynamics.bodies import OnJoints, axis_twist, on_joints
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.inertia import RigidBody, momentum
from manipula.mechanics.spatial.vector import dot
from manipula.scalar import Scalar


def inertia_matrix(chain: Tree, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """M(q), motor inertia included on the diagonal."""
    return with_motors(chain, mechanism_inertia(chain, q))


def with_motors(chain: Tree, M: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """M with each motor's inertia on the diagonal."""
    rows = [list(row) for row in M]
    for i, link in enumerate(chain.links):
        rows[i][i] = rows[i][i] + link.motor_inertia
    return rows


def mechanism_inertia(chain: Tree, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """M(q) of the links alone, without motor inertia."""
    n, frames = chain.dof, on_joints(chain, q)
    bodies = frames.composites([link.inertia for link in frames.chain.links])
    upper = [_column(frames, k, body) for k, body in enumerate(bodies)]
    return [[upper[max(i, j)].get(min(i, j), 0) for j in range(n)] for i in range(n)]


def gravity_composite(chain: Tree, q: Sequence[Scalar]) -> list[Scalar]:
    """The torques that hold the arm still: −g·(m v_k + ω_k×s), m and s of link k and all beyond it."""
    frames = on_joints(chain, q)
    bodies = frames.composites([link.inertia for link in frames.chain.links])
    rows = zip(frames.chain.links, bodies, frames.gravity_vectors())
    return [-link.along_z(dot(g, momentum(body, axis_twist(link)).f)) for link, body, g in rows]


def _column(frames: OnJoints, k: int, body: RigidBody) -> dict[int, Scalar]:
    """M_ik of the joints i that move link k; the others feel nothing of it."""
    links, felt = frames.chain.links, dict[int, Scalar]()
    force = momentum(body, axis_twist(links[k]))
    for i in reversed(frames.chain.support(k)):
        felt[i] = links[k].along_z(links[i].along_z(links[i].kind.effort(force.f, force.n)))
        force = force.in_frame(frames.motions[i]).in_frame(links[i].before)
    return felt
