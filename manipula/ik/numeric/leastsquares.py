"""The nearest configuration on each branch: damped least squares from rows almost there, each for its own pose.

Arms with fewer than six joints meet a pose exactly only if every digit of it is right. From a branch of the closed form

    min ‖FK(q) − pose‖²        (AᵀA + λ) Δq = −Aᵀ e

with A the slopes of the 12 entries e leads to the configuration beside it that misses the pose least.
"""

from __future__ import annotations

import numpy as np

from manipula.ik.numeric.arrays import Floats, Kinematics
from manipula.ik.numeric.newton import difference, slopes
from manipula.ik.numeric.tolerances import LeastSquaresTolerance

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
