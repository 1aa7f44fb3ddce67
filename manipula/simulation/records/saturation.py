"""Motors at their limit: torques that stay at their own largest value while the arm moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
LEAST = 3  # equal samples in a row
CROWD = 5.0  # times as many samples at the extreme as at the value next to it: a coarse sensor has them at any peak


def flat_extremes(tau: Array, q: Array) -> NDArray[np.bool_]:
    """Samples, shaped as `tau`, that stay for a while at their joint's largest or smallest torque.

    An arm at rest has equal torques, too: without motion nothing is at its limit.
    """
    found = np.zeros(tau.shape, bool)
    for row in np.ndindex(tau.shape[:-2]):
        still = np.concatenate([[True], (np.diff(q[row], axis=0) == 0).all(axis=-1)])
        for j in range(tau.shape[-1]):
            found[(*row, slice(None), j)] = _flat(tau[(*row, slice(None), j)], still)
    return found


def _flat(x: Array, still: NDArray[np.bool_]) -> NDArray[np.bool_]:
    found = np.zeros(len(x), bool)
    values, counts = np.unique(x, return_counts=True)
    if len(values) < 3:
        return found
    for extreme, beside in ((-1, -2), (0, 1)):
        if values[extreme] != 0 and counts[extreme] >= max(LEAST, CROWD * counts[beside]):
            found |= _long_runs((x == values[extreme]) & ~still)
    return found


def _long_runs(flag: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Where a flag is set at least `LEAST` times in a row."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flag, [False]]).astype(np.int8)))
    found = np.zeros(len(flag), bool)
    for first, last in zip(edges[::2], edges[1::2]):
        found[first:last] = last - first >= LEAST
    return found
