"""A control law stepped by hand and emitted."""

from pathlib import Path

import numpy as np

import manipula as mp


def main(folder: Path) -> float:
    law = mp.controller("puma560", "pd_gravity", kp=100, kd=20, sample=1e-3)
    q = np.zeros(6)
    found = law.step(law.start(), q, q, q, q)
    for _ in range(3):
        found = law.step(found.state, q, q, q, q)
    print(law.settings["kp"], [path.name for path in law.emit("c", folder)])
    return float(np.abs(found.outputs["tau"]).max())
