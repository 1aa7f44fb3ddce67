"""Positions that were cut at a turn: a joint goes on at π and the file at −π.

A step of a turn is no motion where, the turn taken off, it is like the steps beside it. Only steps without a gap in
time are looked at: what a joint did in a gap nobody knows.
"""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from manipula.simulation.records.sampling import gaps

Array = NDArray[np.float64]
TURN = 2 * pi
LIKE = 3.0  # times the steps beside it
STILL = 0.05  # rad: as much as a step may be where a joint hardly moves
LONGEST = 1.0  # rad: where steps are longer, turns cannot be told


def wrapped(t: Array, q: Array) -> Array:
    """Of every step of one joint the turns it goes too far: −1, 0, 1."""
    if len(q) < 2:
        return np.zeros(0)
    steps = np.diff(q)
    turns = np.where(np.abs(steps) > pi, np.sign(steps), 0.0)
    short = np.abs(steps - turns * TURN)
    beside = np.maximum(np.append(short[1:], 0.0), np.append(0.0, short[:-1]))
    sure = (short <= np.minimum(LIKE * beside + STILL, LONGEST)) & (beside <= LONGEST) & ~gaps(np.diff(t))
    return np.asarray(np.where(sure, turns, 0.0))


def unwrapped(t: Array, q: Array) -> tuple[Array, int]:
    """One joint's positions put together, and at how many places."""
    turns = wrapped(t, q)
    return q - TURN * np.concatenate([[0.0], np.cumsum(turns)]), int(np.count_nonzero(turns))
