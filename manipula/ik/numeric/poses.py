"""The door: what a caller calls a pose, checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError, caution
from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.tolerances import PoseTolerance
from manipula.messages import Message


def poses_from_value(value: ArrayLike) -> Floats:
    """float64 of shape (…, 4, 4), contiguous. What it holds is checked by `checked_poses`, when the defect says so."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.shape[-2:] == (4, 4):
        return value if value.flags.c_contiguous else np.ascontiguousarray(value)
    try:
        array = np.asarray(value, dtype=float)
    except (ValueError, TypeError) as problem:
        raise InputError("pose: expected a 4×4 matrix of numbers, found {name}", type(value).__name__) from problem
    if array.ndim < 2 or array.shape[-2:] != (4, 4):
        raise InputError(
            (
                (
                    "pose: expected an array of shape (…, 4, 4), found {shape}; three "
                    "numbers are a place: task='position'"
                )
                if array.shape[-1:] == (3,)
                else "pose: expected an array of shape (…, 4, 4), found {shape}"
            ),
            array.shape,
        )
    return np.ascontiguousarray(array)


def joints_from_value(value: ArrayLike, joints: int) -> Floats:
    """A seed: a position for each joint."""
    near = numbers_from_value("seed", value)
    if near.shape != (joints,):
        raise InputError("seed: expected {joints} joint positions, found an array of shape {shape}", joints, near.shape)
    if not np.isfinite(near).all():
        raise InputError("seed: joint {argmin} is not a finite number", int(np.argmin(np.isfinite(near))) + 1)
    return near


def numbers_from_value(name: str, value: ArrayLike) -> Floats:
    """What a caller gives as numbers, as an array."""
    try:
        return np.ascontiguousarray(np.asarray(value, dtype=float))
    except (ValueError, TypeError) as problem:
        raise InputError("{name}: expected numbers, found {value!r}", name, value) from problem


def checked_tolerance(tolerance: float | None) -> float | None:
    """A positive number, or none."""
    if tolerance is None:
        return None
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float | np.number):
        raise InputError("tolerance: expected a number (m and rad), found {tolerance!r}", tolerance)
    if not 0 < tolerance < np.inf:
        raise InputError("tolerance: expected a positive number (m and rad), found {tolerance}", tolerance)
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
    given, names = (
        flat[rows],
        [(Message("pose {row} of {count}", row + 1, len(flat)) if len(flat) > 1 else Message("pose")) for row in rows],
    )
    finite = np.isfinite(given).all((1, 2))
    _refuse(~finite, given, names, _first_bad)
    last = np.abs(given[:, 3] - [0, 0, 0, 1]).max(1)
    _refuse(last > limit, given, names, lambda t: Message("has the last row {row}; it must be 0 0 0 1", t[3].tolist()))
    R = given[:, :3, :3]
    U, S, V = np.linalg.svd(R)
    away = np.sqrt(((S - 1) ** 2).sum(1)) / 3
    _refuse(~(away <= limit), given, names, lambda t: _not_a_rotation(t, limit))
    reflection = Message("is a reflection: the determinant of its rotation is −1, not 1")
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
    more = int((off > PoseTolerance.TOLD).sum()) - 1
    caution(
        "{names}{others} is a rotation only to a few digits: RᵀR differs from 1 by {off:.2g}; the nearest rotation is "
        "taken (tolerance= says how much is meant)",
        names[worst],
        Message(" (and {others} others)", more) if more else "",
        off[worst],
    )


def _first_bad(t: Floats) -> str:
    i, j = np.argwhere(~np.isfinite(t))[0]
    return Message("holds a number that is not finite: row {row}, column {column} is {value}", i + 1, j + 1, t[i, j])


def _not_a_rotation(t: Floats, limit: float) -> str:
    R = t[:3, :3]
    away = np.sqrt(((np.linalg.svd(R, compute_uv=False) - 1) ** 2).sum()) / 3
    return Message(
        "is not a rotation: RᵀR differs from 1 by {off:.3g}; the nearest rotation is {away:.2g} away in each entry, "
        "and at most {limit:.0e} is taken for rounding (tolerance= says otherwise)",
        _off_square(R),
        away,
        limit,
    )


def _refuse(bad: Any, given: Floats, names: Sequence[str], words: Callable[[Floats], str]) -> None:
    if bad.any():
        index = int(np.argmax(bad))
        raise InputError("{which} {what}", names[index], words(given[index]))
