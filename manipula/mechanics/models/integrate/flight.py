"""A robot on a base that moves freely as a system with state: where the base is, how it is turned, and all velocities.

    d/dt p₀ = R(e) v₀        d/dt e = ½ e ⊗ (0, ω₀)        d/dt (v₀, ω₀, q̇) = forward dynamics        d/dt q = q̇

e is a quaternion, its scalar first, and R(e) the matrix of its squares and products. The quaternion is a state of the
simulation alone, no model has one. Its rate keeps its length, an integrator does not: after every step it is divided by
it.

Source: Siciliano, Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), eqs. (2.33) and
(3.94) with the angular velocity in base axes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from manipula.errors import UnknownNameError
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, states, variables
from manipula.mechanics.models.floating.frames import Hold, held_rows
from manipula.mechanics.models.integrate.discretisation import INTEGRATORS, discretise
from manipula.mechanics.models.ports import ACCELERATION, PORTS, VELOCITY, PortKind
from manipula.mechanics.spatial.vector import dot
from manipula.scalar import Entries, Maths, Rate, Scalar

PLACE = PortKind("p0", "m", "position of the base's origin in the world", ("p0_x", "p0_y", "p0_z"), "state")
TURN = PortKind(
    "quaternion", "1", "orientation of the base in the world, scalar first", ("e0", "e1", "e2", "e3"), "state"
)


def rotation_rows(e: Sequence[Scalar]) -> list[list[Scalar]]:
    """R(e): of a quaternion of length l the rotation times l²"""
    w, x, y, z = e
    ww, xx, yy, zz = w * w, x * x, y * y, z * z
    return [
        [ww + xx - yy - zz, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), ww - xx + yy - zz, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), ww - xx - yy + zz],
    ]


def quaternion_rate(e: Sequence[Scalar], w: Sequence[Scalar]) -> list[Scalar]:
    """½ e ⊗ (0, ω)"""
    half, (a, b, c, d), (x, y, z) = Fraction(1, 2), e, w
    return [
        -half * (b * x + c * y + d * z),
        half * (a * x + c * z - d * y),
        half * (a * y + d * x - b * z),
        half * (a * z + b * y - c * x),
    ]


def _flight(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    R = rotation_rows(x["quaternion"])
    turned = [entry for row in R for entry in row]
    found = call("forward_dynamics", q=x["q"], qd=x["qd"], tau=x["tau"], R0=turned, v0=x["v0"], w0=x["w0"])
    rise = list(found["base_acceleration"])
    return {
        "p0_rate": [dot(row, x["v0"]) for row in R],
        "quaternion_rate": quaternion_rate(x["quaternion"], x["w0"]),
        "v0_rate": rise[:3],
        "w0_rate": rise[3:],
        "q_rate": list(x["qd"]),
        "qd_rate": found["qdd"],
    }


FLIGHT = Block(
    "flight",
    "the robot on a base that moves freely, under joint torques",
    (PLACE, TURN, *states("v0", "w0", "q", "qd"), *variables("tau")),
    {
        "p0_rate": Result("m/s", "rate of the base's position", Rate("p0")),
        "quaternion_rate": Result("1/s", "rate of the quaternion", Rate("quaternion")),
        "v0_rate": Result("m/s²", "rate of v0", Rate("v0")),
        "w0_rate": Result("rad/s²", "rate of w0", Rate("w0")),
        "q_rate": Result(VELOCITY, "rate of the positions", Rate("q")),
        "qd_rate": Result(ACCELERATION, "rate of the velocities", Rate("qd")),
    },
    _flight,
    ("forward_dynamics",),
)


# Frames that are held while the base moves: the same states, and how far every held row has drifted.
#
#     d/dt e = J v        J v̇ + J̇v = −kd J v − kp e        (`floating.frames`)

FRAMES_HELD = "frames"  # whose models are those of the held frames


def _held_flight(
    maths: Maths[Scalar], call: ModelCall, x: Given, rows: Callable[[Scalar], list[Any]]
) -> dict[str, Entries]:
    turned = [entry for row in rotation_rows(x["quaternion"]) for entry in row]
    found: dict[str, Scalar] = {}

    def call_held(model: str, /, **given: object) -> Mapping[str, Scalar]:
        found.update(call("constrained_dynamics", **given, drift=x["drift"], baumgarte=x["baumgarte"]))
        return found

    moved = _flight(maths, call_held, x)
    J = rows(call(f"{FRAMES_HELD}:frame_jacobians", q=x["q"], R0=turned)["Js"])
    v = [*x["v0"], *x["w0"], *x["qd"]]
    return {**moved, "drift_rate": [dot(row, v) for row in J], "forces": found["forces"]}


def hold_frames(hold: Sequence[Hold]) -> Block:
    """The robot while frames are held; beside the rates the forces that hold them."""

    def rows(Js: Any) -> list[Scalar]:
        return [row for J, how in zip(Js, hold, strict=True) for row in held_rows(J, how)]

    inputs = (*FLIGHT.inputs[:-1], *states("drift"), FLIGHT.inputs[-1], replace(PORTS["baumgarte"], role="setting"))
    outputs = {
        **FLIGHT.outputs,
        "drift_rate": Result("m/s, rad/s", "rate of the drift", Rate("drift")),
        "forces": Result("N, N·m", "that hold the frames, on the robot: row by row, world axes"),
    }
    calls = ("constrained_dynamics", f"{FRAMES_HELD}:frame_jacobians")
    text = partial(_held_flight, rows=rows)
    return Block("stance", "the robot on a base that moves while frames are held", inputs, outputs, text, calls)


def flight_step(block: Block, method: str = "rk4") -> Block:
    """One step, the quaternion after it of length 1.

    Momentum is kept as well as the method keeps it (10 s of 1 ms, a quadruped whose legs swing freely, ten starts: rk4
    2e-12 to 4e-8, rk8 1e-14). To set v₀ and ω₀ from it after every step pays nothing: the rounding of h is what rk4
    errs by.
    """
    if method not in INTEGRATORS:
        raise UnknownNameError("integrator of a base that moves", method, INTEGRATORS)
    step = discretise(block, method=method)

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        found = step.text(maths, call, x)
        e = found["quaternion_next"]
        # e / √(e·e)
        length = maths.sqrt(dot(e, e))
        return {**found, "quaternion_next": [part / length for part in e]}

    return replace(step, text=text)
