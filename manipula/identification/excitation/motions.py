"""Families of motions that are linear in their coefficients: q(t) = B(t) x, and so with velocity and acceleration.

Every family has a constant as its first function, the centre, around which a motion can be made smaller; and every
motion begins and ends at rest, without velocity and acceleration, so that a robot can start it and stop after it.

Fourier, of the period T = 2π/ω, in the letters of `mechanics.models.motion.profiles`:

    q̇(0) = Σ a_k = 0        q̈(0) = ω Σ k b_k = 0

which leaves h − 1 of the a and as many of the b. A spline goes through 2h + 1 points at equal times, of degree five.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, pi
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.linalg import null_space

from manipula.errors import InputError, UnknownNameError
from manipula.identification.filters import RecordedMotion, Smoother, cutoff_for, motion_of
from manipula.identification.fit.result import Found
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message
from manipula.recordings.log import Log
from manipula.simulation.stepping import Limits
from manipula.trajectories.points import fourier, spline
from manipula.trajectories.trajectory import Floats, Trajectory, real
from manipula.trajectories.trajectory import limits as per_joint


class Basis(NamedTuple):
    """The functions at some times, (times, functions): of positions, velocities, accelerations."""

    q: Floats
    qd: Floats
    qdd: Floats


class Family(Protocol):
    """Motions of one kind; `functions` is how many coefficients a joint has."""

    @property
    def functions(self) -> int: ...
    def basis(self, t: Floats) -> Basis: ...
    def trajectory(self, x: Floats) -> Trajectory: ...


@dataclass(frozen=True)
class Fourier:
    """Of so many harmonics, in one period."""

    seconds: float
    harmonics: int

    @property
    def functions(self) -> int:
        return 2 * self.harmonics - 1

    @property
    def base(self) -> float:
        return 2 * pi / self.seconds

    @cached_property
    def _free(self) -> tuple[Floats, Floats]:
        """What rest at both ends leaves of a and of b, (harmonics, harmonics − 1) each."""
        # Σ a = 0: no velocity at the ends; Σ k·b = 0: no acceleration
        orders = np.arange(1.0, self.harmonics + 1)
        return null_space(np.ones((1, self.harmonics))), null_space(orders[None])

    def basis(self, t: Floats) -> Basis:
        rate = self.base * np.arange(1.0, self.harmonics + 1)
        c, s = np.cos(np.outer(t, rate)), np.sin(np.outer(t, rate))
        constant, none = np.ones((len(t), 1)), np.zeros((len(t), 1))
        a, b = self._free
        return Basis(
            np.hstack([constant, (s / rate) @ a, (-c / rate) @ b]),
            np.hstack([none, c @ a, s @ b]),
            np.hstack([none, (-s * rate) @ a, (c * rate) @ b]),
        )

    def trajectory(self, x: Floats) -> Trajectory:
        a, b = self._free
        cosine, sine = np.split(x[1:], 2)
        return fourier(a @ cosine, b @ sine, self.base, q0=x[0])


@dataclass(frozen=True)
class Spline:
    """Through 2h + 1 points; their mean is the centre."""

    seconds: float
    harmonics: int

    @property
    def points(self) -> int:
        return 2 * self.harmonics + 1

    @property
    def functions(self) -> int:
        return self.points

    @cached_property
    def _points(self) -> Floats:
        """Coefficients → points."""
        # the first coefficient moves all points alike: where a motion is and what it looks like are chosen apart
        return np.hstack([np.ones((self.points, 1)), null_space(np.ones((1, self.points)))])

    def basis(self, t: Floats) -> Basis:
        return Basis(*self.trajectory(np.eye(self.functions))(t))

    def trajectory(self, x: Floats) -> Trajectory:
        return spline(self._points @ x, np.linspace(0.0, self.seconds, self.points), degree=5)


FAMILIES: dict[str, type[Fourier] | type[Spline]] = {"fourier": Fourier, "spline": Spline}
FEWEST, MOST = 2, 100  # harmonics: with one, nothing is left of a motion that begins at rest


def refuse_harmonics(value: object) -> int:
    """A whole number that leaves something to choose."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not FEWEST <= value <= MOST:  # type: ignore[operator]
        raise InputError(
            "excite: harmonics: expected a whole number from {fewest} to {most}, found {value!r:.60}",
            FEWEST,
            MOST,
            value,
        )
    return int(value)  # type: ignore[call-overload, no-any-return]


