"""Torques that were recorded later, or earlier, than the positions beside them: a drive's filter, another bus.

Moved in time by δ, torques leave other squares, near their least a parabola in δ: three fits locate it, a fourth
whether that explains what the first one left. Far from the least it is no parabola: another one is taken there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from manipula.identification.conversion import Conversion, shift_torques
from manipula.identification.data import Data
from manipula.identification.estimators.normal import normal_from, solve_normal
from manipula.messages import Message
from manipula.recordings.log import Log

Array = NDArray[np.float64]
Changed = Callable[[Callable[[Log], Log]], Data]  # the recording gathered again, its logs changed
BETTER = 0.6  # of what is left, at most, when the right cause is found
POORLY = 0.01  # of the torque left: below, no delay is worth a sentence
TRIED = 1 / 20  # of a period of the cut-off
CLOSE = 1 / 200  # of that period: as near as another parabola brings it
FARTHEST = 1 / 2  # of that period: the parabola is one no farther
TURNS = 4  # parabolas, each about the least of the one before


@dataclass(frozen=True)
class Delay:
    """Torques were recorded so many seconds later than positions; what is left without, in parts of that with it."""

    seconds: float
    left: float
    joints: int

    @property
    def conversion(self) -> Conversion:
        return replace(Conversion.identity(self.joints), delay=self.seconds)

    def warning_message(self) -> Message:
        return Message("{told}; {hint}", self._told, Message("repair=True (--repair) corrects it"))

    def note(self) -> Message:
        return Message("repaired: {told}", self._told)

    @property
    def _told(self) -> Message:
        return Message(
            "torques seem to be recorded {ms:.3g} ms {way} than positions: moved by that, the fit leaves {left:.0%} of "
            "what it leaves now",
            1e3 * abs(self.seconds), Message("later" if self.seconds > 0 else "earlier"), self.left,
        )  # fmt: skip


def find_delay(data: Data, weights: Array, changed: Changed) -> Delay | None:
    """Torques moved in time that leave far less."""
    now, loud = _left(data, weights), normal_from(data.fit, weights).c
    if not now > POORLY**2 * loud:
        return None
    # what is faster than the cut-off the filter has taken: its period is the unit of times here
    period = min(1 / motion.smoother.cutoff if motion.smoother.cutoff else 20 / motion.smoother.rate
                 for motion in data.source.motions)  # fmt: skip

    def left_by(seconds: float) -> float:
        return _left(changed(partial(shift_torques, seconds=seconds)), weights)

    then, delay = now, 0.0
    for _ in range(TURNS):
        again = delay + _to_the_least(left_by, delay, then, TRIED * period)
        if not 0 < abs(again) <= FARTHEST * period:
            break
        left = left_by(again)
        # the first move must leave far less; those after it only have to help
        if not left < then or (not delay and not left < BETTER**2 * now):
            break
        near, then, delay = abs(again - delay) < CLOSE * period, left, again
        if near:
            break
    return Delay(delay, float(np.sqrt(then / now)), data.robot.dof) if delay else None


def _to_the_least(left_by: Callable[[float], float], at: float, here: float, step: float) -> float:
    """How far the least of the parabola through three fits is, or a step towards it where they have no least."""
    # three fits make a parabola: each costs as much as the whole, so there is no finer search
    before, after = left_by(at - step), left_by(at + step)
    bend = before - 2 * here + after
    return float(step / 2 * (before - after) / bend if bend > 0 else np.copysign(step, before - after))


def _left(data: Data, weights: Array) -> float:
    """What least squares leaves, in squares."""
    normal = normal_from(data.fit, weights)
    return max(normal.cost(solve_normal(normal).theta), 0.0)
