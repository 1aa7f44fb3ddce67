"""The robot over a scalar S, and the walk along it.

`Tree` is what models see: every convention and every unit is gone, every entry is a scalar. `outward` and `inward`
are the two traversals; a model hands them the body of its recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from manipula.mechanics.robot.joints import JointKind
from manipula.mechanics.spatial.inertia import NOTHING, Inertia
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import Vector
from manipula.scalar import Maths

State = TypeVar("State")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Part:
    """A body as the file gives it: what its names end in, its frame seen from the link's, its inertia in its own."""

    suffix: str
    at: Placement
    inertia: Inertia


@dataclass(frozen=True)
class Link:
    """A joint and the body it moves. `before`: parent link frame → joint; `after`: joint → link frame.

    `inertia` is that of all `parts`: the link's own body first, then what rides on it. They are known as long as the
    frames are the file's and no mass is handed around.
    """

    name: str
    kind: JointKind
    before: Placement
    offset: Any
    direction: int
    after: Placement
    inertia: Inertia
    motor_inertia: Any = 0
    viscous: Any = 0
    coulomb: Any = 0
    friction_offset: Any = 0
    pace: Any = 1  # 1/L of a sliding joint when lengths are measured in L
    parts: tuple[Part, ...] = ()

    def motion(self, q: Any, maths: Maths[Any]) -> Placement:
        """The joint's own displacement at q."""
        return self.kind.motion(self.offset + self.signed(q), maths)

    def signed(self, rate: Any) -> Any:
        """A joint coordinate, rate or torque counted along +z: direction · pace · rate"""
        along = rate if self.direction == 1 else -rate
        return along if isinstance(self.pace, int) else self.pace * along


@dataclass(frozen=True)
class Tree:
    """A serial arm: world → base → links → tool. `gravity` is the acceleration vector in the world frame.

    `ground` is what stands still in the base frame: no torque feels it, but it has a potential energy.
    """

    links: tuple[Link, ...]
    gravity: Vector
    maths: Maths[Any]
    base: Placement = HERE
    tool: Placement = HERE
    ground: Inertia = NOTHING

    @property
    def dof(self) -> int:
        return len(self.links)

    def motions(self, q: Sequence[Any]) -> list[Placement]:
        """Each joint's displacement."""
        return [link.motion(x, self.maths) for link, x in zip(self.links, q, strict=True)]

    def elementary(self, q: Sequence[Any]) -> list[Placement]:
        """pose_parent_link of every link: before · motion · after."""
        return [link.before @ motion @ link.after for link, motion in zip(self.links, self.motions(q), strict=True)]


def outward(step: Callable[[State, Item], State], items: Iterable[Item], start: State) -> list[State]:
    """From the base to the tip: the state after every item."""
    states: list[State] = []
    for item in items:
        start = step(start, item)
        states.append(start)
    return states


def inward(step: Callable[[State, Item], State], items: Sequence[Item], start: State) -> list[State]:
    """From the tip to the base; the states come back in the order of the items."""
    return outward(step, reversed(items), start)[::-1]
