"""Dual numbers over any scalar: a value and its partial derivatives. A model run on them is differentiated exactly.

    (x, dx)·(y, dy) = (x y, x dy + y dx)        f(x, dx) = (f(x), f'(x) dx)

No partials at all, `()`, is a constant. Ints and Fractions may stand on either side; every other scalar of the inner
kind must be lifted first (`Dual(x)`), because an inner scalar on the left would not know what a dual number is.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

from manipula.mechanics.spatial.inertia import half, quotient
from manipula.scalar import OPS, Maths, Scalar

# `Maths` over numbers that carry more beside a value: partial derivatives, where they came from, rates.


class LayeredMaths(Maths[Scalar]):
    """The value is of the inner kind; `carrying` makes a number of it that carries nothing yet."""

    carrying: ClassVar[type[Any]]

    def __init__(self, inner: Maths[Scalar]) -> None:
        self.inner = inner

    def number(self, value: Fraction) -> Any:
        return self.carrying(self.inner.number(value))

    def degrees(self, value: Fraction) -> Any:
        return self.carrying(self.inner.degrees(value))


class ChoosingMaths(LayeredMaths):
    """The smaller and the larger by a choice, so that what they carry is chosen, too."""

    def minimum(self, x: Scalar, y: Scalar) -> Scalar:
        return self.select(self.less(x, y), x, y)

    def maximum(self, x: Scalar, y: Scalar) -> Scalar:
        return self.select(self.less(x, y), y, x)


class Dual:
    """value + Σ partials_k ε_k, with ε_i ε_j = 0"""

    __slots__ = ("partials", "value")

    def __init__(self, value: Any, partials: tuple[Scalar, ...] = ()) -> None:
        self.value, self.partials = value, partials

    def __add__(self, other: Scalar) -> Dual:
        other = as_dual(other)
        return Dual(self.value + other.value, _sum(self.partials, other.partials))

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Dual:
        return self + -as_dual(other)

    def __rsub__(self, other: Scalar) -> Dual:
        return as_dual(other) + -self

    def __mul__(self, other: Scalar) -> Dual:
        other = as_dual(other)
        return Dual(
            self.value * other.value, _sum(_scale(self.value, other.partials), _scale(other.value, self.partials))
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Dual:
        """x / y, with (dx − (x/y) dy) / y"""
        other = as_dual(other)
        value = quotient(self.value, other.value)
        top = _sum(self.partials, _scale(-value, other.partials))
        return Dual(value, tuple(quotient(part, other.value) for part in top))

    def __rtruediv__(self, other: Scalar) -> Dual:
        return as_dual(other) / self

    def __neg__(self) -> Dual:
        return Dual(-self.value, tuple(-part for part in self.partials))

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {self.partials!r})"


def as_dual(x: Scalar) -> Dual:
    """A constant, unless it is a dual number already."""
    return x if isinstance(x, Dual) else Dual(x)


def variables(values: Sequence[Scalar]) -> list[Dual]:
    """The values as independent variables: the partials of the k-th are the k-th unit vector."""
    return [Dual(x, tuple(int(i == k) for i in range(len(values)))) for k, x in enumerate(values)]


def along(values: Sequence[Scalar], rates: Sequence[Scalar]) -> list[Dual]:
    """The values moving at the given rates: one partial, the derivative by time."""
    return [Dual(x, (rate,)) for x, rate in zip(values, rates, strict=True)]


def partial(x: Scalar, k: int) -> Scalar:
    """The k-th partial derivative of anything a model returned."""
    return x.partials[k] if isinstance(x, Dual) and x.partials else 0


def value_of(x: Scalar) -> Scalar:
    return x.value if isinstance(x, Dual) else x


def _sum(a: tuple[Scalar, ...], b: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    if not a or not b:
        return a or b
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _scale(k: Scalar, a: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return tuple(k * x for x in a)


class DualMaths(ChoosingMaths):
    """`Maths` over dual numbers whose values are of the inner kind."""

    carrying = Dual

    def apply(self, name: str, *args: Scalar) -> Dual:
        """f(x, …) with Σ ∂f/∂x dx, from the slopes of the table."""
        op, given = OPS[name], [as_dual(x) for x in args]
        values = [x.value for x in given]
        value = op.value(self.inner, *values)
        partials: tuple[Scalar, ...] = ()
        if any(x.partials for x in given):
            for slope, x in zip(op.slopes(self.inner, value, *values), given, strict=True):
                partials = partials if slope is None or not x.partials else _sum(partials, _scale(slope, x.partials))
        return Dual(value, partials)

    def sqrt(self, x: Scalar) -> Dual:
        x, root = as_dual(x), self.inner.sqrt(value_of(x))
        return Dual(root, tuple(half(part) / root for part in x.partials))

    def atan2(self, y: Scalar, x: Scalar) -> Dual:
        """(x dy − y dx) / (x² + y²)"""
        y, x = as_dual(y), as_dual(x)
        top = _sum(_scale(x.value, y.partials), _scale(-y.value, x.partials))
        below = x.value * x.value + y.value * y.value
        return Dual(self.inner.atan2(y.value, x.value), tuple(part / below for part in top))

    def select(self, condition: Scalar, yes: Scalar, no: Scalar) -> Dual:
        test, yes, no = value_of(condition), as_dual(yes), as_dual(no)
        count = max(len(yes.partials), len(no.partials))
        partials = tuple(self.inner.select(test, partial(yes, k), partial(no, k)) for k in range(count))
        return Dual(self.inner.select(test, yes.value, no.value), partials)


# Scalars that carry two rates at once: a model quadratic in the velocities run on them gives its bilinear form.
#
#     (x; a, b)·(y; c, d) = (x y + a d + b c;  x c + y a,  x d + y b)
#
# `a` belongs to one set of velocities, `b` to half of another. A product of two rates is so the symmetric one,
#
#     a d + b c = ½ (q̇_i ṙ_j + ṙ_i q̇_j),
#
# which is q̇_i q̇_j where both sets are the same. What has no rates, `()`, is a plain scalar. Products of more than
# two rates have no meaning here; no acceleration, force or torque of a rigid arm has any.
#
# Derived here: polarisation of a quadratic form, on the scalars themselves.


Rates = tuple[()] | tuple[Scalar, Scalar]


class Paired:
    """A value, and the share of two sets of velocities in it."""

    __slots__ = ("rates", "value")

    def __init__(self, value: Scalar, rates: Rates = ()) -> None:
        self.value, self.rates = value, rates

    def __add__(self, other: Scalar) -> Paired:
        other = as_paired(other)
        return Paired(self.value + other.value, _sum_rates(self.rates, other.rates))

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Paired:
        return self + -as_paired(other)

    def __rsub__(self, other: Scalar) -> Paired:
        return as_paired(other) + -self

    def __mul__(self, other: Scalar) -> Paired:
        other = as_paired(other)
        value = self.value * other.value
        if self.rates and other.rates:
            (a, b), (c, d) = self.rates, other.rates
            value = value + (a * d + b * c)
        return Paired(value, _sum_rates(_scale_rates(self.value, other.rates), _scale_rates(other.value, self.rates)))

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Paired:
        """By what has no rates."""
        below = as_paired(other)
        assert not below.rates
        value = Fraction(1, below.value) if isinstance(below.value, int) else 1 / below.value
        return self * value

    def __rtruediv__(self, other: Scalar) -> Paired:
        return as_paired(other) / self

    def __neg__(self) -> Paired:
        return Paired(-self.value, _scale_rates(-1, self.rates))

    def __repr__(self) -> str:
        return f"Paired({self.value!r}, {self.rates!r})"


def as_paired(x: Scalar) -> Paired:
    """Without rates, unless it has some already."""
    return x if isinstance(x, Paired) else Paired(x)


def of_two(now: Sequence[Scalar], other: Sequence[Scalar]) -> list[Paired]:
    """Velocities, each with its partner of the other set."""
    return [Paired(0, (a, half(b))) for a, b in zip(now, other, strict=True)]


def paired_value(x: Scalar) -> Scalar:
    return x.value if isinstance(x, Paired) else x


def values_of(entries: Any) -> Any:
    """Of nested tuples and lists."""
    if isinstance(entries, tuple | list):
        return type(entries)(values_of(x) for x in entries)
    return paired_value(entries)


def _sum_rates(a: Rates, b: Rates) -> Rates:
    return a or b if not a or not b else (a[0] + b[0], a[1] + b[1])


def _scale_rates(k: Scalar, a: Rates) -> Rates:
    return () if not a or (isinstance(k, int) and k == 0) else (k * a[0], k * a[1])


class PairedMaths(LayeredMaths):
    """`Maths` of what has no rates: positions and parameters."""

    carrying = Paired

    def apply(self, name: str, *args: Scalar) -> Paired:
        given = [as_paired(x) for x in args]
        assert not any(x.rates for x in given)
        return Paired(OPS[name].value(self.inner, *(x.value for x in given)))
