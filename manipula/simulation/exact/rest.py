"""Which joints at rest stay there: the accelerations of an arm with dry friction, exactly.

    a = argmin ½ aᵀM a − aᵀp + Σ_{i at rest} max(low_i a_i, high_i a_i)

p are the torques that are left to accelerate the arm. A joint at rest stays (a_i = 0) as long as what pushes it,
λ = p − M a, is within low_i ≤ λ_i ≤ high_i; it starts forwards against high_i, backwards against low_i. An infinite
bound is a stop. M > 0 makes the answer unique. The same problem with momenta in place of torques gives the
velocities after an inelastic impact.

Source: the active set of non-negative least squares, Lawson, Hanson, "Solving Least Squares Problems" (1974), chapter
23, with a sign for every joint: each change lowers the sum above, so no set of joints comes twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ways = NDArray[np.int8]  # −1, 0, 1 a joint


class Rest(NamedTuple):
    """The accelerations; which way each joint at rest starts, 0 where it stays; what pushes those that stay."""

    a: Array
    ways: Ways
    push: Array


def at_rest(M: Array, p: Array, low: Array, high: Array, resting: NDArray[np.bool_]) -> Rest:
    """Joints that do not rest move anyhow, under p; bounds are read of those that do."""
    ways = np.zeros(len(p), dtype=np.int8)
    a = _moving(M, p, low, high, ~resting, ways)
    for _ in range(4 * 3 ** min(len(p), 8)):  # never reached: every set of joints comes once at most
        push = p - M @ a
        beyond = np.where(resting & (ways == 0), np.maximum(push - high, low - push), 0.0)
        first = int(np.argmax(beyond))
        if not beyond[first] > 0:
            break
        ways[first] = 1 if push[first] > high[first] else -1
        a, ways = _towards(M, p, low, high, resting, ways, a, first)
        if ways[first] == 0:  # pushed over its bound by less than rounding
            break
    return Rest(a, ways, p - M @ a)


def _towards(
    M: Array, p: Array, low: Array, high: Array, resting: NDArray[np.bool_], ways: Ways, a: Array, first: int
) -> tuple[Array, Ways]:
    """From a to the best with these joints moving; one that would turn back on the way rests again."""
    while True:
        aim = _moving(M, p, low, high, ~resting | (ways != 0), ways)
        against = resting & (ways != 0) & (aim * ways <= 0)
        if not against.any():
            return aim, ways
        if against[first] and a[first] == 0:
            ways[first] = 0
            continue
        # the first of them to come to rest:  a + s (aim − a) = 0
        part = np.where(against, a / np.where(against, a - aim, 1.0), np.inf)
        i = int(np.argmin(part))
        a = a + part[i] * (aim - a)
        a[i], ways[i] = 0.0, 0


def _moving(M: Array, p: Array, low: Array, high: Array, moves: NDArray[np.bool_], ways: Ways) -> Array:
    """M a = p − friction in the rows of the joints that move; the others are removed, their a is 0."""
    a = np.zeros(len(p))
    if moves.all() and not ways.any():
        return np.asarray(np.linalg.solve(M, p), dtype=float)
    if moves.any():
        bound = np.where(ways > 0, high, np.where(ways < 0, low, 0.0))
        a[moves] = np.linalg.solve(M[np.ix_(moves, moves)], (p - bound)[moves])
    return a
