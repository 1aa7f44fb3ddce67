"""SDF text → Robot: one `<model>` of links with poses and joints between them.

A link's pose is seen from the model, or from what `relative_to` names; a joint's pose from its child, its axis from the
joint or from what `expressed_in` names. So at rest the child stands where the poses say, and the axis goes through the
joint's origin. A link that is the child of two joints closes a loop: the tree is cut at the second one; `motors=` names
the driven joints. Balls, universal joints and `revolute2` are hinges one after the other.

Source: the SDFormat specification 1.11 (sdformat.org): model, link, inertial, joint, pose semantics.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from manipula.errors import RobotFileError, UnknownNameError
from manipula.mechanics.robot.description import Cell, Frame, RobotDescription, Step, Steps
from manipula.mechanics.robot.exact import inverse_of
from manipula.mechanics.robot.formats.mjcf.read import names_text
from manipula.mechanics.robot.formats.mjcf.settings import xml_from_text
from manipula.mechanics.robot.formats.rows import toward_axis
from manipula.mechanics.robot.formats.sdf.values import (
    ORDER,
    WORDS,
    entries_of_pose,
    limit_in,
    name_in,
    number_in,
    steps_of_pose,
    triple,
)
from manipula.mechanics.robot.formats.snap_to_exact import couple_parallelograms
from manipula.mechanics.robot.formats.source import account, errors_of
from manipula.mechanics.robot.formats.urdf.hinges import BALL, balls_note, joints_about
from manipula.mechanics.robot.formats.urdf.light import called_base
from manipula.mechanics.robot.formats.urdf.read import robot_from_links
from manipula.mechanics.robot.formats.urdf.tree import MOTIONS
from manipula.mechanics.robot.formats.urdf.xml import (
    NOWHERE,
    Fault,
    Mimic,
    Triple,
    UrdfFile,
    UrdfInertial,
    UrdfJoint,
    UrdfLink,
    UrdfOrigin,
)
from manipula.mechanics.robot.loops import ClosedLoop
from manipula.mechanics.robot.precise import angle, decimal, length, placement, rpy_of, steps_from_placement
from manipula.mechanics.robot.topology import frame_meant
from manipula.mechanics.robot.values.parameter import Deg, Num
from manipula.mechanics.spatial.vector import rotate
from manipula.messages import Message

WORLD, MODEL = "world", "__model__"
GRAVITY = (Fraction(0), Fraction(0), Fraction("-9.8"))  # of a world that says nothing
FREE = {
    "revolute": "z", "continuous": "z", "prismatic": "slide z", "ball": "ball", "universal": "universal xz",
    "fixed": "",
}  # fmt: skip
TWO_AXES = ("universal", "revolute2")
TREE = ("revolute", "continuous", "prismatic", "ball", *TWO_AXES, "fixed")
ALONG_Z: Triple = (Fraction(0), Fraction(0), Fraction(1))
PASSED = {  # forces that no model has
    "springs": Message("springs of joints (spring_stiffness)"),
    "weights": Message("<gravity> of links, so that they have their weight"),
    "water": Message("fluid_added_mass"),
    "cuts": Message("damping and friction of joints that close loops"),
}


def robot_from_sdf(
    text: str, *, base: str | None = None, tip: str | None = None, exact: bool = False, file: str = "",
    locked: Mapping[str, float] | None = None, motors: Sequence[str] = (),
) -> RobotDescription:  # fmt: skip
    """The robot of an SDF model; `base`, `tip`, `locked`, `exact` as of a URDF. `motors` closes loops, which stay open
    without."""
    said: list[str] = []
    with errors_of(file):
        model = _Model(*_model_in(text, said))
        links, cuts = model.links(said, bool(motors))
        if base is None:
            model.tell_root(links, said)
    given = {"base": base, "tip": tip, "exact": exact, "file": file, "locked": locked}
    robot = robot_from_links(links, said, "sdf", model.gravity, **given)  # type: ignore[arg-type]
    with errors_of(file):
        if base is None or (base in MOTIONS and base not in links.links):
            robot = replace(robot, base=model.steps_to_base(robot.origin.base_link))
        if not motors or not cuts:
            return robot
        closed = model.with_loops(robot, cuts, motors)
        return closed if exact else couple_parallelograms(closed)


def _model_in(text: str, said: list[str]) -> tuple[ET.Element, ET.Element, tuple[str, ...]]:
    """The file, its model, and a note on what is not read."""
    root = xml_from_text(text)
    models = list(root.iter("model"))
    if root.tag != "sdf" or not models:
        raise RobotFileError("found <{tag}> at the top", root.tag, hint="an SDF file is <sdf> with one <model>")
    if len(models) > 1 or root.find(".//include") is not None:
        raise RobotFileError(
            "found several models, or an <include>", field="model", hint="write one model, all in one file"
        )
    words = account(root, WORDS)
    said += words.warnings()
    return root, models[0], tuple(words.note())


class _Model:
    def __init__(self, root: ET.Element, model: ET.Element, notes: tuple[str, ...]) -> None:
        self.model, self.name, self.notes = model, model.get("name") or "robot", list(notes)
        self.parts = {x.get("name", ""): x for tag in ("link", "joint", "frame") for x in model.iterfind(tag)}
        words = root.findtext("world/gravity")
        self.gravity: Triple = GRAVITY if words is None else triple(words, "gravity", "world")
        try:
            older = tuple(int(part) for part in root.get("version", "1.11").split(".")[:2]) < (1, 5)
        except ValueError:
            older = False
        self.axes_of = MODEL if older else ""  # in whose frame axes are that do not say so
        self.told: dict[str, list[str]] = {}

    def tell(self, what: str, where: str) -> None:
        self.told.setdefault(what, []).append(where)

    def links(self, said: list[str], closed: bool) -> tuple[UrdfFile, list[ET.Element]]:
        found = {x.name: x for x in map(self.link, self.model.iterfind("link"))}
        joints, children = dict[str, UrdfJoint](), set[str]()
        cuts, balls = list[ET.Element](), list[str]()
        for element in self.model.iterfind("joint"):
            joint = self.joint(element)
            if joint.parent == WORLD:
                found.setdefault(WORLD, UrdfLink(WORLD, None))
            if joint.child in children:
                cuts.append(element)
                if closed and (joint.damping or joint.friction):
                    self.tell("cuts", joint.name)
                if closed and (joint.lower is not None or joint.upper is not None):
                    self.notes.append(Message("joint {name!r} closes a loop: its limits are not read", joint.name))
                if not closed:
                    said.append(
                        Message(
                            "joint {name!r} closes a loop and is left open; motors= names driven joints and closes it",
                            joint.name,
                        )
                    )
                continue
            self.refuse_kind(joint, TREE)
            joints |= {x.name: x for x in self.hinges(joint, element, found)}
            balls += [joint.name] if joint.type == "ball" else []
            children.add(joint.child)
        said += [
            Message("not read: {passed}: {counted}", PASSED[what], names_text(names))
            for what, names in self.told.items()
        ]
        return UrdfFile(self.name, found, joints, (*self.notes, *balls_note(balls))), cuts

    def tell_root(self, file: UrdfFile, said: list[str]) -> None:
        """A model that nothing holds falls in a simulator."""
        children = {joint.child for joint in file.joints.values()}
        static = (self.model.findtext("static") or "").strip() in ("true", "1")
        if static:
            said.append(Message("the model is static: its joints are read as if they moved"))
        root = next((name for name in file.links if name not in children), WORLD)
        if root != WORLD and not static:
            said.append(
                Message(
                    "no joint holds link {name!r} to the world: it is read as a base that stands still, and "
                    'base="free" as one that moves', root,
                )
            )  # fmt: skip

    def hinges(self, joint: UrdfJoint, element: ET.Element, links: dict[str, UrdfLink]) -> Iterator[UrdfJoint]:
        """A joint by joints of one coordinate each."""
        if joint.type == "ball":
            return joints_about(joint, BALL, links)
        if joint.type in TWO_AXES:
            second = self.axis(element, Message("joint {name!r}", joint.name), "axis2")
            return joints_about(joint, {"1": joint.axis, "2": self.in_child(element, second)}, links)
        return iter((joint,))

    @staticmethod
    def refuse_kind(joint: UrdfJoint, known: Sequence[str]) -> None:
        if joint.type not in known:
            where, hint = Message("joint {name!r}", joint.name), Message("one of {names}", ", ".join(known))
            raise RobotFileError("found {text!r}", joint.type, where=where, field="type", hint=hint)

    def link(self, element: ET.Element) -> UrdfLink:
        name, inertial = element.get("name", ""), element.find("inertial")
        if (element.findtext("gravity") or "true").strip() in ("false", "0"):
            self.tell("weights", name)
        if inertial is not None and inertial.find("fluid_added_mass") is not None:
            self.tell("water", name)
        if inertial is not None and inertial.get("auto") in ("true", "1"):
            error = RobotFileError(
                "its mass would come from its <collision>", where=Message("link {name!r}", name), field="inertial",
                hint="write mass, pose and inertia",
            )  # fmt: skip
            return UrdfLink(name, None, (Fault("mass", error),))
        return UrdfLink(name, _inertial(element))

    def joint(self, element: ET.Element) -> UrdfJoint:
        name, kind = element.get("name", ""), element.get("type", "")
        where = Message("joint {name!r}", name)
        parent, child = (self.link_of(name_in(element, tag, where), where) for tag in ("parent", "child"))
        axis = element.find("axis")
        limit = None if axis is None else axis.find("limit")
        dynamics = None if axis is None else axis.find("dynamics")
        a, b, c = (length(part).value for part in placement(self.seen_from(child, name, where), {}).p)
        lower, upper, velocity, effort = (
            limit_in(limit, word, where) for word in ("lower", "upper", "velocity", "effort")
        )
        damping, friction = (number_in(dynamics, word, where, Fraction(0)) for word in ("damping", "friction"))
        if number_in(dynamics, "spring_stiffness", where, Fraction(0)):
            self.tell("springs", name)
        turns = "continuous" if kind == "revolute" and lower is None and upper is None else kind
        return UrdfJoint(
            name, turns, parent, child, _origin(self.seen_from(parent, child, where)),
            self.in_child(element, self.axis(element, where)), lower, upper, velocity, effort, damping, friction,
            self.mimic(axis, where), anchor=(a, b, c),
        )  # fmt: skip

    @staticmethod
    def mimic(axis: ET.Element | None, where: str) -> Mimic | None:
        """q = multiplier·(q_leader − reference) + offset."""
        found = None if axis is None else axis.find("mimic")
        if found is None:
            return None
        factor, offset = (
            number_in(found, "multiplier", where, Fraction(1)),
            number_in(found, "offset", where, Fraction(0)),
        )
        return Mimic(
            found.get("joint", ""), factor, offset - factor * number_in(found, "reference", where, Fraction(0))
        )

    def axis(self, element: ET.Element, where: str, tag: str = "axis") -> Triple:
        """A direction in the joint's own frame."""
        axis, name = element.find(tag), element.get("name", "")
        xyz = None if axis is None else axis.find("xyz")
        direction = ALONG_Z if xyz is None else triple(xyz.text or "", "axis", where)
        if direction == NOWHERE and element.get("type") not in ("fixed", "ball"):
            raise RobotFileError("found a zero axis", where=where, field="axis", hint='a direction such as "0 0 1"')
        frame = self.axes_of if xyz is None else str(xyz.get("expressed_in") or self.axes_of)
        if axis is not None and (axis.findtext("use_parent_model_frame") or "").strip() in ("true", "1"):
            frame = MODEL
        return direction if frame in ("", name) else _turned(self.seen_from(name, frame, where), direction)

    def in_child(self, element: ET.Element, axis: Triple) -> Triple:
        """A direction in the joint's frame, in that of its child."""
        where = Message("joint {name!r}", element.get("name", ""))
        child = self.link_of(name_in(element, "child", where), where)
        return _turned(self.seen_from(child, element.get("name", ""), where), axis)

    def link_of(self, name: str, where: str) -> str:
        """The link itself, or the one that a frame is attached to."""
        seen = list[str]()
        while name in self.parts and self.parts[name].tag == "frame" and name not in seen:
            seen.append(name)
            name = self.parts[name].get("attached_to", "") or MODEL
        if name == MODEL:
            first = self.model.find("link")
            name = self.model.get("canonical_link", "") or ("" if first is None else first.get("name", ""))
        if name != WORLD and (name not in self.parts or self.parts[name].tag != "link"):
            links = [x.get("name", "") for x in self.model.iterfind("link")]
            raise UnknownNameError(Message("link of {name}", self.name), name, links)
        return name

    def seen_from(self, here: str, there: str, where: str) -> Steps:
        """From one frame to another, at rest."""
        return inverse_of(self.way(here, where, ())) + self.way(there, where, ())

    def way(self, name: str, where: str, before: tuple[str, ...]) -> Steps:
        """From the model's frame to that of a link, joint or frame, or to the world's."""
        if name in ("", MODEL):
            return ()
        if name == WORLD:
            held = self.model.get("placement_frame", "")
            return inverse_of(
                steps_of_pose(self.model.find("pose"), self.name) + inverse_of(self.way(held, where, before))
            )
        if name not in self.parts or name in before:
            raise UnknownNameError(Message("link of {name}", self.name), name, self.parts)
        element = self.parts[name]
        pose = element.find("pose")
        on = "" if pose is None else pose.get("relative_to", "") or pose.get("frame", "")  # as version 1.6 called it
        if not on and element.tag == "joint":
            on = name_in(element, "child", where)
        elif not on and element.tag == "frame":
            on = element.get("attached_to", "")
        return self.way(on, where, (*before, name)) + steps_of_pose(pose, where)

    def steps_to_base(self, link: str) -> Steps:
        """Where the base stands in the world."""
        return () if link == WORLD else called_base(_placed(self.seen_from(WORLD, link, self.name)))

    def with_loops(
        self, robot: RobotDescription, cuts: Sequence[ET.Element], motors: Sequence[str]
    ) -> RobotDescription:
        """The joints left out as loops."""
        frames, loops = list(robot.frames), list[ClosedLoop]()
        for element in cuts:
            joint, where = self.joint(element), Message("joint {name!r}", element.get("name", ""))
            self.refuse_kind(joint, list(FREE))
            axes = [self.axis(element, where, "axis2" if x and joint.type in TWO_AXES else "axis") for x in (0, 1)]
            for side, link, axis in zip(("parent", "child"), (joint.parent, joint.child), axes):
                on = Frame("", "") if link in (WORLD, robot.origin.base_link) else frame_meant(robot, link)
                turn = toward_axis(axis, f"_{joint.name}") if FREE[joint.type] not in ("ball", "") else ()
                if joint.type == "universal" and side == "parent":
                    turn += (Step("ry", Cell(f"turn_{joint.name}", Deg(Fraction(-90)))),)
                way = _placed(self.seen_from(link, joint.name, where))
                frames.append(Frame(f"{joint.name}_{side}", on.on, on.at + way + turn))
            loops.append(ClosedLoop(joint.name, (frames[-2].name, frames[-1].name), FREE[joint.type]))
        drive = tuple(name for name in robot.joint_names if name in motors)
        if odd := next((name for name in motors if name not in drive), None):
            raise UnknownNameError(Message("joint of {name}", robot.name), odd, robot.joint_names)
        return replace(robot, frames=tuple(frames), loops=tuple(loops), motors=drive)


