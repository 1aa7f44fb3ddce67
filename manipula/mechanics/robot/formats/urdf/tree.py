"""The shape of a URDF: which links hang where, the way from base to tip, and the branches beside it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from manipula.errors import RobotFileError, UnknownNameError, some_of
from manipula.mechanics.robot.coordinates import Coordinate, own_coordinate
from manipula.mechanics.robot.description import BASE, BaseMotion
from manipula.mechanics.robot.formats.urdf.xml import UrdfFile, UrdfJoint, refuse_faults
from manipula.mechanics.robot.values.parameter import float_of, number
from manipula.mechanics.spatial.placement import HERE, Placement, turn_about
from manipula.messages import Message

PARTS = ("origin", "axis", "limit", "dynamics", "mimic")
TOOLS = ("tool0", "attachment_site")  # what ROS-Industrial and the MuJoCo Menagerie call the frame at an arm's end
NEAR = 1e-6  # m: frames that are one place
_MIMICS = 100  # joints that mimic one another in a row
REFUSED = {
    "floating": Message("it has six degrees of freedom, as only the base of a robot may have"),
    "planar": Message(
        "a planar joint has three degrees of freedom; write it as two prismatic joints and a revolute one"
    ),
}


@dataclass(frozen=True)
class UrdfTree:
    """Links with the joints that leave them; `root` is the only link no joint leads to."""

    file: UrdfFile
    above: dict[str, UrdfJoint]  # by child link
    below: dict[str, list[UrdfJoint]]  # by parent link
    root: str

    def way(self, base: str, tip: str) -> list[UrdfJoint]:
        """The joints from one link down to another."""
        joints: list[UrdfJoint] = []
        link = tip
        while link != base:
            if link not in self.above:
                raise RobotFileError(
                    "the tip {tip!r} does not hang below the base {base!r}", tip, base, hint="choose both on one branch"
                )
            joints.append(self.above[link])
            link = self.above[link].parent
        return joints[::-1]

    def rows(self, base: str, held: Collection[str]) -> list[UrdfJoint]:
        """The joints below a link that move, those `held` apart, and all that lead to them; parents first."""
        below = [joint for link in self.links(base) for joint in self.below.get(link, ())]
        needed: set[str] = set()
        for joint in reversed(below):
            if joint.child in needed or (joint.moves and joint.name not in held):
                needed |= {joint.child, joint.parent}
        return [joint for joint in below if joint.child in needed]

    def links(self, base: str) -> Iterator[str]:
        """A link and all below it, branch by branch in the file's order."""
        waiting = [base]
        while waiting:
            link = waiting.pop()
            yield link
            waiting.extend(joint.child for joint in reversed(self.below.get(link, [])))

    def leaves(self, base: str) -> Iterator[str]:
        """The links below (or at) `base` from which no joint leaves, in the file's order."""
        return (link for link in self.links(base) if not self.below.get(link))

    def beside(self, link: str, on_chain: Collection[str]) -> Iterator[UrdfJoint]:
        """The joints below a link that are not on the chain, with what hangs below these."""
        waiting = [joint for joint in reversed(self.below.get(link, [])) if joint.name not in on_chain]
        while waiting:
            joint = waiting.pop()
            yield joint
            waiting.extend(reversed(self.below.get(joint.child, [])))

    def link(self, name: str | None, otherwise: str) -> str:
        """A link the caller named, or another."""
        if name is None:
            return otherwise
        if name not in self.file.links:
            raise UnknownNameError("link", name, self.file.links)
        return name


def tree_from_urdf(file: UrdfFile) -> UrdfTree:
    """Refuses loops, several roots and islands."""
    above: dict[str, UrdfJoint] = {}
    below: dict[str, list[UrdfJoint]] = {}
    for joint in file.joints.values():
        if joint.child in above:
            raise RobotFileError(
                "joints {name!r} and {name2!r} both lead to it, which closes a loop",
                above[joint.child].name,
                joint.name,
                where=Message("link {child!r}", joint.child),
                hint="only open chains can be read: every link has one parent",
            )
        above[joint.child] = joint
        below.setdefault(joint.parent, []).append(joint)
    tree = UrdfTree(file, above, below, _root(file, above))
    _refuse_islands(tree)
    return tree


