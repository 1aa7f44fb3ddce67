"""Which solid hides which: heights along the rays of a coarse raster, pair by pair, then an order from the back.

Solids of an arm go through each other, so that no order is right everywhere; the one taken is wrong at the fewest rays.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manipula.pages.svg.camera import Array
from manipula.pages.svg.solids import Solid

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
    return _ordered(np.maximum(before - before.T, 0), [float(solid.middle[2]) for solid in solids])


def _ordered(before: Array, depth: Sequence[float]) -> list[int]:
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
