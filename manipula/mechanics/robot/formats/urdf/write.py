"""Robot → URDF text, from any convention, when every parameter has a value.

A URDF joint turns about an axis through the origin of its link frame. Where the table's link frame lies there (tables
that were URDF) it is kept; elsewhere the link frame is put on the joint, and what stood after it before the next.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Any

from manipula.errors import InputError
from manipula.mechanics.robot.bodies import about_origin
from manipula.mechanics.robot.branching import in_rows
from manipula.mechanics.robot.description import BASE, Body, Coordinate, Joint, Robot
from manipula.mechanics.robot.exact import is_zero, parameter_of
from manipula.mechanics.robot.formats.source import refuse_kinds
from manipula.mechanics.robot.formats.urdf.xml import NO_LIMIT
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.precise import MP, PRECISE, everything_in, placement, precise, rpy_of, values_of
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.values.parameter import Parameter, text_of
from manipula.mechanics.spatial.inertia import Inertia, steiner
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import Vector, matadd, scale, unrotate

DIGITS = 17  # enough to give every float back
ACTUATOR = {"fv": "damping", "fc": "friction"}  # the letters of what the format can hold of an actuator
NOISE = MP.mpf(10) ** -25
PAIRS = (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))


def urdf_from_robot(robot: Robot) -> str:
    """URDF text; what the format cannot hold (motor inertia, gravity, …) is said in a comment."""
    refuse_kinds(robot, "urdf", "URDF")
    return _Writer(robot).text()


class _Writer:
    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.values: Mapping[str, Any] = values_of(robot, "a URDF", everything_in(robot))
        self.root = ET.Element("robot", name=robot.name)
        self.names = {joint.name for joint in robot.joints}
        self.suffixes = suffixes_of(robot)
        ends = (*(end for row in self.suffixes.carried for end in row), *self.suffixes.payload)
        self.held = {end.removeprefix("_") for end in ends}

    def text(self) -> str:
        for remark in self.remarks():
            self.root.append(ET.Comment(f" {remark.replace('--', '- -')} "))
        self.write_base()
        gaps = {-1: HERE}  # by row: what stands between its link frame and that of the table
        for index, (joint, on) in enumerate(zip(self.robot.joints, self.robot.parents)):
            gaps[index] = self.write_row(index, joint, on, gaps[on])
        self.write_tool(self.link(self.robot.tool_row), gaps[self.robot.tool_row])
        rows = {BASE: -1} | {joint.name: row for row, joint in enumerate(self.robot.joints)}
        for frame in self.robot.frames:
            row = rows[frame.on]
            self.write_frame(self.frame(frame.name), self.link(row), gaps[row] @ placement(frame.at, self.values))
        ET.indent(self.root)
        return '<?xml version="1.0"?>\n' + ET.tostring(self.root, encoding="unicode") + "\n"

    def remarks(self) -> list[str]:
        """What gets lost."""
        lost: list[str] = []
        for joint in self.robot.joints:
            for item in joint.actuator.items():
                if item.entry.letters not in ACTUATOR and not is_zero(item.value.value):
                    said = f"{item.name} {text_of(item.value.parameter)}"
                    lost.append(f"joint {joint.name}: URDF cannot hold its {said}")
            if KINDS[joint.kind].slides and joint.limits is None:
                lost.append(f"joint {joint.name}: URDF wants limits; it has none, so {NO_LIMIT:.0e} is written")
        gravity = [precise(cell.parameter, self.values) for cell in self.robot.gravity]
        lost.append("gravity, which URDF cannot hold: " + " ".join(map(_text, gravity)))
        return lost

    def write_base(self) -> None:
        """The first link; below a link of the world if it does not stand there."""
        first, world = self.frame("link0"), self.frame("world")
        if not self.robot.base:
            return self.write_link(first, None)
        self.write_link(world, None)
        return self.write_frame(first, world, placement(self.robot.base, self.values))

    def frame(self, name: str) -> str:
        """A name for a link of the chain that nothing held has: what is held is known by its own."""
        while name in self.held:
            name += "_"
        return name

    def link(self, row: int) -> str:
        """The link of a row; −1 is the base."""
        return self.frame(f"link{row + 1}")

    def write_row(self, index: int, joint: Joint, on: int, gap: Placement) -> Placement:
        """One row; returns what stands between this link frame and the rows on it."""
        parent, child = self.link(on), self.link(index)
        offset = precise(joint.offset.parameter, self.values)
        foot = gap @ placement(joint.before, self.values) @ KINDS[joint.kind].motion(offset, PRECISE)
        after = placement(joint.after, self.values)
        kept = joint.kind == "fixed" or (self.robot.origin.convention == "urdf" and not any(after.p))
        at, rest = (foot @ after, HERE) if kept else (foot, after)
        axis = unrotate(after.R, (0, 0, joint.direction)) if kept else (0, 0, joint.direction)
        element = self.write_joint(joint.name, self.kind(joint), parent, child, at)
        if joint.kind != "fixed":
            ET.SubElement(element, "axis", xyz=_triple(axis))
            self.write_limits(element, joint)
            self.write_mimic(element, joint)
        body = None if joint.body is None else self.inertia(joint.body).seen_from(rest)
        self.write_link(child, body)
        for mounted, suffix in zip(joint.carries, self.suffixes.carried[index]):
            at = rest @ placement(mounted.at, self.values)
            self.write_frame(suffix.removeprefix("_"), child, at, mounted.body)
        return rest

    def write_tool(self, last: str, gap: Placement) -> None:
        """The tool frame, where it is not the last link frame itself, and the payload in it."""
        tool = self.frame("tool0")
        # where other links end, too: say which is the tool
        carries = any(joint.carries for joint in self.robot.joints) or not in_rows(self.robot)
        if carries or self.robot.tool or self.robot.payload or gap != HERE:
            self.write_frame(tool, last, gap @ placement(self.robot.tool, self.values))
        for body, suffix in zip(self.robot.payload, self.suffixes.payload):
            self.write_frame(suffix.removeprefix("_"), tool, HERE, body)

    def write_frame(self, name: str, parent: str, at: Placement, body: Body | None = None) -> None:
        """A link fixed to another."""
        self.write_joint(self.unused(f"{name}_joint"), "fixed", parent, name, at)
        self.write_link(name, None if body is None else self.inertia(body))

    def unused(self, name: str) -> str:
        """A name no joint of the robot has: readers look links and joints up in one table."""
        while name in self.names:
            name += "_"
        return name

    def kind(self, joint: Joint) -> str:
        return "continuous" if KINDS[joint.kind].pivots and joint.limits is None else KINDS[joint.kind].formats["urdf"]

    def write_joint(self, name: str, kind: str, parent: str, child: str, at: Placement) -> ET.Element:
        """A joint without its motion."""
        element = ET.SubElement(self.root, "joint", name=name, type=kind)
        ET.SubElement(element, "parent", link=self.unused(parent))
        ET.SubElement(element, "child", link=self.unused(child))
        ET.SubElement(element, "origin", xyz=_triple(at.p), rpy=_triple(rpy_of(at.R)))
        return element

    def write_limits(self, element: ET.Element, joint: Joint) -> None:
        bounds = {"effort": joint.effort_limit, "velocity": joint.velocity_limit}
        if joint.limits is not None or KINDS[joint.kind].slides or any(x is not None for x in bounds.values()):
            limit = ET.SubElement(element, "limit")
            if joint.limits is not None or KINDS[joint.kind].slides:
                lower, upper = joint.limits or (None, None)
                limit.set("lower", self.bound(lower, -NO_LIMIT))
                limit.set("upper", self.bound(upper, NO_LIMIT))
            for key, value in bounds.items():
                limit.set(key, self.bound(value, NO_LIMIT))
        held = {key: joint.actuator[letters] for letters, key in ACTUATOR.items()}
        if not all(is_zero(cell.value) for cell in held.values()):
            given = {key: _text(precise(cell.parameter, self.values)) for key, cell in held.items()}
            ET.SubElement(element, "dynamics", given)

    def write_mimic(self, element: ET.Element, joint: Joint) -> None:
        match joint.coordinate:
            case None:
                return
            case Coordinate(((other, factor),), constant):
                multiplier, offset = _text(PRECISE.number(factor)), _text(PRECISE.number(constant))
                ET.SubElement(element, "mimic", joint=other, multiplier=multiplier, offset=offset)
            case _:
                raise InputError(f"{self.robot.name}: joint {joint.name!r} follows several joints; URDF knows one")

    def bound(self, value: Parameter | None, otherwise: int) -> str:
        return str(otherwise) if value is None else _text(precise(value, self.values))

    def inertia(self, body: Body) -> Inertia:
        """Mass, first moments and tensor about the origin, to fifty digits."""
        tree = about_origin(body)
        x, y, z = (precise(parameter_of(part), self.values) for part in tree.s)
        a, b, c = (tuple(precise(parameter_of(part), self.values) for part in row) for row in tree.I)
        return Inertia(precise(parameter_of(tree.m), self.values), (x, y, z), (_three(a), _three(b), _three(c)))

    def write_link(self, name: str, body: Inertia | None) -> None:
        element = ET.SubElement(self.root, "link", name=self.unused(name))
        if body is None or not (body.m or any(body.s) or any(map(any, body.I))):
            return
        if not body.m and any(body.s):
            raise InputError(f"{self.robot.name}: {name} has first moments but no mass, which URDF cannot hold")
        centre = scale(1 / body.m, body.s) if body.m else body.s
        tensor = matadd(body.I, steiner(body.m, body.s, scale(-1, centre)))  # about the centre of mass
        inertial = ET.SubElement(element, "inertial")
        ET.SubElement(inertial, "origin", xyz=_triple(centre), rpy="0 0 0")
        ET.SubElement(inertial, "mass", value=_text(body.m))
        ET.SubElement(inertial, "inertia", {key: _text(tensor[i][j]) for key, i, j in PAIRS})


def _three(row: tuple[Any, ...]) -> Vector:
    return (row[0], row[1], row[2])


def _triple(vector: Vector) -> str:
    return " ".join(map(_text, vector))


def _text(x: Any) -> str:
    """The shortest decimal of seventeen digits; noise is zero."""
    return "0" if abs(x) < NOISE else MP.nstr(MP.mpf(x), DIGITS).removesuffix(".0")
