"""Random numbers by counting: Philox4x32-10, and normal deviates from its words.

A number depends on the seed, the rollout, the step and the channel alone, not on what was drawn before: rollouts in any
order, in any number of threads, or alone have the same ones. This is the text that is read, run and emitted; machine
code for many lanes is `machine.philox`, and gives the same words.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011, section 3.3 (Philox); Box,
Muller, "A note on the generation of random normal deviates", Annals of Mathematical Statistics 29 (1958).
"""

from __future__ import annotations

from manipula.algebra.program.primitives import Reals, Word, Words, cos, log, sin, sqrt, word, words

ROUNDS = 10
FIRST, SECOND = 0xD2511F53, 0xCD9E8D57  # multipliers
GOLDEN, ROOT = 0x9E3779B9, 0xBB67AE85  # what a round adds to the key
LOW, HALF = 0xFFFFFFFF, 32
TWO_PI = 6.283185307179586
LAST = 2.0**-32
EACH = 4  # deviates of one counter


def philox(c: Words, k0: Word, k1: Word) -> None:
    """Ten rounds on the four words of a counter, in place, under a key of two words; each has 32 bits."""
    a, b = k0, k1
    for _ in range(ROUNDS):
        p = word(FIRST) * c[0]
        s = word(SECOND) * c[2]
        c[0] = (s >> HALF) ^ c[1] ^ a
        c[1] = s & word(LOW)
        c[2] = (p >> HALF) ^ c[3] ^ b
        c[3] = p & word(LOW)
        a = (a + word(GOLDEN)) & word(LOW)
        b = (b + word(ROOT)) & word(LOW)


def normals(seed: int, rollout: int, step: int, channel: int, out: Reals) -> None:
    """Four independent deviates: key (seed, rollout), counter (step, channel). Two words make two of them."""
    c = words(4)
    c[0] = word(step) & word(LOW)
    c[1] = word(step) >> HALF
    c[2] = word(channel) & word(LOW)
    c[3] = word(0)
    philox(c, word(seed) & word(LOW), word(rollout) & word(LOW))
    for i in range(2):
        # r = √(−2 log u), 0 < u ≤ 1;  r cos 2πv,  r sin 2πv
        r = sqrt(-2.0 * log((float(int(c[2 * i])) + 1.0) * LAST))
        angle = TWO_PI * (float(int(c[2 * i + 1])) * LAST)
        out[2 * i] = r * cos(angle)
        out[2 * i + 1] = r * sin(angle)
