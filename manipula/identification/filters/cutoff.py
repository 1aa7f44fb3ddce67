"""Where to cut: from a log's own spectrum, without a constant of the robot.

A joint's spectrum is that of its motion, M, up to where it meets the floor of its noise, N. Two differences weigh both
by ω⁴. The motion's band ends where all but a millionth of its acceleration is below. Noise in columns makes parameters
smaller by about its share in the acceleration that a cut-off f_c lets through,

    noise(f_c) = Σ ω⁴ H² N / Σ ω⁴ H² M,        H(f) = 1/(1 + (f/f_c)⁸)

The cut-off is a few times that band, so that edges of friction are seen, but not beyond where noise begins to count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.identification.filters.filtering import ORDER
from manipula.messages import Message
from manipula.simulation.records.logs import Log

Array = NDArray[np.float64]
ABOVE = 4.0  # times the floor: motion, no noise
HIGH = 2 / 3  # of half the sampling rate: from here on the floor is looked for
KEPT = 1e-6  # of the acceleration's power: what is beyond a motion's band
NOTHING = 1e-6  # of the acceleration's power: noise that makes parameters smaller by no more
SEVERAL = 5.0  # times the motion's band
RARELY = 0.1  # of the frequencies beyond the end of a motion
HIGHEST = 0.25  # of the sampling rate
TRIED = 120  # cut-offs, in a geometric series
SMOOTHED = 9  # neighbours of a frequency that its power is the mean of
SHORTEST = 32  # samples


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


Filter = float | str | None | Below


def cutoff_for(parts: Sequence[Log], filter: Filter) -> Cutoff:
    """Of a log's stretches: one number for all of them."""
    if filter is None:
        return Cutoff(None, Message("as asked for"))
    if filter == "auto":
        return found_cutoff(parts)
    if isinstance(filter, Below):
        return _lower(found_cutoff(parts), filter.most)
    if isinstance(filter, str) or not np.isfinite(filter):
        raise InputError('filter: expected "auto", a cut-off in Hz, or None, found {filter!r}', filter)
    return Cutoff(float(filter), Message("as asked for"))


def _lower(found: Cutoff, most: Cutoff) -> Cutoff:
    """Positions keep the cut-off that their own spectrum asks for."""
    if found.frequency is None or most.frequency is None or most.frequency >= found.frequency:
        return found
    return Cutoff(most.frequency, most.reason, found.frequency)


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
    motion, noise = parted(f, power)
    if not motion.any():
        return Cutoff(None, Message("no joint moves above its noise"))
    tried = np.geomspace(4 * f[1], HIGHEST * longest.rate, TRIED)
    shares = np.array([_noise(f, motion, noise, x) for x in tried])
    quiet = shares <= np.maximum(NOTHING, shares.min())
    most, band = float(tried[np.flatnonzero(quiet)[-1]]), _band(f, motion)
    if SEVERAL * band < most:
        return Cutoff(SEVERAL * band, Message("{several:g} times the motion's band of {band:.2g} Hz", SEVERAL, band))
    return Cutoff(most, Message("beyond it noise begins to count, the motion's band being {band:.2g} Hz", band))


def spectrum(q: Array, rate: float) -> tuple[Array, Array]:
    """Frequencies and the power of every joint's position at them; a window of the fourth order keeps what is slow from
    spilling over."""
    line = np.linspace(0, 1, len(q))[:, None]
    level = q - (q[:1] + (q[-1:] - q[:1]) * line)
    window = np.sin(np.pi * np.linspace(0, 1, len(q))) ** 4
    power: Array = np.abs(np.fft.rfft(level * window[:, None], axis=0)) ** 2
    kernel = np.ones(SMOOTHED) / SMOOTHED
    smooth = np.array([np.convolve(x, kernel, "same") for x in power.T]).T
    return np.asarray(np.fft.rfftfreq(len(q), 1 / rate), float), smooth


def parted(f: Array, power: Array) -> tuple[Array, Array]:
    """(motion, noise) by frequency and joint; the floor is that of the highest frequencies."""
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
