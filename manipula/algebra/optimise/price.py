"""What an operation costs, as data: the search minimises this sum over the on-line operations."""

from __future__ import annotations

from dataclasses import dataclass

from manipula.algebra.expr.function import Function
from manipula.algebra.expr.node import Expr
from manipula.algebra.expr.walk import topological
from manipula.algebra.optimise.balance import balanced, longest_path
from manipula.errors import UnknownNameError
from manipula.scalar import OPS


@dataclass(frozen=True)
class Price:
    """Whole numbers. `fused` is what a sum saves when one of its terms is a product that serves nothing else.

    `path` is the price of a cycle on the longest path: the search itself counts operations, and of what it finds the
    sums and products are balanced.
    """

    name: str
    add: int = 1
    mul: int = 1
    div: int = 1
    fused: int = 0
    trig: int = 0
    sqrt: int = 0
    other: int = 0
    path: int = 0
    unit: int = 1  # what a typical move is worth: temperatures are measured by it

    def of(self, kind: str) -> int:
        """By the name the operation table counts it under; a change of sign is free."""
        return int(getattr(self, kind, 0))

    def total(self, function: Function) -> int:
        """The price of a function."""
        nodes = [node for node in topological(function.roots) if node.online and node.args]
        uses: dict[Expr, int] = {}
        for user in [*(arg for node in nodes for arg in node.args if node.op != "neg"), *function.roots]:
            bare = user.args[0] if user.op == "neg" else user
            uses[bare] = uses.get(bare, 0) + 1
        plain = sum(self.of(OPS[node.op].counted_as) for node in nodes)
        swallowed = self.fused * sum(_swallows(node, uses) for node in nodes)
        return plain - swallowed + (self.path * longest_path(function) if self.path else 0)

    def arranged(self, function: Function) -> Function:
        """The function in the order of work this price asks for."""
        return balanced(function) if self.path else function


def _swallows(node: Expr, uses: dict[Expr, int]) -> bool:
    """Is this a sum with a product of its own?"""
    return node.op in ("add", "sub") and any(arg.op == "mul" and arg.online and uses[arg] == 1 for arg in node.args)


CLASSICAL = Price("classical")  # a product and a sum are one operation each
MULTIPLICATIONS = Price("multiplications", mul=4, div=4, unit=3)  # sums count a little, or they would grow without end
FUSED = Price("fused", fused=1)  # what a processor with a fused multiply-add issues
LATENCY = Price("latency", path=1)  # one call on a processor with units to spare: cycles on the longest path


@dataclass(frozen=True)
class Aim:
    """What a search is to make small, and by which parameters it may divide, so that scales can wander from sum to sum.

    Numbers always may become denominators.
    """

    price: Price = CLASSICAL
    divisors: tuple[str, ...] = ()


CLASSICAL_AIM = Aim()
PRICES = {price.name: price for price in (CLASSICAL, MULTIPLICATIONS, FUSED, LATENCY)}


def price_named(name: str) -> Price:
    if name not in PRICES:
        raise UnknownNameError("price", name, PRICES)
    return PRICES[name]
