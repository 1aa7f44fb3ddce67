"""Composite bodies in motion: what every joint carries, how much of it there is and how it moves about.

Let W be the velocity field of a link (its point r moves at ω×r + v), H = Ẇ + W² its acceleration field (U r + V), and
J its moments of mass of order 0, 1 and 2. Over all links beyond a joint, their motion measured from the link before it,

    J = Σ J_k        [D d] = 2 Σ W_k J_k        Q = the wrench of Σ H_k J_k

Inward over a joint with unit motion L and displacement x, and from a link to the one before it,

    D + 2ẋ L J        Q + ẋ L D + (ẍ L + ẋ² L²) J        K + S pᵀ + p S'ᵀ        D + d pᵀ        n + p×f

All of it stands at the joint's origin, in the axes of its run of parallel joints, as in `acceleration_field`. Frames
must be on the joints.

Source: the letters W, H, J, L are those of Legnani, Casolo, Righettini, Zappa, "A homogeneous matrix approach to 3D
kinematics and dynamics", Mechanism and Machine Theory 31 (1996). The recursion is derived here: of two motions, one on
the other, W = W₁ + W₂ and H = H₁ + 2 W₁ W₂ + H₂ (Coriolis), with W₁ = ẋ L and H₁ = ẍ L + ẋ² L² of the joint; and a
shift by p takes r to r + p in ∫ r rᵀ dm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from manipula.mechanics.models.dynamics.acceleration_field import Spin, Wrench, continues
from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody
from manipula.mechanics.spatial.vector import (
    IDENTITY,
    NULL,
    STRAIGHT,
    Matrix,
    Turn,
    Vector,
    Z,
    add,
    cross,
    dot,
    matadd,
    neg,
    outer,
    rotate,
    rotate_matrix,
    rotate_z,
    rotate_z_back,
    scale,
    turned_matrix,
    unrotate,
)
from manipula.scalar import Judge, Scalar

SHORT = 1e-12  # m


@dataclass(frozen=True)
class MovingJoint:
    """A joint in the axes of its run; spin and V are those of the link before it, at the joint's origin."""

    link: Link
    angle: Scalar
    turn: Turn
    slide: Vector
    rate: Scalar
    acceleration: Scalar
    spin: Spin
    V: Vector
    joined: bool  # to the run of the joint before

    def link_motion(self) -> tuple[Spin, Vector]:
        """Spin and V of the link the joint moves:  V + 2ω×ḋz + d̈z"""
        kind, (wx, wy, _) = self.link.kind, self.spin.w
        speed = 2 * kind.slide(self.rate)
        V = add(self.V, (speed * wy, -(speed * wx), kind.slide(self.acceleration)))
        return self.spin.faster(kind.turn(self.rate), kind.turn(self.acceleration)), V


