"""An arm whose design is open: its models, each compiled once with the design's letters as inputs, its geometry, its
limits and its weight for any values of these.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula import api
from manipula.errors import InputError, ManipulaWarning, UnsetError, some_of
from manipula.ik.descent import Descent, descent_of
from manipula.mechanics.robot.bind import Binding, free_parameters
from manipula.mechanics.robot.bodies import moved_bodies
from manipula.mechanics.robot.default_values import Limits
from manipula.mechanics.robot.description import Body, Cell, Frame, Joint, Mounted, Step, Steps, map_cells
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.topology import serial_fault
from manipula.mechanics.robot.values import parameter
from manipula.mechanics.spatial.floats import FLOATS
from manipula.messages import Message
from manipula.robot import Robot
from manipula.studies.designs.tasks import Space

# A robot whose design is open: lengths and other entries as letters, beams as long as these, motors that ride on the
# links, a load in the hand. All of it is written as a robot file could have it, so that one model serves every design.

HELD = ("held_mass", "held_x", "held_y", "held_z")  # the load in the hand
PLACED = "placed_here"  # the frame that a body is put into, gone afterwards


def motor_mass(joint: int) -> str:
    """The letter of the mass of a joint's motor; joints count from 1."""
    return f"motor_mass_{joint}"


def open_parameters(robot: Robot, names: Sequence[str]) -> Robot:
    """The robot with these parameters open: names of its file without their values, cells as names of their own."""
    written = {*robot.names(), *dict(robot.values)}
    cells = {name: name for name in names if name not in written}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        found = robot.with_parameters(**cells) if cells else robot
    return replace(found, values=tuple((name, value) for name, value in found.values if name not in names))


# bodies


def with_held(robot: Robot) -> Robot:
    """A load of any mass at any place in the hand."""
    return robot.with_payload(HELD[0], com=HELD[1:])


def with_motors(robot: Robot, masses: Mapping[int, float | str]) -> Robot:
    """The motor of a joint, by number from 1, as a point on the link before, where the joint is. On the base it loads
    nothing, and is left out."""
    for joint, mass in masses.items():
        row = _row(robot, joint)
        if not _stands_still(robot, row):
            on = robot.joints[robot.parents[row]].name
            robot = _add_body(robot, f"motor{joint}", on, robot.joints[row].before, mass, (0, 0, 0), None)
    return robot


def moved_motors(robot: Robot) -> list[int]:
    """The joints, from 1, whose motors are moved by others."""
    return [k for k in range(1, robot.dof + 1) if not _stands_still(robot, _row(robot, k))]


def _row(robot: Robot, joint: int) -> int:
    return [x.name for x in robot.joints].index(robot.joint_names[joint - 1])


def _stands_still(robot: Robot, row: int) -> bool:
    """Whether nothing moves what the row stands on."""
    at = robot.parents[row]
    while at >= 0:
        if robot.joints[at].kind != "fixed":
            return False
        at = robot.parents[at]
    return True


def with_beams(robot: Robot, beams: Mapping[str, float]) -> Robot:
    """A slender, even beam of so many kg/m along every entry that is one of these lengths."""
    for letter, density in beams.items():
        found = list(_along(robot, letter))
        if not found:
            raise InputError(
                "beam: {letter}: no row of {name} has this length as its a, d or a shift between its joints",
                letter,
                robot.name,
            )
        for row, at, axis, amount in found:
            if row >= 0 and not (robot.joints[row].kind == "fixed" and _stands_still(robot, row)):
                robot = _with_beam(robot, robot.joints[row].name, at, axis, amount, (letter, density))
    return robot


def _with_beam(
    robot: Robot, on: str, at: Steps, axis: int, amount: parameter.Parameter, beam: tuple[str, float]
) -> Robot:
    """m = ρ·l in the middle, ρ·l³/12 about the axes across it."""
    letter, density = beam
    com = ["0", "0", "0"]
    com[axis] = f"({parameter.text_of(amount)})/2"
    across = {key: f"{density!r}*{letter}**3/12" for k, key in enumerate(("xx", "yy", "zz")) if k != axis}
    return _add_body(robot, f"beam_{letter}", on, at, f"{density!r}*{letter}", com, across)


