"""The words of a translated text, with their meaning in plain Python.

`Reals`, `Complexes` and `Ints` are flat arrays. `Numbers` and `Number` are real or complex: such a text is translated
for either, as it is called.
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
Numbers = Any
Number = Any


def reals(size: int) -> Reals:
    """An array of a text's own; what it holds at first means nothing."""
    return np.zeros(size)


def complexes(size: int) -> Complexes:
    return np.zeros(size, dtype=complex)


def integers(size: int) -> Ints:
    return np.zeros(size, dtype=np.int64)


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


def atan2(y: float, x: float) -> float:
    return math.atan2(y, x)


def real(x: Number) -> float:
    return float(x.real)


def imag(x: Number) -> float:
    return float(x.imag)


def number(a: float, b: float) -> complex:
    """a + ib"""
    return complex(a, b)
