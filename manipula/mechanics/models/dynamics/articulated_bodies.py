"""Forward dynamics by articulated bodies (Featherstone): one division per joint, cost linear in their number.

Frame k is on joint k. Seen from there, the arm beyond behaves as a body that answers an acceleration with a force

    n = J ω̇ + H v̇ + b_n        f = Hᵀ ω̇ + M v̇ + b_f

with unit motion S = (ω_k, v_k), U = (J ω_k + H v_k, Hᵀ ω_k + M v_k):

    d = S·U + Ia      u = τ − friction − S·b      q̈ = (u − U·(a + c)) / d
    handed to the parent: the same less U Uᵀ / d, with b + (…) c + U u / d, where c = V × S q̇

Source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 7, table 7.1, in 3-vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from manipula.mechanics.models.dynamics import composite_runs, inertia_inverse
from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.dynamics.bodies import OnJoints, axis_twist, on_joints
from manipula.mechanics.models.dynamics.friction import NO_FORWARD, friction, refuse_loaded
from manipula.mechanics.models.dynamics.newton_euler import tip_load
from manipula.mechanics.models.dynamics.torque import ToolWrench, by_field
from manipula.mechanics.models.entry import FIELD, TORQUES, Given, ModelEntry, Outputs
from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody, Twist, Wrench, momentum, power, reciprocal
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import (
    NULL,
    Matrix,
    add,
    cross,
    diagonal,
    matadd,
    matmul,
    matsub,
    neg,
    outer,
    rotate,
    rotate_matrix,
    scale,
    skew,
    transpose,
    turned_matrix,
    unrotate,
)
from manipula.scalar import Scalar


@dataclass(frozen=True)
class Articulated:
    """J, H, M and the bias (b_f, b_n)."""

    J: Matrix
    H: Matrix
    M: Matrix
    bias: Wrench

    def __add__(self, other: Articulated) -> Articulated:
        J, H, M = matadd(self.J, other.J), matadd(self.H, other.H), matadd(self.M, other.M)
        return Articulated(J, H, M, self.bias + other.bias)

    def answer(self, a: Twist) -> Wrench:
        """The force an acceleration takes, without the bias."""
        f = add(rotate(transpose(self.H), a.w), rotate(self.M, a.v))
        return Wrench(f, add(rotate(self.J, a.w), rotate(self.H, a.v)))

    def release_joint(self, U: Wrench, d: Scalar) -> Articulated:
        """Less U Uᵀ / d: what is left when the joint gives way."""
        inverse = reciprocal(d)
        f, n = scale(inverse, U.f), scale(inverse, U.n)
        J, H, M = matsub(self.J, outer(n, U.n)), matsub(self.H, outer(n, U.f)), matsub(self.M, outer(f, U.f))
        return Articulated(J, H, M, self.bias)

    def seen_from(self, at: Placement) -> Articulated:
        """From frame a, `at` being pose_a_b: every block turned, R X Rᵀ, then shifted."""
        J, H, M = (rotate_matrix(at.R, X) for X in (self.J, self.H, self.M))
        return Articulated(J, H, M, self.bias.in_frame(at)).shift(skew(at.p))

    def through(self, motion: Placement) -> Articulated:
        """The same for a joint's motion: a turn about z, or a shift along it."""
        turn = motion.R[0][0], motion.R[1][0]
        J, H, M = (turned_matrix(turn, X) for X in (self.J, self.H, self.M))
        return Articulated(J, H, M, self.bias.in_frame(motion)).shift(skew(motion.p))

    def shift(self, p: Matrix) -> Articulated:
        """H' = H + [p]M,  J' = J − H[p] + [p]H'ᵀ; the bias has been moved already."""
        H = matadd(self.H, matmul(p, self.M))
        J = matadd(matsub(self.J, matmul(self.H, p)), matmul(p, transpose(H)))
        return Articulated(J, H, self.M, self.bias)


@dataclass(frozen=True)
class ArticulatedJoint:
    """What the inward pass leaves at a joint for the outward one."""

    S: Twist
    c: Twist
    U: Wrench
    d: Scalar
    u: Scalar


def forward_dynamics(
    chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar], wrench: ToolWrench = None
) -> list[Scalar]:
    """q̈ under the motor torques `tau`."""
    refuse_loaded(chain, NO_FORWARD)
    frames = on_joints(chain, q)
    driven = [link.along_z(t - loss) for link, t, loss in zip(chain.links, tau, friction(chain, qd), strict=True)]
    joints = inward_pass(frames, velocities(frames, qd), driven, tip_force(frames, wrench))
    return outward_pass(frames, joints)


