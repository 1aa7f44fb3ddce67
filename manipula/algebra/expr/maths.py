"""`Maths` over expressions: what is handed to the models."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from manipula.algebra.expr.node import Expr, Graph
from manipula.scalar import Tolerance


class ExprMaths:
    """Functions that build nodes of one graph. Arguments may be ints."""

    interned = True  # equal scalars are one object

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def number(self, value: Fraction) -> Expr:
        return self.graph.tolerance(value) if isinstance(value, Tolerance) else self.graph.const(value)

    def degrees(self, value: Fraction) -> Expr:
        return self.graph.degrees(value)

    def _apply(self, name: str, *args: Any) -> Expr:
        return self.graph.apply(name, *map(self.graph.expr, args))

    def sin(self, x: Any) -> Expr:
        return self._apply("sin", x)

    def cos(self, x: Any) -> Expr:
        return self._apply("cos", x)

    def sqrt(self, x: Any) -> Expr:
        return self._apply("sqrt", x)

    def atan2(self, y: Any, x: Any) -> Expr:
        return self._apply("atan2", y, x)

    def sign(self, x: Any) -> Expr:
        return self._apply("sign", x)

    def abs(self, x: Any) -> Expr:
        return self._apply("abs", x)

    def minimum(self, x: Any, y: Any) -> Expr:
        return self._apply("min", x, y)

    def maximum(self, x: Any, y: Any) -> Expr:
        return self._apply("max", x, y)

    def less(self, x: Any, y: Any) -> Expr:
        return self._apply("less", x, y)

    def select(self, condition: Any, yes: Any, no: Any) -> Expr:
        return self._apply("select", condition, yes, no)
