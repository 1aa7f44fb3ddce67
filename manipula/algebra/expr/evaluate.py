"""The reference meaning of an expression, over any scalar: floats, arrays, mpmath, intervals, the prime field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.node import Expr
from manipula.algebra.expr.ops import OPS
from manipula.algebra.expr.walk import topological
from manipula.scalar import Maths, Tolerance


def evaluate(roots: Iterable[Expr], symbols: Mapping[str, Any], maths: Maths[Any]) -> list[Any]:
    """The values of the roots, given a scalar for every symbol."""
    roots = list(roots)
    values: dict[Expr, Any] = {}
    for node in topological(roots):
        match node.op:
            case "symbol":
                values[node] = symbols[node.data]
            case "const" | "tolerance":
                values[node] = maths.number(node.data)
            case "angle":
                values[node] = maths.degrees(node.data)
            case op:
                values[node] = OPS[op].value(maths, *(values[arg] for arg in node.args))
    return [values[root] for root in roots]


class ArrayMaths:
    """`Maths` over numpy arrays (and float64 numbers)."""

    def number(self, value: Fraction) -> Any:
        return np.float64(value.numerator / value.denominator)

    def degrees(self, value: Fraction) -> Any:
        return np.float64(np.deg2rad(float(value)))

    def sin(self, x: Any) -> NDArray[Any]:
        return np.sin(x)  # type: ignore[no-any-return]

    def cos(self, x: Any) -> NDArray[Any]:
        return np.cos(x)  # type: ignore[no-any-return]

    def sqrt(self, x: Any) -> NDArray[Any]:
        with np.errstate(invalid="ignore"):
            return np.sqrt(x)  # type: ignore[no-any-return]

    def atan2(self, y: Any, x: Any) -> NDArray[Any]:
        return np.arctan2(y, x)  # type: ignore[no-any-return]

    def sign(self, x: Any) -> NDArray[Any]:
        return np.sign(x)  # type: ignore[no-any-return]

    def abs(self, x: Any) -> NDArray[Any]:
        return np.abs(x)  # type: ignore[no-any-return]

    def minimum(self, x: Any, y: Any) -> NDArray[Any]:
        return np.minimum(x, y)  # type: ignore[no-any-return]

    def maximum(self, x: Any, y: Any) -> NDArray[Any]:
        return np.maximum(x, y)  # type: ignore[no-any-return]

    def less(self, x: Any, y: Any) -> NDArray[Any]:
        unordered = np.isnan(x) | np.isnan(y)
        return np.where(unordered, np.nan, np.less(x, y))

    def select(self, condition: Any, yes: Any, no: Any) -> NDArray[Any]:
        chosen = np.where(np.not_equal(condition, 0), yes, no)
        return np.where(np.isnan(condition), np.nan, chosen)


class MpMaths:
    """`Maths` over mpmath numbers, at mpmath's own working precision."""

    def number(self, value: Fraction) -> Any:
        return mpmath.mpf(value.numerator) / value.denominator

    def degrees(self, value: Fraction) -> Any:
        return mpmath.pi * value.numerator / (180 * value.denominator)

    def sin(self, x: Any) -> Any:
        return mpmath.sin(x)

    def cos(self, x: Any) -> Any:
        return mpmath.cos(x)

    def sqrt(self, x: Any) -> Any:
        return mpmath.sqrt(x) if x >= 0 else mpmath.nan

    def atan2(self, y: Any, x: Any) -> Any:
        return mpmath.atan2(y, x)

    def sign(self, x: Any) -> Any:
        return mpmath.sign(x)

    def abs(self, x: Any) -> Any:
        return mpmath.fabs(x)

    def minimum(self, x: Any, y: Any) -> Any:
        return x if x < y or mpmath.isnan(x) else y

    def maximum(self, x: Any, y: Any) -> Any:
        return x if x > y or mpmath.isnan(x) else y

    def less(self, x: Any, y: Any) -> Any:
        return mpmath.nan if mpmath.isnan(x) or mpmath.isnan(y) else mpmath.mpf(bool(x < y))

    def select(self, condition: Any, yes: Any, no: Any) -> Any:
        if mpmath.isnan(condition):
            return mpmath.nan
        return yes if condition else no


class IntervalMaths:
    """`Maths` over mpmath intervals: results enclose every value the true function takes."""

    iv = mpmath.iv

    def number(self, value: Fraction) -> Any:
        return self.iv.mpf(value.numerator) / value.denominator

    def degrees(self, value: Fraction) -> Any:
        return self.iv.pi * value.numerator / (180 * value.denominator)

    def sin(self, x: Any) -> Any:
        return self.iv.sin(x)

    def cos(self, x: Any) -> Any:
        return self.iv.cos(x)

    def sqrt(self, x: Any) -> Any:
        """Of the part that is not negative; with no such part, anything."""
        low, high = _ends(x)
        if not high >= 0:
            return self.iv.mpf([-mpmath.inf, mpmath.inf])
        return self.iv.sqrt(self.iv.mpf([max(low, 0), high]))

    def atan2(self, y: Any, x: Any) -> Any:
        corners = self._hull([mpmath.atan2(b, a) for b in _ends(y) for a in _ends(x)], _straddles(y) and _low(x) < 0)
        ulp = mpmath.ldexp(1, 2 - mpmath.mp.prec)  # mpmath rounds to nearest: step outward
        return corners * self.iv.mpf([1 - ulp, 1 + ulp])

    def sign(self, x: Any) -> Any:
        return self._hull([mpmath.sign(end) for end in _ends(x)])

    def abs(self, x: Any) -> Any:
        ends = [mpmath.fabs(end) for end in _ends(x)]
        return self._hull([*ends, mpmath.mpf(0)] if _straddles(x) else ends)

    def minimum(self, x: Any, y: Any) -> Any:
        return self._hull([min(a, b) for a, b in zip(_ends(x), _ends(y))])

    def maximum(self, x: Any, y: Any) -> Any:
        return self._hull([max(a, b) for a, b in zip(_ends(x), _ends(y))])

    def less(self, x: Any, y: Any) -> Any:
        (xa, xb), (ya, yb) = _ends(x), _ends(y)
        return self._hull([mpmath.mpf(bool(xb < ya)), mpmath.mpf(bool(xa < yb))])

    def select(self, condition: Any, yes: Any, no: Any) -> Any:
        low, high = _ends(condition)
        if low == high:
            return yes if low else no
        return self._hull([*_ends(yes), *_ends(no)])

    def _hull(self, points: list[Any], whole_turn: bool = False) -> Any:
        if whole_turn:
            return self.iv.mpf([-self.iv.pi.b, self.iv.pi.b])
        return self.iv.mpf([min(points), max(points)])


def _ends(x: Any) -> tuple[Any, Any]:
    interval = mpmath.iv.mpf(x)
    return mpmath.mpf(interval.a), mpmath.mpf(interval.b)


def _low(x: Any) -> Any:
    return _ends(x)[0]


def _straddles(x: Any) -> bool:
    low, high = _ends(x)
    return bool(low <= 0 <= high)


class SingleMpMaths(MpMaths):
    """mpmath, with the tolerances of single precision."""

    def number(self, value: Fraction) -> Any:
        return super().number(value.single if isinstance(value, Tolerance) else value)


ARRAYS, MPMATH, INTERVALS, SINGLE_MPMATH = ArrayMaths(), MpMaths(), IntervalMaths(), SingleMpMaths()
