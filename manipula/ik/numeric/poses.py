"""The door: what a caller calls a pose, checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError, caution
from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.tolerances import PoseTolerance


def poses_from_value(value: ArrayLike) -> Floats:
    """float64 of shape (…, 4, 4), contiguous. What it holds is checked by `checked_poses`, when the defect says so."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.shape[-2:] == (4, 4):
        return value if value.flags.c_contiguous else np.ascontiguousarray(value)
    try:
        array = np.asarray(value, dtype=float)
    except (ValueError, TypeError) as problem:
        raise InputError(f"pose: expected a 4×4 matrix of numbers, found {type(value).__name__}") from problem
    if array.ndim < 2 or array.shape[-2:] != (4, 4):
        point = "; three numbers are a place: task='position'" if array.shape[-1:] == (3,) else ""
        raise InputError(f"pose: expected an array of shape (…, 4, 4), found {array.shape}{point}")
    return np.ascontiguousarray(array)


def joints_from_value(value: ArrayLike, joints: int) -> Floats:
    """A seed: a position for each joint."""
    near = numbers_from_value("seed", value)
    if near.shape != (joints,):
        raise InputError(f"seed: expected {joints} joint positions, found an array of shape {near.shape}")
    if not np.isfinite(near).all():
        raise InputError(f"seed: joint {int(np.argmin(np.isfinite(near))) + 1} is not a finite number")
    return near


def numbers_from_value(name: str, value: ArrayLike) -> Floats:
    """What a caller gives as numbers, as an array."""
    try:
        return np.ascontiguousarray(np.asarray(value, dtype=float))
    except (ValueError, TypeError) as problem:
        raise InputError(f"{name}: expected numbers, found {value!r}") from problem


def checked_tolerance(tolerance: float | None) -> float | None:
    """A positive number, or none."""
    if tolerance is None:
        return None
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float | np.number):
        raise InputError(f"tolerance: expected a number (m and rad), found {tolerance!r}")
    if not 0 < tolerance < np.inf:
        raise InputError(f"tolerance: expected a positive number (m and rad), found {tolerance}")
    return float(tolerance)


def checked_poses(T: Floats, tolerance: float | None = None) -> Floats:
    """The poses with their rotations made exact; a sentence for what is no pose."""
    flat = T.reshape(-1, 4, 4)
    return exact_poses(flat, np.arange(len(flat)), tolerance).reshape(T.shape)


def exact_poses(flat: Floats, rows: Any, tolerance: float | None = None) -> Floats:
    """The same for some of many poses (n, 4, 4): each with the rotation nearest to its own.

    The nearest rotation is U Vᵀ of R = U S Vᵀ. No rotation whose entries are each wrong by `tolerance` is refused: the
    nearest one is at most as far from R as the right one, ‖R − U Vᵀ‖ ≤ 3·tolerance. Who gives a tolerance hears nothing
    of what it covers.
    """
    limit = PoseTolerance.ROTATION if tolerance is None else tolerance
    given, names = flat[rows], [f"pose {row + 1} of {len(flat)}" if len(flat) > 1 else "pose" for row in rows]
    finite = np.isfinite(given).all((1, 2))
    _refuse(~finite, given, names, lambda t: "holds a number that is not finite" + _first_bad(t))
    last = np.abs(given[:, 3] - [0, 0, 0, 1]).max(1)
    _refuse(last > limit, given, names, lambda t: f"has the last row {t[3].tolist()}; it must be 0 0 0 1")
    R = given[:, :3, :3]
    U, S, V = np.linalg.svd(R)
    away = np.sqrt(((S - 1) ** 2).sum(1)) / 3
    _refuse(~(away <= limit), given, names, lambda t: _not_a_rotation(t, limit))
    reflection = "is a reflection: the determinant of its rotation is −1, not 1"
    _refuse(np.linalg.det(R) < 0, given, names, lambda t: reflection)
    if tolerance is None:
        _tell(np.maximum(_off_square(R), last), names)
    exact: Floats = given.copy()
    exact[:, :3, :3], exact[:, 3] = U @ V, [0, 0, 0, 1]
    return exact


def _off_square(R: Floats) -> Floats:
    """The largest entry of RᵀR − 1, (n)."""
    off: Floats = np.abs(R.swapaxes(-1, -2) @ R - np.eye(3)).max((-1, -2))
    return off


def _tell(off: Floats, names: Sequence[str]) -> None:
    """Of poses that were written with few digits, once."""
    if not (off > PoseTolerance.TOLD).any():
        return
    worst = int(np.argmax(off))
    others = (
        f" (and {int((off > PoseTolerance.TOLD).sum()) - 1} others)" if (off > PoseTolerance.TOLD).sum() > 1 else ""
    )
    caution(
        f"{names[worst]}{others} is a rotation only to a few digits: RᵀR differs from 1 by {off[worst]:.2g}; "
        "the nearest rotation is taken (tolerance= says how much is meant)"
    )


def _first_bad(t: Floats) -> str:
    i, j = np.argwhere(~np.isfinite(t))[0]
    return f": row {i + 1}, column {j + 1} is {t[i, j]}"


def _not_a_rotation(t: Floats, limit: float) -> str:
    R = t[:3, :3]
    away = np.sqrt(((np.linalg.svd(R, compute_uv=False) - 1) ** 2).sum()) / 3
    return (
        f"is not a rotation: RᵀR differs from 1 by {_off_square(R):.3g}; the nearest rotation is {away:.2g} away in "
        f"each entry, and at most {limit:.0e} is taken for rounding (tolerance= says otherwise)"
    )


def _refuse(bad: Any, given: Floats, names: Sequence[str], words: Callable[[Floats], str]) -> None:
    if bad.any():
        index = int(np.argmax(bad))
        raise InputError(f"{names[index]} {words(given[index])}")
