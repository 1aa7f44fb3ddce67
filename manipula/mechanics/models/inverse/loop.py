"""The loop an arm closes with the pose of its tool, and the freedom to describe it.

    L₁ J₁ L₂ J₂ … Lₙ Jₙ = 1

J is a joint's own motion about or along z; L is the gap between two axes; L₁ holds the pose requested, backwards. The
loop may be read from any joint on, or backwards: so a structure at the base is the same structure at the tool.
The frame of a revolute joint may slide along its axis, and an axis may be counted from its other end.

Derived here: a closed product of matrices may be read from any factor on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce

from manipula.mechanics.models.inverse.subproblems import Beside, Motion, Shift
from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.placement import HERE, Placement, shift_along
from manipula.mechanics.spatial.vector import Matrix, column, cross, dot, sub, sum_of
from manipula.scalar import Maths, Scalar

OVER = Placement(R=((1, 0, 0), (0, -1, 0), (0, 0, -1)))  # the same axis from its other end
TURN_LEFT: Matrix = ((0, 0, 1), (1, 0, 0), (0, 1, 0))  # x → y → z → x


@dataclass(frozen=True)
class Gap:
    """From one axis to the next, there and back. (Both are kept: a pose's rotation is not known to be orthogonal.)"""

    there: Placement
    back: Placement

    def then(self, at: Placement, undone: Placement) -> Gap:
        return Gap(self.there @ at, undone @ self.back)

    def after(self, at: Placement, undone: Placement) -> Gap:
        return Gap(at @ self.there, self.back @ undone)

    def reverse(self) -> Gap:
        return Gap(self.back, self.there)


def gap_from_placement(at: Placement) -> Gap:
    return Gap(at, at.inverse())


@dataclass(frozen=True)
class Axis:
    """A joint of the loop: number of the joint in the arm (None: a joint added for the solution), kind, sense."""

    joint: int | None
    kind: str
    sense: int = 1


@dataclass(frozen=True)
class Loop:
    """gaps[k] leads to axes[k]; `pose_gap` is the one with the pose in it."""

    gaps: tuple[Gap, ...]
    axes: tuple[Axis, ...]
    pose_gap: int = 0

    @property
    def size(self) -> int:
        return len(self.axes)

    def slide_axis(self, k: int, by: Scalar) -> Loop:
        """The frame of axis k moved along its axis."""
        if isinstance(by, int) and by == 0:
            return self
        up, down = shift_along("z", by), shift_along("z", -by)
        return self._refit_axis(k, up, down)

    def flip_axis(self, k: int) -> Loop:
        """Axis k counted from its other end."""
        axis = replace(self.axes[k], sense=-self.axes[k].sense)
        return replace(self._refit_axis(k, OVER, OVER), axes=(*self.axes[:k], axis, *self.axes[k + 1 :]))

    def _refit_axis(self, k: int, at: Placement, undone: Placement) -> Loop:
        gaps, after = list(self.gaps), (k + 1) % self.size
        gaps[k] = gaps[k].then(at, undone)
        gaps[after] = gaps[after].after(undone, at)
        return replace(self, gaps=tuple(gaps))

    def from_axis(self, k: int) -> Loop:
        """The same loop read from axis k on."""
        n = self.size
        return Loop(self.gaps[k:] + self.gaps[:k], self.axes[k:] + self.axes[:k], (self.pose_gap - k) % n)

    def backwards(self) -> Loop:
        """The same loop read from the tool to the base: J₆⁻¹ L₆⁻¹ J₅⁻¹ … L₁⁻¹ = 1, begun where it closes."""
        axes = tuple(replace(axis, sense=-axis.sense) for axis in reversed(self.axes))
        gaps = tuple(gap.reverse() for gap in reversed(self.gaps))
        return Loop((gaps[-1], *gaps[:-1]), axes, self.size - self.pose_gap if self.pose_gap else 0)

    def move_slide_last(self, k: int) -> Loop:
        """The slide k past all axes behind it, to the end: where every axis points along it, it makes no difference."""
        gaps, axes = list(self.gaps), list(self.axes)
        for j in range(k, self.size - 1):
            gaps[j] = gaps[j].then(gaps[j + 1].there, gaps[j + 1].back)
            gaps[j + 1] = Gap(HERE, HERE)
            axes[j], axes[j + 1] = axes[j + 1], axes[j]
        return replace(self, gaps=tuple(gaps), axes=tuple(axes))

    def pad_axes(self, count: int) -> Loop:
        """With `count` more axes after the last, for arms with fewer joints; at zero they leave the loop closed.

        They are square to one another and meet at the origin of the last axis.
        """
        new = [Placement(TURN_LEFT)] * count
        whole = reduce(Placement.__matmul__, new)
        first = self.gaps[0].after(whole.inverse(), whole)
        gaps = (first, *self.gaps[1:], *map(gap_from_placement, new))
        return replace(self, gaps=gaps, axes=self.axes + (Axis(None, "revolute"),) * count)

    def with_fixed(self, k: int, at: Placement) -> Loop:
        """Axis k > 0 held still, its motion part of the gap."""
        joined = Gap(self.gaps[k].there @ at, at.inverse() @ self.gaps[k].back)
        after = (k + 1) % self.size
        gaps = list(self.gaps)
        gaps[after] = Gap(joined.there @ gaps[after].there, gaps[after].back @ joined.back)
        axes = self.axes[:k] + self.axes[k + 1 :]
        return Loop(tuple(gaps[:k] + gaps[k + 1 :]), axes, self.pose_gap)


def loop_from_chain(chain: Tree, pose: Placement) -> Loop:
    """`pose` is the tool's in the world: base · B₁ J₁ B₂ … Jₙ · tool = pose."""
    arm = frames_on_joints(chain)
    first = arm.base @ arm.links[0].before
    closing = Gap(arm.tool @ pose.inverse() @ first, first.inverse() @ pose @ arm.tool.inverse())
    gaps = (closing, *(gap_from_placement(link.before) for link in arm.links[1:]))
    return Loop(gaps, tuple(Axis(i, link.kind.name) for i, link in enumerate(arm.links)))


def joint_value(axis: Axis, motion: Motion, chain: Tree) -> Scalar:
    """The joint's own coordinate: direction · (sense · x − offset); angles in (−π, π]."""
    assert axis.joint is not None
    link, maths = chain.links[axis.joint], chain.maths
    if isinstance(motion, Shift):
        return link.along_z((motion.by if axis.sense == 1 else -motion.by) - link.offset)
    plain = isinstance(link.offset, int) and link.offset == 0
    if motion.beside is not None and (plain or motion.beside.locked is not None):
        return _beside(motion.beside, joint_value(axis, motion.beside.turn, chain), maths)
    cos, sin = motion.cos, motion.sin if axis.sense == 1 else -motion.sin
    if not plain:
        c, s = maths.cos(link.offset), maths.sin(link.offset)
        cos, sin = cos * c + sin * s, sin * c - cos * s
    return _not_minus_pi(maths.atan2(link.along_z(sin), cos), maths)


def _not_minus_pi(angle: Scalar, maths: Maths[Scalar]) -> Scalar:
    """π for −π, which an arc tangent gives for a sine of −0."""
    return maths.select(maths.less(-maths.degrees(Fraction(180)), angle), angle, -angle)


def _beside(beside: Beside, angle: Scalar, maths: Maths[Scalar]) -> Scalar:
    if beside.locked is None:
        return _not_minus_pi(-angle, maths)
    half = maths.degrees(Fraction(180))
    return maths.select(beside.locked, angle, angle + maths.select(maths.less(0, angle), -half, half))


def quotient(a: Scalar, b: Scalar) -> Scalar:
    """a / b that keeps the structure: 0 stays 0, a division by ±1 is left out."""
    if isinstance(a, int) and a == 0:
        return 0
    if isinstance(b, int):
        return a if b == 1 else -a if b == -1 else Fraction(a, b) if isinstance(a, int) else a / b
    return a / b


def crossing_offsets(at: Placement) -> tuple[Scalar, Scalar]:
    """Where two axes cross: how far along the first, how far along the second (of two that do not: the nearest)."""
    u, p = (at.R[0][2], at.R[1][2], at.R[2][2]), at.p
    along = quotient(-(p[0] * u[0] + p[1] * u[1]), u[0] * u[0] + u[1] * u[1])
    return p[2] + along * u[2], along


def pose_from_entries(entries: Sequence[Scalar]) -> Placement:
    """From the 16 entries of a homogeneous matrix, row by row."""
    rows = [tuple(entries[4 * i : 4 * i + 4]) for i in range(3)]
    return Placement(tuple(row[:3] for row in rows), tuple(row[3] for row in rows))  # type: ignore[arg-type]


def defect(T: Sequence[Scalar], maths: Maths[Scalar]) -> Scalar:
    """How far 16 entries are from a pose: the columns unit, square and right-handed, the last row 0 0 0 1."""
    R = pose_from_entries(T).R
    x, y, z = (column(R, j) for j in range(3))
    misses = [dot(x, x) - 1, dot(y, y) - 1, dot(x, y), *sub(cross(x, y), z), T[12], T[13], T[14], T[15] - 1]
    return sum_of(maths.abs(miss) for miss in misses)
