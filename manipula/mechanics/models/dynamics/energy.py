"""Kinetic and potential energy. Kinetic includes the motors' ½ Ia q̇²; potential is zero at the world's origin.

Source: Siciliano, Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), sections 7.1.1 and
7.1.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from manipula.mechanics.models.dynamics.bodies import axis_twist, on_joints
from manipula.mechanics.models.entry import ENERGY, Given, ModelEntry, Outputs
from manipula.mechanics.models.kinematics.jacobian import joint_column
from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.robot.tree import BASE, Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody, Twist, half, momentum, power, quotient
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import NULL, Vector, add, column, cross, dot, rotate, scale, sub, sum_of
from manipula.scalar import Scalar


class Energy(NamedTuple):
    """In joules."""

    kinetic: Scalar
    potential: Scalar


def energy(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Energy:
    """Both."""
    return Energy(kinetic_energy(chain, q, qd), potential_energy(chain, q))


def kinetic_energy(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Scalar:
    """½ Σ (ω·(I ω + s×v) + v·(m v + ω×s)) + ½ Σ Ia q̇²"""
    frames = on_joints(chain, q)
    rows = list(zip(frames.chain.links, frames.motions, qd, strict=True))
    return half(
        sum_of(
            power(moving, momentum(link.inertia, moving)) + link.motor_inertia * (rate * rate)
            for moving, (link, _, rate) in zip(chain.outward(advance, rows, Twist(NULL, NULL)), rows)
        )
    )


def advance(parent: Twist, row: tuple[Link, Placement, Scalar]) -> Twist:
    """The velocity on a joint, moving side, from that of the frame before it."""
    link, motion, rate = row
    moving, own, speed = parent.in_frame(link.before).in_frame(motion), axis_twist(link), link.along_z(rate)
    return Twist(add(moving.w, scale(speed, own.w)), add(moving.v, scale(speed, own.v)))


def potential_energy(chain: Tree, q: Sequence[Scalar]) -> Scalar:
    """−g·Σ s, the first moments of the whole arm, and of what is fixed to the base, about the world's origin"""
    return -dot(chain.gravity, first_moments(chain, q))


def first_moments(chain: Tree, q: Sequence[Scalar]) -> Vector:
    """Σ m r of the ground and the links, in world axes about the world's origin."""
    found = chain.inward(_collect, list(zip(chain.links, chain.elementary(q))))
    s, m = _together(chain.ground, chain.on_base(found))
    return add(rotate(chain.base.R, s), scale(m, chain.base.p))


Weight = tuple[Vector, Scalar]  # first moments and mass, as the parent sees them


def _collect(beyond: Sequence[Weight], row: tuple[Link, Placement]) -> Weight:
    link, at = row
    s, m = _together(link.inertia, beyond)
    return add(rotate(at.R, s), scale(m, at.p)), m


def _together(body: RigidBody, beyond: Sequence[Weight]) -> Weight:
    s: Vector = NULL
    m: Scalar = 0
    for moments, mass in beyond:
        s, m = add(s, moments), m + mass
    return add(body.s, s), body.m + m


# The centre of mass of the whole arm, all that it carries and all of it that stands still, and its Jacobian.
#
# With m the mass of everything, and of link k in the world m_k and its first moments S_k = R_k s_k + m_k p_k:
#
#     c = Σ S_k / m        ∂c/∂q_i = (z_i × (S − M p_i), M z_i)·(turn, slide) / m,   S, M of link i and all beyond it
#
# z_i is the joint's axis, p_i a point of it. The weight pulls at c: gravity = −m Jᵀg, potential = −m g·c.
#
# Source: Orin, Goswami, Lee, "Centroidal dynamics of a humanoid robot", Autonomous Robots 35 (2013), where m·J is
# the linear part of the centroidal momentum matrix. The columns are derived here from the first moments.


def mass(chain: Tree) -> Scalar:
    """m = Σ m_k, what is fixed to the base included"""
    return chain.ground.m + sum_of(link.inertia.m for link in chain.links)


def normalise_masses(chain: Tree) -> Tree:
    """The same arm weighing 1 in all: what a body adds to the centre of mass depends on parameters alone."""
    m = mass(chain)

    def share(body: RigidBody) -> RigidBody:
        x, y, z = (quotient(part, m) for part in body.s)
        return RigidBody(quotient(body.m, m), (x, y, z))

    links = tuple(replace(link, inertia=share(link.inertia)) for link in chain.links)
    return replace(chain, links=links, ground=share(chain.ground))


def centre_of_mass(chain: Tree, q: Sequence[Scalar]) -> Vector:
    """c = Σ S_k / m, world axes"""
    return first_moments(normalise_masses(chain), q)


def centre_of_mass_jacobian(chain: Tree, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """3×n, world axes"""
    *links, _ = frames(chain, q)
    at = {BASE: chain.base} | dict(enumerate(links))
    own = [_weight(link.inertia, place) for link, place in zip(normalise_masses(chain).links, links, strict=True)]
    feet = [at[link.parent] @ link.before for link in chain.links]
    rows = zip(chain.links, feet, chain.inward(_masses_together, own), strict=True)
    columns = [_column(*row) for row in rows]
    return [[part[axis] for part in columns] for axis in range(3)]


def _weight(body: RigidBody, at: Placement) -> Weight:
    """S = R s + m p, m"""
    return add(rotate(at.R, body.s), scale(body.m, at.p)), body.m


def _masses_together(beyond: Sequence[Weight], own: Weight) -> Weight:
    moments, masses = own
    for S, M in beyond:
        moments, masses = add(moments, S), masses + M
    return moments, masses


def _column(link: Link, foot: Placement, beyond: Weight) -> Vector:
    """z × (S − M p) turn + M z slide"""
    (S, M), z = beyond, column(foot.R, 2)
    return joint_column(link, scale(M, z), cross(z, sub(S, scale(M, foot.p))))[0]


def _energy(chain: Tree, x: Given) -> Outputs:
    return {"kinetic": kinetic_energy(chain, x["q"], x["qd"]), "potential": potential_energy(chain, x["q"])}


ENTRIES = (
    ModelEntry(
        "energy", "kinetic and potential energy", ("q", "qd"),
        {"kinetic": ("J", "motor inertia included"), "potential": ("J", "zero at the world origin")},
        {"newton-euler": _energy}, ENERGY, trees=("newton-euler",), floating="dynamics",
    ),
    ModelEntry(
        "centre_of_mass", "centre of mass of the whole arm with its load, world axes", ("q",),
        {"com": ("m", "position")},
        {"first-moments": lambda c, x: {"com": centre_of_mass(c, x["q"])}}, ENERGY, trees=("first-moments",),
        wants="a link with a mass", floating="kinematics",
    ),
    ModelEntry(
        "centre_of_mass_jacobian", "velocity of the centre of mass per joint velocity, world axes", ("q",),
        {"J": ("m/rad or 1", "3×n")},
        {"first-moments": lambda c, x: {"J": centre_of_mass_jacobian(c, x["q"])}}, ENERGY,
        trees=("first-moments",), wants="a link with a mass", floating="kinematics",
    ),
)  # fmt: skip
