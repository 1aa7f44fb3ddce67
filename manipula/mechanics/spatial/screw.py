"""Twists and wrenches: a motion with its angular part, a force with its moment, and how frames see them.

Featherstone, "Rigid Body Dynamics Algorithms" (2008), sections 2.1–2.9: spatial motion and force vectors; what a frame
change does to them is eqs. (2.24) and (2.25), the power of one along the other (2.1), momentum of a body (2.61).
"""

from __future__ import annotations

from dataclasses import dataclass

from manipula.mechanics.spatial.inertia import RigidBody
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import Vector, add, cross, dot, neg, rotate, scale, unrotate
from manipula.scalar import Scalar


@dataclass(frozen=True)
class Twist:
    """Angular velocity w, and velocity v of the point at the frame's origin."""

    w: Vector
    v: Vector

    def in_frame(self, at: Placement) -> Twist:
        """The same motion in frame b; `at` is pose_a_b and self is in a: Rᵀω, Rᵀ(v + ω×p)"""
        return Twist(unrotate(at.R, self.w), unrotate(at.R, add(self.v, cross(self.w, at.p))))

    def __add__(self, other: Twist) -> Twist:
        return Twist(add(self.w, other.w), add(self.v, other.v))

    def __mul__(self, k: Scalar) -> Twist:
        return Twist(scale(k, self.w), scale(k, self.v))


@dataclass(frozen=True)
class Wrench:
    """A force f and its moment n about the frame's origin (or a momentum and its moment)."""

    f: Vector
    n: Vector

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(add(self.f, other.f), add(self.n, other.n))

    def __neg__(self) -> Wrench:
        return Wrench(neg(self.f), neg(self.n))

    def __mul__(self, k: Scalar) -> Wrench:
        return Wrench(scale(k, self.f), scale(k, self.n))

    def in_frame(self, at: Placement) -> Wrench:
        """The same force seen from frame a; `at` is pose_a_b and self is in b: R f, R n + p×R f"""
        f = rotate(at.R, self.f)
        return Wrench(f, add(rotate(at.R, self.n), cross(at.p, f)))


def power(twist: Twist, force: Wrench) -> Scalar:
    """ω·n + v·f"""
    return dot(twist.w, force.n) + dot(twist.v, force.f)


def momentum(body: RigidBody, twist: Twist) -> Wrench:
    """m v + ω×s,  I ω + s×v"""
    return Wrench(
        add(scale(body.m, twist.v), cross(twist.w, body.s)),
        add(rotate(body.I, twist.w), cross(body.s, twist.v)),
    )
