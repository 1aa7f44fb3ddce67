"""What a wrench on the tool asks of the motors, and how that changes with the position; nothing is traced.

The wrench is given in world axes: force F and moment N stay what they are while the arm moves. With P the tool's
origin seen from a joint and z×P or z its velocity when that joint moves alone,

    τ_i = −z·(N + P×F)   or   −z·F                            a revolute, a prismatic joint
    ∂τ_i/∂q_j = the share about axis i of the couple of j:  e_j = −(z×P)×F   or   −z×F               j > i
    ∂τ_i/∂q_j = the share about axis j of the couple of i:  e_i, and −z×N with it for a revolute i   j ≤ i

Derived here from virtual work, τ = −Jᵀ (F, N): moving joint j turns every axis and lever beyond it by z_j, and leaves
those before it alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manipula.mechanics.models.dynamics.moving_bodies import MovingJoint, Road
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.vector import (
    Vector,
    Z,
    add,
    cross,
    neg,
    rotate,
    rotate_z,
    rotate_z_back,
    scale,
    unrotate,
)
from manipula.scalar import Scalar

Rows = list[list[Scalar]]


@dataclass(frozen=True)
class Touch:
    """At a joint, in the axes of its run: minus the force and the moment, and the tool's origin."""

    F: Vector
    N: Vector
    P: Vector


def touches(chain: Tree, joints: Sequence[MovingJoint], roads: Sequence[Road], wrench: Sequence[Scalar]) -> list[Touch]:
    """Force and moment turned outward, the tool's origin moved inward."""
    F, N = (neg((x[0], x[1], x[2])) for x in (wrench[:3], wrench[3:]))
    F, N = unrotate(chain.base.R, F), unrotate(chain.base.R, N)
    felt = []
    for at, road in zip(joints, [None, *roads]):
        if not at.joined:
            F, N = (unrotate(at.link.before.R, rotate_z_back(road.turn, x) if road else x) for x in (F, N))
        felt.append((F, N))
    P, places = rotate_z(joints[-1].turn, chain.tool.p), []
    for road in reversed(roads[:-1]):
        places.append(P)
        P = rotate_z(road.turn, add(rotate(road.R, add(P, road.slide)), road.p))
    return [Touch(F, N, P) for (F, N), P in zip(felt, [P, *reversed(places)])]


def torques(joints: Sequence[MovingJoint], found: Sequence[Touch]) -> list[Scalar]:
    """Of the motors, against the wrench."""
    pairs = zip(joints, found)
    return [at.link.along_z(at.link.kind.effort(x.F, add(x.N, cross(x.P, x.F)))) for at, x in pairs]


def partials(joints: Sequence[MovingJoint], roads: Sequence[Road], found: Sequence[Touch]) -> Rows:
    """∂τ/∂q: a row a torque."""
    rows: Rows = [[0 for _ in joints] for _ in joints]
    for i, (at, x) in enumerate(zip(joints, found)):
        e, own = couples(at, x)
        for j in range(i, -1, -1):
            if j < i:
                e, own = (rotate_z(roads[j].turn, rotate(roads[j].R, c)) for c in (e, own))
            link = joints[j].link
            rows[j][i], rows[i][j] = (link.along_z(at.link.along_z(link.kind.turn(c[2]))) for c in (e, own))
    return rows


def couples(at: MovingJoint, x: Touch) -> tuple[Vector, Vector]:
    """e, and what comes with it for the joints inward."""
    turns, slides = at.link.kind.turn(1), at.link.kind.slide(1)
    moved = add(scale(turns, cross(Z, x.P)), scale(slides, Z))
    e = cross(moved, x.F)
    return e, add(e, scale(turns, cross(Z, x.N)))
