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
from typing import NamedTuple

from manipula.mechanics.models.derivatives.dual import Given
from manipula.mechanics.models.dynamics.acceleration_field import Wrench, moment_by_field, wrench_of
from manipula.mechanics.models.dynamics.friction import NO_FORWARD, friction, refuse_loaded, slips
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver, invert_inertia
from manipula.mechanics.models.dynamics.moving_bodies import (
    Beyond,
    MovingJoint,
    Road,
    gather_beyond,
    joints_of,
    roads_of,
    twice,
)
from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.models.entry import MOVING, TORQUES, ModelEntry
from manipula.mechanics.models.lagrange import christoffel
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.inertia import Moments, RigidBody, half
from manipula.mechanics.spatial.vector import (
    Vector,
    Z,
    add,
    cross,
    dot,
    is_structural_zero,
    neg,
    rotate,
    rotate_z,
    rotate_z_back,
    scale,
    sum_of,
    symmetric,
    unrotate,
)
from manipula.scalar import Scalar


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


def contact_torques(joints: Sequence[MovingJoint], found: Sequence[Touch]) -> list[Scalar]:
    """Of the motors, against the wrench."""
    pairs = zip(joints, found)
    return [at.link.along_z(at.link.kind.effort(x.F, add(x.N, cross(x.P, x.F)))) for at, x in pairs]


def contact_partials(joints: Sequence[MovingJoint], roads: Sequence[Road], found: Sequence[Touch]) -> Rows:
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


Rows = list[list[Scalar]]


@dataclass(frozen=True)
class Told:
    """What a joint hands to those inward of it."""

    F: Wrench
    t: Vector
    s: Wrench
    r: Wrench

    def along(self, road: Road) -> Told:
        F, t = road.wrench(self.F), road.couple(self.t, self.F[0])
        return Told(F, t, road.wrench(self.s), road.wrench(self.r))

    def with_slide(self, slide: Scalar, other: Told) -> Told:
        """Together with what so much of another motion gives."""

        def both(a: Wrench, b: Wrench) -> Wrench:
            return add(a[0], scale(slide, b[0])), add(a[1], scale(slide, b[1]))

        t = add(self.t, scale(slide, other.t))
        return Told(both(self.F, other.F), t, both(self.s, other.s), both(self.r, other.r))


class Partials(NamedTuple):
    """∂τ/∂q, ∂τ/∂q̇, ∂τ/∂q̈ of the bare mechanism: a row a torque."""

    dq: Rows
    dqd: Rows
    dqdd: Rows


def inverse(chain: Tree, x: Given) -> dict[str, Rows]:
    """Of the motor torques: with motor inertia, friction and the tool's wrench."""
    dq, dqd, dqdd = partials(chain, x["q"], x["qd"], x["qdd"])
    if x.get("wrench") is not None:
        dq = [[a + b for a, b in zip(*rows)] for rows in zip(dq, contact_partials(*_contact_wrenches(chain, x)))]
    for i, (link, slip) in enumerate(zip(chain.links, slips(chain, x["qd"], _loads(chain, x)), strict=True)):
        by_rate, by_load = link.actuator.slopes(slip)
        if not is_structural_zero(by_load):  # friction follows what the joint bears
            for rows in (dq, dqd, dqdd):
                rows[i] = [entry + by_load * entry for entry in rows[i]]
        dqd[i][i] = dqd[i][i] + by_rate
        dqdd[i][i] = dqdd[i][i] + link.motor_inertia
    return {"dq": dq, "dqd": dqd, "dqdd": dqdd}


def _loads(chain: Tree, x: Given) -> Sequence[Scalar] | None:
    """The torques of the bare mechanism, where friction asks for them."""
    if not any(link.actuator.depends_on_load for link in chain.links):
        return None
    return newton_euler(chain, x["q"], x["qd"], x["qdd"], x.get("wrench")).tau


