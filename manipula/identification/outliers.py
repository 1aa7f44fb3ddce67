"""Samples that jump away from their neighbours: spikes of a bus, lost samples that a recorder filled with zeros.

A filter would draw one over its whole memory, so they are found before, each channel by its own scale (F. R. Hampel,
"The influence curve and its role in robust estimation", Journal of the American Statistical Association 69, 1974): the
distance of a sample from what its neighbours predict, against these distances of the whole channel. Neighbours may be
outliers as well, so that several sets of them predict: a sample is one when all sets but one contradict it. A step of
friction or a torque at its limit agrees with one side, a turning point with both. What is found is interpolated, with
a note.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from manipula.messages import Message
from manipula.recordings.log import Log

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
SETS = ((-3, -2, -1), (1, 2, 3), (-2, -1), (1, 2), (-2, -1, 1, 2), (-3, -2, 2, 3), (-3, -1, 1, 3))  # of neighbours
BEFORE, AFTER = slice(0, 4, 2), slice(1, 4, 2)  # of these, those of one side
NEAR = 3  # samples on each side
AGREE = 1  # the place, in order, of the distance that counts: one set may agree by chance
FAR = 12.0  # standard deviations of a sample about its prediction
TURNS = 8  # outliers beside each other hide each other, and make what is between them look like one
RARE = 0.03  # of the samples: what is more often is no outlier
SIGMAS = ((0.5, 0.6745), (0.95, 1.96))  # quantiles of |x|, and where a normal distribution has them


@dataclass(frozen=True)
class Kind:
    """A channel in words, and what it may do."""

    word: str
    least: float  # of its range: a smaller jump does little harm
    steps: bool  # from one sample to the next but one


KINDS = {"q": Kind("position", 1e-3, steps=False), "tau": Kind("torque", 0.2, steps=True)}  # q is differenced twice


def without_outliers(log: Log) -> Log:
    """The log with such samples interpolated; itself where there are none."""
    changed: dict[str, Any] = {}
    notes: list[Message] = []
    for name, kind in KINDS.items():
        value = getattr(log, name)
        if value is None or value.ndim != 2 or len(value) < 4 * NEAR:
            continue
        flags = outliers(value, kind)
        for j in np.flatnonzero(flags.any(axis=0)):
            changed.setdefault(name, value.copy())[:, j] = _interpolated(log.t, value[:, j], flags[:, j])
            notes.append(
                Message(
                    "{joint}: {count} samples of its {what} jump away from their neighbours, the first at "
                    "{time:.5g} s; interpolated",
                    log.names[j],
                    int(flags[:, j].sum()),
                    Message(kind.word),
                    float(log.t[np.argmax(flags[:, j])]),
                )
            )
    if not changed:
        return log
    changed |= {name: None for name in ("qd", "qdd") if "q" in changed}  # recorded beside positions that were lost
    return replace(log, **changed).with_notes(notes)


def outliers(x: Array, kind: Kind) -> Flags:
    """(time, n): a channel with many of them is given up."""
    return np.stack([_channel(column, kind) for column in x.T], axis=1)  # one by one: a recording may be long


def _channel(x: Array, kind: Kind) -> Flags:
    low, high = np.quantile(x, [0.01, 0.99])
    none = np.zeros(len(x), bool)
    if not high > low:
        return none
    places, found, mended = np.arange(len(x), dtype=float), none, x
    for _ in range(TURNS):
        again = _jumps(x, mended, kind, float(high - low))
        if np.array_equal(again, found):
            break
        if again.mean() > 0.5:  # nothing to interpolate from
            return none
        found, mended = again, _interpolated(places, x, again)
    return found if found.mean() <= RARE else none


def _jumps(x: Array, mended: Array, kind: Kind, usual: float) -> Flags:
    """Samples far from what their neighbours, mended so far, predict; `usual` is the range of the channel."""
    size, least = len(x), kind.least * usual
    padded = np.pad(mended, NEAR, mode="edge")
    near = {k: padded[NEAR + k : NEAR + k + size] for k in range(-NEAR, NEAR + 1)}
    distances = np.stack([np.abs(x - sum(w * near[k] for k, w in _weights(offsets))) for offsets in SETS])
    distance = np.partition(distances, AGREE, axis=0)[AGREE]
    if kind.steps:  # a sample on its way from one level to another is not one
        one, other = (np.median([near[side * k] for k in (1, 2, 3)], axis=0) for side in (-1, 1))
        distance = np.minimum(distance, np.abs(x - np.clip(x, np.minimum(one, other), np.maximum(one, other))))
    found = _far(distance, least)
    for end, sets in ((slice(NEAR), AFTER), (slice(-NEAR, None), BEFORE)):  # where only one side predicts,
        # a step of friction looks like an outlier, and is smaller than what the channel does anyway
        found[end] = _far(distances[sets].min(axis=0), usual if kind.steps else least)[end]
    return found


def _far(distance: Array, least: float) -> Flags:
    scale = max(float(np.quantile(distance, part)) / normal for part, normal in SIGMAS)
    found: Flags = distance > max(FAR * scale, least)
    return found


def _weights(offsets: tuple[int, ...]) -> list[tuple[int, float]]:
    """Of Lagrange's polynomial through samples there, at 0."""
    return [(a, float(np.prod([b / (b - a) for b in offsets if b != a]))) for a in offsets]


def _interpolated(t: Array, x: Array, flags: Flags) -> Array:
    found = x.copy()
    found[flags] = CubicSpline(t[~flags], x[~flags])(t[flags])
    return found
