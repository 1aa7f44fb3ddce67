"""Predicted torques at every sample of a motion, and how far they are from recorded ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.identification.data import CHUNK, Data
from manipula.identification.filters.motion import RecordedMotion
from manipula.support.plain import plain

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Errors:
    """100·‖τ − τ̂‖/‖τ‖ of a log, all joints in one: over the whole of it, where joints move, and joint by joint."""

    whole: float
    moving: float
    joints: tuple[float, ...]

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = plain(dict(vars(self)))
        return found

    def __str__(self) -> str:
        return f"{self.whole:.2f} % (moving {self.moving:.2f} %)"


def errors_of(data: Data, theta: Array) -> Errors:
    """From the residuals along time; recorded and predicted torques have gone through the same filter."""
    residual, torque = np.concatenate(data.residuals(theta)), np.concatenate(data.torques)
    moving = np.concatenate(data.moving)
    return Errors(
        _percent(residual, torque),
        _percent(residual[moving], torque[moving]),
        tuple(_percent(residual[:, j], torque[:, j]) for j in range(torque.shape[1])),
    )


def _percent(residual: Array, torque: Array) -> float:
    loud = float(np.linalg.norm(torque))
    return 100 * float(np.linalg.norm(residual)) / loud if loud > 0 else float("nan")


def torques_at(data: Data, theta: Array, times: Array) -> Array:
    """The torques (time, n) at any times of the recording, not filtered."""
    whole = np.zeros(len(data.source.columns.columns))
    whole[data.places] = theta
    found = np.concatenate([_along(data, motion, whole) for motion in data.source.motions])
    own = np.concatenate([motion.t for motion in data.source.motions])
    if len(own) == len(times) and np.allclose(own, times, rtol=0, atol=1e-9):
        return found
    return np.stack([np.interp(times, own, column) for column in found.T], axis=1)


def _along(data: Data, motion: RecordedMotion, theta: Array) -> Array:
    found, columns = np.zeros_like(motion.q), data.source.columns
    own = [columns.own(j) for j in range(columns.dof)]
    for first in range(0, len(motion), CHUNK):
        rows = slice(first, min(first + CHUNK, len(motion)))
        for j, values in enumerate(columns.values(motion, rows, data.load)):
            found[rows, j] = values @ theta[own[j]]
    return found
