"""What was measured of the tool, and how far an arm is from it: whole poses, points on the tool, or distances.

Every kind is a residual r(e, x) = (predicted − measured) with its derivatives by the errors e of the geometry and by
what it must find besides, x: the points in the tool's frame, the place distances are measured from.

    pose       p − p̄ in metres, and the vector of the turn R R̄ᵀ in radians
    points     p + R·x_k − p̄_k, for the points k of the tool
    distance   |p + R·x − c| − d̄, from a place c that stands still in the world
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from manipula.errors import InputError, UnknownNameError
from manipula.identification.calibration.geometry import Geometry
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message

Array = NDArray[np.float64]
ROTATION = 1e-3  # how far RᵀR of a measured pose may be from 1


@dataclass(frozen=True)
class Measured:
    """`values` (N, …) are the measurements; `besides` names what is found with the geometry."""

    values: Array

    kind: ClassVar[str]
    besides: tuple[str, ...] = ()

    @property
    def units(self) -> tuple[str, ...]:
        """Of the entries of a row's residual."""
        return ("m",)

    def start(self, geometry: Geometry, q: Array) -> Array:
        """A first guess of x at the nominal geometry."""
        return np.zeros(0)

    def residual(self, geometry: Geometry, q: Array, e: Array, x: Array) -> Array:
        """(N, k)"""
        raise NotImplementedError

    def slopes(self, geometry: Geometry, q: Array, e: Array, x: Array) -> Array:
        """∂r/∂(e, x), (N, k, entries + len(x))"""
        raise NotImplementedError

    def rows(self, which: NDArray[np.intp]) -> Measured:
        """Those of some rows."""
        return type(self)(self.values[which], self.besides)

    def positions(self) -> Array | None:
        """The tool's positions, where they were measured as such: what a base can be laid under."""
        return None


class Poses(Measured):
    kind = "pose"

    @property
    def units(self) -> tuple[str, ...]:
        return ("m",) * 3 + ("rad",) * 3

    def residual(self, geometry: Geometry, q: Array, e: Array, x: Array) -> Array:
        p, R = geometry.pose(q, e)
        return np.hstack([p - self.values[:, :3, 3], _turn(R, self.values[:, :3, :3])])

    def slopes(self, geometry: Geometry, q: Array, e: Array, x: Array) -> Array:
        # the vector φ of a turn grows by (1 − [φ]×/2 + …) of a small turn in world axes
        J = geometry.slopes(q, e).copy()
        _, R = geometry.pose(q, e)
        half = _turn(R, self.values[:, :3, :3]) / 2
        J[:, 3:] -= np.cross(half[:, :, None], J[:, 3:], axis=1)
        return J

    def positions(self) -> Array:
        return np.asarray(self.values[:, :3, 3])


class Points(Measured):
    """Points of unknown places on the tool; `values` (N, k, 3)."""

    kind = "points"

    @property
    def units(self) -> tuple[str, ...]:
        return ("m",) * (3 * self._count)

    def start(self, geometry: Geometry, q: Array) -> Array:
        p, R = geometry.pose(q, np.zeros(len(geometry.entries)))
        # at the nominal geometry Rᵀ(measured − p) is the point in the frame of the tool, row by row
        return np.concatenate([np.einsum("nji,nj->i", R, self.values[:, k] - p) / len(q) for k in range(self._count)])

    @property
    def _count(self) -> int:
        return int(self.values.shape[1])

    def residual(self, geometry: Geometry, q: Array, e: Array, x: Array) -> Array:
        p, R = geometry.pose(q, e)
        there = p[:, None] + np.einsum("nij,kj->nki", R, x.reshape(-1, 3))
        return np.asarray((there - self.values).reshape(len(q), -1))

    def slopes(self, geometry: Geometry, q: Array, e: Array, x: Array) -> Array:
        J, (_, R) = geometry.slopes(q, e), geometry.pose(q, e)
        lever = np.einsum("nij,kj->nki", R, x.reshape(-1, 3))  # a point moves by v + ω × lever
        by_e = J[:, None, :3] + np.cross(J[:, None, 3:], lever[..., None], axis=2)
        by_x = np.zeros((len(q), self._count, 3, len(x)))
        for k in range(self._count):
            # a point’s own place moves it alone
            by_x[:, k, :, 3 * k : 3 * k + 3] = R
        return np.concatenate([by_e, by_x], -1).reshape(len(q), 3 * self._count, -1)

    def positions(self) -> Array:
        return np.asarray(self.values[:, 0])


