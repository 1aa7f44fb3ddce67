"""Inverse kinematics for people: every solution of a pose, with its name, its reasons and its limits.

`InverseSolver` is prepared once for an arm; calling it with a pose runs the closed form and returns at once. What costs
time (polish, merging of double roots, families, windings, reasons) happens when it is asked for, or when the closed
form itself says that a branch wants a closer look.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.mechanics.models.inverse.classify import classify
from manipula.mechanics.models.inverse.loop import defect
from manipula.mechanics.models.inverse.plan import Plan, branches, parameter_of
from manipula.mechanics.robot.chain import Chain
from manipula.mechanics.spatial.placement import Placement
from manipula.tasks.answers import Answers, InverseBatch, InverseResult
from manipula.tasks.arrays import ARRAYS, Floats, Kinematics, jacobian_of, over_arrays, pose_of, stacked
from manipula.tasks.general6r import General6R
from manipula.tasks.limits import bounds
from manipula.tasks.newton import nearest
from manipula.tasks.poses import checked_poses, poses_from_value
from manipula.tasks.search import best_of, starts, unique_solutions
from manipula.tasks.solver import Nearest, Raw

CLEAN = 1e-13  # defect of a pose that is only rounding
SAMPLES = 16  # values of a redundant arm's parameter when none is given


Closed = Callable[..., Any]

TASKS: dict[str, tuple[int, ...]] = {"pose": (0, 1, 2, 3), "position": (3,), "axis": (2,), "pointing": (2, 3)}


class InverseSolver:
    """All solutions of an arm.

    `chain` is over floats, fixed joints merged. `closed`, `pose` and `jacobian` may be compiled functions of arrays
    with the same meaning as the models of these names; without them the models' own text runs on arrays.
    """

    def __init__(
        self,
        chain: Chain,
        limits: Sequence[tuple[float, float]] | None = None,
        *,
        closed: Closed | None = None,
        pose: Kinematics | None = None,
        jacobian: Kinematics | None = None,
    ) -> None:
        self.chain, self.plan = chain, classify(chain)
        self.low, self.high = bounds(limits, chain.dof)
        self.limited = bool(np.isfinite(self.low).any() or np.isfinite(self.high).any())
        self.turning = np.array([link.kind.name == "revolute" for link in chain.links])
        self.pose, self.jacobian = pose or pose_of(chain), jacobian or jacobian_of(chain)
        self.closed = closed or (closed_over_arrays(self.plan, chain) if self.plan.closed else None)

    @property
    def explanation(self) -> str:
        """Which class the arm belongs to, and why."""
        return f"{self.plan.title}: {self.plan.sentence}"

    @cached_property
    def size(self) -> float:
        """The arm's reach, roughly, m; at least 1."""
        parts = [link.before.p for link in self.chain.links] + [link.after.p for link in self.chain.links]
        return max(1.0, float(sum(np.hypot.reduce(np.array(p, dtype=float)) for p in parts)))

    def __call__(self, pose: ArrayLike, seed: ArrayLike | None = None, parameter: ArrayLike | None = None) -> Any:
        """`pose` (4, 4) → InverseResult; (…, 4, 4) → InverseBatch. `parameter`: see `parameter_of`."""
        T = poses_from_value(pose)
        near = None if seed is None else self._seed(seed)
        if T.ndim > 2:
            return self._batch(T, near, parameter)
        raw = self._raw(T, near, parameter)
        if not (raw.defect <= CLEAN and raw.calm >= 0):  # NaN is neither
            T = checked_poses(T)
            raw = self._raw(T, near, parameter)
        return InverseResult(self, T, near, raw)

    def _seed(self, seed: ArrayLike) -> Floats:
        near = np.asarray(seed, dtype=float)
        if near.shape != (self.chain.dof,):
            raise InputError(f"seed: expected {self.chain.dof} joint positions, found an array of shape {near.shape}")
        if not np.isfinite(near).all():
            raise InputError(f"seed: joint {int(np.argmin(np.isfinite(near))) + 1} is not a finite number")
        return near

    def _raw(self, T: Floats, seed: Floats | None, parameter: ArrayLike | None) -> Raw:
        if self.closed is None:
            return self._searched(T, seed)
        if not self.plan.parameter:
            if parameter is not None:
                raise InputError("parameter: this arm is not redundant and takes none")
            return Raw(*self.closed(T.reshape(16)))
        values = self.parameter_values(seed, parameter)
        many = self.closed(np.broadcast_to(T.reshape(16), (values.size, 16)), values[:, None])
        q, valid, fit, calm, off = many
        return Raw(q.reshape(-1, q.shape[-1]), valid.ravel(), fit.ravel(), calm.min(), off[0])

    def parameter_values(self, seed: Floats | None, parameter: ArrayLike | None = None) -> Floats:
        """The values of a redundant arm's parameter to solve for: those given, or the seed's and a fan of others."""
        if parameter is not None:
            return np.atleast_1d(np.asarray(parameter, dtype=float)).ravel()
        low, high = -np.pi, np.pi
        if self.plan.held is not None:
            low, high = max(low, self.low[self.plan.held]), min(high, self.high[self.plan.held])
        fan = low + (high - low) * (np.arange(SAMPLES) + 0.5) / SAMPLES
        return fan if seed is None else np.concatenate([[self.parameter_of(seed)], fan])

    def parameter_of(self, q: ArrayLike) -> float:
        """What to give as `parameter` so that configuration q of a redundant arm is among the answers."""
        if not self.plan.parameter:
            raise InputError("this arm is not redundant: it has no parameter")
        x = np.asarray(q, dtype=float)
        T = self.pose(x)
        at = Placement(tuple(map(tuple, T[:3, :3].tolist())), tuple(T[:3, 3].tolist()))  # type: ignore[arg-type]
        return float(parameter_of(self.plan, self.chain, x.tolist(), at))

    def _searched(self, T: Floats, seed: Floats | None) -> Raw:
        T = checked_poses(T)
        q = self._eliminated(T)
        if q is None:
            q = unique_solutions(self, T, starts(self, seed))
        one = np.ones(len(q))
        return Raw(q, one, one, np.float64(1.0), np.float64(0.0))  # type: ignore[arg-type]

    @cached_property
    def general(self) -> General6R | None:
        """Elimination and eigenvalues, for six revolute joints without a closed form."""
        if self.plan.title != "general 6R":
            return None
        try:
            return General6R(self.chain)
        except InputError:  # an arm that is singular everywhere
            return None

    def _eliminated(self, T: Floats) -> Floats | None:
        """All solutions by elimination; None where that does not apply or its count is not complete."""
        if self.general is None:
            return None
        q, _, info = self.general.solve(T)
        return q if info.complete else None

    def _batch(self, T: Floats, seed: Floats | None, parameter: ArrayLike | None) -> InverseBatch:
        flat = T.reshape(-1, 4, 4)
        if self.closed is None or self.plan.parameter:
            flat = checked_poses(flat)
            rows = [Answers(self, t, seed, self._raw(t, seed, parameter)) for t in flat]
            return InverseBatch.from_rows(rows, T.shape[:-2], self.chain.dof)
        raw = Raw(*self.closed(flat.reshape(-1, 16)))
        if not ((raw.defect <= CLEAN) & (raw.calm >= 0)).all():
            flat = checked_poses(flat)
            raw = Raw(*self.closed(flat.reshape(-1, 16)))
        return InverseBatch.from_raw(self, flat, seed, raw, T.shape[:-2])

    def nearest(self, pose: ArrayLike, seed: ArrayLike | None = None, task: str = "pose") -> Nearest:
        """The configuration inside the limits whose pose is nearest in least squares.

        `task`: "pose" compares all 12 entries, "position" the tool's origin, "axis" its z axis, "pointing" both.
        """
        if task not in TASKS:
            raise InputError(f"task: expected one of {', '.join(TASKS)}, found {task!r}")
        T = checked_poses(poses_from_value(pose))
        if T.ndim > 2:
            raise InputError(f"pose: nearest takes one pose, found {T.shape}")
        weights = np.tile([1.0 if column in TASKS[task] else 0.0 for column in range(4)], 3)
        q = starts(self, None if seed is None else self._seed(seed))
        if self.closed is not None and not self.plan.parameter:
            q = np.concatenate([Raw(*self.closed(T.reshape(16))).q, q])
        found = nearest(q, T, self.pose, self.jacobian, self.low, self.high, weights)
        return best_of(self, T, found)


def closed_over_arrays(plan: Plan, chain: Chain) -> Closed:
    """The closed form on arrays, (…, 16) → Raw."""
    arm = over_arrays(chain)

    def run(T: Floats, parameter: Floats | None = None) -> Raw:
        entries, lead = [T[..., i] for i in range(16)], T.shape[:-1]
        found = branches(plan, arm, entries, None if parameter is None else parameter[..., 0])
        calm, off = found.calm(ARRAYS), defect(entries, ARRAYS)
        return Raw(*(stacked(x, lead) for x in (found.q, found.valid, found.fit, calm, off)))

    return run


def solve_inverse(
    chain: Chain,
    limits: Sequence[tuple[float, float]] | None,
    pose: ArrayLike,
    seed: ArrayLike | None = None,
    parameter: ArrayLike | None = None,
) -> Any:
    """All solutions of a pose, or of an array of them; prepare an `InverseSolver` to solve many."""
    return InverseSolver(chain, limits)(pose, seed, parameter)
