"""How far predicted torques are from recorded ones: through the filter of the fit, through a named one, and raw.

Errors through other filters are other numbers: a low cut-off hides noise. To be compared, two models are judged through
one filter, on the same samples; beside what was found stands plain least squares on the same data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manipula.identification.columns import FAMILY as SPRING
from manipula.identification.columns import INERTIAL
from manipula.identification.data import CHUNK, Data, first_fit
from manipula.identification.filters import RecordedMotion, Smoother
from manipula.identification.joint_model import JointModel
from manipula.messages import Message
from manipula.support.text import plain

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Errors:
    """100·‖τ − τ̂‖/‖τ‖ of a log, all joints in one: over the whole of it, where joints move, joint by joint, and where
    joints are at rest (NaN: nowhere)."""

    whole: float
    moving: float
    joints: tuple[float, ...]
    rest: float = float("nan")

    def as_dict(self) -> dict[str, object]:
        found: dict[str, object] = plain(dict(vars(self)))
        return found

    def __str__(self) -> str:
        return f"{self.whole:.2f} % (moving {self.moving:.2f} %)"


def errors_of(data: Data, theta: Array) -> Errors:
    """From the residuals along time; recorded and predicted torques have gone through the same filter."""
    residual, torque = np.concatenate(data.residuals(theta)), np.concatenate(data.torques)
    return _errors(residual, torque, np.concatenate(data.rows_in_motion))


def _errors(residual: Array, torque: Array, moving: NDArray[np.bool_]) -> Errors:
    return Errors(
        _percent(residual, torque),
        _percent(residual[moving], torque[moving]),
        tuple(_percent(residual[:, j], torque[:, j]) for j in range(torque.shape[1])),
        _percent(residual[~moving], torque[~moving]),
    )


def _percent(residual: Array, torque: Array) -> float:
    loud = float(np.linalg.norm(torque))
    return 100 * float(np.linalg.norm(residual)) / loud if loud > 0 else float("nan")


@dataclass(frozen=True)
class Judged:
    """A recording (0: the training, 1 … those of the validation) judged through a filter: what was found, and plain
    least squares (motor inertia, viscous and Coulomb friction, offsets) on the same data."""

    place: int
    judge: str
    found: Errors
    plain: Errors


def compare(data: Data, others: Sequence[Data], theta: Array, hertz: Sequence[float]) -> Iterator[Judged]:
    """Of every recording: through the filter of the fit, through those given, and the raw torque."""
    plain_theta = plain_least_squares(data)
    for place, one in enumerate((data, *others)):
        both = (theta, plain_theta)
        yield Judged(place, Message("the filter of the fit"), *(errors_of(one, x) for x in both))
        # once for all filters: a torque is computed from raw motion, and filtered after
        along = [torques_along(one, x) for x in both]
        for cutoff in (*hertz, None):
            name = Message("raw torque") if cutoff is None else Message("{cutoff:g} Hz", cutoff)
            yield Judged(place, name, *(_judged(one, predicted, cutoff) for predicted in along))


def plain_least_squares(data: Data) -> Array:
    """Every joint alike, without a prior; columns beyond those that every arm has are zero."""
    always = (INERTIAL, SPRING, *JointModel().families)
    kept = [column.family in always for column in data.columns]
    theta = np.zeros(len(data.columns))
    # on the rows of the fit, so that both models have learnt from the same
    theta[kept] = first_fit(data.subset(kept).fit)
    return theta


def _judged(data: Data, predicted: Sequence[Array], cutoff: float | None) -> Errors:
    residuals, torques, moving = [], [], []
    for motion, found in zip(data.source.motions, predicted):
        # from half the rate on there is nothing left to cut off
        usable = cutoff is not None and cutoff < motion.smoother.rate / 2
        judge = Smoother(motion.smoother.rate, cutoff if usable else None)
        residuals.append(judge(motion.tau - found))
        torques.append(judge(motion.tau))
        moving.append(data.source.rows_in_motion(motion))
    return _errors(np.concatenate(residuals), np.concatenate(torques), np.concatenate(moving))


def torques_along(data: Data, theta: Array) -> list[Array]:
    """Of every stretch the torques (time, n) at its own samples, not filtered."""
    whole = np.zeros(len(data.source.columns.columns))
    whole[data.places] = theta
    return [_along(data, motion, whole) for motion in data.source.motions]


def torques_at(data: Data, theta: Array, times: Array) -> Array:
    """The same at any times of the recording."""
    found = np.concatenate(torques_along(data, theta))
    own = np.concatenate([motion.t for motion in data.source.motions])
    if len(own) == len(times) and np.allclose(own, times, rtol=0, atol=1e-9):
        return found
    return np.stack([np.interp(times, own, column) for column in found.T], axis=1)


def _along(data: Data, motion: RecordedMotion, theta: Array) -> Array:
    found, columns = np.zeros_like(motion.tau), data.source.columns
    own = [columns.own(j) for j in range(len(columns.rows))]
    for first in range(0, len(motion), CHUNK):
        rows = slice(first, min(first + CHUNK, len(motion)))
        for j, values in enumerate(columns.values(motion, rows, data.load)):
            found[rows, j] = values @ theta[own[j]]
    return found
