"""The power balance of a run: energy in − energy stored − energy lost, which is zero but for what the integrator lost.

    E(t) − E(0) = ∫ τᵀq̇ dt + ∫ wᵀJ q̇ dt − ∫ fᵀq̇ dt        f: friction, w: the wrench on the tool

Of elastic joints E has the springs' energy and the motors', and τ and f are at the motors: θ̇ stands beside them.
The work of a torque held over a step is τᵀ(q(t+h) − q(t)), exactly, that of a wrench wᵀ∫v dt, v the tool's velocity;
every other power is integrated as a cubic spline through its samples, of order 4 where it is smooth. The error is told
relative to the largest energy that took part.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from manipula.errors import DivergenceError
from manipula.simulation.drives.springs import Springs
from manipula.simulation.functions import Array, Functions

ROUNDING = 1e-9  # of the potential energy, whose own rounding is some 1e-16 of it


class Energies(NamedTuple):
    """(…, time), joules from the start on: what went in by motors and by the wrench, what is stored, what was lost."""

    motors: Array
    wrench: Array
    kinetic: Array
    potential: Array
    lost: Array

    @property
    def missing(self) -> Array:
        """In − stored − lost; zero at the start."""
        stored = self.kinetic + self.potential
        return self.motors + self.wrench - self.lost - (stored - stored[..., :1])

    @property
    def scale(self) -> Array:
        """The largest of the energies that took part, (…,)."""
        swing = self.potential - self.potential[..., :1]
        parts = (self.motors, self.wrench, self.kinetic, swing, self.lost)
        return np.asarray(np.max([np.abs(x).max(axis=-1) for x in parts], axis=0))


class Motors(NamedTuple):
    """Of elastic joints."""

    position: Array
    rate: Array
    springs: Springs


def error_of(parts: list[Energies]) -> Array:
    """|in − stored − lost| at the end of each part of a run, together, over the largest energy; 0 of an arm at rest."""
    missing = np.abs(np.sum([part.missing[..., -1] for part in parts], axis=0))
    scale = np.max([part.scale for part in parts], axis=0)
    # an arm that is held does not move but by rounding, which is no error of a step
    scale = np.maximum(scale, ROUNDING * np.max([np.abs(part.potential).max(axis=-1) for part in parts], axis=0))
    return np.asarray(np.divide(missing, scale, out=np.zeros_like(missing), where=scale > 0))


def energies(
    functions: Functions, t: Array, q: Array, qd: Array, tau: Array, wrench: Any, friction: Array,
    held: bool, motors: Motors | None = None,
) -> Energies:  # fmt: skip
    """`held`: the torques are constant from sample to sample, as the wrench is. `motors`: where they are not one with
    the joints."""
    kinetic, potential = functions("energy", q, qd)
    driven, rate = (q, qd) if motors is None else (motors.position, motors.rate)
    if motors is not None:
        kinetic = kinetic + motors.springs.turning(motors.rate)
        potential = potential + motors.springs.stored(motors.position, q)
    work = _held_work(tau, driven) if held else _integral(t, _power(tau, rate))
    outside = np.zeros_like(kinetic)
    if wrench is not None:
        way = _integral(t, np.moveaxis(_tool_velocity(functions, q, qd), -1, -2))  # (…, 6, time)
        outside = _held_work(wrench, np.moveaxis(way, -1, -2))
    return Energies(work, outside, kinetic, potential, _integral(t, _power(friction, rate)))


def _tool_velocity(functions: Functions, q: Array, qd: Array) -> Array:
    return np.asarray(np.einsum("...ij,...j->...i", functions("jacobian", q), qd))


def _power(effort: Array, rate: Array) -> Array:
    # P = fᵀ v
    return np.asarray((effort * rate).sum(axis=-1))


def _held_work(tau: Array, q: Array) -> Array:
    # W(t+h) − W(t) = τᵀ (q(t+h) − q(t))
    steps = (tau[..., :-1, :] * np.diff(q, axis=-2)).sum(axis=-1)
    return _from_zero(np.cumsum(steps, axis=-1))


def _integral(t: Array, power: Array) -> Array:
    from scipy.interpolate import CubicSpline

    if not np.isfinite(power).all():
        raise DivergenceError("the power of this run is not finite: a force, a torque or a length is too large")
    if len(t) < 3:
        return _from_zero(np.cumsum(np.diff(t) * (power[..., 1:] + power[..., :-1]) / 2, axis=-1))
    return np.asarray(CubicSpline(t, power, axis=-1).antiderivative()(t))


def _from_zero(sums: Array) -> Array:
    return np.concatenate([np.zeros((*sums.shape[:-1], 1)), sums], axis=-1)
