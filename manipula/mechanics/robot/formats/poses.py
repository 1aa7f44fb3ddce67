"""Poses by name, `home` or `ready`: a coordinate for every joint that moves by itself, kept by the joint's name, so
that an arm with fewer joints has what is left of them."""

from __future__ import annotations

from collections.abc import Sequence

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import NamedPose, RobotDescription
from manipula.mechanics.robot.limits import outside
from manipula.mechanics.robot.values.parameter import Parameter, float_of, floats_of, names_of
from manipula.messages import Message


def named_pose(robot: RobotDescription, name: str, entries: Sequence[Parameter]) -> NamedPose:
    """A pose of this robot; one that it cannot take is refused."""
    if len(entries) != robot.dof:
        told, joints = Message("found {count} coordinates", len(entries)), ", ".join(robot.joint_names)
        raise _wrong(robot, name, told, Message("expected {dof}, of {joints}", robot.dof, joints))
    values, rows = floats_of(dict(robot.values)), {joint.name: joint for joint in robot.joints}
    for joint, entry in zip(robot.joint_names, entries):
        if unknown := [letter for letter in names_of(entry) if letter not in values]:
            raise _wrong(
                robot,
                name,
                Message("{unknown!r} of joint {joint!r} has no value", unknown[0], joint),
                Message("expected numbers"),
            )
        if there := outside(rows[joint], entry, values):
            raise _wrong(robot, name, Message("joint {joint!r} would stand at {outside}", joint, there), "")
    return name, tuple(zip(robot.joint_names, entries))


def _wrong(robot: RobotDescription, name: str, problem: str, hint: str) -> RobotFileError:
    return RobotFileError(problem, file=robot.origin.path, field=f"poses.{name}", hint=hint)


def poses_of(robot: RobotDescription) -> dict[str, tuple[float, ...]]:
    """In numbers, joint by joint."""
    values = floats_of(dict(robot.values))
    kept = ((name, dict(entries)) for name, entries in robot.named_poses)
    return {name: tuple(float_of(at[joint], values) for joint in robot.joint_names) for name, at in kept}
