"""URDF text → links and joints as data, every number exact, every mistake met here.

Where the format leaves room this follows the reference parser: the first of repeated elements counts, a missing
origin is the identity, a missing axis is x. Meshes and colours are not read. A mistake in a part of a link or joint is
kept as a fault: it is an error only where the arm uses that part.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.snap_to_exact import LIKELY, MEASURED, SURE
from manipula.mechanics.robot.formats.source import Element, account, refuse_too_many
from manipula.mechanics.robot.formats.units import exact_number
from manipula.mechanics.robot.formats.urdf.text import EXPAND, XACRO, is_unexpanded, root_from_text
from manipula.mechanics.robot.values.parameter import ZERO, Num, Parameter
from manipula.messages import Message

# The vocabulary of URDF: what is read, and what changes no model.
#
# Source: the XML schema of urdfdom, the ROS wiki (urdf/XML), and what simulators put beside it.

LOOPS = ("constraint", "loop_joint")  # which would close a loop
FORCES = ("turnGravityOff", "springStiffness")  # of a simulator, no model has them
WORDS: dict[str, Element | None] = {
    "robot": Element("name", "version type"),
    "link": Element("name", "type"),
    "inertial": Element(),
    "origin": Element("xyz rpy quat_xyzw"),  # the last is refused
    "mass": Element("value"),
    "inertia": Element("ixx ixy ixz iyy iyz izz"),
    "joint": Element("name type", "dont_collapse"),
    "parent": Element("link"),
    "child": Element("link"),
    "axis": Element("xyz"),
    "limit": Element("lower upper effort velocity", "acceleration deceleration jerk"),
    "dynamics": Element("damping friction"),
    "mimic": Element("joint multiplier offset"),
    **dict.fromkeys(("visual", "collision", "material", "calibration", "safety_controller", *LOOPS)),
    **dict.fromkeys(("gazebo", "transmission", "sensor", "ros2_control", "mujoco", "plugin", "contact")),
    **dict.fromkeys(("self_collision_checking", "collision_checking", "disable_collisions", "verbose")),
}


Triple = tuple[Fraction, Fraction, Fraction]
Angles = tuple[Parameter, Parameter, Parameter]
Bounds = tuple[Fraction | None, Fraction | None]
NOWHERE: Triple = (Fraction(0), Fraction(0), Fraction(0))
ALONG_X: Triple = (Fraction(1), Fraction(0), Fraction(0))
MOVING = ("revolute", "continuous", "prismatic")
RANGED = ("revolute", "prismatic")
KNOWN_TYPES = (*MOVING, "fixed", "floating", "planar")
NO_LIMIT = (
    10**9
)  # a bound this large (rad, m, N·m …) says that there is no limit; the writer uses it where URDF wants one
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_PAIRS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


@dataclass(frozen=True)
class UrdfOrigin:
    """An `<origin>`."""

    xyz: Triple = NOWHERE
    rpy: Angles = (ZERO, ZERO, ZERO)


@dataclass(frozen=True)
class Fault:
    """A mistake in one part: origin, axis, limit, dynamics, mimic, inertial, or mass, where it is not known."""

    part: str
    error: RobotFileError


@dataclass(frozen=True)
class UrdfInertial:
    at: UrdfOrigin
    mass: Fraction
    tensor: tuple[Fraction, ...]  # xx xy xz yy yz zz


@dataclass(frozen=True)
class UrdfLink:
    name: str
    inertial: UrdfInertial | None
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class Mimic:
    joint: str
    multiplier: Fraction
    offset: Fraction


@dataclass(frozen=True)
class UrdfJoint:
    """A joint. The last fields are for formats that say more: a point of the axis in the child's frame, the position
    that the file's own pose of the child is at, the inertia of the motor seen at the joint, whether the name is the
    file's own."""

    name: str
    type: str
    parent: str
    child: str
    at: UrdfOrigin
    axis: Triple
    lower: Fraction | None
    upper: Fraction | None
    velocity: Fraction | None
    effort: Fraction | None
    damping: Fraction
    friction: Fraction
    mimic: Mimic | None
    faults: tuple[Fault, ...] = ()
    anchor: Triple = NOWHERE
    reference: Fraction = Fraction(0)
    armature: Fraction = Fraction(0)
    named: bool = True

    @property
    def moves(self) -> bool:
        return self.type != "fixed"


@dataclass(frozen=True)
class UrdfFile:
    name: str
    links: dict[str, UrdfLink]
    joints: dict[str, UrdfJoint]
    notes: tuple[str, ...] = ()  # on what is not read
    likely: float = LIKELY  # rad: angles nearer to a multiple of 90° are read as that


Named = TypeVar("Named", UrdfLink, UrdfJoint)
Part = TypeVar("Part")


