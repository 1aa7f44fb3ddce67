"""A law and the arm that it drives as one block of one step; with a reference inside, if there is one, and a clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, variables, wire_blocks
from manipula.mechanics.models.integrate.discretisation import SAMPLE, discretise
from manipula.mechanics.models.ports import EFFORT, POSITION, VELOCITY, PortKind
from manipula.scalar import Entries, Maths, Next, Rate, Scalar

# A law that acts at every m-th step of the arm, its torque held between: its sample time is m steps.
#
#     at steps 0, m, 2m, …:   τ and the states as the law gives them          between:   as they were
#
# Both are computed in every step and one is chosen: what is around needs no branch, and is the same for one arm,
# for
# many side by side and in C.
#
# Derived here: it is its definition.

PHASE = PortKind("phase", "1", "steps since the law acted, a whole number", ("phase",), "state")
HELD = PortKind("tau_held", EFFORT, "torques that are held", role="state")


def periodic(law: Block, several: int) -> Block:
    """The sampled law in steps of the arm, `several` to one of its own."""
    following = {x.gives.state: name for name, x in law.outputs.items() if isinstance(x.gives, Next)}

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        phase = x["phase"][0]
        # the law's own sample time: m h
        own = {**x, "sample": [several * h for h in x["sample"]]} if "sample" in x else x
        found = law.text(maths, call, own)
        acts = maths.less(phase, maths.number(Fraction(1, 2)))

        def select_each(new: Sequence[Scalar], old: Sequence[Scalar]) -> list[Scalar]:
            return [maths.select(acts, a, b) for a, b in zip(new, old, strict=True)]

        tau = select_each(found["tau"], x["tau_held"])
        kept = {name: select_each(found[name], x[state]) for state, name in following.items()}
        # phase⁺ = (phase + 1) mod m
        on = maths.select(maths.less(phase, maths.number(Fraction(2 * several - 3, 2))), phase + 1, 0)
        return {**found, **kept, "tau": tau, "tau_held_next": tau, "phase_next": [on]}

    outputs = {
        **law.outputs,
        "tau_held_next": Result(EFFORT, "tau_held after the step", Next("tau_held")),
        "phase_next": Result("1", "phase after the step", Next("phase")),
    }
    return replace(law, inputs=(*law.inputs, HELD, PHASE), outputs=outputs, text=text)


# What a law sees of an arm: positions and velocities with noise, in whole steps of an encoder, some samples late.
#
#     q_m = r ⌊(q + σ n)/r + ½⌋           n: standard normal deviates, other ones in every step
#     q̇_m = q̇ + σ' n'
#
# What is late is a state: the values on their way.
#
# Derived here: all are their definitions.

UNITS = {"q": POSITION, "qd": VELOCITY}
MEASURED = {name: f"{name}_measured" for name in UNITS}
RESOLUTION = PortKind("resolution", POSITION, "steps of the encoders", role="setting", divides=True)


def sensor_block(noisy: Sequence[str], coarse: bool, late: int) -> Block:
    """The block. `noisy`: which of q and q̇ have noise; `coarse`: positions are whole steps; `late`: samples."""

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        found = {name: list(x[name]) for name in UNITS}
        for name in noisy:
            # q + σ n
            rows = zip(found[name], x[f"{name}_sigma"], x[f"{name}_noise"], strict=True)
            found[name] = [value + sigma * n for value, sigma, n in rows]
        if coarse:
            # r ⌊q/r + ½⌋
            half = maths.number(Fraction(1, 2))
            found["q"] = [r * maths.floor(q / r + half) for q, r in zip(found["q"], x["resolution"], strict=True)]
        return _later(found, x, late)

    inputs = [*variables(*UNITS)]
    for name in noisy:
        inputs.append(PortKind(f"{name}_sigma", UNITS[name], f"standard deviation of {name}", role="setting"))
        inputs.append(PortKind(f"{name}_noise", "1", f"normal deviates of {name}", role="noise"))
    inputs += [RESOLUTION] if coarse else []
    past = [(name, i) for name in UNITS for i in range(late)]
    inputs += [PortKind(_past(*x), UNITS[x[0]], "on its way", role="state", letter=f"{_past(*x)}_") for x in past]
    outputs = {MEASURED[name]: Result(unit, f"{name} as the law sees it") for name, unit in UNITS.items()}
    outputs |= {f"{_past(*x)}_next": Result(UNITS[x[0]], "on its way, a step later", Next(_past(*x))) for x in past}
    return Block("sensing", "what a law sees of an arm", tuple(inputs), outputs, text)


def _later(found: dict[str, list[Scalar]], x: Given, late: int) -> dict[str, Entries]:
    """Every value moves one place on; the new one is the last."""
    told: dict[str, Any] = {}
    for name, value in found.items():
        line = [*(list(x[_past(name, i)]) for i in range(late)), value]
        told[MEASURED[name]] = line[0]
        told |= {f"{_past(name, i)}_next": line[i + 1] for i in range(late)}
    return told


def _past(name: str, i: int) -> str:
    return f"{name}_seen{i + 1}"


CLOCK = PortKind("clock", "1", "steps since the start, a whole number", ("clock",), "state")
REFERENCE = ("q_ref", "qd_ref", "qdd_ref")


def drive_block(
    law: Block,
    arm: Block,
    ref: Block | None = None,
    step: Callable[[Block], Block] = discretise,
    sensors: Block | None = None,
    several: int = 1,
) -> Block:
    """One step. An arm that gives its next states holds the torque; where it gives rates, the law acts in every stage,
    and `step` makes rates into next states.

    `ref` gives positions, velocities and accelerations wanted at the time `t`: the loop then counts its steps.
    `sensors` stand between the arm and the law. A sample of the law takes `several` steps.
    """
    law = _with_sensors(law, sensors) if sensors is not None else law
    law = periodic(law, several) if several > 1 else law
    whole = join_law(law, arm, ref)
    if arm.rates:
        whole = replace(step(_with_time_state(whole) if ref else whole), name=whole.name)
    return whole if ref is None else count_steps(whole)


def join_law(law: Block, arm: Block, ref: Block | None = None) -> Block:
    """Side by side, the law's torque the arm's; with a reference the time `t` is an input."""
    blocks = {"law": law, "arm": arm} if ref is None else {"ref": ref, "law": law, "arm": arm}
    wires = {"arm.tau": "law.tau"}
    if ref is not None:
        wires |= {f"law.{x.name}": f"ref.{x.name}" for x in law.inputs if x.name in REFERENCE}
    return wire_blocks(f"{law.name}_loop", f"{law.doc}, and the arm it drives", blocks, wires)


def _with_sensors(law: Block, sensors: Block) -> Block:
    """The law with its sensors."""
    wires = {f"law.{x.name}": f"sensors.{MEASURED[x.name]}" for x in law.inputs if x.name in MEASURED}
    return wire_blocks(law.name, law.doc, {"sensors": sensors, "law": law}, wires)


def _with_time_state(block: Block) -> Block:
    """The time as a state of its own, so that every stage of an integrator has the time that it stands for."""

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        # d/dt t = 1
        return {**block.text(maths, call, x), "t_rate": [1]}

    inputs = tuple(replace(port, role="state") if port.name == "t" else port for port in block.inputs)
    outputs = {**block.outputs, "t_rate": Result("1", "rate of the time", Rate("t"))}
    return replace(block, inputs=inputs, outputs=outputs, text=text)


def count_steps(block: Block) -> Block:
    """A step that is given the time `t`, as one that counts: k steps are k·h with one rounding, however many."""

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        # t = k h,  k⁺ = k + 1
        count, h = x["clock"][0], x["sample"][0]
        found = block.text(maths, call, {**x, "t": [count * h]})
        return {**{name: found[name] for name in outputs if name in found}, "clock_next": [count + 1]}

    outputs = {name: x for name, x in block.outputs.items() if x.gives != Next("t")}
    outputs |= {"clock_next": Result("1", "clock after the step", Next("clock"))}
    inputs = tuple(port for port in block.inputs if port.name not in ("t", "sample"))
    return replace(block, inputs=(*inputs, CLOCK, SAMPLE), outputs=outputs, text=text)
