"""Which entries of a geometry can be found: one after another is taken if it moves what is measured in a way that
those taken before cannot. Once over configurations drawn at random, where what is left out could be found by no motion;
once over those that were measured, where another motion would show it.

A complete, minimal set has 4 entries for every joint that turns, 2 for every one that slides, and 6: Everett, Driels,
Mooring, "Kinematic modelling for robot calibration", IEEE International Conference on Robotics and Automation (1987).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manipula.messages import Message

Array = NDArray[np.float64]
ZERO = 1e-8  # of columns of length 1: dependences leave 1e-13, what is really there much more
FAINT = 1e-4  # of what the measured configurations show: below it noise would be multiplied by 10⁴


@dataclass(frozen=True)
class Dropped:
    """An entry that is left as it was, and why."""

    name: str
    why: str


def independent(J: Array, order: Sequence[int], least: float) -> tuple[list[int], dict[int, Array]]:
    """The columns taken, going in `order`; of every other its combination of those."""
    lengths = np.linalg.norm(J, axis=0)
    unit = J / np.where(lengths > 0, lengths, 1)
    taken, basis, left = list[int](), np.zeros((len(J), 0)), dict[int, Array]()
    for k in order:
        rest = unit[:, k] - basis @ (basis.T @ unit[:, k])
        rest -= basis @ (basis.T @ rest)  # once more: the first sweep loses digits where little is left
        size = np.linalg.norm(rest)
        if lengths[k] > 0 and size > least:
            taken.append(k)
            basis = np.hstack([basis, (rest / size)[:, None]])
        else:
            shares = np.linalg.lstsq(J[:, taken], J[:, k], rcond=None)[0] if taken else np.zeros(0)
            left[k] = np.asarray(shares, dtype=float)
    return taken, left


def why(taken: Sequence[int], shares: Array, names: Sequence[str], motion: str) -> str:
    """The sentence: with which of those taken it goes together."""
    partners = [names[k] for k, share in zip(taken, shares) if abs(share) > 1e-6]
    if not partners:
        return Message("moves nothing that is measured {motion}", motion).strip()
    return Message(
        ("does the same as {partners} … {motion}" if len(partners) > 4 else "does the same as {partners} {motion}"),
        ", ".join(partners[:4]),
        motion,
    ).strip()
