"""A ball about all that an arm can reach, for cameras: framed by its pose, an arm would leave the picture at the first
move. It comes from sample positions, the same for the same arm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from manipula.mechanics.drawing.ends import Pedestal
from manipula.mechanics.drawing.posing import axes_of, poses_of
from manipula.mechanics.drawing.shapes import plain
from manipula.mechanics.drawing.skeleton import Array

SAMPLES = 256
MARGIN = 1.04  # what samples miss, and half the thickness of a link


def reach_of(record: Mapping[str, Any], pedestal: Pedestal) -> dict[str, Any]:
    """`reach`, and the height of the `floor` along `up`."""
    base, up = np.array(record["base"]), np.array(record["up"])
    foot = base[:3, :3] @ (pedestal.drop * pedestal.foot) + base[:3, 3]
    poses = poses_of(record, samples(record))
    points = np.concatenate([pose[..., :3, 3].reshape(-1, 3) for pose in (*poses, *axes_of(record, poses))])
    points = np.concatenate([points, foot[None]])
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = MARGIN * float(np.linalg.norm(points - centre, axis=1).max()) + pedestal.radius
    stands = base[:3, :3] @ pedestal.foot @ up < -0.5
    floor = float(foot @ up) if stands else min(float(centre @ up) - radius, float(foot @ up))
    return {"reach": {"centre": plain(centre), "radius": plain(radius)}, "floor": plain(floor)}


def samples(record: Mapping[str, Any], count: int = SAMPLES) -> Array:
    """Positions (count, dof) that fill the ranges evenly: multiples of irrational numbers, modulo 1."""
    low, high = ranges(record).T
    x = 1.5  # the root of x^(d + 1) = x + 1, of which the golden ratio is the case d = 1
    for _ in range(64):
        x = (1.0 + x) ** (1.0 / (record["dof"] + 1.0))
    steps = x ** -np.arange(1.0, record["dof"] + 1.0)
    return np.asarray(low + (high - low) * ((0.5 + np.arange(count)[:, None] * steps) % 1.0))


def ranges(record: Mapping[str, Any]) -> Array:
    """(dof, 2): where every coordinate may go."""
    found = np.zeros((record["dof"], 2))
    for joint in record["joints"]:
        if joint["range"] is not None:
            found[joint["index"]] = joint["range"]
    return found
