"""Walking through configurations while the tool stands still: step along a direction, then back onto the pose.

The way back is Newton's, square to the step. So where no more than two branches meet, the walk shows it: the pose is
then missed by the square of the step, and no correction square to it can help.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manipula.ik.numeric.arrays import Bits, Floats, Kinematics, distances
from manipula.ik.numeric.newton import residual, twist
from manipula.ik.numeric.tolerances import NewtonTolerance, WalkTolerance

STEP = 0.35
MOST = 250  # steps each way
ROUNDS = 8


@dataclass(frozen=True, eq=False)
class StandingTool:
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

    def back(self, q: Floats, held: Floats, enough: float = NewtonTolerance.POLISHED) -> tuple[Floats, Floats]:
        """Newton steps square to the directions of `held` = Σ v vᵀ, each row kept at its best: (q, miss)."""
        at, added = self.fk(q), held + WalkTolerance.DAMP * np.eye(q.shape[-1])
        best, worst = q, residual(at, self.pose)
        for _ in range(ROUNDS):
            if not (worst > enough).any():
                break
            J = self.jacobian(q)
            Jt = J.swapaxes(-1, -2)
            # the rank-one term of weight 1 holds the direction of the step; all others are free to correct
            q = q + np.linalg.solve(Jt @ J + added, Jt @ twist(at, self.pose)[..., None])[..., 0]
            at = self.fk(q)
            missed = residual(at, self.pose)
            better = missed < worst
            if not better.any():
                break
            best, worst = np.where(better[..., None], q, best), np.where(better, missed, worst)
        return best, worst

    def between(self, a: Floats, b: Floats) -> Floats:
        """How well the pose can be met half way from a to b, (…): where it is, the two are one double root."""
        gap = self.gap(b, a)
        return self.back(a + 0.5 * gap, outer_square(gap) / (gap * gap).sum(-1)[..., None, None])[1]

    def tangent(self, q: Floats, ahead: Floats) -> Floats:
        """The null direction of the Jacobian, (…, n), on the side of `ahead`: where J v = 0, (JᵀJ + aaᵀ) v ∝ a."""
        J = self.jacobian(q)
        H = J.swapaxes(-1, -2) @ J + outer_square(ahead) + WalkTolerance.DAMP * np.eye(q.shape[-1])
        v = np.linalg.solve(H, ahead[..., None])[..., 0]
        unit: Floats = v / np.sqrt((v * v).sum(-1, keepdims=True))
        return unit


def outer_square(v: Floats) -> Floats:
    """v vᵀ, (…, n, n)"""
    return v[..., :, None] * v[..., None, :]


def walk_curves(still: StandingTool, q: Floats, direction: Floats, stray: Floats) -> list[Floats]:
    """Configurations along curves of solutions, for each of q (k, n) some in order: both ways, until they meet or end.

    `stray` (k): how far the pose may be missed. The curves are walked side by side; where one bends, its step halves.
    """
    ahead = np.repeat(direction / np.linalg.norm(direction, axis=1)[:, None], 2, 0)
    ahead[1::2] *= -1
    first, here, step = ahead.copy(), np.repeat(q, 2, 0), np.full(2 * len(q), STEP)
    ways: list[list[Floats]] = [[] for _ in step]  # forth and back along every curve, in turn
    going, enough = np.ones(2 * len(q), dtype=bool), max(WalkTolerance.STRAIGHT, float(stray.max()) / 50)
    stray = np.repeat(stray, 2)
    for count in range(MOST):
        rows = np.flatnonzero(going)
        start, way, length = here[rows], ahead[rows], step[rows]
        there, miss = still.back(start + length[:, None] * way, outer_square(way), enough)
        # a correction that undoes the step, or doubles it, has jumped to another curve
        gone = ((there - start) * way).sum(-1) / length
        fine = (miss <= stray[rows]) & (gone > 0.5) & (gone < 2)
        new, found = rows[fine], there[fine]
        step[rows[~fine]] /= 2
        here[new] = found
        for row, x in zip(new.tolist(), found, strict=True):
            ways[row].append(x)
        going &= step > WalkTolerance.SHORTEST
        if count > 2:
            going &= ~np.repeat(_curves_closed(still, here, ahead, first, step, q), 2)
        if not going.any():
            break
        ahead[new] = still.tangent(found, way[fine])
    return [np.array([*reversed(ways[2 * i + 1]), x, *ways[2 * i]]) for i, x in enumerate(q)]


def _curves_closed(
    still: StandingTool, here: Floats, ahead: Floats, first: Floats, step: Floats, start: Floats
) -> Bits:
    """Closed curves: their ends have met, head on, or one has come around to where it left, (k)."""
    ends, away = np.stack([here[0::2], here[0::2], here[1::2]]), np.stack([here[1::2], start, start])
    way = (ahead[0::2] * -ahead[1::2], ahead[0::2] * first[0::2], ahead[1::2] * first[1::2])
    apart, longest = distances(ends, away, still.turning), step.reshape(-1, 2).max(-1)
    met: Bits = ((apart < 0.75 * longest) & (np.stack(way).sum(-1) > 0)).any(0)
    return met


def between(still: StandingTool, walk: Floats, count: int) -> Floats:
    """So many configurations spread along a curve of solutions, (count, n), from some that are known."""
    if len(walk) < 2:
        return np.repeat(walk, count, 0)
    at = np.linspace(0, len(walk) - 1, count)
    first = np.minimum(at.astype(int), len(walk) - 2)
    chord = still.gap(walk[first + 1], walk[first])
    t = chord / np.linalg.norm(chord, axis=1)[:, None]
    return still.back(walk[first] + (at - first)[:, None] * chord, outer_square(t), WalkTolerance.STRAIGHT)[0]


def nearest_on_walk(
    still: StandingTool,
    walks: Sequence[Floats],
    directions: Floats,
    aim: Floats,
    enough: float = WalkTolerance.STRAIGHT,
) -> Floats:
    """The point of each curve of solutions nearest to `aim`, (k, n), from the nearest of some that are known.

    `enough`: how far the pose may be missed on the way.
    """
    x = np.array([walk[int(np.argmin((still.gap(aim, walk) ** 2).sum(-1)))] for walk in walks])
    t = still.tangent(x, directions)
    before, move, rate = np.zeros(len(x)), np.zeros(len(x)), np.ones(len(x))
    for _ in range(30):
        # g = t·(aim − x) falls along the curve at a rate that its bend decides: the last move has shown it
        g = (t * still.gap(aim, x)).sum(-1)
        fell = before - g
        # a secant: the curve's bend changes g faster or slower than the way itself
        rate = np.divide(fell, move, out=rate, where=np.abs(move) > WalkTolerance.CLOSE).clip(0.2, 5.0)
        before, move = g, (g / rate).clip(-STEP, STEP)
        if np.abs(move).max() < WalkTolerance.CLOSE:
            break
        x = still.back(x + move[:, None] * t, outer_square(t), enough)[0]
        t = still.tangent(x, t)
    return still.back(x, outer_square(t))[0]
