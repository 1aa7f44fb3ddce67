"""Which parts of a sum matter: drop what a class of motions does not feel, and measure what that costs.

The torques are a sum of contributions, one for each parameter. Dropping is greedy: of all parameters the one whose loss
leaves the smallest error goes first, as long as no joint's error at any sample passes the tolerance, a fraction of that
joint's largest torque over all samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Errors:
    """Of a model against the exact one, joint by joint; relative to the joint's largest torque."""

    largest: tuple[float, ...]
    rms: tuple[float, ...]
    relative_largest: tuple[float, ...]
    relative_rms: tuple[float, ...]


def peaks(tau: Array) -> Array:
    """Every joint's largest torque over the samples (…, dof); 1 where it never has any."""
    largest = np.abs(tau).max(axis=0)
    return np.where(largest > 0, largest, 1.0)


def weights(contributions: Array) -> Array:
    """(parameters,): the largest share each has in any joint's largest torque. `contributions` (samples, dof, n)."""
    scale = peaks(contributions.sum(axis=2))
    return (np.abs(contributions).max(axis=0) / scale[:, None]).max(axis=0)  # type: ignore[no-any-return]


def droppable(contributions: Array, tolerance: float) -> list[int]:
    """The parameters that may go together, in the order in which they go."""
    scale = peaks(contributions.sum(axis=2))
    shares = contributions / scale[None, :, None]
    lost = np.zeros(shares.shape[:2])
    left, gone = list(range(shares.shape[2])), list[int]()
    while left:
        errors = [np.abs(lost + shares[:, :, k]).max() for k in left]
        best = int(np.argmin(errors))
        if errors[best] > tolerance:
            break
        gone.append(left.pop(best))
        lost += shares[:, :, gone[-1]]
    return gone


def errors_of(contributions: Array, gone: list[int]) -> Errors:
    """What the torques lose without these parameters."""
    scale = peaks(contributions.sum(axis=2))
    lost = contributions[:, :, gone].sum(axis=2)
    largest, rms = np.abs(lost).max(axis=0), np.sqrt((lost**2).mean(axis=0))
    return Errors(*(tuple(map(float, x)) for x in (largest, rms, largest / scale, rms / scale)))
