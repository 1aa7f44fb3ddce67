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
from typing import Any

from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.inertia import Inertia
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import NULL, Vector, add, cross, neg, rotate, scale, unrotate


@dataclass(frozen=True)
class Moving:
    """The motion of a link frame."""

    w: Vector
    wd: Vector
    vd: Vector


@dataclass(frozen=True)
class Loaded:
    """What joint i transmits from its parent link to link i.

    (f, n): at the link frame's origin, in its axes; (fj, nj): at the joint, in the axes that move with it;
    (fp, np): handed to the parent, at its origin and in its axes.
    """

    f: Vector
    n: Vector
    fj: Vector
    nj: Vector
    fp: Vector
    np: Vector


@dataclass(frozen=True)
class NewtonEuler:
    """The recursion with every intermediate, link by link."""

    motion: list[Moving]
    F: list[Vector]
    N: list[Vector]
    loads: list[Loaded]
    tau: list[Any]
    base: tuple[Vector, Vector]  # what the base gives: force and moment at its origin, in its axes


def ground(chain: Tree) -> Moving:
    """A base that stands still, accelerating against gravity: ω₀ = 0, ω̇₀ = 0, v̇₀ = −g"""
    return Moving(NULL, NULL, unrotate(chain.base.R, neg(chain.gravity)))


def newton_euler(
    chain: Tree,
    q: Sequence[Any],
    qd: Sequence[Any],
    qdd: Sequence[Any],
    wrench: Sequence[Any] | None = None,
    base: Moving | None = None,
) -> NewtonEuler:
    """Torques of the bare mechanism. `wrench` (force, moment; world axes) acts on the tool at its origin.

    `base` is the base's own motion, in its axes: ω₀, ω̇₀ and its acceleration less gravity; none is a fixed base.
    """
    motions = chain.motions(q)
    rows = list(zip(chain.links, motions, map(Link.signed, chain.links, qd), map(Link.signed, chain.links, qdd)))
    moving = chain.outward(move, rows, base or ground(chain))
    F = [newton(link.inertia, state) for link, state in zip(chain.links, moving)]
    N = [euler(link.inertia, state) for link, state in zip(chain.links, moving)]
    loads = chain.inward(load, list(zip(chain.links, motions, F, N)), tip_load(chain, motions, wrench))
    tau = [link.signed(link.kind.effort(x.fj, x.nj)) for link, x in zip(chain.links, loads)]
    return NewtonEuler(moving, F, N, loads, tau, together(NULL, NULL, chain.on_base(loads)))


def move(parent: Moving, row: tuple[Link, Placement, Any, Any]) -> Moving:
    """From the parent to link i."""
    link, motion, qd, qdd = row
    before, after = link.before, link.after
    thd, thdd, dd, ddd = link.kind.turn(qd), link.kind.turn(qdd), link.kind.slide(qd), link.kind.slide(qdd)
    # to the joint's foot:  v̇ + ω̇×p + ω×(ω×p)
    w, wd = unrotate(before.R, parent.w), unrotate(before.R, parent.wd)
    vd = unrotate(before.R, add(parent.vd, swing(parent.w, parent.wd, before.p)))
    # ω' = Rᵀω + θ̇z      ω̇' = Rᵀω̇ + θ̈z + Rᵀω×θ̇z      v̇' = Rᵀ(v̇ + ω̇×p + ω×(ω×p) + 2ω×ḋz + d̈z)
    slid = add(swing(w, wd, motion.p), add(cross(w, (0, 0, 2 * dd)), (0, 0, ddd)))
    w, wd, vd = (unrotate(motion.R, x) for x in (w, wd, add(vd, slid)))
    w, wd = add(w, (0, 0, thd)), add(wd, (w[1] * thd, -w[0] * thd, thdd))
    # to the link frame
    vd = add(vd, swing(w, wd, after.p))
    return Moving(*(unrotate(after.R, x) for x in (w, wd, vd)))


def swing(w: Vector, wd: Vector, p: Vector) -> Vector:
    """What a lever p adds to an acceleration: ω̇×p + ω×(ω×p)"""
    return add(cross(wd, p), cross(w, cross(w, p)))


def newton(body: Inertia, x: Moving) -> Vector:
    """F = m v̇ + ω̇×s + ω×(ω×s)"""
    return add(scale(body.m, x.vd), swing(x.w, x.wd, body.s))


def euler(body: Inertia, x: Moving) -> Vector:
    """N = I ω̇ + ω×(I ω) + s×v̇"""
    return add(add(rotate(body.I, x.wd), cross(x.w, rotate(body.I, x.w))), cross(body.s, x.vd))


def tip_load(chain: Tree, motions: Sequence[Placement], wrench: Sequence[Any] | None) -> dict[int, Loaded]:
    """What the link that holds the tool passes on to the environment, in its frame: f = −F_ext, n = −N_ext − p×F_ext"""
    if wrench is None:
        return {}
    force, moment = (wrench[0], wrench[1], wrench[2]), (wrench[3], wrench[4], wrench[5])
    way = [(chain.links[i], motions[i]) for i in chain.support(chain.holder)]
    turns = [chain.base.R] + [R for link, m in way for R in (link.before.R, m.R, link.after.R)]
    for R in turns:
        force, moment = unrotate(R, force), unrotate(R, moment)
    f, n = neg(force), neg(add(moment, cross(chain.tool.p, force)))
    return {chain.holder: Loaded(NULL, NULL, NULL, NULL, f, n)}


def together(F: Vector, N: Vector, children: Sequence[Loaded]) -> tuple[Vector, Vector]:
    """F + Σ f_k,  N + Σ n_k"""
    for child in children:
        F, N = add(child.fp, F), add(child.np, N)
    return F, N


def load(children: Sequence[Loaded], row: tuple[Link, Placement, Vector, Vector]) -> Loaded:
    """From what link i carries to link i, and through joint i."""
    link, motion, F, N = row
    f, n = together(F, N, children)
    # to the joint:  R f,  R n + p×R f; z is the same on both its sides, so the motor's share is read here
    fj = rotate(link.after.R, f)
    nj = add(rotate(link.after.R, n), cross(link.after.p, fj))
    # through the joint, and to the parent's origin
    f0 = rotate(motion.R, fj)
    n0 = add(rotate(motion.R, nj), cross(motion.p, f0))
    fp = rotate(link.before.R, f0)
    np = add(rotate(link.before.R, n0), cross(link.before.p, fp))
    return Loaded(f, n, fj, nj, fp, np)
