"""The text at work: starts and targets in arrays, ends in arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manipula.algebra.run.texts import Text, machine_code
from manipula.ik.descent.text import MOST, descend
from manipula.ik.numeric.arrays import Floats
from manipula.mechanics.robot.reduce.chains import frames_on_joints
from manipula.mechanics.robot.tree import Tree

TASKS = ("pose", "position", "axis", "direction")
ROUNDS = 60


class Ends(NamedTuple):
    """Where the starts ended, (k, n), and what is missing there: rad and lengths of the arm's unit together."""

    q: Floats
    miss: Floats


class Descent:
    """One arm's least squares; `run` is another form of the text than machine code."""

    def __init__(self, chain: Tree, low: Floats, high: Floats, run: Text | None = None) -> None:
        arm = frames_on_joints(chain)
        gaps = [np.array((arm.base @ arm.links[0].before).rows(), dtype=float)]
        gaps += [np.array(at.rows(), dtype=float) for at in (*(link.before for link in arm.links[1:]), arm.tool)]
        lengths = sum(float(np.linalg.norm(gap[:3, 3])) for gap in gaps[1:])
        self.unit = lengths or 1.0
        turning = np.array([link.kind.pivots for link in arm.links])
        self._scale = np.where(turning, 1.0, self.unit)
        self._kinds = np.where(turning, 0, 1).astype(np.int64)
        for gap in gaps:
            gap[:3, 3] /= self.unit
        offsets = np.array([float(link.offset) for link in arm.links]) / self._scale
        senses = np.array([float(link.direction) for link in arm.links])
        self._rows = np.concatenate([*(gap[:3].ravel() for gap in gaps), offsets, senses])
        self._free = self._table(np.full(len(turning), -np.inf), np.full(len(turning), np.inf))
        self._bounded = self._table(low, high)
        self._run = run or machine_code(descend)

    def _table(self, low: Floats, high: Floats) -> Floats:
        return np.concatenate([self._rows, low / self._scale, high / self._scale])

    def __call__(self, starts: Floats, T: Floats, task: str = "pose", bounded: bool = False) -> Ends:
        """From every row of `starts` (k, n) to where the pose T (4, 4) is nearest; within the limits if `bounded`."""
        x = np.ravel(starts / self._scale)
        left = np.empty(len(starts))
        target = np.concatenate([T[:3, :3].ravel(), T[:3, 3] / self.unit])
        arm = self._bounded if bounded else self._free
        self._run(len(left), len(self._kinds), TASKS.index(task), arm, self._kinds, target, ROUNDS, x, left)
        return Ends(x.reshape(starts.shape) * self._scale, np.sqrt(left))


def descent_of(chain: Tree, low: Floats, high: Floats) -> Descent | None:
    """None for more joints than the text is made for, or with screws, which it does not know."""
    screws = any(link.kind.turns and link.kind.slides for link in chain.links)
    return None if chain.dof > MOST or screws else Descent(chain, low, high)
