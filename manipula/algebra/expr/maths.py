"""`Maths` over expressions: what is handed to the models."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from manipula.algebra.expr.node import Expr, Graph
from manipula.scalar import APART, Maths, Tolerance


class ExprMaths(Maths[Expr]):
    """Functions that build nodes of one graph. Arguments may be ints."""

    interned = True  # equal scalars are one object

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def number(self, value: Fraction) -> Expr:
        return self.graph.tolerance(value) if isinstance(value, Tolerance) else self.graph.const(value)

    def degrees(self, value: Fraction) -> Expr:
        return self.graph.degrees(value)

    def apart(self, x: Any) -> Expr:
        return self.apply(APART, x)

    def apply(self, name: str, *args: Any) -> Expr:
        return self.graph.apply(name, *map(self.graph.expr, args))
