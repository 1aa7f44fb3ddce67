"""Solids as a camera sees them: parallel rays, outlines, and which solid hides which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Where a picture is taken from: parallel rays, so that a metre is as many points near and far.

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Camera:
    """Rows of `axes`: to the right, upwards, towards the eye, in the world."""

    axes: Array

    def points(self, points: Array) -> Array:
        """(…, 3) seen from here; the last entry grows towards the eye."""
        return np.asarray(points @ self.axes.T)


def camera_at(eye: Sequence[float], up: Sequence[float]) -> Camera:
    """Looking from that direction; from straight above, x or y is to the right."""
    towards = np.array(eye, dtype=float) / np.linalg.norm(eye)
    across = np.cross(up, towards)
    if np.linalg.norm(across) < 1e-6:
        across = np.roll(np.abs(np.array(up, dtype=float)), 1)
    right = across / np.linalg.norm(across)
    return Camera(np.stack([right, np.cross(towards, right), towards]))


@dataclass(frozen=True)
class Sheet:
    """From metres seen by a camera to points of the picture, y downwards."""

    scale: float
    left: float
    top: float

    def __call__(self, seen: Array) -> Array:
        """(…, 2 or 3) → (…, 2)"""
        return np.stack([self.left + self.scale * seen[..., 0], self.top - self.scale * seen[..., 1]], axis=-1)


def sheet_for(low: Array, high: Array, width: float, height: float, margin: float) -> Sheet:
    """The box between the corners, in the middle and as large as it can be."""
    extent = np.maximum(high - low, 1e-300)
    scale = float(min((width - 2 * margin) / extent[0], (height - 2 * margin) / extent[1]))
    middle = (low + high) / 2
    return Sheet(scale, width / 2 - scale * float(middle[0]), height / 2 + scale * float(middle[1]))


# The solids of a record as a camera sees them: cylinders, rods with round ends, balls and boxes.

Record = Mapping[str, Any]  # the drawing of a robot as plain data
Shape = Mapping[str, Any]
SAME = 1e-6  # over the size: places that are one
COAXIAL = 0.95  # the cosine of directions from which on a rod leaves a drum through its end


@dataclass(frozen=True)
class Solid:
    """`ends` (2, 3) of the axis and `radii` at them; `round_ends` says which end a ball; a box has `edges` (3, 3), half
    of each a row, about the middle of its ends."""

    paint: str
    ends: Array
    radii: tuple[float, float]
    round_ends: tuple[bool, bool] = (False, False)
    edges: Array | None = None
    half: bool = False  # of a drum, from its middle to an end
    bands: tuple[Solid, ...] = ()  # about a box, painted with it
    hollow: bool = False  # a box without its ends along z: a band

    @property
    def length(self) -> float:
        return float(np.linalg.norm(self.ends[1] - self.ends[0]))

    @property
    def middle(self) -> Array:
        return np.asarray(self.ends.mean(axis=0))

    @property
    def corners(self) -> tuple[Array, Array]:
        """The lowest and the highest x and y it may cover."""
        if self.edges is not None:
            half = np.abs(self.edges).sum(axis=0)
            return self.middle - half, self.middle + half
        r = np.array(self.radii)[:, None]
        return (self.ends - r).min(axis=0), (self.ends + r).max(axis=0)


def trim_rods(solids: Sequence[Solid], size: float) -> list[Solid]:
    """Rods that come out of the end of a drum begin there: what is inside could only be painted over its side."""
    halves, same = [solid for solid in solids if solid.half], SAME * size
    middles = np.array([half.ends[0] for half in halves]).reshape(-1, 3)
    found = []
    for solid in solids:
        if solid.edges is None and not solid.half and solid.length > same:
            for k in (0, 1):
                there = np.flatnonzero(np.abs(middles - solid.ends[k]).max(axis=1, initial=0.0) < same)
                solid = _outside(solid, k, [halves[i] for i in there], same)
        if solid.length > same or solid.edges is not None or all(solid.round_ends):
            found.append(solid)
    return found


def _outside(rod: Solid, k: int, halves: Sequence[Solid], same: float) -> Solid:
    """The rod without what its k-th end has in one of the drums there."""
    way = (rod.ends[1 - k] - rod.ends[k]) / max(rod.length, same)
    for half in halves:
        if way @ (half.ends[1] - half.ends[0]) > COAXIAL * half.length:
            share = min(half.length / rod.length, 1.0)
            ends, radii = list(rod.ends), list(rod.radii)
            ends[k] = rod.ends[k] + share * (rod.ends[1 - k] - rod.ends[k])
            radii[k] = rod.radii[k] + share * (rod.radii[1 - k] - rod.radii[k])
            flags = (False, rod.round_ends[1]) if k == 0 else (rod.round_ends[0], False)
            return replace(rod, ends=np.stack(ends), radii=(radii[0], radii[1]), round_ends=flags)
    return rod


def solids_of(record: Record, poses: Sequence[Array], camera: Camera) -> Iterator[tuple[int, Solid]]:
    """Link by link, the base 0 and the tool last, whose `poses` these are."""
    shapes = [*(link["shapes"] for link in record["links"]), record["tool"]["shapes"]]
    for link, (own, pose) in enumerate(zip(shapes, [*poses[: len(shapes) - 1], poses[-1]])):
        for solid in _Placed(own, pose, camera, SAME * record["size"]).all():
            yield link, solid


class _Placed:
    def __init__(self, shapes: Sequence[Shape], pose: Array, camera: Camera, same: float) -> None:
        self.shapes, self.pose, self.camera, self.same = shapes, pose, camera, same
        self.balls = [shape for shape in shapes if shape["kind"] == "ball"]
        self.tubes = [shape for shape in shapes if shape["kind"] == "tube"]

    def all(self) -> Iterator[Solid]:
        make = {"tube": self.tube, "ball": self.ball, "drum": self.drum, "ring": self.ring, "box": self.box}
        for before, shape in zip([None, *self.shapes], self.shapes):
            if shape["kind"] in make and not self._is_band(shape, before):
                yield from make[shape["kind"]](shape)

    def project(self, points: ArrayLike) -> Array:
        at = np.asarray(points, dtype=float) @ self.pose[:3, :3].T + self.pose[:3, 3]
        return self.camera.points(at)

    def tube(self, shape: Shape) -> Iterator[Solid]:
        ends = (shape["from"], shape["to"])
        first, last = (any(self._meets(ball, end, shape) for ball in self.balls) for end in ends)
        yield Solid(shape["paint"], self.project(ends), tuple(shape["radii"]), (first, last))

    def ball(self, shape: Shape) -> Iterator[Solid]:
        """One at the end of a tube is drawn with it."""
        if not any(self._meets(shape, tube[end], tube) for tube in self.tubes for end in ("from", "to")):
            at = self.project(shape["at"])
            yield Solid(shape["paint"], np.stack([at, at]), (shape["radius"],) * 2, (True, True))

    def _meets(self, ball: Shape, end: ArrayLike, tube: Shape) -> bool:
        away = float(np.abs(np.subtract(ball["at"], end)).max())
        return away < self.same and ball["paint"] == tube["paint"]

    def drum(self, shape: Shape) -> Iterator[Solid]:
        """In two halves: what goes through the middle lies between them."""
        ends, middle = self._axis(shape), self.project(shape["at"])
        for end in ends:
            yield Solid(shape["paint"], np.stack([middle, end]), (shape["radius"],) * 2, half=True)

    def ring(self, shape: Shape) -> Iterator[Solid]:
        yield Solid(shape["paint"], self._axis(shape), (shape["radius"],) * 2)

    def _axis(self, shape: Shape) -> Array:
        at, half = np.array(shape["at"]), 0.5 * shape["length"] * np.array(shape["axis"])
        return self.project(np.stack([at - half, at + half]))

    def box(self, shape: Shape) -> Iterator[Solid]:
        bands = [band for before, band in pairwise(self.shapes) if before is shape and self._is_band(band, before)]
        yield replace(self._box(shape), bands=tuple(replace(self._box(band), hollow=True) for band in bands))

    def _is_band(self, shape: Shape, before: Shape | None) -> bool:
        """A box about the one before it, which shows its axis."""
        boxes = before is not None and shape["kind"] == before["kind"] == "box" and shape["paint"] == "accent"
        return boxes and before is not None and shape["frame"] == before["frame"]

    def _box(self, shape: Shape) -> Solid:
        frame = self.pose @ np.array(shape["frame"], dtype=float)
        edges = 0.5 * np.array(shape["size"])[:, None] * self.camera.points(frame[:3, :3].T)
        middle = self.camera.points(frame[:3, 3])
        return Solid(shape["paint"], np.stack([middle, middle]), (0.0, 0.0), edges=edges)


# Which solid hides which: heights along the rays of a coarse raster, pair by pair, then an order from the back.
#
# Solids of an arm go through each other, so that no order is right everywhere; the one taken is wrong at the fewest
# rays.

RAYS = 72  # along the longer side of the picture
BALLS = 14  # a tapered rod with round ends, for its height


def back_to_front(solids: Sequence[Solid]) -> list[int]:
    """The order to paint those in that are seen at all."""
    heights = _heights(solids)
    order = _behind(heights, solids)
    top = heights.max(axis=0)
    covered = np.asarray(np.isfinite(heights))
    seen = np.asarray((covered & (heights >= top - 1e-12)).any(axis=1))
    small = np.asarray(~covered.any(axis=1))  # between the rays
    return [i for i in order if seen[i] or small[i]]


def _behind(heights: Array, solids: Sequence[Solid]) -> list[int]:
    before = np.zeros((len(solids), len(solids)))  # [i, j]: rays at which i is in front of j
    covered = np.asarray(np.isfinite(heights))
    for i, own in enumerate(heights):
        rays = covered[i]
        before[i] = (covered[:, rays] & (heights[:, rays] < own[rays] - 1e-12)).sum(axis=1)
    return _paint_order(np.maximum(before - before.T, 0), [float(solid.middle[2]) for solid in solids])


def _paint_order(before: Array, depth: Sequence[float]) -> list[int]:
    """Again and again the one that is in front of what is left at the fewest rays; the further of equals."""
    left, order = before.sum(axis=1), list[int]()
    rank = np.argsort(np.argsort(depth, kind="stable"), kind="stable") / (len(depth) + 1)  # less than a ray
    for _ in depth:
        order.append(int(np.argmin(left + rank)))
        left -= before[:, order[-1]]
        left[order[-1]] = np.inf
    return order


def _heights(solids: Sequence[Solid]) -> Array:
    """(solids, rays): how near to the eye each comes; −∞ where it is not."""
    low = np.min([solid.corners[0][:2] for solid in solids], axis=0)
    high = np.max([solid.corners[1][:2] for solid in solids], axis=0)
    step = max(float((high - low).max()) / RAYS, 1e-300)
    x, y = (np.arange(a + step / 2, b, step) for a, b in zip(low, high))
    rays = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    found = np.full((len(solids), len(rays)), -np.inf)
    for row, solid in zip(found, solids):
        a, b = solid.corners
        near = np.flatnonzero(((rays >= a[:2]) & (rays <= b[:2])).all(axis=1))
        row[near] = _height(solid, rays[near])
    return found


def _height(solid: Solid, rays: Array) -> Array:
    if solid.edges is not None:
        return _box(solid.middle, solid.edges, rays)
    if any(solid.round_ends):
        return _balls(solid, rays)
    return _cylinder(solid, rays)


def _balls(solid: Solid, rays: Array) -> Array:
    share = np.linspace(0.0, 1.0, BALLS)[:, None]
    centres = solid.ends[0] + share * (solid.ends[1] - solid.ends[0])
    radii = solid.radii[0] + share[:, 0] * (solid.radii[1] - solid.radii[0])
    room = radii**2 - ((rays[:, None] - centres[:, :2]) ** 2).sum(axis=-1)
    high = np.where(room >= 0, centres[:, 2] + np.sqrt(np.maximum(room, 0)), -np.inf)
    return np.asarray(high.max(axis=1))


def _cylinder(solid: Solid, rays: Array) -> Array:
    """|p − (p·a) a| ≤ r and |p·a| ≤ h for p = (x, y, z) − middle: the largest z, its radius the mean one."""
    a, r = solid.ends[1] - solid.ends[0], float(np.mean(solid.radii))
    h = float(np.linalg.norm(a)) / 2
    a = a / max(2 * h, 1e-300)
    p = np.concatenate([rays - solid.middle[:2], np.zeros((len(rays), 1))], axis=1)
    along = p @ a
    A = 1.0 - a[2] ** 2
    B, C = p[:, 2] - along * a[2], (p**2).sum(axis=1) - along**2 - r**2
    room = B * B - A * C
    half = np.sqrt(np.maximum(room, 0)) / max(A, 1e-12)
    side = np.where(C <= 0, np.inf, -np.inf) if A < 1e-9 else np.where(room >= 0, -B / A + half, -np.inf)
    side_low = np.where(C <= 0, -np.inf, np.inf) if A < 1e-9 else np.where(room >= 0, -B / A - half, np.inf)
    cap_low, cap = _slab(along, float(a[2]), h)
    top = np.minimum(side, cap)
    return np.where(top >= np.maximum(side_low, cap_low), top + solid.middle[2], -np.inf)


def _slab(along: Array, lean: float, h: float) -> tuple[Array, Array]:
    """The z between which |along + lean·z| ≤ h."""
    if abs(lean) < 1e-9:
        inside = np.abs(along) <= h
        return np.where(inside, -np.inf, np.inf), np.where(inside, np.inf, -np.inf)
    ends = np.stack([(-h - along) / lean, (h - along) / lean])
    return ends.min(axis=0), ends.max(axis=0)


def _box(middle: Array, edges: Array, rays: Array) -> Array:
    p = np.concatenate([rays - middle[:2], np.zeros((len(rays), 1))], axis=1)
    low, top = np.full(len(rays), -np.inf), np.full(len(rays), np.inf)
    for edge in edges:
        h = float(np.linalg.norm(edge))
        a = edge / max(h, 1e-300)
        first, last = _slab(p @ a, float(a[2]), h)
        low, top = np.maximum(low, first), np.minimum(top, last)
    return np.where(top >= low, top + middle[2], -np.inf)
