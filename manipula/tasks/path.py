"""Along a trajectory: at every pose the solution nearest to the one before, and where the branch had to change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.tasks.arrays import Floats
from manipula.tasks.inverse import InverseSolver
from manipula.tasks.poses import poses_from_value


class Change(NamedTuple):
    """The branch before and from pose number `at` on, and the largest joint step there."""

    at: int
    before: str
    after: str
    step: float


class Path(NamedTuple):
    """Configurations (n, dof), the branch of each, and the changes of branch. What could not be reached is NaN."""

    q: Floats
    branch: list[str]
    changes: list[Change]
    unreached: list[int]


def follow(solver: InverseSolver, poses: ArrayLike, seed: ArrayLike) -> Path:
    """The continuous solution from `seed` on."""
    T = poses_from_value(poses)
    if T.ndim != 3:
        raise InputError(f"poses: expected an array of shape (n, 4, 4), found {T.shape}")
    last = np.asarray(seed, dtype=float)
    q, names, changes, unreached = np.full((len(T), solver.chain.dof), np.nan), [], [], []
    for i, pose in enumerate(T):
        result = solver(pose, last)
        if not len(result.q):
            unreached.append(i)
            names.append("out of reach")
            continue
        name = result.branch[int(result.order[0])]
        if names and name != names[-1]:
            changes.append(Change(i, names[-1], name, float(np.abs(result.q[0] - last).max())))
        names.append(name)
        q[i] = last = result.q[0]
    return Path(q, names, changes, unreached)
