"""Parts of a function: some of its outputs, or what can be computed before the variables are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.expr.walk import rebuilt, topological
from manipula.errors import InputError, UnknownNameError


def output_named(function: Function, name: str) -> Output:
    """A whole output, "A", or one entry of it, counted from 1: "A[1,2]"."""
    head, _, index = name.partition("[")
    found = {output.name: output for output in function.outputs}
    if head not in found:
        raise UnknownNameError("output", head, found)
    output = found[head]
    if not index:
        return output
    parts = index.replace(" ", "").removesuffix("]").replace("][", ",").split(",")
    if len(parts) != len(output.shape) or not all(
        part.isdecimal() and 1 <= int(part) <= size for part, size in zip(parts, output.shape)
    ):
        last = ",".join(map(str, output.shape))
        raise InputError(
            "no entry {name!r}: the last one of {head} is {head2}", name, head, (f"{head}[{last}]" if last else head)
        )
    flat = 0
    for size, part in zip(output.shape, parts):
        flat = flat * size + int(part) - 1
    return Output(head + "".join(parts), (), (output.exprs[flat],), output.unit, output.doc)


def split(function: Function) -> tuple[Function, Function]:
    """(off-line, on-line): what depends on parameters alone, and the rest, which takes it as its parameters.

    The cut is where off-line nodes feed on-line ones.
    """
    nodes = topological(function.roots)
    read = {arg for node in nodes if node.online for arg in node.args} | set(function.roots)
    kept = [x for x in nodes if x in read and not x.online and x.op not in ("const", "angle", "tolerance")]
    return _offline(function, kept), _online(function, kept)


def _offline(function: Function, kept: Sequence[Expr]) -> Function:
    inputs = tuple(port for port in function.inputs if not port.online)
    output = Output("k", (len(kept),), tuple(kept), "SI", "what depends on parameters alone")
    return replace(function, name=f"{function.name}_prepare", inputs=inputs, outputs=(output,))


def _online(function: Function, kept: Sequence[Expr]) -> Function:
    graph = Graph()
    given: Mapping[Expr, Expr] = {
        x: graph.symbol(str(x.data) if x.op == "symbol" else f"k{i + 1}") for i, x in enumerate(kept)
    }
    roots = rebuilt(function.roots, graph, given)
    variables = tuple(
        replace(port, symbols=tuple(graph.symbol(name, online=True) for name in port.names))
        for port in function.inputs
        if port.online
    )
    inputs = (*variables, Input("p", tuple(given.values()), "SI", "from the off-line part", role="parameter"))
    bare = replace(function, graph=graph, inputs=inputs, labels={}, conditions=())
    return bare.with_roots(roots)
