"""Which joints a task needs: those that move what counts, as many as it has conditions; the others are held.

A last turning joint whose axis passes through the tool's origin does not move the origin; nor does one about the tool's
z axis move that axis. Of the joints that do move what counts, those nearest to the base are used, the others held.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from manipula.ik.numeric.arrays import Bits, Floats, Kinematics
from manipula.ik.numeric.measures import rank_of, weighed
from manipula.ik.numeric.tolerances import PartialTolerance
from manipula.mechanics.robot.tree import Link, Tree, in_series
from manipula.mechanics.spatial.placement import HERE

TRIALS = 6  # random configurations that show what joints can do


@dataclass(frozen=True)
class Freedom:
    """`used` are solved for; `idle` do not matter to the task; `held` do, but there are more than it needs."""

    used: tuple[int, ...]
    idle: tuple[int, ...]
    held: tuple[int, ...]
    rank: int

    @property
    def free(self) -> tuple[int, ...]:
        return tuple(sorted((*self.idle, *self.held)))


def freedom(jacobian: Kinematics, turning: Bits, size: float) -> Freedom:
    """From what the task's own derivative shows at random configurations."""
    rng = np.random.default_rng(17)
    dof = len(turning)
    J = jacobian(rng.uniform(-2.5, 2.5, (TRIALS, dof)) * np.where(turning, 1.0, 0.3 * size))
    J = weighed(J, turning, size)
    rank = rank_of(J)
    moving = [k for k in range(dof) if np.abs(J[:, :, k]).max() > PartialTolerance.SLIGHT]
    used = next((some for some in combinations(moving, rank) if rank_of(J[:, :, list(some)]) == rank), ())
    idle = tuple(k for k in range(dof) if k not in moving)
    return Freedom(tuple(used), idle, tuple(k for k in moving if k not in used), rank)


def frozen(chain: Tree, values: Mapping[int, float]) -> Tree:
    """The arm with some joints at rest: their motions become part of what follows."""
    links: list[Link] = []
    carry = HERE
    for k, link in enumerate(chain.links):
        before = carry @ link.before
        if k in values:
            carry = before @ link.motion(values[k], chain.maths) @ link.after
        else:
            links.append(replace(link, before=before))
            carry = HERE
    return replace(chain, links=in_series(links), tool=carry @ chain.tool)


def middle(low: Floats, high: Floats) -> Floats:
    """Where joints stand that nobody has placed: in the middle of their limits, at 0 without any."""
    both = np.isfinite(low) & np.isfinite(high)
    centre = np.where(both, (np.where(both, low, 0) + np.where(both, high, 0)) / 2, 0.0)
    return np.clip(centre, low, high)
