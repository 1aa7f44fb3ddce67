"""SDF text → Robot: one `<model>` of links with poses and joints between them.

A link's pose is seen from the model, or from what `relative_to` names; a joint's pose from its child link, its axis
from the joint. So at rest the child stands where the poses say, and the axis goes through the joint's origin. A link
that is the child of two joints closes a loop: the tree is cut at the second one; `motors=` names the driven joints.

Source: the SDFormat specification 1.11 (sdformat.org): model, link, inertial, joint, pose semantics.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from manipula.errors import RobotFileError, UnknownNameError
from manipula.mechanics.robot.description import Cell, Frame, RobotDescription, Step, StepKind, Steps
from manipula.mechanics.robot.exact import inverse_of
from manipula.mechanics.robot.formats.mjcf.settings import xml_from_text
from manipula.mechanics.robot.formats.rows import toward_axis
from manipula.mechanics.robot.formats.snap_to_exact import couple_parallelograms
from manipula.mechanics.robot.formats.source import errors_of, unread_words
from manipula.mechanics.robot.formats.urdf.read import robot_from_links
from manipula.mechanics.robot.formats.urdf.xml import (
    Triple,
    UrdfFile,
    UrdfInertial,
    UrdfJoint,
    UrdfLink,
    UrdfOrigin,
    number_from_text,
)
from manipula.mechanics.robot.loops import ClosedLoop
from manipula.mechanics.robot.precise import angle, decimal, length, placement, rpy_of
from manipula.mechanics.robot.topology import frame_meant
from manipula.mechanics.robot.values.parameter import Num
from manipula.mechanics.spatial.vector import rotate
from manipula.messages import Message

WORLD, MODEL = "world", "__model__"
GRAVITY = (Fraction(0), Fraction(0), Fraction("-9.8"))  # of a world that says nothing
ORDER: tuple[StepKind, ...] = ("tx", "ty", "tz", "rx", "ry", "rz")
FREE = {"revolute": "z", "continuous": "z", "prismatic": "slide z", "ball": "ball", "fixed": ""}
TREE = ("revolute", "continuous", "prismatic", "fixed")
READ = {"pose", "link", "joint", "frame", "static"}
ALONG_Z: Triple = (Fraction(0), Fraction(0), Fraction(1))
UNBOUNDED = 10**9


def robot_from_sdf(
    text: str, *, base: str | None = None, tip: str | None = None, exact: bool = False, file: str = "",
    locked: Mapping[str, float] | None = None, motors: Sequence[str] = (),
) -> RobotDescription:  # fmt: skip
    """The robot of an SDF model; `base`, `tip`, `locked`, `exact` as of a URDF. `motors` closes loops, which stay open
    without."""
    said: list[str] = []
    with errors_of(file):
        model = _Model(_model_in(text))
        links, cuts = model.links(said, bool(motors))
    given = {"base": base, "tip": tip, "exact": exact, "file": file, "locked": locked}
    robot = robot_from_links(links, said, "sdf", model.gravity, **given)  # type: ignore[arg-type]
    if not motors or not cuts:
        return robot
    with errors_of(file):
        closed = model.with_loops(robot, cuts, motors)
        return closed if exact else couple_parallelograms(closed)


def _model_in(text: str) -> ET.Element:
    root = xml_from_text(text)
    models = list(root.iter("model"))
    if root.tag != "sdf" or not models:
        raise RobotFileError("found <{tag}> at the top", root.tag, hint="an SDF file is <sdf> with one <model>")
    if len(models) > 1 or root.find(".//include") is not None:
        raise RobotFileError(
            "found several models, or an <include>", field="model", hint="write one model, all in one file"
        )
    gravity = root.find(".//gravity")
    if gravity is not None and gravity.text:
        models[0].set("gravity", gravity.text)
    return models[0]


class _Model:
    def __init__(self, model: ET.Element) -> None:
        self.model, self.name = model, model.get("name") or "robot"
        self.parts = {x.get("name", ""): x for tag in ("link", "joint", "frame") for x in model.iterfind(tag)}
        words = model.get("gravity")
        self.gravity: Triple = GRAVITY if words is None else _triple(words, "gravity", "world")

    def links(self, said: list[str], closed: bool) -> tuple[UrdfFile, list[ET.Element]]:
        found = {str(x.get("name")): UrdfLink(str(x.get("name")), _inertial(x)) for x in self.model.iterfind("link")}
        joints, cuts, children = dict[str, UrdfJoint](), list[ET.Element](), set[str]()
        for element in self.model.iterfind("joint"):
            joint = self.joint(element)
            if joint.parent == WORLD:
                found.setdefault(WORLD, UrdfLink(WORLD, None))
            if joint.child in children:
                cuts.append(element)
                if not closed:
                    said.append(
                        Message(
                            "joint {name!r} closes a loop and is left open; motors= names driven joints and closes it",
                            joint.name,
                        )
                    )
            else:
                self.refuse_kind(joint, TREE)
                joints[joint.name] = joint
                children.add(joint.child)
        odd = sorted({x.tag for x in self.model if x.tag not in READ} | self.unread_in_links())
        return UrdfFile(self.name, found, joints, tuple(unread_words(odd))), cuts

    @staticmethod
    def refuse_kind(joint: UrdfJoint, known: Sequence[str]) -> None:
        if joint.type not in known:
            where, hint = Message("joint {name!r}", joint.name), Message("one of {names}", ", ".join(known))
            raise RobotFileError("found {text!r}", joint.type, where=where, field="type", hint=hint)

    def unread_in_links(self) -> set[str]:
        return {x.tag for link in self.model.iterfind("link") for x in link if x.tag not in ("pose", "inertial")}

    def joint(self, element: ET.Element) -> UrdfJoint:
        name, kind = element.get("name", ""), element.get("type", "")
        where = Message("joint {name!r}", name)
        parent, child = (_words(element, tag, where) for tag in ("parent", "child"))
        axis = element.find("axis")
        own = placement(_pose(element.find("pose"), where), {})
        limit = None if axis is None else axis.find("limit")
        dynamics = None if axis is None else axis.find("dynamics")
        xyz = self.axis(element, where)
        x, y, z = (decimal(part).value for part in rotate(own.R, xyz))
        a, b, c = (length(part).value for part in own.p)
        lower, upper, velocity, effort = (
            _limit(limit, word, where) for word in ("lower", "upper", "velocity", "effort")
        )
        damping, friction = (_number(dynamics, word, where, Fraction(0)) for word in ("damping", "friction"))
        turns = "continuous" if kind == "revolute" and lower is None and upper is None else kind
        return UrdfJoint(
            name, turns, parent, child, self.seen_from(parent, child, where), (x, y, z), lower, upper, velocity, effort,
            damping, friction, None, anchor=(a, b, c),
        )  # fmt: skip

    def axis(self, element: ET.Element, where: str) -> Triple:
        found = element.find("axis/xyz")
        if found is not None and found.get("expressed_in") not in (None, "", element.get("name")):
            raise RobotFileError(
                "found expressed_in={text!r}", str(found.get("expressed_in")), where=where, field="axis",
                hint="only axes seen from the joint's own frame are read",
            )  # fmt: skip
        return ALONG_Z if found is None else _triple(found.text or "", "axis", where)

    def seen_from(self, parent: str, child: str, where: str) -> UrdfOrigin:
        """Where the child stands in the parent's frame, at rest."""
        ways = [() if name == WORLD else self.way(name, where, ()) for name in (parent, child)]
        at = placement(inverse_of(ways[0]) + ways[1], {})
        x, y, z = (length(part).value for part in at.p)
        roll, pitch, yaw = map(angle, rpy_of(at.R))
        return UrdfOrigin((x, y, z), (roll, pitch, yaw))

    def way(self, name: str, where: str, before: tuple[str, ...]) -> Steps:
        """From the model's frame to that of a link, joint or frame."""
        if name in ("", MODEL):
            return ()
        if name not in self.parts or name in before:
            raise UnknownNameError(Message("link of {name}", self.name), name, self.parts)
        element = self.parts[name]
        pose = element.find("pose")
        on = "" if pose is None else pose.get("relative_to", "")
        if not on and element.tag == "joint":
            on = _words(element, "child", where)
        elif not on and element.tag == "frame":
            on = element.get("attached_to", "")
        return self.way(on, where, (*before, name)) + _pose(pose, where)

    def with_loops(
        self, robot: RobotDescription, cuts: Sequence[ET.Element], motors: Sequence[str]
    ) -> RobotDescription:
        """The joints left out as loops."""
        frames, loops = list(robot.frames), list[ClosedLoop]()
        for element in cuts:
            joint, where = self.joint(element), Message("joint {name!r}", element.get("name", ""))
            self.refuse_kind(joint, list(FREE))
            turn = toward_axis(self.axis(element, where), f"_{joint.name}") if FREE[joint.type] else ()
            own = _pose(element.find("pose"), where)
            rest = self.seen_from(joint.parent, joint.child, where)
            steps = tuple(Step(k, Cell(k, Num(v))) for k, v in zip(ORDER[:3], rest.xyz))
            steps += tuple(Step(k, Cell(k, v)) for k, v in zip(ORDER[:2:-1], rest.rpy[::-1]))
            for side, link, way in (("parent", joint.parent, steps + own), ("child", joint.child, own)):
                on = Frame("", "") if link in (WORLD, robot.origin.base_link) else frame_meant(robot, link)
                frames.append(Frame(f"{joint.name}_{side}", on.on, on.at + way + turn))
            loops.append(ClosedLoop(joint.name, (frames[-2].name, frames[-1].name), FREE[joint.type]))
        drive = tuple(name for name in robot.joint_names if name in motors)
        if odd := next((name for name in motors if name not in drive), None):
            raise UnknownNameError(Message("joint of {name}", robot.name), odd, robot.joint_names)
        return replace(robot, frames=tuple(frames), loops=tuple(loops), motors=drive)


