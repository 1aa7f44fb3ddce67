"""Fixed tendons, couplings and the mechanics of actuators: what they add to the joints is a constant linear map, and
so exact.

The length of a fixed tendon is L = Σ c q of the joints it runs over. Its armature, damping and friction act on L̇:

    τ = cᵀ (armature·L̈ + damping·L̇ + frictionloss·sign L̇),   L̇ = c q̇

which is a joint without a body that follows those joints: a row of its own. An actuator has armature and damping
behind its gear: g² of them at its joint, or at its tendon. Source: the MuJoCo documentation, XML Reference (`tendon`,
`actuator`). Springs of tendons, and forces along tendons in space, no model has.

An equality of two joints couples what they are away from the file's own pose, q1 − ref1 = a0 + a1 (q2 − ref2): the
first follows the second. A polynomial of higher degree, and one that holds a joint still, no coordinate can say.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from manipula.errors import RobotFileError
from manipula.mechanics.robot.coordinates import Coordinate
from manipula.mechanics.robot.description import BASE, SIX, Body, Joint, RobotDescription, actuator_of, cell_with_value
from manipula.mechanics.robot.formats.mjcf.settings import MAIN, Settings, numbers, single
from manipula.mechanics.robot.formats.urdf.xml import Fault, Mimic, UrdfJoint
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.topology import has_tool
from manipula.mechanics.robot.values.parameter import Num
from manipula.messages import Message

_ZERO = Fraction(0)
_JOINED = ("body", "site", "tendon", "fle", "joint")  # body1, body2, …, flex: between what an equality stands
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


Couplings = dict[str, tuple[str, list[Fraction]]]  # joint → what it follows, and the coefficients a0, a1, …


def couplings_from(root: ET.Element, settings: Settings, told: dict[str, list[str]]) -> Couplings:
    """What joints follow; of other equalities, and of those that hold a joint once more, `told` gets the names."""
    found: Couplings = {}
    for element in root.iterfind("equality/*"):
        if settings.attributes(element, MAIN, "equality").get("active", "true") == "false":
            continue
        name = element.get("joint1", "") if element.tag == "joint" else ""
        if name and name not in found:
            polynomial = numbers(element.attrib, "polycoef", Message("joint {name!r}", name)) or [_ZERO, Fraction(1)]
            found[name] = (element.get("joint2", ""), [*polynomial, _ZERO, _ZERO])
        else:
            ends = [value for key, value in element.attrib.items() if key[:-1] in _JOINED]
            told.setdefault("equalities", []).append(f"<{element.tag}> {' and '.join(ends)}")
    return found


def mimic_of(name: str, couplings: Couplings) -> tuple[Mimic | None, tuple[Fault, ...]]:
    """What a joint follows. It is a fault, where the joint is needed, that no coordinate can say it."""
    if name not in couplings:
        return None, ()
    other, (start, slope, *rest) = couplings[name]
    if not any(rest) and other:
        return Mimic(other, slope, start), ()
    told = Message("an equality couples it to joint {other!r} by a polynomial", other)
    hint = Message("give the position where it stands still in locked=")
    where = Message("joint {name!r}", name)
    error = RobotFileError(told if other else Message("an equality holds it"), where=where, field="equality", hint=hint)
    return None, (Fault("mimic", error),)


def couple_joints(joints: dict[str, UrdfJoint], couplings: Couplings) -> dict[str, UrdfJoint]:
    """The joints with their mimics between coordinates, in place of what these are away from the references."""
    _refuse_unknown((name for name in couplings if name not in joints), joints, Message("<equality>"), "joint1")

    def away(joint: UrdfJoint) -> UrdfJoint:
        mimic = joint.mimic
        if mimic is None or mimic.joint not in joints:
            return joint
        start = joint.reference - mimic.multiplier * joints[mimic.joint].reference
        return replace(joint, mimic=replace(mimic, offset=mimic.offset + start))

    return {name: away(joint) for name, joint in joints.items()}


def _refuse_unknown(names: Iterable[str], joints: Collection[str], where: str, field: str) -> None:
    if (odd := next(iter(names), None)) is not None:
        known = Message("one of {kinds}", ", ".join(joints))
        raise RobotFileError("found {text!r}", odd, where=where, field=field, hint=known)


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
        unknown = (name for name, _ in tendon.factors if name not in joints)
        _refuse_unknown(unknown, joints, Message("tendon {name!r}", tendon.name), "joint")
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
