"""Least squares without a prior, by joint alike (`ols`) or by the noise of each joint (`wls`).

    θ = argmin Σ_j w_j ‖Y_j θ − τ_j‖²        ols: w_j = 1        wls: w_j = 1/σ_j²

Where many θ are as good, the shortest: identifiable sums are right, single parameters need not be. Source: W.
Khalil, E. Dombre, "Modeling, Identification and Control of Robots", 2002, chapter 12.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manipula.identification.data import Data
from manipula.identification.estimators.normal import (
    QUIETEST,
    Normal,
    Rows,
    even_weights,
    fit_rows,
    normal_from,
    solve_normal,
    torque_squares,
)
from manipula.identification.estimators.prior import Prior

Array = NDArray[np.float64]


def ols(data: Data, prior: Prior, weights: Array) -> Array:
    """Every joint alike."""
    return solve_normal(normal_from(data.fit, even_weights(data.fit))).theta


def wls(data: Data, prior: Prior, weights: Array) -> Array:
    """Every joint by its noise."""
    return solve_normal(normal_from(data.fit, weights)).theta


# Iteratively reweighted least squares with Huber's weights: rows far off count less.
#
#     w = min(1, k σ_j/|r|)        k = 1.345: 95 % of the efficiency of least squares under normal noise
#
# Source: P. J. Huber, "Robust Statistics", 1981, chapter 7; the number 1.345 from P. W. Holland, R. E. Welsch, "Robust
# regression using iteratively reweighted least-squares", Communications in Statistics 6(9), 1977.

HUBER = 1.345
MEDIAN = 1.4826  # of the median of |r|: σ of a normal distribution
TURNS = 30
SETTLED = 1e-8


def irls(data: Data, prior: Prior, weights: Array) -> Array:
    """θ; σ_j anew at every turn, from the median of |r|."""
    theta = wls(data, prior, weights)
    quiet = QUIETEST * np.sqrt(torque_squares(data.fit))
    for _ in range(TURNS):
        sigma = np.maximum(_sigmas(data, theta), quiet)
        normal = _weighted_normal(fit_rows(data), theta, sigma, len(data.columns))
        before, theta = theta, solve_normal(normal).theta
        moved = normal.cost(before) - normal.cost(theta)
        if not moved > SETTLED * max(normal.cost(theta), 1e-300):
            break
    return theta


def _sigmas(data: Data, theta: Array) -> Array:
    residuals: list[list[Array]] = [[] for _ in range(data.fit.gram.shape[1])]
    for rows in fit_rows(data):
        residuals[rows.joint].append(rows.tau - rows.Y @ theta[rows.places])
    found = [np.concatenate(own) if own else np.zeros(0) for own in residuals]
    return np.array([MEDIAN * float(np.median(np.abs(r))) if len(r) else 0.0 for r in found])


def _weighted_normal(chunks: Rows, theta: Array, sigma: Array, size: int) -> Normal:
    A, b, c, count = np.zeros((size, size)), np.zeros(size), 0.0, 0
    for rows in chunks:
        s = sigma[rows.joint]
        if not s > 0:
            continue
        r = np.abs(rows.tau - rows.Y @ theta[rows.places]) / s
        w = np.minimum(1.0, HUBER / np.maximum(r, 1e-300)) / s**2
        A[np.ix_(rows.places, rows.places)] += (rows.Y * w[:, None]).T @ rows.Y
        b[rows.places] += (rows.Y * w[:, None]).T @ rows.tau
        c, count = c + float(w @ rows.tau**2), count + len(w)
    return Normal(A, b, c, count)
