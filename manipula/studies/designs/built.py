"""A design as a robot of its own."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from manipula.errors import ManipulaWarning
from manipula.mechanics.robot.description import Joint
from manipula.mechanics.robot.values.parameter import Parameter, number
from manipula.robot import Robot
from manipula.studies.designs.bodies import lettered, with_beams, with_motors
from manipula.studies.designs.drives import Drive


def robot_of_design(
    robot: Robot, values: Mapping[str, float], beams: Mapping[str, float], drives: Sequence[Drive], name: str
) -> Robot:
    """What varied has its value; beams ride on the links; motors, one a joint where there are any, are points on the
    link before, motor inertia, and limits of torque and speed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        found = with_beams(lettered(robot, list(values)), beams) if beams else robot
        found = found.with_parameters(**values)
        if drives:
            found = with_motors(found, {k: drive.mass for k, drive in enumerate(drives, 1) if drive.mass})
            inertias = {joint: drive.inertia for joint, drive in zip(robot.joint_names, drives)}
            found = found.without("motor_inertia").with_motor_inertia(inertias)
            own = dict(zip(robot.joint_names, drives))
            found = replace(found, joints=tuple(_limited(x, own) for x in found.joints))
    return replace(found, name=name)


def _limited(joint: Joint, drives: Mapping[str, Drive]) -> Joint:
    if joint.name not in drives:
        return joint
    drive = drives[joint.name]
    return replace(joint, effort_limit=_finite(drive.torque), velocity_limit=_finite(drive.speed))


def _finite(value: float) -> Parameter | None:
    return number(value) if np.isfinite(value) else None
