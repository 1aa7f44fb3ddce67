"""Weighted normal equations from Gram matrices: all that a least-squares estimator sees of a recording.

Σ_j w_j ‖Y_j θ − τ_j‖² = θᵀA θ − 2 bᵀθ + c      A = Σ w_j Y_jᵀY_j      b = Σ w_j Y_jᵀτ_j      c = Σ w_j τ_jᵀτ_j
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array

from manipula.identification.data import Data, Grams
from manipula.identification.filters import RecordedMotion

Array = NDArray[np.float64]
Indexes = NDArray[np.intp]
TELLABLE = 1e-12  # of the Gram's eigenvalues, its columns at unit length: below, rounding has made them
QUIETEST = 1e-5  # of a joint's own torque: no motor is known better, and a simulation without noise has a weight, too


@dataclass(frozen=True)
class Normal:
    """θᵀA θ − 2 bᵀθ + c over `rows` rows."""

    A: Array
    b: Array
    c: float
    rows: int

    def __add__(self, other: Normal) -> Normal:
        return Normal(self.A + other.A, self.b + other.b, self.c + other.c, self.rows + other.rows)

    def __sub__(self, other: Normal) -> Normal:
        return Normal(self.A - other.A, self.b - other.b, self.c - other.c, self.rows - other.rows)

    def cost(self, theta: Array) -> float:
        return float(theta @ (self.A @ theta) - 2 * (self.b @ theta) + self.c)

    def subset(self, kept: Indexes) -> Normal:
        return Normal(self.A[np.ix_(kept, kept)], self.b[kept], self.c, self.rows)

    def in_coordinates(self, T: Array) -> Normal:
        """Of x where θ = T x. T has a block of every body and is zero elsewhere; threads of a dense product, of which a
        search needs thousands, would wait for each other far longer than they compute."""
        S = csr_array(T.T)
        A = S @ (S @ self.A).T
        return Normal((A + A.T) / 2, S @ self.b, self.c, self.rows)


@dataclass(frozen=True)
class Solved:
    """A least-squares solution, the shortest where many are as good, and what the data tell of it."""

    theta: Array
    inverse: Array  # pseudo-inverse of A
    seen: Array  # projector on what the data tell, θ's coordinates scaled by the lengths of the columns
    lengths: Array
    rank: int


def normal_from(grams: Grams, weights: Array, blocks: Indexes | slice = slice(None)) -> Normal:
    """The normal equations of some blocks."""
    total = np.einsum("j,bjkl->kl", weights, grams.gram[blocks])
    return Normal(total[:-1, :-1], total[:-1, -1], float(total[-1, -1]), int(grams.rows[blocks].sum()))


def solve_normal(normal: Normal) -> Solved:
    """By eigenvectors of A with its columns at unit length; what is rounding alone is left out."""
    lengths = np.sqrt(np.maximum(np.diag(normal.A), 0.0))
    scale = np.where(lengths > 0, 1 / np.where(lengths > 0, lengths, 1.0), 0.0)
    values, vectors = eigh(normal.A * np.outer(scale, scale))
    kept = values > TELLABLE * max(float(values[-1]), 0.0) if len(values) else values > 0
    V = vectors[:, kept]
    inverse = (V / values[kept]) @ V.T * np.outer(scale, scale)
    return Solved(inverse @ normal.b, inverse, V @ V.T, lengths, int(kept.sum()))


def joint_variances(grams: Grams, theta: Array) -> Array:
    """Mean square of each joint's residuals, from the Gram matrices; 0 of a joint without rows."""
    extended = np.append(theta, -1.0)
    squares = np.einsum("k,bjkl,l->j", extended, grams.gram, extended)
    rows = grams.rows.sum(0)
    # a small difference of large numbers: where the fit is perfect it may come out negative
    return np.asarray(np.maximum(squares, 0.0) / np.maximum(rows, 1))


def torque_squares(grams: Grams) -> Array:
    """Mean square of each joint's torque."""
    return np.asarray(grams.gram[:, :, -1, -1].sum(0) / np.maximum(grams.rows.sum(0), 1))


def weights_from(grams: Grams, theta: Array, unknowns: int = 0) -> Array:
    """w_j = 1/σ_j², residuals being smaller than noise by as many rows as there are unknowns; a joint without rows
    weighs nothing."""
    quiet, rows = QUIETEST**2 * torque_squares(grams), int(grams.rows.sum())
    # with few rows the correction would grow without end: twice is careful enough
    fitted = rows / (rows - unknowns) if rows > 2 * unknowns else 2.0
    variances = np.maximum(joint_variances(grams, theta) * fitted, quiet)
    return np.where(variances > 0, 1 / np.where(variances > 0, variances, 1.0), 0.0)


def even_weights(grams: Grams) -> Array:
    """Every joint alike in units of N·m (or N)."""
    return np.ones(grams.gram.shape[1])


