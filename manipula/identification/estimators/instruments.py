"""Instruments: columns along a motion that knows nothing of the encoders' noise, one for every stretch of a recording.

The best is the motion that was asked for, the log's `q_ref` (with `qd_ref`, `qdd_ref` where they were recorded). A log
without it has only its own motion, smoothed where its spectrum meets its noise: what noise there is below that stays.
"""

from __future__ import annotations

import numpy as np

from manipula.errors import InputError
from manipula.identification.data import Data, Source
from manipula.identification.filters.cutoff import found_cutoff
from manipula.identification.filters.filtering import Smoother
from manipula.identification.filters.motion import RecordedMotion, motion_of
from manipula.simulation.records.logs import Log


def instruments_of(data: Data) -> tuple[list[RecordedMotion], list[str]]:
    """The instruments, and sentences about those that are less than a reference."""
    motions = data.source.motions
    _refuse_strangers(data)
    lacking = [motion for motion in motions if motion.reference is None]
    told = [
        f"method 'iv': {len(lacking)} of {len(motions)} stretches have no q_ref: their instrument is their own motion, "
        "smoothed, and noise slower than that is still in it"
    ]
    return [_instrument(data.source, motion) for motion in motions], told if lacking else []


def _instrument(source: Source, motion: RecordedMotion) -> RecordedMotion:
    """Filtered as the motion is."""
    wanted = motion.reference or _smoothed(motion)
    radii = {radius: float(radius) * source.columns.pace for radius in source.columns.radii()}
    return motion_of(wanted, motion.tau, motion.smoother, radii)


def _smoothed(motion: RecordedMotion) -> Log:
    rate = motion.smoother.rate
    cut = found_cutoff([Log(motion.t, motion.q)])
    if cut.frequency is None:
        raise InputError(
            "method 'iv': the log has no q_ref, and its own motion cannot be told from noise: there is no instrument"
        )
    return Log(motion.t, Smoother(rate, cut.frequency)(motion.q))


def _refuse_strangers(data: Data) -> None:
    """Raises where the reference is farther from the motion than the motion's own mean is: it was not followed, or is
    in other units."""
    asked = [(motion.q, motion.reference.q) for motion in data.source.motions if motion.reference is not None]
    if not asked:
        return
    off = sum(((wanted - q) ** 2).sum(0) for q, wanted in asked)
    size = sum(((q - q.mean(0)) ** 2).sum(0) for q, _ in asked)
    moves = data.fit.rows.sum(0) > 0
    if (bad := np.flatnonzero(moves & (off > size))).size:
        name = data.robot.joint_names[int(bad[0])]
        raise InputError(
            "method 'iv': q_ref of joint {joint_names} is farther from q than q is from its own mean: it is "
            "no instrument; expected the motion asked for, at the log's times, in radians or metres",
            name,
        )
