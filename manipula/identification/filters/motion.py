"""A stretch of a log without gaps, as columns see it: filtered positions, their rates, and the torque."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.evaluate import ArrayMaths
from manipula.identification.filters.filtering import Smoother, rates
from manipula.mechanics.models.linear.joint_families import stopped
from manipula.simulation.records.logs import Log

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
MATHS = ArrayMaths()


@dataclass(frozen=True, eq=False)
class RecordedMotion:
    """(time, n) each; `tau` is as recorded, the smoother is for it and for every column alike."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    smoother: Smoother
    stops: Mapping[Fraction, Array] = field(default_factory=dict)
    saturated: Flags | None = None
    source: str = ""  # the recording's file, where it has one
    reference: Log | None = None  # what was asked of the arm at these times, as positions and rates, where it is known

    @property
    def kept(self) -> slice:
        """The rows that are left after the filter: it lets nothing through that more of them would show."""
        return slice(None, None, self.smoother.step)

    def __len__(self) -> int:
        return len(self.t)


def motion_of(log: Log, tau: Array, smoother: Smoother, radii: Mapping[Fraction, Array]) -> RecordedMotion:
    """Rates that were recorded are taken where nothing is filtered; else they are differences of filtered positions."""
    q, dt = smoother.wider().positions(np.asarray(log.q, float)), 1 / smoother.rate
    qd, qdd = rates(q, dt)
    if smoother.cutoff is None and log.qd is not None:
        qd = np.asarray(log.qd, float)
        qdd = rates(qd, dt)[0]
    if smoother.cutoff is None and log.qdd is not None:
        qdd = np.asarray(log.qdd, float)
    held = dict(zip(radii, stops(q, list(radii.values()))))
    t, wanted = np.asarray(log.t, float), _reference(log)
    return RecordedMotion(t, q, qd, qdd, tau, smoother, held, source=log.source, reference=wanted)


def _reference(log: Log) -> Log | None:
    return None if log.q_ref is None else Log(log.t, log.q_ref, qd=log.qd_ref, qdd=log.qdd_ref)


def stops(q: Array, radii: Sequence[Array]) -> list[Array]:
    """Stop operators of these radii (one a joint each) along time, in parts of the radius; they begin at rest."""
    if not radii:
        return []
    radius = np.stack(radii)  # (radii, n)
    steps, held = np.diff(q, axis=0), np.zeros_like(radius)
    found = np.zeros((len(q), *radius.shape))
    for k, step in enumerate(steps, 1):
        held = stopped(MATHS, held, step, radius)
        found[k] = held
    return list(np.moveaxis(found / radius, 1, 0))
