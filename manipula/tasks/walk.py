"""Walking through configurations while the tool stands still: step along a direction, then back onto the pose.

The way back is Newton's, square to the step. So where no more than two branches meet, the walk shows it: the pose is
then missed by the square of the step, and no correction square to it can help.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manipula.tasks.arrays import Bits, Floats, Kinematics
from manipula.tasks.limits import distances
from manipula.tasks.newton import POLISHED, residual, twist

STEP = 0.1
MOST = 250  # steps each way
DAMP = 1e-13  # keeps a second singularity on the way from throwing the walk off
ROUNDS = 8


@dataclass(frozen=True, eq=False)
class Still:
    """An arm whose tool is to stay at a pose."""

    pose: Floats
    fk: Kinematics
    jacobian: Kinematics
    turning: Bits

    def miss(self, q: Floats) -> Floats:
        """The largest entry of |FK − pose|, (…)."""
        return residual(self.fk(q), self.pose)

    def gap(self, there: Floats, here: Floats) -> Floats:
        """there − here, without whole turns."""
        apart = there - here
        return np.where(self.turning, np.mod(apart + np.pi, 2 * np.pi) - np.pi, apart)

    def back(self, q: Floats, held: Floats) -> tuple[Floats, Floats]:
        """Newton steps square to the directions of `held` = Σ v vᵀ, each row kept at its best: (q, miss)."""
        at = self.fk(q)
        best, worst = q, residual(at, self.pose)
        for _ in range(ROUNDS):
            if not (worst > POLISHED).any():
                break
            J = self.jacobian(q)
            H = J.swapaxes(-1, -2) @ J + held + DAMP * np.eye(q.shape[-1])
            q = q + np.linalg.solve(H, J.swapaxes(-1, -2) @ twist(at, self.pose)[..., None])[..., 0]
            at = self.fk(q)
            found = residual(at, self.pose)
            better = found < worst
            if not better.any():
                break
            best, worst = np.where(better[..., None], q, best), np.where(better, found, worst)
        return best, worst

    def between(self, a: Floats, b: Floats) -> Floats:
        """How well the pose can be met half way from a to b, (…): where it is, the two are one double root."""
        gap = self.gap(b, a)
        return self.back(a + 0.5 * gap, squared(gap) / (gap * gap).sum(-1)[..., None, None])[1]

    def tangent(self, q: Floats, ahead: Floats) -> Floats:
        """The null direction of the Jacobian, (…, n), on the side of `ahead`: where J v = 0, (JᵀJ + aaᵀ) v ∝ a."""
        J = self.jacobian(q)
        H = J.swapaxes(-1, -2) @ J + squared(ahead) + DAMP * np.eye(q.shape[-1])
        v = np.linalg.solve(H, ahead[..., None])[..., 0]
        unit: Floats = v / np.sqrt((v * v).sum(-1, keepdims=True))
        return unit


def squared(v: Floats) -> Floats:
    """v vᵀ, (…, n, n)"""
    return v[..., :, None] * v[..., None, :]


def walked(still: Still, q: Floats, direction: Floats, stray: float) -> Floats:
    """Configurations along a curve of solutions, (m, n), in order: both ways from q, until they meet or it ends.

    `stray`: how far the pose may be missed.
    """
    ahead = direction / np.linalg.norm(direction) * np.array([[1.0], [-1.0]])
    here = np.array([q, q])
    ways: tuple[list[Floats], list[Floats]] = ([], [])
    going = np.array([True, True])
    for count in range(MOST):
        there, miss = still.back(here + STEP * ahead, squared(ahead))
        gone = ((there - here) * ahead).sum(-1) / STEP
        going &= (miss <= stray) & (gone > 0.5) & (gone < 2)
        for side in (0, 1):
            if going[side]:
                ways[side].append(there[side])
        if not going.any() or (count > 2 and going.all() and _met(still, there, q)):
            break
        here = np.where(going[:, None], there, here)
        ahead = still.tangent(here, ahead)
    return np.array([*reversed(ways[1]), q, *ways[0]])


def _met(still: Still, ends: Floats, start: Floats) -> bool:
    """A closed curve: its ends have met, or one has come around."""
    near = distances(np.array([ends[0], *ends]), np.array([ends[1], start, start]), still.turning)
    return bool(near.min() < 0.75 * STEP)


def nearest_on_walk(still: Still, walk: Floats, direction: Floats, aim: Floats) -> Floats:
    """The point of a curve of solutions nearest to `aim`, from the nearest of some that are known."""
    x: Floats = walk[int(np.argmin((still.gap(aim, walk) ** 2).sum(-1)))]
    t = still.tangent(x, direction)
    for _ in range(30):
        move = float(np.clip(t @ still.gap(aim, x), -2 * STEP, 2 * STEP))
        x = still.back(x + move * t, squared(t))[0]
        t = still.tangent(x, t)
        if abs(move) < 1e-12:
            break
    return x
