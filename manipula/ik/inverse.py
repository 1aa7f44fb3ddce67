"""Inverse kinematics for people: every solution of a pose, with its name, its reasons and its limits.

`InverseSolver` is prepared once for an arm; calling it with a pose finds the answers at once. What costs time (polish,
merging of double roots, families, reasons) happens when it is requested, or when the closed form itself says that a
branch wants a closer look. Arms with a closed form are solved by `closed`, others by `unclosed` from solutions that are
`counted` or searched; `redundant` knows the parameter of an arm with more joints than a pose needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.ik.answers import Answers, InverseBatch, InverseResult
from manipula.ik.branch_selection import (
    Closed,
    choice_table,
    closed_over_arrays,
    closed_rows,
    code_for_many,
    order_branches,
    refine_unsettled,
    seat_of,
    settled_poses,
)
from manipula.ik.descent import JointSpace
from manipula.ik.general6r.solver import General6R
from manipula.ik.numeric import poses
from manipula.ik.numeric.arrays import Floats, Kinematics, jacobian_of, pose_of
from manipula.ik.numeric.newton import residual
from manipula.ik.numeric.tolerances import BranchTolerance, ParameterTolerance, SearchTolerance
from manipula.ik.redundant import Parameter
from manipula.ik.solver import AcceptedBranches, Nearest, Raw, away_text, nearest_reason
from manipula.ik.without_closed_form import (
    TASKS,
    counted_solutions,
    found_branches,
    general_solver,
    nearest_found,
    searched_branches,
    side_by_side,
    starts,
    unclosed_result,
)
from manipula.mechanics.models.inverse.classify import classify
from manipula.mechanics.models.inverse.plan import Plan
from manipula.mechanics.robot.tree import Tree

if TYPE_CHECKING:
    from manipula.algebra.run.inverse import ManyTargets

ALIGNED = 512  # configurations whose poses the closed form is tried on


class InverseSolver(JointSpace):
    """All solutions of an arm.

    `chain` is over floats, fixed joints merged. `closed`, `pose` and `jacobian` may be compiled functions of arrays
    with the same meaning as the models of these names; without them the models' own text runs on arrays.
    """

    machine_code = ("general", "descent", "native")

    def __init__(
        self,
        chain: Tree,
        limits: Sequence[tuple[float, float]] | None = None,
        *,
        closed: Closed | None = None,
        pose: Kinematics | None = None,
        jacobian: Kinematics | None = None,
        plan: Plan | None = None,
    ) -> None:
        super().__init__(chain, limits)
        self.plan = plan or classify(chain)
        self.pose, self.jacobian = pose or pose_of(chain), jacobian or jacobian_of(chain)
        self.closed = closed or (closed_over_arrays(self.plan, chain) if self.plan.has_closed_form else None)
        self.parameter = Parameter(self.plan, chain, (self.low, self.high), self.size)

    def __repr__(self) -> str:
        return f"<solver of {repr(self.plan).strip('<>')}>"

    @cached_property
    def tolerances(self) -> poses.Tolerances:
        """What answers are measured by."""
        return poses.tolerances_of(self.size, self.defect, self.freedoms)

    @cached_property
    def freedoms(self) -> int:
        """In how many ways the joints move the tool: fewer than six where they are few, or move it alike."""
        if self.chain.dof < 6:
            return self.chain.dof
        # at samples and not at one place: there the arm might be singular by chance
        q = poses.sample_configurations(*self.walls, self.turning, self.size)
        return poses.rank_of(poses.scale_jacobian(self.jacobian(q), self.turning, self.size))

    @cached_property
    def table(self) -> Floats:
        """What the choice among branches goes by."""
        return choice_table(self)

    @cached_property
    def native(self) -> ManyTargets | None:
        """The closed form of many poses and the choice among its branches in machine code; None where it is missing."""
        return code_for_many(self)

    @cached_property
    def defect(self) -> float:
        """By how much the arm is not what its closed form takes it for, m: its branches miss poses by that much."""
        if self.closed is None:
            return 0.0
        q = poses.sample_configurations(self.low, self.high, self.turning, self.size)
        values = self.parameter.samples(q)
        rows = closed_rows(self, self.pose(q).reshape(-1, 16), values)
        return poses.defect_of(rows.q, rows.margin, self.pose(q), self.pose, self.size)

    def __call__(
        self,
        pose: ArrayLike,
        seed: ArrayLike | None = None,
        parameter: ArrayLike | None = None,
        tolerance: float | None = None,
    ) -> Any:
        """`pose` (4, 4) → InverseResult; (…, 4, 4) → InverseBatch. `parameter`: see `parameter_of`.

        `tolerance`: the largest entry of |FK − pose| of an answer, where that is not the arm's own.
        """
        T = poses.poses_from_value(pose)
        near = None if seed is None else poses.joints_from_value(seed, self.chain.dof)
        values = self._parameter_values(near, parameter)
        if tolerance is not None:
            return self._within_tolerance(T, near, values, parameter, poses.checked_tolerance(tolerance))
        if T.ndim > 2:
            return self._batch(T, near, values, searching=parameter is None)
        if self.closed is None:
            T = poses.checked_poses(T)
            result = unclosed_result(self, T, near, self._counted_solutions(T[None], values)[0], values)
            return self._searched_if_empty(result, parameter)
        exact, accepted = settled_poses(self, T.reshape(1, 16), values, near)
        T = exact.reshape(4, 4).copy()  # what is computed later must not depend on what the caller does to his array
        # near a singularity the quick way does not decide: every branch is then refined and judged
        if accepted.unsettled.any():
            return self._searched_if_empty(InverseResult(self, T, seed=near, parameter=values), parameter)
        q, valid = accepted.q.reshape(-1, self.chain.dof), np.ravel(accepted.valid)
        result = InverseResult(self, T, q[order_branches(q, valid, near)], near, values)
        if values is None:
            return self._searched_if_empty(result, parameter) if self._alike else result
        place = seat_of(self, T, near, q, valid, self.tolerances.exact, values)
        if place is not None:
            q[place], valid[place] = near, True
            result.accept_quick(q, valid)
        return self._searched_if_empty(result, parameter)

    def _within_tolerance(
        self,
        T: Floats,
        seed: Floats | None,
        values: Floats | None,
        parameter: ArrayLike | None,
        tolerance: float | None,
    ) -> InverseResult | InverseBatch:
        """Every branch is looked at, and brought as near as it comes."""
        T = poses.checked_poses(T, tolerance)
        if T.ndim > 2:
            return self._batch(T, seed, values, tolerance, searching=parameter is None)
        if self.closed is None:
            result = unclosed_result(self, T, seed, self._counted_solutions(T[None], values)[0], values, tolerance)
        else:
            result = InverseResult(self, T, seed=seed, parameter=values, tolerance=tolerance)
        return self._searched_if_empty(result, parameter, tolerance)

    def _searched_if_empty(
        self, result: InverseResult, parameter: ArrayLike | None, tolerance: float | None = None
    ) -> InverseResult:
        """The same where it has answers; what is not found may be lost all the same, and is searched for.

        Few joints are lost where a closed form says nothing about one of them (two axes in line leave it only their
        sum, while the position knows both), redundant ones where the limits leave them values between those tried.
        """
        if parameter is not None or len(result.q):
            return result
        # where the limits alone forbid every branch there is nothing to search for
        if self.plan.parameter or (self._may_miss and not result.reached):
            searched = unclosed_result(self, result.pose, result.seed, None, None, tolerance)
            return searched if len(searched.q) or (searched.reached and not result.reached) else result
        return result

    @cached_property
    def _may_miss(self) -> bool:
        """Whether a closed form or an elimination may have no answer to a pose that the arm meets but for rounding."""
        return self.freedoms < 6 and (self.closed is not None or (self._alike and self.general is not None))

    @cached_property
    def loses_aligned_poses(self) -> bool:
        """Whether the closed form misses poses at which none of its branches meet.

        Seen on configurations with joints at quarter turns, at which axes are in line if they ever are.
        """
        rng = np.random.default_rng(3)
        q = rng.uniform(-np.pi, np.pi, (ALIGNED, self.chain.dof))
        quarters = np.where(self.turning, np.rint(q * 2 / np.pi) * np.pi / 2, 0.0)
        q = np.where(rng.random(q.shape) < 0.7, quarters, q)
        T = self.pose(q)
        values = np.array([self.parameter_of(x) for x in q]) if self.parameter.exists else None
        raw = closed_rows(self, T.reshape(-1, 16), values)
        found = (residual(self.pose(raw.q), T[:, None]) <= self.tolerances.exact).any(-1)
        return bool((~found & (raw.margin > BranchTolerance.MARGIN)).any())

    @cached_property
    def _alike(self) -> bool:
        """Whether joints move the tool alike: a pose that is a little off may then be out of reach of every branch."""
        return self.freedoms < 6 <= self.chain.dof

    def _parameter_values(self, seed: Floats | None, parameter: ArrayLike | None) -> Floats | None:
        if self.parameter.exists:
            return self.parameter.values(None if seed is None else self.parameter_of(seed), parameter)
        if parameter is not None:
            raise InputError("parameter: this arm is not redundant and takes none")
        return None

    def parameter_of(self, q: ArrayLike) -> float:
        """What to give as `parameter` so that configuration q of a redundant arm is among the answers."""
        return self.parameter.value_at(q, self.pose, self.jacobian)

    def raw(self, T: Floats, seed: Floats | None, values: Floats | None = None) -> Raw:
        """Every branch of one pose as it comes: of the closed form, or found by elimination or search."""
        if self.closed is None:
            solutions = self._counted_solutions(T[None], values)[0]
            return searched_branches(self, T, seed) if solutions is None else found_branches(solutions)
        q, valid, discriminant, margin, pose_error = closed_rows(self, T.reshape(1, 16), values)
        return Raw(q.reshape(-1, q.shape[-1]), valid.ravel(), discriminant.ravel(), margin.min(), pose_error[0])

    def stands_for(self, seed: Floats, values: Floats | None) -> bool:
        """Whether a seed's own parameter is among the values; an arm without one has nothing to ask."""
        return values is None or bool(np.abs(values - self.parameter_of(seed)).min() <= ParameterTolerance.APART)

    @cached_property
    def general(self) -> General6R | None:
        """Elimination and eigenvalues, where they apply."""
        return general_solver(self.plan, self.chain)

    def _counted_solutions(self, T: Floats, values: Floats | None) -> Sequence[Floats | None]:
        """All solutions of poses (n, 4, 4) by elimination; None where that does not apply or the count is not full."""
        return counted_solutions(self.general, self, T, values)

    def _batch(
        self,
        T: Floats,
        seed: Floats | None,
        values: Floats | None,
        tolerance: float | None = None,
        searching: bool = False,
    ) -> InverseBatch:
        """`searching`: nobody has given the values of the parameter, and poses without an answer are searched."""
        if self.closed is None:
            return self._batch_unclosed(poses.checked_poses(T, tolerance), seed, values, tolerance, searching)
        exact, accepted = settled_poses(self, T.reshape(-1, 16), values, seed)
        if tolerance is not None:
            # the quick way knows the arm’s own tolerance alone
            accepted.unsettled[:] = True
        if accepted.unsettled.any():
            refine_unsettled(self, exact, values, seed, accepted, tolerance)
        if searching and (self.parameter.exists or self.freedoms < 6):
            self._search_empty(exact, values, seed, accepted, tolerance)
        pose = exact.reshape(T.shape).copy()  # as above: the caller's array is his
        each = (1 if values is None else values.size) * accepted.valid.shape[-1]
        shape = (*T.shape[:-2], each)
        return InverseBatch(self, pose, accepted.q.reshape(*shape, self.chain.dof), accepted.valid.reshape(shape))

    def _batch_unclosed(
        self, T: Floats, seed: Floats | None, values: Floats | None, tolerance: float | None, searching: bool
    ) -> InverseBatch:
        poses, parameter, answers = T.reshape(-1, 4, 4), None if searching else values, []
        for pose, q in zip(poses, self._counted_solutions(poses, values), strict=True):
            result = unclosed_result(self, pose, seed, q, values, tolerance)
            answers.append(self._searched_if_empty(result, parameter, tolerance).q)
        q, valid = side_by_side(answers, self.chain.dof)
        lead = T.shape[:-2]
        return InverseBatch(self, T, q.reshape(*lead, *q.shape[1:]), valid.reshape(*lead, valid.shape[1]))

    def _search_empty(
        self, T: Floats, values: Floats | None, seed: Floats | None, found: AcceptedBranches, tolerance: float | None
    ) -> None:
        """Poses without an answer of which the closed form cannot be sure, in place (see `_searched_if_empty`)."""
        each = 1 if values is None else values.size
        unsure = found.unsettled.reshape(-1, each).any(-1) | self.parameter.exists | self._alike
        most = each * found.valid.shape[-1]
        valid, q = found.valid.reshape(len(T), most), found.q.reshape(len(T), most, self.chain.dof)
        for i in np.flatnonzero(unsure & ~valid.any(-1)):
            result = unclosed_result(self, T[i].reshape(4, 4), seed, None, None, tolerance)
            answers = result.q[: valid.shape[-1]]
            q[i, : len(answers)], valid[i, : len(answers)] = answers, True

    def away(self, T: Floats, at: Floats) -> str:
        """How far apart two poses are, in words."""
        return away_text(T, at)

    def elsewhere(self, q: Floats, values: Floats | None) -> str:
        """What to say of a pose that a redundant arm reaches in configuration q, its parameter being elsewhere."""
        return self.parameter.elsewhere(self.parameter_of(q), values)

    def nearest(self, pose: ArrayLike, seed: ArrayLike | None = None, task: str = "pose") -> Nearest:
        """The configuration inside the limits whose pose is nearest in least squares.

        `task`: "pose" compares all 12 entries, "position" the tool's origin, "direction" its z axis, "axis" both.
        """
        if task not in TASKS:
            raise InputError("task: expected one of {tasks}, found {task!r}", ", ".join(TASKS), task)
        T = poses.checked_poses(poses.poses_from_value(pose))
        if T.ndim > 2:
            raise InputError("pose: nearest takes one pose, found {shape}", T.shape)
        near = None if seed is None else poses.joints_from_value(seed, self.chain.dof)
        q = starts(self, near)
        if self.closed is not None and not self.plan.parameter:
            # even out of reach the branches of the closed form are good starts
            q = np.concatenate([self.raw(T, near).q, q])
        best, distance = nearest_found(self, T, q, task, (self.pose, self.jacobian))
        rejected = self._reason_of_limits(T, near) if task == "pose" and self.limited else ""
        reached = distance <= max(SearchTolerance.REACHED, self.tolerances.exact)
        return Nearest(best, distance, nearest_reason(T, self.pose(best), reached, rejected))

    def _reason_of_limits(self, T: Floats, seed: Floats | None) -> str:
        """The limits alone that keep the arm from a pose."""
        return Answers(self, T, seed, self.raw(T, seed, self._parameter_values(seed, None))).limits_text
