"""Calibration of arms with errors planted in every entry: rank, errors on configurations kept apart, true intervals.

    python bench/calibration.py [--seeds 10]

Every entry of the geometry is off by 1 mm or 1 mrad (normal), poses are measured with 0.1 mm and 0.1 mrad of noise in
60 configurations; 200 others judge. "covers": the share of 95 % intervals that hold what is planted, of the entries
that were found, measured against the fit to the same arm without noise.
"""

from __future__ import annotations

import argparse
import statistics

import numpy as np
from scipy.spatial.transform import Rotation

import manipula as mp
from manipula.identification.calibration.geometry import Geometry

ARMS = ("puma560", "ur5e", "stanford", "panda", "irb120")
NOISE, OFF = 1e-4, 1e-3


def measured(geometry: Geometry, q: np.ndarray, e: np.ndarray, rng: np.random.Generator, noise: float) -> np.ndarray:
    p, R = geometry.pose(q, e)
    T = np.tile(np.eye(4), (len(q), 1, 1))
    T[:, :3, 3] = p + rng.normal(0, noise, p.shape)
    T[:, :3, :3] = Rotation.from_rotvec(rng.normal(0, noise, p.shape)).as_matrix() @ R
    return T


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    seeds = parser.parse_args().seeds
    print(f"{'arm':<10} {'rank':>5} {'rule':>5} {'before mm':>10} {'after mm':>20} {'condition':>10} {'covers':>7}")
    for name in ARMS:
        robot = mp.load(name)
        geometry = Geometry.of(robot)
        after, before, inside, ranks, conditions = [], [], [], set(), []
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            e = rng.normal(0, OFF, len(geometry.entries))
            width = [2.5 if joint.turns else 0.3 for joint in robot.joints if joint.kind != "fixed"]
            q, others = (rng.uniform(-1, 1, (count, robot.dof)) * width for count in (60, 200))
            exact = mp.calibrate(robot, q, measured(geometry, q, e, rng, 0.0))
            truth = {one.name: one.value for one in exact.parameters}
            apart = (others, measured(geometry, others, e, rng, 0.0))
            found = mp.calibrate(robot, q, measured(geometry, q, e, rng, NOISE), validate=apart)
            assert found.validation is not None
            before.append(found.validation[0].mean * 1e3)
            after.append(found.validation[1].mean * 1e3)
            ranks.add(found.rank)
            conditions.append(found.condition)
            inside += [abs(one.value - truth[one.name]) < 1.96 * one.sigma for one in found.parameters]
        turning = sum(joint.turns for joint in robot.joints if joint.kind != "fixed")
        rule = 4 * turning + 2 * (robot.dof - turning) + 6
        spread = f"{statistics.median(after):.3f} ({min(after):.3f}–{max(after):.3f})"
        ranked = "/".join(map(str, sorted(ranks)))
        print(
            f"{name:<10} {ranked:>5} {rule:>5} {statistics.median(before):>10.2f} {spread:>20} "
            f"{statistics.median(conditions):>10.3g} {np.mean(inside):>7.3f}"
        )


if __name__ == "__main__":
    main()
