"""Torques that were recorded later, or earlier, than the positions beside them: a drive's filter, another bus.

Moved in time by δ, torques leave other squares, near their least a parabola in δ: three fits tell where it is, and a
fourth whether that explains what the first one left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from manipula.identification.data import Data
from manipula.identification.estimators.normal import normal_from, solved
from manipula.identification.fitting.suspicion import BETTER, Changed
from manipula.simulation.records.logs import Log

Array = NDArray[np.float64]
POORLY = 0.01  # of the torque left: below, no delay is worth a sentence
TRIED = 1 / 20  # of a period of the cut-off
FARTHEST = 1 / 2  # of that period: the parabola is one no farther


def late(data: Data, weights: Array, changed: Changed) -> Iterator[str]:
    """A sentence where torques moved in time leave far less."""
    now, loud = _left(data, weights), normal_from(data.fit, weights).c
    if not now > POORLY**2 * loud:
        return
    period = min(1 / motion.smoother.cutoff if motion.smoother.cutoff else 20 / motion.smoother.rate
                 for motion in data.source.motions)  # fmt: skip
    step = TRIED * period
    before, after = (_left(changed(partial(moved, seconds=x)), weights) for x in (-step, step))
    bend = before - 2 * now + after
    delay = step / 2 * (before - after) / bend if bend > 0 else np.copysign(step, before - after)
    if not 0 < abs(delay) <= FARTHEST * period:
        return
    then = _left(changed(partial(moved, seconds=delay)), weights)
    if then < BETTER**2 * now:
        way = "later" if delay > 0 else "earlier"
        yield (
            f"torques seem to be recorded {1e3 * abs(delay):.2g} ms {way} than positions: moved by that, the fit "
            f"leaves {np.sqrt(then / now):.0%} of what it leaves now"
        )


def moved(log: Log, seconds: float) -> Log:
    """The log with the torques of so much later."""
    assert log.tau is not None
    return replace(log, tau=np.stack([np.interp(log.t + seconds, log.t, x) for x in log.tau.T], axis=1))


def _left(data: Data, weights: Array) -> float:
    """What least squares leaves, in squares."""
    normal = normal_from(data.fit, weights)
    return max(normal.cost(solved(normal).theta), 0.0)
