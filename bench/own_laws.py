"""Laws of one's own: the sixteen built-in laws as a person writes them, beside ours: python bench/own_laws.py

Both are made for the same drawn arm with the same drawn gains, emitted as C and compiled. Operations are counted, and
the results of the two programs compared at drawn states: the largest difference over the largest entry of the output.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from tables import claim, table, verdict

import manipula as mp
from manipula.algebra.emit.backend import emit
from tests.control_laws import drawn
from tests.emitted import c_function
from tests.rewritten_laws import OWN, pair_of

STATES = 20


def difference(ours: mp.Law, law: mp.Law, folder: Path) -> float:
    """Of the results of their C, the largest, over the largest entry."""
    runs = []
    for number, each in enumerate((ours, law)):
        place = folder / f"{each.name}{number}"
        place.mkdir()
        runs.append(c_function(each.tape, emit(each.tape, "c", "0"), place))
    worst = 0.0
    for seed in range(STATES):
        x = drawn(ours, seed)
        a, b = (run({**x, **each.settings}) for run, each in zip(runs, (ours, law), strict=True))
        for name, values in a.items():
            true = np.ravel(values)
            worst = max(worst, float(np.abs(np.ravel(b[name]) - true).max() / max(1e-300, np.abs(true).max())))
    return worst


def main() -> int:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in OWN:
            ours, law = pair_of(name)
            share, apart = law.cost.total / ours.cost.total, difference(ours, law, Path(folder))
            claim(f"{name}: operations over the built-in law's", share, 1.05)
            claim(f"{name}: results of its C", apart, 1e-12)
            rows.append([name, str(law.cost.total), str(ours.cost.total), f"{share:.3f}", f"{apart:.0e}"])
    table("laws by users' means", ["", "operations", "built-in", "over", "C differs by"], rows)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
