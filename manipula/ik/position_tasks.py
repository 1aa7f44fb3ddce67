"""Inverse kinematics of a part of the pose: the tool's origin, or its origin and the direction of its z axis.

The answers are those of a pose, in the same result: what does not count is masked, in the target and in the arm's own
functions alike, so that residuals, limits, order and families mean what they mean elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.ik import position_targets
from manipula.ik.answers import Answers, InverseBatch, InverseResult
from manipula.ik.branch_selection import choice_table
from manipula.ik.descent import JointSpace
from manipula.ik.numeric import newton, poses
from manipula.ik.numeric.arrays import Floats, Kinematics, distances, jacobian_of, pose_of
from manipula.ik.numeric.tolerances import BranchTolerance, PartialTolerance, SearchTolerance
from manipula.ik.position_branches import AxisBranches, Branches, PositionBranches
from manipula.ik.solver import Nearest, Raw, Solver, solution_names
from manipula.ik.without_closed_form import distinct, nearest_found, side_by_side, starts
from manipula.mechanics.robot.tree import Tree

# Beside a singular target, where a joint hardly moves the tool: its angle is tried all around.
#
# A point 1e-9 m from an axis fixes the angle about it, but the roots that lead there are of squares of such lengths and
# have lost it. So a branch that all but meets its target is turned about each of its joints in steps; from each the
# joints that matter are put right first, then all of them.

TURNS = 16


def completed_branches(solver: Solver, T: Floats, q: Floats, joints: list[int]) -> Floats:
    """The branches (k, n), those that all but meet the target T made to meet it; `joints` turn."""
    exact, near = solver.tolerances.exact, q.copy()
    near, worst = newton.newton_polish(near, T, solver.pose, solver.jacobian)
    lost = np.flatnonzero((worst > exact) & (worst < PartialTolerance.ALMOST * solver.size))
    met = near[worst <= exact]
    for row in lost if joints else ():
        solutions = _solutions_around(solver, T, near[row], joints, exact)
        new = [x for x in solutions if not len(met) or distances(met, x, solver.turning).min() > BranchTolerance.SAME]
        if new:
            q[row] = new[0]
            met = np.concatenate([met, new[:1]])
    return q


def _solutions_around(solver: Solver, T: Floats, q: Floats, joints: list[int], exact: float) -> Floats:
    """Distinct solutions from all around one configuration."""
    angles = np.arange(TURNS) * (2 * np.pi / TURNS)
    starts = q + angles[:, None, None] * np.eye(len(q))[joints]
    x = starts.reshape(-1, len(q))
    for rank, steps in ((PartialTolerance.STRONG, 2), (PartialTolerance.WEAK, 8)):
        x, worst = newton.newton_polish(x, T, solver.pose, solver.jacobian, steps=steps, rank=rank)
    return distinct(x[worst <= exact], solver.turning)


PARTS = ("pose", "position", "axis")
ASKED = {"position": 3, "axis": 5}  # numbers that a target has


def checked_task(task: str) -> str:
    if task not in PARTS:
        raise InputError("task: expected one of {tasks}, found {task!r}", ", ".join(PARTS), task)
    return task


class PartialBranches(NamedTuple):
    """Branches with the free joints where `held` has them, and their names."""

    raw: Raw
    names: list[str]
    held: Floats


class PartialResult(InverseResult):
    """The answers to a target that leaves something free.

    `note` says which joints that leaves free, and where they are; `free` are their numbers, counted from 1.
    """

    def __init__(
        self,
        solver: PartialSolver,
        target: Floats,
        found: PartialBranches,
        seed: Floats | None,
        tolerance: float | None,
    ) -> None:
        super().__init__(solver, target, seed=seed, raw=found.raw, tolerance=tolerance)
        self._names, held = found.names, found.held
        self.task, self.free = solver.task, tuple(k + 1 for k in solver.freedom.free)
        self.note = position_targets.note_text(solver.task, solver.freedom, held, solver.turning)

    @property
    def branch(self) -> list[str]:
        """The branches' names."""
        return self._names

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}{'; ' + self.note if self.note else ''}>"


def refuse_screws(chain: Tree, task: str) -> None:
    """Parts of a pose are found by eliminations made for joints that turn or slide."""
    for number, link in enumerate(chain.links, 1):
        if link.kind.turns and link.kind.slides:
            raise InputError(
                "task={task!r}: joint {number} {name!r} turns and slides at once, for which parts of a pose are "
                'not solved; task="pose" is, numerically',
                task,
                number,
                link.name,
            )


