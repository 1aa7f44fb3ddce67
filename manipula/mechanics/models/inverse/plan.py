"""A plan: how to read an arm's loop so that a closed form fits. Decided once on numbers, replayed over any scalar.

Replaying is exact: frames slide to where axes cross by formulas in the arm's own parameters. What the numbers only show
to be zero or one within `SNAP` (a rotation by 1.5707963 in a URDF) is set to exactly that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from itertools import product
from typing import Any

from manipula.mechanics.models.inverse.loop import (
    Gap,
    Loop,
    crossing_offsets,
    gap_from_placement,
    joint_value,
    loop_from_chain,
    pose_from_entries,
)
from manipula.mechanics.models.inverse.runs import Runs
from manipula.mechanics.models.inverse.solving import Subproblems
from manipula.mechanics.models.inverse.splits import by_runs
from manipula.mechanics.models.inverse.structures import STRUCTURES, Branch, angle_of, arm_angle, closure
from manipula.mechanics.models.inverse.subproblems import STILL, Turn
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.placement import Placement
from manipula.messages import Message
from manipula.scalar import Maths, Scalar, Tolerance

SNAP = 1e-10
MISS = Tolerance("1e-20", "1e-8")  # squared distance from a closed loop that arms with few joints are allowed
LOST = Tolerance("-1e-12", "-1e-5")  # below this `fit` a branch is not there

Mask = tuple[int | None, ...]  # of a gap's 12 entries: what each is set to


@dataclass(frozen=True)
class Slide:
    """Where the axes on both sides of a gap cross: which of them slides there."""

    gap: int
    before: bool
    after: bool


@dataclass(frozen=True)
class Pad:
    """Axes added to an arm with few joints: how many, whether at its base; where on the axis beside them they meet.

    That is `shift` (m) from where the axis before comes nearest, or from the origin of the axis' own frame.
    """

    count: int
    from_base: bool = False
    nearest: bool = False
    shift: int = 0


class ArmKind(Enum):
    """How the inverse kinematics of an arm is solved."""

    CLOSED = "closed form"
    SIX = "elimination"  # of its six turning joints
    FEWER = "elimination with axes added"
    HELD = "elimination with a joint held"
    NUMERIC = "numeric"


@dataclass(frozen=True, repr=False)
class Plan:
    """`structure` and `case` name the closed form; `roles` its binary choices; the rest is how to read the loop.

    What the solver does goes by `kind` and the data below; `title` and `sentence` are for people.
    """

    structure: str
    case: str
    title: str
    sentence: str
    roles: tuple[str, ...] = ()
    start: int = 0
    slides: tuple[Slide, ...] = ()
    flips: tuple[int, ...] = ()
    backwards: bool = False  # read from the tool to the base
    carried: int | None = None  # the slide that is read last
    pad: Pad | None = None
    runs: Runs = ()  # rows of parallel axes
    fixed_joint: int | None = None  # joint whose value is an input
    parameter: str = ""  # what that input is
    free: int = 0  # by how much fewer than six joints are too many: the arm moves with its tool at rest
    kind: ArmKind = ArmKind.CLOSED
    placing: str = ""  # the part of the sentence on the joints that place the point where the others meet
    group: tuple[int, ...] = ()  # the joints that meet or are parallel: they follow where another is free
    masks: dict[int, Mask] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        count = 2 ** len(self.roles)
        form = f"closed form, {count} branch{'es' if count > 1 else ''}" if self.has_closed_form else "no closed form"
        return f"<inverse kinematics, {self.title}: {form}; {self.sentence}>"

    def as_dict(self) -> dict[str, Any]:
        """The class of the arm; how its loop is read is no use outside."""
        return {
            "class": Message(self.title),
            "kind": self.kind.value,
            "why": Message(self.sentence),
            "closed_form": self.has_closed_form,
            "branch_count": 2 ** len(self.roles) if self.has_closed_form else None,
            "roles": list(map(Message, self.roles)),
            "free": Message(self.parameter) if self.parameter else None,
        }

    @property
    def has_closed_form(self) -> bool:
        """Whether there is a closed form."""
        return self.kind is ArmKind.CLOSED

    @property
    def has_code(self) -> bool:
        """Whether there is code for it: formulas, or elimination."""
        return self.kind in (ArmKind.CLOSED, ArmKind.SIX)

    @property
    def branch_names(self) -> list[str]:
        """One for each branch, in order: a sign for each two-way choice."""
        return list(self.settings)

    @property
    def settings(self) -> dict[str, tuple[str, ...]]:
        """Branch → the sign of each role."""
        signs = product("+−", repeat=len(self.roles))
        return {", ".join(map(" ".join, zip(self.roles, choice, strict=True))) or "only": choice for choice in signs}


@dataclass(frozen=True)
class Solutions:
    """Every branch of one pose: joint vectors, 1 or 0 for whether it is there, and how safely.

    `fits` are those of all equations on the way: a branch out of reach at the elbow may be so only because its wrist is
    locked, and of its two the fit of the elbow is the smaller.
    """

    q: list[list[Any]]
    valid: list[Scalar]
    fit: list[Scalar]
    fits: list[Scalar]

    def calm(self, maths: Maths[Scalar]) -> Any:
        """The smallest |fit|: where it is not small, no two branches meet and nothing is undetermined."""
        return reduce(maths.minimum, map(maths.abs, self.fits or self.fit))


def read(plan: Plan, chain: Tree, pose: Placement, parameter: Any = None) -> Loop:
    """The loop in the plan's order and gauge."""
    loop = loop_from_chain(chain, pose)
    if plan.fixed_joint is not None:
        loop = loop.with_fixed(plan.fixed_joint, chain.links[plan.fixed_joint].motion(parameter, chain.maths))
    loop = loop if plan.pad is None else pad_loop(loop, plan.pad)
    loop = (loop.backwards() if plan.backwards else loop).from_axis(plan.start)
    for axis in plan.flips:
        loop = loop.flip_axis(axis)
    loop = loop if plan.carried is None else loop.move_slide_last(plan.carried)
    for step in plan.slides:
        first, second = crossing_offsets(loop.gaps[step.gap].there)
        loop = loop.slide_axis(step.gap - 1, first) if step.before else loop
        loop = loop.slide_axis(step.gap, second) if step.after else loop
    return _snap_gaps(loop, plan.masks)


