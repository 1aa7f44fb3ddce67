"""The robot over a scalar S, and the walk over it.

`Tree` is what models see: every convention and every unit is gone, every entry is a scalar. Links stand in an order
with parents first; a serial arm is the tree in which each link's parent is the one before. `outward` and `inward` are
the two traversals, and a model hands them the body of its recursion; `support`, `children`, `beyond` and `road` are the
words for everything else that depends on which link stands on which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from manipula.mechanics.robot.actuator import IDLE, Actuator
from manipula.mechanics.robot.coordinates import Coordinates, coordinates_from
from manipula.mechanics.robot.description import BaseMotion
from manipula.mechanics.robot.elements import TwoPointElement
from manipula.mechanics.robot.joints import JointKind
from manipula.mechanics.robot.loops import CutJoint
from manipula.mechanics.spatial.dual import Dual, DualMaths, Paired, PairedMaths
from manipula.mechanics.spatial.inertia import NOTHING, InertiaTensor, RigidBody
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import Matrix, Vector
from manipula.scalar import Maths, Scalar

State = TypeVar("State")
Item = TypeVar("Item")
BASE = -1  # the parent of a link that stands on the base


@dataclass(frozen=True)
class FileBody:
    """A body as the file gives it: what its names end in, its frame seen from the link's, its inertia in its own."""

    suffix: str
    at: Placement
    inertia: RigidBody


@dataclass(frozen=True)
class Link:
    """A joint and the body it moves. `before`: parent link frame → joint; `after`: joint → link frame.

    `inertia` is that of all `parts`: the link's own body first, then what rides on it. They are known as long as the
    frames are the file's and no mass is handed around.
    """

    name: str
    kind: JointKind
    before: Placement = HERE
    offset: Any = 0
    direction: int = 1
    after: Placement = HERE
    inertia: RigidBody = NOTHING
    actuator: Actuator[Any] = IDLE
    pace: Any = 1  # 1/L of a sliding joint when lengths are measured in L
    parts: tuple[FileBody, ...] = ()
    parent: int = BASE  # the link it stands on, by its place in the tree

    @property
    def motor_inertia(self) -> Any:
        return self.actuator.motor_inertia

    def motion(self, q: Scalar, maths: Maths[Scalar]) -> Placement:
        """The joint's own displacement at q."""
        return self.kind.motion(self.offset + self.along_z(q), maths)

    def along_z(self, rate: Scalar) -> Scalar:
        """A joint coordinate, rate or torque counted along +z: direction · pace · rate"""
        along = rate if self.direction == 1 else -rate
        return along if isinstance(self.pace, int) else self.pace * along


@dataclass(frozen=True)
class Mark:
    """A frame by name, at a placement from the frame of the link it stands on."""

    name: str
    on: int
    at: Placement = HERE


@dataclass(frozen=True)
class LoopCut:
    """Where a loop is cut open: two frames, each on a link (or the base), and what the joint between them blocks."""

    name: str
    on: tuple[int, int]
    at: tuple[Placement, Placement]
    joint: CutJoint


@dataclass(frozen=True)
class ElementLine:
    """The line of a two-point element: two frames, each on a link (or the base), and what acts between their origins.

    `suffix` is what the names of its parameters end in.
    """

    suffix: str
    on: tuple[int, int]
    at: tuple[Placement, Placement]
    element: TwoPointElement[Any]