def velocities(frames: OnJoints, qd: Sequence[Scalar], base: Twist | None = None) -> list[tuple[Twist, Twist]]:
    """(V, c) on every joint: the link's velocity, and c = V × S q̇."""

    def step(parent: tuple[Twist, Twist], row: tuple[Link, Placement, Scalar]) -> tuple[Twist, Twist]:
        link, motion, rate = row
        own = axis_twist(link) * link.along_z(rate)
        moving = parent[0].in_frame(link.before).in_frame(motion) + own
        return moving, Twist(cross(moving.w, own.w), add(cross(moving.w, own.v), cross(moving.v, own.w)))

    still = Twist(NULL, NULL)
    start = (base or still, still)
    return frames.chain.outward(step, list(zip(frames.chain.links, frames.motions, qd, strict=True)), start)


Passed = tuple[ArticulatedJoint | None, Articulated]  # a joint, and what its parent feels of all beyond it
Speed = tuple[Twist, Twist]


def inward_pass(
    frames: OnJoints, speeds: Sequence[Speed], driven: Sequence[Scalar], held: Mapping[int, Wrench]
) -> list[ArticulatedJoint]:
    """`held`: link → the force it passes on to what it holds."""
    return [joint for joint, _ in bodies_inward(frames, speeds, driven, held) if joint is not None]


def bodies_inward(
    frames: OnJoints, speeds: Sequence[Speed], driven: Sequence[Scalar], held: Mapping[int, Wrench]
) -> list[Passed]:
    """Every joint, and what its parent feels of it and all beyond."""

    def step(children: Sequence[Passed], row: tuple[Link, Placement, Speed, Scalar]) -> Passed:
        link, motion, (V, c), t = row
        body, S = rigid(link.inertia, V), axis_twist(link)
        for _, beyond in children:
            body = body + beyond
        U = body.answer(S)
        joint = ArticulatedJoint(S, c, U, power(S, U) + link.motor_inertia, t - power(S, body.bias))
        rest = body.release_joint(U, joint.d)
        push = U * (joint.u / joint.d)
        handed = Articulated(rest.J, rest.H, rest.M, rest.bias + rest.answer(c) + push)
        return joint, handed.through(motion).seen_from(link.before)

    rows = list(zip(frames.chain.links, frames.motions, speeds, driven))
    forces: dict[int, Passed] = {
        i: (None, Articulated(diagonal(0), diagonal(0), diagonal(0), force)) for i, force in held.items()
    }
    return frames.chain.inward(step, rows, forces)


def outward_pass(frames: OnJoints, joints: Sequence[ArticulatedJoint], base: Twist | None = None) -> list[Scalar]:
    """q̈ from the base, which accelerates at −g, or as it is given."""

    def step(parent: tuple[Twist, Scalar], row: tuple[Link, Placement, ArticulatedJoint]) -> tuple[Twist, Scalar]:
        link, motion, joint = row
        a = parent[0].in_frame(link.before).in_frame(motion) + joint.c
        rate = (joint.u - power(a, joint.U)) / joint.d
        return a + joint.S * rate, link.along_z(rate)

    still = Twist(NULL, unrotate(frames.chain.base.R, neg(frames.chain.gravity)))
    start: tuple[Twist, Scalar] = (base or still, 0)
    found = frames.chain.outward(step, list(zip(frames.chain.links, frames.motions, joints)), start)
    return [rate for _, rate in found]


def rigid(body: RigidBody, V: Twist) -> Articulated:
    """A rigid body: J = I, H = [s]×, M = m 1, and the bias V ×* (momentum)."""
    h = momentum(body, V)
    bias = Wrench(cross(V.w, h.f), add(cross(V.w, h.n), cross(V.v, h.f)))
    return Articulated(body.I, skew(body.s), diagonal(body.m), bias)


def tip_force(frames: OnJoints, wrench: ToolWrench) -> dict[int, Wrench]:
    """Minus the tool's wrench, on the joint of the link that holds it."""
    return {i: tip.parent for i, tip in tip_load(frames.chain, frames.motions, wrench).items()}


def _field_acceleration(chain: Tree, x: Given, choices: Sequence[LinkOptions]) -> Outputs:
    still = [0] * chain.dof
    bias = by_field(chain, {**x, "qdd": still}, choices)["tau"]
    M = composite_runs.inertia_matrix(chain, x["q"])
    return {"qdd": inertia_inverse.InertiaSolver(M)([push - b for push, b in zip(x["tau"], bias)])}


ENTRIES = (
    ModelEntry(
        "forward_dynamics", "joint accelerations under given torques", ("q", "qd", "tau"),
        {"qdd": ("rad/s² or m/s²", "joint accelerations")},
        {
            "articulated": lambda c, x: {
                "qdd": forward_dynamics(c, x["q"], x["qd"], x["tau"], x.get("wrench"))
            },
            "inertia-matrix": lambda c, x: {
                "qdd": inertia_inverse.forward_dynamics(c, x["q"], x["qd"], x["tau"], x.get("wrench"))
            },
        },
        TORQUES, takes_wrench=True, field=_field_acceleration,
        candidates=("inertia-matrix", FIELD), trees=("articulated", "inertia-matrix", FIELD), floating="dynamics",
    ),
)  # fmt: skip
