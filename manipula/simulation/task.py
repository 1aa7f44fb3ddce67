"""What is to be simulated, as it was requested, checked at the door: every sentence names what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

from manipula.errors import InputError, UnknownNameError, caution
from manipula.mechanics.models.integrate.discretisation import METHODS as STEPS
from manipula.messages import Message
from manipula.robot import Robot
from manipula.simulation.plant import Plant, states_of
from manipula.simulation.stepping import Array, Limits
from manipula.support.text import plain

# What happens in the middle of a run: another payload, a wrench on the tool, another law.


@dataclass(frozen=True)
class Event:
    """From `t` on, one of these is another: the `payload`, as the arguments of `Robot.with_payload` (a mass, or a dict
    with mass, com, inertia; None: the hand is empty), the `wrench` on the tool (six numbers), the `law`.

    Positions and velocities go on as they are: a payload that is taken has the speed of the hand, one that is let go
    leaves with it.
    """

    t: float
    payload: Any = ...
    wrench: Any = ...
    law: Any = ...

    def as_dict(self) -> dict[str, object]:
        """When, and what changes then; a function is shown by its name."""
        told = {name: getattr(self, name) for name in self.changes}
        if callable(told.get("law")) and not hasattr(told["law"], "as_dict"):
            told["law"] = getattr(told["law"], "__name__", repr(told["law"]))
        found: dict[str, object] = plain({"t": self.t, **told})
        return found

    def __repr__(self) -> str:
        return f"Event({', '.join(f'{name}={getattr(self, name)!r}' for name in ('t', *self.changes))})"

    @property
    def changes(self) -> tuple[str, ...]:
        """What is another from then on, by name."""
        return tuple(x.name for x in fields(self) if x.name != "t" and getattr(self, x.name) is not ...)

    def __post_init__(self) -> None:
        if not isinstance(self.t, Real) or isinstance(self.t, bool) or not isfinite(self.t) or self.t < 0:
            raise InputError("event: t: expected a time in seconds, at least 0, found {t!r:.60}", self.t)
        if not self.changes:
            raise InputError("event at {t:g} s: nothing changes; give payload=, wrench= or law=", self.t)
        if self.payload is not ...:
            payload_from(self.payload, Message("event at {t:g} s", self.t))


def payload_from(given: object, where: str) -> dict[str, object] | None:
    """The arguments of `with_payload`, or None."""
    if given is None:
        return None
    load = dict(given) if isinstance(given, dict) else {"mass": given}
    odd = [name for name in load if name not in ("mass", "com", "inertia")]
    if odd or "mass" not in load:
        raise InputError(
            "{where}: payload: expected a mass, or mass, com and inertia by name, found {given!r:.80}", where, given
        )
    mass = load["mass"]
    if isinstance(mass, bool) or not isinstance(mass, Real) or not isfinite(mass) or mass < 0:
        raise InputError("{where}: payload: expected a mass in kg, at least 0, found {mass!r:.60}", where, mass)
    return load


def in_order(events: object, until: float) -> list[Event]:
    """By time; one after the end is refused."""
    listed = [events] if isinstance(events, Event) else events
    if not isinstance(listed, Sequence) or not all(isinstance(x, Event) for x in listed):
        raise InputError("events: expected a list of mp.Event(t=…, …), found {events!r:.60}", events)
    late = next((x for x in listed if x.t > until), None)
    if late is not None:
        raise InputError("event at {t:g} s: the run ends at {until:g} s", late.t, until)
    return sorted(listed, key=lambda x: x.t)


METHODS = (*STEPS, "dop853")
MOST_NUMBERS = 2**31  # of one recorded quantity: 16 GiB
NEAR = 1e-9  # of a step: times differ from their neighbours, not by rounding


@dataclass(frozen=True)
class Task:
    """A run to be made: `steps` of `step` seconds, one in `every` is kept. `q`, `qd` are (…, n), the batch in front;
    `also` are the motors' states and the bristles', where the plant has them."""

    plant: Plant
    q: Array
    qd: Array
    step: float
    steps: int
    every: int
    method: str
    wrench: Array | None
    events: tuple[Event, ...]
    parameters: Mapping[str, Array]
    threads: int
    seed: int
    also: Mapping[str, Array]
    stages: bool = False  # is a law that is a function asked in every stage?

    @property
    def robot(self) -> Robot:
        return self.plant.robot

    @property
    def until(self) -> float:
        return self.steps * self.step

    @property
    def lead(self) -> tuple[int, ...]:
        return self.q.shape[:-1]

    def times(self, every: int = 1) -> Array:
        """k·h, each with one rounding."""
        return self.step * np.arange(0, self.steps + 1, every, dtype=float)


def task_from(
    plant: Plant,
    ref: object,
    *,
    start: object = None,
    until: float | None = None,
    step: float = 1e-3,
    method: str = "rk4",
    wrench: object = None,
    events: object = (),
    parameters: Mapping[str, Any] | None = None,
    gains: Mapping[str, int] | None = None,
    threads: int = 1,
    seed: int = 0,
    every: int = 1,
    stages: bool = False,
) -> Task:
    """Everything that is known without making a function. `gains`: the settings of the law, and their sizes."""
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    robot = plant.robot
    refuse_reference(robot, ref)
    steps = steps_of(ref, until, step)
    values = _parameters(parameters)
    more = {name: x for name, x in start.items() if name not in ("q", "qd")} if isinstance(start, Mapping) else {}
    more = {str(name): numbers(f"start: {name}", x) for name, x in more.items()}
    q, qd = _start(plant, ref, start)
    lead = _lead(q, qd, values, gains or {})
    n = robot.dof
    q, qd = (np.array(np.broadcast_to(x, (*lead, n))) for x in (q, qd))
    if _whole("every", every, 1) > steps:
        raise InputError(
            "every: keeps one step in {every} of a run of {steps}, its start alone; at most {steps}", every, steps
        )
    if np.prod(lead, dtype=float) * (steps // every + 1) * n > MOST_NUMBERS:
        raise InputError(
            Message(
                "{steps:.4g} steps of {prod} arms are too many to keep; every= keeps one step in so many",
                steps,
                np.prod(lead, dtype=int),
            )
            if lead
            else Message("{steps:.4g} steps are too many to keep; every= keeps one step in so many", steps)
        )
    return Task(
        plant, q, qd, step, steps, every, method, _wrench(wrench), tuple(in_order(events, steps * step)), values,
        _whole("threads", threads, 0), _whole("seed", seed, 0), states_of(plant, q, qd, more),
        bool(stages),
    )  # fmt: skip


def _whole(name: str, value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError("{name}: expected a whole number, at least {least}, found {value!r:.60}", name, least, value)
    return int(value)


def steps_of(ref: object, until: Any, step: Any) -> int:
    """How many steps a run has: until its end, or that of the reference."""
    for name, value in (("step", step), ("until", until)):
        if name == "until" and value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value) or value <= 0:
            raise InputError("{name}: expected a time in seconds, more than 0, found {value!r:.60}", name, value)
    lasts = getattr(ref, "duration", None)
    if until is None and (lasts is None or not isfinite(lasts)):
        raise InputError("until: without a reference that ends, say when the run does, in seconds")
    if until is not None and lasts is not None and isfinite(lasts) and until < lasts * (1 - NEAR):
        caution("the run ends at {until:g} s, before the reference does, at {lasts:g} s", until, lasts)
    end = float(until if lasts is None or until is not None else lasts)
    count = round(end / step)
    if until is not None and abs(count * step - end) > NEAR * step * max(count, 1):
        raise InputError("until: {end:g} s is no whole number of steps of {step:g} s", end, step)
    return max(count if until is not None else int(np.ceil(end / step * (1 - NEAR))), 1)


def refuse_reference(robot: Robot, ref: object) -> None:
    """A motion to follow has as many joints as the arm."""
    if ref is None or isinstance(ref, Mapping):
        return
    if not callable(ref) or not hasattr(ref, "duration") or not hasattr(ref, "dof"):
        raise InputError("ref: expected a trajectory, as mp.trajectory.quintic(…) makes one, found {ref!r:.60}", ref)
    if ref.dof != robot.dof:
        raise InputError("ref: moves {dof} joints; {name} has {dof2}", ref.dof, robot.name, robot.dof)


def numbers(name: str, value: object) -> Array:
    """An array of floats; what is not an array, or holds NaN or infinity, is refused."""
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError("{name}: expected numbers, found {value!r:.60}", name, value) from None
    if found.size == 0:
        raise InputError(
            "{name}: found an empty array of shape {shape}: a batch has at least one row", name, found.shape
        )
    if not np.isfinite(found).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(found))[0])
        raise InputError("{name}: found {found} at {at}, expected finite numbers", name, found[at], list(at))
    return found


def _start(plant: Plant, ref: object, start: object) -> tuple[Array, Array]:
    n = plant.robot.dof
    if isinstance(start, Mapping):
        start = (start["q"], start.get("qd", np.zeros(n))) if "q" in start else None
    if start is None:
        q, qd = (ref(0.0)[:2]) if callable(ref) else (np.zeros(n), np.zeros(n))
    elif isinstance(start, tuple) and len(start) == 2 and np.ndim(start[0]) > 0:
        q, qd = start
    else:
        q, qd = start, np.zeros(n)
    found = numbers("start: q", q), numbers("start: qd", qd)
    for name, x in zip(("q", "qd"), found):
        if x.shape[-1:] != (n,):
            raise InputError(
                "start: {name}: expected shape (…, {dof}), one number a joint, found {shape}", name, n, x.shape
            )
    refuse_outside(plant, found[0], "start")
    return found


def refuse_outside(plant: Plant, q: Array, what: str, t: Array | None = None) -> None:
    """No joint outside what the file allows it, unless the plant has no stops; with times, the moment is named."""
    if not plant.stops:
        return
    robot, limits = plant.robot, Limits(plant.robot)
    slack = 1e-9 * (1 + np.abs(q))
    outside = np.argwhere((q < limits.lower - slack) | (q > limits.upper + slack))
    if not len(outside):
        return
    at = tuple(int(i) for i in outside[0])
    joint, unit = at[-1], "rad" if robot.coordinates.turns[at[-1]] else "m"
    when = "" if t is None else Message(" at {t:g} s", t[at[-2]])
    row = Message(" (row {at})", ", ".join(map(str, at[:-1]))) if t is None and len(at) > 1 else ""
    raise InputError(
        "{what}: joint {name!r} is at {q:g} {unit}{when}{row}, outside its limits {lower:g} … {upper:g} {unit}",
        what,
        robot.joint_names[joint],
        q[at],
        unit,
        when,
        row,
        limits.lower[joint],
        limits.upper[joint],
    )


def _wrench(given: object) -> Array | None:
    if given is None:
        return None
    return numbers("wrench", given)


def _parameters(given: object) -> dict[str, Array]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError("parameters: expected values by name, found {given!r:.60}", given)
    return {str(name): numbers(f"parameters: {name}", value) for name, value in given.items()}


def _lead(q: Array, qd: Array, parameters: Mapping[str, Array], gains: Mapping[str, int]) -> tuple[int, ...]:
    shapes = {"start": q.shape[:-1], "start velocities": qd.shape[:-1]}
    for name, value in parameters.items():
        if name in gains and value.ndim and value.shape[-1] != gains[name]:
            raise InputError(
                "parameters: {name}: expected shape (…, {gains}), found {shape}", name, gains[name], value.shape
            )
        shapes[f"parameters: {name}"] = value.shape[:-1] if name in gains else value.shape
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        told = ", ".join(f"{name} {shape}" for name, shape in shapes.items() if shape)
        raise InputError("rows of a batch do not go together: {told}", told) from None
