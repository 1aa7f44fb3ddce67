"""A law that acts at every m-th step of the arm, its torque held between: its sample time is m steps.

    at steps 0, m, 2m, …:   τ and the states as the law gives them          between:   as they were

Both are computed in every step and one is chosen: what stands around needs no branch, and is the same for one arm, for
many side by side and in C.

Derived here: it is its definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from manipula.mechanics.models.block import Block, ModelCall, Result
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import EFFORT, PortKind
from manipula.scalar import Maths, Next

PHASE = PortKind("phase", "1", "steps since the law acted, a whole number", ("phase",), "state")
HELD = PortKind("tau_held", EFFORT, "torques that are held", role="state")


def periodic(law: Block, several: int) -> Block:
    """The sampled law in steps of the arm, `several` to one of its own."""
    following = {x.gives.state: name for name, x in law.outputs.items() if isinstance(x.gives, Next)}

    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        phase = x["phase"][0]
        # the law's own sample time: m h
        own = {**x, "sample": [several * h for h in x["sample"]]} if "sample" in x else x
        found = law.text(maths, call, own)
        acts = maths.less(phase, maths.number(Fraction(1, 2)))

        def chosen(new: Sequence[Any], old: Sequence[Any]) -> list[Any]:
            return [maths.select(acts, a, b) for a, b in zip(new, old, strict=True)]

        tau = chosen(found["tau"], x["tau_held"])
        kept = {name: chosen(found[name], x[state]) for state, name in following.items()}
        # phase⁺ = (phase + 1) mod m
        on = maths.select(maths.less(phase, maths.number(Fraction(2 * several - 3, 2))), phase + 1, 0)
        return {**found, **kept, "tau": tau, "tau_held_next": tau, "phase_next": [on]}

    outputs = {
        **law.outputs,
        "tau_held_next": Result(EFFORT, "tau_held after the step", Next("tau_held")),
        "phase_next": Result("1", "phase after the step", Next("phase")),
    }
    return replace(law, inputs=(*law.inputs, HELD, PHASE), outputs=outputs, text=text)
