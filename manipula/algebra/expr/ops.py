"""The one table of operations: arity, value, derivative, properties, cost. A new operation is one entry here.

`value(m, *args)` computes over any scalar with its `Maths` m. `slopes(m, y, *args)` gives ∂y/∂arg for each argument,
over the same scalar; None is a slope that is zero wherever it exists (the flat pieces of `sign`, `less`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Value = Callable[..., Any]


@dataclass(frozen=True)
class Op:
    """One operation."""

    name: str
    arity: int
    value: Value
    slopes: Callable[..., tuple[Any, ...]]
    counted_as: str  # the field of Cost it adds to; "" is free
    commutative: bool = False
    parity: int = 0  # +1: f(−x) = f(x), −1: f(−x) = −f(x), of a one-argument op
    opaque: bool = False  # uninterpreted in the prime field
    precedence: int = 9
    doc: str = ""


def _step(m: Any, condition: Any, yes: Any, no: Any) -> tuple[Any, ...]:
    return (None, m.select(condition, 1, 0), m.select(condition, 0, 1))


_TABLE = (
    Op("add", 2, lambda m, x, y: x + y, lambda m, v, x, y: (1, 1), "add", commutative=True, precedence=1, doc="x + y"),
    Op("sub", 2, lambda m, x, y: x - y, lambda m, v, x, y: (1, -1), "add", precedence=1, doc="x − y"),
    Op("mul", 2, lambda m, x, y: x * y, lambda m, v, x, y: (y, x), "mul", commutative=True, precedence=2, doc="x · y"),
    Op("div", 2, lambda m, x, y: x / y, lambda m, v, x, y: (1 / y, -(v / y)), "div", precedence=2, doc="x / y"),
    Op("neg", 1, lambda m, x: -x, lambda m, v, x: (-1,), "neg", parity=-1, precedence=3, doc="−x"),
    Op("sin", 1, lambda m, x: m.sin(x), lambda m, v, x: (m.cos(x),), "trig", parity=-1, doc="sine"),
    Op("cos", 1, lambda m, x: m.cos(x), lambda m, v, x: (-m.sin(x),), "trig", parity=1, doc="cosine"),
    # the slope at 0 is left infinite: a guard belongs to the caller, who knows which side he is on
    Op("sqrt", 1, lambda m, x: m.sqrt(x), lambda m, v, x: (1 / (2 * v),), "sqrt", opaque=True, doc="square root"),
    Op(
        "atan2", 2, lambda m, y, x: m.atan2(y, x),
        lambda m, v, y, x: (x / (x * x + y * y), -y / (x * x + y * y)), "other", opaque=True, doc="angle of (x, y)",
    ),
    Op("sign", 1, lambda m, x: m.sign(x), lambda m, v, x: (None,), "other", parity=-1, opaque=True, doc="−1, 0, 1"),
    Op("abs", 1, lambda m, x: m.abs(x), lambda m, v, x: (m.sign(x),), "other", parity=1, opaque=True, doc="|x|"),
    Op(
        "min", 2, lambda m, x, y: m.minimum(x, y),
        lambda m, v, x, y: (m.select(m.less(y, x), 0, 1), m.select(m.less(y, x), 1, 0)),
        "other", commutative=True, opaque=True, doc="the smaller; the first on a tie",
    ),
    Op(
        "max", 2, lambda m, x, y: m.maximum(x, y),
        lambda m, v, x, y: (m.select(m.less(x, y), 0, 1), m.select(m.less(x, y), 1, 0)),
        "other", commutative=True, opaque=True, doc="the larger; the first on a tie",
    ),
    Op("less", 2, lambda m, x, y: m.less(x, y), lambda m, v, x, y: (None, None), "other", opaque=True, doc="x < y"),
    Op(
        "select", 3, lambda m, c, x, y: m.select(c, x, y), lambda m, v, c, x, y: _step(m, c, x, y),
        "other", opaque=True, doc="x where c holds, else y; both are computed",
    ),
)  # fmt: skip

OPS: dict[str, Op] = {op.name: op for op in _TABLE}
LEAVES = ("const", "angle", "tolerance", "symbol")
