"""Newton and damped least squares on whole batches of configurations: polish, and the nearest pose."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manipula.ik.numeric.arrays import Floats, Kinematics
from manipula.ik.numeric.tolerances import LeastSquaresTolerance, NewtonTolerance

SHRINK, GROW = 0.25, 6.0
BELOW, ABOVE = np.array([7, 2, 3]), np.array([5, 6, 1])  # of nine entries: those that a turn about x, y, z makes apart


def residual(at: Floats, pose: Floats) -> Floats:
    """The largest entry of |FK − pose|, (…)."""
    worst: Floats = np.abs(at - pose).max(axis=(-1, -2))
    return worst


def twist(at: Floats, pose: Floats) -> Floats:
    """What is missing from `at` to `pose`: position, then rotation vector (to first order), (…, 6)."""
    M = pose[..., :3, :3] @ at[..., :3, :3].swapaxes(-1, -2)
    missing: Floats = np.empty((*M.shape[:-2], 6))
    missing[..., :3] = pose[..., :3, 3] - at[..., :3, 3]
    entries = M.reshape(*M.shape[:-2], 9)
    # axis times sine: exact enough near the pose, and without an arc tangent of every row
    missing[..., 3:] = 0.5 * (entries.take(BELOW, -1) - entries.take(ABOVE, -1))
    return missing


def newton_polish(
    q: Floats, pose: Floats, fk: Kinematics, jacobian: Kinematics, steps: int = 3, rank: float = NewtonTolerance.RANK
) -> tuple[Floats, Floats]:
    """Newton steps of least length, each kept only where it lowers the residual: (q, residual)."""
    worst = residual(fk(q), pose)
    for _ in range(steps):
        if not (worst > NewtonTolerance.POLISHED).any():
            break
        # least length: beside a singular pose a plain solution would throw joints far away
        step = np.linalg.pinv(jacobian(q), rcond=rank) @ twist(fk(q), pose)[..., None]
        there = q + step[..., 0]
        missed = residual(fk(there), pose)
        better = missed < worst
        q, worst = np.where(better[..., None], there, q), np.where(better, missed, worst)
    return q, worst


class Nearest(NamedTuple):
    """Where least squares ended: configurations (…, n) and the Frobenius distance of each pose."""

    q: Floats
    distance: Floats


def difference(at: Floats, pose: Floats) -> Floats:
    """The 12 entries of FK − pose, (…, 12)."""
    return (at - pose)[..., :3, :].reshape(*at.shape[:-2], 12)


def slopes(at: Floats, J: Floats) -> Floats:
    """∂(12 entries)/∂q, (…, 12, n): position moves by Jv, each column of R by Jω × column."""
    rows = np.empty((*at.shape[:-2], 3, 4, J.shape[-1]))
    w, R = J[..., 3:, None, :], at[..., :3, :3, None]
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        rows[..., i, :3, :] = w[..., j, :, :] * R[..., k, :, :] - w[..., k, :, :] * R[..., j, :, :]
    rows[..., 3, :] = J[..., :3, :]
    return rows.reshape(*at.shape[:-2], 12, J.shape[-1])


def bends(at: Floats, J: Floats, e: Floats) -> Floats:
    """Σ e·∂²(12 entries)/∂q², (…, n, n): for i ≤ j a point p turns as ωᵢ × vⱼ, a column c of R as ωᵢ × (ωⱼ × c).

    e·(ωᵢ × vⱼ) = (e × ωᵢ)·vⱼ and, with M = Σ c eᵀ over the columns, Σ e·(ωᵢ × (ωⱼ × c)) = ωᵢᵀ M ωⱼ − tr M ωᵢ·ωⱼ.
    """
    v, w, E = J[..., :3, :], J[..., 3:, :], e.reshape(*e.shape[:-1], 3, 4)
    M = at[..., :3, :3] @ E[..., :3].swapaxes(-1, -2)
    M = M - np.trace(M, axis1=-2, axis2=-1)[..., None, None] * np.eye(3)
    turned = np.cross(E[..., 3, None], w, axis=-2)
    upper = np.triu(turned.swapaxes(-1, -2) @ v + w.swapaxes(-1, -2) @ M @ w)
    both: Floats = upper + np.triu(upper, 1).swapaxes(-1, -2)
    return both


class Problem(NamedTuple):
    """The least-squares task: |weights · (FK − pose)| inside limits."""

    pose: Floats
    fk: Kinematics
    jacobian: Kinematics
    low: Floats
    high: Floats
    weights: Floats

    def errors(self, at: Floats) -> Floats:
        return difference(at, self.pose) * self.weights

    def step(self, q: Floats, at: Floats, error: Floats, damping: Floats) -> Floats:
        """Where a damped Newton step leads, downhill along every axis of the curvature (a saddle holds nobody).

        A joint at its limit is held while it is pushed out.
        """
        J = self.jacobian(q)
        A = slopes(at, J) * self.weights[:, None]
        down = -(A * error[..., None]).sum(-2)
        # projected Newton: a held joint leaves the curvature as well, or it would bend the others' steps
        free = ~((q <= self.low) & (down < 0) | (q >= self.high) & (down > 0))
        # out of reach the error stays large, and Gauss–Newton without the bends converges slowly
        H = A.swapaxes(-1, -2) @ A + bends(at, J, error * self.weights)
        # |eigenvalue|: along negative curvature the step goes down as well, and leaves saddles
        size, V = np.linalg.eigh(H * (free[..., None] & free[..., None, :]))
        along = (down * free)[..., None, :] @ V / (np.abs(size) + damping[..., None])[..., None, :]
        there: Floats = np.clip(q + (along @ V.swapaxes(-1, -2))[..., 0, :], self.low, self.high)
        return there


def nearest(
    q: Floats, pose: Floats, fk: Kinematics, jacobian: Kinematics, low: Floats, high: Floats,
    weights: Floats | None = None, rounds: int = 200,
) -> Nearest:  # fmt: skip
    """Least squares from every row of q (k, n) at once; rows that have come to rest are left alone."""
    task = Problem(pose, fk, jacobian, low, high, np.ones(12) if weights is None else weights)
    q = np.clip(q, low, high)
    at = fk(q)
    error = task.errors(at)
    cost, damping, going = (error**2).sum(-1), np.full(len(q), NewtonTolerance.DAMPING), np.arange(len(q))
    for _ in range(rounds):
        if not going.size:
            break
        there = task.step(q[going], at[going], error[going], damping[going])
        at_there = fk(there)
        error_there = task.errors(at_there)
        cost_there = (error_there**2).sum(-1)
        # equal counts as better: at the bottom rounding decides, and damping must not grow there
        better = cost_there <= cost[going]
        moved = np.abs(there - q[going]).max(-1)
        won, new = going[better], better.nonzero()[0]
        q[won], at[won], error[won], cost[won] = there[new], at_there[new], error_there[new], cost_there[new]
        changed = damping[going] * np.where(better, SHRINK, GROW)
        damping[going] = changed.clip(NewtonTolerance.LEAST, 10 * NewtonTolerance.STUCK)
        going = going[(moved > NewtonTolerance.REST) & (damping[going] < NewtonTolerance.STUCK)]
    return Nearest(q, np.sqrt(cost))


# The nearest configuration on each branch: damped least squares from rows almost there, each for its own pose.
#
# Arms with fewer than six joints meet a pose exactly only if every digit of it is right. From a branch of the closed
# form
#
#     min ‖FK(q) − pose‖²        (AᵀA + λ) Δq = −Aᵀ e
#
# with A the slopes of the 12 entries e leads to the configuration beside it that misses the pose least.

ROUNDS = 25


def nearest_beside(q: Floats, pose: Floats, fk: Kinematics, jacobian: Kinematics) -> Floats:
    """From rows q (k, n) towards poses (k, 4, 4)."""
    q, at = q.copy(), fk(q)
    error = difference(at, pose)
    cost, damping, going = (error * error).sum(-1), np.full(len(q), LeastSquaresTolerance.DAMPING), np.arange(len(q))
    for _ in range(ROUNDS):
        A = slopes(at[going], jacobian(q[going]))
        step = _step(A, error[going], damping[going])
        there = q[going] + step
        at_there = fk(there)
        error_there = difference(at_there, pose[going])
        cost_there = (error_there * error_there).sum(-1)
        better = cost_there < cost[going]
        won = going[better]
        q[won], at[won], error[won], cost[won] = (
            there[better],
            at_there[better],
            error_there[better],
            cost_there[better],
        )
        damping[going] = np.maximum(damping[going] * np.where(better, 0.1, 30.0), LeastSquaresTolerance.LEAST)
        going = going[
            (np.abs(step).max(-1) > LeastSquaresTolerance.REST) & (damping[going] < LeastSquaresTolerance.STUCK)
        ]
        if not going.size:
            break
    return q


def _step(A: Floats, error: Floats, damping: Floats) -> Floats:
    """−(AᵀA + λ)⁻¹ Aᵀ e, (k, n)"""
    across = A.swapaxes(-1, -2)
    H: Floats = across @ A + damping[:, None, None] * np.eye(A.shape[-1])
    down: Floats = across @ -error[..., None]
    return np.linalg.solve(H, down)[..., 0].astype(np.float64, copy=False)
