"""The arm whose joints are elastic: a spring, with play if there is any, between every motor and its joint.

    M(q) q̈ + c(q, q̇) + g(q) = s                  the links, stops are theirs
    B θ̈ + friction(θ̇) = clip(τ) − s              the motors, at the joint: θ is the motor's angle over the gear
    s = K dz(θ − q),    dz(δ) = δ − min(max(δ, −b/2), b/2)         b: the play from end to end

M is without the motors' inertia B, of which only the motors' own turning counts. While a motor keeps its way w the
right side is smooth; one at rest, w = 0, that dry friction can hold has θ̈ = 0.

Source: Spong, "Modeling and control of elastic joint robots", ASME Journal of Dynamic Systems, Measurement, and
Control 109 (1987), the two equations above without friction and play; the play as a dead zone: Nordin, Gutman,
"Controlling mechanical systems with backlash, a survey", Automatica 38 (2002).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, states, variables
from manipula.mechanics.models.integrate.sliding_motion import (
    BRISTLE,
    BRISTLE_RATE,
    FRICTION,
    Rubbing,
    StepLimits,
    clip_torques,
    mask_rows,
    no_friction,
)
from manipula.mechanics.models.integrate.stick import impulses
from manipula.mechanics.models.ports import ACCELERATION, EFFORT, POSITION, VELOCITY, PortKind
from manipula.mechanics.spatial.vector import dot
from manipula.scalar import Entries, Maths, Rate, Scalar

MOTOR = PortKind("motor", POSITION, "positions of the motors, at the joints", role="state")
MOTOR_RATE = PortKind("motor_rate", VELOCITY, "velocities of the motors, at the joints", role="state")
SEEN = {"q": "motor", "qd": "motor_rate"}  # what a law sees in place of the joints
BEARS = "bears"  # the name before models of the links as friction knows them: whatever is wired around has no share
BEARING = f"{BEARS}:forward_dynamics"
_WAY = PortKind("motor_way", "1", "which way every motor moves: 1, −1; 0 at rest")
_TOLD = ("motor_push", "motor_low", "motor_high")  # for the step alone
_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class ElasticDrive:
    """Of every joint the stiffness, the motor's inertia, and the play from end to end."""

    stiffness: tuple[Fraction, ...]
    inertia: tuple[Fraction, ...]
    play: tuple[Fraction, ...]


def spring_torques(
    maths: Maths[Scalar], drive: ElasticDrive, motor: Sequence[Scalar], q: Sequence[Scalar]
) -> list[Scalar]:
    """s = K dz(θ − q)"""
    found: list[Scalar] = []
    for k, play, a, b in zip(drive.stiffness, drive.play, motor, q, strict=True):
        stretch, end = a - b, maths.number(play * _HALF)
        free = maths.minimum(maths.maximum(stretch, -end), end) if play else 0
        found.append(maths.number(k) * (stretch - free))
    return found


def elastic(drive: ElasticDrive, limits: StepLimits, rubbing: Rubbing, bristles: bool) -> Block:
    """The block; `motor_way` is an input of it, and `way` where links have stops: 0 of one that rests on its own."""
    stops = not limits.endless

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        q, rate, still = x["q"], x["motor_rate"], [0] * len(x["q"])
        spring = spring_torques(maths, drive, x["motor"], q)
        links = _rest_on_stops(call, x, spring, limits) if stops else {"qd_rate": _accelerations(call, x, spring)}

        def bearing(model: str, /, **given: Scalar) -> Mapping[str, Any]:
            """Friction that follows the load: under these accelerations a joint bears its spring's torque, no more."""
            if model == FRICTION and limits.loaded:
                given["qdd"] = call(BEARING, q=q, qd=given["qd"], tau=spring)["qdd"]
            return call(model, **given)

        rubbed = rubbing(maths, bearing, {**x, "qd": rate, "way": x["motor_way"]}, still)
        # p = τ − s − friction
        torques = zip(clip_torques(maths, x["tau"], limits.efforts), spring, rubbed.friction, strict=True)
        push = [tau - s - f for tau, s, f in torques]
        mask = [way * way if dry else 1 for way, dry in zip(x["motor_way"], limits.dry)]
        turn = [m * p * maths.number(1 / b) for m, p, b in zip(mask, push, drive.inertia)]
        told = {"motor_push": push, "motor_low": rubbed.low, "motor_high": rubbed.high, "friction": rubbed.friction}
        told |= {} if rubbed.bristle is None else {"bristle_rate": rubbed.bristle}
        return {"q_rate": list(x["qd"]), "motor_turn": list(rate), "motor_rate_rate": turn, **links, **told}

    calls = ("inertia_matrix", "inverse_dynamics") if stops else ("forward_dynamics",)
    calls = (*calls, *(() if rubbing is no_friction else (FRICTION,)), *((BEARING,) if limits.loaded else ()))
    ways = (*(variables("way") if stops else ()), _WAY)
    inputs = (*states("q", "qd"), MOTOR, MOTOR_RATE, *(BRISTLE if bristles else ()), *variables("tau"), *ways)
    outputs = {**_OUTPUTS, **(BRISTLE_RATE if bristles else {}), **(_LINKS if stops else {})}
    return Block("elastic_arm", "the arm with elastic joints under its motors' torques", inputs, outputs, text, calls)


