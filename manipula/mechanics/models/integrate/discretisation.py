"""From continuous to discrete time: a block that gives rates becomes one that gives the states of the next step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.dynamics.inertia_inverse import invert_inertia
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result
from manipula.mechanics.models.integrate.runge_kutta import (
    Advance,
    Rates,
    Solved,
    State,
    Step,
    add,
    euler,
    gauss4,
    rk4,
    rk8,
    semi_implicit,
)
from manipula.mechanics.models.ports import PortKind
from manipula.mechanics.spatial.dual import Dual, DualMaths, as_dual, partial, value_of, variables
from manipula.mechanics.spatial.vector import cross, dot
from manipula.scalar import Entries, Maths, Next, Scalar

# How the rates of a block change with its states, as far as that can be stiff: ∂ẋ/∂x by dual numbers through its text.
#
# Springs, gains, limits and friction that is drawn out stand in the text, and are differentiated as they stand. Of the
# models that the text calls only these have slopes here,
#
#     dq̈ = M⁻¹ dτ         forward dynamics under other torques
#     dτ = M dq̈           inverse dynamics under other accelerations
#     dT = (J dq) T        the pose of the tool
#
# all else is taken as constant: weight, Coriolis forces and geometry change within a motion, not within a step. So
# these
# are slopes for iterations that have the true rates beside them, and no derivatives for anything else.
#
# Derived here: the equations of motion with their matrices held.

Rows = list[list[Scalar]]
Change = Sequence[Scalar]  # of an input or an output, flat
Moved = Callable[
    [Mapping[str, Entries], Mapping[str, Any], Change], Change
]  # what it gave, what helps, change of an input


def _acceleration_change(gave: Mapping[str, Entries], helps: Mapping[str, Any], dtau: Change) -> Change:
    # dq̈ = M⁻¹ dτ
    return [dot(row, dtau) for row in invert_inertia(helps["M"])]


def _torque_change(gave: Mapping[str, Entries], helps: Mapping[str, Any], dqdd: Change) -> Change:
    # dτ = M dq̈
    return [dot(row, dqdd) for row in helps["M"]]


def _pose_change(gave: Mapping[str, Any], helps: Mapping[str, Any], dq: Change) -> Change:
    """The rows of T, its last one constant."""
    # (v, ω) = J dq,  dR = ω × R,  dp = v
    velocity, R = [dot(row, dq) for row in helps["J"]], [row[:3] for row in gave["T"][:3]]
    columns = [cross(tuple(velocity[3:]), column) for column in zip(*R)]  # type: ignore[arg-type]
    return [x for i in range(3) for x in (*(column[i] for column in columns), velocity[i])] + [0] * 4


# model → (the input that matters, the output it moves, the model that helps)
STIFF: dict[str, tuple[str, str, str, Moved]] = {
    "forward_dynamics": ("tau", "qdd", "inertia_matrix", _acceleration_change),
    "inverse_dynamics": ("qdd", "tau", "inertia_matrix", _torque_change),
    "inverse_dynamics_smooth": ("qdd", "tau", "inertia_matrix", _torque_change),
    "pose": ("q", "T", "jacobian", _pose_change),
}


def helpers(calls: Sequence[str]) -> tuple[str, ...]:
    """The models that slopes ask for besides those of the text, of the same robots."""
    split = [name.rpartition(":") for name in calls]
    return tuple(dict.fromkeys(f"{who}{mark}{STIFF[model][2]}" for who, mark, model in split if model in STIFF))


def slopes(maths: Maths[Scalar], block: Block, call: ModelCall, x: Given, names: Sequence[str]) -> Rows:
    """Rows and columns by the entries of these states, one state after the other."""
    moving = iter(variables([value for name in names for value in x[name]]))
    given: dict[str, Any] = {name: [next(moving) for _ in x[name]] for name in names}
    given |= {name: [as_dual(v) for v in values] for name, values in x.items() if name not in given}
    told = block.text(DualMaths(maths), _over_duals(call), given)
    rates = [rate for name in names for rate in told[block.rates[name]]]
    return [[_alone(maths, partial(rate, k)) for k in range(len(rates))] for rate in rates]


def _alone(maths: Maths[Scalar], x: Scalar) -> Scalar:
    """As a value of its own: the degree of what is solved with it is then not that of the arm."""
    return x if isinstance(x, int) else maths.apart(x)


def _over_duals(call: ModelCall) -> ModelCall:
    def call_with_duals(model: str, /, **inputs: Any) -> Mapping[str, Any]:
        values = {name: _values(x) for name, x in inputs.items()}
        gave = call(model, **values)
        who, mark, bare = model.rpartition(":")
        if bare not in STIFF or not any(isinstance(v, Dual) and v.partials for v in inputs[STIFF[bare][0]]):
            return {name: _constants(x) for name, x in gave.items()}
        by, moves, helper, moved = STIFF[bare]
        helps = call(f"{who}{mark}{helper}", q=values["q"])
        count = max(len(v.partials) for v in inputs[by] if isinstance(v, Dual))
        columns = [moved(gave, helps, [partial(v, k) for v in inputs[by]]) for k in range(count)]
        flow = iter(zip(*columns))
        found = {name: _constants(x) for name, x in gave.items() if name != moves}
        return {**found, moves: _as_duals(gave[moves], flow)}

    return call_with_duals


def _values(x: Any) -> Any:
    if isinstance(x, Mapping):
        return {name: value_of(v) for name, v in x.items()}
    return [value_of(v) for v in x]


def _constants(x: Any) -> Any:
    if isinstance(x, str):
        return x
    return [_constants(v) for v in x] if isinstance(x, list | tuple) else as_dual(x)


def _as_duals(x: object, flow: Any) -> Any:
    return [_as_duals(v, flow) for v in x] if isinstance(x, list | tuple) else Dual(x, tuple(next(flow)))


ImplicitStep = Callable[[Maths[Any], Rates, Rows, State, Scalar, Advance], Solved]

INTEGRATORS: dict[str, Step] = {"euler": euler, "semi-implicit": semi_implicit, "rk4": rk4, "rk8": rk8}
SOLVED: dict[str, ImplicitStep] = {"gauss4": gauss4}  # their stages solved, with slopes of the rates
METHODS = (*INTEGRATORS, *SOLVED)
LONG = ("rk8", "gauss4")  # so many stages, one in the other, that each has to be proved alone
UNSOLVED = Result("of the states", "how far the last iteration moved a stage of the step")
SAMPLE = PortKind("sample", "s", "sample time", ("sample",), "setting", divides=True)


def discretise(block: Block, sample: Fraction | None = None, method: str = "rk4") -> Block:
    """One step of `sample` seconds; without a number it is a setting of the block. Outputs are those at its start."""
    if method not in METHODS:
        raise UnknownNameError("integrator", method, METHODS)
    if set(block.rates) != set(block.states) or not block.states:
        raise InputError("{name}: needs the rate of every state to be discretised, and at least one state", block.name)
    rates = block.rates

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        found = block.text(maths, call, x)
        h = maths.number(sample) if sample is not None else x["sample"][0]
        new, told = advance_states(maths, block, call, x, found, h, method)
        kept = {name: value for name, value in found.items() if name not in rates.values()}
        return {**kept, **told, **{f"{name}_next": new[name] for name in block.states}}

    kinds = {port.name: port for port in block.inputs}
    outputs = {name: x for name, x in block.outputs.items() if name not in rates.values()}
    outputs |= method_outputs(method)
    outputs |= {f"{name}_next": Result(kinds[name].unit, f"{name} after the step", Next(name)) for name in rates}
    inputs = block.inputs if sample is not None or SAMPLE in block.inputs else (*block.inputs, SAMPLE)
    calls = method_calls(block.calls, method)
    return replace(block, name=f"{block.name}_step", inputs=inputs, outputs=outputs, text=text, calls=calls)


def advance_states(
    maths: Maths[Scalar], block: Block, call: ModelCall, x: Given, found: Given, h: Scalar, method: str
) -> tuple[State, dict[str, Any]]:
    """The states after a step, and what the method reports. `found`: the block's outputs at its start."""
    here: State = {name: x[name] for name in block.states if name in block.rates}

    def rate(state: State) -> State:
        told = found if state is here else block.text(maths, call, {**x, **state})
        return {name: told[output] for name, output in block.rates.items()}

    rates, advance = stage_rates(maths, method, rate), advance_of(block)
    if method in INTEGRATORS:
        return INTEGRATORS[method](rates, here, h, advance), {}
    new, unsolved = SOLVED[method](maths, rates, slopes(maths, block, call, x, list(here)), here, h, advance)
    return new, {"unsolved": [unsolved]}


def advance_of(block: Block) -> Advance:
    """Where a step takes its states: positions as the robot's coordinates move, every other state entry by entry."""
    if (of := block.coordinates) is None:
        return add
    return lambda x, step: {**add(x, step), "q": of.move(x["q"], step["q"])}


def method_outputs(method: str) -> dict[str, Result]:
    """The outputs that a method adds."""
    return {"unsolved": UNSOLVED} if method in SOLVED else {}


def method_calls(calls: Sequence[str], method: str) -> tuple[str, ...]:
    """The models that a step asks for."""
    return tuple(dict.fromkeys((*calls, *(helpers(calls) if method in SOLVED else ()))))


def stage_rates(maths: Maths[Scalar], method: str, rate: Rates) -> Rates:
    """The rates as the integrator takes them: where its stages are many, as values of their own, of which the next
    stage knows nothing. Else the degree of the whole would be that of twelve arms one in the other, beyond any proof.
    """

    def apart(state: State) -> State:
        return {
            name: [x if isinstance(x, int) else maths.apart(x) for x in found] for name, found in rate(state).items()
        }

    return apart if method in LONG else rate
