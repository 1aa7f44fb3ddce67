"""The equations of motion of one arm in one mode: which joints rest, and which way the others slide, is held.

    M(q) q̈ = τ − c(q, q̇) − g(q) − friction, for the joints that do not rest

and beside them the bristles' rates, the law's memory, the work of all torques and the heat of friction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.simulation.exact.drive import Drive
from manipula.simulation.exact.mechanism import InstantMotion, Mechanism
from manipula.simulation.exact.rest import Ways

Array = NDArray[np.float64]
Torques = Callable[[float, Array, Array], Array]


class Bounds(NamedTuple):
    """Of the joints: between which positions their stops are, and what their motors can give."""

    lower: Array
    upper: Array
    efforts: Array


class StateEquations:
    """Of the state y = (q, q̇, z, x, work, heat), where coordinates are links, then motors where joints are elastic.

    A law sees the last `joints` of the `n` coordinates, a push acts on the first; z are `bristles` numbers.
    """

    def __init__(
        self,
        arm: Mechanism,
        bounds: Bounds,
        drive: Drive,
        push: Torques | None,
        ways: Ways,
        bristles: int,
    ) -> None:
        self.arm, self.drive, self.push, self.efforts = arm, drive, push, bounds.efforts
        self.n, self.joints = arm.dof, len(bounds.lower)
        self.m = 2 * self.n + bristles
        free = np.full(self.n - self.joints, np.inf)
        self.lower, self.upper = np.concatenate([bounds.lower, -free]), np.concatenate([bounds.upper, free])
        self.ways, self.resting = ways, np.zeros(self.n, dtype=bool)
        self.held: Array | None = drive.held
        self.evaluations = 0
        self.lowest = np.full(3 * self.n, np.inf)  # margins of all stages of a step

    def torques(self, t: float, y: Array) -> tuple[Array, Array, Array]:
        """The motors' torques, all torques, and the rate of the law's memory."""
        q, qd, x = y[: self.n], y[self.n : 2 * self.n], y[self.m : -2]
        tau, rate = (self.held, np.zeros(len(x))) if self.held is not None else self.asked(t, y)
        total = np.concatenate([np.zeros(self.n - self.joints), tau])
        if self.push is not None:
            total[: self.joints] += self.push(t, q[: self.joints], qd[: self.joints])
        return tau, total, rate

    def asked(self, t: float, y: Array) -> tuple[Array, Array]:
        x, n = y[self.m : -2], self.joints
        tau, rate = self.drive.law(t, y[self.n - n : self.n], y[2 * self.n - n : 2 * self.n], x)
        if np.shape(tau) != (n,) or np.shape(rate) != x.shape:
            raise InputError(
                "the torques at t = {t:g} s have shape {shape}, the law's memory {shape2}; expected {value} and "
                "{shape3}",
                t,
                np.shape(tau),
                np.shape(rate),
                (n,),
                x.shape,
            )
        return np.clip(tau, -self.efforts, self.efforts), rate

    def motion(self, t: float, y: Array) -> InstantMotion:
        self.evaluations += 1
        all_torques = self.torques(t, y)[1]
        return self._moved(y, all_torques)

    def _moved(self, y: Array, tau: Array) -> InstantMotion:
        n = self.n
        return self.arm.motion(y[:n], y[n : 2 * n], tau, self.ways, ~self.resting, y[2 * n : self.m])

    def rate(self, t: float, y: Array) -> Array:
        self.evaluations += 1
        qd = y[self.n : 2 * self.n]
        _, tau, rate = self.torques(t, y)
        moved = self._moved(y, tau)
        np.minimum(self.lowest, self.margins(y, moved), out=self.lowest)
        return np.concatenate([qd, moved.a, moved.bristle, rate, [tau @ qd, moved.friction @ qd]])

    def margins(self, y: Array, moved: InstantMotion | None) -> Array:
        """What is left until something changes: of velocities, of what friction holds, of the way to a stop."""
        q, qd = y[: self.n], y[self.n : 2 * self.n]
        slides = self.arm.dry & ~self.resting
        rate = np.where(slides, qd * self.ways, np.inf)
        room = np.where(self.resting, np.inf, np.minimum(self.upper - q, q - self.lower))
        hold = np.full(self.n, np.inf)
        if moved is not None and self.resting.any():
            low, high = self.bounds(moved.low, moved.high, q)
            hold = np.where(self.resting, np.minimum(high - moved.push, moved.push - low), np.inf)
        return np.concatenate([rate, room, hold])

    def bounds(self, low: Array, high: Array, q: Array) -> tuple[Array, Array]:
        """A stop holds against any push."""
        return np.where(q <= self.lower, -np.inf, low), np.where(q >= self.upper, np.inf, high)
