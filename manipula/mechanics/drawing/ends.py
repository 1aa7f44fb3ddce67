"""What an arm stands on and what it works with: a pedestal down to the floor, a flange with two fingers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from manipula.mechanics.drawing.looking import PARALLEL, planar
from manipula.mechanics.drawing.shapes import Shape, ball, box, drum, frame_along, ring, tube, unit
from manipula.mechanics.drawing.sizes import Sizes
from manipula.mechanics.drawing.skeleton import BASE, Array, Skeleton, matrix
from manipula.mechanics.drawing.solids import HOUSING, LONG, Solids, Way

PLATE = (2.1, 0.5)  # radius and height of the foot over the base's radius
OUT = 1.9  # how far a flange is pushed out of a wrist that would hide it, over the link's radius


class Pedestal:
    """In the base frame; `foot` is the way down from its origin, `drop` how far the floor is."""

    def __init__(self, skeleton: Skeleton, sizes: Sizes, solids: Solids, up: Array) -> None:
        self.radius, self.way = sizes.radius(BASE), _first_way(solids)
        self.foot = _foot(skeleton, matrix(skeleton.base)[:3, :3].T @ up)
        axes = [matrix(joint.before)[:3, 2] for joint in skeleton.children(BASE)]
        self.upright = all(abs(axis @ self.foot) > PARALLEL for axis in axes)
        self.drop = 0.0 if self._rise() > self.radius else self._clearance()

    def _rise(self) -> float:
        """How far the base goes straight up to its first corner."""
        a, b = self.way.pieces[0] if self.way.pieces else (np.zeros(3), np.zeros(3))
        along = float(-self.foot @ (b - a))
        return along if along > PARALLEL * np.linalg.norm(b - a) else 0.0

    def _clearance(self) -> float:
        """A drum that stands upright fits above the plate; one that lies gets a column."""
        return self.radius * (HOUSING * LONG / 2 + PLATE[1] if self.upright else HOUSING + 1.7)

    def shapes(self) -> list[Shape]:
        r, floor = self.radius, self.drop * self.foot
        wide, high = PLATE[0] * r, PLATE[1] * r
        top = floor - high * self.foot
        tall = max(self._rise(), 0.0) if not self.drop else 0.0
        found = [tube(floor, top, (wide, 0.93 * wide), "base")]
        if tall or not self.upright:
            found.append(tube(top, -tall * self.foot, (1.35 * r, r), "link"))
        return found


def _first_way(solids: Solids) -> Way:
    ways = [way for way, _ in solids.twigs(BASE)]
    return max(ways, key=lambda way: way.length) if ways else Way([np.zeros(3)])


def _foot(skeleton: Skeleton, up: Array) -> Array:
    """Against the base's z; an arm that moves in one upright plane stands on the floor instead."""
    z = np.array([0.0, 0.0, 1.0])
    lies = abs(up[2]) < 0.5
    return -unit(up) if lies and planar(skeleton) else -z


def hand(skeleton: Skeleton, sizes: Sizes, solids: Solids) -> list[Shape]:
    """In the tool's frame. It points where the last link goes; of a link without length, along the tool's z."""
    on, frame = skeleton.tool.on, matrix(skeleton.tool.moves)
    r = 1.1 * sizes.radius(on, 0.8)
    points = [*(solids.trunk(on).points), *_tool_way(solids, skeleton).points[1:]]
    legs = [b - a for a, b in pairwise(points) if np.linalg.norm(b - a) > solids.least]
    length = sum(float(np.linalg.norm(leg)) for leg in legs)
    buried = length < 2.0 * r
    ahead = np.array([0.0, 0.0, 1.0]) if buried else unit(frame[:3, :3].T @ legs[-1])
    far = OUT * sizes.radius(on, 0.5) if buried else 0.0
    found = [tube(np.zeros(3), far * ahead, (0.8 * r, 0.75 * r), "link")] if buried else []
    found.append(drum((far - 0.3 * r) * ahead, ahead, r, 0.6 * r, "joint"))
    found.append(ring((far - 0.3 * r) * ahead, ahead, 1.02 * r, 0.15 * r, "accent"))
    grip = frame_along(ahead)
    for side in (-1.0, 1.0):
        grip[:3, 3] = (far + 0.55 * r) * ahead + side * 0.55 * r * grip[:3, 0]
        found.append(box(grip, (0.35 * r, 0.5 * r, 1.3 * r), "tool"))
    return found


def _tool_way(solids: Solids, skeleton: Skeleton) -> Way:
    *_, (way, _) = solids.twigs(skeleton.tool.on)
    return way


def load(held: Mapping[str, Any], size: float) -> Shape:
    """A payload as a ball whose volume grows with its mass, within what an arm can look well with."""
    grown = 0.02 * np.cbrt(max(held["mass"], 0.0))
    return ball(held["at"], size * float(np.clip(grown, 0.012, 0.06)), "payload")
