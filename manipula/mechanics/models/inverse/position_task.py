"""Closed forms for the tool's origin alone: every setting of two or three joints that brings it to a point.

Three joints that place a point are solved as they are under a spherical wrist (see `positions`): the arm is read as if
three axes met at the tool's origin, and those are then forgotten. Two parallel turning axes are a planar arm of two
links; how far the point lies out of their plane is left to the caller to judge.

Derived here from `positions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from manipula.mechanics.models.inverse.classify import classify
from manipula.mechanics.models.inverse.plan import LOST, Plan, Solutions, read
from manipula.mechanics.models.inverse.solutions.loop import TURN_LEFT, Axis, joint_value
from manipula.mechanics.models.inverse.solutions.positions import CASES, Arm3, Root
from manipula.mechanics.models.inverse.solutions.solving import Subproblems, unknowns
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.reduce.chains import frames_on_joints
from manipula.mechanics.robot.tree import Link, Tree, in_series
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import Vector

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


def position_plan(chain: Tree) -> PositionPlan | None:
    """The closed form of an arm over floats with fixed joints merged; None where there is none."""
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
    if chain.maths.sqrt(R[0][2] * R[0][2] + R[1][2] * R[1][2]) > STRAIGHT:
        return None
    said = "axes 1 and 2 are parallel: a planar arm of two links"
    return PositionPlan(Plan("two parallel", "", "position of the tool", said, ("elbow",)), frames_on_joints(chain))


def with_wrist(chain: Tree) -> Tree:
    """Three more turning axes, square to one another, that meet at the tool's origin."""
    gaps = (chain.tool, Placement(TURN_LEFT), Placement(TURN_LEFT))
    added = tuple(Link(name=f"added {i}", kind=KINDS["revolute"], before=gap) for i, gap in enumerate(gaps))
    return replace(chain, links=in_series(chain.links + added), tool=HERE)


def placings(position: PositionPlan, point: Vector) -> Solutions:
    """Every branch that brings the tool's origin to a point of the world. No numbers are looked at."""
    arm, plan = position.chain, position.plan
    by = Subproblems(arm.maths)
    roots, joints = (_of_two if plan.structure == "two parallel" else _of_three)(plan, arm, point, by)
    q = [_joints(root.motions, joints, arm) for root in roots]
    fit = [root.fit for root in roots]
    return Solutions(q, [arm.maths.less(arm.maths.number(LOST), x) for x in fit], fit, by.fits)


def _of_three(plan: Plan, arm: Tree, point: Vector, by: Subproblems) -> tuple[list[Root], Sequence[Axis]]:
    loop = read(plan, arm, Placement(p=point))
    d, _, _, a, b, c = loop.gaps
    roots = CASES[plan.case](Arm3(b, c, d.there.p, a.back.p, unknowns(3, 4, 5)), by)  # type: ignore[arg-type]
    return roots, loop.axes[WRIST:]


def _of_two(plan: Plan, arm: Tree, point: Vector, by: Subproblems) -> tuple[list[Root], Sequence[Axis]]:
    """Z₁ (p + R Z₂ w) = W across z"""
    first, second = arm.links
    W = ((arm.base @ first.before).inverse() @ Placement(p=point)).p
    one, two = unknowns(0, 1)
    roots, fit = by.pair(one, two, second.before.p, second.before.R, arm.tool.p, W)
    return [Root(motions, fit) for motions in roots], [Axis(0, "revolute"), Axis(1, "revolute")]  # type: ignore[arg-type]


def _joints(motions: Sequence[Any], axes: Sequence[Axis], arm: Tree) -> list[Any]:
    q: list[Any] = [0] * len(axes)
    for axis, motion in zip(axes, motions, strict=True):
        assert axis.joint is not None
        q[axis.joint] = joint_value(axis, motion, arm)
    return q
