"""Fixed tendons and the mechanics of actuators: what they add to the joints is a constant linear map, and so exact.

The length of a fixed tendon is L = Σ c q of the joints it runs over. Its armature, damping and friction act on L̇:

    τ = cᵀ (armature·L̈ + damping·L̇ + frictionloss·sign L̇),   L̇ = c q̇

which is a joint without a body that follows those joints: a row of its own. An actuator has armature and damping
behind its gear: g² of them at its joint, or at its tendon. Source: the MuJoCo documentation, XML Reference (`tendon`,
`actuator`). Springs of tendons, and forces along tendons in space, no model has.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from manipula.errors import RobotFileError
from manipula.mechanics.robot.coordinates import Coordinate
from manipula.mechanics.robot.description import BASE, SIX, Body, Joint, RobotDescription, actuator_of, cell_with_value
from manipula.mechanics.robot.formats.mjcf.settings import MAIN, Settings, numbers, single
from manipula.mechanics.robot.formats.urdf.xml import UrdfJoint
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.topology import has_tool
from manipula.mechanics.robot.values.parameter import Num
from manipula.messages import Message

_ENDS = ("joint", "jointinparent", "tendon")  # where an actuator may pull, as far as it can be read


@dataclass(frozen=True)
class Tendon:
    """A fixed tendon: its factors by joint, and what resists its motion."""

    name: str
    factors: tuple[tuple[str, Fraction], ...]
    armature: Fraction
    damping: Fraction
    friction: Fraction

    @property
    def resists(self) -> bool:
        return bool(self.armature or self.damping or self.friction)


def tendons_from(root: ET.Element, settings: Settings, told: dict[str, list[str]]) -> dict[str, Tendon]:
    """The fixed tendons by name; of what is not read of others `told` gets the names, by what it is."""
    found: dict[str, Tendon] = {}
    for number, element in enumerate(root.iterfind("tendon/*"), 1):
        name = element.get("name") or f"tendon{number}"
        given = settings.attributes(element, MAIN)
        if any(numbers(given, "stiffness", name)):
            told.setdefault("tendon springs", []).append(name)
        resists = any(any(numbers(given, key, name)) for key in ("armature", "damping", "frictionloss"))
        if element.tag != "fixed":
            if resists:
                told.setdefault("tendons", []).append(name)
            continue
        factors: dict[str, Fraction] = {}
        for part in element.iterfind("joint"):
            joint = part.get("joint", "")
            factors[joint] = factors.get(joint, Fraction(0)) + single(
                part.attrib, "coef", Message("tendon {name!r}", name)
            )
        where = Message("tendon {name!r}", name)
        armature, damping, friction = (single(given, key, where) for key in ("armature", "damping", "frictionloss"))
        found[name] = Tendon(name, tuple(factors.items()), armature, damping, friction)
    return found


def add_actuators(
    root: ET.Element,
    settings: Settings,
    joints: dict[str, UrdfJoint],
    tendons: dict[str, Tendon],
    told: dict[str, list[str]],
) -> None:
    """Armature and damping of the actuators, put where these pull."""
    for number, element in enumerate(root.iterfind("actuator/*"), 1):
        given = settings.attributes(element, MAIN)
        name = element.get("name") or str(number)
        where = Message("actuator {name!r}", name)
        armature, damping = single(given, "armature", where), single(given, "damping", where)
        if not armature and not damping:
            continue
        gear = (numbers(given, "gear", where) or [Fraction(1)])[0]
        at = next((given[end] for end in _ENDS if end in given), "")
        more = {"armature": gear * gear * armature, "damping": gear * gear * damping}
        if "tendon" in given and at in tendons:
            tendons[at] = replace(tendons[at], **{key: getattr(tendons[at], key) + x for key, x in more.items()})
        elif "tendon" not in given and at in joints:
            joints[at] = replace(joints[at], **{key: getattr(joints[at], key) + x for key, x in more.items()})
        else:
            told.setdefault("actuators", []).append(name)


def with_tendons(robot: RobotDescription, tendons: Iterable[Tendon], joints: dict[str, UrdfJoint]) -> RobotDescription:
    """The robot with a row for every tendon that resists: a joint that follows, without a body."""
    for tendon in tendons:
        odd = next((name for name, _ in tendon.factors if name not in joints), None)
        if odd is not None:
            known_joints = ", ".join(joints)
            raise RobotFileError(
                "found {text!r}",
                odd,
                where=Message("tendon {name!r}", tendon.name),
                field="joint",
                hint=Message("one of {kinds}", known_joints),
            )
        if tendon.resists and (terms := _terms(robot, tendon)):
            robot = _with_row(robot, tendon, Coordinate(terms))
    return robot


def _terms(robot: RobotDescription, tendon: Tendon) -> tuple[tuple[str, Fraction], ...]:
    """The tendon's factors by coordinate: a joint that is locked moves nothing, one that follows hands on."""
    moving = Coordinate(tuple(term for term in tendon.factors if term[0] in robot.coordinates.joints))
    whole = moving.through({joint.name: joint.coordinate for joint in robot.joints if joint.coordinate})
    return tuple(term for term in whole.terms if term[1])


def _with_row(robot: RobotDescription, tendon: Tendon, coordinate: Coordinate) -> RobotDescription:
    taken, name = {joint.name for joint in robot.joints}, tendon.name
    while name in taken:
        name += "_tendon"
    tool = robot.joints[robot.tool_row].name if has_tool(robot) else robot.tool_on

    def row(end: str) -> Joint:
        x, y, z = (cell_with_value(f"r{axis}{end}") for axis in "xyz")
        xx, xy, xz, yy, yz, zz = (cell_with_value(f"I{pair}{end}") for pair in SIX)
        body = Body(cell_with_value(f"m{end}"), (x, y, z), "com", (xx, xy, xz, yy, yz, zz), "com")
        given = {"Ia": Num(tendon.armature), "fv": Num(tendon.damping), "fc": Num(tendon.friction)}
        return Joint(
            name, "prismatic", (), cell_with_value(f"offset{end}"), 1, (), body, actuator_of(end, **given),
            parent=BASE, coordinate=coordinate,
        )  # fmt: skip

    longer = replace(robot, joints=(*robot.joints, row("")), tool_on=tool)
    return replace(longer, joints=(*robot.joints, row(suffixes_of(longer).rows[-1])))
