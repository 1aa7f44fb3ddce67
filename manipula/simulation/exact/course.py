"""What the event-driven integrator gives: the motion, when joints stuck and slipped, and the balance of energies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Change(NamedTuple):
    """A moment at which a joint (by its place among the coordinates) changes how it moves."""

    t: float
    joint: int
    what: Literal["sticks", "slips", "turns back", "hits a stop"]


class Mode(NamedTuple):
    """From `since` to `until` the same joints rest, held by friction or a stop."""

    since: float
    until: float
    resting: tuple[bool, ...]


@dataclass(frozen=True)
class Course:
    """Arrays along time, the first axis: (time, n).

    `state` is what the law remembers, `drive` what motors and friction have of their own, by name: `motor`,
    `motor_rate`, `bristle`. `work` is what the torques and pushes have put in since the start, `heat` what
    friction and impacts have taken, `energy` what the arm holds; all in joules.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    state: Array
    energy: Array
    kinetic: Array
    work: Array
    heat: Array
    modes: tuple[Mode, ...]
    changes: tuple[Change, ...]
    evaluations: int  # of the equations of motion, by integration and search for events
    drive: Mapping[str, Array]

    @property
    def missing(self) -> Array:
        """E(t) − E(0) − work + heat: zero but for the integrator's error, in joules."""
        return np.asarray(self.energy - self.energy[0] - self.work + self.heat)

    @property
    def balance(self) -> float:
        """The largest `missing`, over the largest energy that took part; 0 of an arm that rests."""
        parts = (self.kinetic, self.work, self.heat, self.energy - self.energy[0])
        scale = max(float(np.abs(x).max()) for x in parts)
        return float(np.abs(self.missing).max()) / scale if scale else 0.0
