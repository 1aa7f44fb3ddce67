"""`Log`: what was recorded of an arm, as arrays over time, with what was repaired or assumed on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.mechanics.robot.default_values import Limits
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message, in_a_row
from manipula.recordings import sampling
from manipula.recordings.diagnostics import Ends, doubt
from manipula.recordings.output import figure_of, save_log
from manipula.recordings.remarks import flat_extremes, remarks
from manipula.recordings.words import MEASURED_NAMES, WANTED_NAMES
from manipula.support.text import plain

Array = NDArray[np.float64]
SHORT_GAP = 0.25  # of a period of a cut-off: what is lost in it the filter would hardly have let through
PERIODS = 4.0  # of a cut-off: the ends of a shorter stretch, where accelerations are guesses, are most of it


class Understood(NamedTuple):
    """How a quantity stood in the file: its columns, their unit, and whether somebody said the unit."""

    quantity: str
    columns: str
    unit: str
    said: bool


@dataclass(frozen=True, eq=False)
class Log:
    """Arrays (…, time, n), SI and radians; what was not recorded is None. `state` is what a law remembered.

    `turns` says which joints turn (empty: all do), `effort_limits` what their motors can give, where that is known.
    `notes` are sentences about what was repaired or assumed; `stated` names the quantities whose units somebody said,
    so that nothing is guessed about them; `understood` is where each was found in a file.

    >>> log = Log([0.0, 0.1, 0.2], [[0.0], [0.1], [0.2]], [[1.0], [1.0], [2.0]])
    >>> log.dof, round(log.rate, 6)
    (1, 10.0)
    """

    t: Array
    q: Array
    tau: Array | None = None
    qd: Array | None = None
    qdd: Array | None = None
    q_ref: Array | None = None
    qd_ref: Array | None = None
    qdd_ref: Array | None = None
    state: Mapping[str, Array] = field(default_factory=dict)
    state_units: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    joints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    source: str = ""
    turns: tuple[bool, ...] = ()
    effort_limits: tuple[float, ...] = ()
    stated: tuple[str, ...] = ()
    understood: tuple[Understood, ...] = ()

    def __post_init__(self) -> None:
        """Lists become arrays; what no recording can be is met here."""
        times = _numbers("t", self.t, self.source)
        if times.ndim != 1 or not len(times):
            raise InputError(
                "{place}t: expected a time for every sample, found shape {shape}", self._place, times.shape
            )
        _refuse_unsorted(times, self._place)
        object.__setattr__(self, "t", times)
        for name in (*MEASURED_NAMES, *WANTED_NAMES):
            given = getattr(self, name)
            if given is not None or name == "q":
                value = _rows(name, _numbers(name, given, self.source), len(times), self._place)
                object.__setattr__(self, name, value)
                axes = (
                    slice(-2, None) if name in WANTED_NAMES else slice(None)
                )  # what is wanted may be common to a batch
                if value.shape[axes] != self.q.shape[axes]:
                    raise InputError(
                        "{place}{name}: expected shape {shape} as q, found {shape2}",
                        self._place,
                        name,
                        self.q.shape,
                        value.shape,
                    )
        state = {name: _numbers(name, value, self.source) for name, value in self.state.items()}
        object.__setattr__(self, "state", state)
        for name in ("joints", "notes", "turns", "effort_limits", "stated"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
            if name in ("joints", "turns", "effort_limits") and len(getattr(self, name)) not in (0, self.dof):
                raise InputError(
                    "{place}{name}: expected {dof}, found {count}",
                    self._place,
                    name,
                    self.dof,
                    len(getattr(self, name)),
                )

    @property
    def _place(self) -> str:
        return Message("{source}: ", self.source or Message("log"))

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        kept = [name for name in (*MEASURED_NAMES, *WANTED_NAMES) if getattr(self, name) is not None]
        times = f"{self.t[0]:.10g} … {self.t[-1]:.10g} s in {len(self.t)} samples"
        said = f"; {len(self.notes)} notes" if self.notes else ""
        return f"<log of {self.dof} joints: {times}; {', '.join([*kept, *self.state])}{said}>"

    @property
    def dof(self) -> int:
        return int(self.q.shape[-1])

    @property
    def rate(self) -> float:
        """Samples a second: of the median step."""
        if len(self.t) < 2:
            raise InputError("{place}one sample has no rate", self._place)
        return 1.0 / float(np.median(np.diff(self.t)))

    @property
    def duration(self) -> float:
        return float(self.t[-1] - self.t[0])

    @property
    def names(self) -> tuple[str, ...]:
        """The joints' names, or their numbers where they have no name."""
        return self.joints or tuple(f"joint {j + 1}" for j in range(self.dof))

    @cached_property
    def saturated(self) -> NDArray[np.bool_]:
        """Where a motor gave all it could, as `q` is shaped: its limit, or the same largest torque for a while."""
        none = np.zeros(self.q.shape, bool)
        if self.tau is None:
            return none
        flat = flat_extremes(self.tau, self.q)
        return flat | (np.abs(self.tau) >= np.array(self.effort_limits)) if self.effort_limits else flat

    def checked(self, robot: RobotDescription | None = None) -> Log:
        """The log with notes of what is odd about it: joints at rest, motors at their limit, gaps.

        Refused are numbers that cannot be what they are taken for: degrees as radians, milliseconds as seconds, speeds
        of other joints. A robot's joints are counted, and its limits looked at.
        """
        log = self if robot is None else self._of(robot)
        ends = None if robot is None or log.dof != robot.dof else _ends(robot)
        said = []
        for row in log.rows():
            reason = doubt(row, ends)
            if reason:
                arrays = not self.understood and "units=" in reason
                raise InputError(
                    Message("{place}{doubt} (a Log is SI: convert, or name in stated=(…) what is)", self._place, reason)
                    if arrays
                    else Message("{place}{reason}", self._place, reason)
                )
            said += [*sampling.sampling_notes(row.t, sampling.pieces(row.t)), *remarks(row, ends)]
        return log.with_notes(said)

    def _of(self, robot: RobotDescription) -> Log:
        if robot.loops and self.dof == len(robot.motors) and self.joints in ((), robot.motors):
            return replace(self, joints=robot.motors)  # of the motors alone
        if self.dof != robot.dof:
            raise InputError("{place}has {dof} joints; {name} has {dof2}", self._place, self.dof, robot.name, robot.dof)
        if self.joints and set(self.joints) != set(robot.joint_names):
            theirs, ours = ", ".join(self.joints), ", ".join(robot.joint_names)
            raise InputError("{place}is of joints {theirs}; {name} has {ours}", self._place, theirs, robot.name, ours)
        if self.joints and self.joints != robot.joint_names:
            theirs, ours = ", ".join(self.joints), ", ".join(robot.joint_names)
            raise InputError(
                "{place}has its joints in the order {theirs}; {name} has {ours}", self._place, theirs, robot.name, ours
            )
        limits, said = believed_limits(robot, self.tau)
        known = replace(self, joints=robot.joint_names, turns=robot.coordinates.turns, effort_limits=tuple(limits))
        return known.with_notes(said)

    def rows(self) -> list[Log]:
        """A batch as logs of one arm each."""
        if self.q.ndim == 2:
            return [self]
        return [self._with_times(partial(_row, self.q.shape[:-2], at), self.t) for at in np.ndindex(self.q.shape[:-2])]

    def parts(self, bridge: float = sampling.BRIDGED) -> list[Log]:
        """Logs without gaps longer than `bridge` seconds, each with even samples of one rate: cut, and resampled where
        needed, as `notes` say."""
        if bridge not in self._found_parts:
            self._found_parts[bridge] = [part for row in self.rows() for part in row._parts(bridge)]
        found = self._found_parts[bridge]
        if not found:
            least = sampling.SHORTEST
            raise InputError(
                "{place}no {shortest} samples follow each other without a gap: too few to use", self._place, least
            )
        return list(found)

    def parts_for(self, cutoff: float) -> list[Log]:
        """The parts that a filter of this cut-off (Hz) can use: over gaps that are short beside its period, and as long
        as some of its periods. Where no part is that long, all of them."""
        if len(self.parts()) == 1:
            return self.parts()
        parts = self.parts(max(sampling.BRIDGED, SHORT_GAP / cutoff))
        long = [part for part in parts if part.duration >= PERIODS / cutoff]
        if not long or len(long) == len(parts):
            return parts
        said = Message(
            "{count} stretches shorter than {periods:g} periods of the filter, {seconds:.2g} s, are left out",
            len(parts) - len(long),
            PERIODS,
            PERIODS / cutoff,
        )
        return [part.with_notes([said]) for part in long]

    @cached_property
    def _found_parts(self) -> dict[float, list[Log]]:
        """Parts by `bridge`: an identification wants them with every set of columns."""
        return {}

    def _parts(self, bridge: float) -> list[Log]:
        stretches = sampling.pieces(self.t, bridge)
        said = [note for note in sampling.sampling_notes(self.t, stretches) if note not in self.notes]
        long = [piece for piece in stretches if piece.stop - piece.start >= sampling.SHORTEST]
        short = len(self.t) - sum(piece.stop - piece.start for piece in long)
        if short:
            said.append(
                Message("{short} samples in stretches shorter than {shortest} are left out", short, sampling.SHORTEST)
            )
        return [self._cut(piece, said)._resample_even() for piece in long]

    def _resample_even(self) -> Log:
        plan = sampling.even(self.t, self.q)
        if plan.rows is not None:
            return self._with_times(itemgetter(plan.rows), plan.given)._at(plan.given, plan.wanted, plan.sentence)
        return self if not plan.sentence else self._at(plan.given, plan.wanted, plan.sentence)

    def blocks(self, count: int) -> list[Log]:
        """The log in so many stretches of nearly equal length, one after the other."""
        if not 1 <= count <= len(self.t):
            raise InputError("{place}blocks: expected 1 to {count}, found {count2}", self._place, len(self.t), count)
        ends = np.linspace(0, len(self.t), count + 1).round().astype(int)
        return [self._cut(slice(int(a), int(b))) for a, b in pairwise(ends)]

    def between(self, start: float, end: float) -> Log:
        """The samples of these times."""
        a, b = np.searchsorted(self.t, start, side="left"), np.searchsorted(self.t, end, side="right")
        if a >= b:
            raise InputError("{place}no sample is between {start:g} and {end:g} s", self._place, start, end)
        return self._cut(slice(int(a), int(b)))

    def resampled(self, rate: float) -> Log:
        """The same log at another rate (Hz): a cubic spline, behind a filter without delay if the rate is lower.

        Gaps would be filled with what never was: take `log.parts()` first where there are some.
        """
        if not (np.isfinite(rate) and rate > 0):
            raise InputError("{place}resampled: expected a rate above zero, found {rate}", self._place, rate)
        if len(sampling.pieces(self.t)) > 1:
            raise InputError("{place}resampled: has gaps or several rates; resample each of log.parts()", self._place)
        even, before = self._resample_even() if self.q.ndim == 2 else self, self.rate
        count = int(np.floor(even.duration * rate * (1 + 1e-12))) + 1
        wanted = even.t[0] + np.arange(count) / rate
        smooth = even._with_times(lambda x: sampling.lowpass(x, 1 / before, rate), even.t)
        return smooth._at(smooth.t, wanted, f"resampled from {before:.6g} to {rate:.6g} Hz")

    def _at(self, given: Array, wanted: Array, sentence: str) -> Log:
        """At other times: the rows are those of the times `given`."""
        return self._with_times(lambda x: sampling.interpolate_rows(given, x, wanted), wanted).with_notes([sentence])

    def _cut(self, rows: slice, said: Iterable[str] = ()) -> Log:
        return self._with_times(lambda x: x[..., rows, :], self.t[rows]).with_notes(said)

    def _with_times(self, change: Callable[[Array], Array], times: Array) -> Log:
        """With other times, and every other array changed."""
        arrays = {name: getattr(self, name) for name in (*MEASURED_NAMES, *WANTED_NAMES)}
        new: dict[str, Any] = {name: change(value) for name, value in arrays.items() if value is not None}
        return replace(self, t=times, state={name: change(value) for name, value in self.state.items()}, **new)

    def with_notes(self, said: Iterable[str]) -> Log:
        """With these notes, too."""
        return replace(self, notes=(*self.notes, *(note for note in said if note and note not in self.notes)))

    def plot(self, degrees: bool = False) -> Any:
        """A figure of matplotlib, which is not shown: every quantity over time, a column a joint."""
        return figure_of(self, degrees)

    def save(self, path: str | Path) -> Path:
        """Write the arrays: `.csv` and `.parquet` (one arm), `.npz`. `mp.read_log` reads them back exactly."""
        return save_log(self, path)

    def as_dict(self) -> dict[str, object]:
        arrays = {name: getattr(self, name) for name in ("t", *MEASURED_NAMES, *WANTED_NAMES)}
        words = {"joints": list(self.joints), "notes": list(self.notes), "source": self.source}
        told: dict[str, object] = plain({**arrays, "state": dict(self.state), **words})
        return told


