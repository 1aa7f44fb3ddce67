"""The reference meaning of an expression, over any scalar: floats, arrays, mpmath, intervals, the prime field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
from mpmath.ctx_iv import ivmpf
from numpy.typing import NDArray

from manipula.algebra.expr.maths import topological
from manipula.algebra.expr.node import Expr
from manipula.scalar import OPS, Maths, Tolerance

FAR = 1e9  # e to this power is no number of any machine


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


class ArrayMaths(Maths[Any]):
    """`Maths` over numpy arrays (and float64 numbers)."""

    def number(self, value: Fraction) -> Any:
        try:
            # Python divides whole numbers of any length with one rounding
            return np.float64(value.numerator / value.denominator)
        except OverflowError:  # beyond the doubles, as in their arithmetic
            return np.float64(np.inf if value > 0 else -np.inf)

    def degrees(self, value: Fraction) -> Any:
        return np.float64(np.deg2rad(float(value)))

    def apply(self, name: str, *args: object) -> NDArray[Any]:
        with np.errstate(all="ignore"):
            values: NDArray[Any] = getattr(np, OPS[name].word("numpy"))(*args)
        return values

    def pow(self, x: Any, y: Any) -> NDArray[Any]:
        """NaN where NumPy has a value for a negative base, or for NaN."""
        # np.equal(y, y) is false for NaN; + 0.0 makes −0 a 0, whose negative powers are +∞
        known = np.greater_equal(x, 0) & np.equal(y, y)
        return np.where(known, self.apply("pow", np.where(known, x, 1.0) + 0.0, np.where(known, y, 1.0)), np.nan)

    def less(self, x: Any, y: Any) -> NDArray[Any]:
        # a comparison with NaN is false in NumPy; here the doubt is handed on
        unordered = np.isnan(x) | np.isnan(y)
        return np.where(unordered, np.nan, np.less(x, y))

    def select(self, condition: Any, yes: Any, no: Any) -> NDArray[Any]:
        chosen = np.where(np.not_equal(condition, 0), yes, no)
        return np.where(np.isnan(condition), np.nan, chosen)


# without a detour: to tell NumPy not to warn takes longer than a sine, and these need no such order
for _name, _function in {
    "sin": np.sin, "cos": np.cos, "atan2": np.arctan2, "sign": np.sign, "abs": np.abs,
    "minimum": np.minimum, "maximum": np.maximum,
}.items():  # fmt: skip
    setattr(ArrayMaths, _name, staticmethod(_function))


class MpMaths(Maths[mpmath.mpf]):
    """`Maths` over mpmath numbers, at mpmath's own working precision."""

    def number(self, value: Fraction) -> mpmath.mpf:
        return mpmath.mpf(value.numerator) / value.denominator

    def degrees(self, value: Fraction) -> mpmath.mpf:
        return mpmath.pi * value.numerator / (180 * value.denominator)

    def apply(self, name: str, *args: mpmath.mpf) -> mpmath.mpf:
        """What is not real has no value."""
        if any(map(mpmath.isnan, args)):
            return mpmath.nan
        value = getattr(mpmath, OPS[name].word("mpmath"))(*args)
        return mpmath.nan if isinstance(value, mpmath.mpc) else value

    def atan2(self, y: mpmath.mpf, x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.atan2(y, x)

    def exp(self, x: mpmath.mpf) -> mpmath.mpf:
        """mpmath has numbers beyond any range, and would fill the memory with their exponents."""
        return self.apply("exp", x) if not abs(x) > FAR else mpmath.inf if x > 0 else mpmath.mpf(0)

    def pow(self, x: mpmath.mpf, y: mpmath.mpf) -> mpmath.mpf:
        if not x >= 0 or mpmath.isnan(y):
            return mpmath.nan
        if y == 0 or x == 1:
            return mpmath.mpf(1)
        if x == 0 or not abs(y * mpmath.log(x)) < FAR:
            return mpmath.inf if (x > 1) == (y > 0) else mpmath.mpf(0)
        return self.apply("pow", x, y)

    def minimum(self, x: mpmath.mpf, y: mpmath.mpf) -> mpmath.mpf:
        return x if x < y or mpmath.isnan(x) else y

    def maximum(self, x: mpmath.mpf, y: mpmath.mpf) -> mpmath.mpf:
        return x if x > y or mpmath.isnan(x) else y

    def less(self, x: mpmath.mpf, y: mpmath.mpf) -> mpmath.mpf:
        return mpmath.nan if mpmath.isnan(x) or mpmath.isnan(y) else mpmath.mpf(bool(x < y))

    def select(self, condition: mpmath.mpf, yes: mpmath.mpf, no: mpmath.mpf) -> mpmath.mpf:
        if mpmath.isnan(condition):
            return mpmath.nan
        return yes if condition else no


class IntervalMaths(Maths[ivmpf]):
    """`Maths` over mpmath intervals: results enclose every value the true function takes."""

    iv = mpmath.iv

    def number(self, value: Fraction) -> ivmpf:
        return self.iv.mpf(value.numerator) / value.denominator

    def degrees(self, value: Fraction) -> ivmpf:
        return self.iv.pi * value.numerator / (180 * value.denominator)

    def apply(self, name: str, *args: ivmpf) -> ivmpf:
        """The hull of the corners, where it is monotone in every argument; of anything else anything is possible."""
        op = OPS[name]
        # monotone in every argument: the extremes over a box are at its corners
        corners = [op.value(MPMATH, *corner) for corner in product(*map(_ends, args))]
        if not op.monotone or any(map(mpmath.isnan, corners)):
            return self.iv.mpf([-mpmath.inf, mpmath.inf])
        return self._hull(corners) if op.exact else self._outward(self._hull(corners))

    def sin(self, x: ivmpf) -> ivmpf:
        return self.iv.sin(x)

    def cos(self, x: ivmpf) -> ivmpf:
        return self.iv.cos(x)

    def sqrt(self, x: ivmpf) -> ivmpf:
        """Of the part that is not negative; with no such part, anything."""
        low, high = _ends(x)
        if not high >= 0:
            return self.iv.mpf([-mpmath.inf, mpmath.inf])
        return self.iv.sqrt(self.iv.mpf([max(low, 0), high]))

    def atan2(self, y: ivmpf, x: ivmpf) -> ivmpf:
        # the cut of atan2 is the negative x axis: a box across it has every direction
        corners = self._hull([mpmath.atan2(b, a) for b in _ends(y) for a in _ends(x)], _straddles(y) and _low(x) < 0)
        return self._outward(corners)

    def _outward(self, x: ivmpf) -> ivmpf:
        """mpmath rounds to nearest: a step outward."""
        # two units in the last place, where mpmath is off by less than one
        ulp = mpmath.ldexp(1, 2 - mpmath.mp.prec)
        return x * self.iv.mpf([1 - ulp, 1 + ulp])

    def abs(self, x: ivmpf) -> ivmpf:
        ends = [mpmath.fabs(end) for end in _ends(x)]
        return self._hull([*ends, mpmath.mpf(0)] if _straddles(x) else ends)

    def select(self, condition: ivmpf, yes: ivmpf, no: ivmpf) -> ivmpf:
        low, high = _ends(condition)
        if low == high:
            return yes if low else no
        return self._hull([*_ends(yes), *_ends(no)])

    def _hull(self, points: list[mpmath.mpf], whole_turn: bool = False) -> ivmpf:
        if whole_turn:
            return self.iv.mpf([-self.iv.pi.b, self.iv.pi.b])
        return self.iv.mpf([min(points), max(points)])


def _ends(x: ivmpf) -> tuple[mpmath.mpf, mpmath.mpf]:
    interval = mpmath.iv.mpf(x)
    return mpmath.mpf(interval.a), mpmath.mpf(interval.b)


def _low(x: ivmpf) -> mpmath.mpf:
    return _ends(x)[0]


def _straddles(x: ivmpf) -> bool:
    low, high = _ends(x)
    return bool(low <= 0 <= high)


class SingleMpMaths(MpMaths):
    """mpmath, with the tolerances of single precision."""

    def number(self, value: Fraction) -> mpmath.mpf:
        return super().number(value.single if isinstance(value, Tolerance) else value)


ARRAYS, MPMATH, INTERVALS, SINGLE_MPMATH = ArrayMaths(), MpMaths(), IntervalMaths(), SingleMpMaths()
