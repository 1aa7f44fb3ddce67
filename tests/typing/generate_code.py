"""Generate a model and emit it."""

from pathlib import Path

import numpy as np

import manipula as mp


def main(folder: Path) -> list[str]:
    model: mp.Model = mp.generate("planar2r", "gravity")
    files: list[Path] = model.emit("c", folder)
    lines = [path.name for path in files]
    total: int = model.cost.total
    print(total, model.equations("factored"), model.latex())
    compiled = mp.generate(mp.load("puma560"), ["pose", "jacobian"])
    q = np.zeros(6)
    values = compiled.compile()(q)
    return [*lines, str(len(values)), *mp.models()]