def _numbers(name: str, given: Any, source: str) -> Array:
    place = Message("{place}: {text}", source or Message("log"), name)
    if np.iscomplexobj(given):
        raise InputError("{place}: expected real numbers, found complex ones", place)
    try:
        value = (
            np.ma.filled(np.ma.asarray(given, dtype=float), np.nan) if np.ma.isMA(given) else np.asarray(given, float)
        )
    except (TypeError, ValueError):
        raise InputError("{name}: expected an array of numbers, found {values}", place, type(given).__name__) from None
    if not np.isfinite(value).all():
        at = [int(k) for k in np.argwhere(~np.isfinite(value))[0]]
        raise InputError("{place}: the entry at {at} is no number; leave such rows out", place, at)
    return value


PASSED, OFTEN = 1.1, 0.9  # times a limit; the share of samples that stay below


def believed_limits(robot: RobotDescription, tau: Array | None) -> tuple[list[float], list[Message]]:
    """The torque limits of the robot's file, and what is odd about them. A motor cannot pass its limit: one that is
    often passed is a placeholder of the file, or the torques have another unit."""
    file = Limits(robot).effort
    limits = np.where(file > 0, file, np.inf)  # zero: the file's way to say nothing
    often = np.zeros(robot.dof) if tau is None else np.quantile(np.abs(tau).reshape(-1, robot.dof), OFTEN, axis=0)
    passed = often > PASSED * limits
    names, told = [robot.joint_names[j] for j in np.flatnonzero(passed)], list[Message]()
    listed = ", ".join(f"{often[j]:.4g} ({limits[j]:g})" for j in np.flatnonzero(passed))
    if len(names) > 1:
        told.append(
            Message(
                "torques of {joints} are often above {listed}, in brackets the limits of the robot's file: these are "
                "not taken for limits; are the torques in N·m (N)?", in_a_row(names), listed,
            )
        )  # fmt: skip
    elif names:
        j = int(passed.argmax())
        told.append(
            Message(
                "{joint}: its torque is often above {often:.4g}, and its limit in the robot's file is {limit:g}: the "
                "limit is not taken for one; is the torque in N·m (N)?", names[0], often[j], limits[j],
            )
        )  # fmt: skip
    return [float(x) for x in np.where(passed, np.inf, limits)], told


