"""The arm that a reference is made for: given as such, or as a robot or its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from manipula.errors import InputError
from manipula.ik.arm.numeric_arm import NumericArm
from manipula.mechanics.robot.description import RobotDescription


def arm_of(value: Any, what: str) -> NumericArm:
    """The arm itself, or that of a robot, a library name, or what stands for a robot."""
    if isinstance(value, NumericArm):
        return value
    if not isinstance(value, str | Path | RobotDescription) and not isinstance(
        getattr(value, "robot", None), RobotDescription
    ):
        raise InputError("{what}: expected an arm, mp.Arm(…), a robot or its name, found {value!r:.60}", what, value)
    return NumericArm(value)
