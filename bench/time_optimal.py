"""The least time along a path under torque limits, beside toppra: same path, same limits, same number of intervals.

python bench/time_optimal.py [paths]. Torques are those of 20,001 moments, so between grid points as well; "at a limit"
is the share of the time in which some joint has more than 0.99 of its limit of torque or velocity. Processor time, the
best of several rounds taken in turn.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from tables import claim, machine, verdict

import manipula as mp

try:
    import toppra
    import toppra.algorithm
    import toppra.constraint
except ImportError:
    print("left out: toppra is not installed")
    raise SystemExit(0) from None

TORQUE = np.array([97.6, 186.4, 89.4, 24.2, 20.1, 21.3])
VELOCITY = 8.0
GRID = 1000
MOMENTS = np.linspace(0.0, 1.0, 20_001)


def by_toppra(arm: mp.Arm, points: Any, grid: int) -> Callable[[], Any]:
    def torques(q: Any, qd: Any, qdd: Any) -> Any:
        return arm.inverse_dynamics(*map(np.ascontiguousarray, (q, qd, qdd))).copy()

    path = toppra.SplineInterpolator(np.linspace(0, 1, len(points)), points)
    scheme = toppra.constraint.DiscretizationType.Interpolation
    limits = np.stack([-TORQUE, TORQUE], axis=1)
    loads = toppra.constraint.JointTorqueConstraint(torques, limits, np.zeros(arm.dof), discretization_scheme=scheme)
    speeds = toppra.constraint.JointVelocityConstraint(np.full((arm.dof, 2), [-VELOCITY, VELOCITY]))

    def run() -> Any:
        solver = toppra.algorithm.TOPPRA(
            [loads, speeds], path, solver_wrapper="seidel", gridpoints=np.linspace(0, 1, grid + 1),
            parametrizer="ParametrizeConstAccel",
        )  # fmt: skip
        return solver.compute_trajectory()

    return run


def by_us(arm: mp.Arm, points: Any, grid: int) -> Callable[[], Any]:
    path = mp.trajectory.table(np.linspace(0, 1, len(points)), points)
    return lambda: mp.trajectory.time_optimal(arm, path, torque=TORQUE, velocity=VELOCITY, grid=grid)


def measured(runs: list[Callable[[], Any]], rounds: int = 7) -> list[tuple[float, Any]]:
    """(seconds of processor time, result) of each, the rounds in turn."""
    best: list[tuple[float, Any]] = [(np.inf, None)] * len(runs)
    for _ in range(rounds):
        for i, run in enumerate(runs):
            began = time.thread_time()
            found = run()
            best[i] = min(best[i], (time.thread_time() - began, found), key=lambda x: x[0])
    return best


def quality(arm: mp.Arm, motion: tuple[Any, Any, Any]) -> tuple[float, float]:
    """The largest torque by its limit, and the share of the time in which some joint is at one."""
    loads = np.abs(arm.inverse_dynamics(*map(np.ascontiguousarray, motion))) / TORQUE
    speeds = np.abs(motion[1]) / VELOCITY
    return float(loads.max()), float(np.mean(np.maximum(loads, speeds).max(axis=1) > 0.99))


def main(paths: int) -> int:
    print(machine())
    toppra.setup_logging("ERROR")
    arm = mp.Arm(mp.load("puma560").without("friction"))
    print("puma560, cubic spline through five random points, torque and velocity limits")
    print(f"{'path':>4}{'N':>6}{'toppra':>11}{'ours':>10}{'ratio':>8}{'T toppra':>11}{'T ours':>10}", end="")
    print(f"{'torque/limit':>18}{'at a limit':>15}")
    share, longer, most = [], [], []  # N = 1000: our time over theirs, our duration over theirs, torque over its limit
    for seed in range(paths):
        points = np.random.default_rng(seed).uniform(-1, 1, (5, 6))
        for grid in (100, GRID):
            theirs, ours = measured([by_toppra(arm, points, grid), by_us(arm, points, grid)])
            t, ref = theirs[1].duration * MOMENTS, ours[1]
            one = quality(arm, tuple(theirs[1](t, order) for order in range(3)))
            other = quality(arm, ref(ref.duration * MOMENTS))
            print(
                f"{seed:4}{grid:6}{theirs[0] * 1e3:8.1f} ms{ours[0] * 1e3:7.2f} ms{ours[0] / theirs[0]:8.3f}"
                f"{theirs[1].duration:11.5f}{ref.duration:10.5f}{one[0]:9.4f}{other[0]:9.4f}{one[1]:8.2f}{other[1]:7.2f}"
            )
            if grid == GRID:
                share.append(ours[0] / theirs[0])
                longer.append(ref.duration / theirs[1].duration)
                most.append(other[0])
    claim(f"N = {GRID}: our time over toppra's, the worst path", max(share), 1 / 3)
    claim(f"N = {GRID}: our duration over toppra's, the worst path", max(longer), 1.0)
    claim(f"N = {GRID}: the largest torque over its limit", max(most), 1.001)
    return verdict()


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