class Distances(Measured):
    """From a place of the world to a point of the tool, neither known."""

    kind = "distance"

    def start(self, geometry: Geometry, q: Array) -> Array:
        """|p|² − d² = 2 p·c − |c|² is linear in (c, |c|²); what is off a plane of all p is left for the last."""
        p, _ = geometry.pose(q, np.zeros(len(geometry.entries)))
        # about the middle: squares of distances from a far origin would lose half the digits
        middle = p.mean(0)
        system = np.hstack([2 * (p - middle), -np.ones((len(q), 1))])
        # places in a plane leave one direction open: it is cut off here, and found below
        found, *_ = np.linalg.lstsq(system, ((p - middle) ** 2).sum(1) - self.values**2, rcond=1e-6)
        _, sizes, axes = np.linalg.svd(p - middle, full_matrices=False)
        height = 0.0
        # all p in one plane: the linear system does not see the height above it, but the distances do
        if len(sizes) < 3 or sizes[-1] < 1e-3 * sizes[0]:
            height = np.sqrt(max(0.0, float(np.mean(self.values**2 - ((p - middle - found[:3]) ** 2).sum(1)))))
        x = np.concatenate([np.zeros(3), middle + found[:3] + height * axes[-1]])
        e = np.zeros(len(geometry.entries))
        # the guess took the tool’s origin for its point, and squared distances weigh far places more
        fitted = least_squares(
            lambda x: self.residual(geometry, q, e, x).ravel(), x,
            lambda x: self.slopes(geometry, q, e, x)[:, 0, len(e) :], max_nfev=30,
        )  # fmt: skip
        return np.asarray(fitted.x)

    def _ray(self, geometry: Geometry, q: Array, e: Array, x: Array) -> tuple[Array, Array, Array]:
        p, R = geometry.pose(q, e)
        lever = np.einsum("nij,j->ni", R, x[:3])
        return p + lever - x[3:], lever, R

    def residual(self, geometry: Geometry, q: Array, e: Array, x: Array) -> Array:
        ray, _, _ = self._ray(geometry, q, e, x)
        return np.asarray(np.linalg.norm(ray, axis=1) - self.values)[:, None]

    def slopes(self, geometry: Geometry, q: Array, e: Array, x: Array) -> Array:
        (ray, lever, R), J = self._ray(geometry, q, e, x), geometry.slopes(q, e)
        along = ray / np.linalg.norm(ray, axis=1)[:, None]
        moves = J[:, :3] + np.cross(J[:, 3:], lever[..., None], axis=1)
        by_e = np.einsum("ni,nik->nk", along, moves)
        return np.hstack([by_e, np.einsum("ni,nij->nj", along, R), -along])[:, None]


