"""What is odd about a log, and can be used: joints that rest, torques that are nothing or at their limit."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from manipula.messages import Message
from manipula.simulation.records.doubts import TURNS, Ends

Array = NDArray[np.float64]


class Seen(Protocol):
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


def remarks(log: Seen, ends: Ends | None) -> list[str]:
    return [
        *_resting(log),
        *_beyond(log, ends),
        *_turning(log, ends),
        *([] if log.tau is None else _torques(log, log.tau)),
    ]


def _resting(log: Seen) -> list[str]:
    still = [name for name, span in zip(log.names, np.ptp(log.q, axis=0)) if span == 0]
    return [Message("{name} does not move: what its own motion would show cannot be seen", name) for name in still]


def _beyond(log: Seen, ends: Ends | None) -> list[str]:
    if ends is None:
        return []
    low, high = log.q.min(axis=0), log.q.max(axis=0)
    slack = 1e-3 * np.where(np.isfinite(ends.upper - ends.lower), ends.upper - ends.lower, 1.0)
    out = (low < ends.lower - slack) | (high > ends.upper + slack)
    said = list[str]()
    for j in np.flatnonzero(out):
        said.append(
            Message(
                "{names} goes from {low:.4g} to {high:.4g}, beyond its limits {lower:.4g} and {upper:.4g}",
                log.names[j],
                low[j],
                high[j],
                ends.lower[j],
                ends.upper[j],
            )
        )
    return said


def _turning(log: Seen, ends: Ends | None) -> list[str]:
    """Joints without limits that turn and turn."""
    free = np.ones(log.q.shape[1], bool) if ends is None else ~np.isfinite(ends.upper - ends.lower)
    spans = np.ptp(log.q, axis=0) * (np.array(log.turns) if log.turns else 1)
    return [
        Message("{names} goes through {spans:.3g} turns; it is taken in radians", log.names[j], spans[j] / (2 * np.pi))
        for j in np.flatnonzero(free & (spans > TURNS))
    ]


def _torques(log: Seen, tau: Array) -> list[str]:
    if not tau.any():
        return [Message("all torques are zero: nothing about dynamics can be told")]
    nothing = [name for name, any_ in zip(log.names, np.abs(tau).max(axis=0)) if not any_]
    said: list[str] = [Message("the torque of {name} is zero throughout", name) for name in nothing]
    for j, count in enumerate(log.saturated.sum(axis=0)):
        if count:
            level = np.abs(tau[log.saturated[:, j], j]).max()
            said.append(
                Message(
                    "{names}: the torque is at its limit, {level:.4g}, in {count} samples", log.names[j], level, count
                )
            )
    return said