def _accelerations(call: ModelCall, x: Given, spring: Sequence[Scalar]) -> list[Scalar]:
    return list(call("forward_dynamics", q=x["q"], qd=x["qd"], tau=spring)["qdd"])


def _rest_on_stops(call: ModelCall, x: Given, spring: Sequence[Scalar], limits: StepLimits) -> dict[str, Entries]:
    """Links that may rest on a stop: those do not move, and what pushes them decides whether they stay."""
    still = [0] * len(x["q"])
    M = call("inertia_matrix", q=x["q"])["M"]
    free = [s - b for s, b in zip(spring, call("inverse_dynamics", q=x["q"], qd=x["qd"], qdd=still)["tau"])]
    mask = [1 if ends == (None, None) else way * way for way, ends in zip(x["way"], limits.ends, strict=True)]
    a = InertiaSolver(mask_rows(M, mask))([m * p for m, p in zip(mask, free)])
    push = [p - dot(row, a) for p, row in zip(free, M)]
    return {"qd_rate": a, "inertia": M, "push": push, "low": still, "high": still}


def motors_resting(block: Block, limits: StepLimits, inertia: Sequence[Fraction]) -> Block:
    """One step of a block around `elastic`, links and motors by an integrator, as one in which motors rest:

    v⁺ = argmin ½ B (v − v*)² + max(low v, high v),    θ⁺ = θ* + r/2 (v⁺ − v*)        motor by motor, as in `stick`
    """

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        ways = [maths.sign(v) if dry else 0 for v, dry in zip(x["motor_rate"], limits.dry)]
        found = block.text(maths, call, {**x, "motor_way": ways})
        told = {name: found[f"motor_{name}"] for name in ("push", "low", "high")}
        kept = {name: list(found[name]) for name in ("motor_next", "motor_rate_next", "friction")}
        for i, (dry, b) in enumerate(zip(limits.dry, inertia, strict=True)):
            if not dry:
                continue
            free, B = kept["motor_rate_next"][i], maths.number(b)
            low, high, rest = impulses(maths, told, x["motor_rate"][i], free, ways[i], x["sample"][0], i)
            v = maths.number(1 / b) * (maths.maximum(B * free - high, 0) + maths.minimum(B * free - low, 0))
            kept["motor_next"][i] = kept["motor_next"][i] + rest * _HALF * (v - free)
            kept["motor_rate_next"][i] = v
            # what holds a motor at rest, as far as friction can
            held = maths.minimum(maths.maximum(told["push"][i], told["low"][i]), told["high"][i])
            kept["friction"][i] = kept["friction"][i] + maths.select(ways[i] * ways[i], 0, held)
        return {name: value for name, value in {**found, **kept}.items() if name in outputs}

    outputs = {name: y for name, y in block.outputs.items() if name not in _TOLD}
    inputs = tuple(port for port in block.inputs if port.name != _WAY.name)
    return replace(block, inputs=inputs, outputs=outputs, text=text)


def at_motors(block: Block) -> Block:
    """A law, or the sensors before it, that sees the motors where it sees the joints."""

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        return block.text(maths, call, {**x, **{name: x[motor] for name, motor in SEEN.items() if motor in x}})

    inputs = tuple(replace(port, name=SEEN.get(port.name, port.name)) for port in block.inputs)
    return replace(block, inputs=inputs, text=text)


_OUTPUTS = {
    "q_rate": Result(VELOCITY, "rate of the positions", Rate("q")),
    "qd_rate": Result(ACCELERATION, "rate of the velocities", Rate("qd")),
    "motor_turn": Result(VELOCITY, "rate of the motors' positions", Rate("motor")),
    "motor_rate_rate": Result(ACCELERATION, "rate of the motors' velocities", Rate("motor_rate")),
    "motor_push": Result(EFFORT, "what a motor at rest is pushed with"),
    "motor_low": Result(EFFORT, "friction that a motor at rest overcomes backwards"),
    "motor_high": Result(EFFORT, "friction that a motor at rest overcomes forwards"),
    "friction": Result(EFFORT, "friction of the motors at the start of the step, of those at rest what holds them"),
}
_LINKS = {
    "inertia": Result("kg·m²", "M(q)"),
    "push": Result(EFFORT, "what a link on its stop is pushed with"),
    **dict.fromkeys(("low", "high"), Result(EFFORT, "nothing: friction is the motors'")),
}
