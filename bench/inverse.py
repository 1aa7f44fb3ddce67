"""Inverse kinematics in figures: python bench/inverse.py [--poses N] [--singular N] [--means N] [arm …]

For every arm with a closed form: share of poses solved, original configuration among the answers, false answers, worst
residual (all without joint limits); then the time of a user's call with its answers `arm.inverse_kinematics(pose).q`,
limits and all, of a pose in a batch, of the emitted C when there is a compiler, and of EAIK's call where that package
is installed. Then the mean number of answers with its standard error, locked wrists, and arms with seven joints.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import manipula as mp
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.numeric.arrays import distances

ARMS = ("puma560", "pucrio", "ur5", "kr6", "irb120", "irb140", "stanford", "scara", "rx90")
SEVEN = ("iiwa14", "panda", "gen3", "sawyer")
BENDS = (0.0, 1e-12, 1e-9, 1e-6)
KNOWN_MEANS = {"pucrio": 6.61, "ur5": 7.11, "kr6_r700": 7.54}  # by EAIK and others
KNOWN_POSES = 10_000
CALLS, BATCH = 200, 1000  # single calls and poses in a run: short, to find the machine idle
KR6_R700 = (
    (0, 0.4, 0.025, 90), (0, 0, 0.315, 0), (0, 0, 0.035, 90), (0, 0.365, 0, -90), (0, 0, 0, 90), (0, 0.08, 0, 0),
)  # fmt: skip
CHUNK = 10_000


class Unlimited(mp.Arm):
    """An arm whose joints turn and slide as far as they like."""

    @cached_property
    def limits(self) -> Sequence[tuple[float, float]]:
        return [(-np.inf, np.inf)] * self.dof


def numbered(name: str) -> mp.Robot:
    """The arm with a length for every name its file leaves open."""
    if name == "kr6_r700":
        rows = [dict(zip(("theta", "d", "a", "alpha"), row, strict=True)) for row in KR6_R700]
        return mp.Robot.from_dh(rows, convention="standard", angle="deg", name=name)
    robot = mp.load(name)
    free = set(mp.generate(robot, "pose", optimise="none").inputs.get("p", ()))
    return robot.with_parameters(**{key: 0.3 + 0.07 * i for i, key in enumerate(sorted(free))}) if free else robot


def best_of(runs: Mapping[str, Callable[[], Any]], times: int = 40) -> dict[str, float]:
    """The quickest of some runs of each, s; they take turns, as the machine may be busy with other things."""
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(times):
        for name, run in runs.items():
            start = perf_counter()
            run()
            best[name] = min(best[name], perf_counter() - start)
    return best


def sample(arm: mp.Arm, count: int, seed: int) -> Any:
    return np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, arm.dof))


def correctness(arm: mp.Arm, count: int) -> str:
    q = sample(arm, count, 0)
    poses = arm.pose(q)
    found: Any = arm.inverse_kinematics(poses)
    residual = np.abs(arm.pose(found.q) - poses[:, None]).max((-1, -2))
    away = np.where(found.valid, distances(found.q, q[:, None], arm.inverse_solver.turning), np.inf).min(1)
    false = int((found.valid & (residual > 1e-9)).sum())
    worst = residual[found.valid].max()
    return f"{found.valid.any(1).mean():8.2%}{(away < 1e-6).mean():9.2%}{false:6}{worst:10.1e}"


def speed(robot: mp.Robot, arm: mp.Arm, peers: bool) -> str:
    """µs of a call with its answers, the same with a seed, of EAIK's call, and of a pose in a batch; taken in turn."""
    q = sample(arm, BATCH, 1)
    solve, seed, many = arm.inverse_kinematics, q[0].copy(), arm.pose(q)
    single = [pose.copy() for pose in many[:CALLS]]
    runs: dict[str, Callable[[], Any]] = {
        "call": lambda: [solve(pose).q for pose in single],
        "seed": lambda: [solve(pose, seed=seed).q for pose in single],
        "batch": lambda: solve(many),
    }
    peer = eaik_call(robot, single) if peers else None
    runs |= {"EAIK": peer} if peer is not None else {}
    each = {"batch": BATCH}
    found = {name: 1e6 * time / each.get(name, CALLS) for name, time in best_of(runs).items()}
    shown = [f"{found[name]:8.2f}" for name in ("call", "seed", "batch")]
    return "".join([*shown, f"{found['EAIK']:8.2f}" if peer is not None else f"{'–':>8}"] if peers else shown)


# others


def eaik_robot(robot: mp.Robot) -> Any:
    """The same arm for EAIK by its axes at rest, with the turn of its tool there; None for what it does not take."""
    from eaik.IK_HP import HPRobot

    chain = numeric_chain(robot)
    if any(link.kind.name != "revolute" for link in chain.links) or chain.dof != 6:
        return None
    at, axes, points = chain.base, [], []
    for link in chain.links:
        joint = at @ link.before
        axes.append([link.direction * row[2] for row in joint.R])
        points.append(joint.p)
        at = joint @ link.motion(0, chain.maths) @ link.after
    tool = at @ chain.tool
    H, P = np.array(axes, dtype=float), np.array([*points, tool.p], dtype=float)
    return HPRobot(H, np.diff(P, axis=0, prepend=np.zeros((1, 3)))), np.array(tool.R, dtype=float)


def eaik_call(robot: mp.Robot, single: Sequence[Any]) -> Callable[[], Any] | None:
    made = eaik_robot(robot)
    if made is None:
        return None
    peer, rest = made
    turned = [pose @ np.block([[rest.T, np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]]) for pose in single]
    return lambda: [peer.IK(pose).Q for pose in turned]


