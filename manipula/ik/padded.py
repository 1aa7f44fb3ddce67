"""Four or five turning joints without a closed form: six, of which the last stay at zero.

    T = A(q₁ … qₙ) · tool        is        T = A(q₁ … qₙ) · G J(0) G J(0) · (G G)⁻¹ tool

Every solution of the arm is one of the longer arm's, at most 16; those that move an added joint are none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from manipula.ik.general6r.solver import General6R
from manipula.ik.numeric import newton
from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.limits import principal
from manipula.ik.numeric.measures import accepted
from manipula.ik.numeric.tolerances import BranchTolerance, SearchTolerance
from manipula.ik.solver import Solver
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.tree import Link, Tree, in_series
from manipula.mechanics.spatial.placement import HERE, Placement, shift_along, turn_about

GAP = (  # in no special place to the axis before
    turn_about("z", math.cos(0.9), math.sin(0.9)) @ shift_along("x", 0.23) @ shift_along("z", 0.17)
    @ turn_about("x", math.cos(1.3), math.sin(1.3))
)  # fmt: skip


def with_six(chain: Tree) -> Tree:
    """The arm with joints added at its tool."""
    count = 6 - chain.dof
    added = tuple(Link(name="", kind=KINDS["revolute"], before=GAP) for _ in range(count))
    back: Placement = HERE
    for _ in added:
        back = back @ GAP.inverse()
    return replace(chain, links=in_series(chain.links + added), tool=back @ chain.tool)


def padded_solutions(general: General6R, solver: Solver, poses: Floats) -> Sequence[Floats | None]:
    """The solutions (k, n) of poses (m, 4, 4); None where the count of the longer arm's is not full."""
    found = zip(poses, general.solve_many(poses), strict=True)
    return [_still(answer.q, solver, T) if answer.info.complete else None for T, answer in found]


def _still(q: Floats, solver: Solver, T: Floats) -> Floats:
    n = solver.chain.dof
    kept = q[(np.abs(q[:, n:]) < SearchTolerance.STILL).all(-1), :n]
    close, worst = newton.polished(kept, np.broadcast_to(T, (len(kept), 4, 4)), solver.pose, solver.jacobian)
    return _distinct(principal(close[accepted(worst, solver.tolerances)], solver.turning))


def _distinct(q: Floats) -> Floats:
    """Roots that were two of the longer arm's may be one of this one's."""
    keep = [i for i in range(len(q)) if not any(_near(q[i], q[j]) for j in range(i))]
    return q[keep]


def _near(a: Floats, b: Floats) -> bool:
    return bool(np.abs(np.remainder(a - b + np.pi, 2 * np.pi) - np.pi).max() < BranchTolerance.SAME)
