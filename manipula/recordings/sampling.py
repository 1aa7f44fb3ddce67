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

from manipula.messages import Message, join_messages

Array = NDArray[np.float64]
GAP = 5.5  # steps as long as those around: a few lost samples can be bridged, more cannot
NEAR = 5  # steps around one that say how long steps are here
SIDE = 16  # steps on each side that say whether the rate changes
LASTING = 64  # samples: another rate that ends sooner is a pause of the recorder
OTHER_RATE = 1.5
BRIDGED = 0.02  # s: an arm moves on smoothly through a gap that short, whatever its recorder's rate
SHORTEST = 8  # samples: what is shorter shows nothing
CROWDED = 0.2  # of a step: samples that near are one
PART, AROUND = 1 << 15, 100  # samples of one spline, and those around it


class Even(NamedTuple):
    """Which rows are used (None: all), their times, the even times they shall have, and what to say of it.

    Times that are `wanted` already need no interpolation.
    """

    rows: NDArray[np.intp] | None
    given: Array
    wanted: Array
    sentence: str


def pieces(t: Array, bridge: float = BRIDGED) -> list[slice]:
    """Stretches with one rate and without a gap longer than `bridge` seconds, in order; they hold all samples."""
    steps = np.diff(t)
    whole = np.concatenate([[0], 1 + np.flatnonzero(gaps(steps) & (steps > bridge)), [len(t)]])
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
    usual = _medians(around, NEAR)
    return np.asarray(steps > GAP * np.maximum(usual[: len(steps)], usual[NEAR + 1 :]))


def changes(steps: Array) -> list[int]:
    """Samples with which another rate begins, and lasts.

    Both the mean and the median of the steps must jump there. A pause with samples that come quickly behind it leaves
    the median as it was, times rounded to a few digits leave the mean.
    """
    n = len(steps)
    if n < 2 * SIDE or steps.max() < OTHER_RATE * steps.min():
        return []
    total = np.concatenate([[0.0], np.cumsum(steps)])
    at, usual = np.arange(SIDE, n - SIDE + 1), _medians(steps, SIDE)
    means = np.abs(np.log((total[at + SIDE] - total[at]) / (total[at] - total[at - SIDE])))
    jump = np.where(np.abs(np.log(usual[at] / usual[at - SIDE])) > np.log(OTHER_RATE), means, 0.0)
    found: list[int] = []
    while jump.max() > np.log(OTHER_RATE):
        k = int(jump.argmax())
        found.append(int(at[k]))
        jump[max(k - SIDE, 0) : k + SIDE + 1] = 0.0
    return _lasting(steps, sorted(found))


def _lasting(steps: Array, cuts: list[int]) -> list[int]:
    """Without changes that are taken back soon, and those between stretches whose steps are alike on the whole."""
    while cuts:
        edges = [0, *cuts, len(steps)]
        usual = [np.log([np.median(steps[a:b]), np.mean(steps[a:b])]) for a, b in pairwise(edges)]
        other = [bool((np.abs(y - x) > np.log(OTHER_RATE)).all()) for x, y in pairwise(usual)]
        short = [k for k in range(1, len(usual) - 1) if edges[k + 1] - edges[k] < LASTING
                 and (np.abs(usual[k + 1] - usual[k - 1]) < np.log(OTHER_RATE)).any()]  # fmt: skip
        gone = {short[0] - 1, short[0]} if short else {other.index(False)} if not all(other) else set[int]()
        if not gone:
            break
        cuts = [cut for k, cut in enumerate(cuts) if k not in gone]
    return cuts


def _medians(x: Array, width: int) -> Array:
    """Of so many entries each, one after the other, from the first on; by parts, for a long recording has many."""
    if len(x) < width:
        return np.zeros(0)
    rows, many = sliding_window_view(x, width), 1 << 16
    return np.concatenate([np.median(rows[k : k + many], axis=-1) for k in range(0, len(rows), many)])


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
    believed = Even(None, ideal, grid, _timestamp_note(off if off > exact else 0.0, line[0], lost))
    rising = bool((np.diff(number) > 0).all())
    if rising and off <= exact:
        return believed
    counted = counted_times(t)  # all samples are there: what wrote the stamps paused, and caught up
    stamped, steady = roughness(t, q), roughness(counted, q)
    if rising and roughness(ideal, q) <= min(stamped, steady):
        return believed
    if steady < stamped:
        late = float(np.abs(t - counted).max())
        return Even(None, counted, counted, _timestamp_note(late, counted[1] - counted[0], 0))
    rows = _apart(t, CROWDED * step)
    grid = t[0] + step * np.arange(int((t[-1] - t[0]) / step * (1 + 1e-12)) + 1)
    said = Message(
        "samples come every {t_words} to {t_words2}: resampled at {said:.6g} Hz",
        t_words(np.diff(t).min()),
        t_words(np.diff(t).max()),
        1 / step,
    )
    return Even(rows, t[rows], grid, said)


def counted_times(t: Array) -> Array:
    """Even times for all samples, none being lost."""
    number = np.arange(len(t))
    return np.asarray(t[0] + np.polyval(np.polyfit(number, t - t[0], 1), number))


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
    return join_messages("; ", said)


def t_words(seconds: float) -> str:
    """A time as people say it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.4g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def moment(seconds: float) -> str:
    """A time of a file, to the millisecond: stamps that count from 1970 have ten digits before the point."""
    return f"{round(seconds, 3):.15g}"


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
    """Rows at other times, by a cubic spline; times on axis −2. Long recordings go by parts: what is a hundred samples
    away changes a spline by less than rounding does."""
    if given is wanted or np.array_equal(given, wanted):
        return x
    kind = "not-a-knot" if len(given) > 3 else "natural"
    from scipy.interpolate import CubicSpline

    found = []
    for first in range(0, len(given), PART):
        last = min(first + PART, len(given))
        here = slice(*np.searchsorted(wanted, (given[first], given[min(last, len(given) - 1)])))
        here = slice(0 if first == 0 else here.start, len(wanted) if last == len(given) else here.stop)
        near = slice(max(first - AROUND, 0), min(last + AROUND, len(given)))
        spline = CubicSpline(given[near], x[..., near, :], axis=-2, bc_type=kind)
        found.append(np.asarray(spline(wanted[here]), float))
    return np.concatenate(found, axis=-2)


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
            found.append(Message("a gap of {t_words} after {end} s", t_words(begin - end), moment(end)))
        else:
            found.append(
                Message(
                    "at {begin} s the rate changes from {left:.4g} to {right:.4g} Hz",
                    moment(begin),
                    1 / left,
                    1 / right,
                )
            )
    if len(stretches) > 4:
        found.append(Message("{count} gaps or changes of rate in all", len(stretches) - 1))
    return [*found, *_bridges(t, stretches)]


def _bridges(t: Array, stretches: Sequence[slice]) -> list[str]:
    """Of gaps that do not part stretches."""
    steps = np.diff(t)
    found = gaps(steps)
    found[[piece.start - 1 for piece in stretches[1:]]] = False
    at = np.flatnonzero(found)
    if not len(at):
        return []
    if len(at) == 1:
        return [Message("a gap of {t_words} after {end} s is bridged", t_words(steps[at[0]]), moment(t[at[0]]))]
    return [Message("{count} gaps of up to {t_words} are bridged", len(at), t_words(steps[at].max()))]
