"""Where the links of a drawing are: the product of its own steps, so that whoever draws needs no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.drawing.skeleton import Array, Move, matrix
from manipula.messages import Message

FARTHEST = 1e12  # rad or m


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


def position_of(drawing: Mapping[str, Any], q: Any) -> Array:
    """(dof,): coordinates as given, by the name of a pose, or, of None, the pose of rest."""
    return rows_of(drawing, q, most=1)


def rows_of(drawing: Mapping[str, Any], q: Any, most: int = 2) -> Array:
    """Coordinates (dof,) or, where `most` allows it, rows of them, as finite floats."""
    if isinstance(q, str) and q not in drawing["poses"]:
        if not drawing["poses"]:
            raise InputError("{drawing} has no poses by name, found {q!r:.60}", drawing["name"], q)
        raise UnknownNameError(Message("pose of {name}", drawing["name"]), q, drawing["poses"])
    given = drawing["rest"] if q is None else drawing["poses"][q] if isinstance(q, str) else q
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        found = np.empty((0, 0, 0))
    if not 1 <= found.ndim <= most or found.shape[-1] != drawing["dof"] or not found.size:
        raise InputError(
            (
                ("q: {drawing} has {drawing2} coordinates, rad and m; expected so many numbers, found {q!r:.60}")
                if most == 1
                else (
                    "q: {drawing} has {drawing2} coordinates, rad and m; expected so many "
                    "numbers, or rows of them, found {q!r:.60}"
                )
            ),
            drawing["name"],
            drawing["dof"],
            q,
        )
    if not (np.abs(found) < FARTHEST).all():
        raise InputError("q: expected finite numbers, of less than {farthest:g} rad or m, found {q!r:.60}", FARTHEST, q)
    return found


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
