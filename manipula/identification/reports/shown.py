"""What a page reads of a result, and the arrays behind its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from manipula.identification.data import Data

Array = NDArray[np.float64]


class Shown(Protocol):
    """What is told: `Found`."""

    @property
    def method(self) -> str: ...
    @property
    def prior(self) -> str | None: ...
    @property
    def filter(self) -> tuple[str, ...]: ...
    @property
    def correlation(self) -> float: ...
    @property
    def train(self) -> Any: ...
    @property
    def validation(self) -> Sequence[Any]: ...
    @property
    def choices(self) -> Sequence[Any]: ...
    @property
    def blocks(self) -> Sequence[float]: ...
    @property
    def warnings(self) -> Sequence[str]: ...
    @property
    def theta(self) -> Array: ...
    @property
    def data(self) -> Data: ...
    @property
    def judged(self) -> Sequence[Data]: ...
    @property
    def parameters(self) -> Any: ...
    @property
    def base_parameters(self) -> Any: ...
    @property
    def consistent(self) -> bool: ...
    @property
    def extra(self) -> dict[str, float]: ...


@dataclass(frozen=True, eq=False)
class Course:
    """Recorded and predicted torques of the rows kept, (rows, n), all stretches behind each other. `clock` runs on from
    one stretch to the next."""

    clock: Array
    measured: Array
    predicted: Array
    velocity: Array
    stretches: list[tuple[float, Array]]  # (rows a second, residuals)

    @property
    def residual(self) -> Array:
        return self.measured - self.predicted


def course_of(data: Data, theta: Array) -> Course:
    measured, predicted = data.torques, data.predicted(theta)
    motions = data.source.motions
    paces = [motion.smoother.rate / motion.smoother.step for motion in motions]
    clocks, end = [], 0.0
    for times, pace in zip(data.times, paces):
        clocks.append(times - times[0] + end)
        end = float(clocks[-1][-1]) + 1 / pace
    return Course(
        np.concatenate(clocks), np.concatenate(measured), np.concatenate(predicted),
        np.concatenate([motion.qd[motion.kept] for motion in motions]),
        [(pace, a - b) for pace, a, b in zip(paces, measured, predicted)],
    )  # fmt: skip


def spectrum(course: Course, joint: int, bins: int = 200) -> tuple[Array, Array]:
    """(Hz, amplitude): of the longest stretch, a Hann window over it, neighbours put together by their mean square."""
    pace, residual = max(course.stretches, key=lambda pair: len(pair[1]))
    own = residual[:, joint] - residual[:, joint].mean()
    window = np.hanning(len(own))
    power = np.abs(np.fft.rfft(own * window)) ** 2 * 4 / max(float(window.sum()) ** 2, 1e-300)
    hertz = np.fft.rfftfreq(len(own), 1 / pace)
    parts = np.array_split(np.arange(1, len(hertz)), min(bins, max(1, len(hertz) - 1)))
    parts = [part for part in parts if len(part)]
    return np.array([hertz[p].mean() for p in parts]), np.sqrt(np.array([power[p].mean() for p in parts]))


def singular_values(data: Data) -> Array:
    """Of the columns of the fit, each scaled to length one, the largest first; columns felt nowhere are out."""
    A = data.fit.normal()[0]
    lengths = np.sqrt(np.maximum(np.diag(A), 0.0))
    felt = lengths > 0
    scaled = A[np.ix_(felt, felt)] / np.outer(lengths[felt], lengths[felt])
    return np.sqrt(np.maximum(np.linalg.eigvalsh(scaled)[::-1], 0.0))