def measured_from(values: object, kind: str, count: int) -> Measured:
    """What a caller gave, looked at: shapes, numbers, rotations."""
    if kind not in KINDS:
        raise UnknownNameError("kind of measurement", kind, KINDS)
    array = _numbers(values, "measured")
    given = array.shape
    shape = {"pose": "(N, 4, 4)", "points": Message("(N, 3) or (N, points, 3)"), "distance": "(N,)"}[kind]
    if kind == "points" and array.ndim == 2:
        array = array[:, None]
    right = {
        "pose": array.ndim == 3 and array.shape[1:] == (4, 4), "points": array.ndim == 3 and array.shape[-1] == 3,
        "distance": array.ndim == 1,
    }[kind]  # fmt: skip
    if not right:
        raise InputError("measured: kind={kind!r} takes shape {shape}, found {shape2}", kind, shape, given)
    if len(array) != count:
        raise InputError("measured: q has {count} rows, measured {count2}", count, len(array))
    if kind == "pose":
        _refuse_no_rotation(array)
    if kind == "distance" and (array <= 0).any():
        raise InputError("measured: row {argmax}: a distance must be positive", int((array <= 0).argmax()) + 1)
    names: tuple[str, ...] = ()
    if kind == "points":
        names = tuple(f"point{k + 1}_{axis}" for k in range(array.shape[1]) for axis in "xyz")
    if kind == "distance":
        names = (*(f"point_{axis}" for axis in "xyz"), *(f"centre_{axis}" for axis in "xyz"))
    return KINDS[kind](array, names)


def configurations(values: object, dof: int, robot: str) -> Array:
    q = _numbers(values, "q")
    if q.ndim != 2 or q.shape[1] != dof:
        raise InputError("q: {robot} has {dof} joints: expected shape (N, {dof}), found {shape}", robot, dof, q.shape)
    return q


def _numbers(values: object, name: str) -> Array:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError("{name}: expected an array of numbers, found {values!r}", name, str(values)[:60]) from None
    if array.ndim and not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0][0]) + 1
        raise InputError("{name}: row {row}: has no number (NaN or infinite)", name, row)
    return array


def _refuse_no_rotation(poses: Array) -> None:
    R = poses[:, :3, :3]
    defect = np.abs(np.einsum("nij,nik->njk", R, R) - np.eye(3)).max(axis=(1, 2))
    # a reflection passes RᵀR = 1
    odd = (defect > ROTATION) | (np.linalg.det(R) < 0)
    odd |= np.abs(poses[:, 3] - [0, 0, 0, 1]).max(axis=1) > ROTATION
    if odd.any():
        row = int(odd.argmax())
        raise InputError("measured: row {row}: is no pose: RᵀR is off 1 by {defect:.2g}", row + 1, defect[row])


def _turn(R: Array, aim: Array) -> Array:
    """The vector of R R̄ᵀ"""
    found: Array = Rotation.from_matrix(np.einsum("nij,nkj->nik", R, aim)).as_rotvec()
    return found


KINDS: dict[str, type[Measured]] = {"pose": Poses, "points": Points, "distance": Distances}


# Measurements from a table: a row a configuration, its joints, then what was measured of the tool.

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
    # as numbers: x2 before x10
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
        # SciPy has the scalar last
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
    # in the head: a decimal comma may be in every row below it
    mark = max(",;\t", key=lines[0].count)
    rows = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=mark))
    columns, scales = _heads(rows[0], path)
    values = [_table_numbers(row, len(rows[0]), line, path, mark) for line, row in enumerate(rows[1:], 2)]
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
                _units_text(),
            )
        if found["name"] in columns:
            raise InputError("{path}: column {place}: {found!r} stands there twice", path, place + 1, found["name"])
        columns[found["name"]] = place
        scales.append(UNITS[unit])
    return columns, np.array(scales)


def _units_text() -> str:
    return ", ".join(f"[{unit}]" for unit in UNITS if unit not in ("", "1"))


def _table_numbers(row: Sequence[str], count: int, line: int, path: Path, mark: str) -> list[float]:
    if len(row) != count:
        raise InputError("{path}: line {line}: expected {count} numbers, found {count2}", path, line, count, len(row))
    found = []
    for place, cell in enumerate(row, 1):
        # where the comma separates no columns it can only be a decimal one
        text = cell.strip().replace(",", ".") if mark != "," else cell.strip()
        try:
            found.append(float(text))
        except ValueError:
            raise InputError(
                "{path}: line {line}, column {place}: {cell!r:.40} is no number", path, line, place, cell
            ) from None
    return found
