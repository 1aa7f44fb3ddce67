"""Total least squares: noise in the columns as well as in the torque, by the smallest singular vector of [Y τ].

    [Y τ] [θ; −1] ≈ 0        θ = −v_Y / v_τ,  v the eigenvector of the least eigenvalue of [Y τ]ᵀ[Y τ]

Columns are scaled to unit length first, and sums that the recording does not tell are left out. Source: S. Van Huffel,
J. Vandewalle, "The Total Least Squares Problem", SIAM 1991, chapter 2; in robotics W. Khalil, E. Dombre, "Modeling,
Identification and Control of Robots", 2002, chapter 12.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from manipula.errors import InputError
from manipula.identification.data import Data
from manipula.identification.estimators.normal import TELLABLE, normal_from
from manipula.identification.estimators.prior import Prior

Array = NDArray[np.float64]


def tls(data: Data, prior: Prior, weights: Array) -> Array:
    """θ"""
    normal = normal_from(data.fit, weights)
    lengths = np.sqrt(np.maximum(np.diag(normal.A), 0.0))
    scale = np.where(lengths > 0, 1 / np.where(lengths > 0, lengths, 1.0), 0.0)
    values, V = eigh(normal.A * np.outer(scale, scale))
    # where the columns say nothing, the least singular value would be one of rounding
    V = V[:, values > TELLABLE * max(float(values[-1]), 0.0)]
    A, b = V.T @ (normal.A * np.outer(scale, scale)) @ V, V.T @ (scale * normal.b)
    # torques at unit length, as columns are: their noise is taken to be of one size
    loud = np.sqrt(max(normal.c, 1e-300))
    whole = np.block([[A, b[:, None] / loud], [b[None] / loud, np.ones((1, 1))]])
    least = eigh(whole)[1][:, 0]
    if abs(least[-1]) < 1e-12:
        raise InputError("method 'tls': the noise is in the columns alone; they predict no torque")
    return np.asarray(scale * (V @ (-least[:-1] / least[-1])) * loud)
