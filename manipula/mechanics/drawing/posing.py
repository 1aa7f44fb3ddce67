"""Where the links of a drawing are: the product of its own steps, so that whoever draws needs no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.mechanics.drawing.skeleton import Array, Move, matrix


def poses_of(drawing: Mapping[str, Any], q: ArrayLike) -> list[Array]:
    """pose_world_link of the base and of every link, then pose_world_tool, each (…, 4, 4); q is (…, dof).

    pose = pose_parent · before · motion(offset + Σ factor·q) · after
    """
    at = np.asarray(q, dtype=float)
    found = [np.broadcast_to(np.array(drawing["base"], dtype=float), (*at.shape[:-1], 4, 4))]
    for joint in drawing["joints"]:
        before, after = steps_matrix(joint["before"]), steps_matrix(joint["after"])
        found.append(found[joint["parent"] + 1] @ before @ motion(joint, at) @ after)
    return [*found, found[drawing["tool"]["on"] + 1] @ np.array(drawing["tool"]["frame"], dtype=float)]


def axes_of(drawing: Mapping[str, Any], poses: Sequence[Array]) -> list[Array]:
    """The frames of the joints, the axis their z, from the poses of the links."""
    joints = drawing["joints"]
    return [poses[joint["parent"] + 1] @ steps_matrix(joint["before"]) for joint in joints]


def steps_matrix(steps: Sequence[Sequence[Any]]) -> Array:
    return matrix(tuple(Move(kind, amount) for kind, amount, *_ in steps))


def motion(joint: Mapping[str, Any], q: Array) -> Array:
    """(…, 4, 4): by turn·x about z, by slide·x along it."""
    x = joint["offset"] + sum(factor * q[..., c] for c, factor in joint["terms"])
    found = np.zeros((*np.shape(x), 4, 4))
    found[..., 0, 0] = found[..., 1, 1] = np.cos(joint["turn"] * x)
    found[..., 1, 0] = np.sin(joint["turn"] * x)
    found[..., 0, 1] = -found[..., 1, 0]
    found[..., 2, 2] = found[..., 3, 3] = 1.0
    found[..., 2, 3] = joint["slide"] * x
    return found
