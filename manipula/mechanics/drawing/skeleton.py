"""The moving joints of a robot, each with the elementary steps before and after it, in numbers.

Fixed rows are welded: their steps stand before the joints that stand on them, so that the frames of the links are those
of the models. A row that nothing stands on is a `Stub` of the link it is part of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.mechanics.robot.coordinates import JointRow
from manipula.mechanics.robot.description import Cell, Joint, RobotDescription, Steps
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.values.parameter import Parameter, float_of, floats_of, names_of
from manipula.messages import Message

Array = NDArray[np.float64]
BASE = -1
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
            joints.append(self.moving(joint, on, gap, next(moves)))
            stands[row] = len(joints) - 1, ()
        tool_on, gap = stands[self.robot.tool_row]
        tool = Stub(tool_on, (*gap, *self.moves(self.robot.tool)))
        inner = {*self.robot.parents, self.robot.tool_row}
        fixed = (row for row, joint in enumerate(self.robot.joints) if joint.kind == "fixed" and row not in inner)
        rows = tuple(stands[row][0] for row in range(len(self.robot.joints)))
        return Skeleton(
            self.moves(self.robot.base), tuple(joints), tool, tuple(Stub(*stands[row]) for row in fixed), rows
        )

    def moving(self, joint: Joint, on: int, gap: Moves, moves: JointRow) -> Moving:
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
        """None where the file has none, or letters leave one open."""
        if joint.limits is None or any(name not in self.values for end in joint.limits for name in names_of(end)):
            return None
        low, high = (number_of(Message("limits of {name}", joint.name), end, self.values) for end in joint.limits)
        return low, high


def number_of(name: str, entry: Parameter, values: Mapping[str, float]) -> float:
    """A finite float; an entry that has none is told by its name."""
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
