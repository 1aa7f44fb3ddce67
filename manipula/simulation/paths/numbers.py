"""What a person gives for a reference, checked at the door: points, times, limits."""

from __future__ import annotations

from math import inf
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.messages import Message

Floats = NDArray[np.float64]


def positive(value: Any, what: str, unit: str) -> float:
    """One number above zero."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < inf:
        raise InputError("{what}: expected a number of {unit} above 0, found {value!r:.60}", what, unit, value)
    return float(value)


def real(value: Any) -> Floats | None:
    """An array of its own, if these are real numbers."""
    try:
        return None if value is None or np.iscomplexobj(value) else np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def numbers(value: Any, what: str, dimensions: int, wanted: str) -> Floats:
    """An array of finite numbers of so many axes, none of them empty."""
    found = real(value)
    if found is None:
        raise InputError("{what}: expected {wanted}, found {value!r:.60}", what, wanted, value)
    if found.ndim != dimensions or 0 in found.shape:
        raise InputError("{what}: expected {wanted}, found an array of shape {shape}", what, wanted, found.shape)
    if not np.isfinite(found).all():
        place = ", ".join(str(i + 1) for i in np.argwhere(~np.isfinite(found))[0])
        raise InputError(
            "{what}: entry {place} is {found}; expected {wanted}", what, place, found[~np.isfinite(found)][0], wanted
        )
    return found


def configuration(value: Any, what: str) -> Floats:
    """One position a joint; a plain number is an arm of one joint."""
    return numbers([value] if isinstance(value, Real) else value, what, 1, Message("a position for each joint"))


def both(q0: Any, q1: Any, what: str) -> tuple[Floats, Floats]:
    """Two configurations of one arm."""
    start, goal = configuration(q0, f"{what}: q0"), configuration(q1, f"{what}: q1")
    if len(start) != len(goal):
        raise InputError("{what}: q0 is of {count} joints and q1 of {count2}", what, len(start), len(goal))
    return start, goal


def limits(value: Any, dof: int, what: str) -> Floats:
    """A limit above zero for each joint, from one number for all or one each; infinity is none."""
    found = real(value)
    if found is None:
        raise InputError("{what}: expected a number or {dof}, one a joint, found {value!r:.60}", what, dof, value)
    if found.shape not in ((), (dof,)):
        raise InputError(
            "{what}: expected a number or {dof}, one a joint, found an array of shape {shape}", what, dof, found.shape
        )
    if not (found > 0).all():
        raise InputError("{what}: a limit is above 0, found {found:g}", what, found[~(found > 0)][0])
    return np.array(np.broadcast_to(found, (dof,)))


def settings(**given: Any) -> dict[str, tuple[float, ...]]:
    """The settings of a reference: ref_start=… of start=…"""
    return {f"ref_{name}": tuple(np.atleast_1d(value).astype(float).tolist()) for name, value in given.items()}
