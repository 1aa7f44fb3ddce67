"""Parallel filtering: one zero-phase filter for positions, torques and every column of the regressor.

A low-pass filter F and the model commute in the parameters: F τ = (F Y) θ. So what it does to the torque it does to the
columns, edges of Coulomb friction included, and nothing is biased. Positions are filtered first, so that differences of
them show the motion and not the encoder: at twice the cut-off, where the filter leaves all that the columns' own filter
lets through as it is. Where torques were recorded with less of their band than the motion has, columns and torques are
cut below that end, positions where the motion asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.evaluate import ArrayMaths
from manipula.errors import InputError
from manipula.identification.decimation import (
    FEWEST,
    ORDER,
    VANISHED,
    Strides,
    memory,
    quintic_between_ends,
    reach_of,
    response,
    strides_for,
    zero_phase,
)
from manipula.mechanics.models.linear.joint_families import stop_operator
from manipula.messages import Message
from manipula.recordings.log import Log

Array = NDArray[np.float64]
OVERSAMPLED = 5  # rows kept for every period of the cut-off: beyond half of that the filter leaves 1/1500
WIDER = 2  # times the cut-off: that of positions
HIGHEST = 0.45  # of the sampling rate
FREQUENCIES = 8192  # at which the filter's response is looked at


@dataclass(frozen=True)
class Smoother:
    """A Butterworth filter forth and back; without a cut-off nothing is filtered. `reason`: who chose it, and why."""

    rate: float  # Hz, of the samples
    cutoff: float | None  # Hz
    reason: str = ""
    motion: float | None = None  # Hz, of positions, where it is another

    def __post_init__(self) -> None:
        if self.cutoff is not None and not 0 < self.cutoff < self.rate / 2:
            raise InputError(
                "filter: expected a cut-off between 0 and {rate:g} Hz, half the sampling rate, found {cutoff:g}",
                self.rate / 2,
                self.cutoff,
            )

    def __str__(self) -> str:
        told = "not filtered" if self.cutoff is None else f"zero-phase Butterworth, {self.cutoff:.3g} Hz"
        return f"{told}: {self.reason}" if self.reason else told

    @property
    def memory(self) -> int:
        """Samples after which the filter has forgotten."""
        return 0 if self.cutoff is None else memory(self.rate, self.cutoff, VANISHED)

    def wider(self) -> Smoother:
        """The filter of positions."""
        if self.cutoff is None:
            return self
        return Smoother(self.rate, min(WIDER * (self.motion or self.cutoff), HIGHEST * self.rate), self.reason)

    @property
    def strides(self) -> Strides:
        """Of how many samples columns need one, and of how many one is kept."""
        if self.cutoff is None:
            return Strides(1, 1, 1)
        raw = max(1, int(self.rate / (OVERSAMPLED * self.cutoff)))
        return strides_for(raw, (self.motion or self.cutoff) / self.cutoff)

    @property
    def step(self) -> int:
        """Of how many samples one is kept."""
        return self.strides.kept

    def reads_fewer(self, samples: int) -> bool:
        """Is a stretch of so many samples long enough for columns on coarser grids, and are they coarser?"""
        if self.cutoff is None or self.strides.coarse == 1:
            return False
        return samples > reach_of(self.rate, self.cutoff, self.strides)

    @property
    def correlation(self) -> float:
        """Rows kept for an independent one where the noise was white: τ_int = 1/(step · mean |H|²), H forth and back.
        What passes is flat up to the cut-off, and rows are kept more often than that."""
        if self.cutoff is None:
            return 1.0
        passed = response(np.linspace(0, self.rate / 2, FREQUENCIES, endpoint=False), self.rate, self.cutoff) ** 2
        return max(1.0, 1 / (self.step * float(passed.mean())))

    @property
    def ends(self) -> int:
        """Samples at both ends whose accelerations are guesses: a period of the motion's cut-off."""
        return 0 if self.cutoff is None else int(np.ceil(self.rate / (self.motion or self.cutoff)))

    @property
    def blur(self) -> int:
        """Samples over which a column is spread: a period of the cut-off."""
        return 0 if self.cutoff is None else int(np.ceil(self.rate / self.cutoff))

    def __call__(self, x: Array) -> Array:
        """Along the first axis; a signal is continued beyond its ends by its point reflection."""
        if self.cutoff is None or len(x) < 2:
            return x
        return zero_phase(x, self.rate, self.cutoff)

    def positions(self, q: Array) -> Array:
        """Of a motion, which goes on beyond its ends: what bends there is taken off before, and added after."""
        if self.cutoff is None or len(q) < 2:
            return q
        bent = quintic_between_ends(q, min(len(q), max(FEWEST, int(np.ceil(self.rate / self.cutoff)))))
        return bent + self(q - bent)


