"""The door: what a caller calls a pose, checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.tasks.arrays import Floats

ROTATION_SLACK = 1e-6  # what rounding in a file may cost; more is a mistake


def poses_from_value(value: ArrayLike) -> Floats:
    """float64 of shape (…, 4, 4), contiguous. What it holds is checked by `checked_poses`, when the defect says so."""
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
    return exact_poses(flat, np.arange(len(flat))).reshape(T.shape)


def exact_poses(flat: Floats, rows: Any) -> Floats:
    """The same for some of many poses (n, 4, 4)."""
    given, names = flat[rows], [f"pose {row + 1} of {len(flat)}" if len(flat) > 1 else "pose" for row in rows]
    finite = np.isfinite(given).all((1, 2))
    _refuse(~finite, given, names, lambda t: "holds a number that is not finite" + _first_bad(t))
    last = np.abs(given[:, 3] - [0, 0, 0, 1]).max(1)
    _refuse(last > ROTATION_SLACK, given, names, lambda t: f"has the last row {t[3].tolist()}; it must be 0 0 0 1")
    R = given[:, :3, :3]
    off = np.abs(R.swapaxes(1, 2) @ R - np.eye(3)).max((1, 2))
    _refuse(off > ROTATION_SLACK, given, names, _not_a_rotation)
    reflection = "is a reflection: the determinant of its rotation is −1, not 1"
    _refuse(np.linalg.det(R) < 0, given, names, lambda t: reflection)
    U, _, V = np.linalg.svd(R)
    exact: Floats = given.copy()
    exact[:, :3, :3], exact[:, 3] = U @ V, [0, 0, 0, 1]
    return exact


def _first_bad(t: Floats) -> str:
    i, j = np.argwhere(~np.isfinite(t))[0]
    return f": row {i + 1}, column {j + 1} is {t[i, j]}"


def _not_a_rotation(t: Floats) -> str:
    R = t[:3, :3]
    off = np.abs(R.T @ R - np.eye(3)).max()
    return f"is not a rotation: RᵀR differs from 1 by {off:.3g} (at most {ROTATION_SLACK:.0e} is rounding)"


def _refuse(bad: Any, given: Floats, names: Sequence[str], words: Callable[[Floats], str]) -> None:
    if bad.any():
        index = int(np.argmax(bad))
        raise InputError(f"{names[index]} {words(given[index])}")
