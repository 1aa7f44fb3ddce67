"""A study of many cases."""

from pathlib import Path

import numpy as np

import manipula as mp


def main(folder: Path) -> float:
    found = mp.studies.payload("puma560", count=4)
    found.save(folder / "payload.csv")
    torque = found.table["torque"]
    print(found)
    return float(np.max(torque))
