"""Which of many rows no other beats: the Pareto front.

One row dominates another if it is nowhere worse and somewhere better. V. Pareto's set is what nothing dominates; equal
rows do not dominate each other, and stand in it together.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bits = NDArray[np.bool_]


def non_dominated(values: Array) -> Bits:
    """(rows, objectives), each the better the less → which rows nothing dominates. A row with a NaN is none of them."""
    found = np.zeros(len(values), dtype=bool)
    known = np.flatnonzero(~np.isnan(values).any(-1))
    if not len(known):
        return found
    distinct, places = np.unique(values[known] + 0.0, axis=0, return_inverse=True)  # no −0
    best = _BY_COUNT.get(distinct.shape[1], _by_pruning)(distinct)
    found[known] = best[places.reshape(-1)]
    return found


# of distinct rows in the order of a dictionary: what dominates a row stands before it


def _first(rows: Array) -> Bits:
    return np.asarray(np.arange(len(rows)) == 0)


def _by_least(rows: Array) -> Bits:
    """Two objectives: the second is less than in all rows before."""
    before = np.concatenate([[np.inf], np.minimum.accumulate(rows[:-1, 1])])
    return np.asarray((rows[:, 1] < before) | (np.arange(len(rows)) == 0))


def _by_staircase(rows: Array) -> Bits:
    """Three: of the rows before, the front in the last two, kept in order. H. T. Kung, F. Luccio and F. P. Preparata,
    "On finding the maxima of a set of vectors", Journal of the ACM 22 (1975)."""
    ys, zs, found = list[float](), list[float](), np.zeros(len(rows), dtype=bool)
    for row, (_, y, z) in enumerate(rows.tolist()):
        at = bisect_right(ys, y)  # those before it have no larger y, and the last of them the least z
        if at and zs[at - 1] <= z:
            continue
        found[row] = True
        first = bisect_left(ys, y)
        last = first
        while last < len(zs) and zs[last] >= z:
            last += 1
        ys[first:last], zs[first:last] = [y], [z]
    return found


def _by_pruning(rows: Array) -> Bits:
    """Any number: the first of those left is one of the front, and what it dominates goes."""
    left, found = np.arange(len(rows)), np.zeros(len(rows), dtype=bool)
    while len(left):
        found[left[0]] = True
        left = left[(rows[left] < rows[left[0]]).any(-1)]
    return found


_BY_COUNT: dict[int, Callable[[Array], Bits]] = {1: _first, 2: _by_least, 3: _by_staircase}
