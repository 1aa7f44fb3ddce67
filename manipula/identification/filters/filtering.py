"""Parallel filtering: one zero-phase filter for positions, torques and every column of the regressor.

A low-pass filter F and the model commute in the parameters: F τ = (F Y) θ. So what it does to the torque it does to the
columns, edges of Coulomb friction included, and nothing is biased. Positions are filtered first, so that differences of
them show the motion and not the encoder: at twice the cut-off, where the filter leaves all that the columns' own filter
lets through as it is. Where torques were recorded with less of their band than the motion has, columns and torques are
cut below that end, positions where the motion asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.signal import butter, sosfiltfilt, sosfreqz

from manipula.errors import InputError

Array = NDArray[np.float64]
ORDER = 4
OVERSAMPLED = 5  # rows kept for every period of the cut-off: beyond half of that the filter leaves 1/1500
WIDER = 2  # times the cut-off: that of positions
HIGHEST = 0.45  # of the sampling rate
FEWEST = 5  # samples that tell a curvature
FREQUENCIES = 8192  # at which the filter's response is looked at
FORGOTTEN = 1e-13  # what is left of a transient after the filter's memory


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

    @cached_property
    def _sections(self) -> Array:
        found: Array = butter(ORDER, self.cutoff, fs=self.rate, output="sos")
        return found

    @property
    def memory(self) -> int:
        """Samples after which the filter has forgotten: its slowest pole is −ωc·sin(π/2n)."""
        if self.cutoff is None:
            return 0
        pace = 2 * np.pi * self.cutoff * np.sin(np.pi / (2 * ORDER))
        return int(np.ceil(-np.log(FORGOTTEN) / pace * self.rate))

    def wider(self) -> Smoother:
        """The filter of positions."""
        if self.cutoff is None:
            return self
        return Smoother(self.rate, min(WIDER * (self.motion or self.cutoff), HIGHEST * self.rate), self.reason)

    @property
    def step(self) -> int:
        """Of how many samples one is kept."""
        return 1 if self.cutoff is None else max(1, int(self.rate / (OVERSAMPLED * self.cutoff)))

    @property
    def correlation(self) -> float:
        """Rows kept for an independent one where the noise was white: τ_int = 1/(step · mean |H|²), H forth and back.
        What passes is flat up to the cut-off, and rows are kept more often than that."""
        if self.cutoff is None:
            return 1.0
        passed = np.abs(sosfreqz(self._sections, FREQUENCIES)[1]) ** 4
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
        found: Array = sosfiltfilt(self._sections, x, axis=0, padlen=min(self.memory, len(x) - 1))
        return found

    def positions(self, q: Array) -> Array:
        """Of a motion, which goes on beyond its ends: what bends there is taken off before, and added after."""
        if self.cutoff is None or len(q) < 2:
            return q
        bent = _bent(q, min(len(q), max(FEWEST, int(np.ceil(self.rate / self.cutoff)))))
        return bent + self(q - bent)


def _bent(q: Array, many: int) -> Array:
    """A quintic with value, slope and curvature of q at both ends, by parabolas through `many` samples there. A point
    reflection of what is left goes on smoothly, one of q itself would say that it does not accelerate."""
    last = len(q) - 1
    if many < FEWEST or last < 1:
        return np.zeros_like(q)
    s, near = np.linspace(0, 1, len(q)), np.arange(many) / last
    ends = [np.polynomial.polynomial.polyfit(x, y, 2) for x, y in ((near, q[:many]), (-near[::-1], q[-many:]))]
    wanted = np.concatenate([end * np.array([1.0, 1.0, 2.0])[:, None] for end in ends])
    powers = np.arange(6)
    rows = [powers == 0, powers == 1, 2 * (powers == 2), powers >= 0, powers, powers * (powers - 1)]
    found: Array = s[:, None] ** powers @ np.linalg.solve(np.array(rows, float), wanted)
    return found


def rates(q: Array, dt: float) -> tuple[Array, Array]:
    """q̇ and q̈ by central differences over five samples, over three next to the ends."""
    if len(q) < 3:
        raise InputError("log: {count} samples tell no acceleration; expected three or more", len(q))
    qd = np.gradient(q, dt, axis=0, edge_order=2)
    qdd = np.gradient(qd, dt, axis=0)
    qdd[1:-1] = (q[2:] - 2 * q[1:-1] + q[:-2]) / dt**2
    qdd[0], qdd[-1] = qdd[1], qdd[-2]
    if len(q) >= 5:
        a, b, c, d, e = q[:-4], q[1:-3], q[2:-2], q[3:-1], q[4:]
        # (q₋₂ − 8q₋₁ + 8q₊₁ − q₊₂)/12Δt and (−q₋₂ + 16q₋₁ − 30q₀ + 16q₊₁ − q₊₂)/12Δt²
        qd[2:-2] = (a - 8 * b + 8 * d - e) / (12 * dt)
        qdd[2:-2] = (-a + 16 * b - 30 * c + 16 * d - e) / (12 * dt**2)
    return qd, qdd