def rates(q: Array, dt: float) -> tuple[Array, Array]:
    """q̇ and q̈ by central differences over five samples, over three next to the ends."""
    if len(q) < 3:
        raise InputError("log: {count} samples tell no acceleration; expected three or more", len(q))
    qd = np.gradient(q, dt, axis=0, edge_order=2)
    qdd = np.gradient(qd, dt, axis=0)
    qdd[1:-1] = (q[2:] - 2 * q[1:-1] + q[:-2]) / dt**2
    # three samples have one second difference, whichever of them it is taken for
    qdd[0], qdd[-1] = qdd[1], qdd[-2]
    if len(q) >= 5:
        a, b, c, d, e = q[:-4], q[1:-3], q[2:-2], q[3:-1], q[4:]
        # (q₋₂ − 8q₋₁ + 8q₊₁ − q₊₂)/12Δt and (−q₋₂ + 16q₋₁ − 30q₀ + 16q₊₁ − q₊₂)/12Δt²
        qd[2:-2] = (a - 8 * b + 8 * d - e) / (12 * dt)
        qdd[2:-2] = (-a + 16 * b - 30 * c + 16 * d - e) / (12 * dt**2)
    return qd, qdd


# Where to cut: from a log's own spectrum, without a constant of the robot.
#
# A joint's spectrum is that of its motion, M, up to where it meets the floor of its noise, N. Two differences weigh
# both
# by ω⁴. The motion's band ends where all but a millionth of its acceleration is below. Noise in columns makes
# parameters
# smaller by about its share in the acceleration that a cut-off f_c lets through,
#
#     noise(f_c) = Σ ω⁴ H² N / Σ ω⁴ H² M,        H(f) = 1/(1 + (f/f_c)⁸)
#
# The cut-off is a few times that band, so that edges of friction are seen, but not beyond where noise begins to count.

ABOVE = 4.0  # times the floor: motion, no noise
HIGH = 2 / 3  # of half the sampling rate: from here on the floor is looked for
KEPT = 1e-6  # of the acceleration's power: what is beyond a motion's band
NOTHING = 1e-6  # of the acceleration's power: noise that makes parameters smaller by no more
SEVERAL = 5.0  # times the motion's band
RARELY = 0.1  # of the frequencies beyond the end of a motion
HIGHEST_CUTOFF = 0.25  # of the sampling rate
TRIED = 120  # cut-offs, in a geometric series
SMOOTHED = 9  # neighbours of a frequency that its power is the mean of
SHORTEST = 32  # samples
LONGEST = 60.0  # s of one spectrum


@dataclass(frozen=True)
class Cutoff:
    """Hz, None where nothing is to be filtered, and the reason; `motion` where positions are cut by another number."""

    frequency: float | None
    reason: str
    motion: float | None = None


@dataclass(frozen=True)
class Below:
    """The automatic cut-off, but no higher than this."""

    most: Cutoff


@dataclass(frozen=True)
class Same:
    """One cut-off for every recording, lower only where the samples are too few."""

    cutoff: Cutoff


Filter = float | str | None | Below | Same


def cutoff_for(parts: Sequence[Log], filter: Filter) -> Cutoff:
    """Of a log's stretches: one number for all of them."""
    if filter is None:
        return Cutoff(None, Message("as given"))
    if filter == "auto":
        return found_cutoff(parts)
    if isinstance(filter, Below):
        return _lower(found_cutoff(parts), filter.most)
    if isinstance(filter, Same):
        return _within(filter.cutoff, HIGHEST_CUTOFF * min(part.rate for part in parts))
    if isinstance(filter, str) or not np.isfinite(filter):
        raise InputError('filter: expected "auto", a cut-off in Hz, or None, found {filter!r}', filter)
    return Cutoff(float(filter), Message("as given"))


