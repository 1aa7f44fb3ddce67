"""Where a picture is taken from: parallel rays, so that a metre is as many points near and far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Camera:
    """Rows of `axes`: to the right, upwards, towards the eye, in the world."""

    axes: Array

    def points(self, points: Array) -> Array:
        """(…, 3) seen from here; the last entry grows towards the eye."""
        return np.asarray(points @ self.axes.T)


def camera_at(eye: Sequence[float], up: Sequence[float]) -> Camera:
    """Looking from that direction; from straight above, x or y is to the right."""
    towards = np.array(eye, dtype=float) / np.linalg.norm(eye)
    across = np.cross(up, towards)
    if np.linalg.norm(across) < 1e-6:
        across = np.roll(np.abs(np.array(up, dtype=float)), 1)
    right = across / np.linalg.norm(across)
    return Camera(np.stack([right, np.cross(towards, right), towards]))


@dataclass(frozen=True)
class Sheet:
    """From metres seen by a camera to points of the picture, y downwards."""

    scale: float
    left: float
    top: float

    def __call__(self, seen: Array) -> Array:
        """(…, 2 or 3) → (…, 2)"""
        return np.stack([self.left + self.scale * seen[..., 0], self.top - self.scale * seen[..., 1]], axis=-1)


def sheet_for(low: Array, high: Array, width: float, height: float, margin: float) -> Sheet:
    """What lies between the corners, in the middle and as large as it can be."""
    extent = np.maximum(high - low, 1e-300)
    scale = float(min((width - 2 * margin) / extent[0], (height - 2 * margin) / extent[1]))
    middle = (low + high) / 2
    return Sheet(scale, width / 2 - scale * float(middle[0]), height / 2 + scale * float(middle[1]))
