"""Least squares without a prior, by joint alike (`ols`) or by the noise of each joint (`wls`).

    θ = argmin Σ_j w_j ‖Y_j θ − τ_j‖²        ols: w_j = 1        wls: w_j = 1/σ_j²

Where many θ are as good, the shortest: sums that torques can tell are right, single parameters need not be. Source: W.
Khalil, E. Dombre, "Modeling, Identification and Control of Robots", 2002, chapter 12.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manipula.identification.data import Data
from manipula.identification.estimators.normal import even_weights, normal_from, solved
from manipula.identification.estimators.prior import Prior

Array = NDArray[np.float64]


def ols(data: Data, prior: Prior, weights: Array) -> Array:
    """Every joint alike."""
    return solved(normal_from(data.fit, even_weights(data.fit))).theta


def wls(data: Data, prior: Prior, weights: Array) -> Array:
    """Every joint by its noise."""
    return solved(normal_from(data.fit, weights)).theta
