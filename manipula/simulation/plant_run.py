"""A plant in time: the task as it was requested, and the loops that its run is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError
from manipula.generation.compose import asked_of
from manipula.generation.pipeline import generate_function
from manipula.generation.results.system import Law, System
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result
from manipula.mechanics.models.ports import PortKind
from manipula.mechanics.spatial.floats import FLOATS
from manipula.scalar import Maths, Rate
from manipula.simulation.inputs import RUNAWAY, Workshop, torques_from
from manipula.simulation.loop import Sensors, loop_system
from manipula.simulation.plant import Plant, Stepping, stepping_of
from manipula.simulation.run import Run
from manipula.simulation.runner import run_simulation
from manipula.simulation.stepping import TOLD, Array, Marched, Progress
from manipula.simulation.task import Event, task_from


def run_of(
    plant: Plant, law: object, ref: Any, *, step: float, method: str, sensors: Sensors | None,
    tell: Callable[[str], None], events: Sequence[Event], **asked: Any,
) -> Run:  # fmt: skip
    """The run, from a law or torques and a reference; `asked` are the other words of `simulate`."""
    if sensors is not None and method == "dop853":
        raise InputError("sensors: {method} does not support them; take a method of fixed steps", method)
    if plant.forces is not None and method == "dop853":
        raise InputError("forces: {method} does not support them; take a method of fixed steps", method)
    task = task_from(plant, ref, step=step, method=method, events=events, gains=_gains(law), **asked)
    if sensors is not None and not hasattr(law, "function"):
        raise InputError("sensors need a law made by mp.controller; torques or a function cannot use them")
    inside = ref if getattr(ref, "block", None) is not None else None  # so that every stage has its own time
    pushed = any(x is not None for x in (task.wrench, *(x.wrench for x in task.events if x.wrench is not ...)))

    def loop(arm: Plant, law: Law | None) -> System:
        follows = inside if law is not None and law.sample is None else None
        seen = None if law is None else sensors
        return loop_system(arm, law, follows, method=method, step=step, wrench=pushed, sensors=seen, tell=tell)

    make = Workshop(loop, _change_payload, run_stages)
    return run_simulation(
        task, law, ref, make, {"law": getattr(law, "law", None), "sample": getattr(law, "sample", step)}, tell
    )


def _gains(law: object) -> dict[str, int]:
    return {name: len(values) for name, values in getattr(law, "settings", {}).items()}


def _change_payload(plant: Plant, load: Mapping[str, Any] | None) -> Plant:
    empty = plant.robot.without("payload")
    return replace(plant, robot=empty if load is None else empty.with_payload(**load))


# One arm driven by a function in Python that is asked in every stage of a step.
#
# The text of a step is written over any scalar: here it runs on numbers, and where the arm asks for its torques the
# function is called with the time and the state of that stage. So the torques are not held over the step, and the run
# has the order of its method; every stage is paid for in Python.

TIME = PortKind("time", "s", "time", ("time",), "state")
PythonLaw = Callable[[float, Array, Array], Sequence[float]]


def run_stages(
    plant: Plant, method: str, law: PythonLaw, start: Mapping[str, Array], times: Array, along: Mapping[str, Array],
    parameters: Mapping[str, Array], tell: Progress, every: int,
) -> Marched:  # fmt: skip
    """The states at every k-th of these times, from `start` on. `along`: the wrench, a row a step."""
    stepping = stepping_of(plant, method, wrench="wrench" in along)
    torques: list[Array] = []
    block = stepping.step(_with_python_torques(stepping.arm, law, torques))
    call = _models(block, stepping, {name: float(x) for name, x in parameters.items()})
    names = [name for name in block.states if name != TIME.name]
    state = {name: start.get(name, np.zeros(plant.robot.dof)).tolist() for name in names}
    rows: list[dict[str, Any]] = []
    outputs: list[dict[str, Any]] = []
    try:
        for k, t in enumerate(times.tolist()):
            torques.clear()
            given = {name: x[k].tolist() for name, x in along.items()} | {"sample": [float(times[1] - times[0])]}
            found = block.text(FLOATS, call, {**state, TIME.name: [t], **given})
            if k % every == 0:
                rows.append(state)
                others: dict[str, Any] = {x: found[x] for x in ("friction", "residual", "force") if x in found}
                outputs.append({"tau": torques[0], **others})
            state = {name: found[f"{name}_next"] for name in names}
            if k % TOLD == 0:
                tell(k)
    except KeyboardInterrupt:
        if len(outputs) < 2:
            raise
    count = min(len(rows), len(outputs))
    states, told = (_columns(x[:count]) for x in (rows, outputs))
    return Marched(states, told, (count - 1) * every)


def _columns(rows: list[dict[str, object]]) -> dict[str, Array]:
    return {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}


def _with_python_torques(arm: Block, law: PythonLaw, torques: list[Array]) -> Block:
    """The arm with its torques from the function: at the motors, where it has these."""

    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        q, qd = (np.array(x.get(motor, x[own]), dtype=float) for own, motor in (("q", "motor"), ("qd", "motor_rate")))
        t, wild = float(x[TIME.name][0]), not np.abs([q, qd]).max() < RUNAWAY
        torques.append(torques_from(law(t, q, qd), len(q), t, wild))
        return {**arm.text(maths, call, {**x, "tau": torques[-1].tolist()}), "time_rate": [1]}

    inputs = (*(port for port in arm.inputs if port.name != "tau"), TIME)
    outputs = {**arm.outputs, "time_rate": Result("1", "rate of time", Rate("time"))}
    return replace(arm, inputs=inputs, outputs=outputs, text=text)


def _models(block: Block, stepping: Stepping, parameters: Mapping[str, float]) -> ModelCall:
    """Every model that the text asks for, compiled."""
    made: dict[str, Any] = {}

    def call(model: str, /, **given: object) -> dict[str, Any]:
        if model not in made:
            function = generate_function(asked_of(model, stepping.asked, stepping.others))
            made[model] = function, compile_tape(tape_from_function(function))
        function, code = made[model]
        read = [name for port in function.inputs if port.role == "parameter" for name in port.names]
        p = {name: parameters[name] for name in read if name in parameters} or None
        ports = [port for port in function.inputs if port.role != "parameter"]
        found = code.general(*(np.array(given[port.name], dtype=float) for port in ports), p=p)
        values = found if isinstance(found, tuple) else (found,)
        return {port.name: np.asarray(x).tolist() for port, x in zip(function.outputs, values, strict=True)}

    return call
