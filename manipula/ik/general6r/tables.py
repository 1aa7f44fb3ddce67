"""The numbers of an arm on which the texts work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.ik.general6r.closing import Arm6R
from manipula.ik.general6r.elimination import Elimination
from manipula.ik.general6r.text.layout import ArmTable, ReadingTable, Shape
from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.tolerances import ReadingTolerance


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
    """The numbers of `ArmTable`."""
    table = np.empty(ArmTable.COUNT)
    places = {
        ArmTable.GAPS: arm.gaps, ArmTable.FIRST_BACK: arm.first_back, ArmTable.LAST_BACK: arm.last_back,
        ArmTable.FIRST: arm.first, ArmTable.LAST: arm.last,
    }  # fmt: skip
    for place, motion in places.items():
        rows = motion[..., :3, :].ravel()
        table[place : place + rows.size] = rows
    table[ArmTable.OFFSET : ArmTable.OFFSET + 6] = arm.offset
    table[ArmTable.DIRECTION : ArmTable.DIRECTION + 6] = arm.direction
    table[ArmTable.UNIT], table[ArmTable.EXACT] = arm.unit, exact
    table[ArmTable.HORIZON] = min(horizon, ReadingTolerance.NOWHERE)
    return table


def reading_table(elimination: Elimination) -> Floats:
    """The numbers of `ReadingTable`; behind `BEFORE` the factors of the way back and the basis of the eigenvectors."""
    e = elimination
    first = [e.origin, e.gaps[:, :3, :3], e.left]
    sizes = np.cumsum([np.size(x) for x in first]).tolist()
    assert sizes == [ReadingTable.GAPS, ReadingTable.LEFT, ReadingTable.BEFORE]
    return np.concatenate([np.ravel(x) for x in (*first, e.before, e.after, e.seen)])


def reading_shape(elimination: Elimination) -> NDArray[np.int64]:
    """The numbers of `Shape`."""
    e, reading = elimination, elimination.reading
    shape = np.empty(Shape.COUNT, dtype=np.int64)
    shape[Shape.PARTS], shape[Shape.PARTS_AFTER], shape[Shape.ROOTS] = (x.shape[1] for x in (e.before, e.after, e.seen))
    shape[Shape.SWAPPED] = reading.order[1] == 2
    shape[Shape.GAP], shape[Shape.SENSE] = reading.pose_gap, reading.sense
    shape[Shape.JOINTS :] = reading.joints
    return shape