def _origin(steps: Steps) -> UrdfOrigin:
    at = placement(steps, {})
    x, y, z = (length(part).value for part in at.p)
    roll, pitch, yaw = map(angle, rpy_of(at.R))
    return UrdfOrigin((x, y, z), (roll, pitch, yaw))


def _placed(steps: Steps) -> Steps:
    """In at most six steps."""
    return steps_from_placement(placement(steps, {}), {kind: kind for kind in ORDER}) if steps else ()


def _turned(steps: Steps, direction: Triple) -> Triple:
    x, y, z = (decimal(part).value for part in rotate(placement(steps, {}).R, direction))
    return x, y, z


def _inertial(link: ET.Element) -> UrdfInertial:
    """What is not said is the specification's: 1 kg, and 1 kg·m² about every axis."""
    where, found = Message("link {name!r}", link.get("name", "")), link.find("inertial")
    mass = number_in(found, "mass", where, Fraction(1))
    inertia = None if found is None else found.find("inertia")
    pairs = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    tensor = tuple(number_in(inertia, pair, where, Fraction(pair[1] == pair[2])) for pair in pairs)
    steps = dict(entries_of_pose(None if found is None else found.find("pose"), where))
    xyz = tuple(steps.get(k, Fraction(0)) for k in ORDER[:3])
    rpy = tuple(Num(steps.get(k, Fraction(0))) for k in ORDER[3:])
    return UrdfInertial(UrdfOrigin(xyz, rpy), mass, tensor)  # type: ignore[arg-type]
