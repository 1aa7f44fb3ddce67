"""A pose to begin with: bent, above the floor, seen well. Zero is the end of a table, not of a person's patience: many
arms stand straight up there, or through themselves.

Of some hundred positions well inside the ranges the one with the best marks is taken, then better ones near
it, the same for the same arm.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.mechanics.drawing.posing import axes_of, poses_of
from manipula.mechanics.drawing.reach import ranges, samples
from manipula.mechanics.drawing.shapes import plain
from manipula.mechanics.drawing.skeleton import Array

COUNT = 384
NEARER = (0.4, 0.15)  # of the first spread
CALM = 1.9  # rad or, of strokes, their whole: how far from the middle a joint stands at most
INSIDE = (0.12, 0.88)  # of a range
OUT = 0.42  # of the arm's size: how far the tool is to stand from the foot
ELBOWS = 24
PREFERRED = ("home", "ready", "rest")


def rest_of(record: Mapping[str, Any]) -> list[float]:
    """A pose of the file by its usual name, else the best of the samples."""
    named = next((record["poses"][name] for name in PREFERRED if name in record["poses"]), None)
    return list(named) if named else list(plain(_best(record)))


def _best(record: Mapping[str, Any]) -> Array:
    """Of positions all over the ranges, then of some about the best so far, nearer and nearer."""
    low, high = ranges(record).T
    q = _calm(samples(record, COUNT), low, high)
    best = q[int(np.argmax(_marks(record, q, low, high)))]
    ends = _calm(np.stack([low, high]), low, high)
    for reach in NEARER:
        spread = reach * (q[: COUNT // 2] - q[: COUNT // 2].mean(axis=0))
        near = np.clip(np.concatenate([best[None], best + spread]), *ends)
        best = near[int(np.argmax(_marks(record, near, low, high)))]
    return np.asarray(best)


def _marks(record: Mapping[str, Any], q: Array, low: Array, high: Array) -> Array:
    poses = poses_of(record, q)
    points = np.stack([at[..., :3, 3] for at in (*axes_of(record, poses), poses[-1])], axis=1) / record["size"]
    marks = _heights(points, record) + _extent(points, record) + _apart(points) + _hand(poses[-1], record)
    return np.asarray(marks - _strain(q, low, high))


def _calm(q: Array, low: Array, high: Array) -> Array:
    """Towards the middle of the ranges, and of a turn; whose first joint turns around may look anywhere."""
    share = INSIDE[0] + (INSIDE[1] - INSIDE[0]) * (q - low) / np.maximum(high - low, 1e-300)
    middle, half = (low + high) / 2, np.minimum((high - low) / 2, np.where(_around(low, high), 1.3 * np.pi, CALM))
    return np.asarray(middle + (2 * share - 1) * half)


def _around(low: Array, high: Array) -> NDArray[np.bool_]:
    """The first coordinate, if it has a whole turn."""
    return np.asarray((np.arange(len(low)) == 0) & (high - low > 1.9 * np.pi))


def _heights(points: Array, record: Mapping[str, Any]) -> Array:
    """Nothing goes through the floor, elbows are up, the tool is not."""
    height = points @ np.array(record["up"]) - record["floor"] / record["size"]
    low = np.maximum(0.1 - height[:, 1:].min(axis=1, initial=1.0), 0.0)
    return np.asarray(1.2 * height[:, :-1].max(axis=1) - 0.9 * height[:, -1] - 12.0 * low)


def _extent(points: Array, record: Mapping[str, Any]) -> Array:
    """The tool out to a side, seen from where pictures are taken, the arm bent."""
    up = np.array(record["up"])
    way = points[:, -1] - points[:, 0]
    level = way - (way @ up)[:, None] * up
    right = np.cross(up, record["eye"])
    return np.asarray(0.6 * (level @ right) - 2.0 * np.abs(np.linalg.norm(level, axis=1) - OUT))


def _apart(points: Array) -> Array:
    """Elbows keep away from what is not beside them; of very many, some."""
    points = points[:, :: 1 + points.shape[1] // ELBOWS]
    gaps = np.linalg.norm(points[:, :, None] - points[:, None], axis=-1)
    i, j = np.triu_indices(points.shape[1], 2)
    far = np.sort(gaps[:, i, j], axis=1)
    return np.asarray(1.5 * np.minimum(far, 0.25).mean(axis=1)) if far.shape[1] else np.zeros(len(points))


def _hand(tool: Array, record: Mapping[str, Any]) -> Array:
    """It looks down or ahead."""
    return np.asarray(-0.15 * (tool[..., :3, 2] @ np.array(record["up"])))


def _strain(q: Array, low: Array, high: Array) -> Array:
    """How far the joints are from the middle of their ranges, of a half turn at most."""
    half = np.minimum((high - low) / 2, np.pi)
    away = np.abs(q - (low + high) / 2) / np.maximum(half, 1e-300)
    return np.asarray(0.5 * (np.where(_around(low, high), 0.0, away) ** 2).mean(axis=1))
