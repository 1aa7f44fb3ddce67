"""The door of the tasks that leave something free: what a caller calls a target, as poses with the rest at rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.poses import checked_poses
from manipula.messages import Message

FORMS = {
    "position": Message("three numbers x y z, or a 4×4 pose whose position counts"),
    "axis": Message("a 4×4 pose whose position and z axis count, or six numbers x y z and the direction of the z axis"),
}


def targets_from_value(
    task: str, value: ArrayLike, height: float | None = None, tolerance: float | None = None
) -> Floats:
    """(…, 4, 4), with nothing in it that does not count: see `masked`. `height`: the z of an arm that keeps it."""
    try:
        array = np.asarray(value, dtype=float)
    except (ValueError, TypeError) as problem:
        raise InputError("target: expected {forms}, found {name}", FORMS[task], type(value).__name__) from problem
    if array.shape[-2:] == (4, 4):
        return masked(task, checked_poses(np.ascontiguousarray(array), tolerance))
    if not np.isfinite(array).all():
        raise InputError("target: {array} is not a finite number", array[~np.isfinite(array)][0])
    if task == "position" and array.ndim and array.shape[-1] == 2:
        array = _with_height(array, height)
    if array.ndim and array.shape[-1] == {"position": 3, "axis": 6}[task]:
        return masked(task, _poses(array))
    raise InputError("target: expected {forms}, found an array of shape {shape}", FORMS[task], array.shape)


def _with_height(flat: Floats, height: float | None) -> Floats:
    """(x, y) of an arm that moves in a plane z = c."""
    if height is None:
        raise InputError("target: two numbers x y are enough only for an arm that moves in a plane z = constant")
    return np.concatenate([flat, np.full((*flat.shape[:-1], 1), height)], axis=-1)


def _poses(rows: Floats) -> Floats:
    """From points, and directions where there are any."""
    T = np.zeros((*rows.shape[:-1], 4, 4))
    T[...] = np.eye(4)
    T[..., :3, 3] = rows[..., :3]
    if rows.shape[-1] > 3:
        length = np.linalg.norm(rows[..., 3:], axis=-1, keepdims=True)
        if not (length > 0).all():
            raise InputError("target: the direction of the z axis is 0 0 0")
        T[..., :3, 2] = rows[..., 3:] / length
    return T


def masked(task: str, T: Floats) -> Floats:
    """What does not count is that of the identity ("position") or nothing ("axis": the x and y axes)."""
    kept = T.copy()
    if task == "position":
        kept[..., :3, :3] = np.eye(3)
    else:
        kept[..., :3, :2] = 0
    return kept


def completed(T: Floats, roll: float = 0.0) -> Floats:
    """A whole pose from one with a z axis alone: some x axis, turned by `roll` about z."""
    z = T[..., :3, 2]
    other = np.where(np.abs(z[..., :1]) < 0.7, [1.0, 0, 0], [0, 1.0, 0])
    y = np.cross(z, other)
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    x = np.cross(y, z)
    whole = T.copy()
    whole[..., :3, 0] = np.cos(roll) * x + np.sin(roll) * y
    whole[..., :3, 1] = np.cos(roll) * y - np.sin(roll) * x
    return whole
