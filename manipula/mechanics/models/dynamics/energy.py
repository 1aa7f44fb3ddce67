"""Kinetic and potential energy. Kinetic includes the motors' ½ Ia q̇²; potential is zero at the world's origin.

Source: Siciliano, Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), sections 7.1.1 and
7.1.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from manipula.mechanics.models.dynamics.bodies import axis_twist, on_joints
from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody, half
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.screw import Twist, momentum, power
from manipula.mechanics.spatial.vector import NULL, Vector, add, dot, rotate, scale, sum_of
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
    moving, own, speed = parent.in_frame(link.before).in_frame(motion), axis_twist(link), link.signed(rate)
    return Twist(add(moving.w, scale(speed, own.w)), add(moving.v, scale(speed, own.v)))


def potential_energy(chain: Tree, q: Sequence[Scalar]) -> Scalar:
    """−g·Σ s, the first moments of the whole arm, and of what stands still, about the world's origin"""
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
