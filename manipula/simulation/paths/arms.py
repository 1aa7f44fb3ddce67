"""The arm that a reference is made for: given as such, or as a robot or its name; and the limits its file states."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.mechanics.robot.description import Joint, Robot
from manipula.mechanics.robot.values.parameter import Parameter, float_of, names_of
from manipula.simulation.paths import face

Floats = NDArray[np.float64]


class Arm(Protocol):
    """What is asked of an arm."""

    robot: Any

    @property
    def dof(self) -> int: ...
    @property
    def limits(self) -> Any: ...
    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> Any: ...
    def inverse_kinematics(self, pose: Any, seed: Any = None, *, task: str = "pose") -> Any: ...
    def pose(self, q: Any) -> Any: ...
    def jacobian(self, q: Any) -> Any: ...
    def jacobian_dot(self, q: Any, qd: Any) -> Any: ...


def arm_of(value: Any, what: str) -> Arm:
    """The arm itself, or that of a robot, a library name, or what stands for a robot."""
    if hasattr(value, "solver_for"):  # a method: to ask for a solver would make it
        found: Arm = value
        return found
    if not isinstance(value, str | Path | Robot) and not isinstance(getattr(value, "robot", None), Robot):
        raise InputError("{what}: expected an arm, mp.Arm(…), a robot or its name, found {value!r:.60}", what, value)
    made: Arm = face.arm(value)
    return made


def stated(arm: Arm, entry: Callable[[Joint], Parameter | None]) -> Floats:
    """What the robot's file says of every joint; infinite where it says nothing."""
    robot: Robot = arm.robot
    values = _values(robot)
    rows = [joint for joint in robot.joints if joint.name in robot.joint_names]
    return np.array([_number(entry(joint), values) for joint in rows])


def _number(value: Parameter | None, values: dict[str, float]) -> float:
    unknown = value is None or any(name not in values for name in names_of(value))
    return inf if unknown or value is None else float_of(value, values)


def _values(robot: Robot) -> dict[str, float]:
    """The robot's named values that are numbers."""
    found: dict[str, float] = {}
    pending = dict(robot.values)
    while ready := [name for name, value in pending.items() if all(x in found for x in names_of(value))]:
        found.update({name: float_of(pending.pop(name), found) for name in ready})
    return found
