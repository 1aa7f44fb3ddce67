"""The words of a translated text, with their meaning in plain Python.

`Reals`, `Complexes`, `Ints` and `Words` are flat arrays. `Numbers` and `Number` are real or complex: such a text is
translated for either, as it is called. A `Word` has 64 bits and no sign; sums, differences, products and left shifts
that may leave them are cut by the text itself (`& ALL`), which costs nothing where it is compiled.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Complexes = NDArray[np.complex128]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Numbers = Any
Number = Any
Word = int

BITS = 64
ALL = (1 << BITS) - 1  # the largest word


def reals(size: int) -> Reals:
    """An array of a text's own; what it holds at first means nothing."""
    return np.zeros(size)


def complexes(size: int) -> Complexes:
    return np.zeros(size, dtype=complex)


def integers(size: int) -> Ints:
    return np.zeros(size, dtype=np.int64)


def words(size: int) -> Words:
    """In plain Python of Python's own numbers: numpy's would overflow before the text can cut them."""
    return np.zeros(size, dtype=object)


def like(x: Numbers, size: int) -> Numbers:
    """Real or complex as x is."""
    return np.zeros(size, dtype=x.dtype)


def sin(x: Number) -> Number:
    return cmath.sin(x) if isinstance(x, complex) else math.sin(x)


def cos(x: Number) -> Number:
    return cmath.cos(x) if isinstance(x, complex) else math.cos(x)


def sqrt(x: float) -> float:
    return math.sqrt(x)


def exp(x: float) -> float:
    return math.exp(x)


def log(x: float) -> float:
    return math.log(x)


def floor(x: float) -> float:
    """The whole number below; what is infinite stays so."""
    return float(np.floor(x))


def ceil(x: float) -> float:
    """The whole number above."""
    return float(np.ceil(x))


def rint(x: float) -> float:
    """The whole number nearest to x, of two the even one."""
    return float(np.rint(x))


def atan2(y: float, x: float) -> float:
    return math.atan2(y, x)


def real(x: Number) -> float:
    return float(x.real)


def imag(x: Number) -> float:
    return float(x.imag)


def number(a: float, b: float) -> complex:
    """a + ib"""
    return complex(a, b)


def select(condition: bool, yes: object, no: object) -> Any:
    """One of two numbers, both of which are computed: the choice a laned text may make by its data."""
    return yes if condition else no


def word(x: int) -> Word:
    """The 64 bits of a whole number."""
    return int(x) & ALL


def high(x: Word, y: Word) -> Word:
    """The upper 64 of the 128 bits of a product of words."""
    return int(x) * int(y) >> BITS


def quotient(x: int, y: int) -> int:
    """x // y of a number that is not negative by a positive one: one instruction, as nothing has to be rounded down."""
    return x // y


def remainder(x: int, y: int) -> int:
    """x % y, likewise."""
    return x % y


# The operations of a tape that decide, as texts: where a language's own would lose a NaN (see `scalar.Maths`).


def sign_of(x: float) -> float:
    """-1, 0 or 1; NaN of NaN"""
    return 1.0 if x > 0 else (-1.0 if x < 0 else (0.0 if x == 0 else x))


def min_of(x: float, y: float) -> float:
    """The smaller; NaN if one is NaN."""
    return x if x < y else (y if y <= x else x + y)


def max_of(x: float, y: float) -> float:
    """The larger; NaN if one is NaN."""
    return x if x > y else (y if y >= x else x + y)


def less_of(x: float, y: float) -> float:
    """1 if x < y, else 0; NaN if one is NaN"""
    return 1.0 if x < y else (0.0 if x >= y else x + y)


def select_of(condition: float, yes: float, no: float) -> float:
    """yes where the condition is not 0, else no; NaN if the condition is NaN"""
    # NaN is neither; `!=` alone would take it for true
    unknown = not condition <= 0 and not condition > 0
    return condition if unknown else (yes if condition != 0 else no)


DECIDING: dict[str, Callable[..., object]] = {
    "sign": sign_of, "min": min_of, "max": max_of, "less": less_of, "select": select_of,
}  # fmt: skip


# Random numbers by counting: Philox4x32-10, and normal deviates from its words.
#
# A number depends on the seed, the rollout, the step and the channel alone, not on what was drawn before: rollouts in
# any
# order, in any number of threads, or alone have the same ones. This is the text that is read, run and emitted; machine
# code for many lanes is `machine.philox`, and gives the same words.
#
# Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011, section 3.3 (Philox); Box,
# Muller, "A note on the generation of random normal deviates", Annals of Mathematical Statistics 29 (1958).

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