def _root(file: UrdfFile, above: Mapping[str, UrdfJoint]) -> str:
    roots = [name for name in file.links if name not in above]
    if not roots:
        raise RobotFileError(
            "every link has a parent, so the joints close a loop",
            where=Message("link {child!r}", next(iter(file.links))),
            hint="one link must be the base",
        )
    if len(roots) > 1:
        raise RobotFileError(
            "the links fall into {count} separate parts, starting at {roots}",
            len(roots),
            ", ".join(roots),
            where=Message("link {child!r}", roots[1]),
            hint="join them by fixed joints, or remove what is not the arm",
        )
    return roots[0]


def _refuse_islands(tree: UrdfTree) -> None:
    reached, waiting = set(), [tree.root]
    while waiting:
        link = waiting.pop()
        reached.add(link)
        waiting.extend(joint.child for joint in tree.below.get(link, ()))
    for name in tree.file.links:
        if name not in reached:
            raise RobotFileError(
                "it cannot be reached from the root {root!r}: its joints close a loop",
                tree.root,
                where=Message("link {child!r}", name),
                hint="only open chains can be read",
            )


def choose_tip(tree: UrdfTree, base: str, notes: list[str], said: list[str]) -> str:
    """The end of the only moving chain; where fixed frames end it in several ways, the tool or the moving link. Where
    several chains move there is no such tool."""
    movers = {leaf: [joint for joint in tree.way(base, leaf) if joint.moves] for leaf in tree.leaves(base)}
    longest = max(movers.values(), key=len)
    if not longest:
        raise RobotFileError("no joint below {base!r} moves", base, hint="a robot needs a revolute or prismatic joint")
    if any(way != longest[: len(way)] for way in movers.values()):
        return ""
    return _end(tree, longest[-1].child, [leaf for leaf, way in movers.items() if way == longest], notes, said)


def _end(tree: UrdfTree, moving: str, ends: list[str], notes: list[str], said: list[str]) -> str:
    """Where the arm ends among frames that are rigid with its last moving link. Where no name says which is the tool,
    and they are not in one place, the choice is the user's to make."""
    if len(ends) == 1:
        return ends[0]
    rigid = dict.fromkeys(joint.child for end in ends for joint in tree.way(moving, end))
    tools = [link for link in rigid if link.lower().endswith(TOOLS)]
    tip = tools[0] if len(tools) == 1 else moving
    notes.append(
        Message("tip {tip!r} chosen among the fixed frames {rigid}; tip= chooses another", tip, ", ".join(rigid))
    )
    away = {link: distance for link in rigid if (distance := _distance(tree.way(moving, link))) >= NEAR}
    if len(tools) != 1 and away:
        listed = some_of([f"{link} ({1000 * distance:.0f} mm away)" for link, distance in away.items()])
        said.append(
            Message(
                "the tool is the frame of link {tip!r}; the file has other ends of the arm: {some_of}; tip= "
                "chooses one",
                tip,
                listed,
            )
        )
    return tip


MOTIONS: tuple[BaseMotion, ...] = ("free", "given")


class MovingBase(NamedTuple):
    """A base that moves: its link, how, and the joint by which its file says so, if any."""

    link: str
    motion: BaseMotion
    joint: UrdfJoint | None


def base_motion(tree: UrdfTree, base: str | None) -> MovingBase | None:
    """The link that a floating joint at the root moves, if all that moves stands on it: a ball that lies beside an arm
    is not its base. Or the root itself, where base= says that it moves."""
    wanted = next((x for x in MOTIONS if x == base and base not in tree.file.links), None)
    if base is not None and wanted is None:
        return None
    rigid, floating = {tree.root}, list[UrdfJoint]()
    for joint in (joint for link in tree.links(tree.root) for joint in tree.below.get(link, ())):
        if joint.parent in rigid and joint.type == "fixed":
            rigid.add(joint.child)
        elif joint.parent in rigid and joint.type == "floating":
            floating.append(joint)
    movers = {joint.name for link in tree.links(tree.root) for joint in tree.below.get(link, ()) if joint.moves}
    for joint in floating:
        carried = {x.name for link in tree.links(joint.child) for x in tree.below.get(link, ()) if x.moves}
        if carried and carried >= movers - {x.name for x in floating}:
            return MovingBase(joint.child, wanted or "free", joint)
    if wanted is None or floating:
        return None
    choose_tip(tree, tree.root, [], [])  # refuses a base on which nothing moves
    return MovingBase(tree.root, wanted, None)


