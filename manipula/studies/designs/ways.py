"""The way through a task, from configuration to configuration: of all that those found at its places allow, the one
with the least sum over its legs. Bellman's recursion: the best way to b ends with the best way to some a, then the leg
from a to b.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from manipula.studies.designs.reaching import Space, nearest_turns

Array = NDArray[np.float64]
Price = Callable[[Array], Array]  # of legs (k, 2, joints), or of a rest (k, 1, joints)


def best_way(answers: Sequence[Array], space: Space, price: Price) -> Array:
    """(stops, joints)"""
    if len(answers) == 1:
        rows = answers[0]
        return rows[[int(price(rows[:, None]).argmin())]] if len(rows) > 1 else rows
    total, came = np.zeros(len(answers[0])), list[NDArray[np.intp]]()
    for a, b in pairwise(answers):
        ends = nearest_turns(b[None], a[:, None], space)
        legs = np.stack([np.broadcast_to(a[:, None], ends.shape), ends], axis=-2)
        costs = total[:, None] + price(legs.reshape(-1, 2, a.shape[-1])).reshape(len(a), len(b))
        came.append(costs.argmin(0))
        total = costs.min(0)
    return _back(answers, came, int(total.argmin()), space)


def _back(answers: Sequence[Array], came: Sequence[NDArray[np.intp]], last: int, space: Space) -> Array:
    chosen = [last]
    for before in reversed(came):
        chosen.append(int(before[chosen[-1]]))
    stops = [rows[k] for rows, k in zip(answers, reversed(chosen))]
    for k in range(1, len(stops)):
        stops[k] = nearest_turns(stops[k], stops[k - 1], space)
    return np.array(stops)
