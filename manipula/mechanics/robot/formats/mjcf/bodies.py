"""MJCF bodies → links and joints as a URDF has them, every number exact, every mistake met here.

A body stands at its pose in its parent and moves by its joints, one after the other, each about or along an axis
through a point of the body (MuJoCo documentation, Computation, "Kinematics"):

    T = pose · Π  shift(pos) · motion(axis, q − ref) · shift(−pos)

So a body with k joints is k links, the last of which has its mass; one without joints is fixed to its parent. Sites are
links without mass: frames an arm may end at.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.mjcf.placing import frame_of, placement_of
from manipula.mechanics.robot.formats.mjcf.settings import (
    MAIN,
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
from manipula.mechanics.robot.formats.source import refuse_too_many
from manipula.mechanics.robot.formats.urdf.xml import (
    NOWHERE,
    Bounds,
    Fault,
    Frame,
    Mimic,
    Triple,
    UrdfFile,
    UrdfInertial,
    UrdfJoint,
    UrdfLink,
)
from manipula.mechanics.spatial.placement import HERE, Placement

WORLD = "world"
KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "free": "floating"}
ALONG_Z: Triple = (Fraction(0), Fraction(0), Fraction(1))
_TELLS_MASS = "give the body an <inertial>, or let MuJoCo write it with mj_saveLastXML"


def links_from_mjcf(text: str, said: list[str]) -> tuple[UrdfFile, Settings]:
    """Everything the file says about mechanics; what is passed over is told in `said`."""
    root = root_from_mjcf(text)
    settings = settings_of(root)
    refuse_too_many(sum(1 for _ in root.iterfind(".//worldbody//body")))
    said += unread_options(root)
    reader = _Reader(settings, said, _mimics(root, said))
    reader.links[WORLD] = UrdfLink(WORLD, None)
    for world in root.iterfind("worldbody"):
        reader.waiting.append((world, WORLD, world.get("childclass", MAIN)))
    while reader.waiting:
        reader.inside(*reader.waiting.pop(0))
    if not reader.joints:
        raise RobotFileError("the file has no <body>", hint="a robot is made of bodies inside <worldbody>")
    joints = {name: _coupled(joint, reader.joints) for name, joint in reader.joints.items()}
    return UrdfFile(root.get("model") or "robot", reader.links, joints), settings


def _coupled(joint: UrdfJoint, joints: dict[str, UrdfJoint]) -> UrdfJoint:
    """An equality couples what joints are away from the file's own pose: q1 − ref1 = a0 + a1 (q2 − ref2)."""
    if joint.mimic is None or joint.mimic.joint not in joints:
        return joint
    away = joint.reference - joint.mimic.multiplier * joints[joint.mimic.joint].reference
    return replace(joint, mimic=replace(joint.mimic, offset=joint.mimic.offset + away))


def _mimics(root: ET.Element, said: list[str]) -> dict[str, tuple[str, list[Fraction]]]:
    """Joint → what an equality couples it to, and the coefficients a0, a1, …; other equalities close loops."""
    found: dict[str, tuple[str, list[Fraction]]] = {}
    for element in root.iterfind("equality/*"):
        if element.get("active", "true") == "false":
            continue
        if element.tag == "joint" and "joint1" in element.attrib:
            name = element.attrib["joint1"]
            coefficients = numbers(element.attrib, "polycoef", f"joint {name!r}") or [Fraction(0), Fraction(1)]
            found[name] = (element.get("joint2", ""), [*coefficients, Fraction(0), Fraction(0)])
        else:
            said.append(f"the equality <{element.tag}> is not read: the arm is taken as an open chain")
    return found


