"""The arm that a reference is made for: given as such, or as a robot or its name; and the limits its file states."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.ik.arm.numeric_arm import NumericArm
from manipula.mechanics.robot.description import Joint, RobotDescription
from manipula.mechanics.robot.values.parameter import Parameter, float_of, names_of

Floats = NDArray[np.float64]


def arm_of(value: Any, what: str) -> NumericArm:
    """The arm itself, or that of a robot, a library name, or what stands for a robot."""
    if isinstance(value, NumericArm):
        return value
    if not isinstance(value, str | Path | RobotDescription) and not isinstance(
        getattr(value, "robot", None), RobotDescription
    ):
        raise InputError(f"{what}: expected an arm, mp.Arm(…), a robot or its name, found {value!r:.60}")
    return NumericArm(value)


def stated(arm: NumericArm, entry: Callable[[Joint], Parameter | None]) -> Floats:
    """What the robot's file says of every joint; infinite where it says nothing."""
    robot = arm.robot
    values = _values(robot)
    rows = [joint for joint in robot.joints if joint.name in robot.joint_names]
    return np.array([_number(entry(joint), values) for joint in rows])


def _number(value: Parameter | None, values: dict[str, float]) -> float:
    unknown = value is None or any(name not in values for name in names_of(value))
    return inf if unknown or value is None else float_of(value, values)


def _values(robot: RobotDescription) -> dict[str, float]:
    """The robot's named values that are numbers."""
    found: dict[str, float] = {}
    pending = dict(robot.values)
    while ready := [name for name, value in pending.items() if all(x in found for x in names_of(value))]:
        found.update({name: float_of(pending.pop(name), found) for name in ready})
    return found
