"""Closed forms for the tool's origin alone: every setting of two or three joints that brings it to a point.

Three joints that place a point are solved as they are under a spherical wrist (see `positions`): the arm is read as if
three axes met at the tool's origin, and those are then forgotten. Two parallel turning axes are a planar arm of two
links; how far the point lies out of their plane is left to the caller to judge.

Derived here from `positions`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from manipula.mechanics.models.inverse.classify import classify
from manipula.mechanics.models.inverse.loop import TURN_LEFT, Axis, Loop, joint_value, loop_from_chain
from manipula.mechanics.models.inverse.plan import LOST, Plan, Solutions, read
from manipula.mechanics.models.inverse.positions import CASES, Arm3, Root
from manipula.mechanics.models.inverse.solving import Subproblems, unknowns
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.robot.tree import Link, Tree, in_series
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import Vector
from manipula.messages import Message
from manipula.scalar import Scalar

STRAIGHT = 1e-9  # sine between axes that are parallel
WRIST = 3  # axes that are added


@dataclass(frozen=True)
class PositionPlan:
    """How the joints of an arm are found from a point: `plan` names the case; `chain` is the arm as it is read."""

    plan: Plan
    chain: Tree

    def over(self, chain: Tree) -> PositionPlan:
        """The same over the scalars of another chain."""
        return replace(self, chain=replace(self.chain, maths=chain.maths))

    def of(self, chain: Tree) -> PositionPlan:
        """The same for an arm of that structure, in other numbers or in letters."""
        return replace(self, chain=frames_on_joints(chain) if self._planar else with_wrist(chain))

    @property
    def _planar(self) -> bool:
        return self.plan.structure == "two parallel"

    def loop(self, point: Vector) -> Loop:
        """The arm closed by a pose whose origin is the point."""
        at = Placement(p=point)
        return loop_from_chain(self.chain, at) if self._planar else read(self.plan, self.chain, at)

    def solve(
        self, point: Vector, by: Subproblems, seen: Callable[[Vector], Vector] = lambda p: p
    ) -> tuple[list[Root], Sequence[Axis]]:
        """Every placing, and the axes it moves. `seen` may give names to the point as the first axis sees it."""
        loop = self.loop(point)
        return _of_two(self.chain, loop, point, by, seen) if self._planar else _of_three(self.plan, loop, by, seen)


def position_plan(chain: Tree) -> PositionPlan | None:
    """The closed form of an arm over floats with fixed joints merged; None where it is missing."""
    if chain.dof == 2 and all(link.kind.pivots for link in chain.links):
        return _two_parallel(chain)
    if chain.dof != 3:
        return None
    arm = with_wrist(chain)
    found = classify(arm)
    if found.structure != "spherical" or found.start != chain.dof or found.pad:
        return None
    roles = found.roles[:-1]  # the last is the wrist's
    return PositionPlan(replace(found, title="position of the tool", sentence=found.placing, roles=roles), arm)


def _two_parallel(chain: Tree) -> PositionPlan | None:
    R = frames_on_joints(chain).links[1].before.R
    slant: Any = chain.maths.sqrt(R[0][2] * R[0][2] + R[1][2] * R[1][2])
    if slant > STRAIGHT:
        return None
    said = Message("axes 1 and 2 are parallel: a planar arm of two links")
    return PositionPlan(Plan("two parallel", "", "position of the tool", said, ("elbow",)), frames_on_joints(chain))


def with_wrist(chain: Tree) -> Tree:
    """Three more turning axes, square to one another, that meet at the tool's origin."""
    gaps = (chain.tool, Placement(TURN_LEFT), Placement(TURN_LEFT))
    added = tuple(Link(name=f"added {i}", kind=KINDS["revolute"], before=gap) for i, gap in enumerate(gaps))
    return replace(chain, links=in_series(chain.links + added), tool=HERE)


def placings(position: PositionPlan, point: Vector) -> Solutions:
    """Every branch that brings the tool's origin to a point of the world. No numbers are looked at."""
    arm = position.chain
    by = Subproblems(arm.maths)
    roots, joints = position.solve(point, by)
    q = [_joints(root.motions, joints, arm) for root in roots]
    fit = [root.fit for root in roots]
    return Solutions(q, [arm.maths.less(arm.maths.number(LOST), x) for x in fit], fit, by.fits)


Seen = Callable[[Vector], Vector]


def _of_three(plan: Plan, loop: Loop, by: Subproblems, seen: Seen) -> tuple[list[Root], Sequence[Axis]]:
    d, _, _, a, b, c = loop.gaps
    roots = CASES[plan.case](Arm3(b, c, d.there.p, seen(a.back.p), unknowns(3, 4, 5)), by)  # type: ignore[arg-type]
    return roots, loop.axes[WRIST:]


def _of_two(arm: Tree, loop: Loop, point: Vector, by: Subproblems, seen: Seen) -> tuple[list[Root], Sequence[Axis]]:
    """Z₁ (p + R Z₂ w) = W across z"""
    first, second = arm.links
    W = seen(((arm.base @ first.before).inverse() @ Placement(p=point)).p)
    one, two = unknowns(0, 1)
    roots, fit = by.pair(one, two, second.before.p, second.before.R, arm.tool.p, W)
    return [Root(motions, fit) for motions in roots], loop.axes  # type: ignore[arg-type]


def _joints(motions: Sequence[Any], axes: Sequence[Axis], arm: Tree) -> list[Scalar]:
    q: list[Scalar] = [0] * len(axes)
    for axis, motion in zip(axes, motions, strict=True):
        assert axis.joint is not None
        q[axis.joint] = joint_value(axis, motion, arm)
    return q
