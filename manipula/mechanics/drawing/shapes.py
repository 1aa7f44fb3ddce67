"""The solids a drawing is made of, as data: points, axes and sizes in the frame of the link they belong to."""

from __future__ import annotations

from math import floor, log10
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.mechanics.drawing.skeleton import Array

Shape = dict[str, Any]
DIGITS = 9  # of sizes as they are drawn, below the largest of the same point


def tube(start: ArrayLike, end: ArrayLike, radii: tuple[float, float], paint: str) -> Shape:
    """A cylinder that may taper; its ends are flat."""
    return {"kind": "tube", "from": plain(start), "to": plain(end), "radii": plain(radii), "paint": paint}


def ball(at: ArrayLike, radius: float, paint: str) -> Shape:
    return {"kind": "ball", "at": plain(at), "radius": plain(radius), "paint": paint}


def drum(at: ArrayLike, axis: ArrayLike, radius: float, length: float, paint: str) -> Shape:
    """The housing of a joint: a cylinder with bevelled edges, its middle at `at`."""
    return _round("drum", at, axis, radius, length, paint)


def ring(at: ArrayLike, axis: ArrayLike, radius: float, length: float, paint: str) -> Shape:
    """A band about a drum or a box."""
    return _round("ring", at, axis, radius, length, paint)


def _round(kind: str, at: ArrayLike, axis: ArrayLike, radius: float, length: float, paint: str) -> Shape:
    sizes = {"radius": plain(radius), "length": plain(length), "paint": paint}
    return {"kind": kind, "at": plain(at), "axis": plain(axis), **sizes}


def box(frame: Array, size: tuple[float, float, float], paint: str) -> Shape:
    """Its middle at the origin of the frame, its edges along the axes."""
    return {"kind": "box", "frame": frame.tolist(), "size": plain(size), "paint": paint}


def frame_along(axis: Array, at: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """A frame there, its z along the axis, its x as near to the x (else the y) it had as can be."""
    z = unit(axis)
    start = np.eye(3)[0 if abs(z[0]) < 0.9 else 1]
    x = unit(start - (start @ z) * z)
    found = np.eye(4)
    found[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    found[:3, 3] = at
    return found


def unit(v: Array) -> Array:
    return v / np.linalg.norm(v)


def plain(values: ArrayLike, digits: int = DIGITS) -> Any:
    """As lists of floats, without dust beside the largest."""
    given = np.asarray(values, dtype=float)
    largest = float(np.abs(given).max(initial=0.0))
    return (np.round(given, digits - floor(log10(largest))) + 0.0).tolist() if largest else given.tolist()
