"""Least squares over physically consistent bodies, by coordinates that know no others: non-linear, without bounds.

    P_i = L_i U_i U_iᵀ L_iᵀ     U upper triangular with exponentials on its diagonal     f = f0 exp(φ)

A local minimum of ‖R x(φ) − z‖² by Levenberg's and Marquardt's method, from the prior; a body on the boundary of
consistency is approached without end, so steps are counted. Source: C. Rucker, P. M. Wensing, "Smooth parameterization
of rigid-body inertia", IEEE Robotics and Automation Letters 7(2), 2022.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from manipula.identification.data import Data
from manipula.identification.estimators.normal import factor_of, normal_from
from manipula.identification.estimators.prior import TEN, Prior, entries

Array = NDArray[np.float64]
EVALUATIONS = 200
LARGEST = 30.0  # of a logarithm: what is e³⁰ times the prior is no body
_ROWS, _COLUMNS = np.triu_indices(4)
_DIAGONAL = np.flatnonzero(_ROWS == _COLUMNS)


def log_cholesky(data: Data, prior: Prior, weights: Array) -> Array:
    """θ"""
    own = normal_from(data.fit, weights).in_coordinates(prior.transform)
    R, z = factor_of(own)
    scale = np.sqrt(max(own.rows, 1))

    def residuals(phi: Array) -> Array:
        return np.asarray((R @ coordinates(prior, phi) - z) / scale)

    def slopes(phi: Array) -> Array:
        return np.asarray(R @ derivative(prior, phi) / scale)

    edge = np.where(_logarithms(prior), LARGEST, np.inf)
    start, stop = np.zeros(prior.size), {"max_nfev": EVALUATIONS, "xtol": 1e-12, "ftol": 1e-12}
    found = least_squares(residuals, start, slopes, bounds=(-edge, edge), **stop)
    return prior.transform @ coordinates(prior, found.x)


def _logarithms(prior: Prior) -> NDArray[np.bool_]:
    found = np.zeros(prior.size, dtype=bool)
    found[prior.positive] = True
    found[prior.bodies[:, _DIAGONAL]] = True
    return found


def _triangle(phi: Array) -> Array:
    """U of ten numbers, row by row; those on the diagonal are logarithms."""
    U = np.zeros((4, 4))
    U[_ROWS, _COLUMNS] = phi
    U[range(4), range(4)] = np.exp(phi[_DIAGONAL])
    return U


def coordinates(prior: Prior, phi: Array) -> Array:
    """x(φ): X = U Uᵀ, y = exp φ, z = φ"""
    x = phi.copy()
    x[prior.positive] = np.exp(phi[prior.positive])
    for columns in prior.bodies:
        U = _triangle(phi[columns])
        x[columns] = entries(U @ U.T)
    return x


def derivative(prior: Prior, phi: Array) -> Array:
    """∂x/∂φ:  dX = dU Uᵀ + U dUᵀ"""
    D = np.eye(prior.size)
    D[prior.positive, prior.positive] = np.exp(phi[prior.positive])
    for columns in prior.bodies:
        U = _triangle(phi[columns])
        for k in range(TEN):
            dU = np.zeros((4, 4))
            i, j = _ROWS[k], _COLUMNS[k]
            dU[i, j] = U[i, i] if i == j else 1.0
            D[columns, columns[k]] = entries(dU @ U.T + U @ dU.T)
    return D
