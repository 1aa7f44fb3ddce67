"""Units that cannot be what they are taken for, and joints that do not belong together: seen, and refused.

What is recorded twice shows most: a speed is the slope of its position, ∫q̇ dt = Δq, whatever either is recorded in.
A factor of 57.3 between them is degrees, of 1000 milliseconds. Without speeds there are the joint's limits, a span of
turns that no arm has, and steps of time that no recorder has. Nothing is ever converted on such a ground: the sentence
says what to write.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from manipula.messages import Message
from manipula.recordings.repairs import wrap_turns
from manipula.recordings.sampling import gaps

Array = NDArray[np.float64]
DEGREE = pi / 180
WINDOWS = 100  # stretches over which speeds are summed
CERTAIN = 0.9  # correlation from which two records are one motion
NEAR = 0.15  # relative distance from a factor that has a name
GROSS = (0.5, 2.0)  # between them a speed is its position's: filters and poor sensors are no mistake
COUNTED = 2 * pi * 500  # rad: no joint turns so far, and a count of an encoder is far less
TURNS = 4 * pi  # span of a joint, from which it must be said that these are radians
SLOWEST, FASTEST = 0.5, 1e-5  # seconds between samples
BEYOND, FARTHEST = 3.0, 20.0  # times the room between a slide's limits; m that a slide is long
SPAN, OFTEN, FAST, FASTER = 10, 0.95, 20.0, 2.0  # samples of a speed; its quantile; rad/s; times the speed limit


class Seen(Protocol):
    """What is looked at: `Log`, of one arm."""

    @property
    def t(self) -> Array: ...
    @property
    def q(self) -> Array: ...
    @property
    def qd(self) -> Array | None: ...
    @property
    def qdd(self) -> Array | None: ...
    @property
    def turns(self) -> tuple[bool, ...]: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def stated(self) -> tuple[str, ...]: ...
    @property
    def understood(self) -> tuple[Any, ...]: ...


class Ends(NamedTuple):
    """Where joints may go; infinite where nothing is said."""

    lower: Array
    upper: Array
    speed: Array
    idle: tuple[str, ...] = ()  # joints without a motor


def doubt(log: Seen, ends: Ends | None) -> str:
    """The first reason not to believe the numbers, with what to write; empty where it is missing."""
    units = (_degrees(log, ends), _slides(log, ends), _too_fast(log, ends))
    return next((reason for reason in (_times(log), _turns(log), _slopes(log), *units) if reason), "")


def _times(log: Seen) -> str:
    if "t" in log.stated or len(log.t) < 2:
        return ""
    step = float(np.median(np.diff(log.t)))
    if FASTEST <= step < SLOWEST:
        return ""
    units = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9}
    likely = [unit for unit, size in units.items() if FASTEST <= step * size < SLOWEST]
    what = Message("samples are {step:.4g} s apart", step)
    if not likely:
        return Message(
            "{what}, which no recorder of an arm does; say the unit of its times: units={{'t': 's'}} if it is seconds",
            what,
        )
    return Message(
        "{what}: are these {word}? Say units={{'t': {likely!r}}}, or units={{'t': 's'}} if not",
        what, _word(likely[0]), likely[0],
    )  # fmt: skip


def _word(unit: str) -> str:
    return {"ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}[unit]


def _turns(log: Seen) -> str:
    for j, turns in enumerate(log.turns or (True,) * log.q.shape[1]):
        if turns and np.ptp(log.q[:, j]) < COUNTED and (count := int(np.count_nonzero(wrap_turns(log.t, log.q[:, j])))):
            return Message(
                "{names}: positions jump by a turn {count} times; np.unwrap(q, axis=0) puts them together"
                if count > 1
                else "{names}: positions jump by a turn {count} time; np.unwrap(q, axis=0) puts them together",
                log.names[j], count,
            )  # fmt: skip
    return ""


# speeds beside positions


class Pair(NamedTuple):
    """A quantity and its slope, by name and in words; `degrees` is the slope's unit in degrees."""

    below: str
    slope: str
    positions: str
    speeds: str
    degrees: str


PAIRS = (
    Pair("q", "qd", "position", "speed", "deg/s"),
    Pair("qd", "qdd", "speed", "acceleration", "deg/s²"),
)


