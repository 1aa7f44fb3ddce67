"""Measurements from a table: a row a configuration, its joints, then what was measured of the tool."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from manipula.errors import InputError
from manipula.mechanics.robot.description import RobotDescription

Array = NDArray[np.float64]
HEAD = re.compile(r"^\s*(?P<name>[^\[\]()]+?)\s*(?:[\[(](?P<unit>[^\])]*)[\])])?\s*$")
UNITS = {"": 1.0, "rad": 1.0, "m": 1.0, "deg": np.pi / 180, "°": np.pi / 180, "mm": 1e-3, "cm": 1e-2, "1": 1.0}
QUATERNION, ANGLES = ("qw", "qx", "qy", "qz"), ("roll", "pitch", "yaw")


def measurements(robot: RobotDescription, path: str | Path) -> tuple[Array, Array, str]:
    """q (N, joints), what was measured, and its kind."""
    path = Path(path)
    columns, values = _table(path)
    q = np.stack([values[:, columns[name]] for name in _joints(robot, columns, path)], -1)
    if "distance" in columns:
        return q, values[:, columns["distance"]], "distance"
    points = [[name + end for name in "xyz"] for end in _endings(columns)]
    if not points:
        raise InputError("{path}: no columns x y z, x1 y1 z1 …, or distance; found {columns}", path, ", ".join(columns))
    turns = [names for names in (QUATERNION, ANGLES) if any(name in columns for name in names)]
    for name in (name for names in (*points, *turns) for name in names if name not in columns):
        raise InputError("{path}: no column {name}; found {columns}", path, name, ", ".join(columns))
    places = np.stack([values[:, [columns[name] for name in point]] for point in points], 1)
    if turns:
        return q, _poses(places[:, 0], values[:, [columns[name] for name in turns[0]]], path), "pose"
    return q, places[:, 0] if len(points) == 1 else places, "points"


def _endings(columns: dict[str, int]) -> list[str]:
    found = [name[1:] for name in columns if re.fullmatch(r"x\d*", name)]
    return [""] if "" in found else sorted(found, key=int)


def _joints(robot: RobotDescription, columns: dict[str, int], path: Path) -> list[str]:
    """By their own names, or by number."""
    if all(name in columns for name in robot.joint_names):
        return list(robot.joint_names)
    numbered = [f"q{k}" for k in range(1, robot.dof + 1)]
    if missing := [name for name in numbered if name not in columns]:
        raise InputError(
            "{path}: no column {missing} (a joint of {name}); found {columns}",
            path,
            missing[0],
            robot.name,
            ", ".join(columns),
        )
    if f"q{robot.dof + 1}" in columns:
        raise InputError(
            "{path}: has a column q{dof}; {name} has {dof2} joints", path, robot.dof + 1, robot.name, robot.dof
        )
    return numbered


def _poses(places: Array, turns: Array, path: Path) -> Array:
    if turns.shape[1] == 4:
        lengths = np.linalg.norm(turns, axis=1)
        if (odd := np.abs(lengths - 1) > 1e-2).any():
            row = int(odd.argmax())
            raise InputError(
                "{path}: row {row}: a quaternion of length {lengths:.3g}, expected 1", path, row + 1, lengths[row]
            )
        R = Rotation.from_quat(turns[:, [1, 2, 3, 0]]).as_matrix()
    else:
        R = Rotation.from_euler("xyz", turns).as_matrix()  # about fixed axes
    T = np.tile(np.eye(4), (len(places), 1, 1))
    T[:, :3, :3], T[:, :3, 3] = R, places
    return T


def _table(path: Path) -> tuple[dict[str, int], Array]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            "{name}: cannot be read: {strerror}", path, getattr(error, "strerror", None) or error
        ) from None
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if len(lines) < 2:
        raise InputError(
            "{path}: expected a line of names and a line for every configuration, found {count}", path, len(lines)
        )
    mark = max(",;\t", key=lines[0].count)
    rows = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=mark))
    columns, scales = _heads(rows[0], path)
    values = [_numbers(row, len(rows[0]), line, path, mark) for line, row in enumerate(rows[1:], 2)]
    return columns, np.array(values) * scales


def _heads(heads: Sequence[str], path: Path) -> tuple[dict[str, int], Array]:
    columns, scales = dict[str, int](), list[float]()
    for place, head in enumerate(heads):
        found = HEAD.match(head)
        unit = (found["unit"] or "") if found else ""
        if found is None or unit not in UNITS:
            raise InputError(
                "{path}: column {place}: {head!r:.40}: expected a name and one of {listed}",
                path,
                place + 1,
                head,
                _listed(),
            )
        if found["name"] in columns:
            raise InputError("{path}: column {place}: {found!r} stands there twice", path, place + 1, found["name"])
        columns[found["name"]] = place
        scales.append(UNITS[unit])
    return columns, np.array(scales)


def _listed() -> str:
    return ", ".join(f"[{unit}]" for unit in UNITS if unit not in ("", "1"))


def _numbers(row: Sequence[str], count: int, line: int, path: Path, mark: str) -> list[float]:
    if len(row) != count:
        raise InputError("{path}: line {line}: expected {count} numbers, found {count2}", path, line, count, len(row))
    found = []
    for place, cell in enumerate(row, 1):
        text = cell.strip().replace(",", ".") if mark != "," else cell.strip()
        try:
            found.append(float(text))
        except ValueError:
            raise InputError(
                "{path}: line {line}, column {place}: {cell!r:.40} is no number", path, line, place, cell
            ) from None
    return found
