"""Robot → URDF text; what its links and joints are is decided in `links`."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from manipula.mechanics.robot.description import BASE, RobotDescription
from manipula.mechanics.robot.exact import is_zero
from manipula.mechanics.robot.formats.snap_to_exact import LIKELY, MEASURED, SURE, nearest_quarter
from manipula.mechanics.robot.formats.urdf.links import ACTUATOR, DIGITS, decimal, links_from_robot
from manipula.mechanics.robot.formats.urdf.read import GRAVITY
from manipula.mechanics.robot.formats.urdf.xml import NO_LIMIT, UrdfFile, UrdfJoint, UrdfLink, UrdfOrigin
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.precise import MP, PRECISE, everything_in, precise, values_of
from manipula.mechanics.robot.topology import TOOL, has_tool, still_rows
from manipula.mechanics.robot.values.parameter import Num, names_of, text_of
from manipula.messages import Message

PAIRS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def urdf_from_robot(robot: RobotDescription) -> str:
    """URDF text; what the format cannot hold (motor inertia, gravity, …) is said in a comment."""
    robot = without_unknown_bodies(robot)
    file = links_from_robot(robot)
    root = ET.Element("robot", name=file.name)
    for remark in (*_remarks(robot), *([MEASURED] if any(map(_would_be_rounded, file.joints.values())) else [])):
        root.append(ET.Comment(f" {remark.replace('--', '- -')} "))
    _write(root, file)
    ET.indent(root)
    return '<?xml version="1.0"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def without_unknown_bodies(robot: RobotDescription) -> RobotDescription:
    """A robot of geometry alone has links without <inertial>; where some numbers are known the others are missed."""
    bodies = [joint.body for joint in robot.joints if joint.body is not None]
    cells = [cell for body in bodies for cell in (body.mass, *body.centre, *body.inertia)]
    known = dict(robot.values)
    if not cells or not all(any(name not in known for name in names_of(cell.parameter)) for cell in cells):
        return robot
    return replace(robot, joints=tuple(replace(joint, body=None) for joint in robot.joints))


def _would_be_rounded(joint: UrdfJoint) -> bool:
    """Has it an angle, of a calibration, that readers would take for a multiple of 90°?"""
    angles = [angle for angle in joint.at.rpy if isinstance(angle, Num)]
    return any(SURE < nearest_quarter(angle)[1] <= LIKELY for angle in angles)


def lost_from_robot(robot: RobotDescription) -> list[str]:
    """What an actuator has beyond damping and friction, "motor inertia 0.2 of joint waist"; a gravity that is not the
    one readers take."""
    robot = without_unknown_bodies(robot)
    lost = [
        f"{item.name} {text_of(item.value.parameter)} of joint {joint.name}"
        for joint in robot.joints
        for item in joint.actuator.items()
        if item.entry.letters not in ACTUATOR and not is_zero(item.value.value)
    ]
    springs = (f"springs of joint {joint.name}" for joint in robot.joints if joint.springs)
    elements = (f"element {element.name}" for element in robot.elements)
    told = [] if _gravity(robot) == GRAVITY else [f"gravity {_triple(_gravity(robot))}"]
    poses = (f"pose {name}" for name, _ in robot.named_poses)
    base = ["motion of the base as an input, so that it is free"] if robot.moving == "given" else []
    return [*lost, *springs, *elements, *poses, *told, *base, *_lost_frames(robot), *_lost_order(robot)]


def _lost_frames(robot: RobotDescription) -> list[str]:
    """Readers take links that a joint moves for frames."""
    if robot.moving:
        return []
    still, rows = still_rows(robot), (BASE, *(joint.name for joint in robot.joints))
    named = {frame.name: frame.on for frame in robot.frames}
    if has_tool(robot):
        named[TOOL] = rows[robot.tool_row + 1]
    return [f"frame {name}, which no joint moves" for name, on in named.items() if on in still]


def _lost_order(robot: RobotDescription) -> list[str]:
    """Readers go branch by branch, the joints on a link one after the other: rows in another order change places."""
    order, waiting = list[int](), [-1]
    while waiting:
        link = waiting.pop()
        held = [row for row, parent in enumerate(robot.parents) if parent == link]
        order += held
        waiting += reversed(held)
    read = [joint.name for joint in map(robot.joints.__getitem__, order) if joint.name in robot.joint_names]
    return [] if tuple(read) == robot.joint_names else [f"order of the joints, which becomes {', '.join(read)}"]


def _gravity(robot: RobotDescription) -> tuple[Fraction, ...]:
    values = values_of(robot, Message("a URDF"), everything_in(robot))
    return tuple(decimal(precise(cell.parameter, values)) for cell in robot.gravity)


def _remarks(robot: RobotDescription) -> list[str]:
    """What gets lost, and what is written for want of anything better."""
    lost = [f"URDF cannot hold the {said}" for said in lost_from_robot(robot) if not said.startswith("gravity ")]
    for joint in robot.joints:
        if KINDS[joint.kind].slides and joint.limits is None:
            lost.append(
                Message(
                    "joint {name}: URDF requires limits; the joint has no limit, so {no_limit:.0e} is written",
                    joint.name,
                    NO_LIMIT,
                )
            )
    lost.append(Message("gravity, which URDF cannot hold: {gravity}", " ".join(map(_text, _gravity(robot)))))
    return lost


def _write(root: ET.Element, file: UrdfFile) -> None:
    """The links that hang on nothing, then every joint with its link."""
    hanging = {joint.child for joint in file.joints.values()}
    for link in file.links.values():
        if link.name not in hanging:
            _write_link(root, link)
    for joint in file.joints.values():
        _write_joint(root, joint)
        _write_link(root, file.links[joint.child])


def _write_joint(root: ET.Element, joint: UrdfJoint) -> None:
    element = ET.SubElement(root, "joint", name=joint.name, type=joint.type)
    ET.SubElement(element, "parent", link=joint.parent)
    ET.SubElement(element, "child", link=joint.child)
    ET.SubElement(element, "origin", _origin(joint.at))
    if not joint.moves:
        return
    ET.SubElement(element, "axis", xyz=_triple(joint.axis))
    _write_limits(element, joint)
    if joint.damping or joint.friction:
        ET.SubElement(element, "dynamics", damping=_text(joint.damping), friction=_text(joint.friction))
    if joint.mimic is not None:
        multiplier, offset = _text(joint.mimic.multiplier), _text(joint.mimic.offset)
        ET.SubElement(element, "mimic", joint=joint.mimic.joint, multiplier=multiplier, offset=offset)


def _write_limits(element: ET.Element, joint: UrdfJoint) -> None:
    """A slide has a pair of limits in any case, and where anything is limited effort and velocity are, too."""
    ranged = joint.lower is not None or joint.upper is not None or joint.type == "prismatic"
    if ranged or joint.effort is not None or joint.velocity is not None:
        limit = ET.SubElement(element, "limit")
        if ranged:
            limit.set("lower", _bound(joint.lower, -NO_LIMIT))
            limit.set("upper", _bound(joint.upper, NO_LIMIT))
        limit.set("effort", _bound(joint.effort, NO_LIMIT))
        limit.set("velocity", _bound(joint.velocity, NO_LIMIT))


def _write_link(root: ET.Element, link: UrdfLink) -> None:
    element = ET.SubElement(root, "link", name=link.name)
    if link.inertial is not None:
        inertial = ET.SubElement(element, "inertial")
        ET.SubElement(inertial, "origin", _origin(link.inertial.at))
        ET.SubElement(inertial, "mass", value=_text(link.inertial.mass))
        ET.SubElement(inertial, "inertia", dict(zip(PAIRS, map(_text, link.inertial.tensor), strict=True)))


def _origin(at: UrdfOrigin) -> dict[str, str]:
    angles = [angle.value for angle in at.rpy if isinstance(angle, Num)]
    return {"xyz": _triple(at.xyz), "rpy": _triple(angles)}


def _bound(value: Fraction | None, otherwise: int) -> str:
    return str(otherwise) if value is None else _text(value)


def _triple(parts: Iterable[Fraction]) -> str:
    return " ".join(map(_text, parts))


def _text(x: Fraction) -> str:
    return MP.nstr(PRECISE.number(x), DIGITS).removesuffix(".0") if x else "0"
