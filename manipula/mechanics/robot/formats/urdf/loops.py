"""Loops of a URDF: `<constraint>` elements, as urdfdom is about to have them, say where a joint was cut.

    <constraint name="pin" type="revolute">
      <parent link="rod"/> <parent_origin xyz="0.4 0 0" rpy="0 0 0"/> <parent_axis xyz="0 0 1"/>
      <child link="lever"/> <child_origin xyz="0.3 0 0" rpy="0 0 0"/> <child_axis xyz="0 0 1"/>
    </constraint>

By default a URDF is read as the open tree, with a warning. Joints with a motor are those of `<transmission>`, or those
that take commands in `<ros2_control>`.

Source of the format: pull requests 108 of urdfdom_headers and 264 of urdfdom (2026).
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import AnyRobot, Cell, Frame, RobotDescription, Step, StepKind, Steps
from manipula.mechanics.robot.formats.loop_file import in_file_order, without_fitted_mimics
from manipula.mechanics.robot.formats.rows import toward_axis
from manipula.mechanics.robot.formats.snap_to_exact import Structure, structured_steps
from manipula.mechanics.robot.formats.urdf.text import root_from_text
from manipula.mechanics.robot.formats.urdf.xml import ALONG_X, NOWHERE, Triple, number_from_text
from manipula.mechanics.robot.loops import ClosedLoop
from manipula.mechanics.robot.topology import frame_meant
from manipula.mechanics.robot.values.parameter import Deg, Num
from manipula.messages import Message

FREE = {
    "revolute": "z", "continuous": "z", "prismatic": "slide z", "spherical": "ball", "ball": "ball", "fixed": "",
    "universal": "universal xz",
}  # fmt: skip
SHIFTS: tuple[StepKind, ...] = ("tx", "ty", "tz")
TURNS: tuple[StepKind, ...] = ("rx", "ry", "rz")


def with_loops_from_urdf(robot: AnyRobot, text: str, file: str = "", motors: Sequence[str] = ()) -> AnyRobot:
    """The robot with a loop for every `<constraint>` of its file."""
    root = root_from_text(text, [])
    frames, loops = list(robot.frames), list[ClosedLoop]()
    for element in root.iterfind("constraint"):
        name = element.get("name") or f"constraint{len(loops) + 1}"
        kind, where = element.get("type", ""), Message("<constraint> {name}", name)
        if kind not in FREE:
            raise RobotFileError(
                "found {text!r}", kind, where=where, field="type", hint=Message("one of {names}", ", ".join(FREE))
            )
        ends = [_frame(robot, element, side, f"{name}_{side}", where, kind) for side in ("parent", "child")]
        frames += ends
        loops.append(ClosedLoop(name, (ends[0].name, ends[1].name), FREE[kind]))
    if not loops:
        raise RobotFileError("the file has no <constraint>", field="constraint", hint=Message("they close loops"))
    open_tree = without_fitted_mimics(replace(robot, frames=tuple(frames)), loops)
    return replace(open_tree, loops=tuple(loops), motors=in_file_order(robot, motors) or _motors(open_tree, root))


def _frame(robot: RobotDescription, element: ET.Element, side: str, name: str, where: str, kind: str) -> Frame:
    """A frame on one of the links, z along the axis; of a universal joint, x of the first."""
    link = element.find(side)
    if link is None or not link.get("link"):
        raise RobotFileError("is missing", where=where, field=side, hint=Message('as in <{side} link="…"/>', side))
    on = frame_meant(robot, str(link.get("link"))) if link.get("link") != robot.origin.base_link else Frame(name, "")
    xyz, rpy = (_triple(element, f"{side}_origin", key, NOWHERE, where) for key in ("xyz", "rpy"))
    axis = _triple(element, f"{side}_axis", "xyz", ALONG_X, where)
    if axis == NOWHERE:
        raise RobotFileError("found 0 0 0", where=where, field=f"{side}_axis", hint=Message("a direction"))
    steps = [Step(way, Cell(f"{way}_{name}", Num(x))) for way, x in zip(SHIFTS, xyz)]
    steps += [Step(way, Cell(f"{way}_{name}", Num(x))) for way, x in list(zip(TURNS, rpy))[::-1]]
    way: Steps = () if FREE[kind] in ("ball", "") else toward_axis(axis, f"_{name}")
    if kind == "universal" and side == "parent":
        way += (Step("ry", Cell(f"turn_{name}", Deg(Fraction(-90)))),)
    placed = structured_steps(robot, tuple(x for x in steps if x.amount.value != Num(Fraction(0))), where, Structure())
    return Frame(name, on.on, on.at + placed + way)


def _triple(element: ET.Element, tag: str, key: str, otherwise: Triple, where: str) -> Triple:
    found = element.find(tag)
    text = None if found is None else found.get(key)
    if text is None:
        return otherwise
    parts = [number_from_text(part, where, tag) for part in text.split()]
    if len(parts) != 3:
        raise RobotFileError("found {text!r}", text, where=where, field=tag, hint='three numbers, as in "0 0 1"')
    return parts[0], parts[1], parts[2]


def _motors(robot: RobotDescription, root: ET.Element) -> tuple[str, ...]:
    pulled = {x.get("name") for x in root.iterfind("transmission/joint")}
    pulled |= {x.get("name") for x in root.iterfind("ros2_control/joint") if x.find("command_interface") is not None}
    motors = tuple(name for name in robot.joint_names if name in pulled)
    if not motors:
        raise RobotFileError(
            "the file does not say which joints have a motor", field="transmission",
            hint=Message("name them in <transmission> or <ros2_control>, or give the loops in a YAML file"),
        )  # fmt: skip
    return motors
