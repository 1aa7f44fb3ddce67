"""Weighted normal equations from Gram matrices: all that a least-squares estimator sees of a recording.

Σ_j w_j ‖Y_j θ − τ_j‖² = θᵀA θ − 2 bᵀθ + c      A = Σ w_j Y_jᵀY_j      b = Σ w_j Y_jᵀτ_j      c = Σ w_j τ_jᵀτ_j
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from manipula.identification.gram import Grams

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
        """Of x where θ = T x."""
        A = T.T @ self.A @ T
        return Normal((A + A.T) / 2, T.T @ self.b, self.c, self.rows)


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


def solved(normal: Normal) -> Solved:
    """By eigenvectors of A with its columns at unit length; what only rounding tells is left out."""
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
    return np.asarray(np.maximum(squares, 0.0) / np.maximum(rows, 1))


def torque_squares(grams: Grams) -> Array:
    """Mean square of each joint's torque."""
    return np.asarray(grams.gram[:, :, -1, -1].sum(0) / np.maximum(grams.rows.sum(0), 1))


def weights_from(grams: Grams, theta: Array, unknowns: int = 0) -> Array:
    """w_j = 1/σ_j², residuals being smaller than noise by as many rows as there are unknowns; a joint without rows
    weighs nothing."""
    quiet, rows = QUIETEST**2 * torque_squares(grams), int(grams.rows.sum())
    fitted = rows / (rows - unknowns) if rows > 2 * unknowns else 2.0
    variances = np.maximum(joint_variances(grams, theta) * fitted, quiet)
    return np.where(variances > 0, 1 / np.where(variances > 0, variances, 1.0), 0.0)


def even_weights(grams: Grams) -> Array:
    """Every joint alike in units of N·m (or N)."""
    return np.ones(grams.gram.shape[1])


def factor_of(normal: Normal) -> tuple[Array, Array]:
    """(R, z) with RᵀR = A and Rᵀz = b, so that ‖R x − z‖² differs from the squares by a constant alone."""
    values, vectors = eigh(normal.A)
    kept = values > 1e-14 * max(float(values[-1]), 0.0)
    roots = np.sqrt(values[kept])
    V = vectors[:, kept]
    return (V * roots).T, (V.T @ normal.b) / roots
