"""Inverse kinematics of an arm in which joints on the road to the tool follow others: telescopes, belts, mimic fingers.

What is solved for are the coordinates. No closed form of free joints knows that joints move together, so all answers
are searched for, with the pose and the Jacobian J C of the coordinates that move the tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np

from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import Bits, Floats, Kinematics, span_of
from manipula.ik.numeric.poses import size_of
from manipula.ik.numeric.tolerances import NewtonTolerance
from manipula.mechanics.models.inverse.plan import ArmKind, Plan
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.topology import road_coordinates
from manipula.mechanics.robot.tree import Link, Tree, in_series
from manipula.messages import Message

SAMPLES = 8  # configurations at which the Jacobian's rank is looked at

Moved = list[tuple[Link, Fraction]]  # the joints that a coordinate moves, each with its factor


class CoupledSolver(InverseSolver):
    """All solutions, one entry a coordinate that moves the tool; `tree` is the robot over floats, `pose` and `jacobian`
    are functions of all its coordinates."""

    def __init__(
        self,
        robot: RobotDescription,
        tree: Tree,
        limits: Sequence[tuple[float, float]],
        *,
        pose: Kinematics,
        jacobian: Kinematics,
    ) -> None:
        road, moves = tree.road(), road_coordinates(robot)
        own, self._road = moves.effective, road
        self._moved: list[Moved] = [[(road.links[i], k) for i, k in moves.columns[c]] for c in own]

        def whole(x: Floats) -> Floats:
            """All coordinates; those beside the road do not move the tool."""
            return np.asarray(x, dtype=float) @ np.eye(robot.dof)[own]

        def slopes(x: Floats) -> Floats:
            return np.asarray(jacobian(whole(x)))[..., own]

        standing = replace(road, links=in_series(joints[0][0] for joints in self._moved), tip=None, couplings=None)
        super().__init__(
            standing, [limits[c] for c in own], pose=lambda x: pose(whole(x)), jacobian=slopes, plan=coupled_plan(robot)
        )
        self.turning: Bits = np.array([_periodic(joints) for joints in self._moved])
        self.plan = replace(self.plan, free=self._idle())

    @cached_property
    def size(self) -> float:
        """The road's reach, roughly, m; at least 1."""
        return size_of(self._road)

    @property
    def span(self) -> tuple[Floats, Floats]:
        """Within its walls, where a coordinate has some."""
        low, high = self.walls
        reach = np.array([_reach(joints, self.size) for joints in self._moved])
        least, most = span_of(self.low, self.high, reach)
        return np.where(np.isfinite(low), low, least), np.where(np.isfinite(high), high, most)

    @property
    def walls(self) -> tuple[Floats, Floats]:
        """A coordinate that comes round after several turns is looked for on one round, inside its limits."""
        each = [_round(*ends) for ends in zip(self._moved, self.low, self.high)]
        return np.array([low for low, _ in each]), np.array([high for _, high in each])

    @property
    def angles(self) -> Bits:
        return np.array([all(link.kind.pivots for link, _ in joints) for joints in self._moved])

    @cached_property
    def descent(self) -> None:
        """Its machine code is that of free joints."""
        return None

    def _idle(self) -> int:
        """By how much there are more coordinates than directions in which they move the tool."""
        # a fixed seed: the same arm has the same plan in every process
        spread = np.random.default_rng(7).uniform(*self.span, (SAMPLES, self.chain.dof))
        # the largest rank among samples: one of them may be singular by chance
        sizes = np.linalg.svd(self.jacobian(spread), compute_uv=False)
        rank = (sizes > NewtonTolerance.RANK * sizes.max(-1, keepdims=True)).sum(-1).max()
        return self.chain.dof - int(rank)


def coupled_plan(robot: RobotDescription) -> Plan:
    """Of a robot in which joints on the road to the tool follow others."""
    odd, count = road_coordinates(robot).followers, len(road_coordinates(robot).effective)
    named = (
        Message("joint {odd!r} follows", odd[0])
        if len(odd) == 1
        else Message("joints {odd} follow", ", ".join(map(repr, odd)))
    )
    why = (
        Message(
            "{named} others, and no closed form knows joints that move together; numeric solution in one coordinate",
            named,
        )
        if count == 1
        else Message(
            "{named} others, and no closed form knows joints that move together; numeric solution in "
            "{count} coordinates",
            named,
            count,
        )
    )
    return Plan("none", "", "numeric", why, kind=ArmKind.NUMERIC)


def _periodic(joints: Moved) -> bool:
    """Whether a whole turn of the coordinate leaves all joints where they were."""
    return all(link.kind.pivots and factor.denominator == 1 for link, factor in joints)


def _reach(joints: Moved, size: float) -> float:
    """How far from zero there may be answers: of turns half a round, of slides the arm's size."""
    slides = [abs(float(factor)) for link, factor in joints if not link.kind.pivots]
    return max(np.pi * _turns(joints), size / min(slides) if slides else 0.0)


def _turns(joints: Moved) -> int:
    """After so many turns of the coordinate all joints that turn are where they were."""
    # a belt of 2:3 comes round after two turns of the coordinate
    return lcm(*(factor.denominator for link, factor in joints if link.kind.pivots))


def _round(joints: Moved, low: float, high: float) -> tuple[float, float]:
    """Where a coordinate that moves turning joints by parts of turns is looked for; elsewhere there are no walls."""
    if _periodic(joints) or not all(link.kind.pivots for link, _ in joints):
        return -np.inf, np.inf
    whole = 2 * np.pi * _turns(joints)
    if np.isfinite(low):
        return low, high if np.isfinite(high) else low + whole
    return (high - whole, high) if np.isfinite(high) else (-whole / 2, whole / 2)
