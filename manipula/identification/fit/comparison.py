"""Fits that are only compared: a recording at a low rate, a short way to the minimum, what is left of the torques."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manipula.identification.data import Data, Grams
from manipula.identification.estimators.entropic import bodies_at, from_the_prior
from manipula.identification.estimators.normal import Normal, normal_from, solve_normal, torque_squares
from manipula.identification.estimators.prior import Prior
from manipula.identification.filters import HIGHEST, WIDER, Smoother
from manipula.recordings.log import Log

Array = NDArray[np.float64]
POOR = 0.1  # of the torque left, all joints in one: slips are looked for
POOR_JOINT = 0.3  # of one joint's torque left
DEAD = 1e-4  # of the loudest joint's torque: less is a drive that is off, and its noise asks for no cause
CERTAIN = 0.3  # of a joint's torque: what a fit that compares slips takes for noise, so that Newton's way is short
FINER = 0.1  # the same where figures are given
WEIGHT = 10.0  # of the prior there
ROUGH = 1e-5  # of the squares of the torque: as far as Newton goes there
ROWS = 2000  # of the recording that is looked at
SLOWEST = 3.0  # Hz: no cut-off below is taken to have fewer rows
WINDOWS = 4  # stretches of time that a long recording is looked at in


@dataclass(frozen=True)
class Left:
    """What a fit leaves of the torque: of all joints in one, and the mean over joints, each in parts of its own."""

    whole: float
    balanced: float
    worst: float
    surprise: float  # how far the bodies are from those believed, the mean of tr X − log det X − 4

    @property
    def poor(self) -> bool:
        return self.whole > POOR or self.worst > POOR_JOINT


NO_FIT = Left(np.inf, np.inf, np.inf, np.inf)


def left_by(grams: Grams, prior: Prior, certain: float = CERTAIN) -> Left:
    """Of the entropic fit, every joint counted alike; everything where its bodies shrink to nothing."""
    loud, rows = torque_squares(grams), grams.rows.sum(0)
    if not rows.any():  # nothing moves: nothing is explained
        return NO_FIT
    try:
        theta = rough_fit(normal_from(grams, even_parts(loud, certain)), prior)
    except np.linalg.LinAlgError:
        return NO_FIT
    squares = grams.squares(theta).sum(0)
    shares = _shares(squares, loud, rows)
    whole = float(squares.sum() / max(float((loud * rows).sum()), 1e-300))
    X = bodies_at(prior, prior.coordinates(theta))
    surprise = np.trace(X, axis1=-2, axis2=-1) - np.linalg.slogdet(X)[1] - 4 if len(X) else np.zeros(1)
    return Left(
        float(np.sqrt(whole)), float(np.sqrt(shares.mean())), float(np.sqrt(shares.max())), float(surprise.mean())
    )


def balanced_by_any(grams: Grams) -> float:
    """What least squares leaves, the mean over joints, whether or not such bodies are possible."""
    loud, rows = torque_squares(grams), grams.rows.sum(0)
    squares = grams.squares(solve_normal(normal_from(grams, even_parts(loud, FINER))).theta).sum(0)
    return float(np.sqrt(_shares(squares, loud, rows).mean()))


def _shares(squares: Array, loud: Array, rows: Array) -> Array:
    """What is left of each joint's torque, in parts of it."""
    alive = loud > DEAD**2 * loud.max()
    return np.where(alive, squares / np.maximum(loud * rows, 1e-300), 0.0)


def left_out(grams: Grams, prior: Prior) -> Array:
    """Of every block, left out of the fit, the squares left, every joint in parts of its own torque."""
    w = even_parts(torque_squares(grams), CERTAIN)
    whole, found = normal_from(grams, w), []
    for b in range(grams.blocks):
        block = normal_from(grams, w, np.array([b]))
        try:
            found.append(max(block.cost(rough_fit(whole - block, prior)), 0.0))
        except np.linalg.LinAlgError:
            found.append(np.inf)
    return np.array(found)


def even_parts(loud: Array, certain: float) -> Array:
    """Weights of joints: each in parts of its own torque."""
    return np.where(loud > 0, 1 / np.where(loud > 0, certain**2 * loud, 1.0), 0.0)


def rough_fit(normal: Normal, prior: Prior) -> Array:
    """θ as far as comparisons need it."""
    own = normal.in_coordinates(prior.transform)
    return prior.transform @ from_the_prior(own, prior, ROUGH * normal.c / prior.weight)


def with_negated_torques(grams: Grams, joints: Sequence[int]) -> Grams:
    """As if some torques had been recorded with the other sign."""
    gram = grams.gram.copy()
    for j in joints:
        gram[:, j, -1, :-1] *= -1
        gram[:, j, :-1, -1] *= -1
    return Grams(gram, grams.rows)


def low_rate(data: Data) -> tuple[list[Log], float | None]:
    """The stretches of a recording, filtered and at so low a rate that a slip is tried in milliseconds; its cut-off."""
    motions = data.source.motions
    seconds = sum(float(m.t[-1] - m.t[0]) for m in motions)
    cutoffs = [m.smoother.cutoff for m in motions]
    given = min((x for x in cutoffs if x is not None), default=None)
    if given is None:
        every = max(1, sum(map(len, motions)) // ROWS)
        return [Log(m.t[::every], m.q[::every], m.tau[::every], m.qd[::every], m.qdd[::every]) for m in motions
                if len(m) // every > 8], None  # fmt: skip
    cutoff = min(given, max(SLOWEST, ROWS / (10 * max(seconds, 1e-9))))
    share = min(1.0, ROWS / (10 * cutoff * max(seconds, 1e-9)))
    found = []
    for m in motions:
        smooth = Smoother(m.smoother.rate, min(WIDER * cutoff, HIGHEST * m.smoother.rate))
        every = max(1, int(m.smoother.rate / (10 * cutoff)))
        q, tau = smooth.positions(m.q) if cutoff < given else m.q, smooth(m.tau)
        for first, last in _windows(len(m), share):
            part = slice(first, last, every)
            if (last - first) // every > 40:
                found.append(Log(m.t[part], q[part], tau[part]))
    return found or [Log(m.t, m.q, m.tau) for m in motions], cutoff


def _windows(size: int, share: float) -> list[tuple[int, int]]:
    """All of it, or stretches that are so large a share of it together, evenly apart."""
    if share > 0.99:
        return [(0, size)]
    long = int(size * share / WINDOWS)
    starts = np.linspace(0, size - long, WINDOWS).astype(int)
    return [(int(a), int(a) + long) for a in starts]
