"""Many steps of one function of a step: the states and outputs of every k-th, what drives it given along time, or by a
function in Python that is asked at every step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.run.compiled_function import Compiled, compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError, UnsetError, some_of
from manipula.generation.pipeline import generate_function
from manipula.generation.prepare import Request, prepare
from manipula.generation.results.system import System
from manipula.mechanics.robot.default_values import Limits
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message
from manipula.scalar import Next
from manipula.simulation.exact.mechanism import frictionless

__all__ = ["Limits"]


# The models of a robot with numbers, as functions over time: each is made when it is first requested.
#
# Parameters that have no value in the robot are given here, one number each, or one for each row of a batch.

Array = NDArray[np.float64]


class Functions:
    """`functions("energy", q, qd)`: arrays (…, time, n), whose leading axes are the batch."""

    def __init__(self, robot: RobotDescription, parameters: Mapping[str, Any] | None = None) -> None:
        self.robot = robot
        self.parameters = {name: _numbers(name, value) for name, value in (parameters or {}).items()}
        self._codes: dict[tuple[str, bool], Compiled] = {}

    def __call__(self, model: str, *given: Any, wrench: Any = None) -> Any:
        code = self.code(model, wrench is not None)
        arrays = [*given, *([] if wrench is None else [wrench])]
        values = [self.parameters[name] for name in code.parameters]
        if not any(value.ndim for value in values):
            return code(*arrays, p=dict(zip(code.parameters, map(float, values))) or None)
        return self._rows(code, arrays, values)

    def code(self, model: str, wrench: bool = False) -> Compiled:
        """The compiled model; parameters without a value are met here."""
        if (model, wrench) not in self._codes:  # a robot's hash walks through all of it
            code = _compile_model(self.robot, model, wrench)
            refuse_unknown(self.robot, [name for name in code.parameters if name not in self.parameters])
            self._codes[model, wrench] = code
        return self._codes[model, wrench]

    def _rows(self, code: Compiled, arrays: list[Any], values: list[Array]) -> Any:
        """Parameters differ from row to row: a call for each."""
        lead = np.broadcast_shapes(*(value.shape for value in values))
        tables = np.stack([np.broadcast_to(value, lead) for value in values], axis=-1)
        whole = [np.broadcast_to(x, (*lead, *np.shape(x)[-2:])) for x in map(np.asarray, arrays)]
        found = [code(*(x[row] for x in whole), p=tables[row]) for row in np.ndindex(lead)]
        if not isinstance(found[0], tuple):
            return np.stack(found).reshape(*lead, *found[0].shape)
        parts = (np.stack(part).reshape(*lead, *part[0].shape) for part in zip(*found))
        return type(found[0])(*parts)

    @cached_property
    def without_friction(self) -> Functions:
        """The same robot, no joint of which rubs."""
        return Functions(frictionless(self.robot), self.parameters)


def _numbers(name: str, value: object) -> Array:
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError):
        raise InputError("parameters: {name}: expected numbers, found {value!r:.60}", name, value) from None


@lru_cache(maxsize=64)
def _compile_model(robot: RobotDescription, model: str, wrench: bool) -> Compiled:
    """Made once for runs and motions of one arm, however many; a robot is its content.

    Some thousand values are read each time: a search for fewer operations would take longer than they do.
    """
    return compile_tape(
        tape_from_function(generate_function(prepare(Request(robot, model, wrench=wrench, optimise="none"))))
    )


def refuse_unknown(robot: RobotDescription, missing: list[str]) -> None:
    """A simulation takes numbers."""
    if missing:
        raise UnsetError(
            Message("{name}: a simulation needs a value for {some_of}", robot.name, some_of(missing)),
            missing,
            Message("parameters=… or "),
        )


TOLD = 200  # steps in Python from one word about progress to the next
Progress = Callable[[int], None]  # hears how many steps are done
Drive = Callable[[int, object], Array]  # (number of the step, state) → torques


class Marched(NamedTuple):
    """States and outputs by name, (…, time, size), the first and the last step among them, if it came to that."""

    states: dict[str, Array]
    outputs: dict[str, Array]
    steps: int  # how many were done


def run_steps(
    system: System,
    state: object,
    steps: int,
    along: Mapping[str, Array],
    drive: Drive | None,
    p: Mapping[str, Array],
    *,
    every: int,
    threads: int,
    tell: Progress,
    seed: int = 0,
    first: int = 0,
) -> Marched:
    """From a state on. `along`: variables by name, (…, steps + 1, size); `drive` gives the torques where they do not.

    The last step is made for what goes out of it: the torque at the end. Ctrl-C stops it and returns the rows so far.
    """
    tell(0)
    if drive is not None:
        return _run_python_drive(system, state, steps, along, drive, p, every, tell)
    names = [port.name for port in system.function.inputs if port.role == "variable"]
    moving = [name for name in names if along[name].strides[-2]]  # the same at every step is no array along time
    variables = (along[name] if name in moving else along[name][..., 0, :] for name in names)
    went = system.run(
        state, steps + 1, *variables, p=p or None, every=every, threads=threads, along=moving, seed=seed, first=first
    )
    outputs = _named_outputs(system, went.outputs)
    if "tau" in names:  # given, not computed
        outputs["tau"] = along["tau"][..., ::every, :]
    states = dict(zip(went.states._fields, went.states))
    return Marched(states, _broadcast(outputs, states), (states["q"].shape[-2] - 1) * every)


def _run_python_drive(
    system: System, state: object, steps: int, along: Mapping[str, Array], drive: Drive, p: Mapping[str, Array],
    every: int, tell: Progress,
) -> Marched:  # fmt: skip
    """The torques of every step by a function in Python: one step at a time."""
    names = [port.name for port in system.function.inputs if port.role == "variable"]
    states: list[Any] = []
    outputs: list[dict[str, Array]] = []
    try:
        for k in range(steps + 1):
            given = {name: value[..., k, :] for name, value in along.items()} | {"tau": drive(k, state)}
            new, out = _one(system, state, [given[name] for name in names], p)
            if k % every == 0:
                states.append(state)
                outputs.append(_named_outputs(system, out) | {"tau": np.array(given["tau"])})
            state = new
            if k % TOLD == 0:
                tell(k)
    except KeyboardInterrupt:
        if len(outputs) < 2:
            raise
    found = {name: _stack_times([x[i] for x in states]) for i, name in enumerate(states[0]._fields)}
    told = {name: _stack_times([x[name] for x in outputs]) for name in outputs[0]}
    return Marched(found, _broadcast(told, found), (len(outputs) - 1) * every)


def _one(system: System, state: object, variables: Sequence[object], p: Mapping[str, Array]) -> tuple[object, object]:
    """One step; parameters of many rows are taken by `run` alone."""
    if not p:
        return system.step(state, *variables)
    went = system.run(state, 1, *variables, p=p)
    return went.state, type(went.outputs)(*(x[..., 0, :] for x in went.outputs)) if isinstance(
        went.outputs, tuple
    ) else went.outputs[..., 0, :]


def _stack_times(values: Sequence[object]) -> Array:
    return np.stack([np.array(x) for x in values], axis=-2)


def _named_outputs(system: System, outputs: Any) -> dict[str, Array]:
    """What goes out beside the next states."""
    names = [port.name for port in system.function.outputs if not isinstance(port.gives, Next)]
    return dict(zip(names, [outputs] if len(names) == 1 else outputs))


def _broadcast(outputs: Mapping[str, Array], states: Mapping[str, Array]) -> dict[str, Array]:
    """To the rows and the times that there are."""
    lead, count = states["q"].shape[:-2], states["q"].shape[-2]
    return {
        name: np.array(np.broadcast_to(x[..., :count, :], (*lead, count, x.shape[-1]))) for name, x in outputs.items()
    }
