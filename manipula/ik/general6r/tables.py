"""The numbers of an arm on which the texts work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.ik.general6r.closing import Arm6R
from manipula.ik.general6r.elimination import Elimination
from manipula.ik.numeric.arrays import Floats

FAR = 1e9  # rad; no root is so far from the real axis


class Tables(NamedTuple):
    """`arm` its geometry; `sizes`, `shapes` and `tables` its readings, best first."""

    arm: Floats
    sizes: NDArray[np.int64]
    shapes: NDArray[np.int64]
    tables: Floats


def tables_of(arm: Arm6R, eliminations: Sequence[Elimination], bound: int, exact: float, horizon: float) -> Tables:
    readings = [reading_table(elimination) for elimination in eliminations]
    sizes = np.array([bound, len(readings), *(len(table) for table in readings)], dtype=np.int64)
    shapes = np.concatenate([reading_shape(elimination) for elimination in eliminations])
    return Tables(arm_table(arm, exact, horizon), sizes, shapes, np.concatenate(readings))


def arm_table(arm: Arm6R, exact: float, horizon: float) -> Floats:
    """Five gaps, the frames at both ends and their inverses, the unit of length, how positions are counted, limits."""
    motions = [*arm.gaps, arm.first_back, arm.last_back, arm.first, arm.last]
    numbers = [*(T[:3].ravel() for T in motions), [arm.unit], arm.offset, arm.direction, [exact, min(horizon, FAR)]]
    return np.concatenate(numbers).astype(float)


def reading_table(elimination: Elimination) -> Floats:
    """The origins of three angles, six rotations, the way ahead, the way back, the basis of the eigenvectors."""
    e = elimination
    rotations = e.gaps[:, :3, :3]
    return np.concatenate([np.ravel(x) for x in (e.origin, rotations, e.left, e.before, e.after, e.seen)])


def reading_shape(elimination: Elimination) -> NDArray[np.int64]:
    """Angles before and after the pose, roots, whether 4 and 5 change places, the pose's gap, the sense, the joints."""
    e, reading = elimination, elimination.reading
    parts, after = e.before.shape[1], e.after.shape[1]
    swapped = int(reading.order[1] == 2)
    numbers = [parts, after, e.seen.shape[1], swapped, reading.pose_gap, reading.sense, *reading.joints]
    return np.array(numbers, dtype=np.int64)
