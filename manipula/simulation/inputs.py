"""What drives an arm from one event to the next: a law joined with it, torques along time, a function in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from manipula.algebra.expr.function import Function, Input
from manipula.errors import InputError, UnknownNameError, UnprovableError
from manipula.generation.labels import is_position
from manipula.generation.results.system import Law, System
from manipula.generation.settings import refuse_impossible
from manipula.mechanics.models.control.laws import law_block
from manipula.mechanics.models.control.user_law import refuse_unbound
from manipula.mechanics.models.integrate.discretisation import SOLVED
from manipula.messages import Message
from manipula.robot import Robot
from manipula.simulation.exact import equations as exact
from manipula.simulation.plant import Plant
from manipula.simulation.stepping import Array, Drive, Marched, Progress, refuse_unknown, run_steps
from manipula.simulation.task import Task, numbers

REFERENCES = ("q_ref", "qd_ref", "qdd_ref")
MEASURED = ("q", "qd")
RUNAWAY = 1e9  # rad, m, rad/s, m/s: long before the numbers end


class Workshop(NamedTuple):
    """Who makes what a run needs: the loop of a plant and a law (None: the plant alone), a plant with another payload,
    steps that ask a function in stages."""

    loop: Callable[[Plant, Law | None], System]
    loaded: Callable[[Plant, dict[str, object] | None], Plant]
    staged: Callable[..., Marched]


@dataclass(frozen=True)
class Part:
    """From one event to the next: steps `first` to `last`; its law came at step `since`."""

    task: Task
    first: int
    last: int
    plant: Plant
    law: Any
    wrench: Array | None
    ref: Any
    since: int = 0

    @property
    def robot(self) -> Robot:
        return self.plant.robot

    @property
    def steps(self) -> int:
        return self.last - self.first

    @property
    def times(self) -> Array:
        """Of every step and the end."""
        return self.task.step * np.arange(self.first, self.last + 1, dtype=float)

    @property
    def holds_torque(self) -> bool:
        """Are torques constant over a step?"""
        return not self.task.stages and self._holds

    @property
    def _holds(self) -> bool:
        return not hasattr(self.law, "function") or self.law.sample is not None


def refuse_impossible_drive(part: Part) -> None:
    """What is known of a part before anything is made: its law's samples, its torques, its wrench."""
    if part.task.stages and part.task.method != "dop853":
        _refuse_stages(part.task.method, part.law, part.task.lead)
    if hasattr(part.law, "function"):
        _samples(part)
    elif callable(part.law):
        _refuse_signature(part.law)
    else:
        torques(part)
    if part.wrench is not None:
        along_time("wrench", part.wrench, 6, part)


def _refuse_stages(method: str, law: object, lead: tuple[int, ...]) -> None:
    """What cannot be asked in every stage."""
    if not callable(law) or hasattr(law, "function"):
        raise InputError("stages: is of a law that is a function (t, q, qd) → torques; other laws know when they act")
    if method in SOLVED:
        raise InputError("stages: {method} needs slopes of the law, which a function in Python does not give", method)
    if lead:
        raise InputError("stages: one arm at a time; a batch asks its function once a step")


def _refuse_signature(law: Callable[..., object]) -> None:
    """A function that cannot be asked with three values."""
    try:
        takes = signature(law)
    except (TypeError, ValueError):  # of code that is not Python: it says so itself
        return
    try:
        takes.bind(0.0, None, None)
    except TypeError:
        name = getattr(law, "__name__", type(law).__name__)
        raise InputError(
            "law: is asked with (t, q, qd); {name}{signature} does not take these three", name, takes
        ) from None


def run_part(part: Part, now: Mapping[str, Array], make: Workshop, tell: Progress) -> Marched:
    """The states over the steps of a part."""
    joined = hasattr(part.law, "function")
    if part.task.stages and callable(part.law) and not joined:
        return _in_stages(part, now, make, tell)
    try:
        system = make.loop(part.plant, part.law if joined else None)
    except UnprovableError as error:
        raise UnprovableError(
            '{error}; method="dop853" simulates it, which needs no function of a step', error
        ) from error
    along = _pushes(system, part)
    if joined:
        ports = [port for port in variables_of(system.function) if port.name not in along]
        along |= law_inputs(system.name, ports, part, now)
    drive = _function_drive(part) if callable(part.law) and not joined else None
    if drive is None and not joined:
        along["tau"] = torques(part)
    return run_steps(
        system, _start(system, part, now), part.steps, along, drive, values_of(system.function, part),
        every=part.task.every, threads=part.task.threads, tell=tell, seed=part.task.seed, first=part.first,
    )  # fmt: skip


def _in_stages(part: Part, now: Mapping[str, Array], make: Workshop, tell: Progress) -> Marched:
    """By a function that is asked in every stage."""
    along = {} if part.wrench is None else {"wrench": along_time("wrench", part.wrench, 6, part)}
    return make.staged(
        part.plant, part.task.method, part.law, now, part.times, along, part.task.parameters, tell, part.task.every
    )


