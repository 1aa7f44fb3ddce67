"""Inverse kinematics for people: every solution of a pose, with its name, its reasons and its limits.

`InverseSolver` is prepared once for an arm; calling it with a pose finds the answers at once. What costs time (polish,
merging of double roots, families, reasons) happens when it is asked for, or when the closed form itself says that a
branch wants a closer look.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.errors import InputError
from manipula.ik.answers import Answers, InverseBatch, InverseResult
from manipula.ik.choosing import (
    choice_table,
    chosen,
    closed_rows,
    ordered,
    preferred,
    refined,
    seat_of,
    stands,
)
from manipula.ik.descent.machine import Descent, Translate, descent_of
from manipula.ik.elbow import arm_angle
from manipula.ik.general6r.held import first_six, held_solutions
from manipula.ik.general6r.solver import General6R
from manipula.ik.messages import away_text, elsewhere_text, nearest_reason
from manipula.ik.numeric.arrays import Bits, Floats, Kinematics, jacobian_of, over_arrays, pose_of, stacked
from manipula.ik.numeric.limits import bounds, distances, margins, principal, wound
from manipula.ik.numeric.measures import Tolerances, defect_of, sampled, tolerances_of
from manipula.ik.numeric.poses import (
    checked_poses,
    checked_tolerance,
    exact_poses,
    joints_from_value,
    numbers_from_value,
    poses_from_value,
)
from manipula.ik.numeric.tolerances import (
    BranchTolerance,
    LimitTolerance,
    ParameterTolerance,
    PoseTolerance,
    SearchTolerance,
)
from manipula.ik.padded import padded_solutions, with_six
from manipula.ik.search import TASKS, nearest_found, starts, unique_solutions
from manipula.ik.solver import Chosen, Nearest, Raw
from manipula.mechanics.models.inverse.classify import classify
from manipula.mechanics.models.inverse.plan import ArmKind, Plan, branches, parameter_of
from manipula.mechanics.models.inverse.solutions.loop import defect
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.placement import Placement

SAMPLES = 16  # values of a redundant arm's parameter when none is given

Closed = Callable[..., Any]


class InverseSolver:
    """All solutions of an arm.

    `chain` is over floats, fixed joints merged. `closed`, `pose` and `jacobian` may be compiled functions of arrays
    with the same meaning as the models of these names; without them the models' own text runs on arrays. `translate`
    makes machine code of a text with loops.
    """

    def __init__(
        self,
        chain: Tree,
        limits: Sequence[tuple[float, float]] | None = None,
        *,
        closed: Closed | None = None,
        pose: Kinematics | None = None,
        jacobian: Kinematics | None = None,
        translate: Translate | None = None,
    ) -> None:
        self.translate = translate
        self.chain, self.plan = chain, classify(chain)
        self.low, self.high = bounds(limits, chain.dof)
        self.limited = bool(np.isfinite(self.low).any() or np.isfinite(self.high).any())
        self.turning = np.array([link.kind.pivots for link in chain.links])
        self.pose, self.jacobian = pose or pose_of(chain), jacobian or jacobian_of(chain)
        self.closed = closed or (closed_over_arrays(self.plan, chain) if self.plan.closed else None)

    def __getstate__(self) -> dict[str, Any]:
        """Machine code stays behind; it is made again."""
        return {name: value for name, value in self.__dict__.items() if name not in ("general", "descent")}

    @property
    def explanation(self) -> str:
        """Which class the arm belongs to, and why."""
        return f"{self.plan.title}: {self.plan.sentence}"

    @cached_property
    def size(self) -> float:
        """The arm's reach, roughly, m; at least 1."""
        parts = [link.before.p for link in self.chain.links] + [link.after.p for link in self.chain.links]
        return max(1.0, float(sum(np.hypot.reduce(np.array(p, dtype=float)) for p in parts)))

    @cached_property
    def tolerances(self) -> Tolerances:
        """What answers are measured by."""
        return tolerances_of(self.size, self.defect, self.chain.dof)

    @cached_property
    def table(self) -> Floats:
        """What the choice among branches goes by."""
        return choice_table(self)

    @cached_property
    def defect(self) -> float:
        """By how much the arm is not what its closed form takes it for, m: its branches miss poses by that much."""
        if self.closed is None:
            return 0.0
        q = sampled(self.low, self.high, self.turning, self.size)
        values = self._own_values(q)
        found = closed_rows(self, self.pose(q).reshape(-1, 16), values)
        return defect_of(found.q, found.calm, self.pose(q), self.pose, self.size)

    def _own_values(self, q: Floats) -> Floats | None:
        """The parameter of a redundant arm in configurations (n, dof); any arm angle will do."""
        if not self.plan.parameter:
            return None
        return np.linspace(-3.0, 3.0, len(q)) if self.plan.held is None else q[:, self.plan.held].copy()

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
        T = poses_from_value(pose)
        near = None if seed is None else joints_from_value(seed, self.chain.dof)
        values = self._values(near, parameter)
        if tolerance is not None:
            return self._within(T, near, values, parameter, checked_tolerance(tolerance))
        if T.ndim > 2:
            return self._batch(T, near, values, chosen_here=parameter is None)
        if self.closed is None:
            T = checked_poses(T)
            result = self._unclosed(T, near, self._eliminated(T[None], values)[0], values)
            return self._or_searched(result, parameter)
        exact, found = self._settled(T.reshape(1, 16), values, near)
        T = exact.reshape(4, 4).copy()  # what is computed later must not depend on what the caller does to his array
        if found.open.any():
            return self._or_searched(InverseResult(self, T, seed=near, parameter=values), parameter)
        q, valid = found.q.reshape(-1, self.chain.dof), np.ravel(found.valid)
        result = InverseResult(self, T, q[ordered(q, valid, near)], near, values)
        if values is None:
            return result
        place = seat_of(self, T, near, q, valid, self.tolerances.exact, values)
        if place is not None:
            q[place], valid[place] = near, True
            result.decided(q, valid)
        return self._or_searched(result, parameter)

    def _within(
        self,
        T: Floats,
        seed: Floats | None,
        values: Floats | None,
        parameter: ArrayLike | None,
        tolerance: float | None,
    ) -> Any:
        """Every branch is looked at, and brought as near as it comes."""
        T = checked_poses(T, tolerance)
        if T.ndim > 2:
            return self._batch(T, seed, values, tolerance, chosen_here=parameter is None)
        if self.closed is None:
            result = self._unclosed(T, seed, self._eliminated(T[None], values)[0], values, tolerance)
        else:
            result = InverseResult(self, T, seed=seed, parameter=values, tolerance=tolerance)
        return self._or_searched(result, parameter, tolerance)

    def _or_searched(
        self, result: InverseResult, parameter: ArrayLike | None, tolerance: float | None = None
    ) -> InverseResult:
        """The same where it has answers; what is not found may be lost all the same, and is searched for.

        Few joints are lost where a closed form says nothing about one of them (two axes in line leave it only their
        sum, while the position knows both), redundant ones where the limits leave them values between those tried.
        """
        if parameter is not None or len(result.q):
            return result
        if self.plan.parameter or (self.closed is not None and self.chain.dof < 6 and not result.reached):
            found = self._unclosed(result.pose, result.seed, None, None, tolerance)
            return found if len(found.q) or (found.reached and not result.reached) else result
        return result

    def _values(self, seed: Floats | None, parameter: ArrayLike | None) -> Floats | None:
        if self.plan.parameter:
            return self.parameter_values(seed, parameter)
        if parameter is not None:
            raise InputError("parameter: this arm is not redundant and takes none")
        return None

    def _settled(self, T: Floats, values: Floats | None, seed: Floats | None) -> tuple[Floats, Chosen]:
        """Poses (n, 16) and their answers, (n × values, …); poses that are not clean are refused or made exact."""
        found = self._chosen(T, values, seed)
        rows = np.unique(np.flatnonzero(found.open) // (1 if values is None else values.size))
        if not rows.size:
            return T, found
        raw = closed_rows(self, T[rows], None if values is None else values[:1])
        unclean = rows[~((raw.defect <= PoseTolerance.CLEAN) & (raw.calm >= 0))]  # NaN is neither
        if not unclean.size:
            return T, found
        T = T.copy()
        T[unclean] = exact_poses(T.reshape(-1, 4, 4), unclean).reshape(-1, 16)
        return T, self._chosen(T, values, seed)

    def _chosen(self, T: Floats, values: Floats | None, seed: Floats | None) -> Chosen:
        """Every pose with every value of the parameter."""
        if values is None or len(T) == 1:
            return chosen(self, T, values, seed)
        return chosen(self, np.repeat(T, values.size, axis=0), np.tile(values, len(T)), seed)

    def raw(self, T: Floats, seed: Floats | None, values: Floats | None = None) -> Raw:
        """Every branch of one pose as it comes: of the closed form, or found by elimination or search."""
        if self.closed is None:
            found = self._eliminated(T[None], values)[0]
            return self._searched(T, seed) if found is None else _all_valid(found)
        q, valid, fit, calm, off = closed_rows(self, T.reshape(1, 16), values)
        return Raw(q.reshape(-1, q.shape[-1]), valid.ravel(), fit.ravel(), calm.min(), off[0])

    def parameter_values(self, seed: Floats | None, parameter: ArrayLike | None = None) -> Floats:
        """The values of a redundant arm's parameter to solve for: those given, or the seed's and a fan of others."""
        held = self.plan.held
        if parameter is not None:
            turns = np.array(held is None or self.turning[held])
            given = numbers_from_value("parameter", parameter).ravel()
            if not given.size or not np.isfinite(given).all():
                raise InputError(f"parameter: expected one finite number or more, found {parameter!r}")
            return principal(given, turns)
        low, high = -np.pi, np.pi
        if held is not None:
            reach = np.pi if self.turning[held] else self.size
            low, high = max(-reach, self.low[held]), min(reach, self.high[held])
        fan = low + (high - low) * (np.arange(SAMPLES) + 0.5) / SAMPLES
        if seed is None:
            return fan
        own = self.parameter_of(seed)
        return np.concatenate([[own], fan[np.abs(fan - own) > ParameterTolerance.APART]])

    def parameter_of(self, q: ArrayLike) -> float:
        """What to give as `parameter` so that configuration q of a redundant arm is among the answers."""
        if not self.plan.parameter:
            raise InputError("this arm is not redundant: it has no parameter")
        x = np.asarray(q, dtype=float)
        if self.plan.held is not None:
            return float(x[self.plan.held])
        T = self.pose(x)
        angle = arm_angle(self.jacobian(x), T[:3, 3], [link.direction for link in self.chain.links])
        if angle is not None:
            return angle
        at = Placement(tuple(map(tuple, T[:3, :3].tolist())), tuple(T[:3, 3].tolist()))  # type: ignore[arg-type]
        return float(parameter_of(self.plan, self.chain, x.tolist(), at))

    def _unclosed(
        self,
        T: Floats,
        seed: Floats | None,
        q: Floats | None,
        values: Floats | None = None,
        tolerance: float | None = None,
    ) -> InverseResult:
        """Without a closed form. Solutions that elimination has counted are alone: nothing more is to be asked."""
        if q is None or (tolerance is not None and not len(q)):
            return InverseResult(self, T, None, seed, values, self._searched(T, seed, tolerance), tolerance)
        q = self._with_seed(q, T, seed, values)
        result = InverseResult(self, T, None, seed, values, _all_valid(q), tolerance)
        inside: Bits = np.ones(len(q), dtype=bool)
        if seed is not None or self.limited:
            q = wound(q, self.turning, self.low, self.high, seed)
            inside = np.all(margins(q, self.low, self.high) >= -LimitTolerance.INSIDE, axis=-1)
        result.decided(q, inside)
        return result

    def _with_seed(self, q: Floats, T: Floats, seed: Floats | None, values: Floats | None) -> Floats:
        """The same answers; one beside a seed that stands at the pose is the seed, or the seed is one more."""
        if seed is None or not stands(self, T, seed, self.tolerances.exact):
            return q
        apart = distances(q, seed, self.turning)
        if apart.min(initial=np.inf) <= BranchTolerance.BESIDE:
            q = q.copy()
            q[np.argmin(apart)] = seed
            return q
        return np.concatenate([seed[None], q]) if self.stands_for(seed, values) else q

    def stands_for(self, seed: Floats, values: Floats | None) -> bool:
        """Whether a seed's own parameter is among the values; an arm without one has nothing to ask."""
        return values is None or bool(np.abs(values - self.parameter_of(seed)).min() <= ParameterTolerance.APART)

    def _searched(self, T: Floats, seed: Floats | None, tolerance: float | None = None) -> Raw:
        return _all_valid(unique_solutions(self, T, seed, tolerance))

    @cached_property
    def descent(self) -> Descent | None:
        """Least squares in machine code, where there is some."""
        return descent_of(self.chain, self.low, self.high, self.translate)

    @cached_property
    def general(self) -> General6R | None:
        """Elimination and eigenvalues: for six turning joints without a closed form, or for those before a held one.

        Fewer are made six."""
        made = {ArmKind.SIX: lambda chain: chain, ArmKind.HELD: first_six, ArmKind.FEWER: with_six}
        if self.plan.kind not in made:
            return None
        six = made[self.plan.kind](self.chain)
        try:
            return General6R(six)
        except InputError:  # an arm that is singular everywhere
            return None

    def _eliminated(self, T: Floats, values: Floats | None = None) -> Sequence[Floats | None]:
        """All solutions of poses (n, 4, 4) by elimination; None where that does not apply or the count is not full."""
        if self.general is None:
            return [None] * len(T)
        if values is not None:
            return held_solutions(self.general, self.chain, T, values)
        if self.plan.pad is not None:
            return padded_solutions(self.general, self, T)
        return [answer.q if answer.info.complete else None for answer in self.general.solve_many(T)]

    def _batch(
        self,
        T: Floats,
        seed: Floats | None,
        values: Floats | None,
        tolerance: float | None = None,
        chosen_here: bool = False,
    ) -> InverseBatch:
        """`chosen_here`: nobody has given the values of the parameter."""
        lead, dof = T.shape[:-2], self.chain.dof
        if self.closed is None:
            T = checked_poses(T, tolerance)
            poses = T.reshape(-1, 4, 4)
            given = None if chosen_here else values
            rows = zip(poses, self._eliminated(poses, values), strict=True)
            found = [
                self._or_searched(self._unclosed(t, seed, q, values, tolerance), given, tolerance).q for t, q in rows
            ]
            q, valid = side_by_side(found, dof)
            return InverseBatch(self, T, q.reshape(*lead, *q.shape[1:]), valid.reshape(*lead, valid.shape[1]))
        exact, settled = self._settled(T.reshape(-1, 16), values, seed)
        if tolerance is not None:
            settled.open[:] = True
        if settled.open.any():
            self._look_closer(exact, values, seed, settled, tolerance)
        if chosen_here and (self.plan.parameter or self.chain.dof < 6):
            self._search_for(exact, values, seed, settled, tolerance)
        pose = exact.reshape(T.shape).copy()  # as above: the caller's array is his
        each = (1 if values is None else values.size) * settled.valid.shape[-1]
        return InverseBatch(self, pose, settled.q.reshape(*lead, each, dof), settled.valid.reshape(*lead, each))

    def _look_closer(
        self, T: Floats, values: Floats | None, seed: Floats | None, found: Chosen, tolerance: float | None
    ) -> None:
        """The open rows, in place: polished, merged, wound."""
        rows = np.flatnonzero(found.open)
        each = 1 if values is None else values.size
        poses = T[rows // each]
        raw = closed_rows(self, poses, None if values is None else values[rows % each])
        close = refined(self, poses.reshape(-1, 4, 4), raw, tolerance)
        q = wound(close.q, self.turning, self.low, self.high, seed)
        inside: Bits = np.all(margins(q, self.low, self.high) >= -LimitTolerance.INSIDE, axis=-1)
        for i in np.flatnonzero((close.twin >= 0).any(-1)):
            close.twin[i] = preferred(close.twin[i], inside[i], q[i], seed)
        found.q[rows], found.valid[rows] = q, close.reached & (close.twin < 0) & inside

    def _search_for(
        self, T: Floats, values: Floats | None, seed: Floats | None, found: Chosen, tolerance: float | None
    ) -> None:
        """Poses without an answer of which the closed form cannot be sure, in place (see `_or_searched`)."""
        each = 1 if values is None else values.size
        unsure = found.open.reshape(-1, each).any(-1) | bool(self.plan.parameter)
        most = each * found.valid.shape[-1]
        valid, q = found.valid.reshape(len(T), most), found.q.reshape(len(T), most, self.chain.dof)
        for i in np.flatnonzero(unsure & ~valid.any(-1)):
            answers = self._unclosed(T[i].reshape(4, 4), seed, None, None, tolerance).q[: valid.shape[-1]]
            q[i, : len(answers)], valid[i, : len(answers)] = answers, True

    def away(self, T: Floats, at: Floats) -> str:
        """How far apart two poses are, in words."""
        return away_text(T, at)

    def elsewhere(self, q: Floats, values: Floats | None) -> str:
        """What to say of a pose that a redundant arm reaches in configuration q, its parameter being elsewhere."""
        held = self.plan.held
        given = None if values is None or values.size != 1 else float(values[0])
        return elsewhere_text(
            self.plan.parameter, self.parameter_of(q), given, held is None or bool(self.turning[held])
        )

    def nearest(self, pose: ArrayLike, seed: ArrayLike | None = None, task: str = "pose") -> Nearest:
        """The configuration inside the limits whose pose is nearest in least squares.

        `task`: "pose" compares all 12 entries, "position" the tool's origin, "direction" its z axis, "axis" both.
        """
        if task not in TASKS:
            raise InputError(f"task: expected one of {', '.join(TASKS)}, found {task!r}")
        T = checked_poses(poses_from_value(pose))
        if T.ndim > 2:
            raise InputError(f"pose: nearest takes one pose, found {T.shape}")
        near = None if seed is None else joints_from_value(seed, self.chain.dof)
        q = starts(self, near)
        if self.closed is not None and not self.plan.parameter:
            q = np.concatenate([self.raw(T, near).q, q])
        best, distance = nearest_found(self, T, q, task, (self.pose, self.jacobian))
        rejected = self._rejected(T, near) if task == "pose" and self.limited else ""
        reached = distance <= max(SearchTolerance.REACHED, self.tolerances.exact)
        return Nearest(best, distance, nearest_reason(T, self.pose(best), reached, rejected))

    def _rejected(self, T: Floats, seed: Floats | None) -> str:
        """The limits alone that keep the arm from a pose."""
        return Answers(self, T, seed, self.raw(T, seed, self._values(seed, None))).rejected


def side_by_side(found: Sequence[Floats], dof: int) -> tuple[Floats, Bits]:
    """Answers of many poses, (n, most, dof), and the mask; the rest is not a number."""
    sizes = np.array([len(q) for q in found], dtype=int)
    valid = np.arange(sizes.max(initial=0)) < sizes[:, None]
    q = np.full((*valid.shape, dof), np.nan)
    q[valid] = np.concatenate([np.empty((0, dof)), *found])
    return q, valid


def _all_valid(q: Floats) -> Raw:
    """Solutions that were found, as branches."""
    one = np.ones(len(q))
    return Raw(q, one, one, np.float64(1.0), np.float64(0.0))  # type: ignore[arg-type]


def closed_over_arrays(plan: Plan, chain: Tree) -> Closed:
    """The closed form on arrays, (…, 16) → Raw."""
    arm = over_arrays(chain)

    def run(T: Floats, parameter: Floats | None = None) -> Raw:
        entries, lead = [T[..., i] for i in range(16)], T.shape[:-1]
        found = branches(plan, arm, entries, None if parameter is None else parameter[..., 0])
        calm, off = found.calm(ARRAYS), defect(entries, ARRAYS)
        return Raw(*(stacked(x, lead) for x in (found.q, found.valid, found.fit, calm, off)))

    return run
