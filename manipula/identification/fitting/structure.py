"""A joint model with some of its families."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from manipula.identification.assembled import TILT
from manipula.identification.joint_model import JointModel
from manipula.mechanics.robot.actuators.actuator import MOTOR
from manipula.mechanics.robot.actuators.friction import Offset


def narrowed(model: JointModel, families: Collection[str]) -> JointModel:
    """The model that has these families of the given one, and those of the robot's own file. Of harmonics the lower
    ones come along; whoever wants the others alone picks them by their columns."""
    harmonics = [int(name.partition(":")[2]) for name in families if name.startswith("harmonics:")]
    return replace(
        model,
        motor_inertia=MOTOR.key in families,
        friction=tuple(word for word in model.friction if word in families),
        offset=Offset.key in families,
        stiffness="stiffness" in families,
        harmonics=max(harmonics, default=0),
        hysteresis=False,
        tilt=TILT in families,
    )
