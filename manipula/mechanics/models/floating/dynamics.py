"""Torques, inertia and accelerations of a robot whose base moves.

The base's motion is an input, in its own axes: ω₀, ω̇₀, and a₀ = p̈₀ − g, which an accelerometer at its origin reads. The
recursions of a fixed base run from there, and their last step inward is the wrench that moves the base:

    base_wrench = (F₀ + Σ f_k, N₀ + Σ n_k)        over the joints k that stand on the base

Forward dynamics solves for the base's acceleration beside the joints', six rows more of one system:

    M (a₀, ω̇₀, q̈) = (0, τ) − (base_wrench, tau)(ω₀, ω̇₀ = 0, a₀ = 0, q̇, q̈ = 0)        v̇₀ = a₀ + R₀ᵀ g − ω₀×v₀

so that gravity and v₀ enter last. The momentum M (v₀, ω₀, q̇) needs no text of its own: it is the force of a robot that
starts from rest with these accelerations.

Source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 9, tables 9.3 to 9.5, with the base's motion as
an input in place of a joint of six freedoms. The acceleration field with a moving ground is derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from manipula.mechanics.models.dynamics import acceleration_field, articulated_bodies, composite, composite_runs, energy
from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.dynamics.bodies import axis_twist, on_joints
from manipula.mechanics.models.dynamics.friction import NO_FORWARD, friction, refuse_loaded
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver
from manipula.mechanics.models.dynamics.newton_euler import Moving, NewtonEuler, euler, newton, newton_euler
from manipula.mechanics.models.dynamics.torque import actuator_torque
from manipula.mechanics.models.entry import ENERGY, FIELD, FRAMES, RUNS, TORQUES, Given, Method, ModelEntry, Outputs
from manipula.mechanics.models.ports import EFFORT
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.inertia import RigidBody, Twist, Wrench, half, momentum, power
from manipula.mechanics.spatial.placement import Placement
from manipula.mechanics.spatial.vector import (
    NULL,
    Matrix,
    Vec3,
    add,
    cross,
    dot,
    neg,
    skew,
    sub,
    sum_of,
    transpose,
    unrotate,
)
from manipula.scalar import Scalar

Rows = list[list[Scalar]]
Felt = tuple[list[Scalar], list[Scalar]]  # torques of the bare mechanism, wrench on the base
# (chain, q, q̇, q̈, the base's motion) → both
Forces = Callable[[Tree, Sequence[Scalar], Sequence[Scalar], Sequence[Scalar], Moving], Felt]


def matrix_from(entries: Sequence[Scalar], width: int = 3) -> Matrix:
    """The rotation of R0, row by row, or of T0, whose rows have four entries."""
    a, b, c = (Vec3(entries[width * i : width * i + 3]) for i in range(3))
    return (a, b, c)


def placement_from(entries: Sequence[Scalar]) -> Placement:
    """T0 as a placement."""
    return Placement(matrix_from(entries, 4), Vec3((entries[3], entries[7], entries[11])))


def motion_of(x: Given) -> Moving:
    """The base's motion as it is given."""
    return Moving(Vec3(x["w0"]), Vec3(x["wd0"]), Vec3(x["a0"]))


def recursion(
    chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], base: Moving
) -> tuple[NewtonEuler, Wrench]:
    """Newton and Euler from a base that moves, and what moves it."""
    steps = newton_euler(chain, q, qd, qdd, base=base)
    return steps, steps.base + Wrench(newton(chain.ground, base), euler(chain.ground, base))


def plain_forces(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], base: Moving) -> Felt:
    steps, wrench = recursion(chain, q, qd, qdd, base)
    return steps.tau, [*wrench.f, *wrench.n]


def field_forces(choices: Sequence[LinkOptions]) -> Forces:
    """The same on the acceleration field; frames must be on the joints."""

    def forces(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], base: Moving) -> Felt:
        ground = acceleration_field.moving_ground(chain, base.w, base.wd, base.vd)
        tau, base_wrench = acceleration_field.recursion(chain, ground, q, qd, qdd, choices)
        f, n = base_wrench()
        return tau, [*f, *n]

    return forces


def inverse_dynamics(chain: Tree, x: Given, forces: Forces = plain_forces) -> dict[str, list[Scalar]]:
    """tau with motor inertia and friction, and what moves the base."""
    tau, wrench = forces(chain, x["q"], x["qd"], x["qdd"], motion_of(x))
    motors = actuator_torque(chain, x["qd"], x["qdd"], tau)
    return {"tau": [bare + motor for bare, motor in zip(tau, motors)], "base_wrench": wrench}


