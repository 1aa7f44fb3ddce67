"""URDF text → links and joints as data, every number exact, every mistake met here.

Where the format leaves room this follows the reference parser: the first of repeated elements counts, a missing
origin is the identity, a missing axis is x. Meshes and colours are not read.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.source import checked_text

Triple = tuple[Fraction, Fraction, Fraction]
NOWHERE: Triple = (Fraction(0), Fraction(0), Fraction(0))
MOVING = ("revolute", "continuous", "prismatic")
KNOWN_TYPES = (*MOVING, "fixed", "floating", "planar")
NO_LIMIT = 10**9  # a bound this large (rad, m, N·m …) says that there is none; the writer uses it where URDF wants one
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_PAIRS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


@dataclass(frozen=True)
class Frame:
    """An `<origin>`."""

    xyz: Triple = NOWHERE
    rpy: Triple = NOWHERE


@dataclass(frozen=True)
class UrdfInertial:
    at: Frame
    mass: Fraction
    tensor: tuple[Fraction, ...]  # xx xy xz yy yz zz


@dataclass(frozen=True)
class UrdfLink:
    name: str
    inertial: UrdfInertial | None


@dataclass(frozen=True)
class Mimic:
    joint: str
    multiplier: Fraction
    offset: Fraction


@dataclass(frozen=True)
class UrdfJoint:
    name: str
    type: str
    parent: str
    child: str
    at: Frame
    axis: Triple
    lower: Fraction | None
    upper: Fraction | None
    velocity: Fraction | None
    effort: Fraction | None
    damping: Fraction
    friction: Fraction
    mimic: Mimic | None

    @property
    def moves(self) -> bool:
        return self.type != "fixed"


@dataclass(frozen=True)
class UrdfFile:
    name: str
    links: dict[str, UrdfLink]
    joints: dict[str, UrdfJoint]


Named = TypeVar("Named", UrdfLink, UrdfJoint)


def urdf_from_text(text: str) -> UrdfFile:
    """Everything the file says about mechanics."""
    root = _root(text)
    links = _by_name((_link(element) for element in root.findall("link")), "link")
    joints = _by_name((_joint(element) for element in root.findall("joint")), "joint")
    if not links:
        raise RobotFileError("the file has no <link>", hint="a robot needs links and joints")
    for joint in joints.values():
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                raise RobotFileError(
                    f"found link {name!r}, which is not in the file",
                    where=f"joint {joint.name!r}",
                    field=end,
                    hint=f"known links: {', '.join(links)}",
                )
    return UrdfFile(root.get("name") or "robot", links, joints)


def _root(text: str) -> ET.Element:
    text = checked_text(text)
    if re.search(r"<!\s*(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise RobotFileError("found a DOCTYPE or ENTITY declaration", hint="remove it: URDF needs none")
    try:
        root = ET.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))  # the text is decoded already
    except ET.ParseError as error:
        hint = "expand it with xacro first" if "xacro:" in text else "URDF is an XML file that starts with <robot>"
        raise RobotFileError(f"this is not well-formed XML: {error}", hint=hint) from error
    _refuse_xacro(root)
    for element in root.iter():
        element.tag = str(element.tag).rpartition("}")[2]  # some tools put the whole file into a namespace
    if root.tag != "robot":
        raise RobotFileError(f"found <{root.tag}> at the top", hint="a URDF file starts with <robot name=…>")
    return root


def _refuse_xacro(root: ET.Element) -> None:
    for element in root.iter():
        tag = str(element.tag)
        if "xacro" in tag or any("${" in value or "$(" in value for value in element.attrib.values()):
            raise RobotFileError(
                f"found xacro that has not been expanded, at <{tag.rpartition('}')[2]}>",
                hint="run `xacro robot.xacro > robot.urdf` first and load its result",
            )


def _by_name(items: Iterator[Named], kind: str) -> dict[str, Named]:
    found: dict[str, Named] = {}
    for item in items:
        if item.name in found:
            raise RobotFileError(
                f"two {kind}s have this name",
                where=f"{kind} {item.name!r}",
                field="name",
                hint=f"every {kind} needs a name of its own",
            )
        found[item.name] = item
    return found


def _link(element: ET.Element) -> UrdfLink:
    name = _attribute(element, "name", "a link")
    inertial = element.find("inertial")
    return UrdfLink(name, None if inertial is None else _inertial(inertial, f"link {name!r}"))


def _inertial(element: ET.Element, where: str) -> UrdfInertial:
    mass = _number(_child(element, "mass", where), "value", where, "mass")
    if mass < 0:
        raise RobotFileError(f"found {float(mass)}", where=where, field="mass", hint="a mass cannot be negative")
    tensor = _child(element, "inertia", where)
    entries = tuple(_number(tensor, pair, where, f"inertia {pair}") for pair in _PAIRS)
    return UrdfInertial(_frame(element, where, "inertial origin"), mass, entries)


def _joint(element: ET.Element) -> UrdfJoint:
    name = _attribute(element, "name", "a joint")
    where = f"joint {name!r}"
    kind = _attribute(element, "type", where)
    if kind not in KNOWN_TYPES:
        raise RobotFileError(f"found {kind!r}", where=where, field="type", hint=f"one of {', '.join(KNOWN_TYPES)}")
    parent, child = (_attribute(_child(element, end, where), "link", where, end) for end in ("parent", "child"))
    limit, dynamics = element.find("limit"), element.find("dynamics")
    lower, upper = (_bound(limit, key, where) for key in ("lower", "upper"))
    if lower is not None and upper is not None and lower > upper:
        raise RobotFileError(
            f"found lower {float(lower)} above upper {float(upper)}",
            where=where,
            field="limit",
            hint="lower must not exceed upper",
        )
    return UrdfJoint(
        name,
        kind,
        parent,
        child,
        _frame(element, where, "origin"),
        _axis(element, where, kind),
        lower,
        upper,
        _bound(limit, "velocity", where),
        _bound(limit, "effort", where),
        _optional(dynamics, "damping", where),
        _optional(dynamics, "friction", where),
        _mimic(element, where),
    )


def _axis(element: ET.Element, where: str, kind: str) -> Triple:
    axis = element.find("axis")
    direction = (Fraction(1), Fraction(0), Fraction(0)) if axis is None else _triple(axis, "xyz", where, "axis", None)
    if kind in MOVING and not any(direction):
        raise RobotFileError("found a zero axis", where=where, field="axis", hint='a direction such as "0 0 1"')
    return direction


def _mimic(element: ET.Element, where: str) -> Mimic | None:
    mimic = element.find("mimic")
    if mimic is None:
        return None
    multiplier = _optional(mimic, "multiplier", where, Fraction(1))
    return Mimic(_attribute(mimic, "joint", where, "mimic"), multiplier, _optional(mimic, "offset", where))


def _frame(element: ET.Element, where: str, field: str) -> Frame:
    origin = element.find("origin")
    if origin is None:
        return Frame()
    return Frame(*(_triple(origin, key, where, f"{field} {key}", NOWHERE) for key in ("xyz", "rpy")))


def _triple(element: ET.Element, key: str, where: str, field: str, otherwise: Triple | None) -> Triple:
    if otherwise is not None and key not in element.attrib:
        return otherwise
    text = _attribute(element, key, where, field)
    parts = [number_from_text(part, where, field) for part in text.split()]
    if len(parts) != 3:
        raise RobotFileError(f"found {text!r}", where=where, field=field, hint='three numbers, as in "0 0 1"')
    return (parts[0], parts[1], parts[2])


def _child(element: ET.Element, tag: str, where: str) -> ET.Element:
    child = element.find(tag)
    if child is None:
        raise RobotFileError(f"<{tag}> is missing", where=where, field=tag, hint=f"<{element.tag}> needs it")
    return child


def _attribute(element: ET.Element, key: str, where: str, field: str = "") -> str:
    text = (element.get(key) or "").strip()
    if not text:
        raise RobotFileError(
            f"{key!r} is missing", where=where, field=field or key, hint=f'<{element.tag} {key}="…"> must have it'
        )
    return text


def _number(element: ET.Element, key: str, where: str, field: str) -> Fraction:
    return number_from_text(_attribute(element, key, where, field), where, field)


def _optional(element: ET.Element | None, key: str, where: str, otherwise: Fraction = Fraction(0)) -> Fraction:
    if element is None or key not in element.attrib:
        return otherwise
    return _number(element, key, where, f"{element.tag} {key}")


def _bound(limit: ET.Element | None, key: str, where: str) -> Fraction | None:
    """A limit, None if there is none. Of a pair, the one that is not written is zero, as the format has it."""
    if limit is not None and key not in limit.attrib and {key, *limit.attrib} >= {"lower", "upper"}:
        return Fraction(0)
    if limit is None or key not in limit.attrib or _INFINITE.fullmatch(limit.attrib[key].strip()):
        return None
    value = _number(limit, key, where, f"limit {key}")
    return None if abs(value) >= NO_LIMIT else value


def number_from_text(text: str, where: str, field: str) -> Fraction:
    """The exact decimal as written."""
    if not _DECIMAL.fullmatch(text):
        raise RobotFileError(f"found {text[:60]!r}", where=where, field=field, hint="a decimal number such as 0.35")
    return Fraction(text)
