"""The equations of motion of one arm in one mode: which joints rest, and which way the others slide, is held.

    M(q) q̈ = τ − c(q, q̇) − g(q) − friction, for the joints that do not rest

and beside them the bristles' rates, the law's memory, the work of all torques and the heat of friction and dampers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.simulation.exact.mechanism import InstantMotion, Mechanism, Ways

# What drives an arm: torques by time and state, a law with memory, in continuous time or sampled.

Array = NDArray[np.float64]
# (t, q, q̇, x) → the torques, and of what the law remembers, x, the rate; of a sampled law its next value
Law = Callable[[float, Array, Array, Array], tuple[Array, Array]]
_NOTHING: Array = np.empty(0)


@dataclass(frozen=True)
class Drive:
    """`law(t, q, qd, x)` gives torques and the rate of its memory x.

    With `sample` it is asked once in so many seconds, from the start on; its torques are held in between, and what it
    gives beside them is the next x. One that has been at work before holds its last torque, `held`, and is asked after
    `wait` seconds. `breaks` are times at which the torques jump or have a corner.
    """

    law: Law
    state: Array = field(default_factory=lambda: _NOTHING)
    sample: float | None = None
    breaks: Sequence[float] = ()
    held: Array | None = None
    wait: float = 0.0


def drive_from(given: Callable[[float, Array, Array], Array] | Drive | None, dof: int) -> Drive:
    """A drive, torques as a function of (t, q, q̇), or nothing."""
    if isinstance(given, Drive):
        return given
    if given is None:
        idle = np.zeros(dof)
        return Drive(lambda t, q, qd, x: (idle, x))
    torques = given
    return Drive(lambda t, q, qd, x: (np.asarray(torques(t, q, qd), dtype=float), x))


Torques = Callable[[float, Array, Array], Array]


class Bounds(NamedTuple):
    """Of the joints: between which positions their stops are, and what their motors can give."""

    lower: Array
    upper: Array
    efforts: Array


class StateEquations:
    """Of the state y = (q, q̇, z, x, work, heat), where coordinates are links, then motors where joints are elastic.

    A law sees the last `joints` of the `n` coordinates, a push acts on the first; z are `bristles` numbers.
    """

    def __init__(
        self,
        arm: Mechanism,
        bounds: Bounds,
        drive: Drive,
        push: Torques | None,
        ways: Ways,
        bristles: int,
    ) -> None:
        self.arm, self.drive, self.push, self.efforts = arm, drive, push, bounds.efforts
        self.n, self.joints = arm.dof, len(bounds.lower)
        self.m = 2 * self.n + bristles
        free = np.full(self.n - self.joints, np.inf)
        self.lower, self.upper = np.concatenate([bounds.lower, -free]), np.concatenate([bounds.upper, free])
        self.ways, self.resting = ways, np.zeros(self.n, dtype=bool)
        self.held: Array | None = drive.held
        self.evaluations = 0
        self.lowest = np.full(3 * self.n, np.inf)  # margins of all stages of a step

    def torques(self, t: float, y: Array) -> tuple[Array, Array, Array]:
        """The motors' torques, all torques, and the rate of the law's memory."""
        q, qd, x = y[: self.n], y[self.n : 2 * self.n], y[self.m : -2]
        tau, rate = (self.held, np.zeros(len(x))) if self.held is not None else self.evaluate_law(t, y)
        total = np.concatenate([np.zeros(self.n - self.joints), tau])
        if self.push is not None:
            total[: self.joints] += self.push(t, q[: self.joints], qd[: self.joints])
        return tau, total, rate

    def evaluate_law(self, t: float, y: Array) -> tuple[Array, Array]:
        x, n = y[self.m : -2], self.joints
        tau, rate = self.drive.law(t, y[self.n - n : self.n], y[2 * self.n - n : 2 * self.n], x)
        if np.shape(tau) != (n,) or np.shape(rate) != x.shape:
            raise InputError(
                "the torques at t = {t:g} s have shape {shape}, the law's memory {shape2}; expected {value} and "
                "{shape3}",
                t,
                np.shape(tau),
                np.shape(rate),
                (n,),
                x.shape,
            )
        return np.clip(tau, -self.efforts, self.efforts), rate

    def motion(self, t: float, y: Array) -> InstantMotion:
        self.evaluations += 1
        all_torques = self.torques(t, y)[1]
        return self._moved(y, all_torques)

    def _moved(self, y: Array, tau: Array) -> InstantMotion:
        n = self.n
        return self.arm.motion(y[:n], y[n : 2 * n], tau, self.ways, ~self.resting, y[2 * n : self.m])

    def rate(self, t: float, y: Array) -> Array:
        self.evaluations += 1
        q, qd = y[: self.n], y[self.n : 2 * self.n]
        _, tau, rate = self.torques(t, y)
        moved = self._moved(y, tau)
        np.minimum(self.lowest, self.margins(y, moved), out=self.lowest)
        heat = moved.friction @ qd + self.arm.damping_power(q, qd)
        return np.concatenate([qd, moved.a, moved.bristle, rate, [tau @ qd, heat]])

    def margins(self, y: Array, moved: InstantMotion | None) -> Array:
        """What is left until something changes: of velocities, of what friction holds, of the way to a stop."""
        q, qd = y[: self.n], y[self.n : 2 * self.n]
        slides = self.arm.dry & ~self.resting
        rate = np.where(slides, qd * self.ways, np.inf)
        room = np.where(self.resting, np.inf, np.minimum(self.upper - q, q - self.lower))
        hold = np.full(self.n, np.inf)
        if moved is not None and self.resting.any():
            low, high = self.bounds(moved.low, moved.high, q)
            hold = np.where(self.resting, np.minimum(high - moved.push, moved.push - low), np.inf)
        return np.concatenate([rate, room, hold])

    def bounds(self, low: Array, high: Array, q: Array) -> tuple[Array, Array]:
        """A stop holds against any push."""
        return np.where(q <= self.lower, -np.inf, low), np.where(q >= self.upper, np.inf, high)


# What the event-driven integrator gives: the motion, when joints stuck and slipped, and the balance of energies.


class Change(NamedTuple):
    """A moment at which a joint (by its place among the coordinates) changes how it moves."""

    t: float
    joint: int
    what: Literal["sticks", "slips", "turns back", "hits a stop"]


class Mode(NamedTuple):
    """From `since` to `until` the same joints rest, held by friction or a stop."""

    since: float
    until: float
    resting: tuple[bool, ...]


@dataclass(frozen=True)
class Course:
    """Arrays along time, the first axis: (time, n).

    `state` is what the law remembers, `drive` what motors and friction have of their own, by name: `motor`,
    `motor_rate`, `bristle`. `work` is what the torques and pushes have put in since the start, `heat` what
    friction and impacts have taken, `energy` what the arm holds; all in joules.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    state: Array
    energy: Array
    kinetic: Array
    work: Array
    heat: Array
    modes: tuple[Mode, ...]
    changes: tuple[Change, ...]
    evaluations: int  # of the equations of motion, by integration and search for events
    drive: Mapping[str, Array]

    @property
    def energy_error(self) -> Array:
        """E(t) − E(0) − work + heat: zero but for the integrator's error, in joules."""
        return np.asarray(self.energy - self.energy[0] - self.work + self.heat)

    @property
    def balance(self) -> float:
        """The largest `missing`, over the largest energy that took part; 0 of an arm that rests."""
        parts = (self.kinetic, self.work, self.heat, self.energy - self.energy[0])
        scale = max(float(np.abs(x).max()) for x in parts)
        return float(np.abs(self.energy_error).max()) / scale if scale else 0.0


