"""Motors with their gears, as a catalogue, and the choice of one a joint.

At the joint a motor with a gear of ratio N gives N·η·torque at speed/N, and its rotor weighs N²·inertia (motor inertia,
as the joint feels it).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
WHAT = ("torque", "lasting torque", "speed")


class Drive(NamedTuple):
    """A motor with one of its gears, seen from the joint. `rated`: rms; infinite where none is said. `joints`: those it
    is for, from 1; none: all."""

    label: str
    torque: float
    rated: float
    speed: float
    inertia: float = 0.0
    mass: float = 0.0
    price: float = 0.0
    joints: tuple[int, ...] = ()


class Asked(NamedTuple):
    """What the tasks ask of one joint, task by task: torque, acceleration and speed in every sample."""

    torque: Sequence[Array]
    acceleration: Sequence[Array]
    speed: Sequence[Array]


class Choice(NamedTuple):
    """Which drive, −1 where none holds; the shares of its torque, lasting torque and speed, or of the nearest's."""

    drive: int
    use: Array

    @property
    def worst(self) -> float:
        return float(self.use.max())

    @property
    def what(self) -> str:
        return WHAT[int(self.use.argmax())]


def uses_of(drives: Sequence[Drive], asked: Asked) -> Array:
    """(drives, 3): shares of torque, lasting torque and speed, the most of any task. A drive bears the joint's torque
    and what its own rotor needs: τ + N²J·q̈."""
    torque, rated, speed, inertia = np.array([drive[1:5] for drive in drives]).T
    found = np.zeros((len(drives), 3))
    for tau, a, v in zip(*asked):
        borne = tau + inertia[:, None] * a
        rms = np.sqrt((borne**2).mean(-1))
        shares = (np.abs(borne).max(-1) / torque, rms / rated, np.abs(v).max() / speed)
        found = np.maximum(found, np.stack(shares, axis=-1))
    return found


def chosen(drives: Sequence[Drive], asked: Asked, by: str) -> Choice:
    """The lightest (or cheapest) drive that holds; between equals the other figure decides, then the order of the
    catalogue."""
    uses = uses_of(drives, asked)
    holding = np.flatnonzero((uses <= 1).all(-1))
    if not len(holding):
        return Choice(-1, uses[uses.max(-1).argmin()])

    def rank(k: int) -> tuple[float, float, int]:
        drive = drives[k]
        return (drive.mass, drive.price, k) if by == "mass" else (drive.price, drive.mass, k)

    best = min(holding.tolist(), key=rank)
    return Choice(best, uses[best])
