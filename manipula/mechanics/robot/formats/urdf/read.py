"""URDF → Robot: the chain from base to tip, joint by joint, what hangs beside it locked and carried along; or, where
several chains move and no tip is named, all of them, with a frame at the end of each.

Every joint becomes (origin, and a turn that brings z onto the axis) · motion · (the turn back), so the frame after a
joint is the URDF link frame, where its inertia is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from manipula.errors import RobotFileError, caution, some_of
from manipula.mechanics.robot import joints
from manipula.mechanics.robot.actuator import Actuator
from manipula.mechanics.robot.bodies import move_body
from manipula.mechanics.robot.description import (
    BASE,
    Body,
    Cell,
    Joint,
    JointKind,
    Mounted,
    Origin,
    RobotDescription,
    Step,
    StepKind,
    Steps,
    actuator_of,
    cell_with_value,
)
from manipula.mechanics.robot.description import Frame as NamedFrame
from manipula.mechanics.robot.exact import inverse_of
from manipula.mechanics.robot.formats.checks import warn_of_odd
from manipula.mechanics.robot.formats.rows import placement_from_steps, toward_axis
from manipula.mechanics.robot.formats.snap_to_exact import Structure, finish_reading
from manipula.mechanics.robot.formats.source import errors_of
from manipula.mechanics.robot.formats.urdf import light
from manipula.mechanics.robot.formats.urdf.tree import (
    PARTS,
    Locks,
    UrdfTree,
    base_motion,
    choose_tip,
    coordinate_of,
    moving_links,
    parent_row,
    refuse_kinds,
    refuse_tip,
    refuse_what_is_used,
    tree_from_urdf,
    with_followers,
)
from manipula.mechanics.robot.formats.urdf.xml import (
    Angles,
    Triple,
    UrdfFile,
    UrdfInertial,
    UrdfJoint,
    UrdfOrigin,
    refuse_faults,
    urdf_from_text,
)
from manipula.mechanics.robot.locks import with_locks
from manipula.mechanics.robot.precise import round_to_decimal
from manipula.mechanics.robot.suffixes import CARRIED, Suffixes
from manipula.mechanics.robot.topology import refuse_massless_base
from manipula.mechanics.robot.values.parameter import ZERO, Num, Parameter, number
from manipula.messages import Message, in_front

GRAVITY = (Fraction(0), Fraction(0), Fraction("-9.81"))
KINDS: dict[str, JointKind] = {
    "continuous": "revolute",
    **{kind.formats["urdf"]: kind.name for kind in joints.KINDS.values() if "urdf" in kind.formats},
}


def robot_from_urdf(
    text: str,
    *,
    base: str | None = None,
    tip: str | None = None,
    exact: bool = False,
    file: str = "",
    locked: Mapping[str, float] | None = None,
) -> RobotDescription:
    """The serial arm between two links of a URDF, or without a tip all that moves below its base. Joints beside it
    stand still where `locked` says, else at zero. A `floating` joint at the root, or base="free", is a base that moves.

    Angles and lengths are read as `structure` says, and reported; `exact` keeps them as written.
    """
    said: list[str] = []
    with errors_of(file):
        links = urdf_from_text(text, said)
    given = {"base": base, "tip": tip, "exact": exact, "file": file, "locked": locked}
    robot = robot_from_links(links, said, "urdf", GRAVITY, **given)  # type: ignore[arg-type]
    warn_of_odd(robot)
    visuals = Path(file).name if file and "<visual" in text else ""
    return replace(robot, origin=replace(robot.origin, visuals=visuals))


def robot_from_links(
    links: UrdfFile,
    said: list[str],
    form: str,
    gravity: Triple,
    *,
    base: str | None,
    tip: str | None,
    exact: bool,
    file: str,
    locked: Mapping[str, float] | None,
) -> RobotDescription:
    """The robot of links and joints, whatever file described them; `said` are sentences to warn with."""
    with errors_of(file):
        tree = tree_from_urdf(links)
        reader = _Reader(tree, Structure(exact, links.likely), list(links.notes))
        moving = base_motion(tree, base)
        rest = moving.joint if moving else None
        start = moving.link if moving else tree.link(base, tree.root)
        if moving and tip is not None:
            refuse_tip(tip, start)
        end = "" if moving else tree.link(tip, "") or choose_tip(tree, start, reader.notes, said)
        given = with_followers(tree.file.joints, locked or {})
        chain = tree.way(start, end) if end else tree.rows(start, given)
        along = {joint.name: given.pop(joint.name) for joint in chain if end and joint.name in given and joint.moves}
        locks = Locks(tree, [joint for joint in chain if end or joint.name not in given], given)
        refuse_kinds([joint for joint in chain if joint.name not in along], locks)
        refuse_what_is_used(tree, chain, {*given, *along}, said)
        rows, heavy, endings = reader.rows(start, chain, locks)
        still = reader.ground(start, rows, chain, locks)
        if moving:
            reader.notes += light.check_base(tree, start, reader.still)
        joints, tool, ground = light.lump_fixed_bodies(rows, still, heavy, endings, reader.notes, bool(end))
        frames = tuple(reader.frames(start, chain, bool(moving)))
        at = () if rest is None else light.called_base(reader.origin("", rest.at, f"joint {rest.name!r}"))
        if end:
            frames = (*light.named_tool(end, joints, tool), *light.frames_beside(frames, end, joints, tree))
    origin = Origin(form, "urdf", "rad", "m", file, "", tuple(reader.notes), base_link=start)
    gx, gy, gz = (cell_with_value(f"g{axis}", Num(part)) for axis, part in zip("xyz", gravity))
    held = RobotDescription(tree.file.name, joints, (gx, gy, gz), at, tool, origin=origin, frames=frames, ground=ground)
    if moving:
        held = replace(held, moving=moving.motion)
        with errors_of(file):
            refuse_massless_base(held)
    robot = finish_reading(held, reader.structure)
    if along:
        robot = with_locks(robot, {name: number(value) for name, value in along.items()})
    for sentence in said:
        caution(f"{file}: {sentence}" if file else sentence)
    reader.structure.warn(file)
    return robot


@dataclass
class _Reader:
    tree: UrdfTree
    structure: Structure
    notes: list[str] = field(default_factory=list)
    ends: dict[str, str] = field(default_factory=dict)  # of automatic names, by the link a joint beside leads to
    ways: dict[str, Steps] = field(default_factory=dict)  # to the links beside, from the row's link they hang at
    still: dict[str, Steps] = field(default_factory=dict)  # to the links rigid with the base, from the base

    def rows(self, base: str, chain: list[UrdfJoint], locks: Locks) -> tuple[list[Joint], int, Suffixes]:
        """The table, how many bodies hang beside what moves of it, and the endings handed out: what hangs beside it
        takes the names of its links."""
        on_chain = {joint.name for joint in chain}
        endings, moving = Suffixes(), moving_links(chain, locks)
        ends = [endings.row(self.kind(joint, locks), joint.name) for joint in chain]
        still = [link for link in (base, *(joint.child for joint in chain)) if link not in moving]
        beside, standing = ([x.child for link in y for x in self.tree.beside(link, on_chain)] for y in (moving, still))
        heavy, ground = (list(filter(self.is_heavy, links)) for links in (beside, [base, *standing]))
        named = dict.fromkeys((*heavy, *ground, *beside, *standing))
        self.ends = {link: endings.word(link, CARRIED) for link in named}
        rows: list[Joint] = []
        for row, joint in zip(ends, chain):
            carries = tuple(self.branches(joint.child, on_chain, locks)) if joint.child in moving else ()
            stands = self.stands(row, joint, locks) if joint.name in locks.given else self.row(row, joint)
            on, follows = parent_row(joint, chain[: len(rows)]), coordinate_of(joint, locks)
            rows.append(replace(stands, carries=carries, parent=on, coordinate=follows, link=joint.child))
        return rows, len(heavy), endings

    def is_heavy(self, link: str) -> bool:
        return self.tree.file.links[link].inertial is not None

    def ground(self, base: str, rows: Sequence[Joint], chain: list[UrdfJoint], locks: Locks) -> list[Mounted]:
        """The bodies that stand still and are no row's own: the base's, and those of branches at the base or at rows
        that stand still. No motor feels them: what cannot be placed is left out, and noted."""
        ways: dict[str, Steps] = {base: ()}
        for joint, row in zip(chain, rows):
            if row.kind == "fixed" and joint.parent in ways:
                ways[joint.child] = light.short_way(ways[joint.parent] + row.before + row.after, row.name)
        on_chain, left, seen = {joint.name for joint in chain}, list[str](), [base]
        for joint in (joint for link in list(ways) for joint in self.tree.beside(link, on_chain)):
            if joint.parent not in ways:
                continue
            try:
                refuse_faults((x for x in joint.faults if x.part in ("origin", "axis", "mimic")), PARTS, [])
                way = ways[joint.parent] + self.steps_across_locked(self.ends[joint.child], joint, locks)
            except RobotFileError:  # it floats, follows a joint that moves, or cannot be read
                left.append(joint.child)
                continue
            ways[joint.child] = light.short_way(way, self.ends[joint.child])
            seen.append(joint.child)
        self.still = {link: way for link, way in ways.items() if link != base}
        left += [link for link in seen if any(x.part == "inertial" for x in self.tree.file.links[link].faults)]
        if unknown := [link for link in ways if any(x.part == "mass" for x in self.tree.file.links[link].faults)]:
            self.notes.append(
                Message(
                    "the centre of mass lacks bodies that stand still, of unknown mass: {some_of}", some_of(unknown)
                )
            )
        heavy = [link for link in seen if self.is_heavy(link)]
        if left:
            self.notes.append(
                Message(
                    "not counted in the centre of mass: links {some_of}; what hangs there does not stand still, or "
                    "cannot be read",
                    some_of(left),
                )
            )
        if beside := [link for link in heavy if link != base]:
            self.notes.append(Message("links that stand still beside the rows: {some_of}", some_of(beside)))
        return [Mounted(ways[link], self.weight(link), link) for link in heavy]

    def weight(self, link: str) -> Body:
        """The body of a link beside the rows."""
        inertial = self.tree.file.links[link].inertial
        assert inertial is not None
        return self.body_from_inertial(self.ends[link], inertial, link)

    @staticmethod
    def kind(joint: UrdfJoint, locks: Locks) -> JointKind:
        """What a row counts as: a joint that is locked or follows another does not move on its own."""
        return "fixed" if joint.name in locks.given or joint.mimic else KINDS.get(joint.type, "fixed")

    def stands(self, row: str, joint: UrdfJoint, locks: Locks) -> Joint:
        """A joint of the table that is locked: a fixed row."""
        body = None if self.tree.file.links[joint.child].inertial is None else self.body(row, joint)
        way, zero = self.steps_across_locked(row, joint, locks), cell_with_value(f"offset{row}")
        self.tell_lock(joint, locks)
        return Joint(joint.name, "fixed", way, zero, 1, (), body, actuator_of(row))

    def frames(self, base: str, chain: list[UrdfJoint], moving: bool = False) -> Iterator[NamedFrame]:
        """The links from which nothing leaves, where some joint moves them, or the base that they stand on moves."""
        rows = {joint.child: joint.name for joint in chain}
        for leaf in self.tree.leaves(base):
            holder = leaf
            while holder not in rows and holder != base:
                holder = self.tree.above[holder].parent
            if holder in rows and (leaf == holder or leaf in self.ways):
                yield NamedFrame(leaf, rows[holder], self.steps_to_link(leaf))
            elif moving and holder == base and leaf in self.still:
                yield NamedFrame(leaf, BASE, self.steps_to_link(leaf))

    def steps_to_link(self, link: str) -> Steps:
        """The way to a link beside the rows as a shift and a turn, as files have it; across several joints to twenty
        decimals."""
        way = self.ways.get(link, self.still.get(link, ()))
        return way if placement_from_steps(way) is not None else light.few_steps(way, self.ends[link])

    def row(self, row: str, joint: UrdfJoint) -> Joint:
        """One joint. Of what is before the first moving joint only the chain's own links keep their mass."""
        toward = toward_axis(self.axis(joint), row) if joint.moves else ()
        out, back = self.axis_steps(row, joint, toward)
        limits = None
        if joint.lower is not None and joint.upper is not None and joint.type not in ("continuous", "fixed"):
            limits = (Num(joint.lower), Num(joint.upper))
        return Joint(
            name=joint.name,
            kind=KINDS.get(joint.type, "fixed"),
            before=self.origin(row, joint.at, f"joint {joint.name!r}") + out,
            offset=cell_with_value(f"offset{row}", Num(-joint.reference)),
            direction=1,
            after=back,
            body=self.body(row, joint),
            actuator=self.drive(row, joint),
            limits=limits,
            velocity_limit=self.limit_value(joint, "velocity", joint.velocity),
            effort_limit=self.limit_value(joint, "effort", joint.effort),
        )

    @staticmethod
    def drive(row: str, joint: UrdfJoint) -> Actuator[Cell]:
        """Exporters write damping and limits of fixed joints, too; they drive nothing."""
        if not joint.moves:
            return actuator_of(row)
        return actuator_of(row, Ia=Num(joint.armature), fv=Num(joint.damping), fc=Num(joint.friction))

    def limit_value(self, joint: UrdfJoint, what: str, value: Fraction | None) -> Num | None:
        """A negative one is how some files say that there is no limit."""
        if not joint.moves:
            return None
        if value is not None and value < 0:
            self.notes.append(
                Message(
                    "joint {name!r}: its {what} limit {value:g} is negative: read as none",
                    joint.name,
                    what,
                    float(value),
                )
            )
        return None if value is None or value < 0 else Num(value)

    def origin(self, row: str, at: UrdfOrigin, where: str) -> Steps:
        """xyz, then rpy about fixed axes: Rz(yaw) Ry(pitch) Rx(roll)."""
        roll, pitch, yaw = self.angles(at.rpy, where)
        steps: list[tuple[StepKind, str, Parameter]] = [
            ("tx", "x", Num(at.xyz[0])),
            ("ty", "y", Num(at.xyz[1])),
            ("tz", "z", Num(at.xyz[2])),
            ("rz", "yaw", yaw),
            ("ry", "pitch", pitch),
            ("rx", "roll", roll),
        ]
        return tuple(Step(kind, Cell(f"{name}{row}", value)) for kind, name, value in steps if value != ZERO)

    def axis_steps(self, row: str, joint: UrdfJoint, toward: Steps) -> tuple[Steps, Steps]:
        """From the child's frame to the joint's, whose z is the axis, and back."""
        names: tuple[tuple[StepKind, str], ...] = (("tx", "ax"), ("ty", "ay"), ("tz", "az"))
        shift = tuple(
            Step(kind, cell_with_value(f"{name}{row}", Num(x))) for (kind, name), x in zip(names, joint.anchor) if x
        )
        return shift + toward, inverse_of(shift + toward)

    def angles(self, rpy: Angles, where: str) -> Angles:
        roll, pitch, yaw = (
            self.structure.angle(x, in_front(where, name)) for x, name in zip(rpy, ("roll", "pitch", "yaw"))
        )
        return roll, pitch, yaw

    def axis(self, joint: UrdfJoint) -> Triple:
        """The direction as written; parts that are only rounding noise are dropped, and reported."""
        x, y, z = self.structure.axis(joint.axis, f"joint {joint.name!r}")
        return (x, y, z)

    def body(self, row: str, joint: UrdfJoint) -> Body | None:
        inertial = self.tree.file.links[joint.child].inertial
        if inertial is None:
            return self.body_from_inertial(row, _NOTHING, joint.child) if joint.moves else None
        return self.body_from_inertial(row, inertial, joint.child)

    def body_from_inertial(self, row: str, inertial: UrdfInertial, link: str) -> Body:
        """About the centre of mass, in the link's axes."""
        mass, centre = cell_with_value(f"m{row}", Num(inertial.mass)), inertial.at.xyz
        rx, ry, rz = (cell_with_value(f"r{axis}{row}", Num(x)) for axis, x in zip("xyz", centre))
        pairs = ("xx", "xy", "xz", "yy", "yz", "zz")
        xx, xy, xz, yy, yz, zz = (cell_with_value(f"I{pair}{row}", Num(x)) for pair, x in zip(pairs, inertial.tensor))
        roll, pitch, yaw = self.angles(inertial.at.rpy, f"link {link!r}: inertial")
        turns = (Step("rz", Cell("", yaw)), Step("ry", Cell("", pitch)), Step("rx", Cell("", roll)))
        turned = move_body(Body(mass, _AT_ORIGIN, "com", (xx, xy, xz, yy, yz, zz), "com"), turns)
        xx, xy, xz, yy, yz, zz = (Cell(cell.name, round_to_decimal(cell.parameter)) for cell in turned.inertia)
        return Body(mass, (rx, ry, rz), "com", (xx, xy, xz, yy, yz, zz), "com")

    def branches(self, link: str, on_chain: set[str], locks: Locks) -> Iterator[Mounted]:
        """The bodies that hang at a link beside the chain, locked."""
        ways = self.ways | {link: ()}
        for joint in self.tree.beside(link, on_chain):
            row = self.ends[joint.child]
            there = light.short_way(ways[joint.parent] + self.steps_across_locked(row, joint, locks), row)
            ways[joint.child] = self.ways[joint.child] = there
            self.tell_lock(joint, locks)
            if self.is_heavy(joint.child):
                self.notes.append(
                    Message("link {child!r}: its mass is carried by {parent!r}", joint.child, joint.parent)
                )
                yield Mounted(there, self.weight(joint.child), joint.child)

    def tell_lock(self, joint: UrdfJoint, locks: Locks) -> None:
        if joint.moves:
            self.notes.append(
                Message("joint {name!r} is locked at {position:g}", joint.name, float(locks.position(joint)))
            )

    def steps_across_locked(self, row: str, joint: UrdfJoint, locks: Locks) -> Steps:
        """The way across a joint that stands still."""
        origin = self.origin(row, joint.at, f"joint {joint.name!r}")
        if not joint.moves:
            return origin
        position = locks.position(joint)
        toward = toward_axis(self.axis(joint), row)
        kind: StepKind = "tz" if joint.type == "prismatic" else "rz"
        moved_by = position - joint.reference
        stands = (Step(kind, cell_with_value(f"locked{row}", Num(moved_by))),) if moved_by else ()
        out, back = self.axis_steps(row, joint, toward)
        return origin + out + stands + back


_NOTHING = UrdfInertial(UrdfOrigin(), Fraction(0), (Fraction(0),) * 6)
_AT_ORIGIN = (cell_with_value("x"), cell_with_value("y"), cell_with_value("z"))
