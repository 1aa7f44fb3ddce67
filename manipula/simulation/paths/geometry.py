"""Paths without time: q(s) with its first two derivatives, s running over a curve that never stands still.

A reference that starts and ends at rest stands still there, and its own time cannot count the path: it is counted by
its length then, |dq/ds| = 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from manipula.errors import InputError
from manipula.mechanics.models.motion.ports import Motion
from manipula.messages import Message
from manipula.simulation.paths.numbers import Floats, numbers
from manipula.simulation.paths.trajectory import Trajectory

SLOW = 1e-3  # of the largest |q'|: what counts as standing still
CHECKS = 400  # places at which a reference is asked whether it moves
LOOKS = 2000  # pieces whose lengths are added up
TINY = 1e-300
NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)


@dataclass(frozen=True)
class Path:
    """q, q', q'' for s from 0 to `length`; at the `knots` between, pieces of it meet."""

    at: Callable[[Floats], Motion]
    length: float
    dof: int
    knots: Floats


def path_of(value: Any, what: str) -> Path:
    """The path of a reference, or a smooth curve through points (count, dof)."""
    if isinstance(value, Trajectory):
        return _travelled(value, what)
    points = numbers(value, f"{what}: path", 2, Message("a trajectory, or points (count, dof)"))
    if len(points) < 2 or not np.linalg.norm(np.diff(points, axis=0), axis=1).all():
        raise InputError("{what}: path: expected at least two points, each other than the one before", what)
    return _through(points)


def _through(points: Floats) -> Path:
    steps = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    curve = scipy.interpolate.CubicSpline(steps, points, bc_type="not-a-knot" if len(points) > 3 else "natural")
    slopes = (curve, curve.derivative(), curve.derivative(2))
    return Path(lambda s: Motion(*(x(s) for x in slopes)), float(steps[-1]), points.shape[1], steps[1:-1])


def _travelled(ref: Trajectory, what: str) -> Path:
    if {"ref_start", "ref_goal"} <= ref.settings.keys():
        ends = np.array([ref.settings["ref_start"], ref.settings["ref_goal"]])
        if (ends[0] == ends[1]).all():
            raise InputError("{what}: path: the reference goes nowhere", what)
        return _through(ends)
    looked = np.linspace(0.0, ref.duration, CHECKS + 1)
    speed = np.linalg.norm(ref(looked).qd, axis=-1)
    still = speed <= SLOW * speed.max()
    if not speed.max() > 0:
        raise InputError("{what}: path: the reference goes nowhere", what)
    edge = CHECKS // 20
    inner = np.flatnonzero(still[edge:-edge])
    if inner.size:
        at = looked[edge + inner[0]]
        raise InputError("{what}: path: the reference stands still at {at:g} s; give the parts one by one", what, at)
    return Path(ref, ref.duration, ref.dof, _knots(ref)) if not still.any() else _by_length(ref)


def _knots(ref: Trajectory) -> Floats:
    """Where pieces of a spline meet."""
    return np.array(getattr(ref.curve, "knots", ())[1:-1])


def _by_length(ref: Trajectory) -> Path:
    """Counted by length. Times are t = T w²(3 − 2w), so that the slow ends have many of the nodes w."""
    w = np.linspace(0.0, 1.0, LOOKS + 1)
    within = (w[:-1, None] + w[1:, None]) / 2 + NODES / (2 * LOOKS)
    lengths = np.concatenate([[0.0], np.cumsum(_growth(ref, within) @ WEIGHTS / (2 * LOOKS))])
    inside = w[LOOKS // 100], w[-1 - LOOKS // 100]  # nearer to the ends the direction is that at these

    def curve(s: Floats) -> Motion:
        cell = np.clip(np.searchsorted(lengths, s, side="right") - 1, 0, LOOKS - 1)
        share = (s - lengths[cell]) / np.maximum(lengths[cell + 1] - lengths[cell], TINY)
        place = w[cell] + np.clip(share, 0.0, 1.0) / LOOKS
        for _ in range(3):  # Newton's: the length from the cell's start to here is known
            span = (place - w[cell])[..., None]
            gone = (
                np.sum(_growth(ref, w[cell][..., None] + span * (1 + NODES) / 2) * WEIGHTS, axis=-1) * span[..., 0] / 2
            )
            slope = np.maximum(_growth(ref, place), TINY)
            place = np.clip(place - (lengths[cell] + gone - s) / slope, w[cell], w[cell + 1])
        q, first, second = ref(_time(ref, place)).q, *ref(_time(ref, np.clip(place, *inside)))[1:]
        pace = np.linalg.norm(first, axis=-1, keepdims=True)
        along = first / pace
        # d²q/ds² = (q̈ − q' (q'·q̈))/|q̇|²
        bend = (second - along * np.sum(along * second, axis=-1, keepdims=True)) / pace**2
        return Motion(q, along, bend)

    return Path(curve, float(lengths[-1]), ref.dof, np.interp(_knots(ref), _time(ref, w), lengths))


def _time(ref: Trajectory, w: Floats) -> Floats:
    return np.asarray(ref.duration * w * w * (3 - 2 * w))


def _growth(ref: Trajectory, w: Floats) -> Floats:
    """d length/dw"""
    pace = np.linalg.norm(ref(_time(ref, w)).qd, axis=-1)
    return np.asarray(pace * ref.duration * 6 * w * (1 - w))
