"""Times of samples: where a recording has gaps, where its rate changes, and how to make its samples even.

Times that jitter are either true (the sample was taken late) or not (it was stamped late). The positions tell: a moving
joint is smooth in the times at which it was measured, so each sample is predicted from its four neighbours by a cubic
of Lagrange, once in the times as stamped and once in even ones, and the times that predict better are believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.messages import Message, joined

Array = NDArray[np.float64]
GAP = 5.5  # steps as long as those around: a few lost samples can be bridged, more cannot
NEAR = 5  # steps around one that say how long steps are here
SIDE = 16  # steps on each side that say whether the rate changes
OTHER_RATE = 1.5
SHORTEST = 8  # samples: what is shorter tells nothing
CROWDED = 0.2  # of a step: samples that near are one


class Even(NamedTuple):
    """Which rows are used (None: all), their times, the even times they shall have, and what to say of it.

    Times that are `wanted` already need no interpolation.
    """

    rows: NDArray[np.intp] | None
    given: Array
    wanted: Array
    sentence: str


def pieces(t: Array) -> list[slice]:
    """Stretches without a gap and with one rate, in order; together they are all samples."""
    steps = np.diff(t)
    whole = np.concatenate([[0], 1 + np.flatnonzero(gaps(steps)), [len(t)]])
    found = []
    for first, last in pairwise(whole):
        cuts = [first, *(first + k for k in changes(steps[first : last - 1])), last]
        found += [slice(int(a), int(b)) for a, b in pairwise(cuts)]
    return found


def gaps(steps: Array) -> NDArray[np.bool_]:
    """Steps much longer than the usual one before and the usual one behind."""
    if len(steps) < 2:
        return np.zeros(len(steps), bool)
    around = np.pad(steps, NEAR, constant_values=np.median(steps))
    usual = np.median(sliding_window_view(around, NEAR), axis=-1)
    return np.asarray(steps > GAP * np.maximum(usual[: len(steps)], usual[NEAR + 1 :]))


def changes(steps: Array) -> list[int]:
    """Samples with which another rate begins: the mean logarithm of the steps jumps there."""
    n = len(steps)
    if n < 2 * SIDE:
        return []
    total = np.concatenate([[0.0], np.cumsum(np.log(steps))])
    at = np.arange(SIDE, n - SIDE + 1)
    jump = np.abs((total[at + SIDE] - total[at]) - (total[at] - total[at - SIDE])) / SIDE
    found: list[int] = []
    while jump.max() > np.log(OTHER_RATE):
        k = int(jump.argmax())
        found.append(int(at[k]))
        jump[max(k - SIDE, 0) : k + SIDE + 1] = 0.0
    return sorted(found)


def even(t: Array, q: Array) -> Even:
    """Even times for a stretch without gaps."""
    step, number = _sample_numbers(t)
    line = np.polyfit(number, t - t[0], 1)
    ideal = t[0] + np.polyval(line, number)
    off = float(np.abs(t - ideal).max())
    exact = 1e-6 * line[0] + 8 * np.spacing(np.abs(t).max())
    lost = int(number[-1]) + 1 - len(t)
    if off <= exact and not lost:
        return Even(None, t, t, "")
    grid = t[0] + np.polyval(line, np.arange(number[-1] + 1))
    rising = bool((np.diff(number) > 0).all())
    if rising and (off <= exact or roughness(ideal, q) <= roughness(t, q)):
        return Even(None, ideal, grid, _timestamp_note(off if off > exact else 0.0, line[0], lost))
    rows = _apart(t, CROWDED * step)
    grid = t[0] + step * np.arange(int((t[-1] - t[0]) / step * (1 + 1e-12)) + 1)
    said = Message(
        "samples come every {t_words} to {t_words2}: resampled at {said:.6g} Hz",
        t_words(np.diff(t).min()),
        t_words(np.diff(t).max()),
        1 / step,
    )
    return Even(rows, t[rows], grid, said)


def _timestamp_note(off: float, step: float, lost: int) -> str:
    """What was believed: `off` is how far the times were from even ones."""
    said = []
    if off:
        said.append(
            Message(
                "times jitter by up to {t_words}, positions do not: samples are taken as even, {step:.6g} Hz",
                t_words(off),
                1 / step,
            )
        )
    if lost:
        said.append(
            Message(
                (
                    "{lost} single samples are missing and interpolated"
                    if lost > 1
                    else "{lost} single sample is missing and interpolated"
                ),
                lost,
            )
        )
    return joined("; ", said)


def t_words(seconds: float) -> str:
    """A time as people say it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.4g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _sample_numbers(t: Array) -> tuple[float, Array]:
    """The usual step, and every sample's number on an even grid: lost samples leave their numbers free."""
    steps = np.diff(t)
    number = np.concatenate([[0.0], np.cumsum(np.maximum(1.0, np.rint(steps / np.median(steps))))])
    for _ in range(3):
        slope, start = np.polyfit(number, t - t[0], 1)
        again = np.rint((t - t[0] - start) / slope)
        again -= again[0]
        if not (np.diff(again) > 0).all() or (again == number).all():
            break
        number = again
    return float(np.polyfit(number, t - t[0], 1)[0]), number


