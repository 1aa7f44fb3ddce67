"""Where a recorded torque ends: the frequency beyond which it no longer has what the motion asks for.

Drives and recorders filter torques, some below the motion's own band. What the model asks for beyond that end is not in
the recording: it would be an error of no parameter. Over bands of frequency, the joints weighted by their noise,

    gain = Σ Re(τ̂* τ) / Σ |τ̂|²        τ̂ the torque of a first fit, τ the recorded one

Noise of the torque does not lower the gain, a filter of the torque does, and so does noise of the motion. The end is
where it falls to 1/2 for good; the cut-off lies half an octave below, so that the filter, 1/(1 + 2⁴) there, has left
nothing of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
BANDS = 4  # of an octave
GAIN = 0.5
BELOW = 2**0.5  # of the end, the cut-off: half an octave
MOST = 0.99  # of the power asked for that must lie below: else it is the model that is wrong, not the torque


def torque_end(asked: Sequence[Array], recorded: Sequence[Array], rates: Sequence[float], weights: Array) -> float:
    """Hz; infinite where the torque has all that the model asks for. Lists have an entry a stretch, (rows, n) at so
    many rows a second; `weights` are 1/σ² of the joints."""
    slowest, fastest = min(rate / len(x) for x, rate in zip(asked, rates)), max(rates) / 2
    count = int(np.ceil(BANDS * np.log2(fastest / slowest))) + 1
    sums = np.zeros((2, count))
    for x, y, rate in zip(asked, recorded, rates):
        f, power, shared = _spectra(x, y, rate, weights)
        place = np.clip((BANDS * np.log2(f / slowest)).astype(int), 0, count - 1)
        sums += [np.bincount(place, values, count) for values in (power, shared)]
    return _end(sums[0], sums[1], slowest)


def _spectra(asked: Array, recorded: Array, rate: float, weights: Array) -> tuple[Array, Array, Array]:
    """Frequencies above zero, |τ̂|² and Re(τ̂* τ)."""
    window = np.sin(np.pi * (np.arange(len(asked)) + 0.5) / len(asked))[:, None] ** 4
    first, second = (np.fft.rfft((x - x.mean(0)) * window, axis=0)[1:] for x in (asked, recorded))
    f = np.asarray(np.fft.rfftfreq(len(asked), 1 / rate), float)[1:]
    return f, np.abs(first) ** 2 @ weights, (first.conj() * second).real @ weights


def _end(power: Array, shared: Array, slowest: float) -> float:
    """Where the gain falls to a half and stays below, between the middles of two bands."""
    felt = np.flatnonzero(power > 0)
    gain, middle = shared[felt] / power[felt], slowest * 2 ** ((felt + 0.5) / BANDS)
    passed = np.flatnonzero(gain >= GAIN)
    if not len(passed) or (last := passed[-1]) + 1 == len(felt):
        return np.inf
    if power[felt[: last + 1]].sum() < MOST * power.sum():
        return np.inf
    part = (gain[last] - GAIN) / (gain[last] - gain[last + 1])
    return float(middle[last] * (middle[last + 1] / middle[last]) ** part)
