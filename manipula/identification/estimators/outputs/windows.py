"""Recorded torques let a model move for a short while, from many places of the recording at once.

    M(q) q̈ + h(q, q̇) = τ − F θ_F        M, h by the inertial columns and motor inertia along the model's own motion

F are the other columns (friction, offsets, springs …) along the recorded motion, which makes signs of friction a given
torque and no stiff law. A window begins where the recording is, up to a correction of position and velocity that is
unknown, too. No law is assumed: a log names no controller, and over a window none is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.identification.assembled import Columns
from manipula.identification.data import CHUNK, Data
from manipula.identification.filters.cutoff import found_cutoff
from manipula.identification.filters.filtering import Smoother
from manipula.identification.filters.motion import RecordedMotion, motion_of
from manipula.simulation.records.logs import Log

Array = NDArray[np.float64]
MOTOR = "motor_inertia"
PERIODS = 2.5  # of the cut-off, which is a few times the motion's band: half a period of the motion
STICKING = 0.25  # of a window's samples at which a joint may stick: what holds it then is in no column
FEWEST = 8  # samples of a window


@dataclass(frozen=True, eq=False)
class Windows:
    """`q` (windows, samples, n) as recorded, `first` (windows, 2n) where each begins, `tau` as `q`, `given` (windows,
    samples, n, k) the columns along the recording, at `places` among those of the data."""

    q: Array
    first: Array
    tau: Array
    given: Array
    places: NDArray[np.intp]
    step: float  # s


def windows_of(data: Data, share: float = 1.0) -> list[Windows]:
    """Of every stretch, one after the other, in parts of the usual length; what is left at its end is not used."""
    found = [_windows(data, motion, share) for motion in data.source.motions]
    kept = [x for x in found if x is not None]
    if not kept:
        raise InputError("method 'output_error': nowhere do all joints move for as long as a window lasts")
    return kept


def _windows(data: Data, motion: RecordedMotion, share: float) -> Windows | None:
    smoother, rate = _smoother(motion), motion.smoother.rate
    size = max(FEWEST, round(share * PERIODS * rate / (smoother.motion or smoother.cutoff or rate)))
    ends = min(smoother.ends, len(motion) // 4)
    count = (len(motion) - 2 * ends) // size
    if count < 1:
        return None
    along = motion if motion.smoother.cutoff is not None else _along(data, motion, smoother)
    places, given = _given(data, along)
    rows = ends + np.arange(count * size).reshape(count, size)
    rows = rows[(np.abs(along.qd[rows]) < data.source.columns.slow).mean(1).max(1) <= STICKING]
    if not len(rows):
        return None
    begin = np.concatenate([along.q[rows[:, 0]], along.qd[rows[:, 0]]], axis=1)
    return Windows(motion.q[rows], begin, motion.tau[rows], given[rows], places, 1 / rate)


def _smoother(motion: RecordedMotion) -> Smoother:
    """The recording's filter; where nothing was to be filtered, the one that its spectrum asks for."""
    if motion.smoother.cutoff is not None:
        return motion.smoother
    cut = found_cutoff([Log(motion.t, motion.q)])
    if cut.frequency is None:
        raise InputError("method 'output_error': the motion of a stretch cannot be told from its noise")
    return Smoother(motion.smoother.rate, cut.frequency)


def _along(data: Data, motion: RecordedMotion, smoother: Smoother) -> RecordedMotion:
    """The motion without its noise."""
    return motion_of(Log(motion.t, smoother.wider().positions(motion.q)), motion.tau, motion.smoother, _radii(data))


def _radii(data: Data) -> dict[Fraction, Array]:
    columns = data.source.columns
    return {radius: float(radius) * columns.pace for radius in columns.radii()}


def _given(data: Data, motion: RecordedMotion) -> tuple[NDArray[np.intp], Array]:
    """The columns that are neither inertial nor of motors, by time and joint."""
    columns, inertial = data.source.columns, len(data.source.columns.inertial.columns)
    other = [k for k, c in enumerate(data.columns) if data.places[k] >= inertial and c.family != MOTOR]
    found = np.zeros((len(motion), columns.dof, len(other)))
    place = {int(data.places[k]): i for i, k in enumerate(other)}
    for first in range(0, len(motion), CHUNK):
        rows = slice(first, min(first + CHUNK, len(motion)))
        for j, values in enumerate(columns.values(motion, rows, data.load)):
            for k, old in enumerate(columns.own(j)):
                if int(old) in place:
                    found[rows, j, place[int(old)]] = values[:, k]
    return np.array(other, dtype=np.intp), found


class Dynamics:
    """q̈ of many arms at once, each with its own parameters."""

    def __init__(self, data: Data) -> None:
        self.columns: Columns = data.source.columns
        size = len(self.columns.inertial.columns)
        self._inertial = np.flatnonzero(data.places < size)
        self._among = data.places[self._inertial]
        self._motors = [(k, c.joint) for k, c in enumerate(data.columns) if c.family == MOTOR and c.joint is not None]

    def acceleration(self, theta: Array, q: Array, qd: Array, tau: Array) -> Array:
        """θ (m, p); q, q̇ and the torque that is left for the bodies (m, n)."""
        many, n = q.shape
        columns = self.columns.inertial
        bodies = np.zeros((many, len(columns.columns)))
        bodies[:, self._among] = theta[:, self._inertial]
        still = np.einsum("mjk,mk->mj", columns(q, qd, np.zeros_like(q)), bodies)
        M = np.empty((many, n, n))
        for j in range(n):
            way = np.zeros_like(q)
            way[:, j] = 1.0
            M[:, :, j] = np.einsum("mjk,mk->mj", columns(q, np.zeros_like(q), way, np.zeros(3)), bodies)
        for place, joint in self._motors:
            M[:, joint, joint] += theta[:, place]
        return np.asarray(np.linalg.solve(M, (tau - still)[..., None])[..., 0])

    def positions(self, theta: Array, windows: Windows, first: Array) -> Array:
        """(m, samples, n) from the states `first` (m, 2n), by Runge's and Kutta's fourth order, a step a sample; m goes
        over the windows, several times if there are several θ."""
        times = len(theta) // len(windows.q)
        own = theta[:, windows.places].reshape(times, len(windows.q), -1)
        rub = np.einsum("wtjk,ewk->ewtj", windows.given, own).reshape(len(theta), *windows.tau.shape[1:])
        u = np.tile(windows.tau, (times, 1, 1)) - rub
        n, h = u.shape[-1], windows.step
        q, qd = first[:, :n], first[:, n:]
        found: Array = np.empty(u.shape)
        found[:, 0] = q
        for k in range(1, u.shape[1]):
            middle = (u[:, k - 1] + u[:, k]) / 2
            a = self.acceleration(theta, q, qd, u[:, k - 1])
            b = self.acceleration(theta, q + h / 2 * qd, qd + h / 2 * a, middle)
            c = self.acceleration(theta, q + h / 2 * qd + h * h / 4 * a, qd + h / 2 * b, middle)
            d = self.acceleration(theta, q + h * qd + h * h / 2 * b, qd + h * c, u[:, k])
            q, qd = q + h * qd + h * h / 6 * (a + b + c), qd + h / 6 * (a + 2 * b + 2 * c + d)
            found[:, k] = q
        return found
