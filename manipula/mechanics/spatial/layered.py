"""`Maths` over numbers that carry more beside a value: partial derivatives, where they came from, rates."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

from manipula.scalar import Maths


class LayeredMaths(Maths[Any]):
    """The value is of the inner kind; `carrying` makes a number of it that carries nothing yet."""

    carrying: ClassVar[type[Any]]

    def __init__(self, inner: Maths[Any]) -> None:
        self.inner = inner

    def number(self, value: Fraction) -> Any:
        return self.carrying(self.inner.number(value))

    def degrees(self, value: Fraction) -> Any:
        return self.carrying(self.inner.degrees(value))


class ChoosingMaths(LayeredMaths):
    """The smaller and the larger by a choice, so that what they carry is chosen, too."""

    def minimum(self, x: Any, y: Any) -> Any:
        return self.select(self.less(x, y), x, y)

    def maximum(self, x: Any, y: Any) -> Any:
        return self.select(self.less(x, y), y, x)
