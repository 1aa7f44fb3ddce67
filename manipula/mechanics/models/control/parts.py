"""What any law can be given: limits of its torques, and a delay between measuring and acting.

    τ = min(max(v, −limit), limit)                  v: the torque the law asks for
    τ_k = v_{k−d}                                   d whole samples later; the torques on their way are states

Laws with an integral have a limit of their own, for the integral must know of it.

Derived here: both are their definitions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from manipula.mechanics.models.block import Block, ModelCall, Result
from manipula.mechanics.models.control.ports import LIMIT
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import EFFORT, PortKind
from manipula.scalar import Maths, Next


def limited(law: Block) -> Block:
    """The law with its torques held within ± limit."""

    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        found = law.text(maths, call, x)
        # τ = min(max(v, −limit), limit)
        rows = zip(found["tau"], x["limit"], strict=True)
        return {**found, "tau": [maths.minimum(maths.maximum(v, -limit), limit) for v, limit in rows]}

    return replace(law, inputs=(*law.inputs, LIMIT), text=text)


def delayed(law: Block, samples: int) -> Block:
    """The law with its torques so many samples late; the one that is next is `delayed1`."""
    names = [f"delayed{i + 1}" for i in range(samples)]

    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        found = law.text(maths, call, x)
        # τ_k = v_{k−d}: every torque moves one place on, the new one is the last
        moved = [x[name] for name in names[1:]] + [found["tau"]]
        return {**found, "tau": list(x[names[0]]), **{f"{name}_next": list(v) for name, v in zip(names, moved)}}

    waiting = [PortKind(name, EFFORT, "torques on their way", role="state", letter=f"{name}_") for name in names]
    following = {f"{name}_next": Result(EFFORT, f"{name} after the step", Next(name)) for name in names}
    return replace(law, inputs=(*law.inputs, *waiting), outputs={**law.outputs, **following}, text=text)
