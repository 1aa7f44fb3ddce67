"""What a covariance says: the matrix of its factors, and the combinations that a motion has shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SHARPER = 10.0  # times better known than at the start is what counts as shown
NOTHING = 0.02  # of a combination, in units of the first sigmas: left out when it is told


def covariance(factors: Any, sigma: Sequence[float]) -> Array:
    """P = U diag(sigma²/(1 + known)) Uᵀ, the factors column by column."""
    count = len(sigma)
    U, known, entries = np.eye(count), np.zeros(count), iter(np.asarray(factors, dtype=float))
    for k in range(count):
        U[:k, k] = [next(entries) for _ in range(k)]
        known[k] = next(entries)
    found: Array = (U * (np.square(sigma) / (1 + known))) @ U.T
    return found


def shown(P: Array, sigma: Sequence[float], names: Sequence[str]) -> tuple[str, ...]:
    """Combinations of the unknowns, each as short as elimination makes it; the last unknowns are told first."""
    scale = np.asarray(sigma, dtype=float)
    values, vectors = np.linalg.eigh(P / np.outer(scale, scale))
    rows = vectors[:, values < SHARPER**-2].T
    reduced = _reduced(rows[:, ::-1])[:, ::-1]
    return tuple(_told(row, scale, names) for row in reduced)


def _reduced(rows: Array) -> Array:
    """Gauss and Jordan, largest pivots of every column."""
    A, at = rows.copy(), 0
    for column in range(A.shape[1]):
        if at == len(A):
            break
        best = at + int(np.argmax(np.abs(A[at:, column])))
        if abs(A[best, column]) < NOTHING:
            continue
        A[[at, best]] = A[[best, at]]
        A[at] /= A[at, column]
        for other in range(len(A)):
            if other != at:
                A[other] -= A[other, column] * A[at]
        at += 1
    return A


def _told(row: Array, scale: Array, names: Sequence[str]) -> str:
    """w₁ θ₁ + w₂ θ₂ …, the leading unknown (the last) with weight 1."""
    weights = np.where(np.abs(row) < NOTHING * np.abs(row).max(), 0.0, row) / scale
    lead = max(k for k in range(len(row)) if weights[k])
    text = names[lead]
    for k in reversed(range(lead)):
        if weights[k]:
            share = weights[k] / weights[lead]
            text += f" {'−' if share < 0 else '+'} {abs(share):.3g}·{names[k]}"
    return text
