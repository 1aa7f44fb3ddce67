"""An arm's geometry in numbers: poses and their derivatives by every entry, over many configurations at once."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from manipula.algebra.expr.evaluate import ArrayMaths
from manipula.errors import InputError, UnsetError
from manipula.identification.calibration.error_joints import (
    ENDS,
    SIX,
    Entry,
    Loosened,
    add_error_joints,
    correct_entry,
    with_places,
)
from manipula.mechanics.models.kinematics.jacobian import jacobian
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import Cell, RobotDescription, Step, Steps, cells_in
from manipula.mechanics.robot.formats.entry_checks import unused_values
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.topology import road_rows
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.robot.values.parameter import Num, float_of, floats_of, names_of
from manipula.messages import Message

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Geometry:
    """Of the road to a robot's tool. Errors e are in the order of `entries`, and a robot's own order is kept."""

    robot: RobotDescription
    loose: Loosened
    last: dict[tuple[int, bytes], tuple[Array, Array, Array]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, robot: RobotDescription) -> Geometry:
        _refuse_symbols(robot)
        return cls(robot, add_error_joints(with_places(_road(robot))))

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self.loose.entries

    @cached_property
    def chain(self) -> Tree:
        # arrays as scalars: one run of the text gives all configurations
        return merge_fixed(bind(self.loose.arm, ArrayMaths(), {}))

    @cached_property
    def nominal(self) -> Array:
        """The entries as the robot has them."""
        values = floats_of(dict(self.robot.values))
        return np.array([float_of(self.loose.cell(entry).parameter, values) for entry in self.entries])

    @cached_property
    def size(self) -> float:
        """The sum of the arm's lengths, m; 1 of an arm without lengths."""
        values = floats_of(dict(self.robot.values))
        steps = [step for joint in self.loose.robot.joints for step in (*joint.before, *joint.after)]
        steps += [*self.robot.tool]
        lengths = [abs(float_of(step.amount.parameter, values)) for step in steps if step.kind[0] == "t"]
        return sum(lengths) or 1.0

    def pose(self, q: Array, e: Array) -> tuple[Array, Array]:
        """Positions (N, 3) and rotations (N, 3, 3) of the tool in the world."""
        # q itself is kept beside the result: its id cannot be given to another array meanwhile
        key = (id(q), e.tobytes())
        if key not in self.last:  # residuals and their slopes are requested at the same place
            self.last.clear()
            self.last[key] = (*self._pose(q, e), q)
        p, R, _ = self.last[key]
        return p, R

    def _pose(self, q: Array, e: Array) -> tuple[Array, Array]:
        at = pose(self.chain, self._coordinates_with_errors(q, e))
        turned = [_spread(x, len(q)) for row in at.R for x in row]
        return np.stack([_spread(x, len(q)) for x in at.p], -1), np.stack(turned, -1).reshape(len(q), 3, 3)

    def slopes(self, q: Array, e: Array) -> Array:
        """∂(position, small turn in world axes)/∂e, (N, 6, entries)."""
        rows = jacobian(self.chain, self._coordinates_with_errors(q, e))
        # an error is a joint that stands at e: its column of the Jacobian is the exact derivative
        spread = [_spread(row[k], len(q)) for row in rows for k in self.loose.at]
        return np.stack(spread, -1).reshape(len(q), 6, len(self.loose.at))

    def _coordinates_with_errors(self, q: Array, e: Array) -> list[Array]:
        joined: list[Array] = [np.zeros(1)] * (len(self.loose.own) + len(self.loose.at))
        S, offsets = self.robot.coordinates.of([joint.name for joint in self.loose.robot.joints]).affine
        for k, column in zip(self.loose.own, (q @ S.T + offsets).T, strict=True):
            joined[k] = column
        for k, error in zip(self.loose.at, e):
            joined[k] = np.asarray(error)
        return joined

    def robot_with_errors(self, e: Array) -> RobotDescription:
        """The robot with these errors in its entries; what is beside the road stays."""
        road = self.loose.robot
        for entry, nominal, error in zip(self.entries, self.nominal, e):
            # an entry without error keeps its exact text, 1/3 or 90°, and does not become a decimal
            if error and entry.part not in ENDS:
                road = correct_entry(road, entry, float(nominal + error))
        rows = {joint.name: joint for joint in road.joints if self._share(e, joint.name).any()}
        joints = tuple(
            replace(joint, before=rows[joint.name].before, offset=rows[joint.name].offset, after=rows[joint.name].after)
            if joint.name in rows
            else joint
            for joint in self.robot.joints
        )
        base, tool = (self._end(part, self._share(e, part)) for part in ENDS)
        found = replace(self.robot, joints=joints, base=base, tool=tool)
        # a DH row has no place for all errors of a link: such an arm is written in placements
        added = len(list(cells_in(found.joints))) > len(list(cells_in(self.robot.joints)))
        return _tidied(robot_with_placements(found) if added else found, self.robot)

    def _share(self, e: Array, part: str) -> Array:
        return np.array([error for entry, error in zip(self.entries, e) if entry.part == part])

    def _end(self, part: str, errors: Array) -> Steps:
        values = floats_of(dict(self.robot.values))
        steps: Steps = self.robot.base if part == "base" else self.robot.tool
        if not errors.any():
            return steps
        # base and tool may be any number of steps; their error is one placement behind all of them
        moved = matrix_from_steps(steps, values) @ _matrix((kind, float(e)) for (kind, _), e in zip(SIX, errors))
        return steps_from_matrix(part + "_{}", moved)


