"""What a law sees of an arm: positions and velocities with noise, in whole steps of an encoder, some samples late.

    q_m = r ⌊(q + σ n)/r + ½⌋           n: standard normal deviates, other ones in every step
    q̇_m = q̇ + σ' n'

What is late is a state: the values on their way.

Derived here: all are their definitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from manipula.mechanics.models.block import Block, ModelCall, Result, variables
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import POSITION, VELOCITY, PortKind
from manipula.scalar import Maths, Next

UNITS = {"q": POSITION, "qd": VELOCITY}
MEASURED = {name: f"{name}_measured" for name in UNITS}
RESOLUTION = PortKind("resolution", POSITION, "steps of the encoders", role="setting", divides=True)


def sensing(noisy: Sequence[str], coarse: bool, late: int) -> Block:
    """The block. `noisy`: which of q and q̇ have noise; `coarse`: positions are whole steps; `late`: samples."""

    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
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


def _later(found: dict[str, list[Any]], x: Given, late: int) -> dict[str, Any]:
    """Every value moves one place on; the new one is the last."""
    told: dict[str, Any] = {}
    for name, value in found.items():
        line = [*(list(x[_past(name, i)]) for i in range(late)), value]
        told[MEASURED[name]] = line[0]
        told |= {f"{_past(name, i)}_next": line[i + 1] for i in range(late)}
    return told


def _past(name: str, i: int) -> str:
    return f"{name}_seen{i + 1}"
