"""Arms whose axes miss each other by next to nothing: python bench/inverse_offsets.py [--poses N] [arm …]

Makers' files have wrist axes that should cross and miss by 2e-11 m, because a file was written with eleven digits. Such
an arm must be solved as the arm it is meant to be. Readers take such a length for
none; here it stays (`exact`). Every row is an arm with offsets of one size, of both signs, at each place where its
structure wants none, beside the same arm without them:

  solved   poses with an answer; none may be lost
  seed     poses whose own configuration, given as seed, is the first answer (to 1e-6 rad)
  sets     poses whose answers are those of the arm without offsets, to what the offset can explain
  worst    the largest entry of |FK − pose|
  ratio    time of a call with its answers, over that of the arm without offsets (median of poses, best of some runs)

for regular poses, and for poses at a distance of 1e-9 … 1e-3 rad from each singularity.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import manipula as mp
from manipula.ik.numeric.arrays import distances

Floats = NDArray[np.float64]
OFFSETS = (2e-11, 1e-9)
AWAY = (1e-9, 1e-7, 1e-5, 1e-3)
SEED = 1e-6  # rad
FAMILY = 2e-9  # rad
RUNS = 5

# rows of theta, d, a, alpha (standard, degrees), and where an offset would break the structure: (row, column)
Table = tuple[tuple[tuple[float, float, float, float], ...], tuple[tuple[int, int], ...]]
TABLES: dict[str, Table] = {
    "ur5e": (
        ((0, 0.1625, 0, 90), (0, 0, -0.425, 0), (0, 0, -0.3922, 0), (0, 0.1333, 0, 90), (0, 0.0997, 0, -90),
         (0, 0.0996, 0, 0)),
        ((3, 2), (4, 2)),
    ),
    "ur3": (
        ((0, 0.1519, 0, 90), (0, 0, -0.24365, 0), (0, 0, -0.21325, 0), (0, 0.11235, 0, 90), (0, 0.08535, 0, -90),
         (0, 0.0819, 0, 0)),
        ((3, 2), (4, 2)),
    ),
    "wrist": (
        ((0, 0.4, 0.025, 90), (0, 0, 0.455, 0), (0, 0, 0.035, 90), (0, 0.42, 0, -90), (0, 0, 0, 90), (0, 0.08, 0, 0)),
        ((3, 2), (4, 2), (4, 1)),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Offset:
    """An arm with offsets of one size."""

    name: str
    offset: float
    seed: int = 0

    @cached_property
    def arm(self) -> mp.Arm:
        rows, places = TABLES[self.name]
        table = [list(row) for row in rows]
        signs = np.random.default_rng(self.seed).choice([-1.0, 1.0], len(places))
        for (row, column), sign in zip(places, signs, strict=True):
            table[row][column] += sign * self.offset
        return mp.Arm(mp.Robot.from_dh(table, convention="standard", angle="deg", name=self.name, exact=True))

    def singular(self, kind: str, q: Floats) -> Floats:
        """The configuration with one joint moved to where the arm is singular."""
        joint = {"wrist": 4, "elbow": 2, "shoulder": 1}[kind]
        values = np.linspace(-np.pi, np.pi, 181)
        moved = np.repeat(q[None], len(values), 0)
        moved[:, joint] = values
        det = np.linalg.det(self.arm.jacobian(moved))
        change = np.flatnonzero(np.signbit(det[1:]) != np.signbit(det[:-1]))
        if not change.size:
            return q * np.nan
        low, high = values[change[0]], values[change[0] + 1]
        return self._bisected(moved[0], joint, low, high)

    def _bisected(self, q: Floats, joint: int, low: float, high: float) -> Floats:
        def sign(x: float) -> bool:
            q[joint] = x
            return bool(np.signbit(np.linalg.det(self.arm.jacobian(q))))

        first = sign(low)
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if sign(middle) == first else (low, middle)
        q[joint] = (low + high) / 2
        return q


def configurations(subject: Offset, kind: str, away: float, count: int) -> Floats:
    """Random ones; beside a singularity, at a distance from it."""
    rng, found = np.random.default_rng([len(kind), count]), list[Floats]()
    while len(found) < count:
        q = rng.uniform(-np.pi, np.pi, 6)
        if kind != "regular":
            q = subject.singular(kind, q)
            q[{"wrist": 4, "elbow": 2, "shoulder": 1}[kind]] += away
        if np.isfinite(q).all():
            found.append(q)
    return np.array(found)


@dataclass
class Verdict:
    poses: int = 0
    solved: int = 0
    seeds: int = 0
    sets: int = 0
    worst: float = 0.0
    ratio: float = 0.0
    slow: float = 0.0

    def __str__(self) -> str:
        counts = f"{self.poses:6}{self.solved:8}{self.seeds:6}{self.sets:6}"
        return f"{counts}{self.worst:10.1e}{self.slow:9.1f}{self.ratio:7.2f}"


def judged(subject: Offset, clean: Offset, q: Floats, away: float, time: bool = True) -> Verdict:
    arm, verdict = subject.arm, Verdict()
    turning = arm.inverse_solver.turning
    for x in q:
        T = arm.pose(x)
        found, meant = arm.inverse_kinematics(T, x).q, clean.arm.inverse_kinematics(clean.arm.pose(x), x).q
        verdict.poses += 1
        verdict.solved += bool(len(found))
        verdict.seeds += bool(len(found)) and bool(distances(found[0], x, turning) < SEED)
        verdict.sets += alike(found, meant, turning, explained(subject.offset, away))
        verdict.worst = max(verdict.worst, float(np.abs(arm.pose(found) - T).max(initial=0.0)))
    if time:
        ours, theirs = (_time(one.arm, q) for one in (subject, clean))
        verdict.slow, verdict.ratio = ours, ours / theirs
    return verdict


def explained(offset: float, away: float) -> float:
    """How far an offset can move a joint: by its own size over the distance, more where two singularities are
    near, and where roots meet by its root.

    Next to a lock the answers are one family, and any member of it will do.
    """
    size = abs(offset)
    return np.inf if size and away < FAMILY else float(1e-6 + 1000 * size / away + 30 * np.sqrt(size))


def alike(a: Floats, b: Floats, turning: Any, slack: float) -> bool:
    """Every row of each has one of the other beside it."""
    if not (len(a) and len(b)):
        return len(a) == len(b)
    apart = distances(a[:, None], b[None], turning)
    return bool(max(apart.min(0).max(), apart.min(1).max()) < slack)


def _time(arm: mp.Arm, q: Floats) -> float:
    """µs of a call, the median over the poses of the best of some runs."""
    poses = [(arm.pose(x), x) for x in q]
    best = np.full(len(q), np.inf)
    for _ in range(RUNS):
        for i, (T, x) in enumerate(poses):
            best[i] = min(best[i], _timed(lambda T=T, x=x: arm.inverse_kinematics(T, x).q))  # type: ignore[misc]
    return float(np.median(best)) * 1e6


def _timed(call: Callable[[], Any]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arms", nargs="*", choices=[*TABLES, []])
    parser.add_argument("--poses", type=int, default=20)
    parser.add_argument("--offset", type=float, nargs="*", default=OFFSETS, help="m")
    given = parser.parse_args(arguments)
    columns = f"{'poses':>6}{'solved':>8}{'seed':>6}{'sets':>6}{'worst':>10}{'µs':>9}{'ratio':>7}"
    print(f"{'arm':8}{'offset':10}{'where':10}{'off by':8}{columns}")
    for name in given.arms or TABLES:
        clean = Offset(name, 0.0)
        for offset in given.offset:
            subject = Offset(name, offset)
            for kind in ("regular", "wrist", "elbow", "shoulder"):
                for away in AWAY if kind != "regular" else (1.0,):
                    q = configurations(subject, kind, away, given.poses)
                    verdict = judged(subject, clean, q, away)
                    print(f"{name:8}{offset:<10}{kind:10}{away:<8}{verdict}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
