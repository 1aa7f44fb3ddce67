"""`Maths` over Python floats."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from manipula.scalar import OPS, Maths


class FloatMaths(Maths[float]):
    """Floats; the meaning every other scalar is compared with."""

    def number(self, value: Fraction) -> float:
        return value.numerator / value.denominator

    def degrees(self, value: Fraction) -> float:
        return math.radians(value)

    def apply(self, name: str, *args: float) -> float:
        """NumPy's, which has a value for every float: infinity where it is too large, NaN where it is undefined."""
        with np.errstate(all="ignore"):
            return float(getattr(np, OPS[name].word("numpy"))(*args))

    def sin(self, x: float) -> float:
        return math.sin(x) if math.isfinite(x) else math.nan

    def cos(self, x: float) -> float:
        return math.cos(x) if math.isfinite(x) else math.nan

    def sqrt(self, x: float) -> float:
        return math.nan if x < 0 else math.sqrt(x)

    def atan2(self, y: float, x: float) -> float:
        return math.atan2(y, x)

    def sign(self, x: float) -> float:
        return x if math.isnan(x) else float((x > 0) - (x < 0))

    def abs(self, x: float) -> float:
        return abs(x)

    def pow(self, x: float, y: float) -> float:
        return self.apply("pow", x + 0.0, y) if x >= 0 and not math.isnan(y) else math.nan

    def minimum(self, x: float, y: float) -> float:
        return x if x < y or math.isnan(x) else y

    def maximum(self, x: float, y: float) -> float:
        return x if x > y or math.isnan(x) else y

    def less(self, x: float, y: float) -> float:
        return math.nan if math.isnan(x) or math.isnan(y) else float(x < y)

    def select(self, condition: float, yes: float, no: float) -> float:
        if math.isnan(condition):
            return math.nan
        return yes if condition else no


FLOATS = FloatMaths()


class Rounded:
    """The judge of floats."""

    def zero(self, x: float, within: float) -> bool:
        return abs(x) < within

    def length(self, *x: float) -> float:
        return math.hypot(*x)


ROUNDED = Rounded()
