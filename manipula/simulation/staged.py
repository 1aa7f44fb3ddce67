"""One arm driven by a function in Python that is asked in every stage of a step.

The text of a step is written over any scalar: here it runs on numbers, and where the arm asks for its torques the
function is called with the time and the state of that stage. So the torques are not held over the step, and the run has
the order of its method; every stage is paid for in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.generation.compose import asked_of
from manipula.generation.pipeline import generate_function
from manipula.mechanics.models.block import Block, ModelCall, Result
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import PortKind
from manipula.mechanics.spatial.floats import FLOATS
from manipula.scalar import Maths, Rate
from manipula.simulation.inputs import RUNAWAY, torques_from
from manipula.simulation.plant import Plant, Stepping, stepping_of
from manipula.simulation.stepping import TOLD, Array, Marched, Progress

TIME = PortKind("time", "s", "time", ("time",), "state")
Law = Callable[[float, Array, Array], Sequence[float]]


def run_stages(
    plant: Plant, method: str, law: Law, start: Mapping[str, Array], times: Array, along: Mapping[str, Array],
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
                others: dict[str, Any] = {x: found[x] for x in ("friction", "residual") if x in found}
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


def _columns(rows: list[dict[str, Any]]) -> dict[str, Array]:
    return {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}


def _with_python_torques(arm: Block, law: Law, torques: list[Array]) -> Block:
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
