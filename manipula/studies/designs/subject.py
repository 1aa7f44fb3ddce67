"""An arm whose design is open: its models, each compiled once with the design's letters as inputs, its geometry, its
limits and its weight for any values of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula import api
from manipula.errors import InputError, UnsetError, some_of
from manipula.ik.descent.machine import Descent, descent_of
from manipula.mechanics.robot.bind import Binding, free_parameters
from manipula.mechanics.robot.branching import serial_fault
from manipula.mechanics.robot.limits import Limits
from manipula.mechanics.robot.reduce.chains import merge_fixed
from manipula.mechanics.robot.standard import moved_bodies
from manipula.mechanics.robot.values.parameter import float_of, floats_of, names_of, number
from manipula.mechanics.spatial.floats import FLOATS
from manipula.messages import Message
from manipula.robot import Robot
from manipula.studies.designs.bodies import HELD, lettered, motor_mass, moved_motors, with_beams, with_held, with_motors
from manipula.studies.designs.reaching import Space

Array = NDArray[np.float64]
Values = Mapping[str, float]


class Subject:
    """`names`: what varies; `beams`: densities by length; `motors`: whether motors are chosen, which ride on links."""

    def __init__(self, robot: Robot, names: Sequence[str], beams: Mapping[str, float], motors: bool) -> None:
        self.names = tuple(names)
        open_ = lettered(robot, names)
        self.robot = with_beams(open_.without("motor_inertia") if motors else open_, beams)
        self.loaded = moved_motors(robot) if motors else []

    # models

    @cached_property
    def nimble(self) -> Any:
        """Manipulability; every length and angle is needed."""
        return self._model(self.robot, "manipulability", self.names)

    @cached_property
    def torque(self) -> Any:
        """τ of q, q̇, q̈, with the masses of motors and of the load as parameters."""
        masses = {joint: motor_mass(joint) for joint in self.loaded}
        known = (*self.names, *masses.values(), *HELD)
        return self._model(with_held(with_motors(self.robot, dict(masses))), "inverse_dynamics", known)

    def _model(self, robot: Robot, name: str, known: Sequence[str]) -> Any:
        model = api.generate(robot, name, parameters="full")
        if missing := [x for x in model.inputs.get("p", ()) if x not in known]:
            raise UnsetError(Message("{name} needs a value for {some_of}", name, some_of(missing)), missing)
        return model.compile()

    @cached_property
    def weighs(self) -> bool:
        """Whether all masses are known; if not, designs are told apart by their geometry alone."""
        try:
            return self.torque is not None
        except UnsetError:
            return False

    def idle(self) -> list[str]:
        """What varies, and nothing depends on."""
        used = {*free_parameters(self.robot)}
        used |= {x for joint in self.robot.joints for entry in _entries(joint) for x in names_of(entry)}
        return [name for name in self.names if name not in used]

    # geometry

    def refuse_places(self) -> None:
        """Places are searched for on serial arms whose joints are free."""
        told = serial_fault(self.robot)
        if odd := self.robot.coordinates.followers:
            told = Message("joint {odd!r} follows others", odd[0])
        if not told and self.descent(dict.fromkeys(self.names, 0.1)) is None:
            told = "it has a screw, or more than sixteen joints"
        if told:
            raise InputError(
                "tasks: places are not searched for on {name}: {serial_fault}; give joints= instead",
                self.robot.name,
                told,
            )

    @cached_property
    def _binding(self) -> Binding:
        """Of the geometry alone."""
        rows = tuple(replace(joint, body=None, carries=()) for joint in self.robot.joints)
        return Binding(replace(self.robot, joints=rows, payload=(), ground=()))

    @cached_property
    def _others(self) -> dict[str, float]:
        """Letters that no place depends on."""
        return dict.fromkeys(free_parameters(self._binding.robot), 1.0)

    def descent(self, values: Values) -> Descent | None:
        """Least squares towards a pose, of the arm with these values."""
        chain = merge_fixed(self._binding.over(FLOATS, {**self._others, **values}))
        space = self.space(values)
        return descent_of(chain, space.low, space.high)

    def space(self, values: Values) -> Space:
        limits = self.limits(values)
        return Space(limits.lower, limits.upper, self._turning)

    @cached_property
    def _turning(self) -> NDArray[np.bool_]:
        return np.array(self.robot.coordinates.turns)

    def limits(self, values: Values) -> Limits:
        return Limits(self.at(values)) if self._limits_vary else self._limits

    @cached_property
    def _limits(self) -> Limits:
        return Limits(self.robot)

    @cached_property
    def _limits_vary(self) -> bool:
        return any(list(names_of(entry)) for joint in self.robot.joints for entry in _entries(joint))

    def at(self, values: Values) -> Robot:
        """The arm with these values."""
        return replace(self.robot, values=(*self.robot.values, *((name, number(x)) for name, x in values.items())))

    # figures

    def mass(self, values: Values) -> float:
        """Of what moves: links, what they carry, beams."""
        known = self._known(values)
        masses = [body.mass.parameter for moved in moved_bodies(self.robot) for _, body in moved.bodies if body]
        return sum(float_of(mass, known) for mass in masses)

    def length(self, values: Values) -> float:
        """Every shift between joints, as if stretched out."""
        known = self._known(values)
        steps = [step for joint in self.robot.joints for step in (*joint.before, *joint.after) if step.kind[0] == "t"]
        return sum(abs(float_of(step.amount.parameter, known)) for step in steps)

    def _known(self, values: Values) -> dict[str, float]:
        return floats_of({**dict(self.robot.values), **{name: number(x) for name, x in values.items()}})


def _entries(joint: Any) -> list[Any]:
    """Where its limits may have letters."""
    return [x for x in (*(joint.limits or ()), joint.velocity_limit, joint.effort_limit) if x is not None]


def called(function: Any, values: Mapping[str, float], *variables: Array) -> Any:
    """A compiled model at these values of its letters."""
    names = function.parameters
    return function(*variables, [values[name] for name in names]) if names else function(*variables)