class PartialSolver(JointSpace):
    """One task of one arm. `chain` is over floats, fixed joints merged."""

    def __init__(
        self,
        task: str,
        chain: Tree,
        limits: Sequence[tuple[float, float]] | None = None,
        *,
        pose: Kinematics | None = None,
        jacobian: Kinematics | None = None,
    ) -> None:
        refuse_screws(chain, task)
        super().__init__(chain, limits)
        self.task = task
        self._pose, self._jacobian = pose or pose_of(chain), jacobian or jacobian_of(chain)
        self._made: tuple[bytes, Branches] | None = None
        self.pose: Kinematics = self._masked_pose
        self.jacobian: Kinematics = self._used_jacobian
        self.freedom = position_targets.freedom(self._task_rows, self.turning, self.size)
        self.centre = position_targets.middle(self.low, self.high)
        made = self._branches(self.centre)
        self.closed: Any = made if made.closed else None
        self.plan = replace(made.plan, parameter=", ".join(f"joint {k + 1}" for k in self.freedom.free))

    @property
    def tolerances(self) -> poses.Tolerances:
        """What answers are measured by: as for a pose, exact where the joints can give all that is asked."""
        return poses.tolerances_of(self.size, 0.0, 6 if self.freedom.rank >= ASKED[self.task] else self.freedom.rank)

    native = None  # parts of a pose have no closed form of their own

    @property
    def table(self) -> Floats:
        """What the choice among branches goes by."""
        return choice_table(self)

    # the arm's functions, with what counts alone

    def _masked_pose(self, q: Floats) -> Floats:
        """(…, 4, 4)"""
        return position_targets.mask_pose(self.task, self._pose(q))

    def _task_rows(self, q: Floats) -> Floats:
        """(…, 6, n): the rows that count."""
        J = np.array(self._jacobian(q))
        if self.task == "position":
            J[..., 3:, :] = 0
        else:
            z = self._pose(q)[..., :3, 2]
            # turning about z itself does not move the axis
            J[..., 3:, :] -= z[..., :, None] * (z[..., None, :] @ J[..., 3:, :])
        return J

    def _used_jacobian(self, q: Floats) -> Floats:
        """The same; free joints stay where they are."""
        J = self._task_rows(q)
        J[..., list(self.freedom.free)] = 0
        return J

    # answers

    def __call__(
        self,
        target: ArrayLike,
        seed: ArrayLike | None = None,
        parameter: ArrayLike | None = None,
        tolerance: float | None = None,
    ) -> Any:
        """One target → PartialResult; (…) of them → InverseBatch. `parameter`: the positions of the free joints.

        `tolerance`: as for a pose.
        """
        tolerance = poses.checked_tolerance(tolerance)
        T = position_targets.targets_from_value(self.task, target, self._height, tolerance)
        near = None if seed is None else poses.joints_from_value(seed, self.chain.dof)
        held = self._free_joint_values(near, parameter)
        if T.ndim == 2:
            return self._solve_task(T, near, held, parameter is None, tolerance)
        answers = [self._solve_task(t, near, held, parameter is None, tolerance).q for t in T.reshape(-1, 4, 4)]
        q, valid = side_by_side(answers, self.chain.dof)
        return InverseBatch(
            self, T, q.reshape(*T.shape[:-2], *q.shape[1:]), valid.reshape(*T.shape[:-2], *valid.shape[1:])
        )

    def _solve_task(
        self, T: Floats, seed: Floats | None, held: Floats, movable: bool, tolerance: float | None
    ) -> PartialResult:
        """With the free joints where they are; if that leads nowhere, where least squares would have them."""
        result = PartialResult(self, T, self._find_branches(T, held), seed, tolerance)
        if len(result.q):
            return result
        other = PartialResult(self, T, self._find_branches(T, held, search=True), seed, tolerance)
        if len(other.q) or not movable or not self.freedom.held:
            return other if len(other.q) else result
        # least squares with all joints free says where the held ones would have to be
        best = self.nearest(T, held)
        if best.distance > max(SearchTolerance.REACHED, result.tolerance):
            return result
        return PartialResult(self, T, self._find_branches(T, best.q), seed, tolerance)

    def raw(self, T: Floats, seed: Floats | None, values: Floats | None = None) -> Raw:
        return self._find_branches(T, self._free_joint_values(seed, None)).raw

    def _find_branches(self, T: Floats, held: Floats, search: bool = False) -> PartialBranches:
        """Every branch with the free joints at their places in `held`."""
        made, at = self._branches(held), held[list(self.freedom.used)]
        raw = made.search(T, at) if search else made.raw(T, at)
        q = np.tile(held, (len(raw.q), 1))
        q[:, list(self.freedom.used)] = raw.q
        q = completed_branches(self, T, q, [k for k in self.freedom.used if self.turning[k]])
        named = made.closed and not search
        names = made.plan.branch_names if named else solution_names(len(q))
        return PartialBranches(raw._replace(q=q), names, held)

    def _branches(self, held: Floats) -> Branches:
        """What solves the arm with its free joints frozen; kept while they stay."""
        key = held[list(self.freedom.free)].tobytes()
        if self._made is None or self._made[0] != key:
            arm = position_targets.freeze_joints(self.chain, {k: float(held[k]) for k in self.freedom.free})
            made: Branches = PositionBranches(arm) if self.task == "position" else AxisBranches(arm)
            self._made = key, made
        return self._made[1]

    def stands_for(self, seed: Floats, values: Floats | None) -> bool:
        """No values are tried: the free joints stay where they are."""
        return False

    def _free_joint_values(self, seed: Floats | None, parameter: ArrayLike | None) -> Floats:
        """Where the free joints are: as given, as in the seed, or in the middle."""
        held = self.centre.copy() if seed is None else np.clip(seed, self.low, self.high)
        if parameter is None:
            return held
        free = self.freedom.free
        positions = np.atleast_1d(poses.numbers_from_value("parameter", parameter))
        if not free:
            raise InputError("parameter: the task {task!r} leaves no joint of this arm free", self.task)
        if positions.shape != (len(free),) or not np.isfinite(positions).all():
            names = ", ".join(str(k + 1) for k in free)
            raise InputError(
                "parameter: expected the positions of joints {names}, found {tolist}", names, positions.tolist()
            )
        held[list(free)] = positions
        return held

    # what is out of reach

    def away(self, T: Floats, at: Floats) -> str:
        """How far apart two targets are, in words."""
        return position_targets.away_text(self.task, T, at)

    def elsewhere(self, q: Floats, values: Floats | None) -> str:
        """What to say of a target that is reached only where the free joints may move."""
        return "out of reach with the free joints where they are; with all joints moving it is reached"

    def nearest(self, pose: ArrayLike, seed: ArrayLike | None = None, task: str = "") -> Nearest:
        """The configuration inside the limits that comes nearest in what counts; all joints may move."""
        target = np.asarray(pose, dtype=float)
        near = None if seed is None else poses.joints_from_value(seed, self.chain.dof)
        T = position_targets.complete_pose(target) if self.task == "axis" else target
        best, distance = nearest_found(self, T, starts(self, near), self.task, (self._pose, self._jacobian))
        rejected = Answers(self, target, near, self.raw(target, near)).limits_text if self.limited else ""
        free = bool(self.freedom.idle or self.freedom.held)
        reason = position_targets.reason_text(self.task, target, self.pose(best), distance, self._plane, rejected, free)
        return Nearest(best, distance, reason)

    @cached_property
    def _plane(self) -> tuple[Floats, float] | None:
        """(n, c) with n·p = c for every place of the tool's origin, if there are such."""
        if self.freedom.rank > 2 or self.task != "position":
            return None
        span = np.where(self.turning, np.pi, self.size)
        p = self._pose(np.random.default_rng(5).uniform(-span, span, (16, self.chain.dof)))[:, :3, 3]
        # points of a plane have no third extent; on a line there is no plane to name
        _, sizes, rows = np.linalg.svd(p - p.mean(0))
        if sizes[2] > PartialTolerance.PLANE * self.size or sizes[1] < PartialTolerance.PLANE * self.size:
            return None
        return rows[2], float(rows[2] @ p.mean(0))

    @property
    def _height(self) -> float | None:
        """The z of an arm whose tool keeps it."""
        if self._plane is None or abs(self._plane[0][2]) < 1 - PartialTolerance.LEVEL:
            return None
        return self._plane[1] / float(self._plane[0][2])
