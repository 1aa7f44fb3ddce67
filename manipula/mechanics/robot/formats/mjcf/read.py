"""MJCF, the XML of MuJoCo → Robot: the chain from base to tip, what hangs beside it locked and carried along.

The bodies are read as links and joints of a tree, and from there on it is the road of a URDF.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

from manipula.errors import RobotFileError, some_of
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.checks import warn_of_odd
from manipula.mechanics.robot.formats.mjcf.settings import (
    MAIN,
    WORDS,
    Attributes,
    Settings,
    numbers,
    root_from_mjcf,
    settings_of,
    single,
    some,
    triple,
    unread_options,
)
from manipula.mechanics.robot.formats.mjcf.shapes import body_from_shapes, compile_masses, frame_of, placement_of
from manipula.mechanics.robot.formats.mjcf.tendons import (
    Tendon,
    add_actuators,
    couple_joints,
    couplings_from,
    mimic_of,
    tendons_from,
    with_tendons,
)
from manipula.mechanics.robot.formats.source import account, errors_of, refuse_too_many
from manipula.mechanics.robot.formats.urdf.hinges import BALL, balls_note, joints_about
from manipula.mechanics.robot.formats.urdf.read import robot_from_links
from manipula.mechanics.robot.formats.urdf.xml import (
    NOWHERE,
    Bounds,
    Fault,
    Triple,
    UrdfFile,
    UrdfInertial,
    UrdfJoint,
    UrdfLink,
    UrdfOrigin,
)
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.messages import Message

# MJCF bodies → links and joints as a URDF has them, every number exact, every mistake met here.
#
# A body stands at its pose in its parent and moves by its joints, one after the other, each about or along an axis
# through a point of the body (MuJoCo documentation, Computation, "Kinematics"):
#
#     T = pose · Π  shift(pos) · motion(axis, q − ref) · shift(−pos)
#
# So a body with k joints is k links, the last of which has its mass; one without joints is fixed to its parent. Sites
# are
# links without mass: frames an arm may end at.

WORLD = "world"
KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "free": "floating"}
ALONG_Z: Triple = (Fraction(0), Fraction(0), Fraction(1))
PASSED = {  # forces that no model has, limits that no robot file can hold
    "springs": Message("springs of joints (stiffness, springdamper)"),
    "gravcomp": Message("gravcomp, so that bodies have their whole weight"),
    "equalities": Message("equalities, so that the chain is open there"),
    "balls": Message("limits, damping, friction and armature of ball joints"),
    "free joints": Message("damping, friction and armature of free joints"),
    "ranges": Message("ranges whose lower limit is above the upper one"),
    "efforts": Message("limits of effort that differ by the way (actuatorfrcrange)"),
    "plugins": Message("plugins of bodies"),
    "flex": Message("forces of deformable bodies"),
    "tendon springs": Message("springs of tendons"),
    "tendons": Message("armature, damping and friction of tendons in space"),
    "actuators": Message("armature and damping of actuators that pull at no joint"),
}


class Described(NamedTuple):
    """What a file says about mechanics."""

    links: UrdfFile
    gravity: Triple
    tendons: tuple[Tendon, ...]


def links_from_mjcf(text: str, file: str, said: list[str]) -> Described:
    """Everything the file says about mechanics; what is passed over is named in `said`."""
    root = root_from_mjcf(text, file)
    settings = settings_of(root)
    refuse_too_many(sum(1 for _ in root.iterfind(".//worldbody//body")))
    words = account(root, WORDS)
    said += (*words.warnings(), *unread_options(root))
    reader = _Reader(settings)
    reader.tell_forces(root)
    reader.mimics = couplings_from(root, settings, reader.told)
    reader.links[WORLD] = UrdfLink(WORLD, None)
    for world in root.iterfind("worldbody"):
        reader.waiting.append((world, WORLD, world.get("childclass", MAIN)))
    while reader.waiting:
        reader.inside(*reader.waiting.pop(0))
    if not reader.joints:
        raise RobotFileError("the file has no <body>", hint="a robot is made of bodies inside <worldbody>")
    tendons = tendons_from(root, settings, reader.told)
    joints = couple_joints(reader.joints, reader.mimics)
    add_actuators(root, settings, joints, tendons, reader.told)
    said += [
        Message("not read: {passed}: {counted}", PASSED[what], names_text(names)) for what, names in reader.told.items()
    ]
    notes = (*words.note(), *balls_note(reader.balls))
    links = UrdfFile(root.get("model") or "robot", compile_masses(reader.links, settings), joints, notes)
    return Described(links, settings.gravity, tuple(tendons.values()))


def names_text(names: Sequence[str]) -> str:
    """The first of them and, of many, how many there are."""
    return some_of(names) + (f" ({len(names)})" if len(names) > 8 else "")


@dataclass
class _Reader:
    settings: Settings
    told: dict[str, list[str]] = field(default_factory=dict)  # what is passed over → where it stands
    mimics: dict[str, tuple[str, list[Fraction]]] = field(default_factory=dict)
    links: dict[str, UrdfLink] = field(default_factory=dict)
    joints: dict[str, UrdfJoint] = field(default_factory=dict)
    balls: list[str] = field(default_factory=list)  # joints read as three hinges
    waiting: list[tuple[ET.Element, str, str]] = field(default_factory=list)  # bodies, their links, their childclass

    def tell(self, what: str, where: str) -> None:
        self.told.setdefault(what, []).append(where)

    def tell_forces(self, root: ET.Element) -> None:
        """Forces of other kinds: of plugins, and between the nodes of deformable bodies."""
        for element in root.iterfind(".//body/plugin"):
            self.tell("plugins", element.get("plugin", "") or element.get("instance", ""))
        for element in root.iterfind("deformable/flex"):
            self.tell("flex", element.get("name", "flex"))

    def inside(self, element: ET.Element, link: str, childclass: str) -> None:
        """The bodies and sites of a body, those inside its `<frame>`s too."""
        frames = [(element, HERE, childclass)]
        while frames:
            outer, place, chosen = frames.pop()
            for child in outer:
                where = f"<{child.tag} name={child.get('name', '')!r}>"
                if child.tag == "frame":
                    self.refuse_moving(child)
                    there = place @ placement_of(child.attrib, self.settings, where)
                    frames.append((child, there, child.get("childclass", chosen)))
                elif child.tag == "body":
                    self.body(child, link, place, child.get("childclass", chosen))
                elif child.tag == "site" and child.get("name"):
                    there = place @ placement_of(self.settings.attributes(child, chosen), self.settings, where)
                    self.add_fixed(child.attrib["name"], "site", link, there, None)

    def refuse_moving(self, frame: ET.Element) -> None:
        for tag in ("joint", "freejoint", "inertial"):
            if frame.find(tag) is not None:
                raise RobotFileError(
                    "found <{tag}> inside a <frame>", tag, field=tag, hint="put it into the body itself"
                )

    def body(self, element: ET.Element, parent: str, outer: Placement, childclass: str) -> None:
        name = element.get("name") or self.free_name("body", self.links)
        if name in self.links:
            raise RobotFileError(
                "two bodies have this name", where=Message("body {name!r}", name), hint="names must differ"
            )
        where = Message("body {name!r}", name)
        at = outer @ placement_of(element.attrib, self.settings, where)
        if single(element.attrib, "gravcomp", where):
            self.tell("gravcomp", name)
        found = [child for child in element if child.tag in ("joint", "freejoint")]
        inertial, faults = self.inertial(element, where, childclass)
        link = UrdfLink(name, inertial, faults)
        if not found:
            self.add_fixed(name, "body", parent, at, link)
        for number, joint in enumerate(found, 1):
            last = number == len(found)
            child = name if last else self.free_name(f"{name}_turned", self.links)
            self.links[child] = link if last else UrdfLink(child, None)
            self.joint(joint, parent, child, at if number == 1 else HERE, childclass)
            parent = child
        self.waiting.append((element, name, childclass))

    def add_fixed(self, name: str, kind: str, parent: str, at: Placement, link: UrdfLink | None) -> None:
        """A body or a frame that does not move in its parent; a row of the table has its name."""
        name = self.free_name(f"{name}_{kind}", self.links) if name in self.links else name
        self.links[name] = link or UrdfLink(name, None)
        row = self.free_name(f"{name}_{kind}", self.joints) if name in self.joints else name
        free = (None, None, None, None, _ZERO, _ZERO, None)  # neither limits nor friction, and it mimics nothing
        self.joints[row] = UrdfJoint(row, "fixed", parent, name, frame_of(at), ALONG_Z, *free)

    def joint(self, element: ET.Element, parent: str, child: str, at: Placement, childclass: str) -> None:
        attributes = self.settings.attributes(element, childclass)
        name = element.get("name") or self.free_name("joint", self.joints)
        where = Message("joint {name!r}", name)
        kind = "free" if element.tag == "freejoint" else attributes.get("type", "hinge")
        if kind not in KINDS:
            raise RobotFileError(
                "found {text!r}", kind, where=where, field="type", hint=Message("one of {kinds}", ", ".join(KINDS))
            )
        axis = triple(attributes, "axis", where, ALONG_Z)
        if kind in ("hinge", "slide") and not any(axis):
            raise RobotFileError("found a zero axis", where=where, field="axis", hint='a direction such as "0 0 1"')
        if kind == "free" and any(single(attributes, key, where) for key in ("damping", "frictionloss", "armature")):
            self.tell("free joints", name)
        if any(numbers(attributes, "stiffness", where)) or any(numbers(attributes, "springdamper", where)):
            self.tell("springs", name)
        lower, upper = self.limits(attributes, kind, name)
        mimic, faults = mimic_of(name, self.mimics)
        made = UrdfJoint(
            name, KINDS[kind], parent, child, frame_of(at), axis, lower, upper, None, self.effort(attributes, name),
            single(attributes, "damping", where), single(attributes, "frictionloss", where), mimic, faults,
            anchor=triple(attributes, "pos", where, NOWHERE),
            reference=self.coordinate_value(single(attributes, "ref", where), kind),
            armature=single(attributes, "armature", where),
            named="name" in element.attrib,
        )  # fmt: skip
        for part in self.ball(made, attributes) if kind == "ball" else (made,):
            if part.name in self.joints:
                raise RobotFileError(
                    "two joints have this name", where=Message("joint {name!r}", part.name), hint="names must differ"
                )
            self.joints[part.name] = part

    def ball(self, joint: UrdfJoint, attributes: Attributes) -> Iterator[UrdfJoint]:
        """Three hinges about the body's own x, y and z: models have a coordinate a joint. What resists the motion of a
        ball acts on its angular velocity, which is not that of the hinges."""
        limited = "range" in attributes and attributes.get("limited", "auto") != "false"
        if limited or joint.damping or joint.friction or joint.armature:
            self.tell("balls", joint.name)
        self.balls.append(joint.name)
        return joints_about(joint, BALL, self.links)

    def coordinate_value(self, value: Fraction, kind: str) -> Fraction:
        return value if kind == "slide" else self.settings.radians(value)

    def limits(self, attributes: Attributes, kind: str, name: str) -> Bounds:
        """A range counts where `limited` says so, or, left to itself, where it is one."""
        limited, where = attributes.get("limited", "auto"), Message("joint {name!r}", name)
        if "range" not in attributes or limited == "false" or kind not in ("hinge", "slide"):
            return None, None
        low, high = some(attributes, "range", 2, where)
        if limited == "auto" and not (self.settings.auto_limits and low < high):
            if low > high:
                self.tell("ranges", name)
            return None, None
        if low > high:
            raise RobotFileError(
                "found {low} above {high}",
                float(low),
                float(high),
                where=where,
                field="range",
                hint="the lower limit comes first",
            )
        return self.coordinate_value(low, kind), self.coordinate_value(high, kind)

    def effort(self, attributes: Attributes, name: str) -> Fraction | None:
        """What the actuators of a joint give together, where it is the same both ways."""
        if "actuatorfrcrange" not in attributes or attributes.get("actuatorfrclimited") == "false":
            return None
        low, high = some(attributes, "actuatorfrcrange", 2, Message("joint {name!r}", name))
        if low == -high and high > 0:
            return high
        if low < high:
            self.tell("efforts", name)
        return None

    def inertial(self, body: ET.Element, where: str, childclass: str) -> tuple[UrdfInertial | None, tuple[Fault, ...]]:
        """What the body weighs, as written, else by its shapes; where these are asked first and weigh nothing, as
        written. A mass unknown is a fault where the body moves."""
        element, from_shapes = body.find("inertial"), self.settings.from_shapes
        part = "inertial" if element is not None else "mass"
        found = None
        try:
            if from_shapes == "true" or (from_shapes == "auto" and element is None):
                found = body_from_shapes(self.shapes(body, childclass), self.settings, where)
            if found is None and element is not None:
                found = self.read_inertial(element.attrib, where)
        except RobotFileError as error:
            return None, (Fault(part, error),)
        if found is None:  # MuJoCo has the least mass of a body without any stand at the body's own `pos`
            found = UrdfInertial(UrdfOrigin(triple(body.attrib, "pos", where, NOWHERE)), _ZERO, (_ZERO,) * 6)
        found = replace(found, mass=max(found.mass, self.settings.least_mass))
        if self.settings.balanced:
            found = replace(found, tensor=_balanced(found.tensor))
        return found if found.mass or any(found.tensor) else None, ()

    def shapes(self, body: ET.Element, childclass: str) -> Iterator[tuple[Attributes, Placement]]:
        """The shapes of a body and where they stand in it, those inside its `<frame>`s too."""
        waiting = [(body, HERE, childclass)]
        while waiting:
            outer, place, chosen = waiting.pop()
            for child in outer:
                if child.tag == "geom":
                    yield self.settings.attributes(child, chosen), place
                elif child.tag == "frame":
                    there = place @ placement_of(child.attrib, self.settings, "<frame>")
                    waiting.append((child, there, child.get("childclass", chosen)))

    def read_inertial(self, attributes: Attributes, where: str) -> UrdfInertial:
        at = frame_of(placement_of(attributes, self.settings, Message("{where}: inertial", where)))
        [mass] = some(attributes, "mass", 1, where)
        if mass < 0:
            raise RobotFileError(
                "found {text}", float(mass), where=where, field="mass", hint="a mass cannot be negative"
            )
        if "fullinertia" not in attributes:
            xx, yy, zz = triple(attributes, "diaginertia", where, NOWHERE)
            return UrdfInertial(at, mass, (xx, _ZERO, _ZERO, yy, _ZERO, zz))
        xx, yy, zz, xy, xz, yz = some(attributes, "fullinertia", 6, where)
        if at.rpy != UrdfOrigin().rpy or "diaginertia" in attributes:
            raise RobotFileError(
                "found fullinertia beside an orientation or diaginertia",
                where=where,
                field="fullinertia",
                hint="it is written in the body's own axes",
            )
        return UrdfInertial(at, mass, (xx, xy, xz, yy, yz, zz))

    def free_name(self, wish: str, taken: dict[str, UrdfLink] | dict[str, UrdfJoint]) -> str:
        count = 1
        while f"{wish}{count}" in taken:
            count += 1
        return f"{wish}{count}"


_ZERO = Fraction(0)


def _balanced(tensor: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """The mean of the principal moments for each of them, where one is larger than the sum of the others."""
    xx, xy, xz, yy, yz, zz = tensor
    half = (xx + yy + zz) / 2
    a, b, c = half - xx, half - yy, half - zz
    # such a body has second moments ½·tr(I)·1 − I, whose principal minors are not negative; exact in fractions
    minors = (a, b, c, a * b - xy * xy, a * c - xz * xz, b * c - yz * yz)
    whole = a * b * c - 2 * xy * xz * yz - a * yz * yz - b * xz * xz - c * xy * xy
    mean = 2 * half / 3
    return tensor if min(*minors, whole) >= 0 else (mean, _ZERO, _ZERO, mean, _ZERO, mean)


def robot_from_mjcf(
    text: str,
    *,
    base: str | None = None,
    tip: str | None = None,
    exact: bool = False,
    file: str = "",
    locked: Mapping[str, float] | None = None,
) -> RobotDescription:
    """The serial arm between two bodies, or a body and a site. Joints beside it stand still where `locked` says, else
    where the file's zero pose has them."""
    said: list[str] = []
    with errors_of(file):
        read = links_from_mjcf(text, file, said)
    given = {"base": base, "tip": tip, "exact": exact, "file": file, "locked": locked}
    robot = robot_from_links(read.links, said, "mjcf", read.gravity, **given)  # type: ignore[arg-type]
    with errors_of(file):
        robot = with_tendons(robot, read.tendons, read.links.joints)
    warn_of_odd(robot)
    return robot
