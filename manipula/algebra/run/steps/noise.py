"""Normal deviates of many rollouts in numpy: the words of `program.philox`, where there is no machine code."""

from __future__ import annotations

from typing import Any

import numpy as np

from manipula.algebra.program.philox import EACH, FIRST, GOLDEN, HALF, LAST, LOW, ROOT, ROUNDS, SECOND, TWO_PI


def deviates(count: int, seed: int, rollouts: Any, step: int) -> Any:
    """(count, *rollouts.shape): four a channel, channels from 0 on."""
    shape, channels = np.shape(rollouts), -(-count // EACH)
    found = np.empty((channels, EACH, *shape))
    for channel in range(channels):
        c = [np.full(shape, x, np.uint64) for x in (step & LOW, step >> HALF, channel, 0)]
        c = _rounds(c, seed, np.asarray(rollouts).astype(np.uint64))
        for i, (u, v) in enumerate(((c[0], c[1]), (c[2], c[3]))):
            r = np.sqrt(-2.0 * np.log((u.astype(float) + 1.0) * LAST))
            angle = TWO_PI * (v.astype(float) * LAST)
            found[channel, 2 * i : 2 * i + 2] = r * np.cos(angle), r * np.sin(angle)
    return found.reshape(-1, *shape)[:count]


def _rounds(c: list[Any], seed: int, rollouts: Any) -> list[Any]:
    low = np.uint64(LOW)
    for turn in range(ROUNDS):
        first, second = c[0] * np.uint64(FIRST), c[2] * np.uint64(SECOND)
        a = np.uint64((seed + turn * GOLDEN) & LOW)
        b = (rollouts + np.uint64(turn * ROOT & LOW)) & low
        c = [(second >> HALF) ^ c[1] ^ a, second & low, (first >> HALF) ^ c[3] ^ b, first & low]
    return c
