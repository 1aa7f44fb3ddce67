"""References of time."""

from pathlib import Path

import numpy as np

import manipula as mp


def main(folder: Path) -> float:
    ref = mp.trajectory.quintic([0, 0], [1, -0.5], 1.0)
    q, qd, qdd = ref(np.linspace(0, ref.duration, 11))
    print(q.shape, float(np.abs(qd).max()), float(np.abs(qdd).max()))
    spline = mp.trajectory.spline([[0.0, 0.0], [0.5, 0.2], [1.0, 0.0]], [0.0, 0.5, 1.0])
    ref.save(folder / "ref.csv")
    return float(ref.duration + spline.duration)