def gravity(chain: Tree, x: Given, forces: Forces = plain_forces) -> Outputs:
    """At rest, with a₀ = −R₀ᵀ g"""
    still = [0] * chain.dof
    held = Moving(NULL, NULL, neg(unrotate(matrix_from(x["R0"]), chain.gravity)))
    tau, wrench = forces(chain, x["q"], still, still, held)
    return {"g": [*wrench, *tau]}


def coriolis(chain: Tree, x: Given, forces: Forces = plain_forces) -> Outputs:
    """v̇₀ = 0, ω̇₀ = 0, q̈ = 0 without weight: the base's origin accelerates by ω₀×v₀"""
    tau, wrench = forces(chain, x["q"], x["qd"], [0] * chain.dof, at_constant_rates(x))
    return {"c": [*wrench, *tau]}


def at_constant_rates(x: Given) -> Moving:
    w = Vec3(x["w0"])
    return Moving(w, NULL, cross(w, Vec3(x["v0"])))


# the inertia matrix: six rows and columns of the base before those of the joints


def inertia_composite(chain: Tree, q: Sequence[Scalar]) -> Rows:
    """M(q) by composite bodies: the base's columns are the force that moves all of it as one body."""
    frames = on_joints(chain, q)
    links = frames.chain.links
    bodies = frames.composites([link.inertia for link in links])
    felt: list[Wrench] = []
    for k, body in enumerate(bodies):
        force = momentum(body, axis_twist(links[k])) * links[k].along_z(1)
        for i in reversed(frames.chain.support(k)):
            force = force.in_frame(frames.motions[i]).in_frame(links[i].before)
        felt.append(force)
    whole = frames.chain.ground
    for k in frames.chain.children(-1):
        whole = whole + bodies[k].seen_from(links[k].before @ frames.motions[k])
    joints = composite.inertia_matrix(chain, q)
    return _with_base(joints, [(force.f, force.n) for force in felt], whole)


def inertia_runs(chain: Tree, q: Sequence[Scalar]) -> Rows:
    """The same run by run of parallel axes; frames must be on the joints."""
    return _with_base(*composite_runs.floating_inertia(chain, q))


def _with_base(joints: Rows, felt: Sequence[tuple[Sequence[Scalar], Sequence[Scalar]]], whole: RigidBody) -> Rows:
    """[[m 1, −[s]×, f_k], [[s]×, I, n_k], …]"""
    block = [[*(whole.m if i == j else 0 for j in range(3)), *row] for i, row in enumerate(skew(neg(whole.s)))]
    block += [[*left, *right] for left, right in zip(skew(whole.s), whole.I)]
    columns = [[*f, *n] for f, n in felt]
    rows = [[*row, *(column[i] for column in columns)] for i, row in enumerate(block)]
    return rows + [[*column, *row] for column, row in zip(columns, joints)]


# forward dynamics


def base_acceleration(chain: Tree, x: Given, a0: Sequence[Scalar], wd0: Sequence[Scalar]) -> list[Scalar]:
    """v̇₀ = a₀ + R₀ᵀ g − ω₀×v₀, then ω̇₀"""
    g = unrotate(matrix_from(x["R0"]), chain.gravity)
    return [*sub(add(Vec3(a0), g), cross(Vec3(x["w0"]), Vec3(x["v0"]))), *wd0]


def _driven(chain: Tree, x: Given) -> list[Scalar]:
    refuse_loaded(chain, NO_FORWARD)
    return [t - loss for t, loss in zip(x["tau"], friction(chain, x["qd"]), strict=True)]


def forward_articulated(chain: Tree, x: Given) -> dict[str, list[Scalar]]:
    """By articulated bodies: what the base and all on it answer to an acceleration, then outward.

    In a frame that moves with v₀ the base's origin is at rest for a moment, and its acceleration that of a twist.
    """
    frames, spin = on_joints(chain, x["q"]), Twist(Vec3(x["w0"]), NULL)
    driven = [link.along_z(t) for link, t in zip(chain.links, _driven(chain, x))]
    passed = articulated_bodies.bodies_inward(frames, articulated_bodies.velocities(frames, x["qd"], spin), driven, {})
    whole = articulated_bodies.rigid(chain.ground, spin)
    for _, body in frames.chain.on_base(passed):
        whole = whole + body
    # (M Hᵀ; H J) (a₀, ω̇₀) = −b
    rows = [[*left, *right] for left, right in zip(whole.M, transpose(whole.H))]
    rows += [[*left, *right] for left, right in zip(whole.H, whole.J)]
    found = InertiaSolver(rows)([-b for b in (*whole.bias.f, *whole.bias.n)])
    moved = Twist(Vec3(found[3:]), Vec3(found[:3]))
    joints = [joint for joint, _ in passed if joint is not None]
    qdd = articulated_bodies.outward_pass(frames, joints, moved)
    return {"qdd": qdd, "base_acceleration": base_acceleration(chain, x, found[:3], found[3:])}