def refuse_tip(tip: str, base: str) -> None:
    raise RobotFileError(
        "tip={tip!r} reads a serial arm on a base that stands still, and this base moves",
        tip,
        where=Message("link {child!r}", base),
        hint=Message(
            "leave tip= out and name the frame in the call, or base={child!r} reads it with a fixed base", base
        ),
    )


def _distance(way: list[UrdfJoint]) -> float:
    """How far the way goes, in metres."""
    at = HERE
    for joint in way:
        roll, pitch, yaw = (float_of(angle, {}) for angle in joint.at.rpy)
        x, y, z = map(float, joint.at.xyz)
        at = at @ Placement(p=(x, y, z))
        for axis, angle in (("z", yaw), ("y", pitch), ("x", roll)):
            at = at @ turn_about(axis, math.cos(angle), math.sin(angle))
    return math.hypot(*(float(part) for part in at.p))  # type: ignore[arg-type]


def refuse_kinds(joints: list[UrdfJoint], locks: Locks) -> None:
    """On the way from base to tip every joint that is not locked must move by a single coordinate, its own or that of
    another joint there."""
    for joint in (joint for joint in joints if joint.name not in locks.given):
        if joint.type in REFUSED:
            raise RobotFileError(
                "found {type!r}: {refused}",
                joint.type,
                REFUSED[joint.type],
                where=_label(joint),
                field="type",
                hint=Message("base={child!r} reads what is below it", joint.child),
            )
        if joint.mimic is not None and locks.followed_joint(joint) is None:
            why = locks.unfit(joint.mimic.joint)
            alone = Message("it mimics joint {joint!r}, so it is not a degree of freedom of its own", joint.mimic.joint)
            raise RobotFileError(
                Message("it mimics joint {name!r}, which {why}", joint.mimic.joint, why) if why else alone,
                where=Message("joint {name!r}", joint.name),
                field="mimic",
                hint="leave tip= out and ask for the frame by name, or hold it still by locked=",
            )


def _label(joint: UrdfJoint) -> str:
    """How messages call a joint: by its name, or by the body that it moves."""
    return Message("joint {name!r}", joint.name) if joint.named else Message("body {name!r}", joint.child)


def refuse_what_is_used(tree: UrdfTree, chain: list[UrdfJoint], held: Collection[str], said: list[str]) -> None:
    """Mistakes in what the arm is made of are errors; of the others a sentence is added to `said`. A mass that no file
    says is needed where it moves, and what a joint follows only where it is not `held`."""
    used = _used_parts(tree, chain)
    for joint in tree.file.joints.values():
        faults = (x for x in joint.faults if x.part != "mimic" or joint.name not in held)
        refuse_faults(faults, used.get(joint.name, ()), said)
    weighed = {tree.file.joints[name].child for name in used}
    moving = set(moving_links(chain, None)) | (weighed - {joint.child for joint in chain})
    for link in tree.file.links.values():
        needed = ("inertial", "mass") if link.name in moving else ("inertial",) if link.name in weighed else ()
        refuse_faults((x for x in link.faults if x.part != "mass" or "mass" in needed), needed, said)


def _used_parts(tree: UrdfTree, chain: list[UrdfJoint]) -> dict[str, tuple[str, ...]]:
    """By joint: what is read of it. Branches count where they hang at a link that moves."""
    used: dict[str, tuple[str, ...]] = {joint.name: PARTS if joint.moves else ("origin",) for joint in chain}
    waiting = list(moving_links(chain, None))
    while waiting:
        for joint in tree.below.get(waiting.pop(), ()):
            if joint.name not in used:
                used[joint.name] = ("origin", "axis", "mimic") if joint.moves else ("origin",)
                waiting.append(joint.child)
    return used


def moving_links(rows: Sequence[UrdfJoint], locks: Locks | None) -> dict[str, None]:
    """The links of these rows, parents first, that some joint moves which is not locked."""
    found: dict[str, None] = {}
    for joint in rows:
        held = locks is not None and joint.name in locks.given
        if (joint.moves and not held) or joint.parent in found:
            found[joint.child] = None
    return found


