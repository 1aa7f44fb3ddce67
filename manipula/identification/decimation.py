"""Filtered columns from fewer samples than were recorded: the same low-pass filter, read on a coarser grid.

A zero-phase low-pass filter F with impulse response h leaves next to nothing above a few times its cut-off f_c. So

    (F x)(t) = Δ Σ_k h(kΔ) x(t + kΔ)

holds on any grid Δ that is fine enough for x itself: h read at multiples of Δ has the response of F up to what F leaves
beyond 1/Δ − f, which is (f_c Δ)⁸. Inertial columns are smooth along filtered positions: twenty samples for a period of
the cut-off are enough. Edges of dry friction are not: their columns are read eight times as often, where the recording
has so many samples. Only rows that are kept are computed, as products with a banded matrix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from manipula.recordings.log import Log
from manipula.recordings.words import MEASURED_NAMES, WANTED_NAMES

Array = NDArray[np.float64]
Indexes = NDArray[np.intp]
ORDER = 4
SMOOTH = 4  # coarse samples for every row kept: of those there are five a period, and twenty samples
EDGES, LONG_EDGES = 8, 4  # fine samples for every coarse one; of recordings that are thinned first
BLOCK = 128  # rows computed at once
BAND = 8  # rows of one product: fewer would read columns more often, more would multiply with more zeros
SMALL = 2**18  # products beyond which BLAS starts threads, whose waiting costs more than such a product
CORNER = 0.3  # of the rate that is left: the cut-off of a filter is far below, what would fold onto it far above
VANISHED = 1e-13  # of a transient, where a signal may end
FORGOTTEN = 1e-9  # what is left of a transient where the impulse response is cut off


class Strides(NamedTuple):
    """Every how many recorded samples columns with edges are read, smooth ones, and a row is kept."""

    fine: int
    coarse: int
    kept: int


def strides_for(raw: int, finer: float) -> Strides:
    """`raw` is how many samples there may be between two rows kept; `finer` how much wider the positions' band is than
    the filter's. Each stride is a multiple of the one before, so that all grids meet at the rows kept."""
    rows = int(np.ceil(SMOOTH * max(finer, 1.0)))
    coarse = raw // rows
    if coarse < 2:
        return Strides(1, 1, raw)
    fine = max(1, coarse // EDGES)
    coarse -= coarse % fine
    return Strides(fine, coarse, rows * coarse)


def memory(rate: float, cutoff: float, left: float) -> int:
    """Samples after which no more than this part of a transient is left: the slowest pole is −ωc·sin(π/2n)."""
    return int(np.ceil(-np.log(left) / (2 * np.pi * cutoff * np.sin(np.pi / (2 * ORDER))) * rate))


class Window(NamedTuple):
    """What a block of rows kept is made from, on one grid: a signal goes on beyond the ends of the stretch by its point
    reflection, so a place there has its `sample` within, and a sign."""

    matrix: Array  # of `BAND` rows, the same for one band of them after the other
    blocks: int
    rows: int
    places: Indexes
    samples: Indexes
    before: Array  # one where a place lies before the first sample
    behind: Array  # one where it lies behind the last

    def at(self, other: Window, x: Array) -> Array:
        """Values (samples, n) at the samples of another window of the same rows, on lines between those of this one."""
        return np.stack([np.interp(other.places, self.places, column) for column in x.T], axis=1)

    def filter_rows(self, x: Array, ends: Array) -> Array:
        """The rows kept, of columns (places, k) and their values at the first and the last sample of the stretch."""
        if self.before.any() or self.behind.any():  # 2·end − x in place of x
            beyond = self.before + self.behind
            x = x * (1 - 2 * beyond)[:, None]
            x += 2 * (self.before[:, None] * ends[0] + self.behind[:, None] * ends[1])
        x = np.ascontiguousarray(x)
        size, width = self.matrix.shape
        advance = (len(x) - width) // max(self.blocks - 1, 1)
        found = np.empty((self.blocks, size, x.shape[1]))
        step = max(1, SMALL // self.matrix.size)
        for first in range(0, x.shape[1], step):
            part = x[:, first : first + step]
            shape, strides = (self.blocks, width, part.shape[1]), (advance * x.strides[0], *x.strides)
            found[..., first : first + step] = self.matrix @ as_strided(part, shape, strides, writeable=False)
        return found.reshape(self.blocks * size, x.shape[1])[: self.rows]


class GridColumns(NamedTuple):
    """Columns of every joint on the grid of a window, and at both ends of the stretch."""

    window: Window
    values: list[Array]
    ends: list[Array]

    def filter_values(self) -> list[Array]:
        return [self.window.filter_rows(x, end) for x, end in zip(self.values, self.ends)]

    def torques(self, theta: Sequence[Array]) -> Array:
        """(rows, n), every joint's columns times its own parameters."""
        inside, ends = (np.stack([x @ y for x, y in zip(all_, theta)], axis=1) for all_ in (self.values, self.ends))
        return self.window.filter_rows(inside, ends)


def windows(length: int, rate: float, cutoff: float, kept: int, stride: int) -> Iterator[tuple[Indexes, Window]]:
    """Block after block the rows kept, and what they are made from on the grid of this stride."""
    kernel = impulse_response(rate, cutoff, stride)
    reach, ratio, last = len(kernel) // 2, kept // stride, length - 1
    band = np.zeros((BAND, (BAND - 1) * ratio + len(kernel)))
    for k in range(BAND):
        band[k, k * ratio : k * ratio + len(kernel)] = kernel
    rows = np.arange(0, length, kept)
    for first in range(0, len(rows), BLOCK):
        block = rows[first : first + BLOCK]
        bands = -(-len(block) // BAND)
        places = block[0] + stride * (np.arange((bands * BAND - 1) * ratio + len(kernel)) - reach)
        before, behind = (places < 0).astype(float), (places > last).astype(float)
        inside = np.clip(np.where(places > last, 2 * last - places, np.abs(places)), 0, last)
        yield block, Window(band, bands, len(block), places, inside, before, behind)


@lru_cache(maxsize=64)
def impulse_response(rate: float, cutoff: float, stride: int) -> Array:
    """Of the filter forth and back, at multiples of the stride; its sum is one, so that what is constant stays."""
    reach = stride * (memory(rate, cutoff, FORGOTTEN) // stride + 1)
    half = fast_length(4 * reach) // 2
    whole = np.roll(np.fft.irfft(response(np.linspace(0.0, rate / 2, half + 1), rate, cutoff), 2 * half), reach)
    found = whole[: 2 * reach + 1 : stride]
    return np.asarray(found / found.sum(), float)


def response(frequencies: NDArray[np.floating[Any]], rate: float, cutoff: float) -> Array:
    """Of Butterworth's filter forth and back, in discrete time: 1/(1 + (tan(πf/r)/tan(πf_c/r))²ⁿ), without phase."""
    with np.errstate(over="ignore"):
        ratio = np.tan(np.pi * np.minimum(frequencies, rate / 2) / rate) / np.tan(np.pi * cutoff / rate)
        return np.asarray(1 / (1 + np.abs(ratio) ** (2 * ORDER)))


def zero_phase(x: Array, rate: float, cutoff: float) -> Array:
    """Filtered along the first axis. A signal is continued beyond its ends by its point reflection for as long as the
    filter remembers, and then as it is there; so what a transform takes for one period never meets itself."""
    reach = memory(rate, cutoff, VANISHED)
    inside = min(reach, len(x) - 1)
    before, behind = 2 * x[0] - x[inside:0:-1], 2 * x[-1] - x[-2 : -inside - 2 : -1]
    rest = fast_length(len(x) + 2 * inside + (2 * reach if inside < reach else 0)) - len(x) - 2 * inside
    left, right = rest // 2, rest - rest // 2
    edges = [np.repeat(before[:1], left, axis=0), before, x, behind, np.repeat(behind[-1:], right, axis=0)]
    whole = np.concatenate(edges)
    spectrum = np.fft.rfft(whole, axis=0)
    shape = (-1, *(1,) * (x.ndim - 1))
    frequencies = np.arange(len(spectrum), dtype=float) * (rate / len(whole))
    spectrum *= response(frequencies, rate, cutoff).reshape(shape)
    found: Array = np.fft.irfft(spectrum, len(whole), axis=0)[left + inside : left + inside + len(x)]
    return found


def fast_length(least: int) -> int:
    """An even length, no shorter, that a fast transform likes: 2, 4, 3 or 5 times a power of two."""
    power = 1 << max(least - 1, 1).bit_length()
    return next(size for size in (5 * power // 8, 3 * power // 4, power) if size >= least and size % 2 == 0)


def reach_of(rate: float, cutoff: float, strides: Strides) -> int:
    """The samples on each side that a row is made from, at most: a stretch must be longer."""
    return memory(rate, cutoff, FORGOTTEN) + strides.coarse


# The ends of a motion, which goes on beyond them.

FEWEST = 5  # samples that tell a curvature


def quintic_between_ends(q: Array, many: int) -> Array:
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


# Long recordings at as many samples as columns with edges are read at, before anything else is made of them.

_thin: WeakKeyDictionary[Log, dict[int, Log]] = WeakKeyDictionary()  # a fit gathers a recording several times


def thin_log(part: Log, stride: int) -> Log:
    """Every so many samples of a stretch, without what they would fold back."""
    known = _thin.setdefault(part, {})
    if stride not in known:
        given = {name: getattr(part, name) for name in (*MEASURED_NAMES, *WANTED_NAMES)}
        arrays: dict[str, Any] = {name: _thin_rows(x, part.rate, stride) for name, x in given.items() if x is not None}
        state = {name: _thin_rows(x, part.rate, stride) for name, x in part.state.items() if x.ndim == 2}
        known[stride] = Log(part.t[::stride], **arrays, state=state, source=part.source, notes=part.notes)
    return known[stride]


def _thin_rows(x: Array, rate: float, stride: int) -> Array:
    """One column after the other, for they are long."""
    return np.stack([zero_phase(column, rate, CORNER * rate / stride)[::stride] for column in x.T], axis=1)


def thin_flags(flags: NDArray[np.bool_], stride: int) -> NDArray[np.bool_]:
    """One flag for every so many, set where any of them is."""
    missing = -len(flags) % stride
    whole = np.concatenate([flags, np.zeros((missing, flags.shape[1]), bool)])
    return np.asarray(whole.reshape(-1, stride, flags.shape[1]).any(axis=1))
