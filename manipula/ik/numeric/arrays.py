"""A model's own text on a whole batch at once: an arm as functions of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.run.texts import machine_code
from manipula.ik.numeric.branches import Row, wind_each
from manipula.ik.numeric.tolerances import LimitTolerance
from manipula.mechanics.models.kinematics.jacobian import jacobian
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.robot.values.parameter import float_of, floats_of

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]
Kinematics = Callable[[Floats], Floats]


def over_arrays(chain: Tree) -> Tree:
    """The same arm, ready for arrays of joint positions."""
    return replace(chain, maths=ARRAYS)


def pose_of(chain: Tree) -> Kinematics:
    """q (…, n) → (…, 4, 4)"""
    arm = over_arrays(chain)
    return lambda q: stack_rows(pose(arm, [q[..., i] for i in range(arm.dof)]).rows(), q.shape[:-1])


def jacobian_of(chain: Tree) -> Kinematics:
    """q (…, n) → (…, 6, n), world axes"""
    arm = over_arrays(chain)
    return lambda q: stack_rows(jacobian(arm, [q[..., i] for i in range(arm.dof)]), q.shape[:-1])


def stack_rows(rows: object, lead: tuple[int, ...]) -> Floats:
    """Nested sequences of arrays and structural numbers → one array, the leading axes first."""
    if not isinstance(rows, tuple | list):
        return np.broadcast_to(np.asarray(rows, dtype=float), lead)
    return np.stack([stack_rows(row, lead) for row in rows], axis=len(lead))


# Joint limits and whole turns: which turn of an angle to take, and how far a joint is from its limits.

TURN = 2 * np.pi


def bounds(limits: Sequence[tuple[float, float]] | None, dof: int) -> tuple[Floats, Floats]:
    """(low, high), infinite where there is no limit."""
    pairs = np.array([(-np.inf, np.inf)] * dof if limits is None else list(limits), dtype=float).reshape(dof, 2)
    return pairs[:, 0], pairs[:, 1]


def limits_of(robot: RobotDescription) -> list[tuple[float, float]]:
    """The limits of the moving joints; infinite where the file gives none."""
    moving = [joint for joint in robot.joints if joint.name in robot.joint_names]
    values, free = floats_of(dict(robot.values)), (-np.inf, np.inf)
    ends = [j.limits and (float_of(j.limits[0], values), float_of(j.limits[1], values)) for j in moving]
    return [free if pair is None else pair for pair in ends]


def span_of(low: Floats, high: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """What is inside the limits and no further from zero than `reach`; where nothing is, the lower limit."""
    least, most = np.maximum(low, -reach), np.minimum(high, reach)
    return least, np.maximum(most, least)


def principal(q: Floats, turning: Bits) -> Floats:
    """Angles in (−π, π]; slides as they are."""
    # (−π, π] and not [−π, π): mod has its closed end at 0
    wrapped = np.pi - np.mod(np.pi - q, TURN)
    inside = (q > -np.pi) & (q <= np.pi)
    # an angle that is inside already keeps its last bit
    return np.where(turning & ~inside, wrapped, q)


def limit_rows(turning: Bits, low: Floats, high: Floats) -> Floats:
    """The limits as the text that chooses wants them: the rows of `Row`, one after the other."""
    first, last = low - LimitTolerance.SLACK + TURN / 2, high + LimitTolerance.SLACK - TURN / 2
    # limits less than a turn apart: only the turn nearest to their middle can be inside
    narrow = first > last
    first[narrow] = last[narrow] = (low[narrow] + high[narrow]) / 2
    rows = np.empty((Row.COUNT, len(turning)))
    rows[Row.PERIOD], rows[Row.FREQUENCY] = np.where(turning, TURN, 0.0), np.where(turning, 1 / TURN, 0.0)
    rows[Row.FIRST], rows[Row.LAST] = np.where(turning, first, 0.0), np.where(turning, last, 0.0)
    rows[Row.LOW], rows[Row.HIGH] = low - LimitTolerance.INSIDE, high + LimitTolerance.INSIDE
    return rows.ravel()


def wound(q: Floats, turning: Bits, low: Floats, high: Floats, seed: Floats | None) -> Floats:
    """Every angle on the turn inside its limits that is nearest to the seed (without one: to the plain angle).

    Where no turn is inside, the plain angle.
    """
    q = np.array(principal(q, turning), order="C")
    rows, dof = limit_rows(turning, low, high), q.shape[-1]
    machine_code(wind_each, rounded=True)(q.size // max(dof, 1), dof, q.reshape(-1), *seed_or(seed, rows), rows)
    return q


def seed_or(seed: Floats | None, other: Floats) -> tuple[bool, Floats]:
    """Whether there is a seed, and an array that may be read in any case."""
    return (False, other) if seed is None else (True, np.ascontiguousarray(seed, dtype=float))


def margins(q: Floats, low: Floats, high: Floats) -> Floats:
    """Distance to the nearer limit, negative outside."""
    return np.minimum(q - low, high - q)


def distances(a: Floats, b: Floats, turning: Bits) -> Floats:
    """The largest joint difference, whole turns left out, (…)."""
    apart = np.abs(a - b)
    around = np.mod(apart, TURN)
    most: Floats = np.where(turning, np.minimum(around, TURN - around), apart).max(axis=-1)
    return most
