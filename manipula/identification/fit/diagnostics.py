"""What makes a fit doubtful, in sentences; and recordings that tell nothing, refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.identification.data import Data, Grams
from manipula.identification.estimators.entropic import entropic_from
from manipula.identification.estimators.normal import joint_variances, normal_from, solve_normal, torque_squares
from manipula.identification.estimators.prior import Prior
from manipula.identification.fit.comparison import FINER, rough_fit
from manipula.identification.fit.hypotheses import Explanation
from manipula.identification.fit.other_robots import OtherRobot
from manipula.identification.fit.to_robot import consistent
from manipula.mechanics.robot.friction import Offset
from manipula.messages import Message
from manipula.recordings.log import Log

Array = NDArray[np.float64]
Changed = Callable[[Callable[[Log], Log]], Data]  # the recording gathered again, its logs changed
POOR = 0.5  # of a joint's torque left unexplained: something else is the matter
BETTER = 0.6  # of what is left, at most, when the right cause is found
WELL = 1e-3  # of the squares of the torque: what is left of a fit that nobody need doubt
GUESSED = 0.9  # of the squares about its mean that a joint's torque keeps where nothing can be predicted
WORSE = 1.15  # a consistent fit that leaves so much more than least squares
WEAK = 3.0  # an instrumental fit that leaves so much more
FEW = 10  # rows for every parameter
FASTER = 1.2  # motions beyond those of the training
ABOVE = 2.0  # times the training's error: a validation that says something


def refuse_silent(data: Data) -> None:
    """Raises where nothing moves or no torque was recorded."""
    names = data.rows
    if not data.fit.rows.sum():
        raise InputError(
            "identify: no joint ever moves faster than 0.01 rad/s (0.001 m/s of joints that slide): such a "
            "recording tells no inertia and no friction; are its times in seconds and its angles in radians?"
        )
    loud = torque_squares(data.judge)
    if not (loud > 0).any():
        raise InputError("identify: every torque is zero; expected what the motors gave, N·m or N")
    flat = [names[j] for j in range(len(names)) if _constant(data.judge, j, data)]
    if len(flat) == len(names):
        raise InputError("identify: no torque ever changes; expected what the motors gave, N·m or N")


def _constant(grams: Grams, j: int, data: Data) -> bool:
    """Is a joint's torque the same all the time?"""
    column = np.concatenate([tau[:, j] for tau in data.torques])
    return bool(np.ptp(column) <= 1e-9 * max(float(np.abs(column).max()), 1e-300))


def refuse_noise(data: Data, prior: Prior, weights: Array) -> None:
    """Raises where the motion predicts no joint's torque better than the mean of that torque does."""
    loud = torque_squares(data.fit)
    most = np.where(loud > 0, 1 / np.where(loud > 0, FINER**2 * loud, 1.0), 0.0)  # trust that Newton's way is short by
    try:
        left, spread = left_out(data.fit, prior, np.minimum(weights, most)), about_mean(data)
    except np.linalg.LinAlgError:  # bodies shrink to nothing, by rounding already here: the fit itself says so
        return
    felt = spread > 0
    share = float(1 - (left[felt] / spread[felt]).min()) if felt.any() else 0.0
    if share < 1 - GUESSED:
        asked = Message("do torques and positions belong together, sample by sample, and to this robot?")
        raise InputError(
            "identify: no information: on blocks of the recording left out of the fit, the motion predicts {share:.0%} "
            "of the best joint's torque; {told}",
            max(share, 0.0),
            asked,
        )


def left_out(grams: Grams, prior: Prior, weights: Array) -> Array:
    """Of every joint the squares that are left on blocks which the fit did not see."""
    found = np.zeros(grams.gram.shape[1])
    whole = normal_from(grams, weights)
    for b in range(len(grams.gram)):
        block = np.array([b])
        theta = rough_fit(whole - normal_from(grams, weights, block), prior)
        found += grams.squares(theta)[b]
    return found


def about_mean(data: Data) -> Array:
    """Of every joint the squares of its torque about its mean, over the rows of the fit."""
    grams, found = data.fit, data.fit.gram[:, :, -1, -1].sum(0).copy()
    for k, column in enumerate(data.columns):
        if column.family == Offset.key and column.joint is not None:
            rows, sums = grams.gram[:, column.joint, k, k].sum(), grams.gram[:, column.joint, k, -1].sum()
            found[column.joint] -= sums**2 / rows if rows > 0 else 0.0
    return np.asarray(np.maximum(found, 0.0))


# sentences


def suspicions(data: Data, prior: Prior, weights: Array, slips: Explanation | OtherRobot | None) -> list[str]:
    """What training makes doubtful, what weighs most first."""
    poor = _poor(data, prior, weights) if slips is None else [slips.warning_message()]
    return [*poor, *_saturation_warnings(data), *_still(data), *_few(data)]


def _few(data: Data) -> Iterator[str]:
    rows, many = int(data.fit.rows.sum()), len(data.columns)
    if rows < FEW * many:
        yield f"{rows} rows for {many} parameters: most of what is said here is the prior's"


def _still(data: Data) -> Iterator[str]:
    for j, name in enumerate(data.rows):
        if data.source.columns.felt[j] and not data.fit.rows[:, j].sum():
            yield f"{name} never moves: its friction and motor inertia are those of the prior, or unknown"


def _saturation_warnings(data: Data) -> Iterator[str]:
    flags = [m.saturated for m in data.source.motions if m.saturated is not None]
    if not flags:
        return
    share = np.concatenate(flags).mean(axis=0)
    for name, part in zip(data.rows, share):
        if part > 0:
            yield f"{name}: its torque stands at its limit in {part:.1%} of the samples, which the fit leaves out"


