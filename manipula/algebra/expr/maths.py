"""`Maths` over expressions: what is handed to the models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from manipula.algebra.expr.node import Expr, Graph
from manipula.scalar import APART, OPS, Maths, Tolerance


class ExprMaths(Maths[Expr]):
    """Functions that build nodes of one graph. Arguments may be ints."""

    interned = True  # equal scalars are one object

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def number(self, value: Fraction) -> Expr:
        return self.graph.tolerance(value) if isinstance(value, Tolerance) else self.graph.const(value)

    def degrees(self, value: Fraction) -> Expr:
        return self.graph.degrees(value)

    def apart(self, x: object) -> Expr:
        return self.apply(APART, x)

    def apply(self, name: str, *args: object) -> Expr:
        return self.graph.apply(name, *map(self.graph.expr, args))


# Walks over expressions: iterative, so that depth is no limit.


def topological(roots: Iterable[Expr]) -> tuple[Expr, ...]:
    """Every node below the roots once, arguments first; the order depends on structure alone."""
    roots = tuple(roots)
    if not roots:
        return ()
    # a function is walked again and again, to be counted, proved and labelled: its graph remembers the last walk
    graph = roots[0].graph
    walked = graph.walked
    if walked[0] != roots:
        graph.walked = walked = roots, _walk(roots)
    return walked[1]


def _walk(roots: tuple[Expr, ...]) -> tuple[Expr, ...]:
    seen: set[Expr] = set()
    order: list[Expr] = []
    begun: list[Expr] = []
    stack: list[Expr | None] = []  # None: all is done below the node begun last
    for root in roots:
        stack.append(root)
        while stack:
            node = stack.pop()
            if node is None:
                order.append(begun.pop())
            elif node not in seen:
                seen.add(node)
                begun.append(node)
                # reversed, because a stack hands out the last first: arguments keep their order
                stack += (None, *node.args[::-1])
    return tuple(order)


def free_symbols(roots: Iterable[Expr]) -> list[Expr]:
    """The symbols below the roots, by name."""
    return sorted((x for x in topological(roots) if x.op == "symbol"), key=lambda x: str(x.data))


def rebuilt(roots: Iterable[Expr], graph: Graph, replace: Mapping[Expr, Expr] | None = None) -> list[Expr]:
    """The roots built again in `graph`, with some nodes replaced: substitution, and copying between graphs."""
    roots = list(roots)
    done: dict[Expr, Expr] = dict(replace or {})
    for node in topological(roots):
        if node not in done:
            done[node] = copy_node(node, tuple(done[arg] for arg in node.args), graph)
    return [done[root] for root in roots]


def copy_node(node: Expr, args: tuple[Expr, ...], graph: Graph) -> Expr:
    """One node made anew with other arguments."""
    match node.op:
        case "const":
            return graph.const(node.data)
        case "angle":
            return graph.degrees(node.data)
        case "tolerance":
            return graph.tolerance(node.data)
        case "symbol":
            return graph.symbol(node.data, online=node.online)
    return graph.apply(node.op, *args)


# Derivatives, forward and reverse, from the slopes of the operation table.


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
        # most nodes do not depend on the direction: their slopes are not even built
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
    # one sweep for all symbols: forward would take one for each
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
        # an adjoint that is identically zero would only add operations
        if weight_here is None or not node.args or not weight_here.value:
            continue
        for arg, slope in zip(node.args, _slopes(node, maths), strict=True):
            adjoint[arg] = adjoint.get(arg, graph.zero) + slope * weight_here
    return [adjoint.get(symbol, graph.zero) for symbol in symbols]
