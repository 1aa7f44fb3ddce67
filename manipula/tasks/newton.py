"""Newton and damped least squares on whole batches of configurations: polish, and the nearest pose."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manipula.tasks.arrays import Floats, Kinematics

POLISHED = 1e-15
SHRINK, GROW = 0.25, 6.0


def residual(at: Floats, pose: Floats) -> Floats:
    """The largest entry of |FK − pose|, (…)."""
    worst: Floats = np.abs(at - pose).max(axis=(-1, -2))
    return worst


def twist(at: Floats, pose: Floats) -> Floats:
    """What is missing from `at` to `pose`: position, then rotation vector (to first order), (…, 6)."""
    turn = 0.5 * np.cross(at[..., :3, :3], pose[..., :3, :3], axis=-2).sum(axis=-1)
    return np.concatenate([pose[..., :3, 3] - at[..., :3, 3], turn], axis=-1)


def polished(
    q: Floats, pose: Floats, fk: Kinematics, jacobian: Kinematics, steps: int = 3, rank: float = 1e-9
) -> tuple[Floats, Floats]:
    """Newton steps of least length, each kept only where it lowers the residual: (q, residual)."""
    worst = residual(fk(q), pose)
    for _ in range(steps):
        if not (worst > POLISHED).any():
            break
        step = np.linalg.pinv(jacobian(q), rcond=rank) @ twist(fk(q), pose)[..., None]
        there = q + step[..., 0]
        found = residual(fk(there), pose)
        better = found < worst
        q, worst = np.where(better[..., None], there, q), np.where(better, found, worst)
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
    n = J.shape[-1]
    columns = np.empty((*at.shape[:-2], 3, 4, n))
    for j in range(3):
        columns[..., j, :] = np.cross(J[..., 3:, :], at[..., :3, j, None], axis=-2)
    columns[..., 3, :] = J[..., :3, :]
    return columns.reshape(*at.shape[:-2], 12, n)


def nearest(
    q: Floats, pose: Floats, fk: Kinematics, jacobian: Kinematics, low: Floats, high: Floats,
    weights: Floats | None = None, rounds: int = 200,
) -> Nearest:  # fmt: skip
    """Damped least squares from every row of q at once; a joint at its limit is held while it is pushed out."""
    weight = np.ones(12) if weights is None else weights
    q = np.clip(q, low, high)
    at = fk(q)
    error = difference(at, pose) * weight
    cost, damping = (error**2).sum(-1), np.full(q.shape[:-1], 1e-3)
    eye = np.eye(q.shape[-1])
    for _ in range(rounds):
        A = slopes(at, jacobian(q)) * weight[:, None]
        down = -(A * error[..., None]).sum(-2)
        free = ~((q <= low) & (down < 0) | (q >= high) & (down > 0))
        A, down = A * free[..., None, :], down * free
        H = A.swapaxes(-1, -2) @ A + damping[..., None, None] * eye
        step = np.linalg.solve(H, down[..., None])[..., 0]
        there = np.clip(q + step, low, high)
        at_there = fk(there)
        error_there = difference(at_there, pose) * weight
        cost_there = (error_there**2).sum(-1)
        better = cost_there <= cost
        moved = np.abs(there - q).max(-1)
        q, at = np.where(better[..., None], there, q), np.where(better[..., None, None], at_there, at)
        error, cost = np.where(better[..., None], error_there, error), np.where(better, cost_there, cost)
        damping = np.where(better, damping * SHRINK, damping * GROW).clip(1e-14, 1e8)
        if (moved[better] < 1e-12).all() and (better | (damping >= 1e6)).all():
            break
    return Nearest(q, np.sqrt(cost))