def why_no_eaik() -> str:
    try:
        import eaik.IK_HP  # noqa: F401
    except ImportError as problem:
        return str(problem)
    return ""


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


def emitted_c(robot: mp.Robot, arm: mp.Arm) -> str:
    """µs of one pose in C, -O2, or a dash."""
    if shutil.which("cc") is None:
        return f"{'–':>7}"
    model = mp.generate(robot, "inverse_kinematics")
    sizes = {name: int(np.prod(shape)) for name, shape in model.outputs.items()}
    with tempfile.TemporaryDirectory() as folder:
        model.emit("c", folder)
        arm.pose(sample(arm, 1000, 1)).tofile(Path(folder) / "poses.bin")
        buffers = ", ".join(f"{name}[{size}]" for name, size in sizes.items())
        text = TIMER.format(name=model.name, buffers=buffers, arguments=", ".join(sizes))
        (Path(folder) / "timer.c").write_text(text)
        build = ["cc", "-O2", "-o", "timer", "timer.c", f"{model.name}.c", "-lm"]
        done = subprocess.run(build, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"{'–':>7}"
        ran = subprocess.run(["./timer"], cwd=folder, capture_output=True, text=True, check=True)
    return f"{float(ran.stdout):7.2f}"


# how many answers, locked wrists, seven joints


def mean_answers(arm: mp.Arm, count: int) -> tuple[float, float]:
    """Of joints uniform in (−π, π]: the mean number of answers and its standard error."""
    found = []
    for start in range(0, count, CHUNK):
        result: Any = arm.inverse_kinematics(arm.pose(sample(arm, min(CHUNK, count - start), 100 + start)))
        found.append(result.valid.sum(1))
    answers = np.concatenate(found)
    return float(answers.mean()), float(answers.std(ddof=1) / np.sqrt(len(answers)))


def singular(arm: mp.Arm, bend: float, count: int) -> str:
    """Poses with the fifth joint at `bend`: false answers, branches lost against a pose nearby, families named."""
    false = lost = named = 0
    for q in sample(arm, count, 2):
        q[4] = bend
        result: Any = arm.inverse_kinematics(arm.pose(q))
        near: Any = arm.inverse_kinematics(arm.pose(q + 1e-4 * np.eye(6)[4]))
        false += int((result.residual[result.valid] > 1e-12).sum())
        merged = sum("the same as" in why for why in result.why)
        lost += int(len(result.q) + merged < len(near.q))
        named += any(family is not None for family in result.families)
    return f"{false:7}{lost:7}{named / count:8.1%}"


def redundant(name: str, count: int) -> str:
    """With its parameter given: the configuration among the answers, worst residual; µs of 16 values with answers."""
    arm = Unlimited(name)
    solver, worst, exact = arm.inverse_solver, 0.0, 0
    for q in np.random.default_rng(3).uniform(-2.5, 2.5, (count, 7)):
        pose = arm.pose(q)
        result: Any = arm.inverse_kinematics(pose, parameter=solver.parameter_of(q))
        worst = max(worst, float(np.abs(arm.pose(result.q) - pose).max()))
        exact += bool(distances(result.q, q, solver.turning).min() < 1e-6)
    limited = mp.Arm(name)
    time = best_of({"": lambda: [limited.inverse_kinematics(pose).q for _ in range(10)]})[""] / 10
    return f"{exact / count:9.1%}{worst:10.1e}{time * 1e6:9.1f}"


def print_arms(arms: Sequence[str], poses: int) -> None:
    missing = why_no_eaik()
    head = f"{'arm':10}{'solved':>8}{'original':>9}{'false':>6}{'residual':>10}"
    print(f"{head}   µs: call    seed   batch{'' if missing else '    EAIK'}      C")
    for name in arms:
        robot = numbered(name)
        arm = mp.Arm(robot)
        times = speed(robot, arm, not missing) + emitted_c(robot, arm)
        print(f"{name:10}{correctness(Unlimited(robot), poses)}    {times}", flush=True)
    if missing:
        print(f"EAIK is not compared: {missing}")


def print_means(count: int) -> None:
    """Beside the published means, whose own standard errors follow from the same spread."""
    print(f"\nmean number of answers, {count} poses of joints uniform in (−π, π]")
    for name, known in KNOWN_MEANS.items():
        mean, error = mean_answers(Unlimited(numbered(name)), count)
        theirs = error * np.sqrt(count / KNOWN_POSES)
        apart = abs(mean - known) / np.hypot(error, theirs)
        beside = f"published {known} ± {theirs:.3f} ({KNOWN_POSES} poses), {apart:.1f} standard errors apart"
        print(f"{name:10}{mean:8.4f} ± {error:.4f}   {beside}", flush=True)


def print_singular(arms: Sequence[str], count: int) -> None:
    print(f"\n{'fifth joint at':24}{'false':>7}{'lost':>7}{'named':>8}")
    for name in [arm for arm in arms if arm in ("pucrio", "kr6", "ur5")]:
        arm = Unlimited(name)
        for bend in BENDS:
            print(f"{name:12}{bend:<12}{singular(arm, bend, count)}", flush=True)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arms", nargs="*", default=ARMS)
    parser.add_argument("--poses", type=int, default=10_000)
    parser.add_argument("--singular", type=int, default=200)
    parser.add_argument("--means", type=int, default=200_000)
    given = parser.parse_args(arguments)
    print_arms(given.arms, given.poses)
    print_means(given.means)
    print_singular(given.arms, given.singular)
    print(f"\n{'seven axes':10}{'exact':>9}{'residual':>10}{'µs, 16':>9}")
    for name in SEVEN:
        print(f"{name:10}{redundant(name, 50)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