# What a motion must keep: limits of positions, velocities, accelerations and efforts, and where the tool may be.
#
# What the caller gives counts, then what the robot's file says, then a guess, named in a note. A motion uses
# `SHARE` of every limit: between two samples of the check, of which there are 200 a period of the highest harmonic, a
# sum of harmonics grows by less than 1/cos(π/200) − 1 = 0.013 %.

SHARE = 0.95
TURN, SLIDE, SPEED = pi, 1.0, 2.0  # rad, m either way; rad/s or m/s
RAMP = 0.25  # s to full speed
KINDS = ("position", "velocity", "acceleration", "effort")


@dataclass(frozen=True)
class Kept:
    """Of every coordinate, SI; infinite where it is missing. `notes`: what was assumed."""

    lower: Floats
    upper: Floats
    velocity: Floats
    acceleration: Floats
    effort: Floats
    notes: tuple[str, ...] = ()
    asked: frozenset[str] = frozenset()  # the kinds that the caller gave

    @property
    def middle(self) -> Floats:
        return (self.lower + self.upper) / 2

    @property
    def reach(self) -> Floats:
        """Either way from the middle, the share that is used."""
        return SHARE * (self.upper - self.lower) / 2

    def as_dict(self) -> dict[str, object]:
        return {
            "position": np.stack([self.lower, self.upper], axis=1).tolist(), "velocity": self.velocity.tolist(),
            "acceleration": self.acceleration.tolist(), "effort": self.effort.tolist(),
        }  # fmt: skip


def kept_limits(robot: RobotDescription, given: Mapping[str, Any] | None) -> Kept:
    """The limits of an arm."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError("excite: limits: expected a dict of {kinds}, found {given!r:.60}", ", ".join(KINDS), given)
    asked = dict(given or {})
    for kind in asked:
        if kind not in KINDS:
            raise UnknownNameError("limit", kind, KINDS)
    known, notes = Limits(robot), list[str]()
    turns, names = np.array(robot.coordinates.turns), list(robot.joint_names)
    if asked.get("position") is not None:
        lower, upper = _ranges(asked["position"], names)
    else:
        lower, upper = _assumed_ranges(known, turns, names, notes)
    velocity = _limit_values(asked, "velocity", known.velocity)
    if (missing := np.isinf(velocity)).any() and asked.get("velocity") is None:
        velocity = np.where(missing, SPEED, velocity)
        notes.append(
            Message(
                "{listed}: no velocity limit in the file; {speed:g} rad/s or m/s is kept",
                _joint_names_text(names, missing),
                SPEED,
            )
        )
    acceleration = _limit_values(asked, "acceleration", velocity / RAMP)
    if asked.get("acceleration") is None:
        notes.append(
            Message("no acceleration limit is known; full speed is reached in {ramp:g} s at the earliest", RAMP)
        )
    effort = _limit_values(asked, "effort", known.effort)
    there = frozenset(kind for kind, value in asked.items() if value is not None)
    return Kept(lower, upper, velocity, acceleration, effort, tuple(notes), there)


def _limit_values(asked: Mapping[str, Any], kind: str, otherwise: Floats) -> Floats:
    value = asked.get(kind)
    if value is None:
        bad = ~(otherwise > 0)
        if bad.any():
            raise InputError(
                "excite: limits: the {kind} limit of joint {argmax} is not above 0", kind, int(np.argmax(bad)) + 1
            )
        return otherwise
    return per_joint(value, len(otherwise), f"excite: limits: {kind}")


def _assumed_ranges(known: Limits, turns: Any, names: Sequence[str], notes: list[str]) -> Any:
    """The file's ends; an end that it does not give is a turn, or two metres, from the other."""
    wide = np.where(turns, TURN, SLIDE)
    lower, upper, free = known.lower, known.upper, np.isinf(known.lower) & np.isinf(known.upper)
    for what, where in ((Message("turn ±π rad"), free & turns), (Message("slide ±1 m"), free & ~turns)):
        if where.any():
            notes.append(
                Message(
                    "{listed}: no position limits in the file; a {what} is used", _joint_names_text(names, where), what
                )
            )
    half_open = (np.isinf(lower) ^ np.isinf(upper)) & ~free
    if half_open.any():
        notes.append(
            Message(
                "{listed}: one position limit in the file; 2π rad or 2 m from there are used",
                _joint_names_text(names, half_open),
            )
        )
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * wide, -wide))
    high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + 2 * wide, wide))
    _refuse_empty(low, high, names)
    return low, high


