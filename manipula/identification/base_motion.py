"""Recordings of robots whose base moves: how the base moved, and the force and moment on it where they were measured.

    (base_wrench, τ) = Y(q, q̇, q̈, ω₀, ω̇₀, a₀) θ

ω₀ is what a gyroscope at the base's origin reads, a₀ what an accelerometer does, both in base axes. They are states of
the recording, `w0` and `a0`. Without `a0` it follows from the states of a simulated run, a₀ = v̇₀ + ω₀×v₀ − R₀ᵀ g. The
state `base_wrench` is the force, then the moment, that moves the base, at its origin in base axes: of a load cell, or
zero in flight. With it there are six rows more, and the base's own body is identified. All signals go through the
filter of the positions.

Source: Ayusawa, Venture, Nakamura, "Identifiability and identification of inertial parameters using the underactuated
base-link dynamics for legged multibody systems", International Journal of Robotics Research 33 (2014).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.identification.filters import RecordedMotion, rates
from manipula.recordings.log import Log

Array = NDArray[np.float64]
WRENCH = "base_wrench"
SIX = ("fx", "fy", "fz", "mx", "my", "mz")
SIZES = {"w0": 3, "a0": 3, "v0": 3, "quaternion": 4, WRENCH: 6}


def has_wrench(logs: Iterable[Log]) -> bool:
    """Was the wrench on the base measured in every recording?"""
    return all(WRENCH in log.state for log in logs)


def with_base(motion: RecordedMotion, log: Log, gravity: Array, wrench: bool, robot: str) -> RecordedMotion:
    """The motion with that of the base, and the wrench on it behind the torques."""
    smooth, dt = motion.smoother.wider().positions, 1 / motion.smoother.rate
    w0 = smooth(_state(log, "w0", robot))
    wd0 = rates(w0, dt)[0]
    a0 = smooth(_state(log, "a0", robot)) if "a0" in log.state else _proper(log, w0, gravity, motion, robot)
    tau = np.concatenate([motion.tau, _state(log, WRENCH, robot)], axis=1) if wrench else motion.tau
    return replace(motion, base=np.concatenate([w0, wd0, a0], axis=1), tau=tau)


def _proper(log: Log, w0: Array, gravity: Array, motion: RecordedMotion, robot: str) -> Array:
    """a₀ = v̇₀ + ω₀×v₀ − R₀ᵀ g"""
    smooth, dt = motion.smoother.wider().positions, 1 / motion.smoother.rate
    v0, e = (smooth(_state(log, name, robot)) for name in ("v0", "quaternion"))
    s, x = e[:, 0] / (length := np.linalg.norm(e, axis=1)), e[:, 1:] / length[:, None]
    t = 2 * np.cross(-x, gravity)
    down = gravity + s[:, None] * t + np.cross(-x, t)  # R₀ᵀ g: turned back by the quaternion
    return np.asarray(rates(v0, dt)[0] + np.cross(w0, v0) - down)


def _state(log: Log, name: str, robot: str) -> Array:
    found, size = log.state.get(name), SIZES[name]
    if found is None or found.shape != (len(log.t), size):
        raise InputError(
            "{robot}: its base moves, so a recording needs the states w0 and a0 (or w0, v0 and quaternion) in base "
            "axes, Log(…, state=dict(w0=…, a0=…)): {name} of shape (time, {size}) is missing",
            robot, name, size,
        )  # fmt: skip
    return np.asarray(found, float)
