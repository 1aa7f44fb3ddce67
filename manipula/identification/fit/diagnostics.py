"""What makes a fit doubtful, in sentences; and recordings that tell nothing, refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from manipula.messages import Message, in_a_row
from manipula.recordings.log import Log

Array = NDArray[np.float64]
POOR = 0.5  # of a joint's torque left unexplained: something else is the matter
WELL = 1e-3  # of the squares of the torque: what is left of a fit that nobody need doubt
GUESSED = 0.9  # of the squares about its mean that a joint's torque keeps where nothing can be predicted
WORSE = 1.15  # a consistent fit that leaves so much more than least squares
WEAK = 3.0  # an instrumental fit that leaves so much more
CHANGED, CHANGED_ERROR = 0.1, 0.05  # in logarithms of torques; of the torque left: less is no reason to look
FEW = 10  # rows for every parameter
FASTER = 1.2  # motions beyond those of the training
ABOVE = 2.0  # times the training's error: a validation that says something
POORLY = 0.01  # of the torque left: a validation below is good whatever the training's is
UNLOADED = 0.2  # of the torque that a resting arm asks for: less comes from drives that are off
LONG = 0.02  # of the samples: so many are worth a sentence


def refuse_silent(data: Data) -> None:
    """Raises where nothing moves or no torque was recorded."""
    names = data.rows
    if not data.fit.rows.sum():
        raise InputError(
            "identify: no joint ever moves faster than 0.01 rad/s (0.001 m/s of joints that slide): such a "
            "recording identifies no inertia and no friction; are its times in seconds and its angles in radians?"
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
        yield Message("{rows} rows for {many} parameters: most of what is said here is the prior's", rows, many)


def _still(data: Data) -> Iterator[str]:
    felt, moved = data.source.columns.motor_rows, np.any([rows.any(axis=0) for rows in data.rows_in_motion], axis=0)
    unseen = [j for j in range(len(data.rows)) if felt[j] and not data.fit.rows[:, j].sum()]
    still, dead = ([data.rows[j] for j in unseen if moved[j] == way] for way in (False, True))
    for name in dead if dead and not _saturated(data) else ():
        yield Message(
            "{joint}: its torque never changes while it moves, as of a drive that is off: it is left out of the fit, "
            "and friction and motor inertia are those of the prior, or unknown", name,
        )  # fmt: skip
    if still:
        yield Message(
            "{joints} never move: their friction and motor inertia are those of the prior, or unknown"
            if len(still) > 1
            else "{joints} never moves: its friction and motor inertia are those of the prior, or unknown",
            in_a_row(still),
        )


def _saturated(data: Data) -> bool:
    return any(motion.saturated is not None and motion.saturated.any() for motion in data.source.motions)


def _saturation_warnings(data: Data) -> Iterator[str]:
    flags = [m.saturated for m in data.source.motions if m.saturated is not None]
    if not flags:
        return
    share = np.concatenate(flags).mean(axis=0)
    held = [(name, part) for name, part in zip(data.rows, share) if part > 0]
    if len(held) > 1:
        told = ", ".join(f"{name} {part:.1%}" for name, part in held)
        yield Message("torques stand at their limits in samples that the fit leaves out: {told}", told)
    for name, part in held if len(held) == 1 else ():
        yield Message(
            "{name}: its torque stands at its limit in {part:.1%} of the samples, which the fit leaves out", name, part
        )


def brake_warnings(data: Data, theta: Array) -> Iterator[Message]:
    """An arm that rests with hardly a torque where the model needs one."""
    tau, left = np.concatenate(data.torques), np.concatenate(data.residuals(theta))
    rests = ~np.concatenate(data.rows_in_motion).any(axis=1)
    held = rests & (np.linalg.norm(tau, axis=1) < UNLOADED * np.linalg.norm(tau - left, axis=1))
    if held.mean() > LONG:
        yield Message(
            "in {share:.0%} of the samples the arm rests with hardly a torque: were brakes closed, or drives off? They "
            "are not fitted, but count in the error of the whole and at rest; judge by the error of moving joints",
            held.mean(),
        )


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


def learnt_from(train: Sequence[Log], log: Log, where: str) -> Iterator[str]:
    """A validation that is a recording of the training."""
    if any(_alike(known.q, log.q) and _alike(known.tau, log.tau) for known in train):
        yield Message("{where}: the fit has learnt from this recording: its error says nothing of other motions", where)


def _alike(one: Array | None, other: Array | None) -> bool:
    return one is not None and other is not None and one.shape == other.shape and bool(np.allclose(one, other))


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
        yield Message(
            "plain least squares leaves {ratio:.2g} times less than this fit: no possible arm of these columns "
            "explains the recording as well; a column is missing (a tilted base, a cable, an elastic joint?)",
            ratio,
        )


def changed(data: Data, theta: Array) -> Iterator[str]:
    """Torques that are larger from some time on than the model, fitted to all of them, has them."""
    t = np.concatenate([motion.t[motion.kept] for motion in data.source.motions])
    loud = np.maximum(torque_squares(data.fit), 1e-300)
    left = data.fit.squares(theta).sum() / max(float((loud * data.fit.rows.sum(0)).sum()), 1e-300)
    if left < CHANGED_ERROR**2 or (np.diff(t) <= 0).any():
        return
    y = np.append(theta, 0.0)
    size = np.einsum("bjkl,k,l->bj", data.fit.gram, y, y) / loud
    factors = (data.fit.gram[:, :, -1, :] @ y / loud).sum(1) / np.maximum(size.sum(1), 1e-300)
    splits = [(factors[:k], factors[k:]) for k in range(1, len(factors))]
    k = int(np.argmin([before.var() * len(before) + after.var() * len(after) for before, after in splits]))
    before, after = splits[k]
    ratio, spread = after.mean() / before.mean(), max(before.std(), after.std())
    if before.mean() > 0 and abs(np.log(max(ratio, 1e-9))) > CHANGED and abs(after.mean() - before.mean()) > 3 * spread:
        yield Message(
            "from about {t:.3g} s on torques are {ratio:.2f} times as large as before, by the model: did a gain or a "
            "payload change? Identify the parts apart: log.between(…)", t[len(t) * (k + 1) // len(factors)], ratio,
        )  # fmt: skip


def weak(data: Data, theta: Array, weights: Array) -> Iterator[str]:
    """Of a fit by instruments that leaves far more than least squares does."""
    normal = normal_from(data.fit, weights)
    ours, theirs = (max(normal.cost(x), 0.0) for x in (theta, solve_normal(normal).theta))
    if ours > WEAK**2 * theirs and ours > WELL * normal.c:
        ratio = np.sqrt(ours / max(theirs, 1e-300))
        yield Message(
            "method 'iv' leaves {ratio:.2g} times more than least squares: q_ref is too far from the motion to stand "
            "for it, unless the positions are very noisy",
            ratio,
        )


def beyond(data: Data, other: Data, prior: str | None, where: str) -> list[str]:
    """Is the other recording faster than those of the training? Without a prior nothing holds a fit there."""
    ours, theirs = _pace(data), _pace(other)
    fast = [j for j in range(len(ours)) if theirs[j] > FASTER * ours[j] and ours[j] > 0]
    if not fast:
        return []
    worst = max(fast, key=lambda j: theirs[j] / ours[j])
    name, ratio = data.robot.joint_names[worst], theirs[worst] / ours[worst]
    return [
        Message(
            "{where} moves up to {ratio:.1f} times faster than the training ({name}): without a prior such predictions "
            "are extrapolations, and often wrong"
            if prior is None
            else "{where} moves up to {ratio:.1f} times faster than the training ({name}): it is an extrapolation",
            where,
            ratio,
            name,
        )
    ]


def _pace(data: Data) -> Array:
    """Of every joint the speed that one sample in a hundred exceeds."""
    return np.asarray(np.quantile(np.concatenate([np.abs(m.qd) for m in data.source.motions]), 0.99, axis=0))
