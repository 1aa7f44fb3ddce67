"""Where to cut: from a log's own spectrum, without a constant of the robot.

A joint's spectrum is that of its motion up to where it meets the floor of its noise. A cut-off f_c loses motion above
it and lets noise through below it; two differences weigh both by ω⁴:

    e²(f_c) = Σ ω⁴ M (1 − H)² / Σ ω⁴ M  +  Σ ω⁴ N H² / Σ ω⁴ M,        H(f) = 1/(1 + (f/f_c)⁸)

with M the spectrum above the floor and N the floor: the error of the acceleration, in parts of the acceleration. The
cut-off is the lowest that is nearly as good as the best one; a log without noise is cut where the motion has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.identification.filters.filtering import ORDER
from manipula.simulation.records.logs import Log

Array = NDArray[np.float64]
ABOVE = 4.0  # times the floor: motion, no noise
HIGH = 2 / 3  # of half the sampling rate: from here on the floor is looked for
NEARLY = 1.5  # times the least error squared
NEGLIGIBLE = 1e-8  # of an acceleration, squared: 0.01 %
RARELY = 0.1  # of the frequencies beyond the end of a motion
HIGHEST = 0.4  # of the sampling rate
TRIED = 120  # cut-offs, in a geometric series
SMOOTHED = 9  # neighbours of a frequency that its power is the mean of


@dataclass(frozen=True)
class Cutoff:
    """Hz, None where nothing is to be filtered, and the reason."""

    frequency: float | None
    reason: str


def cutoff_for(parts: Sequence[Log], filter: float | str | None) -> Cutoff:
    """Of a log's stretches: one number for all of them."""
    if filter is None:
        return Cutoff(None, "as asked for")
    if filter == "auto":
        return found_cutoff(parts)
    if isinstance(filter, str) or not np.isfinite(filter):
        raise InputError(f'filter: expected "auto", a cut-off in Hz, or None, found {filter!r}')
    return Cutoff(float(filter), "as asked for")


def found_cutoff(parts: Sequence[Log]) -> Cutoff:
    """From the longest stretch."""
    longest = max(parts, key=lambda part: len(part.t))
    f, power = spectrum(np.asarray(longest.q, float), longest.rate)
    motion, noise = parted(f, power)
    moved = (f[:, None] ** 4 * motion).sum(axis=0)
    if not (moved > 0).any():
        return Cutoff(None, "no joint moves above its noise")
    tried = np.geomspace(4 * f[1], HIGHEST * longest.rate, TRIED)
    errors = np.array([_error(f, motion, noise, moved, x) for x in tried])
    good = errors <= NEARLY * errors.min() + NEGLIGIBLE
    best = float(tried[np.argmax(good)])
    off = 100 * float(np.sqrt(errors[np.argmax(good)]))
    return Cutoff(best, f"there the motion's spectrum meets its noise; accelerations are known to about {off:.2g} %")


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


def _error(f: Array, motion: Array, noise: Array, moved: Array, cutoff: float) -> float:
    passed = (1 / (1 + (f / cutoff) ** (2 * ORDER)))[:, None]
    lost = f[:, None] ** 4 * (motion * (1 - passed) ** 2 + noise * passed**2)
    there = moved > 0
    return float(np.mean(lost.sum(axis=0)[there] / moved[there]))
