"""The arm that a reference is made for: given as such, or as a robot or its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from manipula.errors import InputError
from manipula.mechanics.robot.description import Robot
from manipula.simulation.paths import face


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
        raise InputError(f"{what}: expected an arm, mp.Arm(…), a robot or its name, found {value!r:.60}")
    made: Arm = face.arm(value)
    return made
