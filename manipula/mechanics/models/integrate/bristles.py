"""LuGre friction: surfaces touch by bristles that bend as springs before they give way.

    ż = v − σ0 |v|/g(v) z                        z: how far they are bent, on average
    friction = σ0 z + σ1 ż + smooth(v)

g(v) is the dry friction of the joint's own laws at v, moving its way: Coulomb, Stribeck, asymmetric, of the load.
`smooth` is what does not jump: viscous, offset. At a constant velocity z = g(v) sign(v)/σ0, and friction is that of the
laws.

A joint that slides fast relaxes its bristles within g/(σ0 |v|), less than any step of fixed length can follow. What is
faster than a step is made to take one,

    ż = (v − r z)/max(1, h r),    r = σ0 |v|/g(v)

which changes nothing of a joint that slides slowly, nor of the z it tends to.

Source: Canudas de Wit, Olsson, Åström, Lischinsky, "A new model for control of systems with friction", IEEE
Transactions on Automatic Control 40 (1995).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from manipula.mechanics.models.block import Block, ModelCall, Result
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.integrate.discretisation import SAMPLE
from manipula.mechanics.models.integrate.sliding_motion import FRICTION, Rubbed, Rubbing
from manipula.mechanics.models.ports import POSITION, VELOCITY, PortKind
from manipula.scalar import Maths, Rate, Scalar

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
