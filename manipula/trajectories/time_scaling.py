"""The fastest way along a path under limits that are linear in s̈ and ṡ²: two passes over a grid.

With x = ṡ² and u = s̈, constant from grid point to grid point, x' = 2u:

    low ≤ a u + b x ≤ high   at both ends of an interval of length h, where x is x and x + 2 h u

Backward: the controllable sets, the intervals K_i of x_i from which the end can be reached. Forward: the largest u that
stays in K_{i+1}. For a given x every limit leaves an interval of u, and what all leave in common, min U − max L, is
concave and piecewise linear in x: the ends of K_i are its zeros, found by Newton's method from outside in finitely many
steps.

Source: Pham, Pham, "A new approach to time-optimal path parameterization based on reachability analysis", IEEE
Transactions on Robotics 34 (2018): algorithm 1, with the first-order interpolation scheme of its section V.
These are texts (see `algebra.program`): plain Python here, machine code where they run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from manipula.algebra.program.primitives import Reals, reals
from manipula.errors import InputError
from manipula.mechanics.models.motion.ports import Motion
from manipula.messages import Message
from manipula.trajectories.trajectory import Floats, Trajectory, numbers

STEPS = 200  # of Newton's method; a handful are needed
NEAR = 1e-14


def room(
    m: int, at: int, h: float, x: float, floor: float, roof: float,
    a: Reals, b: Reals, low: Reals, high: Reals, active: Reals,
) -> float:  # fmt: skip
    """min U − max L at x; `active`: b, a and limit of the rows that decide both, then both.

    `floor` and `roof` are the ends of the set that x + 2 h u must be in.
    """
    r = 2 * h
    upper = (roof - x) / r
    lower = (floor - x) / r
    active[0] = 1.0
    active[1] = r
    active[2] = roof
    active[3] = 1.0
    active[4] = r
    active[5] = floor
    for k in range(2 * m):
        j = at * m + k
        p = b[j]
        r = a[j]
        if k >= m:
            r = r + 2 * h * p
        if r != 0.0:
            first = high[j]
            second = low[j]
            if r < 0.0:
                first = low[j]
                second = high[j]
            most = (first - p * x) / r
            least = (second - p * x) / r
            if most < upper:
                upper = most
                active[0] = p
                active[1] = r
                active[2] = first
            if least > lower:
                lower = least
                active[3] = p
                active[4] = r
                active[5] = second
    active[6] = upper
    active[7] = lower
    return upper - lower


def crossing_speed(active: Reals) -> float:
    """Where the two rows leave one u."""
    down = active[0] * active[4] - active[3] * active[1]
    return float((active[2] * active[4] - active[5] * active[1]) / down)


def rise(active: Reals) -> float:
    """The slope of min U − max L."""
    return float(active[3] / active[4] - active[0] / active[1])


def controllable(
    n: int, m: int, h: Reals, a: Reals, b: Reals, low: Reals, high: Reals, top: Reals,
    end: float, least: Reals, most: Reals,
) -> int:  # fmt: skip
    """The sets K_i, from the last to the first; returns the number of a grid point whose set is empty, or −1."""
    active = reals(8)
    least[n] = end
    most[n] = end
    for back in range(n):
        i = n - 1 - back
        x = top[i]
        for _step in range(STEPS):
            g = room(m, i, h[i], x, least[i + 1], most[i + 1], a, b, low, high, active)
            if g >= -NEAR * (abs(active[6]) + abs(active[7])):
                break
            if rise(active) >= 0.0:
                return i
            found = crossing_speed(active)
            if not found < x:
                break
            x = found
        if not x >= 0.0:
            return i
        most[i] = x
        x = 0.0
        for _step in range(STEPS):
            g = room(m, i, h[i], x, least[i + 1], most[i + 1], a, b, low, high, active)
            if g >= -NEAR * (abs(active[6]) + abs(active[7])):
                break
            if rise(active) <= 0.0:
                return i
            found = crossing_speed(active)
            if not found > x:
                break
            x = found
        least[i] = min(x, most[i])
    return -1


def fastest(
    n: int, m: int, h: Reals, a: Reals, b: Reals, low: Reals, high: Reals, top: Reals,
    start: float, end: float, least: Reals, most: Reals, x: Reals, u: Reals,
) -> int:  # fmt: skip
    """x at the n + 1 grid points and u in the n intervals; returns −1, or the grid point where none is left.

    `start` and `end` are x at both ends; `least` and `most` receive the controllable sets. What starts outside the
    first set ends with −2.
    """
    failed = controllable(n, m, h, a, b, low, high, top, end, least, most)
    if failed >= 0:
        return failed
    slack = NEAR * most[0]
    if start < least[0] - slack or start > most[0] + slack:
        return -2
    active = reals(8)
    x[0] = start
    for i in range(n):
        room(m, i, h[i], x[i], least[i + 1], most[i + 1], a, b, low, high, active)
        reached = x[i] + 2 * h[i] * active[6]
        x[i + 1] = min(max(reached, least[i + 1]), most[i + 1])
        u[i] = (x[i + 1] - x[i]) / (2 * h[i])
    return -1


# Paths without time: q(s) with its first two derivatives, s running over a curve that never stands still.
#
# A reference that starts and ends at rest stands still there, and its own time cannot count the path: it is counted by
# its length then, |dq/ds| = 1.

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


def path_of(value: object, what: str) -> Path:
    """The path of a reference, or a smooth curve through points (count, dof)."""
    if isinstance(value, Trajectory):
        return _path_of_reference(value, what)
    points = numbers(value, f"{what}: path", 2, Message("a trajectory, or points (count, dof)"))
    if len(points) < 2 or not np.linalg.norm(np.diff(points, axis=0), axis=1).all():
        raise InputError("{what}: path: expected at least two points, each other than the one before", what)
    return _through(points)


def _through(points: Floats) -> Path:
    steps = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    curve = scipy.interpolate.CubicSpline(steps, points, bc_type="not-a-knot" if len(points) > 3 else "natural")
    slopes = (curve, curve.derivative(), curve.derivative(2))
    return Path(lambda s: Motion(*(x(s) for x in slopes)), float(steps[-1]), points.shape[1], steps[1:-1])


def _path_of_reference(ref: Trajectory, what: str) -> Path:
    if {"ref_start", "ref_goal"} <= ref.settings.keys():
        ends = np.array([ref.settings["ref_start"], ref.settings["ref_goal"]])
        if (ends[0] == ends[1]).all():
            raise InputError("{what}: path: the start and the end are the same", what)
        return _through(ends)
    looked = np.linspace(0.0, ref.duration, CHECKS + 1)
    speed = np.linalg.norm(ref(looked).qd, axis=-1)
    still = speed <= SLOW * speed.max()
    if not speed.max() > 0:
        raise InputError("{what}: path: the start and the end are the same", what)
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
