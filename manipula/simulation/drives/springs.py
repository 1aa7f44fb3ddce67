"""The drives of an arm as numbers: a spring between every motor and its joint, the motor's inertia, the play.

All at the joint, as a robot file has them: a motor of rotor inertia J behind a gear N has N² J.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.mechanics.robot.description import Joint, RobotDescription
from manipula.mechanics.robot.values.parameter import Parameter
from manipula.messages import Message, in_a_row

Array = NDArray[np.float64]
Number = Callable[[Joint, str, Parameter | None, float], float]  # an entry of a joint, or what it is otherwise
Given = bool | float | Sequence[float] | None


class Springs(NamedTuple):
    """One entry a coordinate: N·m/rad or N/m, kg·m² or kg, rad or m from one end of the play to the other."""

    stiffness: Array
    inertia: Array
    play: Array

    def torque(self, motor: Array, q: Array) -> Array:
        """s = K dz(θ − q)"""
        return np.asarray(self.stiffness * self._stretch(motor, q))

    def stored(self, motor: Array, q: Array) -> Array:
        """Σ ½ K dz(θ − q)², joules"""
        return np.asarray((0.5 * self.stiffness * self._stretch(motor, q) ** 2).sum(axis=-1))

    def turning(self, rate: Array) -> Array:
        """Σ ½ B θ̇², joules"""
        return np.asarray((0.5 * self.inertia * rate**2).sum(axis=-1))

    def _stretch(self, motor: Array, q: Array) -> Array:
        # dz(δ) = δ − min(max(δ, −b/2), b/2)
        stretch = motor - q
        return np.asarray(stretch - np.clip(stretch, -0.5 * self.play, 0.5 * self.play))


def springs_of(robot: RobotDescription, number: Number, elastic: Given, backlash: Given) -> Springs:
    """`elastic`: True is as the robot says, numbers are stiffnesses. `backlash`: None is as the robot says."""
    _refuse_followers(robot)
    rows = [joint for joint in robot.joints if joint.name in robot.joint_names]

    def entries(key: str) -> list[float]:
        cells = (getattr(joint.actuator, key) for joint in rows)
        return [number(joint, key, None if x is None else x.parameter, 0.0) for joint, x in zip(rows, cells)]

    stiffness = entries("stiffness") if elastic is True else amounts("elastic", elastic, robot.dof, above=True)
    inertia = entries("motor_inertia")
    play = entries("backlash") if backlash is None else amounts("backlash", backlash, robot.dof)
    for joint, k, j in zip(rows, stiffness, inertia):
        missing = [name for name, x in (("stiffness", k), ("motor_inertia", j)) if not x > 0]
        if missing:
            absent = Message("{a} and no {b}", *missing) if len(missing) > 1 else missing[0]
            raise InputError(
                "joint {name!r} has no {missing}, so it cannot be elastic; give its row in the robot file {missing2}",
                joint.name,
                absent,
                in_a_row([f"{name} = …" for name in missing]),
            )
    return Springs(np.array(stiffness), np.array(inertia), np.array(play))


def _refuse_followers(robot: RobotDescription) -> None:
    if follow := robot.coordinates.followers:
        raise InputError(
            "joint {name!r} follows others, so which spring drives it is not said; an arm whose joints "
            "follow others is simulated with rigid joints",
            follow[0],
        )


def amounts(name: str, given: Any, dof: int, *, above: bool = False) -> list[float]:
    """One number for all joints, or one for each, at least or above 0."""
    try:
        found = np.asarray(given, dtype=float)
        found = np.array(np.broadcast_to(found, dof)) if found.ndim < 2 else np.empty(0)
    except (TypeError, ValueError):
        found = np.empty(0)
    fine = found.shape == (dof,) and bool(((found > 0) if above else (found >= 0)).all() and (found < inf).all())
    if not fine or isinstance(given, bool | str):
        raise InputError(
            (
                ("{name}: expected one number above 0, or {dof}, one a joint; found {given!r:.60}")
                if above
                else ("{name}: expected one number at least 0, or {dof}, one a joint; found {given!r:.60}")
            ),
            name,
            dof,
            given,
        )
    return [float(x) for x in found]
