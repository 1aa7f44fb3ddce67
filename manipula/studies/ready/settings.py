"""What settings of ready studies must be."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.mechanics.robot.limits import Limits
from manipula.robot import Robot
from manipula.studies.cases.values import is_number, is_whole

Array = NDArray[np.float64]
TURN = np.pi  # of a joint without limits, to both sides; of one that slides, m
SLIDE = 0.5


def count_of(name: str, value: Any, most: int = 10**9) -> int:
    if not is_whole(value) or not 1 <= value <= most:
        raise InputError("{name}: expected a whole number of 1 or more, found {value!r:.40}", name, value)
    return int(value)


def not_negative(name: str, value: Any) -> float:
    if not is_number(value) or not np.isfinite(value) or value < 0:
        raise InputError("{name}: expected a number of zero or more, found {value!r:.40}", name, value)
    return float(value)


def positive(name: str, value: Any) -> float:
    if not_negative(name, value) == 0:
        raise InputError("{name}: expected a number above zero, found {value!r:.40}", name, value)
    return float(value)


def joints(robot: Robot, name: str, value: Any) -> list[float]:
    """One number a joint, rad or m."""
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (robot.dof,) or not np.isfinite(found).all():
        raise InputError(
            "{name}: expected {dof} numbers, one a joint of {name2}, found {value!r:.60}",
            name,
            robot.dof,
            robot.name,
            value,
        )
    return list(found.tolist())


def configurations(robot: Robot, q: Any, count: int) -> Array:
    """(count, dof): those given, or drawn within the limits, always the same."""
    if q is not None:
        rows = q if isinstance(q, list | tuple | np.ndarray) and len(q) and np.ndim(q[0]) else [q]
        return np.array([joints(robot, "q", row) for row in rows])
    known = Limits(robot)
    low, high = known.lower, known.upper
    far = np.where(robot.coordinates.turns, TURN, SLIDE)
    low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2 * far, -far))
    high = np.where(np.isfinite(high), high, low + 2 * far)
    return np.asarray(np.random.default_rng(0).uniform(low, high, (count, robot.dof)))
