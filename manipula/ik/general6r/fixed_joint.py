"""Seven turning joints of which none, when held, leaves a closed form: the last is given, the six before are general.

    T = A(q₁ … q₆) · B(q₇)        so        A(q₁ … q₆) = T · B(q₇)⁻¹

The six joints are studied once; a value of the last one only moves the pose that is asked of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from manipula.ik.general6r.solver import General6R
from manipula.ik.numeric.arrays import Floats, over_arrays, stacked
from manipula.mechanics.robot.tree import Tree


def first_six(chain: Tree) -> Tree:
    """A: the arm up to its last joint, whose frame is the tool."""
    return replace(chain, links=chain.links[:6], tool=chain.links[6].before)


def last_part(chain: Tree, values: Floats) -> Floats:
    """B(q₇), (n, 4, 4): the last joint's motion and all that follows it."""
    last = chain.links[6]
    at = last.motion(values, over_arrays(chain).maths) @ last.after @ chain.tool
    return stacked(at.rows(), values.shape)


def fixed_joint_solutions(general: General6R, chain: Tree, poses: Floats, values: Floats) -> list[Floats]:
    """For each pose (n, 4, 4) the solutions (k, 7) with the last joint at any of the values."""
    wanted = poses[:, None] @ np.linalg.inv(last_part(chain, values))
    found = iter(general.solve_many(wanted.reshape(-1, 4, 4)))
    return [np.concatenate([_with(next(found).q, value) for value in values]) for _ in poses]


def _with(q: Floats, value: float) -> Floats:
    return np.column_stack([q, np.full(len(q), value)])
