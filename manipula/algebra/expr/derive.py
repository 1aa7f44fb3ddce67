"""Derivatives, forward and reverse, from the slopes of the operation table."""

from __future__ import annotations

from collections.abc import Sequence

from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.expr.walk import topological
from manipula.scalar import OPS


def _slopes(node: Expr, maths: ExprMaths) -> list[Expr]:
    graph = node.graph
    slopes = OPS[node.op].slopes(maths, node, *node.args)
    return [graph.zero if slope is None else graph.expr(slope) for slope in slopes]


def tangents(roots: Sequence[Expr], seeds: dict[Expr, Expr]) -> list[Expr]:
    """Forward: the derivative of every root along the direction `seeds` (symbol → its rate)."""
    if not roots:
        return []
    graph: Graph = roots[0].graph
    maths = ExprMaths(graph)
    rate: dict[Expr, Expr] = {}
    for node in topological(roots):
        total = seeds.get(node, graph.zero)
        if node.args and any(rate[arg].value for arg in node.args):
            for arg, slope in zip(node.args, _slopes(node, maths), strict=True):
                if rate[arg].value:
                    total = total + slope * rate[arg]
        rate[node] = total
    return [rate[root] for root in roots]


def jacobian(roots: Sequence[Expr], symbols: Sequence[Expr]) -> list[list[Expr]]:
    """∂root/∂symbol, a row a root, one forward sweep a symbol."""
    columns = [tangents(roots, {symbol: symbol.graph.one}) for symbol in symbols]
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in roots]


def gradient(root: Expr, symbols: Sequence[Expr]) -> list[Expr]:
    """Reverse: ∂root/∂symbol for every symbol in one sweep."""
    return pullback([root], [root.graph.one], symbols)


def pullback(roots: Sequence[Expr], weights: Sequence[Expr], symbols: Sequence[Expr]) -> list[Expr]:
    """Reverse: Σ weight·∂root/∂symbol, one sweep for all symbols."""
    graph: Graph = roots[0].graph
    maths = ExprMaths(graph)
    adjoint: dict[Expr, Expr] = {}
    for root, weight in zip(roots, weights, strict=True):
        adjoint[root] = adjoint.get(root, graph.zero) + weight
    for node in reversed(topological(roots)):
        weight_here = adjoint.get(node)
        if weight_here is None or not node.args or not weight_here.value:
            continue
        for arg, slope in zip(node.args, _slopes(node, maths), strict=True):
            adjoint[arg] = adjoint.get(arg, graph.zero) + slope * weight_here
    return [adjoint.get(symbol, graph.zero) for symbol in symbols]