def _lower(found: Cutoff, most: Cutoff) -> Cutoff:
    """Positions keep the cut-off that their own spectrum asks for."""
    if found.frequency is None or most.frequency is None or most.frequency >= found.frequency:
        return found
    return Cutoff(most.frequency, most.reason, found.frequency)


def _within(wanted: Cutoff, most: float) -> Cutoff:
    if wanted.frequency is None or wanted.frequency <= most:
        return wanted
    return Cutoff(most, Message("a quarter of the sampling rate, lower than the {hertz:.3g} Hz of the training",
                                wanted.frequency), wanted.motion)  # fmt: skip


def found_cutoff(parts: Sequence[Log]) -> Cutoff:
    """From the longest stretch."""
    longest = max(parts, key=lambda part: len(part.t))
    if len(longest.t) < SHORTEST:
        raise InputError(
            'filter="auto": the longest stretch of the log has {count} samples, too few to tell motion from '
            "noise; expected {shortest} or more",
            len(longest.t),
            SHORTEST,
        )
    f, power = spectrum(np.asarray(longest.q, float), longest.rate)
    motion, noise = split_spectrum(f, power)
    if not motion.any():
        return Cutoff(None, Message("no joint moves above its noise"))
    tried = np.geomspace(4 * f[1], HIGHEST_CUTOFF * longest.rate, TRIED)
    shares = np.array([_noise(f, motion, noise, x) for x in tried])
    # where noise counts whatever the cut-off, the least of it has to do
    quiet = shares <= np.maximum(NOTHING, shares.min())
    most, band = float(tried[np.flatnonzero(quiet)[-1]]), _band(f, motion)
    if SEVERAL * band < most:
        return Cutoff(SEVERAL * band, Message("{several:g} times the motion's band of {band:.2g} Hz", SEVERAL, band))
    return Cutoff(most, Message("beyond it noise begins to count, the motion's band being {band:.2g} Hz", band))