def _along(robot: Robot, letter: str) -> Iterator[tuple[int, Steps, int, parameter.Parameter]]:
    """Row that carries it, where it begins (seen from the row's frame), axis, and how far it goes along it."""
    for row, joint in enumerate(robot.joints):
        for k in _shifts(joint.before, letter):
            step = joint.before[k]
            yield robot.parents[row], joint.before[:k], _axis(step), step.amount.parameter
        for k in _shifts(joint.after, letter):
            step = joint.after[k]
            yield row, _back(joint, k + 1), _axis(step), parameter.negate(step.amount.parameter)


def _shifts(steps: Steps, letter: str) -> list[int]:
    own = parameter.Name(letter)
    ways = (own, parameter.ParameterOp("neg", (own,)))
    return [k for k, x in enumerate(steps) if x.kind[0] == "t" and x.amount.parameter in ways]


def _axis(step: Step) -> int:
    return "xyz".index(step.kind[1])


def _back(joint: Joint, first: int) -> Steps:
    """From the frame after all steps back to where the first of these begins."""
    return tuple(
        Step(x.kind, Cell(f"{x.amount.name}_back", parameter.negate(x.amount.parameter)))
        for x in reversed(joint.after[first:])
    )


def _add_body(
    robot: Robot,
    label: str,
    on: str,
    at: Steps,
    mass: float | str,
    com: Sequence[float | str],
    inertia: Mapping[str, float | str] | None,
) -> Robot:
    """A body at some steps from a row's frame."""
    frame = Frame(PLACED, on, _shifts_first(at))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        held = replace(robot, frames=(*robot.frames, frame)).with_payload(mass, com=com, inertia=inertia, frame=PLACED)
    return _rename_last_body(replace(held, frames=robot.frames), on, label)


def _rename_last_body(robot: Robot, on: str, label: str) -> Robot:
    """The last body that a row carries under another name, its cells, too."""
    row = [joint.name for joint in robot.joints].index(on)
    *others, last = robot.joints[row].carries

    def with_body(mounted: Mounted) -> Robot:
        there = replace(robot.joints[row], carries=(*others, mounted))
        return replace(robot, joints=(*robot.joints[:row], there, *robot.joints[row + 1 :]))

    before = suffixes_of(robot).carried[row][-1]
    after = suffixes_of(with_body(replace(last, name=label))).carried[row][-1]
    body: Body = map_cells(last.body, lambda cell: Cell(cell.name.removesuffix(before) + after, cell.value))
    return with_body(Mounted(last.at, body, label))


def _shifts_first(steps: Steps) -> Steps:
    """A turn and a shift about one axis may change places; files have shifts before turns."""
    found = list(steps)
    for k in range(len(found)):
        while k and found[k].kind[0] == "t" and found[k - 1].kind == f"r{found[k].kind[1]}":
            found[k - 1 : k + 1] = found[k], found[k - 1]
            k -= 1
    return tuple(found)


Array = NDArray[np.float64]
Values = Mapping[str, float]