@dataclass(frozen=True)
class Tree:
    """World → base → links; the tool is a frame on one of them. `gravity` is the acceleration in the world frame.

    `ground` is the body of the base, in the base frame: no torque feels it, but it has a potential energy. `tip` is the
    link that holds the tool; None is the last one, as on every serial arm. `couplings` are the coordinates where joints
    follow others; None is one of its own for every joint. `cuts` are the frames that loops hold together. Of a base
    that moves (`moving`) the ground is the body, its bodies one by one the `ground_parts`. `marks` are the frames by
    name that a request is about, beside the tool; `elements` are springs and dampers between two frames.
    """

    links: tuple[Link, ...]
    gravity: Vector
    maths: Maths[Any]
    base: Placement = HERE
    tool: Placement = HERE
    ground: RigidBody = NOTHING
    tip: int | None = None
    couplings: Coordinates | None = None
    cuts: tuple[LoopCut, ...] = ()
    moving: BaseMotion = ""
    ground_parts: tuple[FileBody, ...] = ()
    marks: tuple[Mark, ...] = ()
    elements: tuple[ElementLine, ...] = ()

    @property
    def dof(self) -> int:
        return len(self.links)

    @property
    def holder(self) -> int:
        """The link that holds the tool."""
        return self.dof - 1 if self.tip is None else self.tip

    @property
    def parents(self) -> list[int]:
        return [link.parent for link in self.links]

    @property
    def leaves(self) -> list[int]:
        """The links on which none stands; the last link is always one."""
        inner = set(self.parents)
        return [i for i in range(self.dof) if i not in inner]

    def children(self, i: int) -> list[int]:
        """The links that stand on link i."""
        return [k for k, parent in enumerate(self.parents) if parent == i]

    def support(self, i: int) -> list[int]:
        """The joints that move link i, from the base; its own is the last."""
        way: list[int] = []
        while i != BASE:
            way.append(i)
            i = self.links[i].parent
        return way[::-1]

    def beyond(self, i: int) -> list[int]:
        """The links that joint i moves: its own, then all that stand on it."""
        moved = {i}
        for k, parent in enumerate(self.parents):
            moved |= {k} if parent in moved else set()
        return sorted(moved)

    @property
    def branches(self) -> list[int]:
        """The links (or the base) on which several links stand."""
        return [i for i in range(BASE, self.dof) if len(self.children(i)) > 1]

    @property
    def is_chain(self) -> bool:
        """A serial arm with its tool on the last link."""
        return not self.branches and self.holder == self.dof - 1

    def road(self) -> Tree:
        """The serial arm from the base to the tool; what is beside the road moves nothing on it and is left out."""
        if self.is_chain:
            return self if self.tip is None else replace(self, tip=None)
        links = in_series(self.links[i] for i in self.support(self.holder))
        couplings = None if self.couplings is None else self.couplings.of([link.name for link in links])
        return replace(self, links=links, tip=None, couplings=couplings, cuts=(), elements=())

    def along_road(self, values: Sequence[Item]) -> list[Item]:
        """Of one value a link those on the road to the tool."""
        return [values[i] for i in self.support(self.holder)]

    @property
    def coordinates(self) -> Coordinates:
        """What moves its joints, none of which is fixed."""
        if self.couplings is not None:
            return self.couplings
        return coordinates_from((link.name, link.kind.turns, None) for link in self.links)

    def motions(self, q: Sequence[Scalar]) -> list[Placement]:
        """Each joint's displacement."""
        return [link.motion(x, self.maths) for link, x in zip(self.links, q, strict=True)]

    def elementary(self, q: Sequence[Scalar]) -> list[Placement]:
        """pose_parent_link of every link: before · motion · after."""
        return [link.before @ motion @ link.after for link, motion in zip(self.links, self.motions(q), strict=True)]

    def outward(self, step: Callable[[State, Item], State], items: Sequence[Item], start: State) -> list[State]:
        """From the base to the tips: the state of every link from its parent's and its own item."""
        states: list[State] = []
        for parent, item in zip(self.parents, items, strict=True):
            states.append(step(start if parent == BASE else states[parent], item))
        return states

    def inward(
        self,
        step: Callable[[Sequence[State], Item], State],
        items: Sequence[Item],
        held: Mapping[int, State] | None = None,
    ) -> list[State]:
        """From the tips to the base: the state of every link from those of its children, and of what it holds (the
        tool, a load, a contact), and its own item."""
        beyond: list[list[State]] = [[(held or {})[i]] if i in (held or {}) else [] for i in range(self.dof)]
        found: list[State] = []
        for i in range(self.dof - 1, -1, -1):
            found.append(step(beyond[i], items[i]))
            if (parent := self.links[i].parent) != BASE:
                beyond[parent].append(found[-1])
        return found[::-1]

    def move_cuts(self, move: Callable[[int, Placement], tuple[int, Placement]]) -> tuple[LoopCut, ...]:
        """The cuts after a change of the links: `move` takes a link and a frame on it to where they are now."""
        ends = [[move(i, at) for i, at in zip(cut.on, cut.at)] for cut in self.cuts]
        return tuple(
            replace(cut, on=(a[0], b[0]), at=(a[1], b[1])) for cut, (a, b) in zip(self.cuts, ends, strict=True)
        )

    def move_elements(self, move: Callable[[int, Placement], tuple[int, Placement]]) -> tuple[ElementLine, ...]:
        """The elements after such a change."""
        ends = [[move(i, at) for i, at in zip(line.on, line.at)] for line in self.elements]
        return tuple(
            replace(line, on=(a[0], b[0]), at=(a[1], b[1])) for line, (a, b) in zip(self.elements, ends, strict=True)
        )

    def on_base(self, states: Sequence[State]) -> list[State]:
        """The states of the links that stand on the base."""
        return [states[i] for i in self.children(BASE)]


