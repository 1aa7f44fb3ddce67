"""What a model is of, in words: the file and its digest, both ends of the arm, gravity, friction, payload; whether
anything has mass.

An emitted file is read by people who do not have the robot's file: its head must say which robot it is of. A number
that stays a parameter of the model is shown by its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from hashlib import sha256
from pathlib import PurePath

from manipula.errors import some_of
from manipula.mechanics.robot.bind import Chooser, Symbolic, chooser
from manipula.mechanics.robot.description import Body, Cell, RobotDescription
from manipula.mechanics.robot.exact import is_zero
from manipula.mechanics.robot.topology import frame_names, has_tool, tip_link
from manipula.mechanics.robot.values.parameter import ZERO, float_of, floats_of, names_of, text_of

NOTE = "no link has a mass: inertia, gravity and the torques of motion are zero"
DIGITS = 16  # of the digest, in hexadecimal
LATER = ("loops", "motors", "moving", "elements")  # came after digests were printed: a robot without them keeps its own
MOTIONS = {"free": "its acceleration is computed", "given": "its motion is an input"}
Subject = tuple[tuple[str, str], ...]


def subject_of(robot: RobotDescription, symbolic: Symbolic = "auto") -> Subject:
    """(key, text), in the order in which they are printed."""
    cells = _Cells(robot, symbolic)
    return (
        ("file", PurePath(robot.origin.path.replace("\\", "/")).name or "none, made in Python"),
        ("digest", f"{digest_of(robot)} (SHA-256 of the description)"),
        ("base", _base(robot)),
        ("tip", _tip(robot)),
        ("gravity", f"({', '.join(map(cells.text, robot.gravity))}) m/s², in world axes"),
        ("friction", _friction(robot)),
        ("motors", _motors(robot)),
        ("payload", "; ".join(cells.body(body) for body in robot.payload) or "none"),
    )


def digest_of(robot: RobotDescription) -> str:
    """Of all that models depend on; not where the file lies, nor how it names links. A robot without loops and
    elements, on a base that stands still, has the digest that it had before there were any others."""
    absent = {"origin", *(name for name in LATER if not getattr(robot, name))}
    content = [(item.name, getattr(robot, item.name)) for item in fields(robot) if item.name not in absent]
    return sha256(repr(content).encode()).hexdigest()[:DIGITS]


class _Cells:
    """Cells as text: the name of what stays a parameter, else the number."""

    def __init__(self, robot: RobotDescription, symbolic: Symbolic) -> None:
        self.choose: Chooser = chooser(robot, symbolic)
        self.values = floats_of(dict(robot.values))

    def text(self, cell: Cell) -> str:
        if self.choose.cell(cell):
            return cell.name
        names = list(names_of(cell.parameter))
        if any(name not in self.values or self.choose.name(name) for name in names):
            return text_of(cell.parameter)
        return f"{float_of(cell.parameter, self.values):.12g}"

    def body(self, body: Body) -> str:
        centre = ", ".join(map(self.text, body.centre))
        what, unit = ("centre of mass", "m") if body.centre_is == "com" else ("first moments", "kg·m")
        return f"{self.text(body.mass)} kg, {what} ({centre}) {unit} in the tool frame"


def _base(robot: RobotDescription) -> str:
    name = robot.origin.base_link or "the base frame"
    if robot.moving:
        return f"{name}, which moves: {MOTIONS[robot.moving]}"
    return f"{name}, placed in the world" if robot.base else f"{name}, which is the world frame"


def _tip(robot: RobotDescription) -> str:
    """The frame that poses, Jacobians and wrenches are about."""
    if not has_tool(robot):
        return f"none chosen; frames: {some_of(frame_names(robot))}"
    if robot.tool_row < 0:
        return "the tool frame, on the base"
    on, named = robot.joints[robot.tool_row], tip_link(robot)
    link = on.link or f"the link of joint {on.name}"
    return f"{named or 'the tool frame'}, on {link}" if robot.tool else named or link


def _friction(robot: RobotDescription) -> str:
    """Each law and its joints; the regressor's column of a law that is zero is no friction."""
    found: dict[str, list[str]] = {}
    for joint in robot.joints:
        for law in joint.actuator.laws:
            if any(cell.parameter != ZERO for cell in law.values):
                found.setdefault(law.title, []).append(joint.name)
    return "; ".join(f"{law}: {_joints(names, robot.coordinates.joints)}" for law, names in found.items()) or "none"


def _motors(robot: RobotDescription) -> str:
    heavy = [joint.name for joint in robot.joints if joint.motor_inertia.parameter != ZERO]
    return f"inertia: {_joints(heavy, robot.coordinates.joints)}" if heavy else "no inertia of their own"


def _joints(names: list[str], moving: Sequence[str]) -> str:
    return "all joints" if len(names) == len(moving) > 1 else some_of(names)


# many files describe shapes only, and their dynamics is zero


def is_massless(robot: RobotDescription) -> bool:
    """No link, load or motor has any inertia; an unknown one is not zero."""
    return all(is_zero(cell.value) for cell in _inertial_cells(robot))


def _inertial_cells(robot: RobotDescription) -> Iterator[Cell]:
    for joint in robot.joints:
        yield joint.motor_inertia
        yield from _cells_of(joint.body)
        for mounted in joint.carries:
            yield from _cells_of(mounted.body)
    for body in robot.payload:
        yield from _cells_of(body)


def _cells_of(body: Body | None) -> Iterator[Cell]:
    """A centre without a mass weighs nothing."""
    if body is not None:
        yield from (body.mass, *body.inertia, *(body.centre if body.centre_is == "first_moment" else ()))
