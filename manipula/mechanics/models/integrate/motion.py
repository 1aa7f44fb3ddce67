"""The arm in motion as a system with state: q and q̇, driven by torques."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, states, variables
from manipula.mechanics.models.ports import ACCELERATION, EFFORT, VELOCITY
from manipula.scalar import Entries, Maths, Rate, Scalar


def _motion(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    # d/dt q = q̇,  d/dt q̇ = M(q)⁻¹ (τ − c(q, q̇) − g(q) − friction)
    acceleration = call("forward_dynamics", q=x["q"], qd=x["qd"], tau=x["tau"])["qdd"]
    return {"q_rate": list(x["qd"]), "qd_rate": acceleration}


MOTION = Block(
    "motion",
    "the arm under joint torques",
    (*states("q", "qd"), *variables("tau")),
    {
        "q_rate": Result(VELOCITY, "rate of the positions", Rate("q")),
        "qd_rate": Result(ACCELERATION, "rate of the velocities", Rate("qd")),
    },
    _motion,
    ("forward_dynamics",),
)


# An arm with a wrench on its tool: force, then moment, of the environment, world axes, at the tool's origin.
#
#     τ + J(q)ᵀ w drives the joints in place of τ            J: linear rows, then angular
#
# Wherever the text of the arm asks for accelerations, or for the torques of a motion, the wrench has its share; the
# text
# itself knows nothing of it.
#
# Source: Siciliano, Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), section 7.1, the
# equations of motion with forces on the end effector.


def add_wrench(arm: Block) -> Block:
    """The same arm with one input more, `wrench`, held over a step."""

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        def share(q: Sequence[Scalar]) -> list[Scalar]:
            # Jᵀ w
            rows = call("jacobian", q=q)["J"]
            return [sum(row[j] * force for row, force in zip(rows, x["wrench"], strict=True)) for j in range(len(q))]

        return arm.text(maths, _pushed(call, share), x)

    return replace(arm, inputs=(*arm.inputs, *variables("wrench")), text=text, calls=(*arm.calls, "jacobian"))


def _pushed(call: ModelCall, push: Callable[[Sequence[Scalar]], Sequence[Scalar]]) -> ModelCall:
    """The models of an arm that is pushed beside its motors: push(q) are torques at its joints."""

    def ask(model: str, /, **given: Sequence[Scalar]) -> Mapping[str, Any]:
        if model == "forward_dynamics":
            tau = [a + b for a, b in zip(given["tau"], push(given["q"]), strict=True)]
            return call(model, **{**given, "tau": tau})
        found = call(model, **given)
        if model != "inverse_dynamics":
            return found
        return {"tau": [a - b for a, b in zip(found["tau"], push(given["q"]), strict=True)]}

    return ask


# An arm with forces of its surroundings: a spring, a fluid, which follow from its positions and velocities.
#
#     τ + f(q, q̇) drives the joints in place of τ
#
# Derived here: it is their definition.


def add_forces(arm: Block, forces: Block, settings: Mapping[str, Sequence[float]]) -> Block:
    """The same arm, pushed by what the block `forces` gives as `tau`; its output `force` is the torques."""

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Scalar]:
        known = {name: [maths.number(Fraction(value)) for value in values] for name, values in settings.items()}
        force = list(forces.text(maths, call, {**known, "q": x["q"], "qd": x["qd"]})["tau"])
        return {**arm.text(maths, _pushed(call, lambda q: force), x), "force": force}

    outputs = {**arm.outputs, "force": Result(EFFORT, "torques of the surroundings at the start of the step")}
    return replace(arm, outputs=outputs, text=text, calls=tuple(dict.fromkeys((*arm.calls, *forces.calls))))