def _inertial(link: ET.Element) -> UrdfInertial:
    """What is not said is the specification's: 1 kg, and 1 kg·m² about every axis."""
    where, found = Message("link {name!r}", link.get("name", "")), link.find("inertial")
    mass = _number(found, "mass", where, Fraction(1))
    inertia = None if found is None else found.find("inertia")
    pairs = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    tensor = tuple(_number(inertia, pair, where, Fraction(pair[1] == pair[2])) for pair in pairs)
    steps = dict(_given(None if found is None else found.find("pose"), where))
    xyz = tuple(steps.get(k, Fraction(0)) for k in ORDER[:3])
    rpy = tuple(Num(steps.get(k, Fraction(0))) for k in ORDER[3:])
    return UrdfInertial(UrdfOrigin(xyz, rpy), mass, tensor)  # type: ignore[arg-type]


def _pose(element: ET.Element | None, where: str) -> Steps:
    """A shift, then roll, pitch and yaw about fixed axes."""
    steps = {kind: Step(kind, Cell(kind, Num(value))) for kind, value in _given(element, where) if value}
    return tuple(steps[kind] for kind in ("tx", "ty", "tz", "rz", "ry", "rx") if kind in steps)


def _given(element: ET.Element | None, where: str) -> Iterator[tuple[StepKind, Fraction]]:
    if element is None or not (element.text or "").strip():
        return
    parts = (element.text or "").split()
    if len(parts) != 6 or element.get("rotation_format", "euler_rpy") != "euler_rpy":
        raise RobotFileError("found {text!r}", element.text or "", where=where, field="pose", hint="six numbers")
    degrees = element.get("degrees", "false") in ("true", "1")
    if degrees:
        raise RobotFileError("found degrees", where=where, field="pose", hint="angles in radians")
    yield from zip(ORDER, (number_from_text(part, where, "pose") for part in parts))


def _triple(text: str, field: str, where: str) -> Triple:
    parts = [number_from_text(part, where, field) for part in text.split()]
    if len(parts) != 3:
        raise RobotFileError("found {text!r}", text, where=where, field=field, hint='three numbers, as in "0 0 1"')
    return parts[0], parts[1], parts[2]


def _words(element: ET.Element, tag: str, where: str) -> str:
    found = element.find(tag)
    text = "" if found is None else (found.text or "").strip()
    if not text:
        raise RobotFileError("is missing", where=where, field=tag, hint=Message("the name of a link"))
    return text


def _number(element: ET.Element | None, tag: str, where: str, otherwise: Fraction) -> Fraction:
    found = None if element is None else element.find(tag)
    return otherwise if found is None or not found.text else number_from_text(found.text.strip(), where, tag)


def _limit(element: ET.Element | None, tag: str, where: str) -> Any:
    """None where it is so large that it does not count."""
    found = None if element is None else element.find(tag)
    text = "" if found is None else (found.text or "").strip()
    if not text or "inf" in text.lower():
        return None
    value = number_from_text(text, where, tag)
    return None if abs(value) >= UNBOUNDED or (tag in ("velocity", "effort") and value < 0) else value
