"""The texts at work: poses in arrays, answers in arrays. `translate` makes machine code of a text."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.ik.general6r.tables import Tables
from manipula.ik.general6r.text.collect import MOST
from manipula.ik.general6r.text.solve import solve_poses
from manipula.ik.numeric.arrays import Floats

Translate = Callable[[Callable[..., Any]], Callable[..., Any]]


class Solved(NamedTuple):
    """Rows of answers for each pose: q (B, most, 6); residual and distance of the twin (B, most, 2); and
    (B, 4): how many answers (−1: not a pose), roots counted, whether those are all, readings asked.
    """

    q: Floats
    about: Floats
    report: NDArray[np.int64]


class Machine6R:
    """One arm's solver."""

    def __init__(self, tables: Tables, translate: Translate) -> None:
        self.tables, self._run = tables, _translated(translate)

    def __call__(self, poses: Floats) -> Solved:
        """`poses` (B, 4, 4), dense."""
        count = len(poses)
        found = Solved(np.empty((count, MOST, 6)), np.empty((count, MOST, 2)), np.empty((count, 4), dtype=np.int64))
        self._run(count, *self.tables, poses, *found)
        return found


@lru_cache(maxsize=4)
def _translated(translate: Translate) -> Callable[..., Any]:
    """The code is the same for every arm."""
    return translate(solve_poses)
