"""Which of many rows no other beats: the Pareto front.

One row dominates another if it is nowhere worse and somewhere better. V. Pareto's set is what nothing dominates; equal
rows do not dominate each other, and stand in it together.
"""

from __future__ import annotations

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
    best = np.zeros(len(distinct), dtype=bool)
    best[_best(distinct)] = True
    found[known] = best[places.reshape(-1)]
    return found


def _best(rows: Array) -> list[int]:
    """Of distinct rows in the order of a dictionary: what dominates a row stands before it, so that the first of those
    left is always one of the front."""
    left, found = np.arange(len(rows)), list[int]()
    while len(left):
        found.append(int(left[0]))
        left = left[(rows[left] < rows[left[0]]).any(-1)]
    return found