def _ranges(value: object, names: Sequence[str]) -> tuple[Floats, Floats]:
    """One pair for all joints, or one each."""
    found, count = real(value), len(names)
    if found is None or found.shape not in ((2,), (count, 2)) or not np.isfinite(found).all():
        raise InputError(
            "excite: limits: position: expected (lowest, highest), or {count} such pairs, one a joint, "
            "finite, found {value!r:.60}",
            count,
            value,
        )
    low, high = np.broadcast_to(found, (count, 2)).T.copy()
    _refuse_empty(low, high, names)
    return low, high


def _refuse_empty(low: Floats, high: Floats, names: Sequence[str]) -> None:
    for a, b, name in zip(low, high, names, strict=True):
        if not a < b:
            raise InputError("excite: limits: {name} has no room to move between {a:g} and {b:g}", name, a, b)


def _joint_names_text(names: Sequence[str], where: Any) -> str:
    chosen = [name for name, there in zip(names, where, strict=True) if there]
    return Message("all joints") if len(chosen) == len(names) > 1 else ", ".join(chosen)


@dataclass(frozen=True)
class Room:
    """Where the tool's origin may be, world axes: inside `within`, outside `without`; (3, 2) each."""

    within: Floats
    without: Floats | None


def room_from(box: object) -> Room | None:
    """`box` is a keep-out box ((x, x), (y, y), (z, z)), or {"keep_out": …, "keep_in": …}."""
    if box is None:
        return None
    words: Mapping[str, Callable[[Any], Floats]] = {"keep_out": _cuboid, "keep_in": _cuboid}
    given = box if isinstance(box, Mapping) else {"keep_out": box}
    for name in given:
        if name not in words:
            raise UnknownNameError("box", name, words)
    made = {name: words[name](value) for name, value in given.items() if value is not None}
    if not made:
        return None
    return Room(made.get("keep_in", np.array([[-inf, inf]] * 3)), made.get("keep_out"))


def _cuboid(value: object) -> Floats:
    found = real(value)
    if found is None or found.shape != (3, 2) or np.isnan(found).any() or not (found[:, 0] < found[:, 1]).all():
        raise InputError(
            "excite: box: expected ((x lowest, x highest), (y …), (z …)) in metres, world axes, found {value!r:.80}",
            value,
        )
    return found


# Motions recorded before: of a fit, or of recordings, whose torques are not needed.


def recorded_before(robot: RobotDescription, after: object) -> tuple[RecordedMotion, ...]:
    """The motions of what `excite` is to go on from; nothing where nothing was recorded."""
    if isinstance(after, Found):
        if after.data.robot.dof != robot.dof:
            raise InputError(
                "excite: after: was found of {count} joints, and {robot} has {dof}", after.data.robot.dof, robot.name,
                robot.dof,
            )  # fmt: skip
        return after.data.source.motions
    given = () if after is None else (after,) if isinstance(after, Log) else after
    logs = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(log, Log) for log in logs):
        raise InputError(
            "excite: after: expected what identify found, or recordings (mp.read_log), found {kind}",
            type(after).__name__,
        )
    return tuple(motion for log in logs for motion in _motions(log.checked(robot)))


def _motions(log: Log) -> list[RecordedMotion]:
    cut = cutoff_for(log.parts(), "auto")
    return [
        # its torques are not needed: what a motion shows depends on positions alone
        motion_of(part, np.zeros_like(part.q), Smoother(part.rate, cut.frequency, cut.reason, cut.motion), {})
        for part in log.parts()
    ]