def roughness(t: Array, x: Array) -> float:
    """How badly samples are predicted by Lagrange's cubic through two neighbours on each side, over all columns."""
    if len(t) < 5:
        return 0.0
    places = (0, 1, 3, 4)
    around, here = [t[k : len(t) - 4 + k] for k in places], t[2:-2]
    miss = x[2:-2].copy()
    for a, k in enumerate(places):
        factors = [(here - around[b]) / (around[a] - around[b]) for b in range(4) if b != a]
        miss -= np.prod(factors, axis=0)[:, None] * x[k : len(x) - 4 + k]
    span = np.ptp(x, axis=0)
    return float(np.sum(np.mean(miss**2, axis=0)[span > 0] / span[span > 0] ** 2))


def _apart(t: Array, least: float) -> NDArray[np.intp]:
    """Samples at least so far apart: a spline through two that are nearly one swings."""
    kept = [0]
    for k in range(1, len(t)):
        if t[k] - t[kept[-1]] >= least:
            kept.append(k)
    return np.array(kept)


def interpolate_rows(given: Array, x: Array, wanted: Array) -> Array:
    """Rows at other times, by a cubic spline; times on axis −2."""
    if given is wanted or np.array_equal(given, wanted):
        return x
    kind = "not-a-knot" if len(given) > 3 else "natural"
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(given, x, axis=-2, bc_type=kind)(wanted), float)


def lowpass(x: Array, step: float, rate: float) -> Array:
    """Without what a lower rate would fold back: forward and backward, no delay; times on axis −2."""
    corner = 0.8 * rate * step  # of half the present rate
    if corner >= 1.0 or x.shape[-2] < 28:
        return x
    from scipy.signal import butter, sosfiltfilt  # half a second to load

    return np.asarray(sosfiltfilt(butter(4, corner, output="sos"), x, axis=-2, padlen=27), float)


def sampling_notes(t: Array, stretches: Sequence[slice]) -> list[str]:
    """What is to say of gaps and rates."""
    found = list[str]()
    for before, after in list(pairwise(stretches))[:3]:
        end, begin = t[before.stop - 1], t[after.start]
        left, right = (float(np.median(np.diff(t[piece]))) if piece.stop - piece.start > 1 else 0.0
                       for piece in (before, after))  # fmt: skip
        if begin - end > GAP * max(left, right):
            found.append(Message("a gap of {t_words} after {end:.6g} s", t_words(begin - end), end))
        else:
            found.append(
                Message(
                    "at {begin:.6g} s the rate changes from {left:.4g} to {right:.4g} Hz", begin, 1 / left, 1 / right
                )
            )
    if len(stretches) > 4:
        found.append(Message("{count} gaps or changes of rate in all", len(stretches) - 1))
    return found


# Rows that cannot be as they are: without numbers, out of order, twice at one time. Repaired and said, or refused.

MOST_MISSING = 0.2  # of the rows
MOST_TWICE = 0.05
LONG = 8  # rows in order: the clock went on from there
NEEDED = ("q", "tau")
LARGEST = 1e100  # a larger number is a damaged one, and its square none any more