def with_followers(joints: Mapping[str, UrdfJoint], held: Mapping[str, float]) -> dict[str, float]:
    """The joints held still, and those that mimic one of them and so are, too."""
    found, more = dict(held), True
    while more:
        more = False
        for joint in joints.values():
            if joint.mimic is not None and joint.name not in found and joint.mimic.joint in found:
                lead = float(found[joint.mimic.joint])
                found[joint.name], more = float(joint.mimic.multiplier) * lead + float(joint.mimic.offset), True
    return found


class Locks:
    """Where the joints beside the chain stand still."""

    def __init__(self, tree: UrdfTree, chain: list[UrdfJoint], given: Mapping[str, float]) -> None:
        self.joints = tree.file.joints
        self.chain = {joint.name for joint in chain}
        self.given = {name: number(float(value)).value for name, value in given.items()}
        held = [joint.name for joint in self.joints.values() if joint.moves and joint.name not in self.chain]
        for name in self.given:
            if name not in held:
                raise UnknownNameError("joint that moves", name, [*held, *self.chain])

    def position(self, joint: UrdfJoint, depth: int = 0) -> Fraction:
        """Given, mimicked, or the file's own pose brought within the limits."""
        if joint.type in REFUSED:
            raise RobotFileError(
                "found {type!r} on a branch that must be locked: {refused}",
                joint.type,
                REFUSED[joint.type],
                where=_label(joint),
                field="type",
                hint="make it fixed",
            )
        if joint.name in self.given:
            return self.given[joint.name]
        if joint.mimic is not None:
            return joint.mimic.multiplier * self._mimic_value(joint, depth) + joint.mimic.offset
        rest = joint.reference
        low = joint.lower if joint.lower is not None else rest
        high = joint.upper if joint.upper is not None else rest
        return max(low, min(high, rest)) if joint.type != "continuous" else rest

    def followed_joint(self, joint: UrdfJoint) -> Coordinate | None:
        """How a joint moves by the joint of the table that it mimics, through others that do."""
        found, seen = own_coordinate(joint.name), 0
        while (mimic := joint.mimic) is not None and seen <= _MIMICS and mimic.joint in self.joints:
            lead = Coordinate(((mimic.joint, mimic.multiplier),), mimic.offset)
            found, joint, seen = found.through({joint.name: lead}), self.joints[mimic.joint], seen + 1
        free = joint.mimic is None and joint.moves and joint.name in self.chain and joint.name not in self.given
        return found if free and seen else None

    def unfit(self, name: str) -> str:
        """Why no joint can follow the one of this name, whatever the arm is; "" where one could."""
        seen = list[str]()
        while name in self.joints and name not in seen:
            seen.append(name)
            mimic = self.joints[name].mimic
            if mimic is None:
                return "" if self.joints[name].moves else Message("does not move")
            name = mimic.joint
        return Message("mimics it in turn") if name in seen else Message("is not in the file")

    def _mimic_value(self, joint: UrdfJoint, depth: int) -> Fraction:
        assert joint.mimic is not None
        name = joint.mimic.joint
        if name not in self.joints or name in self.chain or depth > _MIMICS:
            why = Message("is not in the file") if name not in self.joints else Message("moves with the arm")
            why = why if depth <= _MIMICS else Message("mimics it in turn")
            raise RobotFileError(
                "it mimics joint {name!r}, which {why}",
                name,
                why,
                where=Message("joint {name!r}", joint.name),
                field="mimic",
                hint="leave tip= out and ask for the frame by name, or say where it stands still in locked=",
            )
        return self.position(self.joints[name], depth + 1)


def coordinate_of(joint: UrdfJoint, locks: Locks) -> Coordinate | None:
    """Of a joint that mimics another one of the table."""
    return None if joint.mimic is None or joint.name in locks.given else locks.followed_joint(joint)


def parent_row(joint: UrdfJoint, before: Sequence[UrdfJoint]) -> str | None:
    """The row a joint stands on, where it is not the one before."""
    on = next((row.name for row in before if row.child == joint.parent), BASE)
    return None if on == (before[-1].name if before else BASE) else on
