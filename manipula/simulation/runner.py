"""A run in time: from start to end, part by part between events, each part one function of one step, repeated.

What was recorded is then read with the plain models: accelerations, energies and their balance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from manipula.errors import DivergenceError, InputError, UnknownNameError, caution
from manipula.mechanics.models.motion.ports import Motion
from manipula.messages import Message
from manipula.simulation.balance import Energies, error_of, read, resting_of, rests_of
from manipula.simulation.event_driven import integrate
from manipula.simulation.exact.drives import linear_drives, refuse_steps
from manipula.simulation.exact.mechanism import BEHIND, frictionless, motorless, refuse_weightless
from manipula.simulation.inputs import (
    MEASURED,
    RUNAWAY,
    Part,
    Workshop,
    along_time,
    drive_of,
    refuse_impossible_drive,
    run_part,
)
from manipula.simulation.plant import Plant
from manipula.simulation.run import Run
from manipula.simulation.stepping import Array, Functions, Marched
from manipula.simulation.task import Event, Task, numbers, payload_from, refuse_outside
from manipula.support.progress import Tell, silent

BALANCE = 1e-4  # of the largest energy that took part; above it a run is not to be trusted
SETTLED = 1e-6  # rad/s, m/s: what the sweeps over joints that rest may leave
SOLVED = 1e-4  # rad/s, m/s: how far the last iteration may move a stage, of which less is left
COUNTED = ("q", "qd", "clock", "phase", "tau_held")  # states of a loop that are given when it begins


class Segment(NamedTuple):
    """A part as it went: both its ends are there."""

    t: Array
    motion: Motion
    tau: Array
    state: Mapping[str, Array]
    energies: Energies
    resting: Any
    residual: Array  # of the velocities of joints that may rest, the largest of each row
    unsolved: Array  # of the stages of an implicit method, the same
    whole: bool  # False: it was interrupted
    unseen: Mapping[str, Array] = MappingProxyType({})  # what is on its way from the sensors to the law


def run_simulation(
    task: Task, law: object, ref: object, make: Workshop, about: Mapping[str, object], tell: Tell = silent
) -> Run:
    """The whole run. An interrupt from the keyboard stops it and keeps the samples so far."""
    if callable(ref):
        refuse_outside(task.plant, np.asarray(ref(task.times())[0]), "ref", task.times())
    if isinstance(ref, Mapping):
        _refuse_strangers(ref, [law, *(x.law for x in task.events)])
    now: Mapping[str, Array] = {"q": task.q, "qd": task.qd, **task.also}
    segments: list[Segment] = []
    parts = parts_of(task, law, ref, make)
    for part in parts:
        refuse_impossible_drive(part)
    for part in parts:
        try:
            segments.append(_segment(part, now, make, tell))
        except KeyboardInterrupt:  # before this part had anything to show
            if not segments:
                raise
            segments[-1] = segments[-1]._replace(whole=False)
        if not segments[-1].whole:
            break
        now = _end(segments[-1])
    return _run(task, ref, segments, about)


def _refuse_strangers(ref: Mapping[str, object], laws: Sequence[object]) -> None:
    """What is wanted, by name, is wanted by a law of the run."""
    ports = [port for law in laws if hasattr(law, "function") for port in law.function.inputs]
    known = list(dict.fromkeys(port.name for port in ports if port.role == "variable" and port.name not in MEASURED))
    for name in ref:
        if name not in known:
            raise UnknownNameError("input of a law of this run", str(name), known)


def parts_of(task: Task, law: object, ref: object, make: Workshop) -> list[Part]:
    """The events as spans of steps; what an event does not name stays."""
    found, here = [], Part(task, 0, task.steps, task.plant, law, task.wrench, ref)
    for event in task.events:
        step = _step_of(event, task)
        if step > here.first:
            found.append(replace(here, last=step))
        here = replace(here, first=step, **_changes(event, step, task.plant, make))
    return [*found, here] if here.first < here.last else found


def _step_of(event: Event, task: Task) -> int:
    step = round(event.t / task.step)
    if abs(step * task.step - event.t) > 1e-9 * task.step * max(step, 1):
        raise InputError("event at {t:g} s: no whole number of steps of {step:g} s", event.t, task.step)
    if step % task.every:
        raise InputError(
            "event at {t:g} s: no whole number of every = {every} steps, {kept:g} s: a run goes on from a "
            "step that is kept",
            event.t,
            task.every,
            task.every * task.step,
        )
    return step


def _changes(event: Event, step: int, plant: Plant, make: Workshop) -> dict[str, Any]:
    where, found = Message("event at {t:g} s", event.t), dict[str, Any]()
    if event.payload is not ...:
        found["plant"] = make.loaded(plant, payload_from(event.payload, where))
    if event.wrench is not ...:
        found["wrench"] = None if event.wrench is None else numbers(Message("{where}: wrench", where), event.wrench)
    if event.law is not ...:
        found |= {"law": event.law, "since": step}
    return found


def _segment(part: Part, now: Mapping[str, Array], make: Workshop, tell: Tell) -> Segment:
    task = part.task
    if task.method == "dop853":
        return _from_event_to_event(part, now, tell)
    _refuse_long_steps(part, now)
    went = run_part(part, now, make, lambda k: tell(f"{(part.first + k) * task.step:.3g} of {task.until:g} s"))
    return _read_segment(part, went)


def _read_segment(part: Part, went: Marched) -> Segment:
    task = part.task
    _refuse_runaway(part, went)
    t = task.step * (part.first + np.arange(0, went.steps + 1, task.every, dtype=float))
    seen = read(part, t, went)
    others = {name: x for name, x in went.states.items() if name not in COUNTED}
    state = {name: x for name, x in others.items() if name in (*task.also, *_states(part.law))}
    unseen = {name: x for name, x in others.items() if name not in state}
    residual, unsolved = (
        went.outputs.get(name, np.zeros((*task.lead, 1, 1))).max(axis=(-1, -2)) for name in ("residual", "unsolved")
    )
    whole = went.steps == part.steps - part.steps % task.every
    return Segment(t, seen.motion, seen.tau, state, seen.energies, seen.resting, residual, unsolved, whole, unseen)


def _refuse_long_steps(part: Part, now: Mapping[str, Array]) -> None:
    """Of springs and bristles; of a batch the first row is looked at."""
    plant, task = part.plant, part.task
    if plant.springs is None and plant.bristles is None:
        return
    links = frictionless(part.robot if plant.springs is None else motorless(part.robot))
    refuse_weightless(links, *(() if plant.springs is None else (BEHIND,)))
    M = np.asarray(Functions(links, task.parameters)("inertia_matrix", now["q"][..., None, :]))
    first = M.reshape(-1, part.robot.dof, part.robot.dof)[0]
    refuse_steps(part.robot.joint_names, linear_drives(first, plant.springs, plant.bristles), task.method, task.step)


def _from_event_to_event(part: Part, now: Mapping[str, Array], tell: Tell) -> Segment:
    """By the reference integrator: one arm, at the times of the steps that are kept."""
    task = part.task
    if task.lead or not set(task.parameters) <= set(_settings(part.law)):
        raise InputError(
            "dop853 simulates one arm with numbers: no batch, and robot.with_parameters(…) for its symbols"
        )
    told = _states(part.law)
    t = part.times[:: task.every]

    def stop(at: float) -> bool:
        tell(f"{at:.3g} of {task.until:g} s")
        return False

    also = {name: now[name] for name in task.also}
    course = integrate(
        part.plant, drive_of(part, now), (now["q"], now["qd"]), part.times[-1], at=t, since=part.times[0],
        push=_push(part), stop=stop, also=also,
    )  # fmt: skip
    ends = np.cumsum([0, *told.values()])
    state = {**course.drive, **{name: course.state[:, a:b] for name, a, b in zip(told, ends, ends[1:])}}
    potential, none = course.energy - course.kinetic, np.zeros_like(course.work)
    energies = Energies(course.work, none, course.kinetic, potential, course.heat)
    motion = Motion(course.q, course.qd, course.qdd)
    whole = len(course.t) == len(t)
    resting = resting_of(course.drive.get("motor_rate", course.qd))
    return Segment(course.t, motion, course.tau, state, energies, resting, np.zeros(()), np.zeros(()), whole)


def _states(law: object) -> dict[str, int]:
    """What a law remembers, with sizes."""
    ports = law.function.inputs if hasattr(law, "function") else ()
    return {port.name: len(port.names) for port in ports if port.role == "state"}


def _settings(law: object) -> list[str]:
    return list(getattr(law, "settings", {}))


def _push(part: Part) -> Any:
    """Jᵀw of the wrench on the tool, held from step to step."""
    if part.wrench is None:
        return None
    rows, functions = along_time("wrench", part.wrench, 6, part), Functions(part.robot)

    def push(t: float, q: Array, qd: Array) -> Array:
        k = min(int(t / part.task.step + 1e-9) - part.first, part.steps)
        return np.asarray(functions("jacobian", q).T @ rows[k])

    return push


def _end(segment: Segment) -> dict[str, Array]:
    found = {"q": segment.motion.q, "qd": segment.motion.qd, "tau": segment.tau, **segment.state, **segment.unseen}
    return {name: value[..., -1, :] for name, value in found.items()}


def _refuse_runaway(part: Part, went: Marched) -> None:
    """Numbers that are NaN, or growing without bound, are reported by joint and time."""
    wild = np.zeros(went.states["q"].shape, bool)
    for name in ("q", "qd", *(x for x in part.task.also)):
        wild |= ~(np.abs(went.states[name]) < RUNAWAY)
    if not wild.any():
        return
    # the earliest of all rows: time is the last axis but one
    step, *row, joint = (int(i) for i in np.argwhere(np.moveaxis(wild, -2, 0))[0])
    t = (part.first + step * part.task.every) * part.task.step
    raise DivergenceError(
        (
            Message(
                "joint {joint_names!r} of row {row} runs away at {t:g} s; take a shorter step than {step:g} s, "
                "another method than {method!r}, or other gains",
                part.robot.joint_names[joint],
                ", ".join(map(str, row)),
                t,
                part.task.step,
                part.task.method,
            )
        )
        if row
        else (
            Message(
                "joint {joint_names!r} runs away at {t:g} s; take a shorter step than {step:g} s, another "
                "method than {method!r}, or other gains",
                part.robot.joint_names[joint],
                t,
                part.task.step,
                part.task.method,
            )
        )
    )


def _run(task: Task, ref: object, segments: list[Segment], about: Mapping[str, object]) -> Run:
    balance = error_of([x.energies for x in segments])
    if task.every == 1 and balance.max() > BALANCE:
        caution(
            "energy in − stored − lost is {balance:.1e} of the largest energy, more than {balance2:g}: take "
            "a shorter step than {step:g} s, or another method than {method!r}",
            balance.max(),
            BALANCE,
            task.step,
            task.method,
        )
    unsettled = _above(Message("which joints rest was not settled"), [x.residual for x in segments], SETTLED)
    unsettled |= _above(
        Message("the stages of {method} were not solved", task.method), [x.unsolved for x in segments], SOLVED
    )
    t = _join_pieces([x.t for x in segments], axis=-1)
    motion = Motion(*(_join_pieces(list(parts), axis=-2) for parts in zip(*(x.motion for x in segments))))
    names = [name for name in segments[0].state if all(name in x.state for x in segments)]
    return Run(
        robot=task.robot, t=t, q=motion.q, qd=motion.qd, qdd=motion.qdd, tau=_join_pieces([x.tau for x in segments],
        -2),
        ref=Motion(*map(np.asarray, ref(t))) if callable(ref) else None,
        state={name: _join_pieces([x.state[name] for x in segments], axis=-2) for name in names},
        balance=balance if balance.ndim else float(balance), whole=segments[-1].whole,
        modes=tuple(rests_of(t, _join_pieces([x.resting for x in segments], axis=-2))),
        unsettled=unsettled if unsettled.ndim else bool(unsettled),
        about={**about, "method": task.method, "step": task.step, "until": task.until, **_event_texts(task.events)},
    )  # fmt: skip


def _above(what: str, left: list[Array], most: float) -> Any:
    """Of each row, whether some step left more than it may: told, too."""
    found = np.max(left, axis=0) > most
    if found.any():
        caution(
            Message("{what} to {most:g} in some step: take a shorter step", what, most)
            if not found.ndim
            else Message(
                "{what} to {most:g} in some step in {found} of {size} arms: take a shorter step",
                what,
                most,
                int(found.sum()),
                found.size,
            )
        )
    return found


def _event_texts(events: Sequence[Event]) -> dict[str, list[str]]:
    """What changed on the way, and when."""
    rows = [f"{x.t:g} s: {', '.join(x.changes)}" for x in events]
    return {"events": rows} if rows else {}


def _join_pieces(pieces: list[Array], axis: int) -> Array:
    """One after another; where two meet, what the later one says: the torque after an event."""
    kept = [np.delete(x, -1, axis) for x in pieces[:-1]]
    return np.concatenate([*kept, pieces[-1]], axis=axis)
