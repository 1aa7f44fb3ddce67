"""What is true of the axes of a loop: which are parallel, cross, meet. A judge says when a scalar is zero.

Over floats a judge needs tolerances: two axes are parallel when the sine between them is below `STRAIGHT`, they cross
when they pass within `CLOSE` of the arm's size. Over exact scalars it needs none, and the same text decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from manipula.mechanics.models.inverse.loop import Loop, crossing_offsets
from manipula.mechanics.models.inverse.slides import rotation
from manipula.mechanics.spatial.placement import Placement, shift_along, turn_about
from manipula.messages import Message
from manipula.scalar import Judge, Maths, Scalar

STRAIGHT = 1e-9
CLOSE = 1e-8
SLIGHT = 1e-6  # a slide that leans less on an axis is square to it
SMALLEST = 1e-3  # m; an arm is at least this large

Direction = tuple[Scalar, Scalar, Scalar]


@dataclass(frozen=True)
class LoopView:
    """A loop, and what is true of its neighbours."""

    loop: Loop
    judge: Judge

    @property
    def size(self) -> float:
        gaps = enumerate(self.loop.gaps)
        return max([*(self.judge.length(*gap.there.p) for i, gap in gaps if i != self.loop.pose_gap), SMALLEST])

    def of(self, loop: Loop) -> LoopView:
        return LoopView(loop, self.judge)

    def constant(self, gap: int) -> bool:
        return gap % self.loop.size != self.loop.pose_gap

    def turns(self, *axes: int) -> bool:
        return all(self.kind(axis) == "R" for axis in axes)

    def kind(self, axis: int) -> str:
        return "R" if self.loop.axes[axis % self.loop.size].kind == "revolute" else "P"

    @property
    def kinds(self) -> str:
        return "".join(self.kind(axis) for axis in range(self.loop.size))

    def direction(self, gap: int) -> Direction:
        R = self.loop.gaps[gap % self.loop.size].there.R
        return R[0][2], R[1][2], R[2][2]

    def from_to(self, first: int, second: int) -> Direction:
        """The direction of an axis, seen from one before it, nothing moving between them."""
        R = rotation(self.loop, first, second)
        return R[0][2], R[1][2], R[2][2]

    def along(self, direction: Direction) -> bool:
        """A direction is ± z."""
        return all(self.judge.zero(x, STRAIGHT) for x in direction[:2])

    def leans(self, x: Scalar) -> bool:
        """A slide has a part x along an axis, at least a little."""
        return not self.judge.zero(x, SLIGHT)

    def downward(self, direction: Direction) -> bool:
        """Of a direction that is ± z: whether it is −z."""
        return self.judge.zero(direction[2] + 1, 0.5)

    def parallel(self, gap: int) -> bool:
        """The axes before and after the gap."""
        return self.constant(gap) and self.along(self.direction(gap))

    def cross(self, gap: int) -> bool:
        if not self.constant(gap) or self.along(self.direction(gap)):
            return False
        x, y, _ = self.direction(gap)
        p = self.loop.gaps[gap % self.loop.size].there.p
        return self.judge.zero(p[1] * x - p[0] * y, CLOSE * self.size * self.judge.length(x, y))

    def meet(self, axis: int) -> bool:
        """Axes `axis`, +1, +2 in one point."""
        first, second = axis + 1, axis + 2
        if not (self.turns(axis, first, second) and self.cross(first) and self.cross(second)):
            return False
        n = self.loop.size
        end, start = (
            crossing_offsets(self.loop.gaps[first % n].there)[1],
            crossing_offsets(self.loop.gaps[second % n].there)[0],
        )
        return self.judge.zero(end - start, CLOSE * self.size)

    def same_direction(self, axis: int, count: int) -> bool:
        return all(self.parallel(gap) for gap in range(axis + 1, axis + count))

    def flips(self, axes: Sequence[int]) -> tuple[int, ...]:
        """Of parallel axes, those to count from their other end so that all point alike."""
        flips, up = [], True
        for before, axis in pairwise(axes):
            up ^= self.downward(self.from_to(before, axis))
            if not up:
                flips.append(axis)
        return tuple(flips)


def somewhere(maths: Maths[Scalar]) -> Placement:
    """A pose of no special meaning."""
    turns = [("z", Fraction(40)), ("x", Fraction(63)), ("z", Fraction(23))]
    at = Placement()
    for axis, degrees in turns:
        angle = maths.degrees(degrees)
        at = at @ turn_about(axis, maths.cos(angle), maths.sin(angle))
    return at @ shift_along("x", maths.number(Fraction(31, 100))) @ shift_along("y", maths.number(Fraction(17, 100)))


# words


def number_text(joint: int | None) -> str:
    return "(added)" if joint is None else str(joint + 1)


def list_text(joints: Sequence[int | None]) -> str:
    names = [number_text(joint) for joint in joints]
    return Message("{first} and {last}", ", ".join(names[:-1]), names[-1]) if len(names) > 1 else names[0]


def moving_joints(joints: Sequence[int | None]) -> tuple[int, ...]:
    return tuple(joint for joint in joints if joint is not None)