def forward_matrix(
    chain: Tree, x: Given, forces: Forces = plain_forces, inertia: Callable[..., Rows] = inertia_composite
) -> Outputs:
    """By M = Lᵀ D L, the base's rows first: they are reached last, and zeros between branches stay zeros."""
    tau, wrench = forces(chain, x["q"], x["qd"], [0] * chain.dof, Moving(Vec3(x["w0"]), NULL, NULL))
    right = [*(-w for w in wrench), *(t - bias for t, bias in zip(_driven(chain, x), tau))]
    found = InertiaSolver(inertia(chain, x["q"]))(right)
    return {"qdd": found[6:], "base_acceleration": base_acceleration(chain, x, found[:3], found[3:6])}


def given_articulated(chain: Tree, x: Given) -> dict[str, list[Scalar]]:
    """Joint accelerations on a base whose motion is given."""
    frames, base = on_joints(chain, x["q"]), motion_of(x)
    driven = [link.along_z(t) for link, t in zip(chain.links, _driven(chain, x))]
    speeds = articulated_bodies.velocities(frames, x["qd"], Twist(base.w, NULL))
    joints = articulated_bodies.inward_pass(frames, speeds, driven, {})
    return {"qdd": articulated_bodies.outward_pass(frames, joints, Twist(base.wd, base.vd))}


def given_matrix(
    chain: Tree, x: Given, forces: Forces = plain_forces, inertia: Callable[..., Rows] = composite.inertia_matrix
) -> Outputs:
    """M q̈ = τ less the torques of the base's motion."""
    tau, _ = forces(chain, x["q"], x["qd"], [0] * chain.dof, motion_of(x))
    right = [t - bias for t, bias in zip(_driven(chain, x), tau)]
    return {"qdd": InertiaSolver(inertia(chain, x["q"]))(right)}


# momentum and energy


def momentum_composite(chain: Tree, x: Given) -> Outputs:
    """M (v₀, ω₀, q̇)"""
    rates = [*x["v0"], *x["w0"], *x["qd"]]
    return {"momentum": [dot(row, rates) for row in inertia_composite(chain, x["q"])]}


def momentum_forces(chain: Tree, x: Given, forces: Forces = plain_forces) -> Outputs:
    """The force that gives the robot, from rest, these velocities as accelerations."""
    tau, wrench = forces(chain, x["q"], [0] * chain.dof, x["qd"], Moving(NULL, Vec3(x["w0"]), Vec3(x["v0"])))
    motors = [link.motor_inertia * rate for link, rate in zip(chain.links, x["qd"])]
    return {"momentum": [*wrench, *(bare + motor for bare, motor in zip(tau, motors))]}


def energies(chain: Tree, x: Given) -> Outputs:
    """½ Σ over the base and the links, motors included; −g·Σ m r in the world."""
    frames, base = on_joints(chain, x["q"]), Twist(Vec3(x["w0"]), Vec3(x["v0"]))
    rows = list(zip(frames.chain.links, frames.motions, x["qd"], strict=True))
    moving = frames.chain.outward(energy.advance, rows, base)
    own = [power(base, momentum(chain.ground, base))]
    own += [power(at, momentum(link.inertia, at)) for at, (link, _, _) in zip(moving, rows)]
    own += [link.motor_inertia * (rate * rate) for link, _, rate in rows]
    there = replace(chain, base=placement_from(x["T0"]))
    return {"kinetic": half(sum_of(own)), "potential": energy.potential_energy(there, x["q"])}


def _recursion(chain: Tree, x: Given) -> Outputs:
    steps, _ = recursion(chain, x["q"], x["qd"], x["qdd"], motion_of(x))
    return {
        "wrenches": [
            [*load.own.f, *unrotate(link.after.R, load.joint.n)] for link, load in zip(chain.links, steps.loads)
        ]
    }


