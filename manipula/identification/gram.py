"""Gram matrices: all that least squares needs of a log, however long it is.

Of every block b of the time and every joint j, over the block's rows,  G = Σ [Y_j τ_j]ᵀ [Y_j τ_j]:  the squares of any
weighted, regularised or constrained fit, and of its error on any block, follow from them without the log.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Grams:
    """`gram` (blocks, n, p + 1, p + 1), the torque last; `rows` (blocks, n): how many samples stand behind each."""

    gram: Array
    rows: Counts

    @property
    def blocks(self) -> int:
        return len(self.gram)

    def subset(self, places: NDArray[np.intp]) -> Grams:
        """With these columns alone."""
        kept = np.append(places, self.gram.shape[-1] - 1)
        return Grams(self.gram[..., kept[:, None], kept], self.rows)

    def normal(self, weights: Array | None = None, blocks: Array | None = None) -> tuple[Array, Array, float]:
        """(A, b, c) of the weighted sum of squares θᵀAθ − 2bᵀθ + c; `weights` (n,) are 1/σ²."""
        gram = self.gram if blocks is None else self.gram[blocks]
        whole = np.einsum("bjxy,j->xy", gram, np.ones(gram.shape[1]) if weights is None else np.asarray(weights))
        return whole[:-1, :-1], whole[:-1, -1], float(whole[-1, -1])

    def squares(self, theta: Array) -> Array:
        """(blocks, n): Σ (τ − Yθ)² of every block and joint."""
        found: Array = np.einsum("x,bjxy,y->bj", vector := np.append(-np.asarray(theta, float), 1.0), self.gram, vector)
        return np.maximum(found, 0.0)

    def error(self, theta: Array) -> float:
        """100·‖τ − Yθ‖/‖τ‖ over all blocks and joints."""
        whole = float(self.gram[..., -1, -1].sum())
        return 100 * float(np.sqrt(self.squares(theta).sum() / whole)) if whole > 0 else np.nan


class Accumulator:
    """Sums rows into Gram matrices; memory is that of the result."""

    def __init__(self, blocks: int, joints: int, columns: int) -> None:
        self._gram = np.zeros((blocks, joints, columns + 1, columns + 1))
        self._rows = np.zeros((blocks, joints), dtype=np.int64)

    def add(self, block: int, joint: int, places: NDArray[np.intp], rows: Array) -> None:
        """Rows [Y τ] of a joint, `places` the columns that Y has."""
        kept = np.append(places, self._gram.shape[-1] - 1)
        self._gram[block, joint][np.ix_(kept, kept)] += rows.T @ rows
        self._rows[block, joint] += len(rows)

    @property
    def grams(self) -> Grams:
        return Grams(self._gram, self._rows)
