"""General 6R inverse kinematics on random poses: solved, original found, complete, residuals, times.

Run it with `python -m bench.general6r [poses]`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np

import manipula as mp
from manipula.bridge import numeric_chain
from manipula.mechanics.robot.chain import Chain
from manipula.tasks.arrays import Floats, pose_of
from manipula.tasks.closing import wrapped
from manipula.tasks.general6r import General6R

E = 0.0741 / np.sqrt(3)  # what a bend of 60° takes from each side, Kinova's tables for the bent wrist

# theta, d, a, alpha in degrees, standard
ARMS: dict[str, Sequence[tuple[float, float, float, float]]] = {
    "random, all non-zero": [
        (10, 0.31, 0.22, 67), (-35, 0.17, 0.45, -38), (80, 0.24, 0.33, 104),
        (55, 0.38, 0.12, -73), (-20, 0.15, 0.27, 51), (30, 0.21, 0.09, -29),
    ],
    "bent wrist (JACO 2)": [
        (0, 0.2755, 0, 90), (0, 0, 0.41, 180), (0, -0.0098, 0, 90),
        (0, -(0.2073 + E), 0, 60), (0, -2 * E, 0, 60), (0, -(0.16 + E), 0, 180),
    ],
    "twists of 1°": [
        (0, 0.2, 0.3, 1), (0, 0.1, 0.5, 1), (0, 0.3, 0.4, 1), (0, 0.15, 0.35, 1), (0, 0.2, 0.25, 1), (0, 0.1, 0.1, 1),
    ],
    "twists of 90° and 1°": [
        (0, 0, 0.3, 90), (0, 0, 1, 1), (0, 0.2, 0, 90), (0, 0, 1.5, 1), (0, 0, 0, 90), (0, 0.4, 0.8, 1),
    ],
    "spherical wrist, general arm": [
        (0, 0.3, 0.1, 70), (0, 0.2, 0.4, 25), (0, 0.1, 0.2, -80), (0, 0.4, 0, 90), (0, 0, 0, -90), (0, 0.1, 0, 0),
    ],
    "three parallel, general rest": [
        (0, 0.1, 0.4, 0), (0, 0.2, 0.35, 0), (0, 0.15, 0.1, 75),
        (0, 0.2, 0.25, -60), (0, 0.3, 0.15, 85), (0, 0.1, 0.05, 0),
    ],
}  # fmt: skip
LIBRARY = ("j2s6s200",)


def chains() -> dict[str, Chain]:
    """Every arm, over floats."""
    made = {name: mp.Robot.from_dh(rows, convention="standard", angle="deg", name="arm") for name, rows in ARMS.items()}
    return {name: numeric_chain(robot) for name, robot in {**made, **{x: mp.load(x) for x in LIBRARY}}.items()}


def measured(chain: Chain, poses: int) -> str:
    """One row of the table."""
    start = time.perf_counter()
    solver = General6R(chain)
    ready = time.perf_counter() - start
    q = np.random.default_rng(7).uniform(-np.pi, np.pi, (poses, 6))
    T = pose_of(chain)(q)
    spent, answers = [], []
    for pose in T:
        start, busy = time.perf_counter(), time.thread_time()
        answers.append(solver.solve(pose))
        spent.append((time.perf_counter() - start, time.thread_time() - busy))
    busy = time.thread_time()
    solver.solve_many(T)
    batch = (time.thread_time() - busy) / poses
    wall, cpu = np.array(spent).T
    found = [originals(answer.q, x) for answer, x in zip(answers, q, strict=True)]
    worst = max(answer.residual.max(initial=0) for answer in answers)
    complete = np.mean([answer.info.complete for answer in answers])
    solved = np.mean([len(answer.q) > 0 for answer in answers])
    again = np.mean([len(answer.info.readings) > 1 for answer in answers])
    return (
        f"{solver.bound:5d} {ready:7.2f} {100 * solved:7.1f} {100 * np.mean(found):8.1f}"
        f" {100 * complete:8.1f} {100 * again:6.1f} {np.mean([len(a.q) for a in answers]):6.2f} {worst:8.1e}"
        f" {1e3 * np.mean(wall):7.3f} {1e3 * np.mean(cpu):7.3f} {1e3 * np.min(cpu):7.3f} {1e3 * batch:7.3f}"
    )


def originals(found: Floats, q: Floats) -> bool:
    return bool(len(found)) and float(np.abs(wrapped(found - q)).max(-1).min()) < 1e-6


def main() -> None:
    poses = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(
        f"{poses} poses. set-up: s. ms a pose in single calls: mean by the clock, mean and least of the thread; a batch"
    )
    heads = "bound  set-up solved% original% complete% again%  real residual   clock    mean   least   batch"
    print(f"{'arm':30s} {heads}")
    for name, chain in chains().items():
        print(f"{name:30s} {measured(chain, poses)}", flush=True)


if __name__ == "__main__":
    main()