def forward(chain: Tree, x: Given) -> dict[str, Rows]:
    """Of the accelerations, −M⁻¹ ∂τ: neither M nor ∂τ/∂q̇ asks for q̈, and C = ½ ∂τ/∂q̇ gives the torques of q̇."""
    refuse_loaded(chain, NO_FORWARD)
    still = [0] * chain.dof
    _, dqd, M = partials(chain, x["q"], x["qd"], still)
    for i, link in enumerate(chain.links):
        M[i][i] = M[i][i] + link.motor_inertia
    C, lost = [dot(row, list(map(half, x["qd"]))) for row in dqd], friction(chain, x["qd"])
    bias = map(sum_of, zip(C, gravity(chain, x["q"]), lost, _contact(chain, x)))
    solve = InertiaSolver(M)
    moved = inverse(chain, {**x, "qdd": solve([t - b for t, b in zip(x["tau"], bias)])})
    columns = {name: [solve([-entry for entry in column]) for column in zip(*moved[name])] for name in ("dq", "dqd")}
    return {name: [list(row) for row in zip(*solved)] for name, solved in columns.items()} | {"dtau": invert_inertia(M)}


def coriolis_matrix(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar]) -> Rows:
    """C = ½ ∂τ/∂q̇, which is linear in q̇; it is the one of Christoffel's symbols."""
    return partials(chain, q, list(map(half, qd)), [0] * chain.dof).dqd


def gravity(chain: Tree, q: Sequence[Scalar]) -> list[Scalar]:
    """The torques that hold the arm still: a joint's unit acceleration asks for the force f, and f·V is its work"""
    still = [0] * chain.dof
    joints = joints_of(chain, q, still, still)
    return [at.link.along_z(dot(words.F[0], at.V)) for at, words in zip(joints, told_of(joints, roads_of(joints)))]


def _contact(chain: Tree, x: Given) -> Sequence[Scalar]:
    """The torques against the tool's wrench."""
    if x.get("wrench") is None:
        return [0] * chain.dof
    joints, _, found = _contact_wrenches(chain, x)
    return contact_torques(joints, found)


def _contact_wrenches(chain: Tree, x: Given) -> tuple[list[MovingJoint], list[Road], list[Touch]]:
    still = [0] * chain.dof
    joints = joints_of(chain, x["q"], still, still)
    roads = roads_of(joints)
    return joints, roads, touches(chain, joints, roads, x["wrench"])


