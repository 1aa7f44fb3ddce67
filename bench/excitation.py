"""Exciting motions: condition numbers beside random motions, times, errors of estimates.

    OPENBLAS_NUM_THREADS=1 python bench/excitation.py [ROBOT …]

For each robot 200 random motions of the same family, each at its limits, stand beside three seeds by either criterion,
best of random ones being what a random search would choose. `condition`: of the rigid arm's base parameters, SI;
seconds of processor time, all of it counted from the robot's name, its models made and proved. The
errors are those of 300 least squares fits with torque noise along each motion, all unknowns: how many times those of a
random motion are as large as those of the D-optimal one, the mean over the unknowns, then the median over ten motions.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import manipula as mp
from manipula.identification.excitation.excitation import Design, design_of

ROBOTS = [x for x in sys.argv[1:] if not x.startswith("-")] or ["puma560", "iiwa14"]
RANDOM, SEEDS, RUNS, JUDGED = 200, 3, 300, 10


def fitted_errors(design: Design, x: Any) -> Any:
    """The scatter of every unknown over fits with unit noise on all torques of the dense motion."""
    rows = design.information.matrix(design.motion(x, design.dense), drawn_out=False)
    W = rows.reshape(-1, rows.shape[-1])
    noise = np.random.default_rng(1).normal(size=(len(W), RUNS))
    return np.std(np.linalg.lstsq(W, noise, rcond=None)[0], axis=1)


def measured(name: str) -> None:
    begun = time.process_time()
    design = design_of(mp.load(name), 10.0, 5, None, None, "fourier")
    made = time.process_time() - begun
    count, base = len(design.information.names), len(design.information.base)
    print(
        f"{name}: {base} base parameters, {count} unknowns with motors and friction, {design.scale.size} coefficients"
    )
    rng = np.random.default_rng(0)
    random = [x for x in (design.sample_motion(rng) for _ in range(RANDOM)) if x is not None]
    conditions = np.array([design.conditions(x) for x in random])
    said = "  {:10} condition: best {:6.1f}, median {:6.1f}, worst {:6.1f}; scaled, with friction: best {:5.1f}"
    print(said.format("random", *np.quantile(conditions[:, 0], (0, 0.5, 1)), conditions[:, 1].min()))
    for criterion in ("logdet", "condition"):
        begun = time.process_time()
        found = [design.search_motion(seed, criterion) for seed in range(SEEDS)]
        taken = time.process_time() - begun
        conditions = np.array([design.conditions(x) for x in found])
        told = said.format(criterion, *np.quantile(conditions[:, 0], (0, 0.5, 1)), conditions[:, 1].min())
        print(f"{told}; {made:.1f} s models, {taken:.1f} s search")
        if criterion == "logdet":
            best = max(found, key=lambda x: design.information_value(x, criterion).value)
            own = fitted_errors(design, best)
            ratios = [np.mean(fitted_errors(design, x) / own) for x in random[:JUDGED]]
            print(f"  {'':10} errors of estimates, random over this: {np.median(ratios):.2f} (best {min(ratios):.2f})")


if __name__ == "__main__":
    for robot in ROBOTS:
        measured(robot)
