"""A seam: poses followed as a whole, with a time law; and poses read from a table."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.ik.arm.numeric_arm import NumericArm
from manipula.ik.numeric.arrays import Floats
from manipula.ik.path import JointPath, follow
from manipula.trajectories.tool_curves import StraightLine

if TYPE_CHECKING:
    from manipula.trajectories.time_optimal import TimeOptimal

UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "rad": 1.0, "deg": math.pi / 180, "°": math.pi / 180}
LENGTHS, ANGLES = ("x", "y", "z"), ("roll", "pitch", "yaw")
NAMES = LENGTHS + ANGLES
FORMS = "x y z roll pitch yaw, or 12 or 16 numbers of the matrix, row by row"
HEAD = re.compile(r"\s*(?P<name>[^\[\]]*?)\s*(\[(?P<unit>[^\[\]]*)\])?\s*")


@dataclass(frozen=True, eq=False, repr=False)
class Seam(JointPath):
    """A path of an arm."""

    arm: NumericArm = field(repr=False)

    def time_law(
        self,
        *,
        torque: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        grid: int = 1000,
    ) -> TimeOptimal:
        """The quickest motion along the seam, from rest to rest, inside the limits: see `trajectory.time_optimal`."""
        from manipula.trajectories.time_optimal import time_optimal

        if self.unreached:
            raise InputError("time_law: pose {pose} is not reached; a seam has a time law where all are",
                             self.unreached[0])  # fmt: skip
        jumps = [i for i in self.jumps if i > 0]
        if jumps:
            raise InputError(
                "time_law: the joints jump at pose {pose}; a seam has a time law where they do not", jumps[0]
            )
        # a pose that stands still would be passed at no speed
        moved = np.concatenate([[True], (np.diff(self.q, axis=0) != 0).any(-1)])
        points = self.q[moved]
        return time_optimal(self.arm, points, torque=torque, velocity=velocity, acceleration=acceleration, grid=grid)


def follow_seam(
    arm: NumericArm,
    poses: ArrayLike,
    start: ArrayLike | str,
    *,
    tolerance: float | None,
    free: str | None,
    max_step: float,
    cost: str,
) -> Seam:
    """The path of an arm; see `ik.path.follow`."""
    path = follow(
        arm.inverse_solver, poses, start, tolerance=tolerance, free=free, max_step=max_step, cost=cost
    )  # fmt: skip
    entries: dict[str, Any] = {entry.name: getattr(path, entry.name) for entry in fields(JointPath)}
    return Seam(**entries, arm=arm)


def straight_poses(first: Floats, last: Floats, count: int) -> Floats:
    """Poses (n, 4, 4) evenly along a straight line, turning steadily along the shortest way."""
    return StraightLine(first, last).at(np.linspace(0.0, 1.0, count)).pose


def read_poses(path: str | Path) -> Floats:
    """Poses (n, 4, 4) of a table: columns x y z roll pitch yaw (about fixed axes), or 12 or 16 numbers of the matrix.

    The first row may name the columns, with a unit in brackets (x [mm], roll [deg]); without one it is m and rad.
    """
    source = Path(path)
    try:
        text = source.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError("{path}: cannot be read: {problem}", source, problem) from None
    return poses_in_text(text, source)


def poses_in_text(text: str, source: Path) -> Floats:
    """The same of the text of a table; `source` stands in messages."""
    mark = next((x for x in ";\t," if x in text), ",")
    table = [(number, row) for number, row in enumerate(csv.reader(text.splitlines(), delimiter=mark), 1) if any(row)]
    if not table:
        raise InputError("{path}: has no rows; expected {forms}", source, FORMS)
    heads = None if all(_is_number(cell) for cell in table[0][1]) else table.pop(0)[1]
    count = len(heads) if heads is not None else len(table[0][1])
    names, scales = _columns(source, heads, count)
    rows = np.empty((len(table), count))
    for i, (number, row) in enumerate(table):
        if len(row) != count:
            raise InputError(
                "{path}: row {row}: expected {count} columns, found {found}", source, number, count, len(row)
            )
        for j, cell in enumerate(row):
            if not _is_number(cell):
                raise InputError("{path}: row {row}, column {column}: expected a finite number, found {cell!r}",
                                 source, number, names[j], cell)  # fmt: skip
            rows[i, j] = float(cell)
    return _poses(rows * scales, names)


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def _columns(source: Path, heads: Sequence[str] | None, count: int) -> tuple[list[str], Floats]:
    """The columns' names and the factors to m and rad."""
    usual = {6: list(NAMES), 12: [str(k + 1) for k in range(12)], 16: [str(k + 1) for k in range(16)]}
    if count not in usual:
        raise InputError("{path}: found {count} columns; expected {forms}", source, count, FORMS)
    if heads is None:
        return usual[count], np.ones(count)
    names, scales = [], np.ones(count)
    for j, head in enumerate(heads):
        match = HEAD.fullmatch(head)
        name, unit = (match["name"].lower(), match["unit"]) if match else (head, None)
        names.append(name)
        if unit is not None:
            if unit not in UNITS:
                raise InputError("{path}: row 1, column {column}: unknown unit {unit!r}; expected one of {units}",
                                 source, name, unit, ", ".join(UNITS))  # fmt: skip
            scales[j] = UNITS[unit]
    if count == 6 and sorted(names) != sorted(NAMES):
        raise InputError("{path}: row 1: found the columns {names}; expected {forms}", source, " ".join(names), FORMS)
    return names, scales


def _poses(rows: Floats, names: Sequence[str]) -> Floats:
    T = np.zeros((len(rows), 4, 4))
    T[:, 3, 3] = 1.0
    if len(names) > 6:
        T[:, : len(names) // 4] = rows.reshape(len(rows), -1, 4)
        return T
    x, y, z, roll, pitch, yaw = (rows[:, list(names).index(name)] for name in NAMES)
    cr, sr, cp, sp, cy, sy = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch), np.cos(yaw), np.sin(yaw)
    # Rz(yaw) Ry(pitch) Rx(roll)
    T[:, 0] = np.stack([cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x], -1)
    T[:, 1] = np.stack([sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y], -1)
    T[:, 2] = np.stack([-sp, cp * sr, cp * cr, z], -1)
    return T
