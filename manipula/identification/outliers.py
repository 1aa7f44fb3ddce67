"""Samples that jump away from their neighbours: spikes of a bus, lost samples that a recorder filled with zeros.

A filter would draw one over its whole memory, so they are found before, each channel by its own scale: the distance of
a sample from the median of its neighbourhood, against the median of these distances (F. R. Hampel, "The influence curve
and its role in robust estimation", Journal of the American Statistical Association 69, 1974). A step of friction or a
torque at its limit lasts, and is none. A turning point is far from that median, too, but not from the cubic through its
neighbours: both distances must be large. What is found is interpolated, with a note.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from manipula.messages import Message
from manipula.recordings.log import Log

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
NEAR = 3  # samples on each side
FAR = 12.0  # standard deviations of a sample about its neighbours
LEAST = {
    "q": 1e-3,
    "tau": 0.2,
}  # of a channel's range: a smaller jump does little harm; positions are differenced twice
TURNS = 3  # outliers beside each other hide behind each other
RARE = 0.03  # of the samples: what is more often is no outlier
MEDIAN = 1.4826  # of the median of |x|: σ of a normal distribution
KINDS = {"q": "position", "tau": "torque"}


def without_outliers(log: Log) -> Log:
    """The log with such samples interpolated; itself where there are none."""
    changed: dict[str, Any] = {}
    notes: list[Message] = []
    for name, word in KINDS.items():
        value = getattr(log, name)
        if value is None or value.ndim != 2 or len(value) < 4 * NEAR:
            continue
        flags = outliers(value, LEAST[name])
        for j in np.flatnonzero(flags.any(axis=0)):
            changed.setdefault(name, value.copy())[:, j] = _interpolated(log.t, value[:, j], flags[:, j])
            notes.append(
                Message(
                    "{joint}: {count} samples of its {what} jump away from their neighbours, the first at "
                    "{time:.5g} s; interpolated",
                    log.names[j],
                    int(flags[:, j].sum()),
                    Message(word),
                    float(log.t[np.argmax(flags[:, j])]),
                )
            )
    if not changed:
        return log
    changed |= {name: None for name in ("qd", "qdd") if "q" in changed}  # recorded beside positions that were lost
    return replace(log, **changed).with_notes(notes)


def outliers(x: Array, least: float) -> Flags:
    """(time, n): a channel with many of them has none."""
    low, high = np.quantile(x, [0.01, 0.99], axis=0)
    found, mended = np.zeros(x.shape, bool), x.copy()
    for _ in range(TURNS):
        more = _jumps(mended, least * (high - low)) & ~found
        found |= more
        if not more.any():
            break
        for j in np.flatnonzero(more.any(axis=0)):
            mended[:, j] = _interpolated(np.arange(len(x), dtype=float), x[:, j], found[:, j])
    found[:, ~(high > low)] = False
    found[:, found.mean(axis=0) > RARE] = False
    return found


def _jumps(x: Array, least: Array) -> Flags:
    """Samples far from the median of their neighbourhood and from the cubic through their neighbours, more than these
    are themselves."""
    padded = np.pad(x, ((NEAR, NEAR), (0, 0)), mode="reflect", reflect_type="odd")
    around = np.stack([padded[k : k + len(x)] for k in range(2 * NEAR + 1)])
    from_median = np.abs(x - np.median(around, axis=0))
    a, b, c, d = (around[NEAR + k] for k in (-2, -1, 1, 2))
    from_cubic = np.abs(x - (4 * (b + c) - a - d) / 6)
    wide = np.pad(from_cubic, ((1, 1), (0, 0)))
    most = (from_cubic >= wide[:-2]) & (from_cubic >= wide[2:])
    scales = [np.maximum(FAR * MEDIAN * np.median(y, axis=0), least) for y in (from_median, from_cubic)]
    found: Flags = most & (from_median > scales[0]) & (from_cubic > scales[1])
    return found


def _interpolated(t: Array, x: Array, flags: Flags) -> Array:
    found = x.copy()
    found[flags] = CubicSpline(t[~flags], x[~flags])(t[flags])
    return found