@dataclass
class _Reader:
    settings: Settings
    said: list[str]
    mimics: dict[str, tuple[str, list[Fraction]]]
    links: dict[str, UrdfLink] = field(default_factory=dict)
    joints: dict[str, UrdfJoint] = field(default_factory=dict)
    waiting: list[tuple[ET.Element, str, str]] = field(default_factory=list)  # bodies, their links, their childclass

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
                    self.fixed(child.attrib["name"], "site", link, there, None)

    def refuse_moving(self, frame: ET.Element) -> None:
        for tag in ("joint", "freejoint", "inertial"):
            if frame.find(tag) is not None:
                raise RobotFileError(f"found <{tag}> inside a <frame>", field=tag, hint="put it into the body itself")

    def body(self, element: ET.Element, parent: str, outer: Placement, childclass: str) -> None:
        name = element.get("name") or self.free_name("body", self.links)
        if name in self.links:
            raise RobotFileError("two bodies have this name", where=f"body {name!r}", hint="names must differ")
        where = f"body {name!r}"
        at = outer @ placement_of(element.attrib, self.settings, where)
        if single(element.attrib, "gravcomp", where):
            self.said.append(f"{where}: gravcomp is not read; the body has its whole weight")
        found = [child for child in element if child.tag in ("joint", "freejoint")]
        inertial, faults = self.inertial(element, where, childclass)
        link = UrdfLink(name, inertial, faults)
        if not found:
            self.fixed(name, "body", parent, at, link)
        for number, joint in enumerate(found, 1):
            last = number == len(found)
            child = name if last else self.free_name(f"{name}_turned", self.links)
            self.links[child] = link if last else UrdfLink(child, None)
            self.joint(joint, parent, child, at if number == 1 else HERE, childclass)
            parent = child
        self.waiting.append((element, name, childclass))

    def fixed(self, name: str, kind: str, parent: str, at: Placement, link: UrdfLink | None) -> None:
        """A body or a frame that does not move in its parent; a row of the table has its name."""
        name = self.free_name(f"{name}_{kind}", self.links) if name in self.links else name
        self.links[name] = link or UrdfLink(name, None)
        row = self.free_name(f"{name}_{kind}", self.joints) if name in self.joints else name
        free = (None, None, None, None, _ZERO, _ZERO, None)  # neither limits nor friction, and it mimics nothing
        self.joints[row] = UrdfJoint(row, "fixed", parent, name, frame_of(at), ALONG_Z, *free)

    def joint(self, element: ET.Element, parent: str, child: str, at: Placement, childclass: str) -> None:
        attributes = self.settings.attributes(element, childclass)
        name = element.get("name") or self.free_name("joint", self.joints)
        where = f"joint {name!r}"
        kind = "free" if element.tag == "freejoint" else attributes.get("type", "hinge")
        if kind not in KINDS:
            raise RobotFileError(f"found {kind!r}", where=where, field="type", hint=f"one of {', '.join(KINDS)}")
        if name in self.joints:
            raise RobotFileError("two joints have this name", where=where, hint="names must differ")
        axis = triple(attributes, "axis", where, ALONG_Z)
        if kind in ("hinge", "slide") and not any(axis):
            raise RobotFileError("found a zero axis", where=where, field="axis", hint='a direction such as "0 0 1"')
        if single(attributes, "stiffness", where):
            self.said.append(f"{where}: its spring (stiffness) is not read")
        lower, upper = self.limits(attributes, kind, where)
        mimic, faults = self.mimic(name)
        self.joints[name] = UrdfJoint(
            name, KINDS[kind], parent, child, frame_of(at), axis, lower, upper, None, self.effort(attributes, where),
            single(attributes, "damping", where), single(attributes, "frictionloss", where), mimic, faults,
            anchor=triple(attributes, "pos", where, NOWHERE),
            reference=self.measured(single(attributes, "ref", where), kind),
            armature=single(attributes, "armature", where),
        )  # fmt: skip

    def measured(self, value: Fraction, kind: str) -> Fraction:
        return value if kind == "slide" else self.settings.radians(value)

    def limits(self, attributes: Attributes, kind: str, where: str) -> Bounds:
        """A range counts where `limited` says so, or, left to itself, where it is one."""
        limited = attributes.get("limited", "auto")
        if "range" not in attributes or limited == "false" or kind not in ("hinge", "slide"):
            return None, None
        low, high = some(attributes, "range", 2, where)
        if limited == "auto" and not (self.settings.auto_limits and low < high):
            return None, None
        if low > high:
            told = f"found {float(low)} above {float(high)}"
            raise RobotFileError(told, where=where, field="range", hint="the lower limit comes first")
        return self.measured(low, kind), self.measured(high, kind)

    def effort(self, attributes: Attributes, where: str) -> Fraction | None:
        """What the actuators of a joint give together, where it is the same both ways."""
        if "actuatorfrcrange" not in attributes or attributes.get("actuatorfrclimited") == "false":
            return None
        low, high = some(attributes, "actuatorfrcrange", 2, where)
        return high if low == -high and high > 0 else None

    def mimic(self, name: str) -> tuple[Mimic | None, tuple[Fault, ...]]:
        if name not in self.mimics:
            return None, ()
        other, (start, slope, *rest) = self.mimics[name]
        if any(rest) or not other:
            told = "an equality holds it" if not other else f"an equality couples it to joint {other!r} by a polynomial"
            hint = "give the position where it stands still in locked="
            return None, (Fault("mimic", RobotFileError(told, where=f"joint {name!r}", field="equality", hint=hint)),)
        return Mimic(other, slope, start), ()

    def inertial(self, body: ET.Element, where: str, childclass: str) -> tuple[UrdfInertial | None, tuple[Fault, ...]]:
        """What the body weighs; masses that MuJoCo would take from shapes are a fault of the part that needs them."""
        try:
            element = body.find("inertial")
            if element is not None:
                return self.weighed(element.attrib, where), ()
            for tag in self.heavy(body, childclass):
                told = f"it has no <inertial>: its mass would come from its {tag}"
                raise RobotFileError(told, where=where, field="inertial", hint=_TELLS_MASS)
        except RobotFileError as error:
            return None, (Fault("inertial", error),)
        return None, ()

    def weighed(self, attributes: Attributes, where: str) -> UrdfInertial:
        at = frame_of(placement_of(attributes, self.settings, f"{where}: inertial"))
        [mass] = some(attributes, "mass", 1, where)
        if mass < 0:
            raise RobotFileError(f"found {float(mass)}", where=where, field="mass", hint="a mass cannot be negative")
        if "fullinertia" not in attributes:
            xx, yy, zz = triple(attributes, "diaginertia", where, NOWHERE)
            return UrdfInertial(at, mass, (xx, _ZERO, _ZERO, yy, _ZERO, zz))
        xx, yy, zz, xy, xz, yz = some(attributes, "fullinertia", 6, where)
        if at.rpy != Frame().rpy or "diaginertia" in attributes:
            told = "found fullinertia beside an orientation or diaginertia"
            raise RobotFileError(told, where=where, field="fullinertia", hint="it is written in the body's own axes")
        return UrdfInertial(at, mass, (xx, xy, xz, yy, yz, zz))

    def heavy(self, body: ET.Element, childclass: str) -> Iterator[str]:
        """The shapes of a body that weigh something."""
        for element in (child for outer in (body, *body.iterfind("frame")) for child in outer if child.tag == "geom"):
            attributes = self.settings.attributes(element, childclass)
            weight = attributes.get("mass") or attributes.get("density", "1000")
            if any(numbers({"mass": weight}, "mass", "a geom")):
                yield f"<geom type={attributes.get('type', 'sphere')!r}>"

    def free_name(self, wish: str, taken: dict[str, UrdfLink] | dict[str, UrdfJoint]) -> str:
        count = 1
        while f"{wish}{count}" in taken:
            count += 1
        return f"{wish}{count}"


_ZERO = Fraction(0)
