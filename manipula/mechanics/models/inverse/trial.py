"""Whether a plan solves an arm: it is asked for configurations that are known.

A closed form for few joints may fit an arm's axes and yet say nothing about one of its joints (a point that is to be
placed may lie on the very axis that should move it). That is seen at once when it is run: the configuration a pose was
made from must be among the answers. What is tried are floats; no answer depends on them, only which way is taken.
One that is calm there is better: it says so where two branches meet, and nowhere else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from manipula.mechanics.models.inverse.plan import Plan, branches
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.tree import Tree

TRIALS = 12
MISSES = 1  # a configuration close to a special one may be lost to rounding
SAME = 1e-6
CALM = 1e-8
STEPS = (0.7548776662, 0.5698402910, 0.8191725134, 0.6710436067, 0.4497443410, 0.3819660113)  # spread evenly


def configurations(dof: int) -> list[list[float]]:
    """Evenly spread, the same in every run."""
    return [[math.tau * ((0.37 + k * step) % 1) - math.pi for step in STEPS[:dof]] for k in range(1, TRIALS + 1)]


def solves(plan: Plan, chain: Tree, calm: bool) -> bool:
    """Whether the plan finds the configurations of an arm over floats, and calmly where that is asked."""
    left = MISSES
    for q in configurations(chain.dof):
        left -= not _finds(plan, chain, q, calm)
        if left < 0:
            return False
    return True


def _finds(plan: Plan, chain: Tree, q: Sequence[float], calm: bool) -> bool:
    T = [x for row in pose(chain, q).rows() for x in row]
    try:
        found = branches(plan, chain, [float(x) for x in T], None if plan.fixed_joint is None else q[plan.fixed_joint])
    except ZeroDivisionError:  # a plan that divides by what is nothing in this arm
        return False
    if calm and not found.calm(chain.maths) > CALM:
        return False
    return any(valid == 1 and _same(x, q, chain) for x, valid in zip(found.q, found.valid, strict=True))


def _same(x: Sequence[float], q: Sequence[float], chain: Tree) -> bool:
    away = [a - b for a, b in zip(x, q, strict=True)]
    turns = (link.kind.pivots for link in chain.links)
    return all(abs(math.remainder(a, math.tau) if turn else a) < SAME for a, turn in zip(away, turns, strict=True))