def factor_of(normal: Normal) -> tuple[Array, Array]:
    """(R, z) with RᵀR = A and Rᵀz = b, so that ‖R x − z‖² differs from the squares by a constant alone."""
    values, vectors = eigh(normal.A)
    # by eigenvalues and not by Cholesky: what rounding has made of zeros is left out, of either sign
    kept = values > 1e-14 * max(float(values[-1]), 0.0)
    roots = np.sqrt(values[kept])
    V = vectors[:, kept]
    return (V * roots).T, (V.T @ normal.b) / roots


# The rows behind the Gram matrices, for estimators that must see them: chunk by chunk, joint by joint.


@dataclass(frozen=True)
class Chunk:
    """Rows of one joint that the fit takes; `places` are the columns, among those of the data, that Y has."""

    joint: int
    places: NDArray[np.intp]
    Y: Array
    tau: Array


@dataclass(frozen=True)
class Pair(Chunk):
    """With Z, the same columns along another motion."""

    Z: Array


Rows = Iterator[Chunk]
Places = list[NDArray[np.intp]]


def fit_rows(data: Data) -> Rows:
    """Filtered as the Gram matrices are; no more than a chunk is held."""
    kept, places = _own(data)
    for motion in data.source.motions:
        fitted, tau = data.source.rows_for_fit(motion), motion.smoother(motion.tau)
        for rows, values in data.source.filtered_chunks(motion, data.load):
            for j, found in enumerate(values):
                used = fitted[rows, j]
                yield Chunk(j, places[j], found[used][:, kept[j]], tau[rows[used], j])


def paired_rows(data: Data, others: Sequence[RecordedMotion]) -> Iterator[Pair]:
    """Beside the rows those of other motions at the same times, where both move."""
    kept, places = _own(data)
    for motion, other in zip(data.source.motions, others, strict=True):
        fitted, tau = data.source.rows_for_fit(motion) & data.source.rows_in_motion(other), motion.smoother(motion.tau)
        both = zip(data.source.filtered_chunks(motion, data.load), data.source.filtered_chunks(other, data.load))
        for (rows, values), (_, theirs) in both:
            for j, (found, seen) in enumerate(zip(values, theirs)):
                used = fitted[rows, j]
                Y, Z = found[used][:, kept[j]], seen[used][:, kept[j]]
                yield Pair(j, places[j], Y, tau[rows[used], j], Z)


def _own(data: Data) -> tuple[Places, Places]:
    """Of every joint which of its columns the data have, and where they are among those of the data."""
    columns = data.source.columns
    place = {int(k): i for i, k in enumerate(data.places)}
    own = [columns.own(j) for j in range(len(columns.rows))]
    kept = [np.array([k for k, old in enumerate(each) if int(old) in place], dtype=np.intp) for each in own]
    places = [np.array([place[int(each[k])] for k in some], dtype=np.intp) for each, some in zip(own, kept)]
    return kept, places


# How long a residual remembers itself: the integrated autocorrelation time, in samples.
#
#     τ_int = 1 + 2 Σ_k ρ_k
#
# N residuals with this correlation tell as much as N/τ_int independent ones. Sums of noisy ρ are cut where they stop to
# matter: at the first lag beyond five times the sum so far (A. D. Sokal, "Monte Carlo methods in statistical
# mechanics",
# Lausanne 1989, section 3).

WINDOW = 5.0


def correlation_time(residuals: Sequence[Array], used: Sequence[NDArray[np.bool_]]) -> float:
    """The median over joints; rows not used count as zero. At least 1, as of white noise."""
    joints = residuals[0].shape[1]
    found = [
        time
        for j in range(joints)
        if (time := of_joint([r[:, j] for r in residuals], [u[:, j] for u in used])) is not None
    ]
    # the median: a joint whose model is wrong remembers for as long as it moves
    return max(1.0, float(np.median(found))) if found else 1.0


def of_joint(residuals: Sequence[Array], used: Sequence[NDArray[np.bool_]]) -> float | None:
    """Of one joint over its stretches; None where nothing is left to be correlated."""
    longest = max(map(len, residuals))
    products, pairs = np.zeros(longest), np.zeros(longest)
    for residual, flags in zip(residuals, used):
        kept = np.where(flags, residual, 0.0)
        products[: len(kept)] += _autocorrelation(kept)
        # each lag is divided by the pairs it has: rows left out make none
        pairs[: len(kept)] += _autocorrelation(flags.astype(float))
    if not (pairs[0] >= 2 and products[0] > 0):
        return None
    rho = (products / np.maximum(np.round(pairs), 1.0)) / (products[0] / pairs[0])
    sums = 1 + 2 * np.cumsum(rho[1:])
    done = np.flatnonzero(np.arange(1, len(sums) + 1) >= WINDOW * np.maximum(sums, 1.0))
    return float(sums[done[0]] if len(done) else sums[len(sums) // 4] if len(sums) else 1.0)


def _autocorrelation(x: Array) -> Array:
    """Σ_t x_t x_{t+k} of every lag k."""
    # twice as long, for the transform goes round: the end must not be multiplied with the beginning
    size = 2 * len(x)
    return np.asarray(np.fft.irfft(np.abs(np.fft.rfft(x, size)) ** 2, size)[: len(x)])
