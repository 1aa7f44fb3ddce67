"""A law and the arm that it drives as one block of one step; with a reference inside, if there is one, and a clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from manipula.mechanics.models.block import Block, ModelCall, Result
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.integrate.discretised import SAMPLE, discretised
from manipula.mechanics.models.integrate.periodic import periodic
from manipula.mechanics.models.integrate.sensing import MEASURED
from manipula.mechanics.models.ports import PortKind
from manipula.mechanics.models.wiring import wired
from manipula.scalar import Maths, Next, Rate

CLOCK = PortKind("clock", "1", "steps since the start, a whole number", ("clock",), "state")
REFERENCE = ("q_ref", "qd_ref", "qdd_ref")


def driven(
    law: Block,
    arm: Block,
    ref: Block | None = None,
    step: Callable[[Block], Block] = discretised,
    sensors: Block | None = None,
    several: int = 1,
) -> Block:
    """One step. An arm that gives its next states holds the torque; where it gives rates, the law acts in every stage,
    and `step` makes rates into next states.

    `ref` gives positions, velocities and accelerations wanted at the time `t`: the loop then counts its steps.
    `sensors` stand between the arm and the law. A sample of the law takes `several` steps.
    """
    law = _seeing(law, sensors) if sensors is not None else law
    law = periodic(law, several) if several > 1 else law
    whole = joined(law, arm, ref)
    if arm.rates:
        whole = replace(step(_moving(whole) if ref else whole), name=whole.name)
    return whole if ref is None else clocked(whole)


def joined(law: Block, arm: Block, ref: Block | None = None) -> Block:
    """Side by side, the law's torque the arm's; with a reference the time `t` is an input."""
    blocks = {"law": law, "arm": arm} if ref is None else {"ref": ref, "law": law, "arm": arm}
    wires = {"arm.tau": "law.tau"}
    if ref is not None:
        wires |= {f"law.{x.name}": f"ref.{x.name}" for x in law.inputs if x.name in REFERENCE}
    return wired(f"{law.name}_loop", f"{law.doc}, and the arm it drives", blocks, wires)


def _seeing(law: Block, sensors: Block) -> Block:
    """The law with its sensors."""
    wires = {f"law.{x.name}": f"sensors.{MEASURED[x.name]}" for x in law.inputs if x.name in MEASURED}
    return wired(law.name, law.doc, {"sensors": sensors, "law": law}, wires)


def _moving(block: Block) -> Block:
    """The time as a state of its own, so that every stage of an integrator has the time that it stands for."""

    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        # d/dt t = 1
        return {**block.text(maths, call, x), "t_rate": [1]}

    inputs = tuple(replace(port, role="state") if port.name == "t" else port for port in block.inputs)
    outputs = {**block.outputs, "t_rate": Result("1", "rate of the time", Rate("t"))}
    return replace(block, inputs=inputs, outputs=outputs, text=text)


def clocked(block: Block) -> Block:
    """A step that is given the time `t`, as one that counts: k steps are k·h with one rounding, however many."""

    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        # t = k h,  k⁺ = k + 1
        count, h = x["clock"][0], x["sample"][0]
        found = block.text(maths, call, {**x, "t": [count * h]})
        return {**{name: found[name] for name in outputs if name in found}, "clock_next": [count + 1]}

    outputs = {name: x for name, x in block.outputs.items() if x.gives != Next("t")}
    outputs |= {"clock_next": Result("1", "clock after the step", Next("clock"))}
    inputs = tuple(port for port in block.inputs if port.name not in ("t", "sample"))
    return replace(block, inputs=(*inputs, CLOCK, SAMPLE), outputs=outputs, text=text)
