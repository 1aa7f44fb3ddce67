"""The arm in motion while every joint keeps its way: forwards, backwards, or at rest, held by friction or on a stop.

    M(q) q̈ = clip(τ) − c(q, q̇) − g(q) − friction(q̇, w)       in the rows of the joints that move
    q̈_i = 0                                                   of those that friction or a stop holds, w_i = 0

The ways w are held over a step, so the right side is smooth and an integrator has its order. The other output is
what decides at the step's end which joints rest (`stick`): M, the push on a resting joint, and between which torques
friction holds it.

Derived here: the equations of motion with the rows and columns of the joints at rest taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, states, variables
from manipula.mechanics.models.integrate.discretisation import SAMPLE
from manipula.mechanics.models.ports import ACCELERATION, EFFORT, POSITION, VELOCITY, PortKind
from manipula.mechanics.spatial.inertia import half
from manipula.mechanics.spatial.vector import dot
from manipula.scalar import Entries, Maths, Rate, Scalar

RUBS = "rubs"  # the name before models of the arm with its friction; those without a name are of the arm without
FRICTION = f"{RUBS}:friction_parts"
PAST = PortKind("past", ACCELERATION, "accelerations of the step before, which load its friction", role="state")


class Rubbed(NamedTuple):
    """Friction of the joints that move, between which torques it holds those that do not, and the rate of its own
    state, where it has one: that of bristles."""

    friction: Sequence[Scalar]
    low: Sequence[Scalar]
    high: Sequence[Scalar]
    bristle: Sequence[Scalar] | None = None


Rubbing = Callable[
    [Maths[Scalar], ModelCall, Given, Sequence[Scalar]], Rubbed
]  # the last: accelerations that load the joints


@dataclass(frozen=True)
class StepLimits:
    """What a step knows of an arm besides its models, an entry a joint; None is no limit.

    `dry`: can friction hold the joint? `loaded`: does any friction follow the load?
    """

    dry: tuple[bool, ...]
    efforts: tuple[Fraction | None, ...]
    ends: tuple[tuple[Fraction | None, Fraction | None], ...]
    loaded: bool = False

    @property
    def holds(self) -> tuple[bool, ...]:
        """Can friction or a stop hold the joint?"""
        return tuple(dry or ends != (None, None) for dry, ends in zip(self.dry, self.ends, strict=True))

    @property
    def endless(self) -> bool:
        """Has no joint a stop?"""
        return all(ends == (None, None) for ends in self.ends)

    @property
    def matter(self) -> bool:
        """Is any joint held, clipped or stopped?"""
        return any(self.dry) or any(
            x is not None for x in (*self.efforts, *(end for pair in self.ends for end in pair))
        )


def dry_friction(maths: Maths[Scalar], call: ModelCall, x: Given, past: Sequence[Scalar]) -> Rubbed:
    """With its jump at rest."""
    q, still = x["q"], [0] * len(x["q"])
    rubs = call(FRICTION, q=q, qd=x["qd"], qdd=past, way=x["way"])
    low, high = (call(FRICTION, q=q, qd=still, qdd=past, way=[way] * len(q))["dry"] for way in (-1, 1))
    return Rubbed([a + b for a, b in zip(rubs["smooth"], rubs["dry"])], low, high)


def eased_friction(width: Fraction) -> Rubbing:
    """Its jump drawn out: friction = ½ (f₊ + f₋) + ½ (f₊ − f₋) tanh(q̇/width), f₊ and f₋ those of either way."""

    def smoothed_friction(maths: Maths[Scalar], call: ModelCall, x: Given, past: Sequence[Scalar]) -> Rubbed:
        still, pace = [0] * len(x["q"]), maths.number(1 / width)
        minus, plus = (call(FRICTION, q=x["q"], qd=x["qd"], qdd=past, way=[way] * len(still)) for way in (-1, 1))
        rows = zip(plus["smooth"], plus["dry"], minus["dry"], x["qd"])
        friction = [s + half(p + m) + half(p - m) * maths.tanh(v * pace) for s, p, m, v in rows]
        return Rubbed(friction, still, still)

    return smoothed_friction


def no_friction(maths: Maths[Scalar], call: ModelCall, x: Given, past: Sequence[Scalar]) -> Rubbed:
    """None at all."""
    nothing = [0] * len(x["q"])
    return Rubbed(nothing, nothing, nothing)


def clip_torques(maths: Maths[Scalar], tau: Sequence[Scalar], efforts: Sequence[Fraction | None]) -> list[Scalar]:
    """min(max(τ, −limit), limit)"""
    found: list[Scalar] = []
    for torque, most in zip(tau, efforts, strict=True):
        limit = None if most is None else maths.number(most)
        found.append(torque if limit is None else maths.minimum(maths.maximum(torque, -limit), limit))
    return found


def mask_rows(M: Sequence[Sequence[Scalar]], mask: Sequence[Scalar]) -> list[list[Scalar]]:
    """M with the rows and columns of a zero in the mask replaced by those of the unit matrix; a mask is 0 or 1."""
    rows: list[list[Scalar]] = []
    for i, row in enumerate(M):
        rows.append([mask[i] * (mask[j] * x) if i != j else mask[i] * x + (1 - mask[i]) for j, x in enumerate(row)])
    return rows


def sliding_block(limits: StepLimits, rubbing: Rubbing = dry_friction) -> Block:
    """The block; `way` is an input of it."""

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        q, qd, still = x["q"], x["qd"], [0] * len(x["q"])
        M = call("inertia_matrix", q=q)["M"]
        bias = call("inverse_dynamics", q=q, qd=qd, qdd=still)["tau"]
        friction, low, high, bristle = rubbing(maths, call, x, x["past"] if limits.loaded else still)
        # p = τ − c − g − friction
        free = [t - b - f for t, b, f in zip(clip_torques(maths, x["tau"], limits.efforts), bias, friction)]
        mask = [way * way if held else 1 for way, held in zip(x["way"], limits.holds)]
        a = InertiaSolver(mask_rows(M, mask))([m * p for m, p in zip(mask, free)])
        push = [p - dot(row, a) for p, row in zip(free, M)]
        told = {"inertia": M, "push": push, "low": low, "high": high, "friction": friction}
        told |= {} if bristle is None else {"bristle_rate": bristle}
        return {"q_rate": list(qd), "qd_rate": a, **told}

    calls = ("inertia_matrix", "inverse_dynamics", *(() if rubbing is no_friction else (FRICTION,)))
    inputs = (*states("q", "qd"), *variables("tau", "way"), *((PAST,) if limits.loaded else ()))
    return Block("arm", "the arm under joint torques, every joint keeping its way", inputs, _OUTPUTS, text, calls)


_OUTPUTS = {
    "q_rate": Result(VELOCITY, "rate of the positions", Rate("q")),
    "qd_rate": Result(ACCELERATION, "rate of the velocities", Rate("qd")),
    "inertia": Result("kg·m²", "M(q)"),
    "push": Result(EFFORT, "what a joint at rest is pushed with"),
    "low": Result(EFFORT, "friction that a joint at rest overcomes backwards"),
    "high": Result(EFFORT, "friction that a joint at rest overcomes forwards"),
    "friction": Result(EFFORT, "friction at the start of the step, of joints at rest what holds them"),
}


# LuGre friction: surfaces touch by bristles that bend as springs before they give way.
#
#     ż = v − σ0 |v|/g(v) z                        z: how far they are bent, on average
#     friction = σ0 z + σ1 ż + smooth(v)
#
# g(v) is the dry friction of the joint's own laws at v, moving its way: Coulomb, Stribeck, asymmetric, of the load.
# `smooth` is what does not jump: viscous, offset. At a constant velocity z = g(v) sign(v)/σ0, and friction is that of
# the laws.
#
# A joint that slides fast relaxes its bristles within g/(σ0 |v|), less than any step of fixed length can follow. What
# is faster than a step is made to take one,
#
#     ż = (v − r z)/max(1, h r),    r = σ0 |v|/g(v)
#
# which changes nothing of a joint that slides slowly, nor of the z it tends to.
#
# Source: Canudas de Wit, Olsson, Åström, Lischinsky, "A new model for control of systems with friction", IEEE
# Transactions on Automatic Control 40 (1995).


BRISTLE = (PortKind("bristle", POSITION, "how far the bristles of friction are bent", role="state"), SAMPLE)
BRISTLE_RATE = {"bristle_rate": Result(VELOCITY, "rate of the bristles", Rate("bristle"))}


@dataclass(frozen=True)
class BristleParameters:
    """Of every joint σ0 and σ1; `bent`: has it dry friction, and so bristles?"""

    stiffness: tuple[Fraction, ...]
    damping: tuple[Fraction, ...]
    bent: tuple[bool, ...]


def bent_friction(bristles: BristleParameters) -> Rubbing:
    """Nothing is held at rest but by what bends: low and high are zero."""

    def bristle_friction(maths: Maths[Scalar], call: ModelCall, x: Given, past: Sequence[Scalar]) -> Rubbed:
        v, still = x["qd"], [0] * len(x["qd"])
        minus, plus = (call(FRICTION, q=x["q"], qd=v, qdd=past, way=[way] * len(v)) for way in (-1, 1))
        friction, rates = list[Scalar](plus["smooth"]), list[Scalar](still)
        for i, (k, d) in enumerate(zip(bristles.stiffness, bristles.damping, strict=True)):
            if not bristles.bent[i]:
                continue
            s0, s1, z = maths.number(k), maths.number(d), x["bristle"][i]
            g = maths.select(maths.less(0, v[i]), plus["dry"][i], -minus["dry"][i])
            # ż = (v − r z)/max(1, h r),  r = σ0 |v|/g(v)
            r = s0 * maths.abs(v[i]) / g
            rates[i] = (v[i] - r * z) / maths.maximum(1, x["sample"][0] * r)
            # F = σ0 z + σ1 ż + smooth(v)
            friction[i] = friction[i] + s0 * z + s1 * rates[i]
        return Rubbed(friction, still, still, rates)

    return bristle_friction


def add_bristles(arm: Block) -> Block:
    """The arm of `sliding` with friction by bristles: their bend is a state of it."""
    return replace(arm, inputs=(*arm.inputs, *BRISTLE), outputs={**arm.outputs, **BRISTLE_RATE})
