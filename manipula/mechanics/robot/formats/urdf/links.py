"""Robot → the links and joints a URDF has, as data, from any convention, when every parameter has a value.

A URDF joint turns about an axis through the origin of its link frame. Where the table's link frame lies there (tables
that were URDF) it is kept; elsewhere the link frame is put on the joint, and what stood after it before the next.
Numbers are decimals of seventeen digits, as the file will have them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from manipula.errors import InputError
from manipula.mechanics.robot.bodies import about_origin
from manipula.mechanics.robot.coordinates import Coordinate
from manipula.mechanics.robot.description import BASE, Body, Joint, Mounted, RobotDescription
from manipula.mechanics.robot.exact import parameter_of
from manipula.mechanics.robot.formats.source import refuse_kinds
from manipula.mechanics.robot.formats.urdf.tree import choose_tip, tree_from_urdf
from manipula.mechanics.robot.formats.urdf.xml import (
    ALONG_X,
    NO_LIMIT,
    Mimic,
    Triple,
    UrdfFile,
    UrdfInertial,
    UrdfJoint,
    UrdfLink,
    UrdfOrigin,
)
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.precise import MP, PRECISE, everything_in, placement, precise, rpy_of, values_of
from manipula.mechanics.robot.suffixes import suffixes_of
from manipula.mechanics.robot.topology import base_body, has_tool
from manipula.mechanics.robot.values.parameter import Num, Parameter
from manipula.mechanics.spatial.inertia import InertiaTensor, RigidBody
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import Vector, scale, unrotate
from manipula.messages import Message

DIGITS = 17  # enough to give every float back
ACTUATOR = {"fv": "damping", "fc": "friction"}  # the letters of what the format can hold of an actuator
NOISE = MP.mpf(10) ** -25
CLOSE = MP.mpf(10) ** -15
ENTRIES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # of a tensor: xx xy xz yy yz zz
LEVEL = (Num(Fraction(0)), Num(Fraction(0)), Num(Fraction(0)))


def links_from_robot(robot: RobotDescription) -> UrdfFile:
    """What a URDF says of the robot."""
    refuse_kinds(robot, "urdf", "URDF")
    return _Describer(robot).describe()


def decimal(x: Any) -> Fraction:
    """The number as a decimal of seventeen digits; noise is zero."""
    return Fraction(0) if abs(x) < NOISE else Fraction(MP.nstr(MP.mpf(x), DIGITS))


class _Describer:
    def __init__(self, robot: RobotDescription) -> None:
        self.robot = robot
        self.values: Mapping[str, Any] = values_of(robot, Message("a URDF"), everything_in(robot))
        self.links: dict[str, UrdfLink] = {}
        self.joints: dict[str, UrdfJoint] = {}
        self.fixed: dict[str, tuple[str, Placement]] = {}  # links held by another: by which, and where
        self.names = {joint.name for joint in robot.joints}
        self.suffixes = suffixes_of(robot)
        held = (*(x.name for joint in robot.joints for x in joint.carries), *(x.name for x in robot.ground))
        own = (robot.origin.base_link, *(joint.link for joint in robot.joints), *(x.name for x in robot.frames))
        self.given = {*own, *held}
        self.rows = {-1: robot.origin.base_link or self.unused_name("link0")}
        for row, joint in enumerate(robot.joints):
            free = joint.link not in ("", *self.rows.values()) and self.keeps_frame(joint)
            self.rows[row] = joint.link if free else self.unused_name(f"link{row + 1}")

    def keeps_frame(self, joint: Joint) -> bool:
        """Whether the frame of its link is where a URDF has one: on the joint, or turned there as the file has it."""
        after = placement(joint.after, self.values)
        return self.is_turned(joint, after) or _near(after, HERE)

    def is_turned(self, joint: Joint, after: Placement) -> bool:
        return joint.kind == "fixed" or (self.robot.origin.convention == "urdf" and not any(after.p))

    def unused_name(self, name: str) -> str:
        """A name made here, that neither a joint nor a link of the robot has: readers look both up in one table."""
        while any(name in taken for taken in (self.names, self.given, self.links, self.joints)):
            name += "_"
        return name

    def describe(self) -> UrdfFile:
        self.add_base()
        gaps = {-1: HERE}  # by row: what is between its link frame and that of the table
        for index, (joint, on) in enumerate(zip(self.robot.joints, self.robot.parents)):
            gaps[index] = self.add_row(index, joint, on, gaps[on])
        rows = {BASE: -1} | {joint.name: row for row, joint in enumerate(self.robot.joints)}
        for frame in self.robot.frames:
            row = rows[frame.on]
            self.add_frame(frame.name, self.rows[row], gaps[row] @ placement(frame.at, self.values))
        last = self.rows[self.robot.tool_row]
        at = gaps[self.robot.tool_row] @ placement(self.robot.tool, self.values)
        for body, suffix in zip(self.robot.payload, self.suffixes.payload):
            self.add_held(self.unused_name(suffix.removeprefix("_")), last, at, body)
        self.join_held()
        self.add_tool(last, at)
        return UrdfFile(self.robot.name, self.links, self.in_order())

    def add_base(self) -> None:
        """The first link, below a link of the world if it does not stand there; it holds what is fixed to the base."""
        first, own = self.rows[-1], base_body(self.robot)
        moving, at = self.robot.moving, placement(self.robot.base, self.values)
        if self.robot.base or moving:
            world = self.unused_name("world")
            self.add_link(world, None)
        if self.robot.base and not moving:
            self.add_held(first, world, at, own)
        else:
            self.add_link(first, None if own is None else self.inertia(own))
        if moving:
            self.add_joint(self.unused_name(f"{first}_joint"), "floating", world, first, at)
        for mounted, suffix in zip(self.robot.ground, self.suffixes.ground):
            if mounted.body is not own:
                self.add_held(
                    self.mounted_link(mounted, suffix), first, placement(mounted.at, self.values), mounted.body
                )

    def mounted_link(self, mounted: Mounted, suffix: str) -> str:
        """The link of a body that another one holds: what the file calls it, or the ending of its names."""
        return mounted.name if mounted.name not in ("", *self.links) else self.unused_name(suffix.removeprefix("_"))

    def add_row(self, index: int, joint: Joint, on: int, gap: Placement) -> Placement:
        """One row; returns what is between this link frame and the rows on it."""
        parent, child = self.rows[on], self.rows[index]
        offset = precise(joint.offset.parameter, self.values)
        foot = gap @ placement(joint.before, self.values) @ KINDS[joint.kind].motion(offset, PRECISE)
        after = placement(joint.after, self.values)
        kept = self.is_turned(joint, after)
        at, rest = (foot @ after, HERE) if kept else (foot, after)
        axis = unrotate(after.R, (0, 0, joint.direction)) if kept else (0, 0, joint.direction)
        motion = {"axis": _triple(axis), "mimic": self.mimic(joint), **self.drive(joint)}
        self.add_joint(joint.name, self.kind(joint), parent, child, at, **({} if joint.kind == "fixed" else motion))
        body = None if joint.body is None else self.inertia(joint.body).seen_from(rest)
        self.add_link(child, body)
        if joint.link and not self.keeps_frame(joint) and joint.link not in self.fixed:
            self.add_held(joint.link, child, rest)  # what the file calls the link is where the file has it
        for mounted, suffix in zip(joint.carries, self.suffixes.carried[index]):
            at = rest @ placement(mounted.at, self.values)
            self.add_held(self.mounted_link(mounted, suffix), child, at, mounted.body)
        return rest

    def add_tool(self, last: str, at: Placement) -> None:
        """A frame at the tool, where readers would not find it by themselves; a load stands before it."""
        if not self.robot.payload and not has_tool(self.robot):
            return
        chosen = choose_tip(tree_from_urdf(UrdfFile("", self.links, self.joints)), next(iter(self.links)), [], [])
        if chosen not in (last, *self.given) or not self.stands_at(chosen, last, at):
            load = next((name for name in reversed(self.fixed) if self.robot.payload), last)
            name = self.unused_name("tool0")
            self.add_link(name, None)
            self.add_joint(self.unused_name(f"{name}_joint"), "fixed", load, name, at if load == last else HERE)

    def stands_at(self, name: str, parent: str, at: Placement) -> bool:
        """Whether a link is there already: the parent itself, or one that it holds at this place."""
        if name == parent:
            return _near(at, HERE)
        on, there = self.fixed.get(name, ("", HERE))
        return on == parent and _near(at, there)

    def add_frame(self, name: str, parent: str, at: Placement) -> None:
        """A frame by name; it may be a link already."""
        if not self.stands_at(name, parent, at):
            self.add_held(name if name not in self.links else self.unused_name(name), parent, at)

    def add_held(self, name: str, parent: str, at: Placement, body: Body | None = None) -> None:
        """A link fixed to another."""
        self.fixed[name] = parent, at
        self.add_link(name, None if body is None else self.inertia(body))

    def join_held(self) -> None:
        """The fixed joints. Readers of trees take every link at which something ends for a frame: any other body
        stands between its link and such a link, where there is one."""
        frames, before = {frame.name for frame in self.robot.frames}, dict[str, str]()
        for name in sorted(self.fixed, key=lambda name: name in frames):
            parent, at = self.fixed[name]
            on, ends = parent, [x for x, (holder, _) in self.fixed.items() if holder == parent and x in frames]
            if ends and name in (ends[0], *(x for x in self.fixed if x not in frames)):
                on = before.get(parent, parent)
                before[parent] = name
            there = self.fixed[on][1].inverse() @ at if on != parent else at
            self.add_joint(self.unused_name(f"{name}_joint"), "fixed", on, name, there)

    def in_order(self) -> dict[str, UrdfJoint]:
        """The joints so that readers, who go branch by branch, find rows and frames in the robot's order."""
        first = dict.fromkeys(self.links, len(self.robot.frames))  # of the frames on a link and beyond
        first |= {frame.name: place for place, frame in enumerate(self.robot.frames) if frame.name in self.links}
        below: dict[str, list[UrdfJoint]] = {}
        for joint in reversed(self.joints.values()):  # parents come first
            first[joint.parent] = min(first[joint.parent], first[joint.child])
            below.setdefault(joint.parent, []).insert(0, joint)
        found: dict[str, UrdfJoint] = {}
        for joints in below.values():
            keys, latest = dict[str, int](), 0
            for joint in joints:
                row = joint.name in self.names
                latest = max(latest, first[joint.child]) if row else latest
                keys[joint.name] = latest if row else first[joint.child]
            found |= {joint.name: joint for joint in sorted(joints, key=lambda joint: keys[joint.name])}
        return found

    def kind(self, joint: Joint) -> str:
        return "continuous" if KINDS[joint.kind].pivots and joint.limits is None else KINDS[joint.kind].formats["urdf"]

    def add_joint(self, name: str, kind: str, parent: str, child: str, at: Placement, **motion: object) -> None:
        """A joint, fixed where nothing is said of its motion."""
        still: dict[str, Any] = dict.fromkeys(("lower", "upper", "velocity", "effort", "mimic"))
        zero = {"axis": ALONG_X, "damping": Fraction(0), "friction": Fraction(0)}
        self.joints[name] = UrdfJoint(name, kind, parent, child, _frame(at), **{**still, **zero, **motion})

    def drive(self, joint: Joint) -> dict[str, Fraction | None]:
        """Limits, damping and friction."""
        lower, upper = (None, None) if joint.limits is None else map(self.limit_value, joint.limits)
        held = {key: joint.actuator[letters] for letters, key in ACTUATOR.items()}
        given = {key: decimal(precise(cell.parameter, self.values)) for key, cell in held.items()}
        bounds = {"velocity": self.limit_value(joint.velocity_limit), "effort": self.limit_value(joint.effort_limit)}
        return {"lower": lower, "upper": upper, **bounds, **given}

    def limit_value(self, value: Parameter | None) -> Fraction | None:
        """None where it is missing: so says the format of a very large one, too."""
        found = None if value is None else decimal(precise(value, self.values))
        return None if found is None or abs(found) >= NO_LIMIT else found

    def mimic(self, joint: Joint) -> Mimic | None:
        match joint.coordinate:
            case None:
                return None
            case Coordinate(((other, factor),), constant, degrees):
                offset = PRECISE.number(constant) + PRECISE.degrees(degrees)
                return Mimic(other, decimal(PRECISE.number(factor)), decimal(offset))
            case _:
                raise InputError(
                    "{name}: joint {name2!r} follows several joints; URDF knows one", self.robot.name, joint.name
                )

    def inertia(self, body: Body) -> RigidBody:
        """Mass, first moments and tensor about the origin, to fifty digits."""
        tree = about_origin(body)
        x, y, z = (precise(parameter_of(part), self.values) for part in tree.s)
        a, b, c = (tuple(precise(parameter_of(part), self.values) for part in row) for row in tree.I)
        tensor = InertiaTensor((_three(a), _three(b), _three(c)))
        return RigidBody(precise(parameter_of(tree.m), self.values), (x, y, z), tensor)

    def add_link(self, name: str, body: RigidBody | None) -> None:
        if name in self.links:
            raise InputError(
                "{name}: two links of a URDF would be called {own!r}; rename a frame", self.robot.name, name
            )
        self.links[name] = UrdfLink(name, None if body is None else self.inertial(name, body))

    def inertial(self, name: str, body: RigidBody) -> UrdfInertial | None:
        """About the centre of mass; None of a body of nothing."""
        if not (body.m or any(body.s) or any(map(any, body.I))):
            return None
        if not body.m and any(body.s):
            raise InputError(
                "{name}: {name2} has first moments but no mass, which URDF cannot hold", self.robot.name, name
            )
        centre = scale(1 / body.m, body.s) if body.m else body.s
        tensor = body.shift(scale(-1, centre)).I
        entries = tuple(decimal(tensor[i][j]) for i, j in ENTRIES)
        return UrdfInertial(UrdfOrigin(_triple(centre), LEVEL), decimal(body.m), entries)


def _near(one: Placement, other: Placement) -> bool:
    """The same place to what twenty decimals leave of it."""
    parts: Any = zip((*one.p, *(x for row in one.R for x in row)), (*other.p, *(x for row in other.R for x in row)))
    return all(abs(x - y) < CLOSE for x, y in parts)


def _frame(at: Placement) -> UrdfOrigin:
    return UrdfOrigin(_triple(at.p), _angles(rpy_of(at.R)))


def _three(row: tuple[Any, ...]) -> Vector:
    return (row[0], row[1], row[2])


def _triple(vector: Vector) -> Triple:
    x, y, z = map(decimal, vector)
    return (x, y, z)


def _angles(rpy: Vector) -> tuple[Num, Num, Num]:
    roll, pitch, yaw = (Num(decimal(x)) for x in rpy)
    return (roll, pitch, yaw)
