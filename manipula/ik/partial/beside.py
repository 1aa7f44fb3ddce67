"""Beside a singular target, where a joint hardly moves the tool: its angle is tried all around.

A point 1e-9 m from an axis fixes the angle about it, but the roots that lead there are of squares of such lengths and
have lost it. So a branch that all but meets its target is turned about each of its joints in steps; from each the
joints that matter are put right first, then all of them.
"""

from __future__ import annotations

import numpy as np

from manipula.ik.numeric import newton
from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.limits import distances
from manipula.ik.numeric.tolerances import BranchTolerance, PartialTolerance
from manipula.ik.search import distinct
from manipula.ik.solver import Solver

TURNS = 16


def completed_branches(solver: Solver, T: Floats, q: Floats, joints: list[int]) -> Floats:
    """The branches (k, n), those that all but meet the target T made to meet it; `joints` turn."""
    exact, near = solver.tolerances.exact, q.copy()
    near, worst = newton.polished(near, T, solver.pose, solver.jacobian)
    lost = np.flatnonzero((worst > exact) & (worst < PartialTolerance.ALMOST * solver.size))
    met = near[worst <= exact]
    for row in lost if joints else ():
        found = _turned(solver, T, near[row], joints, exact)
        new = [x for x in found if not len(met) or distances(met, x, solver.turning).min() > BranchTolerance.SAME]
        if new:
            q[row] = new[0]
            met = np.concatenate([met, new[:1]])
    return q


def _turned(solver: Solver, T: Floats, q: Floats, joints: list[int], exact: float) -> Floats:
    """Distinct solutions from all around one configuration."""
    angles = np.arange(TURNS) * (2 * np.pi / TURNS)
    starts = q + angles[:, None, None] * np.eye(len(q))[joints]
    x = starts.reshape(-1, len(q))
    for rank, steps in ((PartialTolerance.STRONG, 2), (PartialTolerance.WEAK, 8)):
        x, worst = newton.polished(x, T, solver.pose, solver.jacobian, steps=steps, rank=rank)
    return distinct(x[worst <= exact], solver.turning)
