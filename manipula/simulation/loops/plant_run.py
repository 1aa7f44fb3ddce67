"""A plant in time: the task as it was asked for, and the loops that its run is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from manipula.errors import InputError
from manipula.generation.results.system import Law, System
from manipula.simulation.inputs import Workshop
from manipula.simulation.loop import Sensors, loop_system
from manipula.simulation.plant import Plant
from manipula.simulation.run import Run
from manipula.simulation.runner import run_simulation
from manipula.simulation.staged import run_stages
from manipula.simulation.task import Event, task_from


def run_of(
    plant: Plant, law: Any, ref: Any, *, step: float, method: str, sensors: Sensors | None, tell: Callable[[str], None],
    events: Sequence[Event], **asked: Any,
) -> Run:  # fmt: skip
    """The run, from a law or torques and a reference; `asked` are the other words of `simulate`."""
    if sensors is not None and method == "dop853":
        raise InputError("sensors: {method} has none; take a method of fixed steps", method)
    task = task_from(plant, ref, step=step, method=method, events=events, gains=_gains(law), **asked)
    if sensors is not None and not hasattr(law, "function"):
        raise InputError("sensors: stand before a law of mp.controller, not before torques or a function")
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
