"""What is odd about a log, and can be used: joints that rest or are beyond their limits, torques that are nothing or at
their limit."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from manipula.messages import Message
from manipula.recordings.diagnostics import TURNS, Ends

Array = NDArray[np.float64]
OF_MOTORS = 3.0  # times the limits' span that a gear is thought of


class SeenMotion(Protocol):
    """What is looked at: `Log`, of one arm."""

    @property
    def q(self) -> Array: ...
    @property
    def tau(self) -> Array | None: ...
    @property
    def turns(self) -> tuple[bool, ...]: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def saturated(self) -> NDArray[np.bool_]: ...


def remarks(log: SeenMotion, ends: Ends | None) -> list[str]:
    return [
        *_resting_joint_notes(log),
        *_beyond(log, ends),
        *_turning_joint_notes(log, ends),
        *([] if log.tau is None else _torques(log, log.tau, ends)),
    ]


def _resting_joint_notes(log: SeenMotion) -> list[str]:
    still = [name for name, span in zip(log.names, np.ptp(log.q, axis=0)) if span == 0]
    return [Message("{name} does not move: what its own motion would show cannot be seen", name) for name in still]


def _beyond(log: SeenMotion, ends: Ends | None) -> list[str]:
    if ends is None:
        return []
    low, high = log.q.min(axis=0), log.q.max(axis=0)
    slack = 1e-3 * np.where(np.isfinite(ends.upper - ends.lower), ends.upper - ends.lower, 1.0)
    out = (low < ends.lower - slack) | (high > ends.upper + slack)
    said = list[str]()
    for j in np.flatnonzero(out):
        far = high[j] - low[j] > OF_MOTORS * (ends.upper[j] - ends.lower[j])
        said.append(
            Message(
                "{names} goes from {low:.4g} to {high:.4g}, far beyond its limits {lower:.4g} and {upper:.4g}: is it "
                "the angle of a motor? Divide by the gear's ratio: scale={{'q': [...]}}, or motors="
                if far
                else "{names} goes from {low:.4g} to {high:.4g}, beyond its limits {lower:.4g} and {upper:.4g}",
                log.names[j], low[j], high[j], ends.lower[j], ends.upper[j],
            )
        )  # fmt: skip
    return said


def _turning_joint_notes(log: SeenMotion, ends: Ends | None) -> list[str]:
    """Joints without limits that turn and turn."""
    free = np.ones(log.q.shape[1], bool) if ends is None else ~np.isfinite(ends.upper - ends.lower)
    spans = np.ptp(log.q, axis=0) * (np.array(log.turns) if log.turns else 1)
    return [
        Message("{names} goes through {spans:.3g} turns; it is taken in radians", log.names[j], spans[j] / (2 * np.pi))
        for j in np.flatnonzero(free & (spans > TURNS))
    ]


def _torques(log: SeenMotion, tau: Array, ends: Ends | None) -> list[str]:
    if not tau.any():
        return [Message("all torques are zero: the dynamics cannot be identified")]
    idle = () if ends is None else ends.idle
    nothing = [name for name, column in zip(log.names, tau.T) if not column.any() and name not in idle]
    said: list[str] = [Message("the torque of {name} is zero throughout", name) for name in nothing]
    for j, count in enumerate(log.saturated.sum(axis=0)):
        if count:
            level = np.abs(tau[log.saturated[:, j], j]).max()
            said.append(Message("{names}: the torque is at its limit, {level:.4g}, in {count} samples",
                                log.names[j], level, count))  # fmt: skip
    return said


# Motors at their limit: torques that stay at their own largest value while the arm moves.

LEAST = 3  # equal samples in a row
LAYER, SHARP, MANY = 0.01, 8.0, 20  # of the span of a torque; times as many as below it; samples in a row
CROWD = 5.0  # times as many samples at the extreme as at the value next to it: a coarse sensor has them at any peak


def flat_extremes(tau: Array, q: Array) -> NDArray[np.bool_]:
    """Samples, shaped as `tau`, that stay for a while at their joint's largest or smallest torque.

    An arm at rest has equal torques, too: without motion nothing is at its limit.
    """
    found = np.zeros(tau.shape, bool)
    for row in np.ndindex(tau.shape[:-2]):
        still = np.concatenate([[True], (np.diff(q[row], axis=0) == 0).all(axis=-1)])
        for j in range(tau.shape[-1]):
            found[(*row, slice(None), j)] = _flat(tau[(*row, slice(None), j)], still)
    return found


def _flat(x: Array, still: NDArray[np.bool_]) -> NDArray[np.bool_]:
    found = np.zeros(len(x), bool)
    values, counts = np.unique(x, return_counts=True)
    if len(values) < 3:
        return found
    for extreme, beside in ((-1, -2), (0, 1)):
        if values[extreme] != 0 and counts[extreme] >= max(LEAST, CROWD * counts[beside]):
            found |= _long_runs((x == values[extreme]) & ~still)
    return found if found.any() else _noisy_plateaus(x, still)


def _noisy_plateaus(x: Array, still: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A limit measured with noise: many samples in a thin layer below the extreme, for long, and few in the next one. A
    smooth peak has most of its samples near the top, too, but no more than 2.4 times as many as in the layer below."""
    found = np.zeros(len(x), bool)
    for side in (x, -x):
        depth = (side.max() - side) / (LAYER * np.ptp(x))
        top, below = depth <= 1, (depth > 1) & (depth <= 2)
        if top.sum() > max(MANY * LEAST, SHARP * below.sum()) and len(np.unique(x[top])) > LEAST:  # else it is coarse
            found |= _long_runs(top & ~still, MANY)
    return found


def _long_runs(flag: NDArray[np.bool_], least: int = LEAST) -> NDArray[np.bool_]:
    """Where a flag is set at least so many times in a row."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flag, [False]]).astype(np.int8)))
    found = np.zeros(len(flag), bool)
    for first, last in zip(edges[::2], edges[1::2]):
        found[first:last] = last - first >= least
    return found
