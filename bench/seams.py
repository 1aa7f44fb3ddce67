"""Seams solved as a whole, against the greedy way: python bench/seams.py [--poses N] [--seams N] [arm …]

Every industrial arm of the library with a closed form, without and with a tool, on lines, circles and ways through a
straight wrist; with `--spin` the tool's turn about its z axis is free. `greedy` takes at every pose the solution
nearest to the one before.

  jumps       steps above max_step
  untold      steps above max_step that the seam does not name: must be 0
  µs a pose   wall time of `arm.follow`, compiled before
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from numpy.typing import NDArray
from tables import table

import manipula as mp

ARMS = (
    "puma560", "ur3", "ur3e", "ur5", "ur5e", "ur10", "ur10e", "irb120", "irb140", "kr5", "kr6", "kr10", "lrmate200id",
    "pucrio", "stanford", "rx90",
)  # fmt: skip
MAX_STEP = 0.3
Floats = NDArray[np.float64]


def seams(arm: mp.Arm, kind: str, count: int, poses: int) -> list[Floats]:
    """Poses about random configurations inside the limits."""
    rng = np.random.default_rng(7)
    low, high = np.array(arm.limits).T
    low, high = np.maximum(low, -np.pi), np.minimum(high, np.pi)
    s = np.linspace(0.0, 1.0, poses)
    made = []
    for _ in range(count):
        q = rng.uniform(0.8 * low + 0.2 * high, 0.2 * low + 0.8 * high)
        if kind == "wrist":
            # joints move straight through θ5 = 0
            to = q + rng.uniform(-0.4, 0.4, 6)
            q[4], to[4] = 0.3, -0.3
            made.append(arm.pose(q + s[:, None] * (to - q)))
            continue
        T = np.repeat(arm.pose(q)[None], poses, axis=0)
        along, across = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
        if kind == "line":
            T[:, :3, 3] += 0.3 * s[:, None] * along
        else:
            T[:, :3, 3] += 0.1 * (
                (np.cos(2 * np.pi * s) - 1)[:, None] * along + np.sin(2 * np.pi * s)[:, None] * across
            )
        made.append(T)
    return made


def greedy_jumps(arm: mp.Arm, poses: Floats) -> int:
    """Of the way that takes the nearest solution at every pose, from the first solution there is."""
    last, jumps = None, 0
    for T in poses:
        found = arm.inverse_kinematics(T, last)
        if len(found.q):
            jumps += last is not None and bool(np.abs(found.q[0] - last).max() > MAX_STEP)
            last = found.q[0]
    return jumps


def variations(name: str) -> dict[str, mp.Arm]:
    robot = mp.load(name)
    return {name: mp.Arm(robot), f"{name} + tool": mp.Arm(robot.with_tool(xyz=(0.05, 0.0, 0.15)))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--seams", type=int, default=5, help="of each kind")
    parser.add_argument("--spin", action="store_true")
    parser.add_argument("--plain", action="store_true", help="no variations, no greedy way")
    parser.add_argument("arms", nargs="*", default=ARMS)
    given = parser.parse_args()
    free = "spin" if given.spin else None
    rows = []
    for name in given.arms:
        arms = {name: mp.Arm(name)} if given.plain else variations(name)
        for title, arm in arms.items():
            for kind in ("line", "circle", "wrist"):
                jumps = greedy = untold = lost = 0
                seconds = 0.0
                drawn = seams(arm, kind, given.seams, given.poses)
                arm.follow(drawn[0][:3], free=free)
                for poses in drawn:
                    begin = time.perf_counter()
                    path = arm.follow(poses, free=free, max_step=MAX_STEP)
                    seconds += time.perf_counter() - begin
                    q = path.q[path.reached]
                    steps = int((np.abs(np.diff(q, axis=0)).max(-1) > MAX_STEP).sum()) if len(q) else 0
                    told = {reason.first for reason in path.reasons}
                    untold += steps - sum(i in told for i in path.jumps)
                    jumps, lost = jumps + len(path.jumps), lost + len(path.unreached)
                    greedy += 0 if given.plain else greedy_jumps(arm, poses)
                each = 1e6 * seconds / (given.seams * given.poses)
                rows.append((title, kind, lost, jumps, "" if given.plain else greedy, untold, f"{each:.1f}"))
    head = ("arm", "seams", "out of reach", "jumps", "greedy", "untold", "µs a pose")
    table("Seams", head, [[str(cell) for cell in row] for row in rows])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
