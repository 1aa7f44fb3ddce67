"""The motor torques: inverse dynamics and its parts, by Newton and Euler.

inverse_dynamics = inertia_matrix·q̈ + coriolis + gravity + friction − Jᵀ·wrench

Source: `newton_euler`; what motors and friction add are the actuators' own laws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from manipula.mechanics.models.dynamics import acceleration_field
from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.dynamics.composite import gravity_composite
from manipula.mechanics.models.dynamics.friction import friction, slips
from manipula.mechanics.models.dynamics.newton_euler import load, newton_euler, tip_load
from manipula.mechanics.models.entry import FIELD, FRAMES, TORQUES, Given, ModelEntry, Outputs
from manipula.mechanics.models.ports import EFFORT
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.vector import NULL, unrotate
from manipula.scalar import Scalar

ToolWrench = Sequence[Scalar] | None


def inverse_dynamics(
    chain: Tree,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    wrench: ToolWrench = None,
    slip: Sequence[Scalar] | None = None,
) -> list[Scalar]:
    """The torques of a motion, with motor inertia, friction and what the tool's `wrench` asks for.

    Where `slip` is given, sat(slip) stands for sign(q̇) in the friction.
    """
    motion = {"q": q, "qd": qd, "qdd": qdd} | ({} if wrench is None else {"wrench": wrench})
    return by_newton_euler(chain, motion if slip is None else {**motion, "slip": slip})["tau"]


def by_newton_euler(chain: Tree, x: Mapping[str, Sequence[Scalar]]) -> dict[str, list[Scalar]]:
    """Inverse dynamics by the recursion: its plain text."""
    tau = newton_euler(chain, x["q"], x["qd"], x["qdd"], x.get("wrench")).tau
    motors = actuator_torque(chain, x["qd"], x["qdd"], tau, x.get("slip"))
    return {"tau": [bare + motor for bare, motor in zip(tau, motors)]}


def actuator_torque(
    chain: Tree,
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    loads: Sequence[Scalar],
    slip: Sequence[Scalar] | None = None,
) -> list[Scalar]:
    """Motor inertia and friction: Ia q̈ + friction, under the torques of the bare mechanism."""
    rows = zip(chain.links, slips(chain, qd, loads, slip), qdd, strict=True)
    return [link.actuator.torque(slip, a) for link, slip, a in rows]


def gravity(chain: Tree, q: Sequence[Scalar]) -> list[Scalar]:
    """The torques that hold the arm still."""
    still = [0] * chain.dof
    return newton_euler(chain, q, still, still).tau


def coriolis(chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """C(q, q̇) q̇: the torques of the velocities alone, without friction."""
    return newton_euler(replace(chain, gravity=NULL), q, qd, [0] * chain.dof).tau


def wrench_torque(chain: Tree, q: Sequence[Scalar], wrench: ToolWrench) -> list[Scalar]:
    """−Jᵀ·wrench: the torques with which the motors of a weightless arm resist it."""
    if wrench is None:
        return [0] * chain.dof
    motions = chain.motions(q)
    rows = [(link, motion, NULL, NULL) for link, motion in zip(chain.links, motions)]
    loads = chain.inward(load, rows, tip_load(chain, motions, wrench))
    return [link.along_z(link.kind.effort(x.joint.f, x.joint.n)) for link, x in zip(chain.links, loads)]


def by_field(chain: Tree, x: Mapping[str, Sequence[Scalar]], choices: Sequence[LinkOptions]) -> dict[str, list[Scalar]]:
    """Inverse dynamics with the bare mechanism on the acceleration field; frames must be on the joints."""
    tau = acceleration_field.torques(chain, x["q"], x["qd"], x["qdd"], choices)
    contact = wrench_torque(chain, x["q"], x.get("wrench"))
    loads = [bare + push for bare, push in zip(tau, contact)]
    motors = actuator_torque(chain, x["qd"], x["qdd"], loads, x.get("slip"))
    return {"tau": [bare + motor + push for bare, motor, push in zip(tau, motors, contact)]}


# The whole load of every joint, not the motor's share alone: what bearings and links must carry.
#
# Row i: the force, then the moment, that the link before exerts on link i, taken at joint i's origin (on its moving
# side)
# and written in the axes of link i's frame as the file has it.
#
# Source: f and n of Craig (2005), eqs. (6.51), (6.52), taken at the joint (`newton_euler`).


def joint_wrenches(
    chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], wrench: ToolWrench = None
) -> list[list[Scalar]]:
    """(dof, 6)"""
    loads = newton_euler(chain, q, qd, qdd, wrench).loads
    return [[*x.own.f, *unrotate(link.after.R, x.joint.n)] for link, x in zip(chain.links, loads)]


# The sign of a measured velocity chatters when a joint is meant to rest. A law takes sat(q̇_ref/ε) for it instead, of
# the velocity that is wanted; what is proportional to the velocity keeps the measured one.


def _recursion(chain: Tree, x: Given) -> Outputs:
    steps = newton_euler(chain, x["q"], x["qd"], x["qdd"], x.get("wrench"))
    return {
        "w": [m.w for m in steps.motion],
        "wd": [m.wd for m in steps.motion],
        "vd": [m.vd for m in steps.motion],
        "F": steps.F,
        "N": steps.N,
        "f": [held.own.f for held in steps.loads],
        "n": [held.own.n for held in steps.loads],
        "tau": steps.tau,
    }


def _field_gravity(chain: Tree, x: Given, choices: Sequence[LinkOptions]) -> Outputs:
    still = [0] * chain.dof
    return {"g": acceleration_field.torques(chain, x["q"], still, still, choices)}


def _field_coriolis(chain: Tree, x: Given, choices: Sequence[LinkOptions]) -> Outputs:
    free = replace(chain, gravity=NULL)
    return {"c": acceleration_field.torques(free, x["q"], x["qd"], [0] * chain.dof, choices)}


def _friction(chain: Tree, x: Given) -> Outputs:
    return {"f": friction(chain, x["qd"], _weight(chain, x["q"]), x["slip"])}


def _weight(chain: Tree, q: Sequence[Scalar]) -> Sequence[Scalar] | None:
    """The load of joints whose friction asks for it: what holds the arm still."""
    return gravity(chain, q) if any(link.actuator.depends_on_load for link in chain.links) else None


ENTRIES = (
    ModelEntry(
        "newton_euler", "the recursion with every intermediate, each link in its own frame", ("q", "qd", "qdd"),
        {
            "w": ("rad/s", "angular velocity"), "wd": ("rad/s²", "angular acceleration"),
            "vd": ("m/s²", "acceleration of the frame's origin, gravity included"),
            "F": ("N", "force on the body"), "N": ("N·m", "moment on the body about the frame's origin"),
            "f": ("N", "force through the joint"), "n": ("N·m", "moment through the joint, about the frame's origin"),
            "tau": (EFFORT, "torques without motor inertia and friction"),
        },
        {"newton-euler": _recursion}, FRAMES, takes_wrench=True, trees=("newton-euler",),
    ),
    ModelEntry(
        "coriolis", "C(q, q̇)·q̇", ("q", "qd"), {"c": (EFFORT, "torques of the velocities")},
        {"newton-euler": lambda c, x: {"c": coriolis(c, x["q"], x["qd"])}}, TORQUES, field=_field_coriolis,
        candidates=("newton-euler", FIELD), trees=("newton-euler", FIELD), floating="dynamics",
    ),
    ModelEntry(
        "gravity", "the torques that hold the arm still", ("q",), {"g": (EFFORT, "joint torques")},
        {
            "newton-euler": lambda c, x: {"g": gravity(c, x["q"])},
            "composite": lambda c, x: {"g": gravity_composite(c, x["q"])},
        },
        TORQUES, field=_field_gravity, candidates=("newton-euler", "composite", FIELD),
        trees=("newton-euler", "composite", FIELD), floating="dynamics",
    ),
    ModelEntry(
        "inverse_dynamics_smooth", "joint torques of a motion, sat(slip) standing for sign(q̇) in the friction",
        ("q", "qd", "qdd", "slip"), {"tau": (EFFORT, "joint torques")}, {"newton-euler": by_newton_euler},
        TORQUES, field=by_field, candidates=("newton-euler", FIELD), trees=("newton-euler", FIELD),
    ),
    ModelEntry(
        "friction", "what joints lose to friction, sat(slip) standing for sign(q̇); loaded by the weight alone",
        ("q", "qd", "slip"), {"f": (EFFORT, "joint torques")}, {"laws": _friction}, TORQUES, trees=("laws",),
    ),
    ModelEntry(
        "joint_wrenches", "what each joint carries", ("q", "qd", "qdd"),
        {"wrenches": ("N, N·m", "force, then moment, of link i−1 on link i, at joint i, in link i's axes")},
        {
            "newton-euler": lambda c, x: {
                "wrenches": joint_wrenches(c, x["q"], x["qd"], x["qdd"], x.get("wrench"))
            }
        },
        FRAMES, takes_wrench=True, trees=("newton-euler",), floating="dynamics",
    ),
)  # fmt: skip
