"""What the parts of inverse kinematics know of a solver, and what a closed form hands them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from manipula.ik.descent.machine import Descent
from manipula.ik.numeric.arrays import Bits, Floats, Kinematics
from manipula.ik.numeric.measures import Tolerances
from manipula.mechanics.models.inverse.plan import Plan
from manipula.mechanics.robot.tree import Tree

if TYPE_CHECKING:
    from manipula.algebra.run.inverse_batch import ManyTargets


class Raw(NamedTuple):
    """What a closed form gives for a pose, or for each of many: `fit`, `calm` and `defect` of the model
    `inverse_kinematics` are the discriminant of each branch, the least of their amounts, and the distance from a pose.
    """

    q: Floats
    valid: Floats
    discriminant: Floats
    margin: Floats
    pose_error: Floats

    def row(self) -> Raw:
        """One pose as a batch of one."""
        return Raw(*(np.asarray(part)[None] for part in self))


class AcceptedBranches(NamedTuple):
    """Of many poses: branches (n, branches, dof), which are answers, and which poses want a closer look."""

    q: Floats
    valid: Bits
    unsettled: Bits


class Nearest(NamedTuple):
    """The nearest pose an arm can take: configuration, Frobenius distance of the 4×4 matrices, and a sentence."""

    q: Floats
    distance: float
    reason: str


class Solver(Protocol):
    """An arm ready to be solved: geometry, limits, forward functions of arrays."""

    chain: Tree
    plan: Plan
    low: Floats
    high: Floats
    limited: bool
    turning: Bits
    pose: Kinematics
    jacobian: Kinematics
    closed: Any

    @property
    def span(self) -> tuple[Floats, Floats]: ...
    @property
    def walls(self) -> tuple[Floats, Floats]: ...
    @property
    def angles(self) -> Bits: ...
    @property
    def table(self) -> Floats: ...
    @property
    def native(self) -> ManyTargets | None: ...
    @property
    def size(self) -> float: ...
    @property
    def tolerances(self) -> Tolerances: ...
    @property
    def descent(self) -> Descent | None: ...
    def raw(self, T: Floats, seed: Floats | None, values: Floats | None = None) -> Raw: ...
    def stands_for(self, seed: Floats, values: Floats | None) -> bool: ...
    def away(self, T: Floats, at: Floats) -> str: ...
    def elsewhere(self, q: Floats, values: Floats | None) -> str: ...
    def nearest(self, pose: ArrayLike, seed: ArrayLike | None = None, task: str = "pose") -> Nearest: ...
