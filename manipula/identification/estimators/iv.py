"""Instrumental variables: least squares with noisy columns is biased, for the noise correlates with itself; columns
Z along a motion without that noise ask the same of the parameters, and nothing of the noise.

    Σ_j w_j Z_jᵀY_j θ = Σ_j w_j Z_jᵀτ_j        w_j = 1/σ_j², anew from the residuals until θ settles
    S = (ZᵀWY)⁻¹ ZᵀWZ (ZᵀWY)⁻ᵀ

Source: A. Janot, P.-O. Vandanjon, M. Gautier, "A generic instrumental variable approach for industrial robot
identification", IEEE Transactions on Control Systems Technology 22(1), 2014. There Z is simulated with the robot's
controller, which no log has; here the arm is taken to follow what was asked of it (see `instruments`), which makes Z
correlate less with Y where it does not, so that σ grows, but no bias. S takes residuals for white: noise of encoders
that is differenced and not filtered lies above the instruments' band, and σ is then larger than it need be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from manipula.errors import InputError
from manipula.identification.data import Data, Grams, Source
from manipula.identification.estimators.normal import TELLABLE, paired_rows, weights_from
from manipula.identification.estimators.prior import Prior
from manipula.identification.filters import RecordedMotion, Smoother, found_cutoff, motion_of
from manipula.recordings.log import Log

# Instruments: columns along a motion that knows nothing of the encoders' noise, one for every stretch of a recording.
#
# The best is the motion that was requested, the log's `q_ref` (with `qd_ref`, `qdd_ref` where they were recorded). A
# log
# without it has only its own motion, smoothed where its spectrum meets its noise: what noise there is below that stays.


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
    wanted = motion.reference or _smooth_motion(motion)
    radii = {radius: float(radius) * source.columns.pace for radius in source.columns.radii()}
    return motion_of(wanted, motion.tau, motion.smoother, radii)


def _smooth_motion(motion: RecordedMotion) -> Log:
    rate = motion.smoother.rate
    cut = found_cutoff([Log(motion.t, motion.q)])
    if cut.frequency is None:
        raise InputError(
            "method 'iv': the log has no q_ref, and its own motion is lost in noise: there is no instrument"
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
            "no instrument; expected the motion requested, at the log's times, in radians or metres",
            name,
        )


Array = NDArray[np.float64]
TURNS = 30
SETTLED = 1e-9  # of the parameters' change, the columns at unit length


@dataclass(frozen=True)
class InstrumentSums:
    """Sums over rows, joint by joint, of the columns (the torque last) and of the instruments with them."""

    own: Grams  # [Y τ]ᵀ[Y τ]
    crossed: Array  # (n, p, p + 1): Zᵀ[Y τ]
    squares: Array  # (n, p, p): ZᵀZ


@dataclass(frozen=True)
class Solution:
    """θ with its covariance for independent rows; `seen` projects on what the instruments tell, `lengths` theirs."""

    theta: Array
    covariance: Array
    seen: Array
    lengths: Array


def iv(data: Data, prior: Prior, weights: Array) -> Array:
    """θ"""
    return instrumental(data, weights).theta


def instrumental(data: Data, weights: Array) -> Solution:
    """From the weights of another fit."""
    moments = _moments(data)
    if not moments.own.rows.sum():
        raise InputError(
            "method 'iv': nowhere does a joint move together with its instrument; is q_ref in time with q?"
        )
    found = _solve_instruments(moments, weights)
    for _ in range(TURNS):
        rank = round(float(np.trace(found.seen)))
        before, found = found, _solve_instruments(moments, weights_from(moments.own, found.theta, rank))
        change = found.lengths * (found.theta - before.theta)
        if not np.linalg.norm(change) > SETTLED * np.linalg.norm(found.lengths * found.theta):
            break
    return found


def _moments(data: Data) -> InstrumentSums:
    n, p = data.fit.gram.shape[1], len(data.columns)
    own, rows = np.zeros((1, n, p + 1, p + 1)), np.zeros((1, n), dtype=np.int64)
    crossed, squares = np.zeros((n, p, p + 1)), np.zeros((n, p, p))
    for pair in paired_rows(data, instruments_of(data)[0]):
        j, places, whole = pair.joint, np.append(pair.places, p), np.column_stack([pair.Y, pair.tau])
        own[0, j][np.ix_(places, places)] += whole.T @ whole
        crossed[j][np.ix_(pair.places, places)] += pair.Z.T @ whole
        squares[j][np.ix_(pair.places, pair.places)] += pair.Z.T @ pair.Z
        rows[0, j] += len(whole)
    return InstrumentSums(Grams(own, rows), crossed, squares)


def _solve_instruments(moments: InstrumentSums, weights: Array) -> Solution:
    """Among the sums of parameters that the instruments tell, their columns at unit length."""
    crossed, squares = (np.einsum("j,jkl->kl", weights, x) for x in (moments.crossed, moments.squares))
    lengths = np.sqrt(np.maximum(np.diag(squares), 0.0))
    scale = np.where(lengths > 0, 1 / np.where(lengths > 0, lengths, 1.0), 0.0)
    values, vectors = eigh(squares * np.outer(scale, scale))
    told = vectors[:, values > TELLABLE * max(float(values[-1]), 0.0)]
    V = scale[:, None] * told
    small = V.T @ crossed[:, :-1] @ V
    sizes = np.linalg.svd(small, compute_uv=False)
    if not sizes[-1] > TELLABLE * sizes[0]:
        raise InputError(
            "method 'iv': the instruments do not move with the columns: q_ref is not what the arm followed"
        )
    inverse = V @ np.linalg.inv(small) @ V.T
    return Solution(inverse @ crossed[:, -1], inverse @ squares @ inverse.T, told @ told.T, lengths)
