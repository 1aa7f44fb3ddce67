"""`Maths` over Python floats."""

from __future__ import annotations

import math
from fractions import Fraction


class FloatMaths:
    """Floats; the meaning every other scalar is compared with."""

    def number(self, value: Fraction) -> float:
        return value.numerator / value.denominator

    def degrees(self, value: Fraction) -> float:
        return math.radians(value)

    def sin(self, x: float) -> float:
        return math.sin(x)

    def cos(self, x: float) -> float:
        return math.cos(x)

    def sqrt(self, x: float) -> float:
        return math.sqrt(x)

    def atan2(self, y: float, x: float) -> float:
        return math.atan2(y, x)

    def sign(self, x: float) -> float:
        return x if math.isnan(x) else float((x > 0) - (x < 0))

    def abs(self, x: float) -> float:
        return abs(x)

    def minimum(self, x: float, y: float) -> float:
        return min(x, y)

    def maximum(self, x: float, y: float) -> float:
        return max(x, y)

    def less(self, x: float, y: float) -> float:
        return float(x < y)

    def select(self, condition: float, yes: float, no: float) -> float:
        return yes if condition else no


FLOATS = FloatMaths()