def _slopes(log: Seen) -> str:
    for pair in PAIRS:
        below, slope = getattr(log, pair.below), getattr(log, pair.slope)
        reason = "" if below is None or slope is None else _rate_doubt(log, pair, below, slope)
        if reason:
            return reason
    return ""


def _rate_doubt(log: Seen, pair: Pair, below: Array, slope: Array) -> str:
    moved, summed = _windows(log.t, below, slope)
    if len(moved) < 8:
        return ""
    found = [(j, _factor(moved[:, j], summed[:, j])) for j in range(moved.shape[1])]
    factors = {j: factor for j, factor in found if factor is not None}
    swapped = _swap_doubt(log, pair, moved, summed, factors)
    if swapped:
        return swapped
    odd = {j: factor for j, factor in factors.items() if abs(factor - 1) > NEAR}
    return _reason(log, pair, odd, len(factors)) if odd else ""


def _windows(t: Array, q: Array, qd: Array) -> tuple[Array, Array]:
    """How far joints went, and how far by their speeds, over stretches without gaps."""
    steps = np.diff(t)
    areas = 0.5 * (qd[1:] + qd[:-1]) * steps[:, None]  # ∫q̇ dt by trapezoids
    broken = gaps(steps)
    total = np.vstack([np.zeros(q.shape[1]), np.cumsum(areas, axis=0)])
    breaks = np.concatenate([[0], np.cumsum(broken)])
    width = max(1, len(t) // WINDOWS)
    first = np.arange(0, len(t) - width, max(1, width // 2))
    first = first[breaks[first] == breaks[first + width]]
    return q[first + width] - q[first], total[first + width] - total[first]


def _factor(moved: Array, summed: Array) -> float | None:
    """Speeds are so many times the positions' slope; None where that is unknown."""
    size = float(np.sqrt((moved @ moved) * (summed @ summed)))
    if size == 0.0 or abs(float(moved @ summed)) < CERTAIN * size:
        return None
    return float(np.copysign(np.sqrt((summed @ summed) / (moved @ moved)), moved @ summed))


def _swap_doubt(log: Seen, pair: Pair, moved: Array, summed: Array, factors: dict[int, float]) -> str:
    """A speed that follows another joint's position, and not its own."""

    def alike(j: int, k: int) -> float:
        size = float(np.sqrt((moved[:, k] @ moved[:, k]) * (summed[:, j] @ summed[:, j])))
        return abs(float(summed[:, j] @ moved[:, k])) / size if size else 0.0

    for j in range(moved.shape[1]):
        others = [k for k in range(moved.shape[1]) if k not in (j, *factors)]
        best = max(others, key=lambda k: alike(j, k), default=j)
        if j not in factors and best != j and alike(j, best) > 0.99 and alike(j, j) < 0.5:
            return Message(
                "the {speeds} of {names} follows the {positions} of {names2}: joints are swapped; say the "
                "columns in the joints' order, columns={{'{below}': […], '{slope}': […]}}",
                pair.speeds, log.names[j], pair.positions, log.names[best], pair.below, pair.slope,
            )  # fmt: skip
    return ""


TIMES = ((1e3, "ms"), (1e6, "us"), (1e9, "ns"))


def _reason(log: Seen, pair: Pair, odd: dict[int, float], count: int) -> str:
    """Why slopes are so many times what they should be, by the units that would make them so."""
    j, factor = next(iter(odd.items()))
    what = Message(
        "{names}: recorded {speeds}s are {factor:.4g} times the slope of its {positions}s",
        log.names[j],
        pair.speeds,
        factor,
        pair.positions,
    )
    angles = {"": 1.0, f"'{pair.slope}': '{pair.degrees}'": 1 / DEGREE}
    if pair.below == "q":
        angles["'q': 'deg'"] = DEGREE
    for size, unit in ((1.0, ""), *(TIMES if len(odd) == count else ())):
        for angle, turn in angles.items():
            if all(abs(x / (size * turn) - 1) < NEAR for x in odd.values()) and (angle or unit):
                said = ", ".join(([f"'t': '{unit}'"] if unit else []) + ([angle] if angle else []))
                return Message("{what}; say units={{{said}}}", what, said)
    out = Message("leave {speeds}s out, columns={{'{slope}': None}}", pair.speeds, pair.slope)
    if abs(factor + 1) < NEAR:
        return Message("{what}: the sign of one is wrong; say scale={{'{slope}': …}}, or {out}", what, pair.slope, out)
    return "" if GROSS[0] < factor < GROSS[1] else Message("{what}; say units= or scale= of both, or {out}", what, out)


# positions alone


def _degrees(log: Seen, ends: Ends | None) -> str:
    """Of a file whose units nobody said. Arrays are said to be radians: they must be far off to be doubted."""
    if {"q", "q of angles"} & {*log.stated}:
        return ""
    low, high = log.q.min(axis=0), log.q.max(axis=0)
    for j, turns in enumerate(log.turns or (True,) * log.q.shape[1]):
        limits = (ends.lower[j], ends.upper[j]) if ends is not None else (-np.inf, np.inf)
        if turns and (reason := _counted(log, j) or _too_far(low[j], high[j], limits, bool(log.understood))):
            return Message(
                "{names} goes from {low:.4g} to {high:.4g} rad, {too_far}", log.names[j], low[j], high[j], reason
            )
    return ""


def _counted(log: Seen, j: int) -> str:
    """Whole numbers over more than two turns in degrees, or turns that no joint has."""
    q, span = log.q[:, j], float(np.ptp(log.q[:, j]))
    if not log.understood or not (span > COUNTED or (span > TURNS / DEGREE and not (q % 1).any())):
        return ""
    return Message(
        "{high:.3g} turns: are these counts of an encoder? Say radians for one count, scale={{'q': [...]}}, or "
        "units={{'q': 'rad'}} if not", span / (2 * pi),
    )  # fmt: skip


def _too_far(low: float, high: float, limits: Sequence[float], assumed: bool) -> str:
    lower, upper = limits
    how = Message("are these degrees? Say units={'q': 'deg'}, or units={'q': 'rad'} if not")
    if not np.isfinite(upper - lower):
        turns = (high - low) / (2 * pi)
        return Message("{high:.3g} turns: {how}", turns, how) if assumed and high - low > TURNS else ""
    slack = (0.1 if assumed else 1.0) * (upper - lower)
    beyond = low < lower - slack or high > upper + slack
    fits = lower - slack * DEGREE <= low * DEGREE and high * DEGREE <= upper + slack * DEGREE
    if max(-low, high) <= 2 * pi:  # an arm whose zero is elsewhere, as likely as a small motion in degrees
        how = Message("is its zero elsewhere, or {how}", how)
    return Message("its limits are {lower:.4g} and {upper:.4g}: {how}", lower, upper, how) if beyond and fits else ""


def _slides(log: Seen, ends: Ends | None) -> str:
    """Joints that slide, in a file whose lengths nobody said."""
    if {"q", "q of lengths"} & {*log.stated} or not log.understood:
        return ""
    low, high = log.q.min(axis=0), log.q.max(axis=0)
    for j in np.flatnonzero(~np.array(log.turns or (True,) * log.q.shape[1], bool)):
        room = np.inf if ends is None else float(ends.upper[j] - ends.lower[j])
        if high[j] - low[j] > (BEYOND * room if np.isfinite(room) else FARTHEST):
            each = ", ".join("'rad'" if turns else "'mm'" for turns in log.turns)
            return Message(
                "{names} goes from {low:.4g} to {high:.4g} m: are these millimetres? Say the unit of every joint, "
                "units={{'q': [{each}]}}, or units={{'q': 'm'}} if not", log.names[j], low[j], high[j], each,
            )  # fmt: skip
    return ""


def _too_fast(log: Seen, ends: Ends | None) -> str:
    """Degrees of a motion so small that radians would be within the limits: its speeds are beyond any arm's."""
    if ends is None or {"q", "q of angles"} & {*log.stated} or not log.understood or len(log.t) < 2 * SPAN:
        return ""
    moved = np.abs(log.q[SPAN:] - log.q[:-SPAN]) / (log.t[SPAN:] - log.t[:-SPAN])[:, None]
    speeds = np.quantile(moved, OFTEN, axis=0)
    limits = np.where(np.isfinite(ends.speed), FASTER * ends.speed, FAST)
    for j, turns in enumerate(log.turns or (True,) * len(speeds)):
        if turns and speeds[j] > limits[j]:
            return Message(
                "{names} moves at {speed:.3g} rad/s: are these degrees? Say units={{'q': 'deg'}}, or units={{'q': "
                "'rad'}} if not", log.names[j], speeds[j],
            )  # fmt: skip
    return ""
