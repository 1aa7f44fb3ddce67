"""The automatic cut-off, judged by prediction: which filter finds the arm that predicts blocks of time left out best?

The spectrum of the positions gives a cut-off f₀ that keeps all of the motion; jitter and rounding are taken for motion,
so that it may be far too high. Lower ones are tried, f₀/2, f₀/4 …, down to where the band of the predicted torque
begins. Every one gives parameters from the other blocks; all are judged on the same torques through one filter, the
lowest. The lowest cut-off that predicts nearly as well as the best is taken: it shows the least noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from manipula.identification.data import Data
from manipula.identification.estimators.entropic import from_the_prior
from manipula.identification.estimators.normal import Normal, normal_from, torque_squares
from manipula.identification.estimators.prior import Prior
from manipula.identification.filters import HIGHEST, WIDER, Cutoff, Same, Smoother
from manipula.messages import Message
from manipula.recordings.log import Log

Array = NDArray[np.float64]
BAND = 0.01  # of the predicted torque's power that may lie beyond the lowest cut-off
BEYOND = 2.0  # times that band: the lowest cut-off
STEP = 2.0  # from one cut-off to the next
MOST = 6  # of them
NEARLY = 1.01  # times the least error on blocks left out
ROWS_PER_PERIOD = 10  # of the highest cut-off, in the recordings that are compared
CERTAIN = 0.02  # of a joint's torque: no more trust than that in a fit that is compared
ENOUGH = 1e-4  # decrement² of such a fit

Gather = Callable[[Sequence[Log], Same], Data]


def choose_cutoff(data: Data, prior: Prior, theta: Array, weights: Array, gather: Gather) -> Cutoff:
    """`theta` is a first fit to the data, which have the cut-off f₀; `gather` makes data of other logs."""
    smoothers = [motion.smoother for motion in data.source.motions]
    highest = max(smoothers, key=lambda x: x.cutoff or 0.0)
    if highest.cutoff is None:
        return Cutoff(None, highest.reason)
    own = Cutoff(highest.cutoff, highest.reason, highest.motion)
    least = BEYOND * torque_band(data.predict(theta), data.torques, [x.rate / x.step for x in smoothers], weights)
    count = min(MOST, 1 + int(np.log(max(highest.cutoff / max(least, 1e-9), 1.0)) / np.log(STEP)))
    if count < 2:
        return own
    tried = [highest.cutoff / STEP**k for k in range(count)]
    logs = lower_rate(data, highest.cutoff)
    every = [gather(logs, Same(Cutoff(hertz, "", highest.motion))) for hertz in tried]
    loud = torque_squares(every[-1].fit)
    most = np.where(loud > 0, 1 / np.where(loud > 0, CERTAIN**2 * loud, 1.0), 0.0)
    errors = [_error(one, every[-1], prior, np.minimum(weights, most)) for one in every]
    good = [k for k, error in enumerate(errors) if error <= NEARLY * min(errors)]
    chosen = max(good)
    if not chosen:
        return own
    reason = Message(
        "blocks of the recording left out are predicted to {error:.3g} % through {judge:.2g} Hz, with {first:.3g} Hz "
        "to {other:.3g} %",
        errors[chosen], tried[-1], tried[0], errors[0],
    )  # fmt: skip
    return Cutoff(tried[chosen], reason, highest.motion)


def _error(data: Data, judge: Data, prior: Prior, weights: Array) -> float:
    """% of the judge's torques that parameters of the other blocks leave, joints weighted by their noise."""
    whole = normal_from(data.fit, weights)
    left = loud = 0.0
    for b in range(data.fit.blocks):
        block = np.array([b])
        theta = _fitted(whole - normal_from(data.fit, weights, block), prior)
        left += float(judge.fit.squares(theta)[b] @ weights)
        loud += float(judge.fit.gram[b, :, -1, -1] @ weights)
    return 100 * float(np.sqrt(left / max(loud, 1e-300)))


def _fitted(normal: Normal, prior: Prior) -> Array:
    own = normal.in_coordinates(prior.transform)
    return prior.transform @ from_the_prior(own, prior, ENOUGH)


def torque_band(predicted: Sequence[Array], recorded: Sequence[Array], rates: Sequence[float], weights: Array) -> float:
    """Hz below which nearly all of the power lies that predicted and recorded torques share, joints weighted by their
    noise: noise of the positions is in the one, noise of the torques in the other."""
    found = []
    for first, second, rate in zip(predicted, recorded, rates):
        window = np.sin(np.pi * (np.arange(len(first)) + 0.5) / len(first))[:, None] ** 2
        a, b = (np.fft.rfft((x - x.mean(0)) * window, axis=0) for x in (first, second))
        shared = np.cumsum((a.conj() * b).real @ weights)
        f = np.fft.rfftfreq(len(first), 1 / rate)
        found.append(float(f[int(np.argmax(shared >= (1 - BAND) * shared.max()))]))
    return max(found)


def lower_rate(data: Data, cutoff: float) -> list[Log]:
    """The stretches with as few samples as the highest cut-off needs."""
    found = []
    for motion in data.source.motions:
        rate = motion.smoother.rate
        every = max(1, int(rate / (ROWS_PER_PERIOD * cutoff)))
        smooth = Smoother(rate, min(WIDER * cutoff, HIGHEST * rate))
        tau = smooth(motion.tau) if every > 1 else motion.tau
        found.append(Log(motion.t[::every], motion.q[::every], tau[::every]))
    return found
