"""Kinetic and potential energy. Kinetic includes the motors' ½ Ia q̇²; potential is zero at the world's origin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from manipula.mechanics.models.dynamics.bodies import Twist, axis_twist, felt, momentum, on_joints
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.inertia import half
from manipula.mechanics.spatial.vector import NULL, Vector, add, dot, rotate, scale, sum_of


class Energy(NamedTuple):
    """In joules."""

    kinetic: Any
    potential: Any


def energy(chain: Tree, q: Sequence[Any], qd: Sequence[Any]) -> Energy:
    """Both."""
    return Energy(kinetic_energy(chain, q, qd), potential_energy(chain, q))


def kinetic_energy(chain: Tree, q: Sequence[Any], qd: Sequence[Any]) -> Any:
    """½ Σ (ω·(I ω + s×v) + v·(m v + ω×s)) + ½ Σ Ia q̇²"""
    seated, twice, moving = on_joints(chain, q), [], Twist(NULL, NULL)
    for link, motion, rate in zip(seated.chain.links, seated.motions, qd, strict=True):
        moving, own, speed = moving.in_frame(link.before).in_frame(motion), axis_twist(link), link.signed(rate)
        moving = Twist(add(moving.w, scale(speed, own.w)), add(moving.v, scale(speed, own.v)))
        twice.append(felt(moving, momentum(link.inertia, moving)) + link.motor_inertia * (rate * rate))
    return half(sum_of(twice))


def potential_energy(chain: Tree, q: Sequence[Any]) -> Any:
    """−g·Σ s, the first moments of the whole arm, and of what stands still, about the world's origin"""
    return -dot(chain.gravity, first_moments(chain, q))


def first_moments(chain: Tree, q: Sequence[Any]) -> Vector:
    """Σ m r of the ground and the links, in world axes about the world's origin."""
    s: Vector = NULL
    m: Any = 0
    for link, step in zip(reversed(chain.links), reversed(chain.elementary(q))):
        s, m = add(link.inertia.s, s), link.inertia.m + m
        s = add(rotate(step.R, s), scale(m, step.p))
    s, m = add(chain.ground.s, s), chain.ground.m + m
    return add(rotate(chain.base.R, s), scale(m, chain.base.p))