def pad_loop(loop: Loop, pad: Pad) -> Loop:
    """The loop with axes added at its end; from its base it is read backwards first."""
    loop, last = loop.backwards() if pad.from_base else loop, loop.size - 1
    loop = loop.slide_axis(last, crossing_offsets(loop.gaps[last].there)[1]) if pad.nearest else loop
    return loop.slide_axis(last, pad.shift).pad_axes(pad.count)


def _snap_gaps(loop: Loop, masks: dict[int, Mask]) -> Loop:
    gaps = [_snapped_gap(gap, masks[i]) if i in masks else gap for i, gap in enumerate(loop.gaps)]
    return Loop(tuple(gaps), loop.axes, loop.pose_gap)


def entries(at: Placement) -> list[Scalar]:
    return [x for row in at.R for x in row] + list(at.p)


def _snapped_gap(gap: Gap, mask: Mask) -> Gap:
    x = [old if new is None else new for old, new in zip(entries(gap.there), mask, strict=True)]
    return gap_from_placement(Placement((tuple(x[:3]), tuple(x[3:6]), tuple(x[6:9])), tuple(x[9:])))  # type: ignore[arg-type]


def branches(plan: Plan, chain: Tree, T: Sequence[Scalar], parameter: Any = None) -> Solutions:
    """All branches of the pose with the 16 entries T. The closed form itself: no numbers are looked at."""
    maths = chain.maths
    loop = read(plan, chain, pose_from_entries(T), parameter)
    by = Subproblems(maths)
    found = solve_plan(plan, loop, parameter, by)
    q = [_joints(loop, branch, chain, plan, parameter) for branch in found]
    fit = [_closure_discriminant(loop, branch, maths) if chain.dof < 6 else branch.fit for branch in found]
    return Solutions(q, [maths.less(maths.number(LOST), x) for x in fit], fit, by.fits)


def solve_plan(plan: Plan, loop: Loop, parameter: Scalar, by: Subproblems) -> list[Branch]:
    """The plan's closed form on a loop that was read for it."""
    if plan.structure == "arm angle":
        return arm_angle(loop, parameter, by)
    if plan.structure == "runs":
        return [Branch(*found) for found in by_runs(loop, plan.runs, plan.case, by)]
    return STRUCTURES[plan.structure](loop, plan.case, by)


def _joints(loop: Loop, branch: Branch, chain: Tree, plan: Plan, parameter: Scalar) -> list[Scalar]:
    q: list[Scalar] = [parameter] * chain.dof
    for axis, motion in zip(loop.axes, branch.motions, strict=True):
        if axis.joint is not None:
            q[axis.joint] = joint_value(axis, motion, chain)
    return q


def _closure_discriminant(loop: Loop, branch: Branch, maths: Maths[Scalar]) -> Scalar:
    """The fit of an arm that reaches few poses: none unless the loop closes, added axes at zero."""
    motions = tuple(STILL if axis.joint is None else x for axis, x in zip(loop.axes, branch.motions, strict=True))
    closes = maths.less(closure(loop, motions), maths.number(MISS))
    return maths.select(closes, branch.fit, -1)


def parameter_of(plan: Plan, chain: Tree, q: Sequence[Scalar], pose: Placement) -> Any:
    """The value of the plan's parameter in configuration q, whose pose is given."""
    if plan.fixed_joint is not None:
        return q[plan.fixed_joint]
    loop = read(plan, chain, pose)
    links = [chain.links[axis.joint] for axis in loop.axes if axis.joint is not None]
    angles = [link.offset + link.along_z(x) for link, x in zip(links, q, strict=True)]
    turns = tuple(Turn(chain.maths.cos(x), chain.maths.sin(x)) for x in angles)
    return angle_of(loop, turns, chain.maths)
