"""What a function costs: operations counted by the rule of the operation table.

A product or square is one multiplication, a sum or difference one addition; a change of sign is free (reported as
`neg`); `trig` counts sines and cosines. What depends on parameters alone is off-line and counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from manipula.algebra.expr.node import Expr
from manipula.algebra.expr.walk import topological
from manipula.scalar import OPS


@dataclass(frozen=True)
class Cost:
    """Operations on line; `offline` holds those that depend on parameters alone."""

    mul: int = 0
    add: int = 0
    neg: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0
    other: int = 0
    offline: Cost | None = field(default=None, repr=False)

    @property
    def total(self) -> int:
        """mul + add + div"""
        return self.mul + self.add + self.div

    @property
    def grand_total(self) -> int:
        """On line and off line together, the rule of older literature."""
        return self.total + (self.offline.total if self.offline else 0)

    def as_dict(self) -> dict[str, Any]:
        own: dict[str, Any] = {name: getattr(self, name) for name in _FIELDS} | {"total": self.total}
        return own | ({"offline": self.offline.as_dict()} if self.offline else {})

    def __str__(self) -> str:
        extra = [f"{getattr(self, name)} {name}" for name in ("div", "sqrt", "other") if getattr(self, name)]
        return ", ".join([f"{self.mul}× + {self.add}+ = {self.total}", f"{self.trig} sin/cos", *extra])


_FIELDS = ("mul", "add", "neg", "div", "sqrt", "trig", "other")


def _cost(counts: Counter[str], offline: Cost | None = None) -> Cost:
    return Cost(**{name: counts[name] for name in _FIELDS}, offline=offline)


def cost_of(roots: Iterable[Expr]) -> Cost:
    """Every node once: what the function costs with its auxiliary equations."""
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for node in topological(roots):
        if node.args:
            counts[node.online][OPS[node.op].counted_as] += 1
    return _cost(counts[True], _cost(counts[False]))


def tree_cost_of(roots: Iterable[Expr]) -> Cost:
    """After full substitution: a node counts as often as it is written, a sine or cosine once."""
    roots = list(roots)
    uses: Counter[Expr] = Counter(roots)
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for node in reversed(topological(roots)):
        kind = OPS[node.op].counted_as if node.args else ""
        counts[node.online][kind] += 1 if kind == "trig" else uses[node]
        for arg in node.args:
            uses[arg] += uses[node] if kind != "trig" else 1
    return _cost(counts[True], _cost(counts[False]))
