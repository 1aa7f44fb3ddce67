"""The door: what a caller calls a pose, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.tasks.arrays import Floats

ROTATION_SLACK = 1e-6  # what rounding in a file may cost; more is a mistake


def poses_from_value(value: ArrayLike) -> Floats:
    """float64 of shape (…, 4, 4), contiguous. What it holds is checked by `check_poses`, when the defect says so."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.shape[-2:] == (4, 4):
        return value if value.flags.c_contiguous else np.ascontiguousarray(value)
    try:
        array = np.asarray(value, dtype=float)
    except (ValueError, TypeError) as problem:
        raise InputError(f"pose: expected a 4×4 matrix of numbers, found {type(value).__name__}") from problem
    if array.ndim < 2 or array.shape[-2:] != (4, 4):
        raise InputError(f"pose: expected an array of shape (…, 4, 4), found {array.shape}")
    return np.ascontiguousarray(array)


def checked_poses(T: Floats) -> Floats:
    """The poses with their rotations made exact; a sentence for what is no pose."""
    flat = T.reshape(-1, 4, 4)
    _refuse(~np.isfinite(flat).all((1, 2)), flat, lambda t: "holds a number that is not finite" + _first_bad(t))
    rows = np.abs(flat[:, 3] - [0, 0, 0, 1]).max(1)
    _refuse(rows > ROTATION_SLACK, flat, lambda t: f"has the last row {t[3].tolist()}; it must be 0 0 0 1")
    R = flat[:, :3, :3]
    off = np.abs(R.swapaxes(1, 2) @ R - np.eye(3)).max((1, 2))
    _refuse(off > ROTATION_SLACK, flat, _not_a_rotation)
    _refuse(np.linalg.det(R) < 0, flat, lambda t: "is a reflection: the determinant of its rotation is −1, not 1")
    U, _, V = np.linalg.svd(R)
    exact = flat.copy()
    exact[:, :3, :3], exact[:, 3] = U @ V, [0, 0, 0, 1]
    return exact.reshape(T.shape)


def _first_bad(t: Floats) -> str:
    i, j = np.argwhere(~np.isfinite(t))[0]
    return f": row {i + 1}, column {j + 1} is {t[i, j]}"


def _not_a_rotation(t: Floats) -> str:
    R = t[:3, :3]
    off = np.abs(R.T @ R - np.eye(3)).max()
    return f"is not a rotation: RᵀR differs from 1 by {off:.3g} (at most {ROTATION_SLACK:.0e} is rounding)"


def _refuse(bad: Any, flat: Floats, words: Any) -> None:
    if bad.any():
        index = int(np.argmax(bad))
        which = "pose" if len(flat) == 1 else f"pose {index + 1} of {len(flat)}"
        raise InputError(f"{which} {words(flat[index])}")
