"""How the rates of a block change with its states, as far as that can be stiff: ∂ẋ/∂x by dual numbers through its text.

Springs, gains, limits and friction that is drawn out stand in the text, and are differentiated as they stand. Of the
models that the text calls only these have slopes here,

    dq̈ = M⁻¹ dτ         forward dynamics under other torques
    dτ = M dq̈           inverse dynamics under other accelerations
    dT = (J dq) T        the pose of the tool

all else is taken as constant: weight, Coriolis forces and geometry change within a motion, not within a step. So these
are slopes for iterations that have the true rates beside them, and no derivatives for anything else.

Derived here: the equations of motion with their matrices held.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from manipula.mechanics.models.block import Block, ModelCall
from manipula.mechanics.models.dynamics.inertia_inverse import inverted
from manipula.mechanics.models.entry import Given
from manipula.mechanics.spatial.dual import Dual, DualMaths, as_dual, partial, value_of, variables
from manipula.mechanics.spatial.vector import cross, dot
from manipula.scalar import Maths

Rows = list[list[Any]]
Change = Sequence[Any]  # of an input or an output, flat
Moved = Callable[[Mapping[str, Any], Mapping[str, Any], Change], Change]  # what it gave, what helps, change of an input


def _accelerated(gave: Mapping[str, Any], helps: Mapping[str, Any], dtau: Change) -> Change:
    # dq̈ = M⁻¹ dτ
    return [dot(row, dtau) for row in inverted(helps["M"])]


def _driven(gave: Mapping[str, Any], helps: Mapping[str, Any], dqdd: Change) -> Change:
    # dτ = M dq̈
    return [dot(row, dqdd) for row in helps["M"]]


def _carried(gave: Mapping[str, Any], helps: Mapping[str, Any], dq: Change) -> Change:
    """The rows of T, its last one constant."""
    # (v, ω) = J dq,  dR = ω × R,  dp = v
    velocity, R = [dot(row, dq) for row in helps["J"]], [row[:3] for row in gave["T"][:3]]
    columns = [cross(tuple(velocity[3:]), column) for column in zip(*R)]  # type: ignore[arg-type]
    return [x for i in range(3) for x in (*(column[i] for column in columns), velocity[i])] + [0] * 4


# model → (the input that matters, the output it moves, the model that helps)
STIFF: dict[str, tuple[str, str, str, Moved]] = {
    "forward_dynamics": ("tau", "qdd", "inertia_matrix", _accelerated),
    "inverse_dynamics": ("qdd", "tau", "inertia_matrix", _driven),
    "inverse_dynamics_smooth": ("qdd", "tau", "inertia_matrix", _driven),
    "pose": ("q", "T", "jacobian", _carried),
}


def helpers(calls: Sequence[str]) -> tuple[str, ...]:
    """The models that slopes ask for besides those of the text, of the same robots."""
    split = [name.rpartition(":") for name in calls]
    return tuple(dict.fromkeys(f"{who}{mark}{STIFF[model][2]}" for who, mark, model in split if model in STIFF))


def slopes(maths: Maths[Any], block: Block, call: ModelCall, x: Given, names: Sequence[str]) -> Rows:
    """Rows and columns by the entries of these states, one state after the other."""
    moving = iter(variables([value for name in names for value in x[name]]))
    given: dict[str, Any] = {name: [next(moving) for _ in x[name]] for name in names}
    given |= {name: [as_dual(v) for v in values] for name, values in x.items() if name not in given}
    told = block.text(DualMaths(maths), _over_duals(call), given)
    rates = [rate for name in names for rate in told[block.rates[name]]]
    return [[_alone(maths, partial(rate, k)) for k in range(len(rates))] for rate in rates]


def _alone(maths: Maths[Any], x: Any) -> Any:
    """As a value of its own: the degree of what is solved with it is then not that of the arm."""
    return x if isinstance(x, int) else maths.apart(x)


def _over_duals(call: ModelCall) -> ModelCall:
    def called(model: str, /, **inputs: Any) -> Mapping[str, Any]:
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
        return {**found, moves: _moving(gave[moves], flow)}

    return called


def _values(x: Any) -> Any:
    if isinstance(x, Mapping):
        return {name: value_of(v) for name, v in x.items()}
    return [value_of(v) for v in x]


def _constants(x: Any) -> Any:
    if isinstance(x, str):
        return x
    return [_constants(v) for v in x] if isinstance(x, list | tuple) else as_dual(x)


def _moving(x: Any, flow: Any) -> Any:
    return [_moving(v, flow) for v in x] if isinstance(x, list | tuple) else Dual(x, tuple(next(flow)))
