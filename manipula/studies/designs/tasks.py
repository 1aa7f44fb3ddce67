"""What a design must do: places for the tool to be at, or configurations of its joints, one after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SAMPLES = 41  # of a leg
_U = np.linspace(0.0, 1.0, SAMPLES)
# the quintic from rest to rest: s = 10 u³ − 15 u⁴ + 6 u⁵ and its slopes
_S = np.stack(
    [
        _U**3 * (10 - 15 * _U + 6 * _U**2),
        30 * _U**2 * (1 - _U) ** 2,
        60 * _U * (1 - _U) * (1 - 2 * _U),
    ]
)


class Place(NamedTuple):
    """Where the tool is to be: its whole `pose`, its `position` alone, or its position and its z `axis`."""

    part: str
    pose: tuple[tuple[float, ...], ...]


class Task(NamedTuple):
    """`places`, or `joints`, to go through, resting at each, in `duration` seconds; a single one is held. `mass` and
    `com` are those of the load in the hand."""

    name: str
    places: tuple[Place, ...]
    joints: tuple[tuple[float, ...], ...]
    duration: float
    mass: float
    com: tuple[float, float, float]

    @property
    def stops(self) -> int:
        return len(self.places) or len(self.joints)


class TaskMotion(NamedTuple):
    """Samples of one way through a task, (k, joints) each, and the seconds between two of a leg; 0 at rest."""

    q: Array
    qd: Array
    qdd: Array
    step: float

    def faster(self, s: float) -> TaskMotion:
        """The same positions at s times the speed."""
        return TaskMotion(self.q, s * self.qd, s**2 * self.qdd, self.step / s)


def motion_through(stops: Array, duration: float) -> TaskMotion:
    """Leg by leg through (…, stops, joints), each leg as long as the others: samples (…, k, joints)."""
    if stops.shape[-2] == 1:
        return TaskMotion(stops, np.zeros_like(stops), np.zeros_like(stops), 0.0)
    legs = stops.shape[-2] - 1
    seconds = duration / legs
    way = np.diff(stops, axis=-2)[..., None, :]
    s, v, a = (x[:, None] for x in _S)
    q = stops[..., :-1, None, :] + way * s
    lead = (*stops.shape[:-2], legs * SAMPLES, stops.shape[-1])
    step = seconds / (SAMPLES - 1)
    return TaskMotion(q.reshape(lead), (way * v / seconds).reshape(lead), (way * a / seconds**2).reshape(lead), step)
