"""A seam: poses followed as a whole, with a time law; and poses read from a table."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from manipula.errors import InputError
from manipula.ik.arm.numeric_arm import NumericArm
from manipula.ik.numeric.arrays import TURN, Floats
from manipula.ik.path import JointPath, follow
from manipula.trajectories.tool_curves import StraightLine

if TYPE_CHECKING:
    from manipula.trajectories.time_optimal import TimeOptimal

UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "rad": 1.0, "deg": math.pi / 180, "°": math.pi / 180}
LENGTHS, ANGLES, QUATERNION = ("x", "y", "z"), ("roll", "pitch", "yaw"), ("qx", "qy", "qz", "qw")
NAMES = LENGTHS + ANGLES
FORMS = "x y z roll pitch yaw, x y z qx qy qz qw, or 12 or 16 numbers of the matrix, row by row"
HEAD = re.compile(r"\s*(?P<name>[^\[\]()]*?)\s*([\[(](?P<unit>[^\[\]()]*)[\])])?\s*")


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
    poses: ArrayLike | str | Path,
    start: ArrayLike | str,
    *,
    tolerance: float | None,
    free: str | None,
    max_step: float,
    cost: str,
) -> Seam:
    """The path of an arm; see `ik.path.follow`."""
    if isinstance(poses, str | Path):
        poses = read_poses(poses)
    path = follow(
        arm.inverse_solver, poses, start, tolerance=tolerance, free=free, max_step=max_step, cost=cost
    )  # fmt: skip
    entries: dict[str, Any] = {entry.name: getattr(path, entry.name) for entry in fields(JointPath)}
    return Seam(**entries, arm=arm)


def straight_poses(first: Floats, last: Floats, count: int) -> Floats:
    """Poses (n, 4, 4) evenly along a straight line, turning steadily along the shortest way."""
    return StraightLine(first, last).at(np.linspace(0.0, 1.0, count)).pose


def read_poses(path: str | Path) -> Floats:
    """Poses (n, 4, 4) of a table: columns x y z roll pitch yaw (about fixed axes), x y z and a quaternion qx qy qz qw,
    or 12 or 16 numbers of the matrix, row by row.

    The first row may name the columns, with a unit in brackets (x [mm], roll [deg]); without one it is m and rad.
    Columns are apart by commas, semicolons, tabs or blanks; lines that begin with # are comments.
    """
    source = Path(path)
    try:
        text = source.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError("{path}: cannot be read: {problem}", source, problem) from None
    return poses_in_text(text, source)


def poses_in_text(text: str, source: Path) -> Floats:
    """The same of the text of a table; `source` stands in messages."""
    table = list(_cells(text))
    if not table:
        raise InputError("{path}: has no rows; expected {forms}", source, FORMS)
    heads = None if any(map(_is_number, table[0][1])) else table.pop(0)[1]
    names, units = _columns(source, heads, len(heads or table[0][1]))
    rows = np.empty((len(table), len(names)))
    for i, (number, row) in enumerate(table):
        if len(row) != len(names):
            raise InputError(
                "{path}: row {row}: expected {count} columns, found {found}", source, number, len(names), len(row)
            )
        for j, cell in enumerate(row):
            if not _is_number(cell):
                raise InputError("{path}: row {row}, column {column}: expected a finite number, found {cell!r}",
                                 source, number, names[j], cell)  # fmt: skip
            rows[i, j] = float(cell)
            if names[j] in ANGLES and not units[j] and abs(rows[i, j]) > TURN:
                raise InputError(
                    "{path}: row {row}, column {column}: {value:g} rad is more than a turn; for degrees name the "
                    "column {column} [deg], for radians {column} [rad]", source, number, names[j], rows[i, j]
                )  # fmt: skip
        if QUATERNION[0] in names:
            length = float(np.linalg.norm([rows[i, names.index(name)] for name in QUATERNION]))
            if abs(length - 1) > 1e-2:
                raise InputError(
                    "{path}: row {row}: a quaternion of length {lengths:.3g}, expected 1", source, number, length
                )
    return _poses(rows * [UNITS[unit] if unit else 1.0 for unit in units], names)


def _cells(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that say something, with their numbers."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip(" ,;\t")]
    lines = [(number, line) for number, line in lines if not line.lstrip().startswith("#")]
    mark = next((mark for mark in ";\t," if any(mark in line for _, line in lines)), "")
    for number, line in lines:
        cells = line.split() if not mark else [cell.strip() for cell in next(csv.reader([line], delimiter=mark))]
        # where the comma separates no columns it can only be a decimal one
        yield number, cells if mark == "," else [cell.replace(",", ".") for cell in cells]


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def _columns(source: Path, heads: Sequence[str] | None, count: int) -> tuple[list[str], list[str]]:
    """The columns' names and units; an empty one is m and rad."""
    usual = {6: list(NAMES), 12: [str(k + 1) for k in range(12)], 16: [str(k + 1) for k in range(16)]}
    if count == 7 and heads is None:
        raise InputError("{path}: 7 numbers a row are a place and a quaternion in an order that is not known; name the "
                         "columns in the first row, such as x y z qx qy qz qw", source)  # fmt: skip
    if count not in (*usual, 7):
        raise InputError("{path}: found {count} columns; expected {forms}", source, count, FORMS)
    if heads is None:
        return usual[count], [""] * count
    names, units = [], []
    for head in heads:
        match = HEAD.fullmatch(head)
        name, unit = (match["name"].lower(), match["unit"] or "") if match else (head, "")
        if unit and unit not in UNITS:
            raise InputError("{path}: row 1, column {column}: unknown unit {unit!r}; expected one of {units}",
                             source, name, unit, ", ".join(UNITS))  # fmt: skip
        names.append(name)
        units.append(unit)
    if {"rx", "ry", "rz"} <= set(names):
        raise InputError("{path}: row 1: rx ry rz may be angles or a vector along the axis; name angles about fixed "
                         "axes roll pitch yaw", source)  # fmt: skip
    if count <= 7 and sorted(names) != sorted(NAMES if count == 6 else LENGTHS + QUATERNION):
        raise InputError("{path}: row 1: found the columns {names}; expected {forms}", source, " ".join(names), FORMS)
    return names, units


def _poses(rows: Floats, names: Sequence[str]) -> Floats:
    T = np.zeros((len(rows), 4, 4))
    T[:, 3, 3] = 1.0
    if len(names) > 7:
        T[:, : len(names) // 4] = rows.reshape(len(rows), -1, 4)
        return T
    column = {name: rows[:, k] for k, name in enumerate(names)}
    T[:, :3, 3], T[:, 3, 3] = np.stack([column[name] for name in LENGTHS], -1), 1.0
    if QUATERNION[0] in column:
        T[:, :3, :3] = Rotation.from_quat(np.stack([column[name] for name in QUATERNION], -1)).as_matrix()
        return T
    roll, pitch, yaw = (column[name] for name in ANGLES)
    cr, sr, cp, sp, cy, sy = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch), np.cos(yaw), np.sin(yaw)
    # Rz(yaw) Ry(pitch) Rx(roll)
    T[:, 0, :3] = np.stack([cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr], -1)
    T[:, 1, :3] = np.stack([sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], -1)
    T[:, 2, :3] = np.stack([-sp, cp * sr, cp * cr], -1)
    return T