def _poor(data: Data, prior: Prior, weights: Array) -> Iterator[str]:
    """Joints whose torque a possible arm does not explain, where no slip does."""
    normal, names = normal_from(data.fit, weights), data.rows
    left = shares(data.fit, entropic_from(normal, prior))
    bad = [int(j) for j in np.flatnonzero(left > POOR)]
    if not bad:
        return
    told = ", ".join(f"{names[j]} {min(left[j], 9.99):.0%}" for j in bad)
    free = shares(data.fit, solve_normal(normal).theta)
    wrong = (free[bad] > POOR / 2).all() or 2 * len(bad) >= len(names)
    yield Message(
        "much of the torque is left unexplained: {told}; signs, order, zeros and units of joints, mounting and coupled "
        "motors were tried, and none explains it. {other}",
        told,
        Message("Is it a recording of this robot?") if wrong else Message("Is there a payload, a cable, a spring?"),
    )


def far_above(found: Any, judged: Any, where: str) -> Iterator[str]:
    """Validation far above training, and joints that zero would predict better."""
    usual = max(found.train.whole, *found.blocks, 0.0)
    if judged.whole > ABOVE * usual and judged.whole > 100 * POORLY:
        yield Message(
            "{where}: its error of {error:.3g} % is {ratio:.2g} times that of the training: the training does not "
            "show what this motion needs, or the model lacks a term",
            where,
            judged.whole,
            judged.whole / max(usual, 1e-9),
        )
    for name, error in zip(found.data.rows, judged.joints):
        if error > 100:
            yield Message("{where}: joint {name} is predicted worse than by zero ({error:.0f} %)", where, name, error)


def shares(grams: Grams, theta: Array) -> Array:
    """Of every joint the share of its rms torque that is left; 0 of one without rows."""
    loud = torque_squares(grams)
    return np.where(loud > 0, np.sqrt(joint_variances(grams, theta) / np.where(loud > 0, loud, 1.0)), 0.0)


def worse(data: Data, theta: Array, weights: Array) -> Iterator[str]:
    """Of a consistent fit by least squares, when an inconsistent one explains far more."""
    if not consistent(data.columns, theta):
        return
    normal = normal_from(data.fit, weights)
    free = solve_normal(normal).theta
    ours, theirs = max(normal.cost(theta), 0.0), max(normal.cost(free), 0.0)
    if ours > WORSE**2 * theirs and ours > 1e-6 * normal.c:
        ratio = np.sqrt(ours / max(theirs, 1e-300))
        yield (
            f"plain least squares leaves {ratio:.2g} times less than this fit: no possible arm of these columns "
            "explains the recording as well; a column is missing (a tilted base, a cable, an elastic joint?)"
        )


def weak(data: Data, theta: Array, weights: Array) -> Iterator[str]:
    """Of a fit by instruments that leaves far more than least squares does."""
    normal = normal_from(data.fit, weights)
    ours, theirs = (max(normal.cost(x), 0.0) for x in (theta, solve_normal(normal).theta))
    if ours > WEAK**2 * theirs and ours > WELL * normal.c:
        ratio = np.sqrt(ours / max(theirs, 1e-300))
        yield (
            f"method 'iv' leaves {ratio:.2g} times more than least squares: q_ref is too far "
            "from the motion to stand for it, unless the positions are very noisy"
        )


def beyond(data: Data, other: Data, prior: str | None, where: str) -> list[str]:
    """Is the other recording faster than those of the training? Without a prior nothing holds a fit there."""
    ours, theirs = _pace(data), _pace(other)
    fast = [j for j in range(len(ours)) if theirs[j] > FASTER * ours[j] and ours[j] > 0]
    if not fast:
        return []
    worst = max(fast, key=lambda j: theirs[j] / ours[j])
    name, ratio = data.robot.joint_names[worst], theirs[worst] / ours[worst]
    told = f"{where} moves up to {ratio:.1f} times faster than the training ({name})"
    doubt = (
        "without a prior such predictions are extrapolations, and often wrong"
        if prior is None
        else "it is an extrapolation"
    )
    return [f"{told}: {doubt}"]


def _pace(data: Data) -> Array:
    """Of every joint the speed that one sample in a hundred exceeds."""
    return np.asarray(np.quantile(np.concatenate([np.abs(m.qd) for m in data.source.motions]), 0.99, axis=0))


# Torques that were recorded later, or earlier, than the positions beside them: a drive's filter, another bus.
#
# Moved in time by δ, torques leave other squares, near their least a parabola in δ: three fits locate it, and a
# fourth whether that explains what the first one left.

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
    before, after = (_left(changed(partial(shift_torques, seconds=x)), weights) for x in (-step, step))
    bend = before - 2 * now + after
    delay = step / 2 * (before - after) / bend if bend > 0 else np.copysign(step, before - after)
    if not 0 < abs(delay) <= FARTHEST * period:
        return
    then = _left(changed(partial(shift_torques, seconds=delay)), weights)
    if then < BETTER**2 * now:
        way = "later" if delay > 0 else "earlier"
        yield (
            f"torques seem to be recorded {1e3 * abs(delay):.2g} ms {way} than positions: moved by that, the fit "
            f"leaves {np.sqrt(then / now):.0%} of what it leaves now"
        )


def shift_torques(log: Log, seconds: float) -> Log:
    """The log with the torques of so much later."""
    assert log.tau is not None
    return replace(log, tau=np.stack([np.interp(log.t + seconds, log.t, x) for x in log.tau.T], axis=1))


def _left(data: Data, weights: Array) -> float:
    """What least squares leaves, in squares."""
    normal = normal_from(data.fit, weights)
    return max(normal.cost(solve_normal(normal).theta), 0.0)