def in_series(links: Iterable[Link]) -> tuple[Link, ...]:
    """Each link on the one before, the first on the base."""
    return tuple(replace(link, parent=i) for i, link in enumerate(links, BASE))


# Tree[S] → Tree[S']: the same arm over another scalar. Structural zeros and ones stay ints.

Change = Callable[[Any], Any]


def map_tree(chain: Tree, change: Change, maths: Maths[Scalar]) -> Tree:
    """Every entry that is not an int goes through `change`."""

    def entry(x: object) -> Any:
        return x if isinstance(x, int) else change(x)

    links = tuple(_link(link, entry) for link in chain.links)
    base, tool = _placement(chain.base, entry), _placement(chain.tool, entry)
    ground, gravity = _inertia(chain.ground, entry), _vector(chain.gravity, entry)
    couplings = None if chain.couplings is None else chain.couplings.map_factors(entry)
    cuts = chain.move_cuts(lambda i, at: (i, _placement(at, entry)))
    parts = tuple(_part(x, entry) for x in chain.ground_parts)
    marks = tuple(replace(x, at=_placement(x.at, entry)) for x in chain.marks)
    lines = chain.move_elements(lambda i, at: (i, _placement(at, entry)))
    elements = tuple(replace(x, element=x.element.map_entries(entry)) for x in lines)
    return Tree(
        links, gravity, maths, base, tool, ground, chain.tip, couplings, cuts, chain.moving, parts, marks, elements
    )


def over_duals(chain: Tree) -> Tree:
    """The arm over dual numbers, its parameters constants: run a model on it to differentiate the model."""
    return map_tree(chain, Dual, DualMaths(chain.maths))


def over_pairs(chain: Tree) -> Tree:
    """The arm over scalars that carry two rates at once: run a model on it to have its form in two velocities."""
    return map_tree(chain, Paired, PairedMaths(chain.maths))


def _vector(a: Vector, entry: Change) -> Vector:
    return (entry(a[0]), entry(a[1]), entry(a[2]))


def _matrix(A: Matrix, entry: Change) -> Matrix:
    return (_vector(A[0], entry), _vector(A[1], entry), _vector(A[2], entry))


def _placement(at: Placement, entry: Change) -> Placement:
    return at if at is HERE else Placement(_matrix(at.R, entry), _vector(at.p, entry))


def _inertia(body: RigidBody, entry: Change) -> RigidBody:
    return RigidBody(entry(body.m), _vector(body.s, entry), InertiaTensor(_matrix(body.I, entry)))


def _link(link: Link, entry: Change) -> Link:
    return replace(
        link,
        kind=link.kind.map_entries(entry),
        before=_placement(link.before, entry),
        offset=entry(link.offset),
        after=_placement(link.after, entry),
        inertia=_inertia(link.inertia, entry),
        actuator=link.actuator.map_entries(entry),
        pace=entry(link.pace),
        parts=tuple(_part(x, entry) for x in link.parts),
    )


def _part(part: FileBody, entry: Change) -> FileBody:
    return replace(part, at=_placement(part.at, entry), inertia=_inertia(part.inertia, entry))
