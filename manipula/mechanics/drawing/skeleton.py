"""The moving joints of a robot, each with the elementary steps before and after it, in numbers.

Fixed rows are welded: their steps stand before the joints that stand on them, so that the frames of the links are those
of the models. A row that nothing stands on is a `Stub` of the link it is part of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.robot.coordinates import JointRow
from manipula.mechanics.robot.description import Cell, Joint, RobotDescription, Steps
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.values.parameter import Parameter, float_of, floats_of, names_of
from manipula.messages import Message

Array = NDArray[np.float64]
BASE = -1
Record = Mapping[str, Any]  # a drawing as plain data, see `record`
COLUMNS = ("theta", "d", "a", "alpha")


class Move(NamedTuple):
    """One step: a turn about (`rx`) or a shift along (`tx`) an axis, and the column of the table it comes from."""

    kind: str
    amount: float
    column: str = ""


Moves = tuple[Move, ...]


@dataclass(frozen=True)
class Moving:
    """A joint that moves by x = offset + Σ factor·q of its `terms`: a turn of turn·x about z, a shift of slide·x."""

    name: str
    kind: str
    link: str
    parent: int  # the joint whose link it stands on, BASE the base
    before: Moves
    after: Moves
    terms: tuple[tuple[int, float], ...]
    offset: float
    turn: float
    slide: float
    limits: tuple[float, float] | None
    own: bool  # has it a coordinate of its own?


class Stub(NamedTuple):
    """Steps from the frame of a link that end at nothing which moves."""

    on: int
    moves: Moves


@dataclass(frozen=True)
class Skeleton:
    """`stands`: of every row of the robot the joint whose link it is part of, BASE the base."""

    base: Moves
    joints: tuple[Moving, ...]
    tool: Stub
    stubs: tuple[Stub, ...]
    stands: tuple[int, ...]

    def children(self, link: int) -> list[Moving]:
        return [joint for joint in self.joints if joint.parent == link]


def skeleton_of(robot: RobotDescription) -> Skeleton:
    """Of a robot whose geometry is known."""
    return _Reader(robot).skeleton()


def held_frames(robot: RobotDescription) -> dict[str, Array]:
    """Of every fixed row, joints that were locked among them: its frame seen from the row it stands on."""
    reader = _Reader(robot)
    return {
        joint.name: matrix((*reader.moves(joint.before), *reader.moves(joint.after)))
        for joint in robot.joints
        if joint.kind == "fixed"
    }


def matrix(moves: Moves) -> Array:
    """The product of the steps, 4×4."""
    found = np.eye(4)
    for move in moves:
        found = found @ step_matrix(move)
    return found


def inverse(moves: Moves) -> Array:
    """Of the product: the steps back, the last first."""
    return matrix(tuple(move._replace(amount=-move.amount) for move in reversed(moves)))


def step_matrix(move: Move) -> Array:
    """One step, 4×4."""
    found, axis = np.eye(4), "xyz".index(move.kind[1])
    if move.kind[0] == "t":
        found[axis, 3] = move.amount
        return found
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(move.amount), np.sin(move.amount)
    found[[i, i, j, j], [i, j, i, j]] = c, -s, s, c
    return found


class _Reader:
    def __init__(self, robot: RobotDescription) -> None:
        self.robot, self.values = robot, floats_of(dict(robot.values))

    def skeleton(self) -> Skeleton:
        moves = iter(self.robot.coordinates.rows)
        stands: dict[int, tuple[int, Moves]] = {BASE: (BASE, ())}
        joints: list[Moving] = []
        for row, (joint, parent) in enumerate(zip(self.robot.joints, self.robot.parents)):
            on, gap = stands[parent]
            if joint.kind == "fixed":
                stands[row] = on, (*gap, *self.moves(joint.before), *self.moves(joint.after))
                continue
            joints.append(self.moving_joint(joint, on, gap, next(moves)))
            stands[row] = len(joints) - 1, ()
        tool_on, gap = stands[self.robot.tool_row]
        tool = Stub(tool_on, (*gap, *self.moves(self.robot.tool)))
        inner = {*self.robot.parents, self.robot.tool_row}
        fixed = (row for row, joint in enumerate(self.robot.joints) if joint.kind == "fixed" and row not in inner)
        rows = tuple(stands[row][0] for row in range(len(self.robot.joints)))
        return Skeleton(
            self.moves(self.robot.base), tuple(joints), tool, tuple(Stub(*stands[row]) for row in fixed), rows
        )

    def moving_joint(self, joint: Joint, on: int, gap: Moves, moves: JointRow) -> Moving:
        kind = replace(KINDS[joint.kind], parameters=tuple(map(self.number, joint.of_kind)))
        offset = self.number(joint.offset)
        before = (*gap, *self.moves(joint.before, columns=True))
        if kind.turns and kind.slides:  # the offset of a screw turns it and does not advance it
            before, offset = (*before, Move("rz", offset, "theta")), 0.0
        return Moving(
            name=joint.name,
            kind=joint.kind,
            link=joint.link or joint.name,
            parent=on,
            before=before,
            after=self.moves(joint.after, columns=True),
            terms=tuple((c, float(joint.direction * factor)) for c, factor in moves.terms),
            offset=offset + joint.direction * moves.offset,
            turn=float(kind.turn(1)),
            slide=float(kind.slide(1)),
            limits=self.limits(joint),
            own=joint.name in self.robot.joint_names,
        )

    def moves(self, steps: Steps, columns: bool = False) -> Moves:
        return tuple(
            Move(step.kind, self.number(step.amount), _column(step.amount.name) if columns else "") for step in steps
        )

    def number(self, cell: Cell) -> float:
        return number_of(cell.name, cell.parameter, self.values)

    def limits(self, joint: Joint) -> tuple[float, float] | None:
        """None where the file lacks them, or letters leave one open."""
        if joint.limits is None or any(name not in self.values for end in joint.limits for name in names_of(end)):
            return None
        low, high = (number_of(Message("limits of {name}", joint.name), end, self.values) for end in joint.limits)
        return low, high


def number_of(name: str, entry: Parameter, values: Mapping[str, float]) -> float:
    """A finite float; an entry without one is refused by its name."""
    try:
        found = float_of(entry, values)
    except (ZeroDivisionError, OverflowError):
        found = float("nan")
    if not isfinite(found):
        raise InputError("{name}: its value is no finite number, so that there is nothing to draw", name)
    return found


def _column(cell: str) -> str:
    """`alpha` of the cell alpha2; "" of one that stands in no column of a table."""
    word = cell.rstrip("0123456789") if cell[-1:].isdigit() else cell.partition("_")[0]
    return word if word in COLUMNS else ""


# Where the links of a drawing are: the product of its own steps, so that painters need no model.

FARTHEST = 1e12  # rad or m


def poses_of(drawing: Record, q: ArrayLike) -> list[Array]:
    """pose_world_link of the base and of every link, then pose_world_tool, each (…, 4, 4); q is (…, dof).

    pose = pose_parent · before · motion(offset + Σ factor·q) · after
    """
    at = np.asarray(q, dtype=float)
    found = [np.broadcast_to(np.array(drawing["base"], dtype=float), (*at.shape[:-1], 4, 4))]
    for joint in drawing["joints"]:
        before, after = steps_matrix(joint["before"]), steps_matrix(joint["after"])
        found.append(found[joint["parent"] + 1] @ before @ motion(joint, at) @ after)
    return [*found, found[drawing["tool"]["on"] + 1] @ np.array(drawing["tool"]["frame"], dtype=float)]


def position_of(drawing: Record, q: object) -> Array:
    """(dof,): coordinates as given, by the name of a pose, or, of None, the pose of rest."""
    return rows_of(drawing, q, most=1)


def rows_of(drawing: Record, q: object, most: int = 2) -> Array:
    """Coordinates (dof,) or, where `most` allows it, rows of them, as finite floats."""
    if isinstance(q, str) and q not in drawing["poses"]:
        if not drawing["poses"]:
            raise InputError("{drawing} has no poses by name, found {q!r:.60}", drawing["name"], q)
        raise UnknownNameError(Message("pose of {name}", drawing["name"]), q, drawing["poses"])
    given = drawing["rest"] if q is None else drawing["poses"][q] if isinstance(q, str) else q
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        found = np.empty((0, 0, 0))
    if not 1 <= found.ndim <= most or found.shape[-1] != drawing["dof"] or not found.size:
        raise InputError(
            (
                ("q: {drawing} has {drawing2} coordinates, rad and m; expected so many numbers, found {q!r:.60}")
                if most == 1
                else (
                    "q: {drawing} has {drawing2} coordinates, rad and m; expected so many "
                    "numbers, or rows of them, found {q!r:.60}"
                )
            ),
            drawing["name"],
            drawing["dof"],
            q,
        )
    if not (np.abs(found) < FARTHEST).all():
        raise InputError("q: expected finite numbers, of less than {farthest:g} rad or m, found {q!r:.60}", FARTHEST, q)
    return found


def axes_of(drawing: Record, poses: Sequence[Array]) -> list[Array]:
    """The frames of the joints, the axis their z, from the poses of the links."""
    joints = drawing["joints"]
    return [poses[joint["parent"] + 1] @ steps_matrix(joint["before"]) for joint in joints]


def steps_matrix(steps: Sequence[Sequence[Any]]) -> Array:
    return matrix(tuple(Move(kind, amount) for kind, amount, *_ in steps))


def motion(joint: Record, q: Array) -> Array:
    """(…, 4, 4): by turn·x about z, by slide·x along it."""
    x = joint["offset"] + sum(factor * q[..., c] for c, factor in joint["terms"])
    found = np.zeros((*np.shape(x), 4, 4))
    found[..., 0, 0] = found[..., 1, 1] = np.cos(joint["turn"] * x)
    found[..., 1, 0] = np.sin(joint["turn"] * x)
    found[..., 0, 1] = -found[..., 1, 0]
    found[..., 2, 2] = found[..., 3, 3] = 1.0
    found[..., 2, 3] = joint["slide"] * x
    return found


# How the tool's origin moves with the coordinates, from the frames of a drawing alone.


def jacobian_of(record: Record, poses: Sequence[Array], axes: Sequence[Array]) -> Array:
    """(…, 3, dof), of joint i with axis z through o:  (turn z × (p − o) + slide z) · factor"""
    tool = poses[-1][..., :3, 3]
    found = np.zeros((*tool.shape, record["dof"]))
    i = record["tool"]["on"]
    while i != BASE:
        joint, z = record["joints"][i], axes[i][..., :3, 2]
        moved = joint["turn"] * np.cross(z, tool - axes[i][..., :3, 3]) + joint["slide"] * z
        for c, factor in joint["terms"]:
            found[..., c] += factor * moved
        i = joint["parent"]
    return found


def freedom_of(J: Array) -> Array:
    """(…,): √det J Jᵀ over the directions the tool can move in, each row of a whole over the largest of all."""
    sigma = np.linalg.svd(J, compute_uv=False)
    largest = float(sigma.max(initial=0.0))
    rank = max(int((sigma > 1e-9 * largest).sum(axis=-1).max(initial=0)), 1)
    product = sigma[..., :rank].prod(axis=-1)
    return np.asarray(product / max(float(product.max(initial=0.0)), 1e-300))
