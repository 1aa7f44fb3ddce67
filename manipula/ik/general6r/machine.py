"""The texts at work: poses in arrays, answers in arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.run.texts import machine_codes
from manipula.ik.general6r.tables import Tables
from manipula.ik.general6r.text.collect import MOST
from manipula.ik.general6r.text.poses import MOST_ROOTS, REPORT, solve_poses, study
from manipula.ik.numeric.arrays import Floats

TEXTS = (solve_poses, study)


class Solved(NamedTuple):
    """Rows of answers for each pose: q (B, most, 6); residual and distance of the twin (B, most, 2); and
    (B, 4): how many answers (−1: not a pose), roots counted, whether those are all, readings asked.
    """

    q: Floats
    about: Floats
    report: NDArray[np.int64]


class Studied(NamedTuple):
    """What one reading finds of sample targets: roots of each (B), and the sizes of all first Newton steps."""

    counts: NDArray[np.int64]
    steps: Floats


def solved(tables: Tables, poses: Floats) -> Solved:
    """Every solution of `poses` (B, 4, 4), dense."""
    n = len(poses)
    found = Solved(np.empty((n, MOST, 6)), np.empty((n, MOST, 2)), np.empty((n, REPORT), dtype=np.int64))
    flat = [x.reshape(-1) for x in found]
    machine_codes(*TEXTS)[0](n, *tables, poses.reshape(-1), *flat)
    return found


def studied(arm: Floats, shape: NDArray[np.int64], table: Floats, targets: Floats) -> Studied:
    """`targets` (B, 4, 4) in the arm's own unit; `arm`, `shape`, `table`: see `tables`."""
    n = len(targets)
    counts, steps = np.empty(n, dtype=np.int64), np.empty((n, MOST_ROOTS))
    given = np.ascontiguousarray(targets[:, :3]).reshape(-1)
    machine_codes(*TEXTS)[1](n, arm, shape, table, given, counts, steps.reshape(-1))
    return Studied(counts, steps)