# What an integration from event to event is given, checked: where to start, until when, at which times to report.


def start_from(start: object, joints: Sequence[str], lower: Array, upper: Array) -> tuple[Array, Array]:
    """(q, qd) from q or (q, qd), between the stops."""
    n = len(joints)
    pair = start if isinstance(start, tuple) and len(start) == 2 and np.ndim(start[0]) else (start, np.zeros(n))
    found: list[Array] = []
    for name, value in zip(("q", "qd"), pair):
        try:
            x = np.array(value, dtype=float)
        except (TypeError, ValueError):
            raise InputError("start: {name}: expected {n} numbers, found {value!r:.60}", name, n, value) from None
        if x.shape != (n,) or not np.isfinite(x).all():
            raise InputError("start: {name}: expected {n} finite numbers, found {value!r:.60}", name, n, value)
        found.append(x)
    for i in np.flatnonzero((found[0] < lower) | (found[0] > upper)):
        raise InputError(
            "start: joint {joints!r} is at {found:g}, outside its limits {lower:g} … {upper:g}; stops=False lets it",
            joints[int(i)],
            found[0][i],
            lower[i],
            upper[i],
        )
    return found[0], found[1]


def refuse_times(since: float, until: float, rtol: float, atol: float, longest: float) -> None:
    if not (isfinite(since) and isfinite(until) and until > since):
        raise InputError("until: expected a time after {since:g} s, found {until!r:.60}", since, until)
    if not (0 < rtol < 1 and atol > 0 and longest > 0):
        raise InputError(
            "rtol, atol, longest: expected numbers above 0, found {rtol!r}, {atol!r}, {longest!r}", rtol, atol, longest
        )


def rising_times(at: Sequence[float] | Array, since: float, until: float) -> Array:
    found = np.asarray(at, dtype=float)
    if found.ndim != 1 or not len(found) or not (np.diff(found) > 0).all() or found[0] < since or found[-1] > until:
        raise InputError("at: expected rising times from {since:g} to {until:g} s, found {at!r:.60}", since, until, at)
    return found
