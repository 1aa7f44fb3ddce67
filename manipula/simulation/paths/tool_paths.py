"""Curves of the tool in space, s from 0 to 1: pose, and the first two derivatives of its motion.

    line     p = p₀ + s d,  R = exp(s φ) R₀                      φ: the shortest turn, so the geodesic
    circle   p = c + exp(s α n)(p₀ − c),  R = exp(s α n) R₀ or R₀

In world axes the velocity is ẋ = x'(s) ṡ and the acceleration ẍ = x''(s) ṡ² + x'(s) s̈, linear rows, then angular.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from manipula.simulation.paths.rotations import Floats, turn_between, turned

NOTHING = 1e-12  # m or rad


class Place(NamedTuple):
    """Poses (…, 4, 4) and their derivatives with respect to s, (…, 6)."""

    pose: Floats
    first: Floats
    second: Floats


class Curve(Protocol):
    """A curve of the tool; `way`: its length in m, or its angle in rad where the tool only turns."""

    @property
    def way(self) -> float: ...
    def at(self, s: Floats) -> Place: ...


class StraightLine:
    """Straight from one pose to another, turning steadily."""

    def __init__(self, start: Floats, goal: Floats) -> None:
        self.start, self.step = start, goal[:3, 3] - start[:3, 3]
        self.turn = turn_between(start[:3, :3], goal[:3, :3])
        self.way = _size(self.step) or _size(self.turn)

    def at(self, s: Floats) -> Place:
        pose = _placed(self.start, s)
        pose[..., :3, 3] += s[..., None] * self.step
        pose[..., :3, :3] = turned(s[..., None] * self.turn) @ self.start[:3, :3]
        first = np.broadcast_to(np.concatenate([self.step, self.turn]), (*s.shape, 6))
        return Place(pose, first, np.zeros_like(first))


class Circle:
    """About an axis through a centre; the tool keeps its orientation or turns with it."""

    def __init__(self, start: Floats, centre: Floats, axis: Floats, angle: float, turning: bool) -> None:
        self.start, self.centre, self.spin, self.turning = start, centre, axis * angle, turning
        radius = _size(np.cross(axis, start[:3, 3] - centre))
        self.way = radius * abs(angle) or (abs(angle) if turning else 0.0)

    def at(self, s: Floats) -> Place:
        turn = turned(s[..., None] * self.spin)
        arm = turn @ (self.start[:3, 3] - self.centre)
        pose = _placed(self.start, s)
        pose[..., :3, 3] = self.centre + arm
        if self.turning:
            pose[..., :3, :3] = turn @ self.start[:3, :3]
        # p' = αn × r,  p'' = αn × (αn × r)
        speed = np.cross(self.spin, arm)
        spin = np.broadcast_to(self.spin if self.turning else np.zeros(3), speed.shape)
        second = np.concatenate([np.cross(self.spin, speed), np.zeros_like(speed)], axis=-1)
        return Place(pose, np.concatenate([speed, spin], axis=-1), second)


def _size(x: Floats) -> float:
    """The length of a vector; what rounding leaves is none."""
    found = float(np.linalg.norm(x))
    return found if found > NOTHING else 0.0


def _placed(pose: Floats, s: Floats) -> Floats:
    return np.array(np.broadcast_to(pose, (*s.shape, 4, 4)))
