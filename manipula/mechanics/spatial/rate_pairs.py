"""Scalars that carry two rates at once: a model quadratic in the velocities run on them gives its bilinear form.

    (x; a, b)·(y; c, d) = (x y + a d + b c;  x c + y a,  x d + y b)

`a` belongs to one set of velocities, `b` to half of another. A product of two rates is so the symmetric one,

    a d + b c = ½ (q̇_i ṙ_j + ṙ_i q̇_j),

which is q̇_i q̇_j where both sets are the same. What has no rates, `()`, is a plain scalar. Products of more than two
rates have no meaning here; no acceleration, force or torque of a rigid arm has any.

Derived here: polarisation of a quadratic form, on the scalars themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from manipula.mechanics.spatial.dual import LayeredMaths
from manipula.mechanics.spatial.inertia import half
from manipula.scalar import OPS, Scalar

Rates = tuple[()] | tuple[Scalar, Scalar]


class Paired:
    """A value, and the share of two sets of velocities in it."""

    __slots__ = ("rates", "value")

    def __init__(self, value: Scalar, rates: Rates = ()) -> None:
        self.value, self.rates = value, rates

    def __add__(self, other: Scalar) -> Paired:
        other = as_paired(other)
        return Paired(self.value + other.value, _sum(self.rates, other.rates))

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
        return Paired(value, _sum(_scale(self.value, other.rates), _scale(other.value, self.rates)))

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
        return Paired(-self.value, _scale(-1, self.rates))

    def __repr__(self) -> str:
        return f"Paired({self.value!r}, {self.rates!r})"


def as_paired(x: Scalar) -> Paired:
    """Without rates, unless it has some already."""
    return x if isinstance(x, Paired) else Paired(x)


def of_two(now: Sequence[Scalar], other: Sequence[Scalar]) -> list[Paired]:
    """Velocities, each with its partner of the other set."""
    return [Paired(0, (a, half(b))) for a, b in zip(now, other, strict=True)]


def value_of(x: Scalar) -> Scalar:
    return x.value if isinstance(x, Paired) else x


def values_of(entries: Any) -> Any:
    """Of nested tuples and lists."""
    if isinstance(entries, tuple | list):
        return type(entries)(values_of(x) for x in entries)
    return value_of(entries)


def _sum(a: Rates, b: Rates) -> Rates:
    return a or b if not a or not b else (a[0] + b[0], a[1] + b[1])


def _scale(k: Scalar, a: Rates) -> Rates:
    return () if not a or (isinstance(k, int) and k == 0) else (k * a[0], k * a[1])


class PairedMaths(LayeredMaths):
    """`Maths` of what has no rates: positions and parameters."""

    carrying = Paired

    def apply(self, name: str, *args: Scalar) -> Paired:
        given = [as_paired(x) for x in args]
        assert not any(x.rates for x in given)
        return Paired(OPS[name].value(self.inner, *(x.value for x in given)))
