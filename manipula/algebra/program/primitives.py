"""The words of a translated text, with their meaning in plain Python.

`Reals`, `Complexes`, `Ints` and `Words` are flat arrays. `Numbers` and `Number` are real or complex: such a text is
translated for either, as it is called. A `Word` has 64 bits and no sign; sums, differences, products and left shifts
that may leave them are cut by the text itself (`& ALL`), which costs nothing where it is compiled.
"""

from __future__ import annotations

import cmath
import math
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


def select(condition: bool, yes: Any, no: Any) -> Any:
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
