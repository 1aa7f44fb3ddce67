"""Nothing unproved leaves: exact identity testing in GF(2⁶¹−1) with fresh draws.

The function under test was built with the help of the value table; here it is evaluated, node by node, at random
points the table never saw, and compared with an independent evaluation of the plain model.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Any

from manipula.algebra.expr.field import Element, FieldMaths, P, rational
from manipula.algebra.expr.function import Function
from manipula.algebra.expr.node import Expr, angle_terms
from manipula.algebra.expr.walk import topological
from manipula.errors import ProofError

# the plain model over field elements: (maths, symbol name → element) → output name → flat values
Reference = Callable[[FieldMaths, Callable[[str], Element]], Mapping[str, Sequence[Any]]]
DRAWS = 2


@dataclass(frozen=True)
class Proof:
    """A passed proof: how many draws, and the chance that a wrong function passes them."""

    draws: int
    degree: int
    entries: int

    @property
    def error_exponent(self) -> float:
        """log10 of the bound (entries·degree / 2⁶¹) ^ draws."""
        return self.draws * (log10(max(self.degree, 1)) + log10(max(self.entries, 1)) - log10(P))

    def __str__(self) -> str:
        return (
            f"identical to the plain model at {self.draws} random points of GF(2^61-1); "
            f"chance of error below 1e{int(self.error_exponent)}"
        )


def prove(function: Function, reference: Reference, draws: int = DRAWS) -> Proof:
    """Raise `ProofError` unless the function and the reference agree at `draws` fresh random points."""
    for _ in range(draws):
        maths = FieldMaths(f"proof {secrets.token_hex(16)}")
        compare(function, reference, maths)
    return Proof(draws, degree_of(function), len(function.roots))


def compare(function: Function, reference: Reference, maths: FieldMaths) -> None:
    """One draw."""
    symbols = {str(x.data): maths.symbol(str(x.data)) for port in function.inputs for x in port.symbols}
    got = function(symbols, maths)
    want = reference(maths, lambda name: symbols[name] if name in symbols else maths.symbol(name))
    for output in function.outputs:
        pairs = zip(got[output.name], want[output.name], strict=True)
        for position, (mine, true) in enumerate(pairs):
            if _value(mine) != _value(true):
                entry = _entry(output.shape, position)
                raise ProofError(f"{function.name}: {output.name}{entry} differs from the plain model")


def _value(x: Any) -> int:
    return x.value if isinstance(x, Element) else rational(x)


def _entry(shape: tuple[int, ...], position: int) -> str:
    """The index of a flat position, counted from 1: [2][3]"""
    parts: list[int] = []
    for size in reversed(shape):
        position, rest = divmod(position, size)
        parts.insert(0, rest + 1)
    return "".join(f"[{part}]" for part in parts)


def degree_of(function: Function) -> int:
    """A bound on the degree of the rational function the draws sample, circle points cleared of denominators."""
    degree: dict[Expr, int] = {}
    divided: set[Expr] = set()  # nodes with a quotient below: a sum of such is brought to a common denominator
    nodes = topological(function.roots)
    for node in nodes:
        if node.op == "div" or not divided.isdisjoint(node.args):
            divided.add(node)
        degree[node] = _degree(node, [degree[arg] for arg in node.args], node in divided)
    angles = {x for node in nodes if node.op in ("sin", "cos") for x, _ in angle_terms(node.args[0])}
    return 2 * (1 + len(angles)) * max((degree[root] for root in function.roots), default=0)


def _degree(node: Expr, below: list[int], divided: bool) -> int:
    match node.op:
        case "const" | "angle":
            return 0
        case "symbol":
            return 1
        case "mul" | "div":
            return sum(below)
        case "add" | "sub":
            return sum(below) if divided else max(below)
        case "sin" | "cos":
            return sum(abs(times) for _, times in angle_terms(node.args[0]))
        case "neg":
            return below[0]
    return 0  # uninterpreted: a random element of its own
