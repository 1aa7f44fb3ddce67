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
    try:
        errors = [_error(one, every[-1], prior, np.minimum(weights, most)) for one in every]
    except np.linalg.LinAlgError:  # bodies shrink to nothing: the fit that follows says so
        return own
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
        found.append(motion.log(every, tau))
    return found


# Where a recorded torque ends: the frequency beyond which it no longer has what the motion asks for.
#
# Drives and recorders filter torques, some below the motion's own band. What the model asks for beyond that end is not
# in
# the recording: it would be an error of no parameter. Over bands of frequency, the joints weighted by their noise,
#
#     gain = Σ Re(τ̂* τ) / Σ |τ̂|²        τ̂ the torque of a first fit, τ the recorded one
#
# Noise of the torque does not lower the gain, a filter of the torque does, and so does noise of the motion. The end is
# where it falls to 1/2 for good; the cut-off lies half an octave below, so that the filter, 1/(1 + 2⁴) there, has left
# nothing of it.

BANDS = 4  # of an octave
GAIN = 0.5
BELOW = 2**0.5  # of the end, the cut-off: half an octave
PREDICTED = 0.99  # of the predicted power that must lie below: else it is the model that is wrong, not the torque


def torque_end(asked: Sequence[Array], recorded: Sequence[Array], rates: Sequence[float], weights: Array) -> float:
    """Hz; infinite where the torque has all that the model asks for. Lists have an entry a stretch, (rows, n) at so
    many rows a second; `weights` are 1/σ² of the joints."""
    slowest, fastest = min(rate / len(x) for x, rate in zip(asked, rates)), max(rates) / 2
    count = int(np.ceil(BANDS * np.log2(fastest / slowest))) + 1
    sums = np.zeros((2, count))
    for x, y, rate in zip(asked, recorded, rates):
        f, power, shared = _spectra(x, y, rate, weights)
        place = np.clip((BANDS * np.log2(f / slowest)).astype(int), 0, count - 1)
        sums += [np.bincount(place, values, count) for values in (power, shared)]
    return _band_end(sums[0], sums[1], slowest)


def _spectra(asked: Array, recorded: Array, rate: float, weights: Array) -> tuple[Array, Array, Array]:
    """Frequencies above zero, |τ̂|² and Re(τ̂* τ)."""
    window = np.sin(np.pi * (np.arange(len(asked)) + 0.5) / len(asked))[:, None] ** 4
    first, second = (np.fft.rfft((x - x.mean(0)) * window, axis=0)[1:] for x in (asked, recorded))
    f = np.asarray(np.fft.rfftfreq(len(asked), 1 / rate), float)[1:]
    return f, np.abs(first) ** 2 @ weights, (first.conj() * second).real @ weights


def _band_end(power: Array, shared: Array, slowest: float) -> float:
    """Where the gain falls to a half and stays below, between the middles of two bands."""
    felt = np.flatnonzero(power > 0)
    gain, middle = shared[felt] / power[felt], slowest * 2 ** ((felt + 0.5) / BANDS)
    passed = np.flatnonzero(gain >= GAIN)
    if not len(passed) or (last := passed[-1]) + 1 == len(felt):
        return np.inf
    if power[felt[: last + 1]].sum() < PREDICTED * power.sum():
        return np.inf
    part = (gain[last] - GAIN) / (gain[last] - gain[last + 1])
    return float(middle[last] * (middle[last + 1] / middle[last]) ** part)