def joints_of(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[MovingJoint]:
    """The motion, from the base outward; the base accelerates at −g."""
    found: list[MovingJoint] = []
    for link, *motion in zip(chain.links, q, qd, qdd, strict=True):
        x, rate, acceleration = map(link.along_z, motion)
        joined = bool(found) and continues(link)
        angle = (found[-1].angle if joined else 0) + link.kind.turn(link.offset + x)
        still = isinstance(angle, int) and angle == 0
        turn = STRAIGHT if still else (chain.maths.cos(angle), chain.maths.sin(angle))
        spin, V = _onto(link, found[-1], joined) if found else _base(chain)
        slide = (0, 0, link.kind.slide(link.offset + x))
        found.append(
            MovingJoint(link, angle, turn, slide, rate, acceleration, spin, add(V, scale(slide[2], spin.Uz)), joined)
        )
    return found


def _base(chain: Tree) -> tuple[Spin, Vector]:
    return Spin(), unrotate(chain.links[0].before.R, unrotate(chain.base.R, neg(chain.gravity)))


def _onto(link: Link, parent: MovingJoint, joined: bool) -> tuple[Spin, Vector]:
    """The parent link's motion at the foot of its next joint, in that joint's axes:  V + U p"""
    (spin, V), before = parent.link_motion(), link.before
    if joined:
        return spin, add(V, rotate(spin.field(), rotate_z(parent.turn, before.p)))
    own, axis = spin.rotate_back(parent.turn), rotate(before.R, Z)
    U = own.field()
    seen = Spin(unrotate(before.R, own.w), dot(own.wd(), axis), unrotate(before.R, rotate(U, axis)))
    return seen, unrotate(before.R, add(rotate_z_back(parent.turn, V), rotate(U, before.p)))


def slid_back(chain: Tree, judge: Judge) -> list[int]:
    """Links (from 1) whose lever lies along the axis it leads to: the frame may stand at the parent's, without one."""

    def is_long(p: Vector) -> bool:
        return not all(judge.zero(x, SHORT) for x in p)

    links = frames_on_joints(chain).links
    levers = [(i, rotate(link.before.R, Z), link.before.p) for i, link in enumerate(links, 1)]
    return [i for i, axis, p in levers[1:] if is_long(p) and not is_long(cross(axis, p))]


@dataclass(frozen=True)
class Beyond:
    """J, D, d, Q of a joint; `about` = Dxx + Dyy, which no turn about z changes."""

    body: RigidBody
    D: Matrix
    d: Vector
    about: Scalar
    Q: Wrench


NOTHING = Beyond(RigidBody().by_axial_moments(), (NULL, NULL, NULL), NULL, 0, (NULL, NULL))


@dataclass(frozen=True)
class Road:
    """From the next joint inward: to its foot, by R and p into the link's axes, by a turn into those of the run.

    `own_turn` is that of the link's body. `slip` and `u` are twice the velocities on the levers `slide` and `p`, this
    joint's own speed along its axis included: the origin of each joint counts as a point of the link before it.
    """

    slide: Vector = NULL
    slip: Vector = NULL
    R: Matrix = IDENTITY
    p: Vector = NULL
    u: Vector = NULL
    own_turn: Turn = STRAIGHT
    turn: Turn = STRAIGHT

    def wrench(self, x: Wrench) -> Wrench:
        """n + p×f"""
        f, n = rotate(self.R, x[0]), rotate(self.R, add(x[1], cross(self.slide, x[0])))
        return rotate_z(self.turn, f), rotate_z(self.turn, add(n, cross(self.p, f)))

    def couple(self, t: Vector, force: Vector) -> Vector:
        """t + u×f: what changes with the origin that velocities are measured from"""
        f, t = rotate(self.R, force), rotate(self.R, add(t, cross(self.slip, force)))
        return rotate_z(self.turn, add(t, cross(self.u, f)))

    def beyond(self, x: Beyond, link: Link) -> Beyond:
        """With the link's own body, which does not move as seen from itself."""
        beyond = x.body.shift(self.slide).rotate(self.R).shift(self.p)
        body = link.inertia.by_axial_moments().about_z(self.own_turn) + beyond
        D, d = matadd(x.D, outer(x.d, self.slide)), rotate(self.R, x.d)
        D = matadd(rotate_matrix(self.R, D), outer(d, self.p))
        about, Q = D[0][0] + D[1][1], self.wrench(x.Q)
        return Beyond(body.about_z(self.turn), turned_matrix(self.turn, D), rotate_z(self.turn, d), about, Q)


def roads_of(joints: Sequence[MovingJoint]) -> list[Road]:
    """To every joint from the next one; to the last from nowhere."""
    return [*map(_road, joints, joints[1:]), Road(own_turn=joints[-1].turn)]


def _road(joint: MovingJoint, following: MovingJoint) -> Road:
    before, w = following.link.before, twice(following.spin.w)
    slip, own = cross(w, following.slide), (0, 0, 2 * joint.link.kind.slide(joint.rate))
    if following.joined:
        p = rotate_z(joint.turn, before.p)
        return Road(following.slide, slip, IDENTITY, p, add(cross(w, p), own), joint.turn)
    u = add(cross(rotate(before.R, w), before.p), own)
    return Road(following.slide, slip, before.R, before.p, u, turn=joint.turn)


def twice(a: Vector) -> Vector:
    return scale(2, a)


def gather_beyond(joints: Sequence[MovingJoint], roads: Sequence[Road]) -> list[Beyond]:
    """What every joint carries, measured from the link before it."""

    def step(x: Beyond, item: tuple[MovingJoint, Road]) -> Beyond:
        joint, road = item
        return past(joint, road.beyond(x, joint.link))

    return list(accumulate(reversed(list(zip(joints, roads, strict=True))), step, initial=NOTHING))[:0:-1]


def past(at: MovingJoint, x: Beyond) -> Beyond:
    """Over a joint: its turn and its slide one after the other. Both at once have no terms of their own, for L² is that
    of the turn, z×z being nothing, and L D, too, D and d having no row that a slide could meet."""
    kind = at.link.kind
    x = _past_turn(kind.turn(at.rate), kind.turn(at.acceleration), x) if kind.turns else x
    return _past_slide(kind.slide(at.rate), kind.slide(at.acceleration), x) if kind.slides else x


def _past_turn(rate: Scalar, acceleration: Scalar, x: Beyond) -> Beyond:
    """L J = (z×S, I z), L² J = (z×(z×S), …)"""
    (Sx, Sy, _), K, D, square = x.body.s, x.body.K, x.D, rate * rate
    F, N = (-Sy, Sx, 0), (-K[0][2], -K[1][2], x.body.J)
    f = add(scale(rate, (-x.d[1], x.d[0], 0)), add(scale(acceleration, F), scale(square, (-Sx, -Sy, 0))))
    n = scale(rate, (-D[0][2], -D[1][2], x.about))
    n = add(n, add(scale(acceleration, N), scale(square, (K[1][2], -K[0][2], 0))))
    D = matadd(D, (scale(-2 * rate, K[1]), scale(2 * rate, K[0]), NULL))
    return replace(x, D=D, d=add(x.d, scale(2 * rate, F)), Q=(add(x.Q[0], f), add(x.Q[1], n)))


def _past_slide(rate: Scalar, acceleration: Scalar, x: Beyond) -> Beyond:
    """L J = (M z, S×z), L² = 0"""
    M, S = x.body.m, x.body.s
    D, d = matadd(x.D, (NULL, NULL, scale(2 * rate, S))), add(x.d, (0, 0, 2 * rate * M))
    f, n = (0, 0, acceleration * M), scale(acceleration, (S[1], -S[0], 0))
    return replace(x, D=D, d=d, Q=(add(x.Q[0], f), add(x.Q[1], n)))
