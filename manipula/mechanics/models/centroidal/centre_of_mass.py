"""The centre of mass of the whole arm, all that it carries and all of it that stands still, and its Jacobian.

With m the mass of everything, and of link k in the world m_k and its first moments S_k = R_k s_k + m_k p_k:

    c = Σ S_k / m        ∂c/∂q_i = (z_i × (S − M p_i), M z_i)·(turn, slide) / m,   S, M of link i and all beyond it

z_i is the joint's axis, p_i a point of it. The weight pulls at c: gravity = −m Jᵀg, potential = −m g·c.

Source: Orin, Goswami, Lee, "Centroidal dynamics of a humanoid robot", Autonomous Robots 35 (2013), where m·J is
the linear part of the centroidal momentum matrix. The columns are derived here from the first moments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from manipula.mechanics.models.dynamics.energy import first_moments
from manipula.mechanics.models.kinematics.jacobian import joint_column
from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.robot.tree import BASE, Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody, quotient
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import Vector, add, column, cross, rotate, scale, sub, sum_of
from manipula.scalar import Scalar

Weight = tuple[Vector, Scalar]  # first moments in the world, and mass


def mass(chain: Tree) -> Scalar:
    """m = Σ m_k, what stands still included"""
    return chain.ground.m + sum_of(link.inertia.m for link in chain.links)


def shared(chain: Tree) -> Tree:
    """The same arm weighing 1 in all: what a body adds to the centre of mass depends on parameters alone."""
    m = mass(chain)

    def share(body: RigidBody) -> RigidBody:
        x, y, z = (quotient(part, m) for part in body.s)
        return RigidBody(quotient(body.m, m), (x, y, z))

    links = tuple(replace(link, inertia=share(link.inertia)) for link in chain.links)
    return replace(chain, links=links, ground=share(chain.ground))


def centre_of_mass(chain: Tree, q: Sequence[Scalar]) -> Vector:
    """c = Σ S_k / m, world axes"""
    return first_moments(shared(chain), q)


def centre_of_mass_jacobian(chain: Tree, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """3×n, world axes"""
    *links, _ = frames(chain, q)
    at = {BASE: chain.base} | dict(enumerate(links))
    own = [_weight(link.inertia, place) for link, place in zip(shared(chain).links, links, strict=True)]
    feet = [at[link.parent] @ link.before for link in chain.links]
    rows = zip(chain.links, feet, chain.inward(_together, own), strict=True)
    columns = [_column(*row) for row in rows]
    return [[part[axis] for part in columns] for axis in range(3)]


def _weight(body: RigidBody, at: Placement) -> Weight:
    """S = R s + m p, m"""
    return add(rotate(at.R, body.s), scale(body.m, at.p)), body.m


def _together(beyond: Sequence[Weight], own: Weight) -> Weight:
    moments, masses = own
    for S, M in beyond:
        moments, masses = add(moments, S), masses + M
    return moments, masses


def _column(link: Link, foot: Placement, beyond: Weight) -> Vector:
    """z × (S − M p) turn + M z slide"""
    (S, M), z = beyond, column(foot.R, 2)
    return joint_column(link, scale(M, z), cross(z, sub(S, scale(M, foot.p))))[0]
