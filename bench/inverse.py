"""Inverse kinematics in figures: python bench/inverse.py [--poses N] [arm …]

For every arm with a closed form: share of poses solved, original configuration among the answers, false answers, worst
residual, mean number of answers; then the time of one call, of a batch, and of the emitted C when there is a compiler.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import manipula as mp
from manipula.bridge import numeric_chain
from manipula.tasks.inverse import InverseSolver
from manipula.tasks.limits import distances

ARMS = ("puma560", "pucrio", "ur5", "kr6", "irb120", "irb140", "stanford", "scara", "rx90")
SEVEN = ("iiwa14", "panda")
BENDS = (0.0, 1e-12, 1e-9, 1e-6)


def numbered(name: str) -> mp.Robot:
    """The arm with a length for every name its file leaves open."""
    robot = mp.load(name)
    free = set(mp.generate(robot, "pose", optimise="none").inputs.get("p", ()))
    return robot.with_parameters(**{key: 0.3 + 0.07 * i for i, key in enumerate(sorted(free))}) if free else robot


def prepared(robot: mp.Robot) -> InverseSolver:
    made = {name: mp.generate(robot, name).compile() for name in ("inverse_kinematics", "pose", "jacobian")}
    return InverseSolver(
        numeric_chain(robot), closed=made["inverse_kinematics"], pose=made["pose"], jacobian=made["jacobian"]
    )


def best_of(run: Callable[[], Any], times: int = 7) -> float:
    """The quickest of some runs, s."""
    found = []
    for _ in range(times):
        start = perf_counter()
        run()
        found.append(perf_counter() - start)
    return min(found)


def correctness(solver: InverseSolver, count: int) -> str:
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (count, solver.chain.dof))
    poses = solver.pose(q)
    found = solver(poses)
    residual = np.abs(solver.pose(found.q) - poses[:, None]).max((-1, -2))
    away = np.where(found.valid, distances(found.q, q[:, None], solver.turning), np.inf).min(1)
    false = int((found.valid & (residual > 1e-9)).sum())
    worst, mean = residual[found.valid].max(), found.valid.sum(1).mean()
    return f"{found.valid.any(1).mean():8.2%}{(away < 1e-6).mean():9.2%}{false:6}{worst:10.1e}{mean:7.2f}"


def speed(solver: InverseSolver, count: int) -> str:
    q = np.random.default_rng(1).uniform(-np.pi, np.pi, (count, solver.chain.dof))
    poses = solver.pose(q)
    single = list(poses[:1000])
    call = best_of(lambda: [solver(pose) for pose in single]) / len(single)
    answers = best_of(lambda: [solver(pose).q for pose in single]) / len(single)
    batch = best_of(lambda: solver(poses)) / count
    return f"{call * 1e6:7.1f}{answers * 1e6:9.1f}{batch * 1e6:8.2f}"


TIMER = """#include <stdio.h>
#include <time.h>
#include "{name}.h"
int main(void) {{
    static double T[1000][16]; double {buffers}; double sum = 0; int i, k;
    FILE *f = fopen("poses.bin", "rb"); if (fread(T, sizeof T, 1, f) != 1) return 1;
    struct timespec a, b; double best = 1e9;
    for (k = 0; k < 20; ++k) {{
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (i = 0; i < 1000; ++i) {{ {name}(T[i], {arguments}); sum += q[0]; }}
        clock_gettime(CLOCK_MONOTONIC, &b);
        double t = (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec); if (t < best) best = t;
    }}
    printf("%.3f\\n", best * 1e3); return sum == 12345.0;
}}
"""


def emitted_c(robot: mp.Robot, solver: InverseSolver) -> str:
    """µs of one pose in C, -O2, or a dash."""
    if shutil.which("cc") is None:
        return f"{'–':>7}"
    model = mp.generate(robot, "inverse_kinematics")
    sizes = {name: int(np.prod(shape)) for name, shape in model.outputs.items()}
    with tempfile.TemporaryDirectory() as folder:
        model.emit("c", folder)
        q = np.random.default_rng(1).uniform(-np.pi, np.pi, (1000, solver.chain.dof))
        solver.pose(q).tofile(Path(folder) / "poses.bin")
        buffers = ", ".join(f"{name}[{size}]" for name, size in sizes.items())
        text = TIMER.format(name=model.name, buffers=buffers, arguments=", ".join(sizes))
        (Path(folder) / "timer.c").write_text(text)
        build = ["cc", "-O2", "-o", "timer", "timer.c", f"{model.name}.c", "-lm"]
        done = subprocess.run(build, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"{'–':>7}"
        ran = subprocess.run(["./timer"], cwd=folder, capture_output=True, text=True, check=True)
    return f"{float(ran.stdout):7.2f}"


def singular(solver: InverseSolver, bend: float, count: int) -> str:
    """Poses with the fifth joint at `bend`: false answers, branches lost against a pose nearby, families named."""
    rng = np.random.default_rng(2)
    false = lost = named = 0
    for q in rng.uniform(-np.pi, np.pi, (count, 6)):
        q[4] = bend
        result = solver(solver.pose(q))
        near = solver(solver.pose(q + 1e-4 * np.eye(6)[4]))
        false += int((result.residual[result.valid] > 1e-12).sum())
        merged = sum("the same as" in why for why in result.why)
        lost += int(len(result.q) + merged < len(near.q))
        named += any(family is not None for family in result.families)
    return f"{false:7}{lost:7}{named / count:8.1%}"


def redundant(name: str, count: int) -> str:
    solver = prepared(mp.load(name))
    worst, exact = 0.0, 0
    for q in np.random.default_rng(3).uniform(-2.5, 2.5, (count, 7)):
        result = solver(solver.pose(q), parameter=solver.parameter_of(q))
        worst = max(worst, float(result.residual[result.valid].max()))
        exact += bool(distances(result.q, q, solver.turning).min() < 1e-6)
    pose = solver.pose(q)
    time = best_of(lambda: [solver(pose) for _ in range(100)]) / 100
    return f"{exact / count:9.1%}{worst:10.1e}{time * 1e6:9.1f}"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("arms", nargs="*", default=ARMS)
    parser.add_argument("--poses", type=int, default=10_000)
    parser.add_argument("--singular", type=int, default=1000)
    given = parser.parse_args(arguments)
    head = f"{'arm':10}{'solved':>8}{'original':>9}{'false':>6}{'residual':>10}{'mean':>7}"
    print(f"{head}   µs: call  with q   batch      C")
    for name in given.arms:
        robot = numbered(name)
        solver = prepared(robot)
        figures = correctness(solver, given.poses), speed(solver, given.poses), emitted_c(robot, solver)
        print(f"{name:10}{figures[0]}    {figures[1]}{figures[2]}", flush=True)
    print(f"\n{'fifth joint at':24}{'false':>7}{'lost':>7}{'named':>8}")
    for name in [arm for arm in given.arms if arm in ("pucrio", "kr6", "ur5")]:
        solver = prepared(mp.load(name))
        for bend in BENDS:
            print(f"{name:12}{bend:<12}{singular(solver, bend, given.singular)}", flush=True)
    print(f"\n{'seven axes':10}{'exact':>9}{'residual':>10}{'µs, 16':>9}")
    for name in SEVEN:
        print(f"{name:10}{redundant(name, 200)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
