"""Motors with their gears, as a catalogue, and the choice of one a joint.

At the joint a motor with a gear of ratio N gives N·η·torque at speed/N, and its rotor weighs N²·inertia (motor inertia,
as the joint feels it). A pair of a motor and a gear from tables says itself what it bears.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.simulation.drives.drive_choice import CRITERIA
from manipula.simulation.drives.motor_loads import JointDemand
from manipula.studies.designs.table_drives import Pair, shares_of_pairs, task_demand

Array = NDArray[np.float64]
WHAT = ("torque", "lasting torque", "speed")


class Drive(NamedTuple):
    """A motor with one of its gears, seen from the joint. `rated`: rms; infinite where none is said. `joints`: those it
    is for, from 1; none: all. `pair`: of tables, which then says what it bears."""

    label: str
    torque: float
    rated: float
    speed: float
    inertia: float = 0.0
    mass: float = 0.0
    price: float = 0.0
    joints: tuple[int, ...] = ()
    pair: Pair | None = None


class Asked(NamedTuple):
    """What the tasks ask of one joint, task by task: torque, acceleration and speed in every sample; for pairs of
    tables the seconds between samples, and the largest inertia that the joint accelerates."""

    torque: Sequence[Array]
    acceleration: Sequence[Array]
    speed: Sequence[Array]
    step: Sequence[float] = ()
    inertia: Sequence[float] = ()

    @property
    def demands(self) -> list[JointDemand]:
        """For the motor's side."""
        rows = zip(self.torque, self.speed, self.acceleration, self.step, self.inertia, strict=True)
        return [task_demand(*row) for row in rows]


class Choice(NamedTuple):
    """Which drive, −1 where none holds; the shares of its torque, lasting torque and speed, or of the nearest's; of
    pairs the shares of all their criteria."""

    drive: int
    use: Array
    criteria: Sequence[str] = WHAT

    @property
    def worst(self) -> float:
        return float(self.use.max())

    @property
    def what(self) -> str:
        return str(self.criteria[int(self.use.argmax())])


def uses_of(drives: Sequence[Drive], asked: Asked, limit: float = np.inf) -> Array:
    """(drives, 3): shares of torque, lasting torque and speed, the most of any task. A drive bears the joint's torque
    and what its own rotor needs: τ + N²J·q̈. Of pairs the shares of all their criteria; `limit` of inertia ratios."""
    pairs = [drive.pair for drive in drives if drive.pair is not None]
    if pairs:
        return shares_of_pairs(pairs, asked.demands, limit)
    torque, rated, speed, inertia = np.array([drive[1:5] for drive in drives], dtype=float).T
    found = np.zeros((len(drives), 3))
    for tau, a, v in zip(asked.torque, asked.acceleration, asked.speed):
        borne = tau + inertia[:, None] * a
        rms = np.sqrt((borne**2).mean(-1))
        shares = (np.abs(borne).max(-1) / torque, rms / rated, np.abs(v).max() / speed)
        found = np.maximum(found, np.stack(shares, axis=-1))
    return found


def choose_drive(drives: Sequence[Drive], asked: Asked, by: str, limit: float = np.inf) -> Choice:
    """The lightest (or cheapest) drive that holds; between equals the other figure decides, then the order of the
    catalogue. Pairs are chosen as `mp.choose_drives` does."""
    uses = uses_of(drives, asked, limit)
    criteria = CRITERIA if uses.shape[1] == len(CRITERIA) else WHAT
    holding = np.flatnonzero((uses <= 1).all(-1))
    if not len(holding):
        return Choice(-1, uses[uses.max(-1).argmin()], criteria)

    def rank(k: int) -> tuple[float, ...]:
        drive = drives[k]
        if drive.pair is not None:
            return (*drive.pair.size(by), k)
        return (drive.mass, drive.price, k) if by == "mass" else (drive.price, drive.mass, k)

    best = min(holding.tolist(), key=rank)
    return Choice(best, uses[best], criteria)