def spectrum(q: Array, rate: float) -> tuple[Array, Array]:
    """Frequencies and the power of every joint's position at them; a window of the fourth order keeps what is slow from
    spilling over. A long recording goes by parts, of which it is the mean: over minutes a periodic motion is so few
    lines that what is between them would seem to be its end."""
    if (parts := int(len(q) / (LONGEST * rate))) > 1:
        found = [spectrum(x[: len(q) // parts], rate) for x in np.array_split(q, parts)]
        return found[0][0], np.asarray(np.mean([power for _, power in found], axis=0), float)
    line = np.linspace(0, 1, len(q))[:, None]
    # the line through both ends is taken off: a jump from the last sample to the first is in every frequency
    level = q - (q[:1] + (q[-1:] - q[:1]) * line)
    window = np.sin(np.pi * np.linspace(0, 1, len(q))) ** 4
    power: Array = np.abs(np.fft.rfft(level * window[:, None], axis=0)) ** 2
    # one line of a spectrum is as uncertain as it is high: neighbours are averaged
    kernel = np.ones(SMOOTHED) / SMOOTHED
    smooth = np.array([np.convolve(x, kernel, "same") for x in power.T]).T
    return np.asarray(np.fft.rfftfreq(len(q), 1 / rate), float), smooth


def split_spectrum(f: Array, power: Array) -> tuple[Array, Array]:
    """(motion, noise) by frequency and joint; the floor is that of the highest frequencies."""
    # the median: hum and resonances up there are few lines
    floor: Array = np.asarray(np.median(power[f >= HIGH * f[-1]], axis=0), float)
    ends = [_end(column > ABOVE * least) for column, least in zip(power.T, floor)]
    before = np.arange(len(f))[:, None] < np.array(ends)
    motion: Array = np.maximum(power - floor, 0.0) * before
    return motion, floor + np.zeros_like(power)


def _end(above: NDArray[np.bool_]) -> int:
    """The place where a spectrum meets its floor: from there to half as far again it is rarely above."""
    many = np.concatenate([[0], np.cumsum(above)])
    first = np.arange(len(above))
    last = np.minimum(first + first // 2 + 1, len(above))
    return int(np.argmax(np.append(many[last] - many[first] <= RARELY * (last - first), True)))


def _band(f: Array, motion: Array) -> float:
    """Where the acceleration of a joint ends, all but `KEPT` of its power: the median over the joints that move."""
    power = np.cumsum(f[:, None] ** 4 * motion, axis=0)
    there = power[-1] > 0
    within = power[:, there] < (1 - KEPT) * power[-1, there]
    return float(np.median(f[np.minimum(within.sum(axis=0), len(f) - 1)]))


def _noise(f: Array, motion: Array, noise: Array, cutoff: float) -> float:
    """What of the acceleration's power below a cut-off is noise, the mean over the joints that move."""
    passed = f[:, None] ** 4 / (1 + (f[:, None] / cutoff) ** (2 * ORDER)) ** 2
    moved = (passed * motion).sum(axis=0)
    there = moved > 0
    return float(np.mean((passed * noise).sum(axis=0)[there] / moved[there])) if there.any() else np.inf


# A stretch of a log without gaps, as columns see it: filtered positions, their rates, and the torque.

Flags = NDArray[np.bool_]
MATHS = ArrayMaths()


@dataclass(frozen=True, eq=False)
class RecordedMotion:
    """(time, n) each; `tau` is as recorded, the smoother is for it and for every column alike."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    smoother: Smoother
    stops: Mapping[Fraction, Array] = field(default_factory=dict)
    stride: int = 1  # samples for every one of the stops
    saturated: Flags | None = None
    source: str = ""  # the recording's file, where it has one
    reference: Log | None = None  # what was asked of the arm at these times, as positions and rates, where it is known
    felt: Array | None = None  # of a robot with loops G (time, n, motors)
    base: Array | None = None  # of one whose base moves w0, wd0, a0 side by side (time, 9)

    @property
    def kept(self) -> slice:
        """The rows that are left after the filter: it lets nothing through that more of them would show."""
        return slice(None, None, self.smoother.step)

    def stops_at(self, rows: slice | NDArray[np.intp]) -> dict[Fraction, Array]:
        """Of every radius the stops at these samples, (rows, n)."""
        places = np.arange(len(self))[rows] // self.stride
        return {radius: found[places] for radius, found in self.stops.items()}

    def log(self, every: int, tau: Array) -> Log:
        """Every so many samples as a recording, with these torques (and forces on a base that moves)."""
        n, state = self.q.shape[1], dict[str, Array]()
        if self.base is not None:
            state = {"w0": self.base[::every, :3], "a0": self.base[::every, 6:]}
            state |= {"base_wrench": tau[::every, n:]} if tau.shape[1] > n else {}
        return Log(self.t[::every], self.q[::every], tau[::every, :n], state=state)

    def __len__(self) -> int:
        return len(self.t)


def motion_of(log: Log, tau: Array, smoother: Smoother, radii: Mapping[Fraction, Array]) -> RecordedMotion:
    """Rates that were recorded are taken where nothing is filtered; else they are differences of filtered positions."""
    q, dt = smoother.wider().positions(np.asarray(log.q, float)), 1 / smoother.rate
    qd, qdd = rates(q, dt)
    if smoother.cutoff is None and log.qd is not None:
        qd = np.asarray(log.qd, float)
        qdd = rates(qd, dt)[0]
    if smoother.cutoff is None and log.qdd is not None:
        qdd = np.asarray(log.qdd, float)
    stride = smoother.strides.fine if smoother.reads_fewer(len(q)) else 1
    held = dict(zip(radii, stops(q, list(radii.values()), stride)))
    t, wanted = np.asarray(log.t, float), _reference(log)
    return RecordedMotion(t, q, qd, qdd, tau, smoother, held, stride, source=log.source, reference=wanted)


def _reference(log: Log) -> Log | None:
    return None if log.q_ref is None else Log(log.t, log.q_ref, qd=log.qd_ref, qdd=log.qdd_ref)


def stops(q: Array, radii: Sequence[Array], stride: int = 1) -> list[Array]:
    """Stop operators of these radii (one a joint each) along time, in parts of the radius; they begin at rest. They are
    followed at every so many samples, as finely as columns with edges are read, and hold their values between them."""
    if not radii:
        return []
    radius = np.stack(radii)  # (radii, n)
    steps, held = np.diff(q[::stride], axis=0), np.zeros_like(radius)
    found = np.zeros((len(steps) + 1, *radius.shape))
    for k, step in enumerate(steps, 1):
        held = stop_operator(MATHS, held, step, radius)
        found[k] = held
    return list(np.moveaxis(found / radius, 1, 0))
