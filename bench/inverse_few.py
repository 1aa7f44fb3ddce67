"""Inverse kinematics of few joints: python bench/inverse_few.py [--arms N] [--poses N] [--seed N] [--joints 3 4 5]

Random arms with structure (a and d zero or not, α 0, ±90° or any; revolute, and with slides), in both conventions. A
pose is made from a configuration by forward kinematics written out from the table, and solved:

  lost    the configuration is not among the answers (a redundant arm is given it as a seed)
  empty   no answer at all, without a seed
  false   an answer that misses the pose by more than 1e-9
  double  two answers that are one

Best, median and worst processor time of a pose over the arms are printed beside, for each way they are solved.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from statistics import median
from typing import Any

import numpy as np

import manipula as mp
from tests.few_arms import Row, apart, pose_from_table, random_rows, robot_of

EXACT = 1e-9
SAME = 1e-6
SLIDES = (0.0, 0.3)


def counted(arm: mp.Arm, rows: list[Row], convention: str, q: Any) -> tuple[Counter[str], float]:
    """What is wrong with the answers of some poses, and seconds a pose."""
    solver, wrong = arm.inverse_solver, Counter[str]()
    redundant = bool(solver.plan.parameter) or solver.plan.title == "redundant"
    poses = [pose_from_table(rows, x, convention) for x in q]
    arm.inverse_kinematics(poses[0])
    start = time.thread_time()
    found = [np.asarray(arm.inverse_kinematics(T).q) for T in poses]
    seconds = (time.thread_time() - start) / len(poses)
    for T, x, answers in zip(poses, q, found, strict=True):
        seeded = np.asarray(arm.inverse_kinematics(T, seed=x).q) if redundant else answers
        wrong["lost"] += not (len(seeded) and apart(seeded, x, rows).min() < SAME)
        wrong["empty"] += not len(answers)
        misses = [np.abs(pose_from_table(rows, y, convention) - T).max() for y in (*answers, *seeded)]
        wrong["false"] += sum(miss > EXACT for miss in misses)
        pairs = [apart(y, answers[i + 1 :], rows).min(initial=1) for i, y in enumerate(answers)]
        wrong["double"] += 0 if redundant else sum(pair < SAME for pair in pairs)
    return wrong, seconds


def way_of(arm: mp.Arm) -> str:
    plan = arm.inverse_solver.plan
    return "redundant" if "tool at rest" in plan.sentence else "closed form" if plan.has_closed_form else plan.title


def measure(joints: int, slides: float, arms: int, poses: int, seed: int) -> Counter[str]:
    wrong, times = Counter[str](), defaultdict[str, list[float]](list)
    for k in range(arms):
        rng = np.random.default_rng([joints, int(100 * slides), k, seed])
        rows, convention = random_rows(rng, joints, slides), ("standard", "modified")[k % 2]
        arm = mp.Arm(robot_of(rows, convention), optimise="none")
        more, seconds = counted(arm, rows, convention, rng.uniform(-np.pi, np.pi, (poses, joints)))
        wrong += more
        times[way_of(arm)].append(seconds)
        if any(more.values()):
            print(f"  arm {k}: {dict(more)} {arm.inverse_solver.explanation}")
    counts = ", ".join(f"{wrong[what]} {what}" for what in ("lost", "empty", "false", "double"))
    print(f"{joints} joints, {slides:.0%} slides: {arms} arms × {poses} poses: {counts}")
    for way, found in sorted(times.items()):
        best, middle, worst = (1e6 * x for x in (min(found), median(found), max(found)))
        print(
            f"  {way:12} {len(found):4} arms   best {best:9.1f}   median {middle:9.1f}   worst {worst:9.1f} µs a pose"
        )
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arms", type=int, default=60)
    parser.add_argument("--poses", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--joints", type=int, nargs="+", default=[3, 4, 5])
    asked = parser.parse_args()
    total = Counter[str]()
    for joints in asked.joints:
        for slides in SLIDES:
            total += measure(joints, slides, asked.arms, asked.poses, asked.seed)
    raise SystemExit(1 if any(total.values()) else 0)


if __name__ == "__main__":
    main()