def _by(model: Callable[..., Outputs], *rest: Callable[..., Rows]) -> dict[str, Method]:
    """The plain text of a model that asks for forces."""
    return {"newton-euler": lambda chain, x: model(chain, x, plain_forces, *rest)}


def _on_field(model: Callable[..., Outputs], *rest: Callable[..., Rows]) -> Callable[..., Outputs]:
    return lambda chain, x, choices: model(chain, x, field_forces(choices), *rest)


BOTH = ("newton-euler", FIELD)
WRENCH = ("N, N·m", "force, then moment, that moves the base: at its origin, base axes")
SOLVED = ("articulated", "inertia-matrix")
FORMS = {
    form.name: form
    for form in (
        ModelEntry(
            "inverse_dynamics", "joint torques of a motion, and the wrench that moves the base",
            ("q", "qd", "qdd", "w0", "wd0", "a0"), {"tau": (EFFORT, "joint torques"), "base_wrench": WRENCH},
            _by(inverse_dynamics), TORQUES, field=_on_field(inverse_dynamics), candidates=BOTH, trees=BOTH,
        ),
        ModelEntry(
            "gravity", "the wrench on the base and the torques that hold the robot still", ("q", "R0"),
            {"g": ("N, N·m", "of the base, force then moment in base axes; then of the joints")},
            _by(gravity), TORQUES, field=_on_field(gravity), candidates=BOTH, trees=BOTH,
        ),
        ModelEntry(
            "coriolis", "what the velocities ask for, C(q, v)·v", ("q", "qd", "v0", "w0"),
            {"c": ("N, N·m", "of the base, force then moment in base axes; then of the joints")},
            _by(coriolis), TORQUES, field=_on_field(coriolis), candidates=BOTH, trees=BOTH,
        ),
        ModelEntry(
            "inertia_matrix", "M(q): the base's rows first, linear, angular, base axes; motor inertia on the diagonal",
            ("q",), {"M": ("kg, kg·m, kg·m²", "symmetric")},
            {
                "composite": lambda c, x: {"M": inertia_composite(c, x["q"])},
                RUNS: lambda c, x: {"M": inertia_runs(c, x["q"])},
            },
            TORQUES, candidates=("composite", RUNS), trees=("composite", RUNS),
        ),
        ModelEntry(
            "forward_dynamics", "accelerations of the base and the joints under given torques",
            ("q", "qd", "tau", "R0", "v0", "w0"),
            {
                "qdd": ("rad/s² or m/s²", "joint accelerations"),
                "base_acceleration": ("m/s², rad/s²", "rates of v0 and w0, base axes"),
            },
            {"articulated": forward_articulated, "inertia-matrix": forward_matrix}, TORQUES,
            field=_on_field(forward_matrix, inertia_runs), candidates=("articulated", FIELD), trees=(*SOLVED, FIELD),
        ),
        ModelEntry(
            "momentum", "M·v: of the whole robot about the base's origin, base axes, then of the joints",
            ("q", "qd", "v0", "w0"),
            {"momentum": ("kg·m/s, kg·m²/s", "linear, angular, then of the joints")},
            {"composite": momentum_composite, "newton-euler": momentum_forces}, TORQUES,
            field=_on_field(momentum_forces), candidates=BOTH, trees=("composite", *BOTH),
        ),
        ModelEntry(
            "energy", "kinetic and potential energy", ("q", "qd", "T0", "v0", "w0"),
            {"kinetic": ("J", "motor inertia included"), "potential": ("J", "zero at the world origin")},
            {"newton-euler": energies}, ENERGY, trees=("newton-euler",),
        ),
        ModelEntry(
            "joint_wrenches", "what each joint carries", ("q", "qd", "qdd", "w0", "wd0", "a0"),
            {"wrenches": ("N, N·m", "force, then moment, of the link before on link i, at joint i, in link i's axes")},
            {"newton-euler": _recursion}, FRAMES, trees=("newton-euler",),
        ),
    )
}  # fmt: skip
FORMS["forward_dynamics given"] = ModelEntry(
    "forward_dynamics", "joint accelerations under given torques, on a base whose motion is given",
    ("q", "qd", "tau", "w0", "wd0", "a0"), {"qdd": ("rad/s² or m/s²", "joint accelerations")},
    {"articulated": given_articulated, "inertia-matrix": given_matrix}, TORQUES,
    field=_on_field(given_matrix, composite_runs.inertia_matrix), candidates=("articulated", FIELD),
    trees=(*SOLVED, FIELD),
)  # fmt: skip
