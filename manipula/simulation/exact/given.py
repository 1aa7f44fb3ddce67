"""What an integration from event to event is given, checked: where to start, until when, at which times to be told."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError

Array = NDArray[np.float64]


def start_from(start: Any, joints: Sequence[str], lower: Array, upper: Array) -> tuple[Array, Array]:
    """(q, qd) from q or (q, qd), between the stops."""
    n = len(joints)
    pair = start if isinstance(start, tuple) and len(start) == 2 and np.ndim(start[0]) else (start, np.zeros(n))
    found: list[Array] = []
    for name, value in zip(("q", "qd"), pair):
        try:
            x = np.array(value, dtype=float)
        except (TypeError, ValueError):
            raise InputError("start: {name}: expected {n} numbers, found {value!r:.60}", name, n, value) from None
        if x.shape != (n,) or not np.isfinite(x).all():
            raise InputError("start: {name}: expected {n} finite numbers, found {value!r:.60}", name, n, value)
        found.append(x)
    for i in np.flatnonzero((found[0] < lower) | (found[0] > upper)):
        raise InputError(
            "start: joint {joints!r} is at {found:g}, outside its limits {lower:g} … {upper:g}; stops=False lets it",
            joints[int(i)],
            found[0][i],
            lower[i],
            upper[i],
        )
    return found[0], found[1]


def refuse_times(since: float, until: float, rtol: float, atol: float, longest: float) -> None:
    if not (isfinite(since) and isfinite(until) and until > since):
        raise InputError("until: expected a time after {since:g} s, found {until!r:.60}", since, until)
    if not (0 < rtol < 1 and atol > 0 and longest > 0):
        raise InputError(
            "rtol, atol, longest: expected numbers above 0, found {rtol!r}, {atol!r}, {longest!r}", rtol, atol, longest
        )


def rising_times(at: Sequence[float] | Array, since: float, until: float) -> Array:
    found = np.asarray(at, dtype=float)
    if found.ndim != 1 or not len(found) or not (np.diff(found) > 0).all() or found[0] < since or found[-1] > until:
        raise InputError("at: expected rising times from {since:g} to {until:g} s, found {at!r:.60}", since, until, at)
    return found
