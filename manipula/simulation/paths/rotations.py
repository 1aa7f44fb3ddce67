"""Rotations as the tool's paths need them: the geodesic between two, and a turn about an axis."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def turned(turn: Floats) -> Floats:
    """exp of rotation vectors (…, 3): matrices (…, 3, 3)."""
    flat = turn.reshape(-1, 3)
    return np.asarray(scipy.spatial.transform.Rotation.from_rotvec(flat).as_matrix().reshape(*turn.shape[:-1], 3, 3))


def turn_between(one: Floats, other: Floats) -> Floats:
    """The shortest turn, in world axes, from one orientation to another: R₁ = exp(turn) R₀."""
    return np.asarray(scipy.spatial.transform.Rotation.from_matrix(other @ one.T).as_rotvec())


def misalignment(wanted: Floats, found: Floats) -> Floats:
    """The small turn that is left from `found` to `wanted`, matrices (…, 3, 3), in world axes."""
    # ½ (R_wanted R_foundᵀ − its transpose), as a vector
    skew = wanted @ np.swapaxes(found, -1, -2)
    skew = (skew - np.swapaxes(skew, -1, -2)) / 2
    return np.stack([skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]], axis=-1)
