"""How long an expanded form can get, found without expanding.

Two bounds are taken along the graph and the smaller one counts: terms of a product multiply and terms of a sum add; and
the monomials are at most all combinations of what can stand in each block (parameters, variables, each angle's sine
and cosine), where a block's own monomials are collected exactly as long as they are few. A quotient counts as its
numerator; bringing quotients to a common denominator may take more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from manipula.algebra.expr.function import Function
from manipula.algebra.expr.node import Expr
from manipula.algebra.simplify.polynomial import polynomial_cone
from manipula.algebra.simplify.terms import Monomial, times

Support = frozenset[Monomial] | None  # None: too many to list
MANY = 3_000
_EMPTY: Support = frozenset({()})


@dataclass(frozen=True)
class Bound:
    """Terms at most, and the possible monomials block by block."""

    terms: int
    blocks: dict[object, Support]

    @property
    def size(self) -> int:
        known = list(self.blocks.values())
        if any(support is None for support in known):
            return self.terms
        return min(self.terms, prod(len(support) for support in known if support is not None))


def expanded_size(function: Function) -> int:
    """An upper bound on the terms of the expanded form, all outputs together."""
    number: dict[Expr, int] = {}
    bounds: dict[Expr, Bound] = {}
    for root in function.roots:
        for node in polynomial_cone(root):
            if node not in bounds:
                bounds[node] = _bound(node, bounds, number)
    return sum(bounds[root].size for root in function.roots)


def _bound(node: Expr, bounds: dict[Expr, Bound], number: dict[Expr, int]) -> Bound:
    match node.op:
        case "const" | "tolerance":
            return Bound(int(node.value != 0), {})
        case "neg":
            return bounds[node.args[0]]
        case "add" | "sub":
            return _sum(*(bounds[arg] for arg in node.args))
        case "mul":
            return _product(*(bounds[arg] for arg in node.args))
        case "div":
            return _product(bounds[node.args[0]], _atom(node, "denominators", number))
        case "sin" | "cos":
            return Bound(1, {node.args[0]: frozenset({((int(node.op == "cos"), 1),)})})
    return _atom(node, "variables" if node.online else "parameters", number)


def _atom(node: Expr, block: str, number: dict[Expr, int]) -> Bound:
    return Bound(1, {block: frozenset({((number.setdefault(node, len(number)), 1),)})})


def _sum(a: Bound, b: Bound) -> Bound:
    blocks = {}
    for block in _keys(a, b):
        x, y = a.blocks.get(block, _EMPTY), b.blocks.get(block, _EMPTY)
        blocks[block] = None if x is None or y is None or len(x) + len(y) > MANY else x | y
    return Bound(a.terms + b.terms, blocks)


def _product(a: Bound, b: Bound) -> Bound:
    blocks = {}
    for block in _keys(a, b):
        x, y = a.blocks.get(block, _EMPTY), b.blocks.get(block, _EMPTY)
        few = x is not None and y is not None and len(x) * len(y) <= MANY
        made = (times(p, q) for p in x or () for q in y or ())
        blocks[block] = frozenset(_on_circle(made) if isinstance(block, Expr) else made) if few else None
    return Bound(a.terms * b.terms, blocks)


def _keys(a: Bound, b: Bound) -> dict[object, None]:
    return dict.fromkeys([*a.blocks, *b.blocks])


def _on_circle(monomials: Iterable[Monomial]) -> Iterable[Monomial]:
    """s² = 1 − c², where generator 0 is the sine and 1 the cosine: a product has one factor s² at most."""
    for monomial in monomials:
        exponents = dict(monomial)
        if exponents.get(0, 0) < 2:
            yield monomial
            continue
        c = exponents.get(1, 0)
        yield from (((1, power),) if power else () for power in (c, c + 2))