class Subject:
    """`names`: what varies; `beams`: densities by length; `motors`: whether motors are chosen, which ride on links."""

    def __init__(self, robot: Robot, names: Sequence[str], beams: Mapping[str, float], motors: bool) -> None:
        self.names = tuple(names)
        open_ = open_parameters(robot, names)
        self.robot = with_beams(open_.without("motor_inertia") if motors else open_, beams)
        self.loaded = moved_motors(robot) if motors else []

    # models

    @cached_property
    def manipulability_model(self) -> Any:
        """Manipulability; every length and angle is needed."""
        return self._model(self.robot, "manipulability", self.names)

    @cached_property
    def torque(self) -> Any:
        """τ of q, q̇, q̈, with the masses of motors and of the load as parameters."""
        return self._loaded_model("inverse_dynamics")

    @cached_property
    def inertia(self) -> Any:
        """M of q, with the same parameters."""
        return self._loaded_model("inertia_matrix")

    def _loaded_model(self, name: str) -> Any:
        masses = {joint: motor_mass(joint) for joint in self.loaded}
        known = (*self.names, *masses.values(), *HELD)
        return self._model(with_held(with_motors(self.robot, dict(masses))), name, known)

    def _model(self, robot: Robot, name: str, known: Sequence[str]) -> Any:
        model = api.generate(robot, name, parameters="full")
        if missing := [x for x in model.inputs.get("p", ()) if x not in known]:
            raise UnsetError(Message("{name} needs a value for {some_of}", name, some_of(missing)), missing)
        return model.compile()

    @cached_property
    def weighs(self) -> bool:
        """Whether all masses are known; if not, designs differ by their geometry alone."""
        try:
            return self.torque is not None
        except UnsetError:
            return False

    def idle(self) -> list[str]:
        """What varies, and nothing depends on."""
        used = {*free_parameters(self.robot)}
        used |= {x for joint in self.robot.joints for entry in _entries(joint) for x in parameter.names_of(entry)}
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
    def _geometry_binding(self) -> Binding:
        """Of the geometry alone."""
        rows = tuple(replace(joint, body=None, carries=()) for joint in self.robot.joints)
        return Binding(replace(self.robot, joints=rows, payload=(), ground=()))

    @cached_property
    def _others(self) -> dict[str, float]:
        """Letters that no place depends on."""
        return dict.fromkeys(free_parameters(self._geometry_binding.robot), 1.0)

    def descent(self, values: Values) -> Descent | None:
        """Least squares towards a pose, of the arm with these values."""
        chain = merge_fixed(self._geometry_binding.over(FLOATS, {**self._others, **values}))
        space = self.space(values)
        return descent_of(chain, space.low, space.high)

    def space(self, values: Values) -> Space:
        limits = self.limits(values)
        return Space(limits.lower, limits.upper, self._revolute_joints)

    @cached_property
    def _revolute_joints(self) -> NDArray[np.bool_]:
        return np.array(self.robot.coordinates.turns)

    def limits(self, values: Values) -> Limits:
        return Limits(self.at(values)) if self._limits_vary else self._limits

    @cached_property
    def _limits(self) -> Limits:
        return Limits(self.robot)

    @cached_property
    def _limits_vary(self) -> bool:
        return any(list(parameter.names_of(entry)) for joint in self.robot.joints for entry in _entries(joint))

    def at(self, values: Values) -> Robot:
        """The arm with these values."""
        more = ((name, parameter.number(x)) for name, x in values.items())
        return replace(self.robot, values=(*self.robot.values, *more))

    # figures

    def mass(self, values: Values) -> float:
        """Of what moves: links, what they carry, beams."""
        known = self._float_values(values)
        masses = [body.mass.parameter for moved in moved_bodies(self.robot) for _, body in moved.bodies if body]
        return sum(parameter.float_of(mass, known) for mass in masses)

    def length(self, values: Values) -> float:
        """Every shift between joints, as if stretched out."""
        known = self._float_values(values)
        steps = [step for joint in self.robot.joints for step in (*joint.before, *joint.after) if step.kind[0] == "t"]
        return sum(abs(parameter.float_of(step.amount.parameter, known)) for step in steps)

    def _float_values(self, values: Values) -> dict[str, float]:
        more = {name: parameter.number(x) for name, x in values.items()}
        return parameter.floats_of({**dict(self.robot.values), **more})


def _entries(joint: Joint) -> list[parameter.Parameter]:
    """Where its limits may have letters."""
    return [x for x in (*(joint.limits or ()), joint.velocity_limit, joint.effort_limit) if x is not None]


def call_model(function: Any, values: Mapping[str, float], *variables: Array) -> Any:
    """A compiled model at these values of its letters."""
    names = function.parameters
    return function(*variables, [values[name] for name in names]) if names else function(*variables)
