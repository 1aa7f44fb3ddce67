"""An arm as an estimator knows it: its robot, and torques that a robot's own equations cannot hold beside it.

These are the terms of a fit for which a robot file has no word, and friction that follows the load, in which torques
are not linear. Without accelerations what a joint bears is not known: terms that need it, or an acceleration, are left
out with a warning; a robot whose friction follows the load is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import caution, some_of
from manipula.identification.assembled import Columns
from manipula.identification.columns.column import Column
from manipula.identification.columns.coupling import COUPLING
from manipula.identification.columns.inertial import INERTIAL, number_of
from manipula.identification.fitting.found import Found
from manipula.identification.fitting.to_robot import in_file, robot_with
from manipula.identification.fitting.torque_model import Terms, links_of
from manipula.identification.joint_model import JointModel
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import PortKind
from manipula.mechanics.robot.bind import free_parameters
from manipula.mechanics.robot.description import RobotDescription
from manipula.robot import RobotLike, as_robot
from manipula.scalar import Maths
from manipula.simulation.exact.mechanism import frictionless, motorless

Array = NDArray[np.float64]
STOPS_BEGUN = PortKind(
    "stops_begun", "1", "0 before the first sample of stop operators, then 1", ("stops_begun",), "state"
)


class ExtraTorque:
    """Terms as an estimator takes them; stop operators begin relaxed where the first sample is."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    @property
    def loaded(self) -> bool:
        return any(column.loaded for column in self.terms.columns)

    @property
    def ports(self) -> tuple[PortKind, ...]:
        return (*self.terms.ports, STOPS_BEGUN) if self.terms.ports else ()

    def torque(self, maths: Maths[Any], x: Given, load: Sequence[Any] | None) -> list[Any]:
        return self.terms.torque(maths, x, self._stops(maths, x), load)

    def after(self, maths: Maths[Any], x: Given) -> dict[str, Any]:
        return {**self.terms.after(x, self._stops(maths, x)), "stops_begun_next": [1]} if self.ports else {}

    def _stops(self, maths: Maths[Any], x: Given) -> Any:
        begun = {port.name: x["q"] if port.name == "q_before" else [0] * len(x["q"]) for port in self.terms.ports}
        before = {
            name: [maths.select(x[STOPS_BEGUN.name][0], kept, first) for kept, first in zip(x[name], row, strict=True)]
            for name, row in begun.items()
        }
        return self.terms.stops(maths, {**x, **before})


@dataclass(frozen=True)
class ArmWithExtra:
    """`links`, without motors and friction, are there where what the joints bear is asked for."""

    robot: RobotDescription
    extra: ExtraTorque | None = None
    links: RobotDescription | None = None


def arm_with_extra(given: RobotLike | Found, accelerations: bool) -> ArmWithExtra:
    """The arm that a robot or a fit stands for."""
    return _of_fit(given, accelerations) if isinstance(given, Found) else _of_robot(as_robot(given), accelerations)


def _of_fit(found: Found, accelerations: bool) -> ArmWithExtra:
    source, columns, theta = found.data.source.columns, found.columns, found.theta
    own = np.array([said and not _follows(c) for c, said in zip(columns, in_file(columns))])
    usable = np.array([accelerations or not (c.loaded or c.family == COUPLING) for c in columns])
    if lost := [c.name for c, held, used in zip(columns, own, usable) if not held and not used]:
        caution(
            "PayloadEstimator leaves out {some_of} of the fit, which need accelerations: give no sample=", some_of(lost)
        )
    robot = robot_with(source, [c for c, held in zip(columns, own) if held], theta[own])
    rest = ~own & usable
    terms = Terms(source, [c for c, more in zip(columns, rest) if more], theta[rest])
    return _joined(robot, terms, links_of(source, columns, theta))


def _of_robot(robot: RobotDescription, accelerations: bool) -> ArmWithExtra:
    laws = dict.fromkeys(law.key for joint in robot.joints for law in joint.actuator.laws if law.loaded)
    if not laws or not accelerations or robot.coordinates.coupled or None in free_parameters(robot).values():
        return ArmWithExtra(robot)  # what is missing is named where its model is made
    source = Columns(robot, JointModel(motor_inertia=False, friction=tuple(laws), offset=False))
    columns, values = [c for c in source.columns if c.family != INERTIAL], dict(robot.values)
    theta = np.array([_in_file(source, column, values) for column in columns])
    kept = ([law for law in joint.actuator.laws if not law.loaded] for joint in robot.joints)
    joints = (replace(x, actuator=replace(x.actuator, laws=tuple(own))) for x, own in zip(robot.joints, kept))
    bare = replace(robot, joints=tuple(joints))
    return _joined(bare, Terms(source, columns, theta), motorless(frictionless(robot)))


def _in_file(source: Columns, column: Column, values: Any) -> float:
    assert column.joint is not None
    named = source.joints[column.joint].actuator.named()
    return sum(number_of(named[x].parameter, values) for x in column.words if x in named)


def _joined(robot: RobotDescription, terms: Terms, links: RobotDescription) -> ArmWithExtra:
    extra = ExtraTorque(terms) if terms.columns else None
    return ArmWithExtra(robot, extra, links if extra is not None and extra.loaded else None)


def _follows(column: Column) -> bool:
    """Friction that a robot file can say, and that follows the load."""
    return column.loaded and bool(column.words)
