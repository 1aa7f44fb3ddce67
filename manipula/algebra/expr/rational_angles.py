"""Angles whose cosine and sine are rational: states at which an expression loses its variables and stays exact."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from manipula.algebra.expr.maths import ExprMaths
from manipula.scalar import Maths


@dataclass(frozen=True)
class RationalAngle:
    """A point of the circle with known coordinates, mostly rational; angles add by composing their points.

    `amount` is what stands for the angle itself where it is a factor, as a screw has it. No polynomial ties an angle to
    its cosine and sine, so any number does that nothing ties to them either.
    """

    cos: Any
    sin: Any
    amount: Any

    def __add__(self, other: Any) -> RationalAngle:
        if not isinstance(other, RationalAngle):
            assert other == 0, "only 0 mixes with a rational angle"
            return self
        cos, sin = self.cos * other.cos - self.sin * other.sin, self.sin * other.cos + self.cos * other.sin
        return RationalAngle(cos, sin, self.amount + other.amount)

    __radd__ = __add__

    def __neg__(self) -> RationalAngle:
        return RationalAngle(self.cos, -self.sin, -self.amount)

    def __mul__(self, factor: Any) -> Any:
        return self.amount * factor

    def __rmul__(self, count: int) -> RationalAngle:
        """So many times the angle."""
        found = RationalAngle(1, 0, 0)
        for _ in range(abs(count)):
            found = found + self
        return found if count >= 0 else -found


def rational_angle(rng: Random) -> RationalAngle:
    """((1−t²)/(1+t²), 2t/(1+t²)) for a small t, never a quarter turn."""
    t = Fraction(rng.randint(2, 9), rng.choice((1, 11, 13)))
    amount = Fraction(Random(f"amount {t}").randint(2, 97), 7)  # drawn apart: what is drawn from `rng` stays
    return RationalAngle((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t), amount)


def known_angle(x: Any, maths: Maths[Any]) -> RationalAngle:
    """An angle that is an expression, by its cosine and sine."""
    return RationalAngle(maths.cos(x), maths.sin(x), x)


class RationalAngleMaths(ExprMaths):
    """Expressions, and rational angles and numbers among them."""

    def cos(self, x: Any) -> Any:
        return x.cos if isinstance(x, RationalAngle) else super().cos(x)

    def sin(self, x: Any) -> Any:
        return x.sin if isinstance(x, RationalAngle) else super().sin(x)

    def sign(self, x: Any) -> Any:
        return (x > 0) - (x < 0) if isinstance(x, int | Fraction) else super().sign(x)
