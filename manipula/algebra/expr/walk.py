"""Walks over expressions: iterative, so that depth is no limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from manipula.algebra.expr.node import Expr, Graph


def topological(roots: Iterable[Expr]) -> list[Expr]:
    """Every node below the roots once, arguments first; the order depends on structure alone."""
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
                stack += (None, *node.args[::-1])
    return order


def free_symbols(roots: Iterable[Expr]) -> list[Expr]:
    """The symbols below the roots, by name."""
    return sorted((x for x in topological(roots) if x.op == "symbol"), key=lambda x: str(x.data))


def rebuilt(roots: Iterable[Expr], graph: Graph, replace: Mapping[Expr, Expr] | None = None) -> list[Expr]:
    """The roots built again in `graph`, with some nodes replaced: substitution, and copying between graphs."""
    roots = list(roots)
    done: dict[Expr, Expr] = dict(replace or {})
    for node in topological(roots):
        if node not in done:
            done[node] = copied(node, tuple(done[arg] for arg in node.args), graph)
    return [done[root] for root in roots]


def copied(node: Expr, args: tuple[Expr, ...], graph: Graph) -> Expr:
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
