"""The solids of a record as a camera sees them: cylinders, rods with round ends, balls and boxes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from manipula.pages.svg.camera import Array, Camera

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


def trimmed(solids: Sequence[Solid], size: float) -> list[Solid]:
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


def solids_of(shapes: Sequence[Shape], pose: Array, camera: Camera, size: float) -> Iterator[Solid]:
    """Of one link."""
    return _Placed(shapes, pose, camera, SAME * size).all()


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

    def seen(self, points: Any) -> Array:
        at = np.asarray(points, dtype=float) @ self.pose[:3, :3].T + self.pose[:3, 3]
        return self.camera.points(at)

    def tube(self, shape: Shape) -> Iterator[Solid]:
        ends = (shape["from"], shape["to"])
        first, last = (any(self._meets(ball, end, shape) for ball in self.balls) for end in ends)
        yield Solid(shape["paint"], self.seen(ends), tuple(shape["radii"]), (first, last))

    def ball(self, shape: Shape) -> Iterator[Solid]:
        """One at the end of a tube is drawn with it."""
        if not any(self._meets(shape, tube[end], tube) for tube in self.tubes for end in ("from", "to")):
            at = self.seen(shape["at"])
            yield Solid(shape["paint"], np.stack([at, at]), (shape["radius"],) * 2, (True, True))

    def _meets(self, ball: Shape, end: Any, tube: Shape) -> bool:
        away = float(np.abs(np.subtract(ball["at"], end)).max())
        return away < self.same and ball["paint"] == tube["paint"]

    def drum(self, shape: Shape) -> Iterator[Solid]:
        """In two halves: what goes through the middle lies between them."""
        ends, middle = self._axis(shape), self.seen(shape["at"])
        for end in ends:
            yield Solid(shape["paint"], np.stack([middle, end]), (shape["radius"],) * 2, half=True)

    def ring(self, shape: Shape) -> Iterator[Solid]:
        yield Solid(shape["paint"], self._axis(shape), (shape["radius"],) * 2)

    def _axis(self, shape: Shape) -> Array:
        at, half = np.array(shape["at"]), 0.5 * shape["length"] * np.array(shape["axis"])
        return self.seen(np.stack([at - half, at + half]))

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
