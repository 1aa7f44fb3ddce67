"""Samples that jump away from their neighbours: spikes of a bus, lost samples that a recorder filled with zeros.

A filter would draw one over its whole memory, so they are found before, each channel by its own scale: the distance of
a sample from the median of its neighbourhood, against the median of these distances (F. R. Hampel, "The influence curve
and its role in robust estimation", Journal of the American Statistical Association 69, 1974). A step of friction or a
torque at its limit lasts, and is none. What is found is interpolated, with a note.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from manipula.messages import Message
from manipula.recordings.log import Log

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
NEAR = 3  # samples on each side
FAR = 12.0  # standard deviations of a sample about its neighbours
LEAST = 0.05  # of a channel's range: a smaller jump does no harm
RARE = 0.03  # of the samples: what is more often is no outlier
MEDIAN = 1.4826  # of the median of |x|: σ of a normal distribution
KINDS = {"q": "position", "tau": "torque"}


def without_outliers(log: Log) -> Log:
    """The log with such samples interpolated; itself where there are none."""
    changed: dict[str, Array] = {}
    notes: list[Message] = []
    for name, word in KINDS.items():
        value = getattr(log, name)
        if value is None or value.ndim != 2 or len(value) < 4 * NEAR:
            continue
        flags = outliers(value)
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
    rates = {name: None for name in ("qd", "qdd") if "q" in changed and getattr(log, name) is not None}
    return replace(log, **changed, **rates).with_notes(notes)


def outliers(x: Array) -> Flags:
    """(time, n): a channel with many of them has none."""
    padded = np.pad(x, ((NEAR, NEAR), (0, 0)), mode="reflect", reflect_type="odd")
    around = np.stack([padded[k : k + len(x)] for k in range(2 * NEAR + 1)])
    away = np.abs(x - np.median(around, axis=0))
    scale = MEDIAN * np.median(away, axis=0)
    low, high = np.quantile(x, [0.01, 0.99], axis=0)
    found: Flags = away > np.maximum(FAR * scale, LEAST * (high - low))
    found[:, ~(high > low)] = False
    found[:, found.mean(axis=0) > RARE] = False
    return found


def _interpolated(t: Array, x: Array, flags: Flags) -> Array:
    found = x.copy()
    found[flags] = CubicSpline(t[~flags], x[~flags])(t[flags])
    return found
