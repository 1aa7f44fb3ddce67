"""Inverse dynamics by Newton and Euler: velocities and accelerations outward, forces and moments inward.

One text for revolute and prismatic joints and for every frame convention: the road from a link's frame to that of a
link on it is (before, motion, after). All vectors of link i are in its own frame. Gravity enters as v̇₀ = −g. Forces add
up where a link carries several:  f = F + Σ f_k,  n = N + Σ n_k  over its children k and what it holds.

    ω  angular velocity      ω̇  angular acceleration      v̇  acceleration of the frame's origin
    F = m v̇ + ω̇×s + ω×(ω×s)                 force that accelerates the body
    N = I ω̇ + ω×(I ω) + s×v̇                 moment about the frame's origin

Source: Luh, Walker, Paul, "On-line computational scheme for mechanical manipulators", ASME Journal of Dynamic Systems,
Measurement, and Control 102 (1980); Craig, "Introduction to Robotics", 3rd ed. (2005), eqs. (6.45)–(6.53). There F and
N stand at the centre of mass c; here, with s = m c and I about the frame's origin, F = m v̇_c is (6.49) with (6.48) in
it, and N is (6.50) + c×F.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody, Wrench
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import NULL, Vec3, Vector, along_z, cross, neg, rotate, scale, unrotate
from manipula.scalar import Scalar

Scalars = Sequence[Scalar]


@dataclass(frozen=True)
class Moving:
    """The motion of a link frame."""

    w: Vector
    wd: Vector
    vd: Vector

    def in_frame(self, at: Placement) -> Moving:
        """In frame b of the same body; `at` is pose_a_b:  Rᵀω,  Rᵀω̇,  Rᵀ(v̇ + ω̇×p + ω×(ω×p))"""
        vd = self.vd + lever_acceleration(self.w, self.wd, at.p)
        return Moving(unrotate(at.R, self.w), unrotate(at.R, self.wd), unrotate(at.R, vd))


@dataclass(frozen=True)
class Loaded:
    """What joint i transmits from its parent link to link i, as three frames see it."""

    own: Wrench  # at the link frame's origin, in its axes
    joint: Wrench  # at the joint, in the axes that move with it
    parent: Wrench  # handed to the parent, at its origin and in its axes


@dataclass(frozen=True)
class NewtonEuler:
    """The recursion with every intermediate, link by link."""

    motion: list[Moving]
    F: list[Vec3]
    N: list[Vec3]
    loads: list[Loaded]
    tau: list[Scalar]
    base: Wrench  # what the base gives, at its origin and in its axes


def ground(chain: Tree) -> Moving:
    """A base that stands still, accelerating against gravity: ω₀ = 0, ω̇₀ = 0, v̇₀ = −g"""
    return Moving(NULL, NULL, unrotate(chain.base.R, neg(chain.gravity)))


def newton_euler(
    chain: Tree, q: Scalars, qd: Scalars, qdd: Scalars, wrench: Scalars | None = None, base: Moving | None = None
) -> NewtonEuler:
    """Torques of the bare mechanism. `wrench` (force, moment; world axes) acts on the tool at its origin.

    `base` is the base's own motion, in its axes: ω₀, ω̇₀ and its acceleration less gravity; none is a fixed base.
    """
    motions = chain.motions(q)
    rows = list(zip(chain.links, motions, map(Link.along_z, chain.links, qd), map(Link.along_z, chain.links, qdd)))
    moving = chain.outward(move, rows, base or ground(chain))
    F = [newton(link.inertia, state) for link, state in zip(chain.links, moving)]
    N = [euler(link.inertia, state) for link, state in zip(chain.links, moving)]
    loads = chain.inward(load, list(zip(chain.links, motions, F, N)), tip_load(chain, motions, wrench))
    tau = [link.along_z(link.kind.effort(x.joint.f, x.joint.n)) for link, x in zip(chain.links, loads)]
    return NewtonEuler(moving, F, N, loads, tau, together(NOTHING, chain.on_base(loads)))


def move(parent: Moving, row: tuple[Link, Placement, Scalar, Scalar]) -> Moving:
    """From the parent to link i:  to the foot of its joint, through the joint, to its frame."""
    link, motion, qd, qdd = row
    return through(link, parent.in_frame(link.before), motion, qd, qdd).in_frame(link.after)


def through(link: Link, foot: Moving, motion: Placement, qd: Scalar, qdd: Scalar) -> Moving:
    """From one side of a joint to the other, which turns by θ about z and slides by d along it.

    ω' = Rᵀω + θ̇z      ω̇' = Rᵀω̇ + θ̈z + Rᵀω×θ̇z      v̇' = Rᵀ(v̇ + ω̇×p + ω×(ω×p) + 2ω×ḋz + d̈z)
    """
    thd, thdd, dd, ddd = link.kind.turn(qd), link.kind.turn(qdd), link.kind.slide(qd), link.kind.slide(qdd)
    slid = lever_acceleration(foot.w, foot.wd, motion.p) + (cross(foot.w, along_z(2 * dd)) + along_z(ddd))
    w, wd, vd = (unrotate(motion.R, x) for x in (foot.w, foot.wd, foot.vd + slid))
    return Moving(w + along_z(thd), wd + Vec3((w[1] * thd, -w[0] * thd, thdd)), vd)


def lever_acceleration(w: Vector, wd: Vector, p: Vector) -> Vec3:
    """What a lever p adds to an acceleration: ω̇×p + ω×(ω×p)"""
    return cross(wd, p) + cross(w, cross(w, p))


def newton(body: RigidBody, x: Moving) -> Vec3:
    """F = m v̇ + ω̇×s + ω×(ω×s)"""
    return scale(body.m, x.vd) + lever_acceleration(x.w, x.wd, body.s)


def euler(body: RigidBody, x: Moving) -> Vec3:
    """N = I ω̇ + ω×(I ω) + s×v̇"""
    return rotate(body.I, x.wd) + cross(x.w, rotate(body.I, x.w)) + cross(body.s, x.vd)


def tip_load(chain: Tree, motions: Sequence[Placement], wrench: Scalars | None) -> dict[int, Loaded]:
    """What the link that holds the tool passes on to the environment, in its frame: f = −F_ext, n = −N_ext − p×F_ext"""
    if wrench is None:
        return {}
    force, moment = Vec3(wrench[:3]), Vec3(wrench[3:])
    way = [(chain.links[i], motions[i]) for i in chain.support(chain.holder)]
    turns = [chain.base.R] + [R for link, m in way for R in (link.before.R, m.R, link.after.R)]
    for R in turns:
        force, moment = unrotate(R, force), unrotate(R, moment)
    load = Wrench(neg(force), -(moment + cross(chain.tool.p, force)))
    return {chain.holder: Loaded(NOTHING, NOTHING, load)}


NOTHING = Wrench(NULL, NULL)


def together(own: Wrench, children: Sequence[Loaded]) -> Wrench:
    """F + Σ f_k,  N + Σ n_k"""
    for child in children:
        own = child.parent + own
    return own


def load(children: Sequence[Loaded], row: tuple[Link, Placement, Vector, Vector]) -> Loaded:
    """From what link i carries to link i, through joint i, and to the parent's origin.

    z is the same on both sides of a joint, so the motor's share is read on its moving side.
    """
    link, motion, F, N = row
    own = together(Wrench(F, N), children)
    joint = own.in_frame(link.after)
    return Loaded(own, joint, joint.in_frame(motion).in_frame(link.before))