def _pushes(system: System, part: Part) -> dict[str, Array]:
    if not any(port.name == "wrench" for port in system.function.inputs):
        return {}
    return {"wrench": along_time("wrench", np.zeros(6) if part.wrench is None else part.wrench, 6, part)}


def variables_of(function: Function) -> list[Input]:
    return [port for port in function.inputs if port.role == "variable"]


def _samples(part: Part) -> int:
    """How many steps a sample of the law takes."""
    law, step = part.law, part.task.step
    if law.request.robot.dof != part.robot.dof:
        raise InputError(
            "{name}: drives {dof} joints; {name2} has {dof2}",
            law.name,
            law.request.robot.dof,
            part.robot.name,
            part.robot.dof,
        )
    if law.sample is None:
        return 1
    ratio = float(law.sample) / step
    count = round(ratio) if np.isfinite(ratio) else 0
    if count < 1 or abs(count * step - law.sample) > 1e-9 * law.sample:
        raise InputError(
            "{name}: its sample time of {sample:g} s is no whole multiple of step = {step:g} s",
            law.name,
            law.sample,
            step,
        )
    return count


# where it begins


def law_positions(now: Mapping[str, Array]) -> Array:
    """The positions that a law sees: the motors', where joints are elastic."""
    return now.get("motor", now["q"])


def _start(system: Any, part: Part, now: Mapping[str, Array]) -> object:
    """States that go on; a new one that is a position, as a filter's, begins at the arm's, every other at zero."""
    ports = [port for port in system.function.inputs if port.role == "state"]
    given = {port.name: now[port.name] for port in ports if port.name in now}
    given |= {port.name: law_positions(now) for port in ports if port.name not in now and is_position(port, part.robot)}
    if any(port.name == "clock" for port in ports):
        given["clock"] = np.full((*now["q"].shape[:-1], 1), float(part.first))
    if any(port.name == "phase" for port in ports):
        given |= _between(part, now)
    return system.start(**given)


def _between(part: Part, now: Mapping[str, Array]) -> dict[str, Array]:
    """Where a law of several steps stands between its samples, and the torque it holds: an event is not one of them."""
    phase = np.full((*now["q"].shape[:-1], 1), float((part.first - part.since) % _samples(part)))
    return {"phase": phase, "tau_held": now["tau"]} if part.first > part.since else {"phase": phase}


def values_of(function: Function, part: Part) -> dict[str, Array]:
    """The parameters that the function reads; a name nobody knows is refused."""
    robot, given = part.robot, part.task.parameters
    read = [name for port in function.inputs if port.role == "parameter" for name in port.names]
    gains = [port.name for port in function.inputs if port.role == "setting" and port.name != "sample"]
    known = {*read, *gains, *(function.provenance.parameters or ()), *robot.names()}
    for name in given:
        if name not in known:
            raise UnknownNameError(Message("parameter of {function}", robot.name), name, sorted(known))
    refuse_unknown(robot, [name for name in read if name not in given])
    _refuse_gains(part.law, {name: given[name] for name in gains if name in given})
    return {name: given[name] for name in (*read, *gains) if name in given}


def _refuse_gains(law: Any, given: Mapping[str, Array]) -> None:
    """Of a batch, too, gains are no negative numbers."""
    if given:
        block = law_block(law.law, sampled=law.sample is not None, options=law.options)
        refuse_impossible(law.name, block.inputs, {name: tuple(x.ravel().tolist()) for name, x in given.items()})


# what is wanted


def law_inputs(name: str, ports: Sequence[Input], part: Part, now: Mapping[str, Array]) -> dict[str, Array]:
    """Every variable along time: the reference, or the place where the arm stands."""
    found = _references(name, ports, part, now)
    missing = [port.name for port in ports if port.name not in found]
    if missing:
        raise InputError("{name}: no reference for {missing}; give them by name, ref={{…}}", name, ", ".join(missing))
    return {port.name: found[port.name] for port in ports}


def _references(name: str, ports: Sequence[Input], part: Part, now: Mapping[str, Array]) -> dict[str, Array]:
    ref, times = part.ref, part.times
    if isinstance(ref, Mapping):
        given = [port for port in ports if port.name in ref]
        return {x.name: along_time(f"ref: {x.name}", numbers(f"ref: {x.name}", ref[x.name]), len(x.names), part)
                for x in given}  # fmt: skip
    if ref is not None:
        return dict(zip(REFERENCES, map(np.asarray, ref(times))))
    here = law_positions(now)
    rows = (*here.shape[:-1], len(times), part.robot.dof)
    return dict(zip(REFERENCES, (np.broadcast_to(x, rows) for x in (here[..., None, :], np.zeros(1), np.zeros(1)))))


def along_time(what: str, value: Array, size: int, part: Part) -> Array:
    """(…, steps + 1, size) of this part: one row holds for all steps, or there is one a step of the whole run."""
    whole, here = part.task.steps, np.arange(part.first, part.last + 1)
    if value.shape == (size,):
        return np.broadcast_to(value, (len(here), size))
    if value.ndim > 1 and value.shape[-1] == size and value.shape[-2] in (whole, whole + 1):
        return np.asarray(value[..., np.minimum(here, value.shape[-2] - 1), :])
    raise InputError(
        "{what}: expected shape ({size},) or ({steps}, {size}), one row a step, found {shape}",
        what,
        size,
        whole,
        value.shape,
    )