def partials(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> Partials:
    joints = joints_of(chain, q, qd, qdd)
    roads = roads_of(joints)
    dq, dqd, dqdd = (_blank(chain.dof) for _ in range(3))
    found = Partials(dq, dqd, dqdd)
    for i, words in enumerate(told_of(joints, roads)):
        for j in range(i, -1, -1):
            words = words if i == j else words.along(roads[j])
            _enter(found, i, j, words, joints)
    return found


def _blank(n: int) -> Rows:
    return [[0] * n for _ in range(n)]


def told_of(joints: Sequence[MovingJoint], roads: Sequence[Road]) -> list[Told]:
    return [told_by(at, x) for at, x in zip(joints, gather_beyond(joints, roads))]


def _enter(found: Partials, i: int, j: int, words: Told, joints: Sequence[MovingJoint]) -> None:
    """What joint j learns from joint i: ∂τ_j by i's motion, then ∂τ_i by its own."""
    at, other = joints[j].link, joints[i].link

    def with_directions(x: Scalar) -> Scalar:
        return at.along_z(other.along_z(x))

    found.dqdd[i][j] = found.dqdd[j][i] = with_directions(at.kind.effort(*words.F))
    found.dqd[j][i], found.dq[j][i] = (
        with_directions(at.kind.effort(*words.s)),
        with_directions(at.kind.effort(*words.r)),
    )
    kind = joints[j].link.kind
    found.dqd[i][j], found.dq[i][j] = map(
        with_directions, _quadratic_terms(joints[j], words.F, words.t, kind.turn(1), kind.slide(1))
    )


def _quadratic_terms(at: MovingJoint, F: Wrench, t: Vector, turns: Scalar, slides: Scalar) -> tuple[Scalar, Scalar]:
    """⟨2(L̇ J + L G)⟩ and ⟨L̈ J + 2 L̇ G⟩, where L̇ = (ż, 0), L̈ = (z̈, −z×V) turns, (0, ż), (0, z̈) slides; z̈ = U z"""
    f, n = F
    zd, zdd, (Vx, Vy, _) = axis_rate(at), at.spin.Uz, at.V
    arm = add(scale(turns, n), scale(slides, f))
    by_rate = dot(arm, twice(zd)) + turns * t[2]
    return by_rate, dot(arm, zdd) + turns * (f[0] * Vy - f[1] * Vx + dot(t, zd))


def axis_rate(at: MovingJoint) -> Vector:
    """ż = ω×z"""
    return (at.spin.w[1], -at.spin.w[0], 0)


def told_by(at: MovingJoint, x: Beyond) -> Told:
    """All four are linear in the joint's unit motion: a screw gives the sum of its turn and its slide."""
    kind = at.link.kind
    if not kind.slides:
        return _revolute_slopes(at, x)
    sliding = _prismatic_slopes(at, x)
    return _revolute_slopes(at, x).with_slide(kind.slide(1), sliding) if kind.turns else sliding


def _revolute_slopes(at: MovingJoint, x: Beyond) -> Told:
    """A revolute joint: J' and [D d]' are those of bodies turned about z, Q' is a wrench turned."""
    (Sx, Sy, _), K, D, d, w = x.body.s, x.body.K, x.D, x.d, at.spin.w
    F = ((-Sy, Sx, 0), (-K[0][2], -K[1][2], x.body.J))
    t = add(rotate(K, twice(axis_rate(at))), (-D[2][0], -D[2][1], x.about))
    Kw, around = rotate(K, twice(w)), (-d[1], d[0], 0)
    s = (add(cross(twice(w), F[0]), around), (Kw[1] - D[0][2], -Kw[0] - D[1][2], x.about))
    across, along = 2 * K[0][1], K[0][0] - K[1][1]
    turned = RigidBody(0, F[0], Moments(symmetric(-across, along, -K[1][2], across, K[0][2], 0)))
    f, n = wrench_of(turned, at.spin, at.V, moment_by_field)
    f, mixed, even = add(f, cross(w, around)), D[0][1] + D[1][0], D[0][0] - D[1][1]
    n = add(n, (-dot((-mixed, even, -D[1][2]), w), -dot((even, mixed, D[0][2]), w), 0))
    (fx, fy, _), (nx, ny, _) = x.Q
    r = add(f, (-fy, fx, 0)), add(n, (-ny, nx, 0))
    return Told(
        F, t, s, (r[0], (r[1][0], r[1][1], _quadratic_terms(at, F, t, 1, 0)[1]))
    )  # about its own axis both ways are one


def _prismatic_slopes(at: MovingJoint, x: Beyond) -> Told:
    """A prismatic joint: J' = (z Sᵀ + S zᵀ, M z, 0), [D d]' = (d zᵀ, 0), and of Q its force has a lever."""
    M, S, d, w, zd = x.body.m, x.body.s, x.d, at.spin.w, twice(axis_rate(at))
    g = add(cross(twice(w), S), d)
    moved = RigidBody(0, (0, 0, M), Moments(symmetric(0, 0, S[0], 0, S[1], 2 * S[2])))
    f, n = wrench_of(moved, at.spin, at.V, moment_by_field)
    n = add(n, cross((0, 0, 1), add(cross(w, d), x.Q[0])))
    return Told(((0, 0, M), (S[1], -S[0], 0)), (g[1], -g[0], 0), (scale(M, zd), cross(S, zd)), (f, n))


ENTRIES = (
    ModelEntry(
        "coriolis_matrix", "C(q, q̇), with Ṁ − 2C skew", ("q", "qd"), {"C": ("kg·m²/s", "Christoffel form")},
        {
            "christoffel": lambda c, x: {"C": christoffel.coriolis_matrix(c, x["q"], x["qd"])},
            "carried": lambda c, x: {"C": christoffel.coriolis_matrix_carried(c, x["q"], x["qd"])},
            MOVING: lambda c, x: {"C": coriolis_matrix(c, x["q"], x["qd"])},
        },
        TORQUES, candidates=("christoffel", MOVING), trees=("christoffel", "carried"),
    ),
)  # fmt: skip