def robot_with_placements(robot: RobotDescription) -> RobotDescription:
    """Every row as a placement before the motion and one behind it, which a robot file can say of any arm."""
    values = floats_of(dict(robot.values))
    rows = []
    for joint, end in zip(robot.joints, suffixes_of(robot).rows):
        before = steps_from_matrix("{}" + end, matrix_from_steps(joint.before, values))
        after = steps_from_matrix("link_{}" + end, matrix_from_steps(joint.after, values))
        offset = Cell(f"offset{end}", Num(Fraction(repr(float_of(joint.offset.parameter, values)))))
        rows.append(replace(joint, before=before, offset=offset, after=after))
    return replace(robot, joints=tuple(rows), origin=replace(robot.origin, convention="urdf"))


def matrix_from_steps(steps: Steps, values: Mapping[str, float]) -> Array:
    """The 4×4 of turns and shifts one after another."""
    return _matrix((step.kind, float_of(step.amount.parameter, values)) for step in steps)


def _matrix(steps: Iterable[tuple[str, float]]) -> Array:
    T = np.eye(4)
    for kind, amount in steps:
        step = np.eye(4)
        if kind[0] == "t":
            step["xyz".index(kind[1]), 3] = amount
        else:
            step[:3, :3] = Rotation.from_euler(kind[1], amount).as_matrix()
        T = T @ step
    return T


def steps_from_matrix(named: str, T: Array) -> Steps:
    """x, y, z, then yaw, pitch, roll, each with its name put in `named`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # at a pitch of 90° one of many answers, all of them right
        yaw, pitch, roll = Rotation.from_matrix(T[:3, :3]).as_euler("ZYX")
    amounts = (*T[:3, 3], yaw, pitch, roll)
    cells = [Cell(named.format(word), Num(Fraction(repr(float(x))))) for (_, word), x in zip(SIX, amounts)]
    return tuple(Step(kind, cell) for (kind, _), cell in zip(SIX, cells))


def _spread(x: object, count: int) -> Array:
    return np.broadcast_to(np.asarray(x, dtype=float), count)


def _road(robot: RobotDescription) -> RobotDescription:
    """The rows from the base to the tool, each with a coordinate of its own."""
    joints = tuple(replace(robot.joints[row], parent=None, coordinate=None) for row in road_rows(robot))
    if all(joint.kind == "fixed" for joint in joints):
        raise InputError("{name}: no joint moves its tool; there is nothing to calibrate", robot.name)
    return replace(robot, joints=joints, tool_on=None, frames=(), payload=())


def _refuse_symbols(robot: RobotDescription) -> None:
    values = floats_of(dict(robot.values))
    for joint in robot.joints:
        cells = [joint.offset, *joint.of_kind, *(step.amount for step in (*joint.before, *joint.after))]
        for cell in cells:
            if missing := [name for name in names_of(cell.parameter) if name not in values]:
                raise UnsetError(
                    Message("{name}: {name2} of joint {name3!r} has no value", robot.name, cell.name, joint.name),
                    missing,
                )


def _tidied(robot: RobotDescription, before: RobotDescription) -> RobotDescription:
    """Without values of names that stood in corrected entries alone: a file with them is warned of."""
    odd = {name for name, _ in unused_values(before)}
    # again, since a value may have been read by another value that has gone
    while gone := {name for name, _ in unused_values(robot)} - odd:
        robot = replace(robot, values=tuple((name, x) for name, x in robot.values if name not in gone))
    return robot
