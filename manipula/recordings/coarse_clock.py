"""Stamps with too few digits: a clock that ticks every 10 ms beside samples every 4 ms, or whole seconds.

Samples between two ticks have the same stamp. While none is lost, stamp − k·h of the k-th sample stays within one tick
of a constant, h being the true step. A stretch ends where that band is left: samples were lost, or the recorder paused.
Within a stretch samples are even; the stamps give its place in time. Where in the last tick samples were lost is for
the positions to say: there they step farthest.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SLACKS = (1.05, 1.5, 2.5)  # ticks: the width of the band; more where the clock itself jitters
LEAST = 50  # samples of a stretch, on the average: with shorter ones anything is even
TICKS = 20  # with fewer the rate is not known to a per cent
TURNS = 4  # the step is found from stretches, and they by the step
LOST = np.linspace(1.0, 0.95, 41)  # the step, in parts of the mean one: lost samples make that too long
WINDOW = 1024  # samples that are looked at first for the end of a stretch


def times_between_ticks(t: Array, q: Array) -> Array | None:
    """Even times within stretches, rising throughout; None where the stamps are not those of such a clock."""
    ticks = np.unique(t)
    if len(ticks) < TICKS:
        return None
    tick = float(np.median(np.diff(ticks)))
    for slack in SLACKS:
        found = _counted(t, q, tick, slack * tick)
        if found is not None:
            return found
    return None


def _counted(t: Array, q: Array, tick: float, width: float) -> Array | None:
    number = np.arange(len(t), dtype=float)
    cuts = [0, *(1 + np.flatnonzero(np.diff(t) > 1.5 * tick + width)), len(t)]
    mean = _pooled_step(t, number, cuts)
    step = min(mean * LOST, key=lambda x: len(_stretches(t - x * number, width)))
    for _ in range(TURNS):
        cuts = _stretches(t - step * number, width)
        if len(t) < LEAST * (len(cuts) - 1) or step <= 0:
            return None
        step = _pooled_step(t, number, cuts)
    cuts = sorted({0, *(_lost_before(q, cut, round(tick / step)) for cut in cuts[1:-1]), len(t)})
    places = np.repeat([_middle((t - step * number)[a:b], tick) for a, b in pairwise(cuts)], np.diff(cuts))
    found = step * number + places
    return found if (np.diff(found) > 0).all() else None


def _middle(off: Array, tick: float) -> float:
    """Of the band of a stretch. A clock that floors fills a tick evenly: its ends say more than the mean, of which the
    ticks that a stretch has in part take a share. Where the clock jitters the ends are its worst stamps."""
    low, high = float(off.min()), float(off.max())
    return (low + high) / 2 if high - low <= SLACKS[0] * tick else float(off.mean())


def _pooled_step(t: Array, number: Array, cuts: list[int]) -> float:
    """The slope of stretches that have it in common."""
    above = below = 0.0
    for a, b in pairwise(cuts):
        x = number[a:b] - number[a:b].mean()
        above, below = above + float(x @ t[a:b]), below + float(x @ x)
    return above / max(below, 1e-300)


def _stretches(off: Array, width: float) -> list[int]:
    """Where stretches begin, and the end: in each, the numbers stay within a band so wide."""
    cuts = [0]
    while cuts[-1] < len(off) and LEAST * (len(cuts) - 1) <= len(off):  # more of them are of no use
        size = WINDOW
        while True:
            part = off[cuts[-1] : cuts[-1] + size]
            wide = np.flatnonzero(np.maximum.accumulate(part) - np.minimum.accumulate(part) > width)
            if len(wide) or cuts[-1] + size >= len(off):
                break
            size *= 2
        cuts.append(cuts[-1] + (int(wide[0]) if len(wide) else len(part)))
    return cuts


def _lost_before(q: Array, cut: int, ticks: int) -> int:
    """The sample, at most a tick before a cut, with the step of positions that is least like those beside it."""
    first = max(cut - ticks, 2)
    steps = np.diff(q[first - 2 : cut + 2], axis=0)
    odd = np.abs(steps[1:-1] - 0.5 * (steps[:-2] + steps[2:])) / np.maximum(np.ptp(q, axis=0), 1e-300)
    return first + int(odd.sum(axis=1).argmax()) if len(odd) else cut
