"""Loops of an MJCF: `<connect>` holds two points together, `<weld>` two frames.

By default a model is read as the open tree that its bodies are, and equalities are named in a note. Here they become
loops: sites are frames of the robot already; of bodies, the first carries the anchor in its own frame, and the second
meets it where the file's own pose has both, which is what MuJoCo takes. A weld of `torquescale="0"` lets the bodies
turn. Joints that an actuator pulls at have a motor.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import atan2, cos, hypot, sin
from typing import NamedTuple

from manipula.errors import RobotFileError, caution, some_of
from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.description import BASE, AnyRobot, Frame, RobotDescription
from manipula.mechanics.robot.formats.arguments import given_steps
from manipula.mechanics.robot.formats.loop_file import in_file_order
from manipula.mechanics.robot.formats.mjcf.read import WORLD, links_from_mjcf
from manipula.mechanics.robot.formats.mjcf.settings import MAIN, Settings, root_from_mjcf, settings_of, single, triple
from manipula.mechanics.robot.formats.mjcf.tendons import tendons_from
from manipula.mechanics.robot.formats.urdf.xml import UrdfOrigin
from manipula.mechanics.robot.loops import ClosedLoop
from manipula.mechanics.robot.suffixes import identifier_from_name
from manipula.mechanics.robot.values.parameter import float_of
from manipula.mechanics.spatial.floats import FLOATS
from manipula.mechanics.spatial.placement import HERE, Placement, turn_about
from manipula.messages import Message

FREE = {"connect": "ball", "weld": ""}


def with_loops_from_mjcf(robot: AnyRobot, text: str, file: str = "", motors: Sequence[str] = ()) -> AnyRobot:
    """The robot with the loops of its file, and the joints that actuators pull at as motors."""
    root = root_from_mjcf(text, file)
    settings = settings_of(root)
    at = _own_pose(robot, text, file)
    loops, frames = list[ClosedLoop](), list(robot.frames)
    for element in (x for x in root.iterfind("equality/*") if x.tag in FREE):
        if settings.attributes(element, MAIN, "equality").get("active", "true") == "false":
            continue
        name = element.get("name") or f"{element.tag}{len(loops) + 1}"
        if "site1" in element.attrib:
            joins = element.attrib["site1"], element.get("site2", "")
        else:
            joins = f"{name}_first", f"{name}_second"
            frames += _ends(robot, element, at, joins)
        given = settings.attributes(element, MAIN, "equality")
        turns = element.tag == "weld" and "torquescale" in given and not single(given, "torquescale", name)
        loops.append(ClosedLoop(name, joins, "ball" if turns else FREE[element.tag]))
    if not loops:
        raise RobotFileError("the file has no <connect> or <weld>", field="equality", hint=Message("they close loops"))
    motors = in_file_order(robot, motors) or _motors(robot, root, settings)
    return replace(robot, frames=tuple(frames), loops=tuple(loops), motors=motors)


def _motors(robot: RobotDescription, root: ET.Element, settings: Settings) -> tuple[str, ...]:
    """The joints that actuators pull at; through a fixed tendon, where it runs over one coordinate of the robot."""
    own, tendons = list(robot.joint_names), tendons_from(root, settings, {})
    pulled, left = set[str](), list[str]()
    for number, element in enumerate(root.iterfind("actuator/*"), 1):
        given = settings.attributes(element, MAIN)
        joint, tendon = given.get("joint") or given.get("jointinparent"), tendons.get(given.get("tendon", ""))
        over = [name for name, _ in tendon.factors if name in own] if tendon else [joint] if joint in own else []
        if len(over) == 1:
            pulled |= set(over)
        else:
            left.append(element.get("name") or str(number))
    if left:
        caution("{robot}: no motors are made of actuators that pull at no joint: {names}", robot.name, some_of(left))
    return tuple(name for name in own if name in pulled)


class Held(NamedTuple):
    """A body: the row that holds it, where it is seen from there, and its pose in the world."""

    row: str
    within: Placement
    pose: Placement


def _own_pose(robot: RobotDescription, text: str, file: str) -> dict[str, Held]:
    """The bodies, joints where the file has them."""
    joints = links_from_mjcf(text, file, []).links.joints
    tree = bind(robot, FLOATS, dict.fromkeys(free_parameters(robot), 0.0))
    own = {name: float(joints[name].reference) if name in joints else 0.0 for name in robot.joint_names}
    moving = iter(robot.coordinates.map_factors(float).spread([own[name] for name in robot.joint_names]))
    values = [0.0 if joint.kind == "fixed" else next(moving) for joint in robot.joints]
    poses = tree.outward(lambda parent, step: parent @ step, tree.elementary(values), tree.base)
    rows = zip(robot.joints, poses, strict=True)
    found = {joint.link: Held(joint.name, HERE, pose) for joint, pose in rows if joint.link}
    ground = [robot.origin.base_link or WORLD, *([] if robot.moving else [WORLD])]
    found |= dict.fromkeys(ground, Held(BASE, HERE, tree.base))
    for joint in joints.values():  # parents come first
        if joint.type == "fixed" and joint.parent in found and joint.child not in found:
            on, step = found[joint.parent], _place(joint.at)
            found[joint.child] = Held(on.row, on.within @ step, on.pose @ step)
    return found


def _place(at: UrdfOrigin) -> Placement:
    x, y, z = map(float, at.xyz)
    roll, pitch, yaw = (float_of(angle, {}) for angle in at.rpy)
    turns = (turn_about(axis, cos(angle), sin(angle)) for axis, angle in (("z", yaw), ("y", pitch), ("x", roll)))
    return reduce(lambda done, turn: done @ turn, turns, Placement(p=(x, y, z)))


def _ends(robot: RobotDescription, element: ET.Element, at: dict[str, Held], names: tuple[str, str]) -> list[Frame]:
    """A frame on each body, both in one place."""
    where = Message("<{tag}> {name}", element.tag, element.get("name", ""))
    if "relpose" in element.attrib:
        raise RobotFileError(
            "a relpose is not read", where=where, field="relpose", hint=Message("weld two sites instead")
        )
    bodies = element.get("body1", ""), element.get("body2", WORLD)
    for body in bodies:
        if body not in at:
            held = Message("frames are held to the ground by hold= in the call")
            hint = held if robot.moving else Message("name a body")
            raise RobotFileError("{body!r} is no body of the robot", body, where=where, hint=hint)
    zero: tuple[Fraction, Fraction, Fraction] = (Fraction(0),) * 3
    first, second = (at[body] for body in bodies)
    x, y, z = map(float, triple(element.attrib, "anchor", where, zero))
    anchor = Placement(p=(x, y, z))
    near, far = first.within @ anchor, second.within @ second.pose.inverse() @ first.pose @ anchor
    return [_frame(name, on.row, there) for name, on, there in zip(names, (first, second), (near, far))]


def _frame(name: str, row: str, at: Placement) -> Frame:
    steps = given_steps(identifier_from_name(name), [f"{value:.15g}" for value in at.p], _rpy(at))
    return Frame(name, row, steps if at != HERE else ())


def _rpy(at: Placement) -> list[str]:
    """Roll, pitch and yaw about fixed axes."""
    R = at.R
    level = hypot(float(R[0][0]), float(R[1][0]))  # type: ignore[arg-type]
    pitch = atan2(-float(R[2][0]), level)  # type: ignore[arg-type]
    if level < 1e-9:
        roll, yaw = atan2(-float(R[1][2]), float(R[1][1])), 0.0  # type: ignore[arg-type]
    else:
        roll = atan2(float(R[2][1]), float(R[2][2]))  # type: ignore[arg-type]
        yaw = atan2(float(R[1][0]), float(R[0][0]))  # type: ignore[arg-type]
    return [f"{angle:.15g}" for angle in (roll, pitch, yaw)]
