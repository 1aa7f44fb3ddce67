"""Robot → the links and joints a URDF has, as data, from any convention, when every parameter has a value.

A URDF joint turns about an axis through the origin of its link frame. Where the table's link frame lies there (tables
that were URDF) it is kept; elsewhere the link frame is put on the joint, and what stood after it before the next.
Numbers are decimals of seventeen digits, as the file will have them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from manipula.errors import InputError
from manipula.mechanics.robot.bodies import about_origin
from manipula.mechanics.robot.branching import in_rows
from manipula.mechanics.robot.description import BASE, Body, Coordinate, Joint, Robot
from manipula.mechanics.robot.exact import parameter_of
from manipula.mechanics.robot.formats.source import refuse_kinds
from manipula.mechanics.robot.formats.urdf.xml import (
    ALONG_X,
    NO_LIMIT,
    Frame,
    Mimic,
    Triple,
    UrdfFile,
    UrdfInertial,
    UrdfJoint,
    UrdfLink,
)
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.precise import MP, PRECISE, everything_in, placement, precise, rpy_of, values_of
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.values.parameter import Num, Parameter
from manipula.mechanics.spatial.inertia import RigidBody, Tensor
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import Vector, scale, unrotate

DIGITS = 17  # enough to give every float back
ACTUATOR = {"fv": "damping", "fc": "friction"}  # the letters of what the format can hold of an actuator
NOISE = MP.mpf(10) ** -25
ENTRIES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # of a tensor: xx xy xz yy yz zz
LEVEL = (Num(Fraction(0)), Num(Fraction(0)), Num(Fraction(0)))


def links_from_robot(robot: Robot) -> UrdfFile:
    """What a URDF says of the robot."""
    refuse_kinds(robot, "urdf", "URDF")
    return _Describer(robot).described()


def decimal(x: Any) -> Fraction:
    """The number as a decimal of seventeen digits; noise is zero."""
    return Fraction(0) if abs(x) < NOISE else Fraction(MP.nstr(MP.mpf(x), DIGITS))


class _Describer:
    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.values: Mapping[str, Any] = values_of(robot, "a URDF", everything_in(robot))
        self.links: dict[str, UrdfLink] = {}
        self.joints: dict[str, UrdfJoint] = {}
        self.names = {joint.name for joint in robot.joints}
        self.suffixes = suffixes_of(robot)
        ends = (*(end for row in self.suffixes.carried for end in row), *self.suffixes.payload)
        self.held = {end.removeprefix("_") for end in ends}

    def described(self) -> UrdfFile:
        self.add_base()
        gaps = {-1: HERE}  # by row: what stands between its link frame and that of the table
        for index, (joint, on) in enumerate(zip(self.robot.joints, self.robot.parents)):
            gaps[index] = self.add_row(index, joint, on, gaps[on])
        self.add_tool(self.link(self.robot.tool_row), gaps[self.robot.tool_row])
        rows = {BASE: -1} | {joint.name: row for row, joint in enumerate(self.robot.joints)}
        for frame in self.robot.frames:
            row = rows[frame.on]
            self.add_frame(self.frame(frame.name), self.link(row), gaps[row] @ placement(frame.at, self.values))
        return UrdfFile(self.robot.name, self.links, self.joints)

    def add_base(self) -> None:
        """The first link; below a link of the world if it does not stand there."""
        first, world = self.frame("link0"), self.frame("world")
        if not self.robot.base:
            return self.add_link(first, None)
        self.add_link(world, None)
        return self.add_frame(first, world, placement(self.robot.base, self.values))

    def frame(self, name: str) -> str:
        """A name for a link of the chain that nothing held has: what is held is known by its own."""
        while name in self.held:
            name += "_"
        return name

    def link(self, row: int) -> str:
        """The link of a row; −1 is the base."""
        return self.frame(f"link{row + 1}")

    def add_row(self, index: int, joint: Joint, on: int, gap: Placement) -> Placement:
        """One row; returns what stands between this link frame and the rows on it."""
        parent, child = self.link(on), self.link(index)
        offset = precise(joint.offset.parameter, self.values)
        foot = gap @ placement(joint.before, self.values) @ KINDS[joint.kind].motion(offset, PRECISE)
        after = placement(joint.after, self.values)
        kept = joint.kind == "fixed" or (self.robot.origin.convention == "urdf" and not any(after.p))
        at, rest = (foot @ after, HERE) if kept else (foot, after)
        axis = unrotate(after.R, (0, 0, joint.direction)) if kept else (0, 0, joint.direction)
        motion = {"axis": _triple(axis), "mimic": self.mimic(joint), **self.drive(joint)}
        self.add_joint(joint.name, self.kind(joint), parent, child, at, **({} if joint.kind == "fixed" else motion))
        body = None if joint.body is None else self.inertia(joint.body).seen_from(rest)
        self.add_link(child, body)
        for mounted, suffix in zip(joint.carries, self.suffixes.carried[index]):
            at = rest @ placement(mounted.at, self.values)
            self.add_frame(suffix.removeprefix("_"), child, at, mounted.body)
        return rest

    def add_tool(self, last: str, gap: Placement) -> None:
        """The tool frame, where it is not the last link frame itself, and the payload in it."""
        tool = self.frame("tool0")
        # where other links end, too: say which is the tool
        carries = any(joint.carries for joint in self.robot.joints) or not in_rows(self.robot)
        if carries or self.robot.tool or self.robot.payload or gap != HERE:
            self.add_frame(tool, last, gap @ placement(self.robot.tool, self.values))
        for body, suffix in zip(self.robot.payload, self.suffixes.payload):
            self.add_frame(suffix.removeprefix("_"), tool, HERE, body)

    def add_frame(self, name: str, parent: str, at: Placement, body: Body | None = None) -> None:
        """A link fixed to another."""
        self.add_joint(self.unused(f"{name}_joint"), "fixed", parent, name, at)
        self.add_link(name, None if body is None else self.inertia(body))

    def unused(self, name: str) -> str:
        """A name no joint of the robot has: readers look links and joints up in one table."""
        while name in self.names:
            name += "_"
        return name

    def kind(self, joint: Joint) -> str:
        return "continuous" if KINDS[joint.kind].pivots and joint.limits is None else KINDS[joint.kind].formats["urdf"]

    def add_joint(self, name: str, kind: str, parent: str, child: str, at: Placement, **motion: Any) -> None:
        """A joint, fixed where nothing is said of its motion."""
        still: dict[str, Any] = dict.fromkeys(("lower", "upper", "velocity", "effort", "mimic"))
        zero = {"axis": ALONG_X, "damping": Fraction(0), "friction": Fraction(0)}
        there = Frame(_triple(at.p), _angles(rpy_of(at.R)))
        ends = self.unused(parent), self.unused(child)
        self.joints[name] = UrdfJoint(name, kind, *ends, there, **{**still, **zero, **motion})

    def drive(self, joint: Joint) -> dict[str, Fraction | None]:
        """Limits, damping and friction."""
        lower, upper = (None, None) if joint.limits is None else map(self.bound, joint.limits)
        held = {key: joint.actuator[letters] for letters, key in ACTUATOR.items()}
        given = {key: decimal(precise(cell.parameter, self.values)) for key, cell in held.items()}
        bounds = {"velocity": self.bound(joint.velocity_limit), "effort": self.bound(joint.effort_limit)}
        return {"lower": lower, "upper": upper, **bounds, **given}

    def bound(self, value: Parameter | None) -> Fraction | None:
        """None where there is none: so says the format of a very large one, too."""
        found = None if value is None else decimal(precise(value, self.values))
        return None if found is None or abs(found) >= NO_LIMIT else found

    def mimic(self, joint: Joint) -> Mimic | None:
        match joint.coordinate:
            case None:
                return None
            case Coordinate(((other, factor),), constant, degrees):
                offset = PRECISE.number(constant) + PRECISE.degrees(degrees)
                return Mimic(other, decimal(PRECISE.number(factor)), decimal(offset))
            case _:
                raise InputError(f"{self.robot.name}: joint {joint.name!r} follows several joints; URDF knows one")

    def inertia(self, body: Body) -> RigidBody:
        """Mass, first moments and tensor about the origin, to fifty digits."""
        tree = about_origin(body)
        x, y, z = (precise(parameter_of(part), self.values) for part in tree.s)
        a, b, c = (tuple(precise(parameter_of(part), self.values) for part in row) for row in tree.I)
        tensor = Tensor((_three(a), _three(b), _three(c)))
        return RigidBody(precise(parameter_of(tree.m), self.values), (x, y, z), tensor)

    def add_link(self, name: str, body: RigidBody | None) -> None:
        own = self.unused(name)
        if own in self.links:
            raise InputError(f"{self.robot.name}: two links of a URDF would be called {own!r}; rename a frame")
        self.links[own] = UrdfLink(own, None if body is None else self.inertial(name, body))

    def inertial(self, name: str, body: RigidBody) -> UrdfInertial | None:
        """About the centre of mass; None of a body of nothing."""
        if not (body.m or any(body.s) or any(map(any, body.I))):
            return None
        if not body.m and any(body.s):
            raise InputError(f"{self.robot.name}: {name} has first moments but no mass, which URDF cannot hold")
        centre = scale(1 / body.m, body.s) if body.m else body.s
        tensor = body.shifted(scale(-1, centre)).I
        entries = tuple(decimal(tensor[i][j]) for i, j in ENTRIES)
        return UrdfInertial(Frame(_triple(centre), LEVEL), decimal(body.m), entries)


def _three(row: tuple[Any, ...]) -> Vector:
    return (row[0], row[1], row[2])


def _triple(vector: Vector) -> Triple:
    x, y, z = map(decimal, vector)
    return (x, y, z)


def _angles(rpy: Vector) -> tuple[Num, Num, Num]:
    roll, pitch, yaw = (Num(decimal(x)) for x in rpy)
    return (roll, pitch, yaw)
