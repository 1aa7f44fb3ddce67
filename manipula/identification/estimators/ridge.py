"""Ridge regression towards the prior, its strength by cross-validation over the blocks of the recording.

    min Σ_j w_j ‖Y_j θ − τ_j‖² + k ‖x − x0‖²        x the prior's coordinates

Nothing keeps bodies possible. Source: A. E. Hoerl, R. W. Kennard, "Ridge regression: biased estimation for
nonorthogonal problems", Technometrics 12(1), 1970.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from manipula.identification.data import Data
from manipula.identification.estimators.normal import Normal, normal_from
from manipula.identification.estimators.prior import Prior

Array = NDArray[np.float64]
STRENGTHS = np.geomspace(1e-10, 1e2, 25)  # in parts of the largest eigenvalue


def ridge(data: Data, prior: Prior, weights: Array) -> Array:
    """θ"""
    T, grams = prior.transform, data.fit
    blocks = [normal_from(grams, weights, np.array([b])).in_coordinates(T) for b in range(len(grams.gram))]
    blocks = [block for block in blocks if block.rows]
    whole = sum(blocks[1:], blocks[0])
    strength = STRENGTHS[len(STRENGTHS) // 2]
    if len(blocks) > 1:
        left = sum(np.array([block.cost(x) for x in _paths(whole - block, prior.start)]) for block in blocks)
        strength = STRENGTHS[int(np.argmin(left))]
    return T @ _paths(whole, prior.start, np.array([strength]))[0]


def _paths(normal: Normal, centre: Array, strengths: Array = STRENGTHS) -> list[Array]:
    """x for every strength: (A + k)(x − x0) = b − A x0"""
    values, V = eigh(normal.A)
    values = np.maximum(values, 0.0)
    pull = V.T @ (normal.b - normal.A @ centre)
    return [centre + V @ (pull / (values + k * max(values[-1], 1e-300))) for k in strengths]