def torques(part: Part) -> Array:
    """Torques as an array; None stands for no torques."""
    n = part.robot.dof
    if isinstance(part.law, str):
        raise InputError(
            "law: found {law!r:.60}; mp.controller(robot, {law!r:.60}, …) makes a law of its name", part.law
        )
    refuse_unbound(part.law)
    return along_time("law", np.zeros(n) if part.law is None else numbers("law", part.law), n, part)


# in Python, step by step


def _measured_state(part: Part, state: Any) -> tuple[Array, Array]:
    return (state.q, state.qd) if part.plant.springs is None else (state.motor, state.motor_rate)


def torques_from(told: object, n: int, t: float, wild: bool = False) -> Array:
    """What a function gave at a time; of a `wild` state, numbers that are none are not the function's fault."""
    try:
        tau = np.asarray(told, dtype=float)
    except (TypeError, ValueError):
        raise InputError("law: gave {told!r:.60} at {t:g} s, expected {n} torques", told, t, n) from None
    if tau.shape[-1:] != (n,):
        raise InputError("law: gave shape {shape} at {t:g} s, expected (…, {n})", tau.shape, t, n)
    if not (wild or np.isfinite(tau).all()):
        raise InputError("law: gave {tau} at {t:g} s, expected finite torques", tau[~np.isfinite(tau)][0], t)
    return tau


def _function_drive(part: Part) -> Drive:
    """A function (t, q, qd) → torques."""
    law, times, n = part.law, part.times, part.robot.dof

    def drive(k: int, state: Any) -> Array:
        told, wild = law(float(times[k]), *_measured_state(part, state)), not np.abs(state).max() < RUNAWAY
        tau = torques_from(told, n, float(times[k]), wild)
        return np.broadcast_to(tau, state.q.shape)

    return drive


# from event to event


def drive_of(part: Part, now: Mapping[str, Array]) -> exact.Drive:
    """What drives the arm at any time: a law, sampled or in every stage, a function, torques held from step to step."""
    if hasattr(part.law, "function"):
        return _law_drive(part, now)
    if callable(part.law):
        return exact.drive_from(part.law, part.robot.dof)
    rows, step = torques(part), part.task.step
    if (rows == rows[0]).all():
        return exact.drive_from(lambda t, q, qd: rows[0], part.robot.dof)
    return exact.Drive(lambda t, q, qd, x: (rows[min(round(t / step) - part.first, len(rows) - 1)], x), sample=step)


def _law_drive(part: Part, now: Mapping[str, Array]) -> exact.Drive:
    law, code, several = part.law, part.law.compile(), _samples(part)
    states = [port for port in law.function.inputs if port.role == "state"]
    others = [port for port in variables_of(law.function) if port.name not in MEASURED]
    rows_of, inside = law_inputs(law.name, others, part, now), callable(part.ref) and law.sample is None
    known = values_of(law.function, part)
    p = {**law._set, **{name: float(x) for name, x in known.items()}} or None
    memory = {name: i for i, name in enumerate(_gives(law))}
    sizes = np.cumsum([0, *(len(port.names) for port in states)])

    def evaluate_law(t: float, q: Array, qd: Array, x: Array) -> tuple[Array, Array]:
        k = min(round(t / part.task.step) - part.first, part.steps)
        given = {"q": q, "qd": qd} | {name: rows[k] for name, rows in rows_of.items()}
        given |= dict(zip(REFERENCES, map(np.asarray, part.ref(t)))) if inside else {}
        given |= {port.name: x[a:b] for port, a, b in zip(states, sizes, sizes[1:])}
        found = code.general(*(given[port.name] for port in code.inputs), p=p)
        named = dict(zip((port.name for port in code.outputs), found if isinstance(found, tuple) else (found,)))
        after = [named[law_output] for law_output in memory]
        return np.array(named["tau"]), np.concatenate([*after, np.empty(0)])

    first = [initial_state(law, port, now, law.request.robot) for port in states]
    sample, phase = None if law.sample is None else several * part.task.step, (part.first - part.since) % several
    held, wait = (now["tau"], (several - phase) * part.task.step) if phase else (None, 0.0)
    return exact.Drive(evaluate_law, np.concatenate([*first, np.empty(0)]), sample, held=held, wait=wait)


def _gives(law: Any) -> list[str]:
    """The outputs that are rates or next values, in the order of the states."""
    by_state = {port.gives.state: port.name for port in law.function.outputs if port.gives is not None}
    return [by_state[port.name] for port in law.function.inputs if port.role == "state"]


def initial_state(law: Any, port: Any, now: Mapping[str, Array], robot: Robot) -> Array:
    """A state as it is, or as a law's begins: a filter of positions with those that it sees."""
    if port.name in now:
        return np.asarray(now[port.name])
    filtered = is_position(port, robot)
    start = law_positions(now) if filtered else law.initial.get(port.name, np.zeros(len(port.names)))
    return np.asarray(start, dtype=float)
