"""How long a residual remembers itself: the integrated autocorrelation time, in samples.

    τ_int = 1 + 2 Σ_k ρ_k

N residuals with this correlation tell as much as N/τ_int independent ones. Sums of noisy ρ are cut where they stop to
matter: at the first lag beyond five times the sum so far (A. D. Sokal, "Monte Carlo methods in statistical mechanics",
Lausanne 1989, section 3).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
WINDOW = 5.0


def correlation_time(residuals: Sequence[Array], used: Sequence[NDArray[np.bool_]]) -> float:
    """The median over joints; rows not used count as zero. At least 1, as of white noise."""
    joints = residuals[0].shape[1]
    found = [
        time
        for j in range(joints)
        if (time := of_joint([r[:, j] for r in residuals], [u[:, j] for u in used])) is not None
    ]
    return max(1.0, float(np.median(found))) if found else 1.0


def of_joint(residuals: Sequence[Array], used: Sequence[NDArray[np.bool_]]) -> float | None:
    """Of one joint over its stretches; None where nothing is left to be correlated."""
    longest = max(map(len, residuals))
    products, pairs = np.zeros(longest), np.zeros(longest)
    for residual, flags in zip(residuals, used):
        kept = np.where(flags, residual, 0.0)
        products[: len(kept)] += _lagged(kept)
        pairs[: len(kept)] += _lagged(flags.astype(float))
    if not (pairs[0] >= 2 and products[0] > 0):
        return None
    rho = (products / np.maximum(np.round(pairs), 1.0)) / (products[0] / pairs[0])
    sums = 1 + 2 * np.cumsum(rho[1:])
    done = np.flatnonzero(np.arange(1, len(sums) + 1) >= WINDOW * np.maximum(sums, 1.0))
    return float(sums[done[0]] if len(done) else sums[len(sums) // 4] if len(sums) else 1.0)


def _lagged(x: Array) -> Array:
    """Σ_t x_t x_{t+k} of every lag k."""
    size = 2 * len(x)
    return np.asarray(np.fft.irfft(np.abs(np.fft.rfft(x, size)) ** 2, size)[: len(x)])
