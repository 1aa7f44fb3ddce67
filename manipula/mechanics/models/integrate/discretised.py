"""From continuous to discrete time: a block that gives rates becomes one that gives the states of the next step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.block import Block, ModelCall, Result
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.integrate.methods.euler import euler
from manipula.mechanics.models.integrate.methods.gauss4 import Solved, gauss4
from manipula.mechanics.models.integrate.methods.rk4 import rk4
from manipula.mechanics.models.integrate.methods.rk8 import rk8
from manipula.mechanics.models.integrate.methods.semi_implicit import semi_implicit
from manipula.mechanics.models.integrate.methods.steps import Advance, Rates, State, Step, add
from manipula.mechanics.models.integrate.stiffness import Rows, helpers, slopes
from manipula.mechanics.models.ports import PortKind
from manipula.scalar import Maths, Next

ImplicitStep = Callable[[Maths[Any], Rates, Rows, State, Any, Advance], Solved]

INTEGRATORS: dict[str, Step] = {"euler": euler, "semi-implicit": semi_implicit, "rk4": rk4, "rk8": rk8}
SOLVED: dict[str, ImplicitStep] = {"gauss4": gauss4}  # their stages solved, with slopes of the rates
METHODS = (*INTEGRATORS, *SOLVED)
LONG = ("rk8", "gauss4")  # so many stages, one in the other, that each has to be proved by itself
UNSOLVED = Result("of the states", "how far the last iteration moved a stage of the step")
SAMPLE = PortKind("sample", "s", "sample time", ("sample",), "setting", divides=True)


def discretised(block: Block, sample: Fraction | None = None, method: str = "rk4") -> Block:
    """One step of `sample` seconds; without a number it is a setting of the block. Outputs are those at its start."""
    if method not in METHODS:
        raise UnknownNameError("integrator", method, METHODS)
    if set(block.rates) != set(block.states) or not block.states:
        raise InputError("{name}: needs the rate of every state to be discretised, and at least one state", block.name)
    rates = block.rates

    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        found = block.text(maths, call, x)
        h = maths.number(sample) if sample is not None else x["sample"][0]
        new, told = advanced(maths, block, call, x, found, h, method)
        kept = {name: value for name, value in found.items() if name not in rates.values()}
        return {**kept, **told, **{f"{name}_next": new[name] for name in block.states}}

    kinds = {port.name: port for port in block.inputs}
    outputs = {name: x for name, x in block.outputs.items() if name not in rates.values()}
    outputs |= telling(method)
    outputs |= {f"{name}_next": Result(kinds[name].unit, f"{name} after the step", Next(name)) for name in rates}
    inputs = block.inputs if sample is not None or SAMPLE in block.inputs else (*block.inputs, SAMPLE)
    calls = calling(block.calls, method)
    return replace(block, name=f"{block.name}_step", inputs=inputs, outputs=outputs, text=text, calls=calls)


def advanced(
    maths: Maths[Any], block: Block, call: ModelCall, x: Given, found: Given, h: Any, method: str
) -> tuple[State, dict[str, Any]]:
    """The states after a step, and what the method tells of it. `found`: the block's outputs at its start."""
    here: State = {name: x[name] for name in block.states if name in block.rates}

    def rate(state: State) -> State:
        told = found if state is here else block.text(maths, call, {**x, **state})
        return {name: told[output] for name, output in block.rates.items()}

    rates, advance = staged(maths, method, rate), advance_of(block)
    if method in INTEGRATORS:
        return INTEGRATORS[method](rates, here, h, advance), {}
    new, unsolved = SOLVED[method](maths, rates, slopes(maths, block, call, x, list(here)), here, h, advance)
    return new, {"unsolved": [unsolved]}


def advance_of(block: Block) -> Advance:
    """Where a step takes its states: positions as the robot's coordinates move, every other state entry by entry."""
    if (of := block.coordinates) is None:
        return add
    return lambda x, step: {**add(x, step), "q": of.moved(x["q"], step["q"])}


def telling(method: str) -> dict[str, Result]:
    """The outputs that a method adds."""
    return {"unsolved": UNSOLVED} if method in SOLVED else {}


def calling(calls: Sequence[str], method: str) -> tuple[str, ...]:
    """The models that a step asks for."""
    return tuple(dict.fromkeys((*calls, *(helpers(calls) if method in SOLVED else ()))))


def staged(maths: Maths[Any], method: str, rate: Rates) -> Rates:
    """The rates as the integrator takes them: where its stages are many, as values of their own, of which the next
    stage knows nothing. Else the degree of the whole would be that of twelve arms one in the other, beyond any proof.
    """

    def apart(state: State) -> State:
        return {
            name: [x if isinstance(x, int) else maths.apart(x) for x in found] for name, found in rate(state).items()
        }

    return apart if method in LONG else rate
