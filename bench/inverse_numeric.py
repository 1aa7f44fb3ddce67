"""Inverse kinematics of arms placed anyhow: python bench/inverse_numeric.py [--arms N] [--poses N] [class …]

Random arms of the classes that few closed forms fit: general placements (odd twists, lengths, offsets), slides in odd
places, more joints than six. Each gets poses of random configurations. Printed for each class: poses with an
answer, poses whose own configuration is among the answers (of a redundant arm, which has infinitely many: with that
configuration as the seed), answers a pose, milliseconds of processor time a call (median, and below which nine in ten
are), and how its arms are solved.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import manipula as mp
from manipula.ik.numeric.arrays import distances

# "5, gripper": a chain that ends in a finger; Fetch: a torso that slides, an arm, a finger
CLASSES = {
    "3R": "RRR", "4R": "RRRR", "4 with a slide": "RPRR",
    "5R": "RRRRR", "5 with a slide": "RRPRR", "5, gripper": "RRRRP",
    "6 with a slide": "RRPRRR", "6, rail": "PRRRRR", "6 with two": "RRRPRP", "7, rail": "PRRRRRR", "8R": "RRRRRRRR",
    "Fetch": "PRRRRRRRRP",
}  # fmt: skip
FOUND = 1e-6


@dataclass
class Tally:
    titles: Counter[str] = field(default_factory=Counter)
    solved: int = 0
    own: int = 0
    answers: int = 0
    times: list[float] = field(default_factory=list)


def random_arm(rng: random.Random, word: str) -> mp.Robot:
    rows = [
        {
            "theta": 0, "d": round(rng.uniform(-0.4, 0.4), 3), "a": round(rng.uniform(-0.5, 0.5), 3),
            "alpha": round(rng.uniform(-170, 170), 1), "type": "revolute" if letter == "R" else "prismatic",
        }
        for letter in word
    ]  # fmt: skip
    return mp.Robot.from_dh(rows, angle="deg").with_tool(xyz=[0.1, 0.05, 0.2], rpy=[0.3, 0.2, 0.1])


def measured(word: str, arms: int, poses: int) -> Tally:
    rng, tally = random.Random(word), Tally()
    for _ in range(arms):
        arm = mp.Arm(random_arm(rng, word), optimise="none")
        tally.titles[arm.inverse_plan.title] += 1
        span = np.where(arm.inverse_solver.turning, 3.0, 0.5)
        for q in np.random.default_rng(rng.randrange(10**6)).uniform(-span, span, (poses, len(word))):
            add(tally, arm, q)
    return tally


def add(tally: Tally, arm: mp.Arm, q: np.ndarray) -> None:  # type: ignore[type-arg]
    T, seed = arm.pose(q), q if len(q) > 6 else None
    arm.inverse_kinematics(T, seed).q  # noqa: B018  the first call of an arm prepares it
    begin = time.thread_time()
    found = arm.inverse_kinematics(T, seed).q
    tally.times.append(time.thread_time() - begin)
    tally.solved += bool(len(found))
    tally.own += bool(len(found)) and bool(distances(found, q, arm.inverse_solver.turning).min() < FOUND)
    tally.answers += len(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("classes", nargs="*", default=list(CLASSES), metavar="class")
    parser.add_argument("--arms", type=int, default=10)
    parser.add_argument("--poses", type=int, default=10)
    given = parser.parse_args()
    print(f"{'class':16}{'solved':>10}{'original':>10}{'answers':>9}{'ms median':>11}{'p90':>7}  how")
    for name in given.classes:
        tally = measured(CLASSES[name], given.arms, given.poses)
        total, ms = len(tally.times), 1000 * np.array(tally.times)
        shares = f"{f'{tally.solved}/{total}':>10}{f'{tally.own}/{total}':>10}{tally.answers / total:9.1f}"
        how = ", ".join(f"{title} ({count})" for title, count in tally.titles.items())
        print(f"{name:16}{shares}{np.median(ms):11.2f}{np.percentile(ms, 90):7.2f}  {how}", flush=True)


if __name__ == "__main__":
    main()
