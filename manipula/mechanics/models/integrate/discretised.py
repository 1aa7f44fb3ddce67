"""From continuous to discrete time: a block that gives rates becomes one that gives the states of the next step."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.block import Block, Call, Result
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.integrate.euler import euler
from manipula.mechanics.models.integrate.gauss4 import gauss4
from manipula.mechanics.models.integrate.rk4 import rk4
from manipula.mechanics.models.integrate.rk8 import rk8
from manipula.mechanics.models.integrate.semi_implicit import semi_implicit
from manipula.mechanics.models.integrate.steps import Rates, State, Step
from manipula.mechanics.models.ports import PortKind
from manipula.scalar import Maths, Next

INTEGRATORS: dict[str, Step] = {
    "euler": euler, "semi-implicit": semi_implicit, "rk4": rk4, "gauss4": gauss4, "rk8": rk8,
}  # fmt: skip
LONG = ("rk8",)  # so many stages, one in the other, that each has to be proved by itself
SAMPLE = PortKind("sample", "s", "sample time", ("sample",), "setting", divides=True)


def discretised(block: Block, sample: Fraction | None = None, method: str = "rk4") -> Block:
    """One step of `sample` seconds; without a number it is a setting of the block. Outputs are those at its start."""
    if method not in INTEGRATORS:
        raise UnknownNameError("integrator", method, INTEGRATORS)
    if set(block.rates) != set(block.states) or not block.states:
        raise InputError(f"{block.name}: needs the rate of every state to be discretised, and at least one state")
    step, rates = INTEGRATORS[method], block.rates

    def text(maths: Maths[Any], call: Call, x: Given) -> dict[str, Any]:
        here: State = {name: x[name] for name in block.states}
        found = block.text(maths, call, x)

        def rate(state: State) -> State:
            told = found if state is here else block.text(maths, call, {**x, **state})
            return {name: told[output] for name, output in rates.items()}

        h = maths.number(sample) if sample is not None else x["sample"][0]
        new = step(staged(maths, method, rate), here, h)
        kept = {name: value for name, value in found.items() if name not in rates.values()}
        return {**kept, **{f"{name}_next": new[name] for name in here}}

    kinds = {port.name: port for port in block.inputs}
    outputs = {name: x for name, x in block.outputs.items() if name not in rates.values()}
    outputs |= {f"{name}_next": Result(kinds[name].unit, f"{name} after the step", Next(name)) for name in rates}
    inputs = block.inputs if sample is not None or SAMPLE in block.inputs else (*block.inputs, SAMPLE)
    return replace(block, name=f"{block.name}_step", inputs=inputs, outputs=outputs, text=text)


def staged(maths: Maths[Any], method: str, rate: Rates) -> Rates:
    """The rates as the integrator takes them: where its stages are many, as values of their own, of which the next
    stage knows nothing. Else the degree of the whole would be that of twelve arms one in the other, beyond any proof.
    """

    def apart(state: State) -> State:
        return {
            name: [x if isinstance(x, int) else maths.apart(x) for x in found] for name, found in rate(state).items()
        }

    return apart if method in LONG else rate