class Rows:
    """Times and arrays with a row for each, while they are repaired; `said` tells what was."""

    def __init__(self, place: str, t: Array, arrays: dict[str, Array]) -> None:
        self.place, self.t, self.arrays = place, t, arrays
        self.said: list[str] = []

    def repair(self) -> Rows:
        for step in (self._empty_quantities, self._drop_missing, self._order, self._twice):
            step()
        if len(self.t) < 2:
            raise InputError(
                "{place}: {count} sample with numbers in it; nothing can be told from one", self.place, len(self.t)
            )
        return self

    def _keep(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> None:
        self.t = self.t[rows]
        self.arrays = {name: value[rows] for name, value in self.arrays.items()}

    def _empty_quantities(self) -> None:
        """What is beside the point, and mostly missing, is left out as a whole."""
        for name, value in list(self.arrays.items()):
            missing = _rows_without(value).mean()
            if missing == 1.0 and name != "q":
                del self.arrays[name]
                self.said.append(Message("{name} has no numbers and is left out", name))
            elif missing > MOST_MISSING and name not in NEEDED:
                del self.arrays[name]
                self.said.append(
                    Message("{name} is missing in {missing:.0f} % of the rows and is left out", name, 100 * missing)
                )

    def _drop_missing(self) -> None:
        found = {"t": ~(np.abs(self.t) < LARGEST)} | {name: _rows_without(value) for name, value in self.arrays.items()}
        bad = np.logical_or.reduce(list(found.values()))
        if not bad.any():
            return
        worst = max(found, key=lambda name: int(found[name].sum()))
        if bad.mean() > MOST_MISSING:
            raise InputError(
                "{place}: {many:.0f} % of the rows have no number somewhere, most of them in {worst}; at most "
                "{most_missing:.0f} % can be left out",
                self.place,
                100 * bad.mean(),
                worst,
                100 * MOST_MISSING,
            )
        self._keep(~bad)
        self.said.append(
            Message(
                (
                    "{bad} rows without a number in {worst} left out"
                    if bad.sum() > 1
                    else "{bad} row without a number in {worst} left out"
                ),
                int(bad.sum()),
                worst,
            )
        )

    def _order(self) -> None:
        """Rows out of place are sorted. A clock that jumps back is another recording, and no order can be told."""
        back = np.flatnonzero(np.diff(self.t) < 0)
        if not len(back):
            return
        order = np.argsort(self.t, kind="stable")
        if self._restarts(back, order) or _length(self.arrays["q"][order]) > _length(self.arrays["q"]):
            k = int(back[0])
            raise InputError(
                "{place}: the clock jumps back from {t:.6g} to {t2:.6g} s at row {k}: these are several "
                "recordings; cut the file there",
                self.place,
                self.t[k],
                self.t[k + 1],
                k + 2,
            )
        self._keep(order)
        self.said.append(Message("rows were not in the order of time ({count} stood too late): sorted", len(back)))

    def _restarts(self, back: NDArray[np.intp], order: NDArray[np.intp]) -> bool:
        """Do long stretches in order cover the same times? Sorted, rows come from one and the other by turns."""
        stretch = np.searchsorted(back, np.arange(len(self.t)), side="left")
        count = len(back) + 1
        turns = int((np.diff(stretch[order]) != 0).sum())
        return len(self.t) >= LONG * count and turns > 4 * count

    def _twice(self) -> None:
        """Equal rows are one, the few others of one time their mean."""
        same = np.diff(self.t) == 0
        if not same.any():
            return
        group = np.concatenate([[0], np.cumsum(~same)])
        firsts = np.flatnonzero(np.concatenate([[True], ~same]))
        table = np.hstack(list(self.arrays.values()))
        equal = (table == table[firsts][group]).all(axis=1)
        count, other = int(same.sum()), int((~equal).sum())
        if other > MOST_TWICE * len(self.t):
            each = len(self.t) / len(firsts)
            raise InputError(
                "{place}: {count} times stand twice, with other numbers, {each:.3g} rows a time: they have too "
                "few digits, or are of several recordings; if the samples are even, say rate=…, in Hz",
                self.place,
                count,
                each,
            )
        alike = np.logical_and.reduceat(equal, firsts)[:, None]
        size = np.bincount(group)[:, None]
        self.arrays = {
            name: np.where(alike, value[firsts], np.add.reduceat(value, firsts) / size)
            for name, value in self.arrays.items()
        }
        self.t = self.t[firsts]
        self.said.append(
            Message(
                (
                    (
                        "{count} times stand twice, with the same numbers"
                        if not other
                        else "{count} times stand twice, with other numbers, whose mean is taken"
                    )
                    if count > 1
                    else (
                        "{count} time stands twice, with the same numbers"
                        if not other
                        else "{count} time stands twice, with other numbers, whose mean is taken"
                    )
                ),
                count,
            )
        )


def _rows_without(value: Array) -> NDArray[np.bool_]:
    return np.asarray(~(np.abs(value) < LARGEST).all(axis=1))


def _length(q: Array) -> float:
    """Of the way through joint space."""
    return float(np.abs(np.diff(q, axis=0)).sum())