def _refuse_unsorted(times: Array, place: str) -> None:
    steps = np.diff(times)
    if (steps <= 0).any():
        k = int(np.argmax(steps <= 0))
        raise InputError(
            (
                ("{place}t: expected rising times, found the same time twice: {times:g} s, then {times2:g} s")
                if steps[k] == 0
                else ("{place}t: expected rising times, found a time that falls back: {times:g} s, then {times2:g} s")
            ),
            place,
            times[k],
            times[k + 1],
        )


def _rows(name: str, value: Array, count: int, place: str) -> Array:
    value = value[:, None] if value.ndim == 1 else value
    if value.ndim < 2 or value.shape[-2] != count or not value.shape[-1]:
        raise InputError(
            (
                ("{place}{name}: expected shape (…, {count}, n), found {shape}; transpose it")
                if value.ndim == 2 and value.shape[-1] == count
                else "{place}{name}: expected shape (…, {count}, n), found {shape}"
            ),
            place,
            name,
            count,
            value.shape,
        )
    return value


def _row(batch: tuple[int, ...], at: tuple[int, ...], x: Array) -> Array:
    """One arm of a batch; what is common to all has no axes for it."""
    return np.asarray(np.broadcast_to(x, (*batch, *x.shape[-2:]))[at])


def _ends(robot: RobotDescription) -> Ends:
    """Limits without room between them say nothing."""
    limits = Limits(robot)
    idle = tuple(name for name in robot.joint_names if robot.loops and name not in robot.motors)
    room, speed = limits.upper > limits.lower, np.where(limits.velocity > 0, limits.velocity, np.inf)
    return Ends(np.where(room, limits.lower, -np.inf), np.where(room, limits.upper, np.inf), speed, idle)