class _Parts:
    """Reads the parts of one link or joint, and keeps what is wrong with them."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def read(self, part: str, reader: Callable[[], Part], otherwise: Part) -> Part:
        try:
            return reader()
        except RobotFileError as error:
            self.faults.append(Fault(part, error))
            return otherwise


def refuse_faults(faults: Iterable[Fault], used: Iterable[str], said: list[str]) -> None:
    """A fault in a part that is used is an error; any other is a note."""
    needed = set(used)
    for fault in faults:
        if fault.part in needed:
            raise fault.error
        said.append(Message("{error}; the arm does not use it", fault.error))


def urdf_from_text(text: str, said: list[str]) -> UrdfFile:
    """Everything the file says about mechanics; what was passed over is named in `said`."""
    root = root_from_text(text, said)
    words = account(root, WORDS, skipped=XACRO)
    said += words.warnings()
    said += [
        Message("<{tag}> is not read: the chain is open there", tag) for tag in LOOPS if root.find(tag) is not None
    ]
    said += [
        Message("<gazebo> of {name!r}: {tag} is not read", element.get("reference", ""), child.tag)
        for element in root.findall("gazebo") for child in element
        if child.tag in FORCES and (child.text or "").strip() not in ("", "0", "0.0", "false")
    ]  # fmt: skip
    refuse_too_many(len(root.findall("joint")))
    links = _by_name((_link(element) for element in root.findall("link")), "link")
    joints = _by_name((_joint(element, said) for element in root.findall("joint")), "joint")
    left = any(str(element.tag).startswith(XACRO) for element in root)
    if not links:
        raise RobotFileError(
            "the file has no <link>", hint=EXPAND if left else Message("a robot needs links and joints")
        )
    for joint in joints.values():
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                raise RobotFileError(
                    "found link {name!r}, which is not in the file",
                    name,
                    where=Message("joint {name!r}", joint.name),
                    field=end,
                    hint=(
                        Message("xacro is left over: {expand}", EXPAND)
                        if left
                        else Message("known links: {links}", ", ".join(links))
                    ),
                )
    likely = SURE if MEASURED in text else LIKELY
    return UrdfFile(root.get("name") or "robot", links, joints, tuple(words.note()), likely)


def _by_name(items: Iterator[Named], kind: str) -> dict[str, Named]:
    found: dict[str, Named] = {}
    for item in items:
        if item.name in found:
            raise RobotFileError(
                "two {kind}s have this name",
                kind,
                where=Message("{kind} {name!r}", Message(kind), item.name),
                field="name",
                hint=Message("every {kind} needs a name of its own", kind),
            )
        found[item.name] = item
    return found


def _link(element: ET.Element) -> UrdfLink:
    name, parts = _attribute(element, "name", Message("a link")), _Parts()
    inertial = parts.read("inertial", lambda: _inertial(element, Message("link {child!r}", name)), None)
    return UrdfLink(name, inertial, tuple(parts.faults))


def _inertial(link: ET.Element, where: str) -> UrdfInertial | None:
    element = link.find("inertial")
    _refuse_xacro_tags(link if element is None else element, where)
    if element is None:
        return None
    mass = _number(_child(element, "mass", where), "value", where, "mass")
    if mass < 0:
        raise RobotFileError("found {text}", float(mass), where=where, field="mass", hint="a mass cannot be negative")
    tensor = _child(element, "inertia", where)
    entries = tuple(_number(tensor, pair, where, f"inertia {pair}") for pair in _PAIRS)
    return UrdfInertial(_frame(element, where, "inertial origin"), mass, entries)


def _refuse_xacro_tags(element: ET.Element, where: str) -> None:
    """A macro that was not expanded may hold the very numbers that are missing."""
    for child in element:
        if str(child.tag).startswith(XACRO):
            raise RobotFileError("found <{tag}>, xacro that has not been expanded", child.tag, where=where, hint=EXPAND)


def _joint(element: ET.Element, said: list[str]) -> UrdfJoint:
    name = _attribute(element, "name", Message("a joint"))
    where = Message("joint {name!r}", name)
    kind = _attribute(element, "type", where)
    if kind not in KNOWN_TYPES:
        raise RobotFileError(
            "found {text!r}", kind, where=where, field="type", hint=Message("one of {kinds}", ", ".join(KNOWN_TYPES))
        )
    parent, child = (_attribute(_child(element, end, where), "link", where, end) for end in ("parent", "child"))
    parts, nothing = _Parts(), Fraction(0)
    free: Bounds = (None, None)
    at = parts.read("origin", lambda: _joint_frame(element, where), UrdfOrigin())
    axis = parts.read("axis", lambda: _axis(element, where, kind), ALONG_X)
    lower, upper = parts.read("limit", lambda: _limits(element, where, said if kind in RANGED else []), free)
    velocity, effort = parts.read("limit", lambda: _bounds(element, where, "velocity", "effort"), free)
    damping, friction = parts.read("dynamics", lambda: _dynamics(element, where), (nothing, nothing))
    mimic = parts.read("mimic", lambda: None if kind == "fixed" else _mimic(element, where), None)
    return UrdfJoint(
        name, kind, parent, child, at, axis, lower, upper, velocity, effort, damping, friction, mimic,
        tuple(parts.faults),
    )  # fmt: skip


def _joint_frame(joint: ET.Element, where: str) -> UrdfOrigin:
    _refuse_xacro_tags(joint, where)
    return _frame(joint, where, "origin")


def _limits(joint: ET.Element, where: str, said: list[str]) -> Bounds:
    lower, upper = _bounds(joint, where, "lower", "upper")
    if lower is not None and upper is not None and lower > upper:
        said.append(
            Message(
                "{where}: limit: lower {lower:g} is above upper {upper:g}; they are exchanged",
                where,
                float(lower),
                float(upper),
            )
        )
        return upper, lower
    return lower, upper


def _bounds(joint: ET.Element, where: str, one: str, other: str) -> Bounds:
    limit = joint.find("limit")
    return _bound(limit, one, where), _bound(limit, other, where)


def _dynamics(joint: ET.Element, where: str) -> tuple[Fraction, Fraction]:
    dynamics = joint.find("dynamics")
    return _optional(dynamics, "damping", where), _optional(dynamics, "friction", where)


def _axis(element: ET.Element, where: str, kind: str) -> Triple:
    axis = element.find("axis")
    direction = ALONG_X if axis is None else _triple(axis, "xyz", where, "axis", None)
    if kind in MOVING and not any(direction):
        raise RobotFileError("found a zero axis", where=where, field="axis", hint='a direction such as "0 0 1"')
    return direction


def _mimic(element: ET.Element, where: str) -> Mimic | None:
    mimic = element.find("mimic")
    if mimic is None:
        return None
    multiplier = _optional(mimic, "multiplier", where, Fraction(1))
    return Mimic(_attribute(mimic, "joint", where, "mimic"), multiplier, _optional(mimic, "offset", where))


def _frame(element: ET.Element, where: str, field: str) -> UrdfOrigin:
    origin = element.find("origin")
    if origin is None:
        return UrdfOrigin()
    if "quat_xyzw" in origin.attrib:
        raise RobotFileError("found quat_xyzw", where=where, field=field, hint="write the orientation as rpy")
    xyz, rpy = (_triple(origin, key, where, f"{field} {key}", NOWHERE) for key in ("xyz", "rpy"))
    return UrdfOrigin(xyz, (Num(rpy[0]), Num(rpy[1]), Num(rpy[2])))


def _triple(element: ET.Element, key: str, where: str, field: str, otherwise: Triple | None) -> Triple:
    if otherwise is not None and key not in element.attrib:
        return otherwise
    text = _attribute(element, key, where, field)
    parts = [number_from_text(part, where, field) for part in text.split()]
    if len(parts) != 3:
        raise RobotFileError("found {text!r}", text, where=where, field=field, hint='three numbers, as in "0 0 1"')
    return (parts[0], parts[1], parts[2])


def _child(element: ET.Element, tag: str, where: str) -> ET.Element:
    child = element.find(tag)
    if child is None:
        raise RobotFileError(
            "<{tag}> is missing", tag, where=where, field=tag, hint=Message("<{tag}> needs it", element.tag)
        )
    return child


def _attribute(element: ET.Element, key: str, where: str, field: str = "") -> str:
    text = (element.get(key) or "").strip()
    if not text:
        raise RobotFileError(
            "{key!r} is missing",
            key,
            where=where,
            field=field or key,
            hint=Message('<{tag} {key}="…"> must have it', element.tag, key),
        )
    if is_unexpanded(text):
        raise RobotFileError(
            "found {text!r}, xacro that has not been expanded", text[:60], where=where, field=field or key, hint=EXPAND
        )
    return text


def _number(element: ET.Element, key: str, where: str, field: str) -> Fraction:
    return number_from_text(_attribute(element, key, where, field), where, field)


def _optional(element: ET.Element | None, key: str, where: str, otherwise: Fraction = Fraction(0)) -> Fraction:
    if element is None or key not in element.attrib:
        return otherwise
    return _number(element, key, where, f"{element.tag} {key}")


def _bound(limit: ET.Element | None, key: str, where: str) -> Fraction | None:
    """A limit, None if it is missing. Of a pair, the one that is not written is zero, as the format has it."""
    pair = ("lower", "upper")
    if limit is not None and key in pair and key not in limit.attrib and {key, *limit.attrib} >= set(pair):
        return Fraction(0)
    if limit is None or key not in limit.attrib or _INFINITE.fullmatch(limit.attrib[key].strip()):
        return None
    value = _number(limit, key, where, f"limit {key}")
    return None if abs(value) >= NO_LIMIT else value


def number_from_text(text: str, where: str, field: str) -> Fraction:
    """The exact decimal as written."""
    if not _DECIMAL.fullmatch(text):
        raise RobotFileError(
            "found {text!r}", text[:60], where=where, field=field, hint="a decimal number such as 0.35"
        )
    try:
        return exact_number(Decimal(text))
    except RobotFileError as error:
        raise RobotFileError(error.problem, where=where, field=field, hint=error.hint) from None
