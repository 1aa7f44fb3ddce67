"""The momenta of the joints, and what changes them beside motors, friction and contacts.

    p = M(q) q̇ = ∂T/∂q̇        Cᵀ(q, q̇) q̇ − g(q) = ∂(T − V)/∂q        ṗ = τ + Cᵀq̇ − g − friction + Jᵀ·wrench

With C of Christoffel symbols (Cᵀq̇)_k = ½ q̇ᵀ (∂M/∂q_k) q̇ = ∂T/∂q_k, which takes no matrix: with (ω, v) the motion of the
joint's frame, (f, n) the momentum of link k and all beyond it and its moment, both at joint k and in its axes, and s_k
the unit motion of the joint,

    p_k = s_k · (f, n) + Ia q̇_k        ∂T/∂q_k = (f, n) · ((ω, v) × s_k) = s_k · (f×ω, n×ω + f×v)

Derived here: link k sees the motion of its parent through the joint, and ∂/∂q_k of that is its bracket with s_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from manipula.mechanics.models.dynamics.composite import gravity_composite, inertia_matrix
from manipula.mechanics.models.entry import TORQUES, ModelEntry
from manipula.mechanics.models.lagrange.christoffel import coriolis_matrix
from manipula.mechanics.models.ports import EFFORT, MOMENTUM
from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.inertia import Twist, Wrench, momentum
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import NULL, add, cross, dot
from manipula.scalar import Scalar

STILL = Twist(NULL, NULL)
NOTHING = Wrench(NULL, NULL)


class Momenta(NamedTuple):
    """p, and Cᵀq̇ − g."""

    momentum: list[Scalar]
    change: list[Scalar]


def plain(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Momenta:
    """By the matrices: M q̇ and Cᵀ q̇ − g."""
    M, C, g = inertia_matrix(chain, q), coriolis_matrix(chain, q, qd), gravity_composite(chain, q)
    return Momenta([dot(row, qd) for row in M], [dot(column, qd) - weight for column, weight in zip(zip(*C), g)])


def recursive(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Momenta:
    """One walk outward, one inward."""
    rows = list(zip(chain.links, chain.motions(q), map(Link.along_z, chain.links, qd)))
    moving = chain.outward(_move, rows, (STILL, STILL))
    own = [momentum(link.inertia, at) for link, (_, at) in zip(chain.links, moving)]
    loads = chain.inward(_gather, list(zip(chain.links, chain.motions(q), own)))
    found = Momenta([], [])
    for link, (twist, _), (at, _), rate, weight in zip(chain.links, moving, loads, qd, gravity_composite(chain, q)):
        # p_k = s · (f, n) + Ia q̇_k
        found.momentum.append(link.along_z(link.kind.effort(at.f, at.n)) + link.motor_inertia * rate)
        # ∂T/∂q_k = s · (f×ω, n×ω + f×v)
        moment = add(cross(at.n, twist.w), cross(at.f, twist.v))
        found.change.append(link.along_z(link.kind.effort(cross(at.f, twist.w), moment)) - weight)
    return found


def _move(parent: tuple[Twist, Twist], row: tuple[Link, Placement, Scalar]) -> tuple[Twist, Twist]:
    """The motion at the joint, on its moving side, and in the link's frame."""
    link, motion, rate = row
    turned = parent[1].in_frame(link.before).in_frame(motion)
    joint = turned + Twist((0, 0, link.kind.turn(rate)), (0, 0, link.kind.slide(rate)))
    return joint, joint.in_frame(link.after)


def _gather(beyond: Sequence[tuple[Wrench, Wrench]], row: tuple[Link, Placement, Wrench]) -> tuple[Wrench, Wrench]:
    """The momentum of link k and all beyond it: at the joint, and in the parent's frame."""
    link, motion, whole = row
    for _, carried in beyond:
        whole = carried + whole
    joint = whole.in_frame(link.after)
    return joint, joint.in_frame(motion).in_frame(link.before)


ENTRIES = (
    ModelEntry(
        "momentum", "the momenta of the joints, and what changes them beside motors, friction and contacts",
        ("q", "qd"), {"momentum": (MOMENTUM, "M q̇"), "change": (EFFORT, "Cᵀ q̇ − g, C of Christoffel symbols")},
        {
            "christoffel": lambda c, x: plain(c, x["q"], x["qd"])._asdict(),
            "recursive": lambda c, x: recursive(c, x["q"], x["qd"])._asdict(),
        },
        TORQUES, candidates=("recursive",), trees=("christoffel", "recursive"), floating="dynamics",
    ),
)  # fmt: skip
