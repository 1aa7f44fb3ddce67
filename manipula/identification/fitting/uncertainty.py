"""What a fit does not know: the covariance of its parameters.

Without a prior it is τ_int·(ΣwYᵀY)⁻¹, the Cramér–Rao bound of the rows, as many as are independent. Under the entropic
prior it is the inverse curvature of the objective at its minimum (Laplace's approximation), which counts the prior:

    S = T (A/τ_int + ½ ∇²bracket)⁻¹ Tᵀ        A in the prior's coordinates, the prior's weight λ being τ_int
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manipula.identification.data import Data
from manipula.identification.estimators.entropic import barrier, barrier_value, hessian
from manipula.identification.estimators.iv import instrumental
from manipula.identification.estimators.normal import Normal, solved
from manipula.identification.estimators.outputs.output_error import information
from manipula.identification.estimators.prior import Prior

Array = NDArray[np.float64]
BLIND = 1e-6  # of a direction's length that the data do not see


@dataclass(frozen=True)
class Spread:
    """The covariance of θ; `seen` is a projector on what the data tell, θ scaled by `lengths`, or None: all is told."""

    covariance: Array
    seen: Array | None = None
    lengths: Array | None = None

    def sigma(self, directions: Array) -> Array:
        """Standard deviations of directions·θ; infinite where the data do not tell it."""
        squares = np.einsum("ik,kl,il->i", directions, self.covariance, directions)
        found = np.sqrt(np.maximum(squares, 0.0))
        return found if self.seen is None else np.where(self._told(directions), found, np.inf)

    def _told(self, directions: Array) -> NDArray[np.bool_]:
        assert self.seen is not None and self.lengths is not None
        felt = self.lengths > 0
        scaled = np.where(felt, directions / np.where(felt, self.lengths, 1.0), 0.0)
        blind = np.linalg.norm(scaled - scaled @ self.seen, axis=1) > BLIND * np.linalg.norm(scaled, axis=1)
        return np.asarray(~(blind | (np.abs(directions[:, ~felt]) > 0).any(axis=1) | ~np.abs(scaled).any(axis=1)))


def spread_of(normal: Normal, prior: Prior | None, theta: Array, time: float) -> Spread:
    """`time` is τ_int. A fit outside the cone of the prior has the spread of least squares."""
    if prior is not None and prior.weight > 0:
        x = prior.coordinates(theta)
        if np.isfinite(barrier_value(prior, x)):
            own = normal.in_coordinates(prior.transform)
            curvature = hessian(own.A / time, prior, barrier(prior, x)) / 2
            root = prior.transform @ np.linalg.pinv(np.linalg.cholesky(_firm(curvature))).T
            return Spread(root @ root.T)
    found = solved(normal)
    return Spread(time * found.inverse, found.seen, found.lengths)


def spread_of_instruments(data: Data, weights: Array, time: float) -> Spread:
    """Of the method `iv`: wider than that of least squares by what the instruments miss of the motion."""
    found = instrumental(data, weights)
    return Spread(time * found.covariance, found.seen, found.lengths)


def spread_of_outputs(data: Data, prior: Prior, theta: Array) -> Spread:
    """Of the method `output_error`, by the slopes of its simulations."""
    normal, own = information(data, prior, theta)
    return spread_of(normal, own, theta, own.weight)


def _firm(H: Array) -> Array:
    """Positive definite in spite of rounding."""
    return (H + H.T) / 2 + 1e-14 * np.max(np.diag(H)) * np.eye(len(H))
