"""Normal deviates of many rollouts in numpy: the words of `program.philox`, where there is no machine code."""

from __future__ import annotations

from typing import Any

import numpy as np

from manipula.algebra.program.philox import FIRST, GOLDEN, HALF, LAST, LOW, ROOT, ROUNDS, SECOND, TWO_PI


def deviates(count: int, seed: int, rollouts: Any, step: int) -> Any:
    """(count, *rollouts.shape): two a channel, channels from 0 on."""
    shape = np.shape(rollouts)
    found = np.empty((count + count % 2, *shape))
    for channel in range((count + 1) // 2):
        c = [np.full(shape, x, np.uint64) for x in (step & LOW, step >> HALF, channel, 0)]
        c = _rounds(c, seed, np.asarray(rollouts).astype(np.uint64))
        u, v = (((high << HALF) | low) >> 11 for low, high in ((c[0], c[1]), (c[2], c[3])))
        r = np.sqrt(-2.0 * np.log((u.astype(float) + 1.0) * LAST))
        angle = TWO_PI * (v.astype(float) * LAST)
        found[2 * channel], found[2 * channel + 1] = r * np.cos(angle), r * np.sin(angle)
    return found[:count]


def _rounds(c: list[Any], seed: int, rollouts: Any) -> list[Any]:
    low = np.uint64(LOW)
    for turn in range(ROUNDS):
        first, second = c[0] * np.uint64(FIRST), c[2] * np.uint64(SECOND)
        a = np.uint64((seed + turn * GOLDEN) & LOW)
        b = (rollouts + np.uint64(turn * ROOT & LOW)) & low
        c = [(second >> HALF) ^ c[1] ^ a, second & low, (first >> HALF) ^ c[3] ^ b, first & low]
    return c
