"""The gradient of a model as one function: the vector–Jacobian product, proved like the model itself.

    x̄_k = Σ_i w_i ∂y_i/∂x_k        one walk back through the optimised function

The proof compares it, at random points of the prime field, with the Jacobian by forward sweeps times the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from manipula.algebra.expr.evaluate import evaluate
from manipula.algebra.expr.function import Function, Input, Output, nest_flat
from manipula.algebra.expr.maths import jacobian, pullback, rebuilt
from manipula.algebra.expr.node import Graph
from manipula.algebra.optimise.passes import run_passes
from manipula.generation.pipeline import with_proof
from manipula.scalar import OPS


def with_row_parameters(function: Function, names: Sequence[str]) -> Function:
    """The function with these parameters as one more variable, `p`, in this order: each row may have its own."""
    graph = Graph()
    own = {str(x.data): x for port in function.inputs for x in port.symbols}
    symbols = {name: graph.symbol(name, online=True) for name in dict.fromkeys([*own, *names])}
    roots = rebuilt(function.roots, graph, {x: symbols[name] for name, x in own.items()})
    inputs = [
        replace(port, symbols=tuple(symbols[name] for name in port.names)) for port in function.inputs if port.online
    ]
    if names:
        inputs.append(Input("p", tuple(symbols[name] for name in names), "SI", "parameters of each row"))
    bare = replace(function, graph=graph, inputs=tuple(inputs), labels={}, conditions=())
    return bare.with_roots(roots)


def vector_jacobian_product(function: Function) -> Function:
    """(inputs, weights of every output) → the gradient of the weighted sum by every input; proved."""
    graph = Graph()
    moved = _copy(function, graph)
    variables = [x for port in moved.inputs for x in port.symbols]
    taken = {str(x.data) for x in variables}
    mark = "w"
    while any(name.startswith(f"{mark}_") for name in taken):
        mark += "w"
    weights = [
        Input(
            f"{mark}_{out.name}",
            tuple(graph.symbol(f"{mark}_{out.name}_{i + 1}", online=True) for i in range(len(out.exprs))),
            doc=f"weights of {out.name}",
        )
        for out in moved.outputs
    ]
    flow = iter(pullback(moved.roots, [x for port in weights for x in port.symbols], variables))
    outputs = tuple(
        Output(f"d{port.name}", (len(port.symbols),), tuple(next(flow) for _ in port.symbols)) for port in moved.inputs
    )
    origin = replace(function.provenance, model=f"{function.provenance.model}_vjp", columns=(), proof="")
    product = Function(f"{function.name}_vjp", graph, (*moved.inputs, *weights), outputs, provenance=origin)
    return with_proof(run_passes(product), _contraction(function, weights))


def _contraction(function: Function, weights: Sequence[Input]) -> Callable[[Any, Callable[[str], Any]], Any]:
    """The plain text: every entry of the Jacobian, one forward sweep an input, times the weights."""
    own = _copy(function, Graph())
    variables = [x for port in own.inputs for x in port.symbols]
    rows = jacobian(own.roots, variables)
    entries = [x for row in rows for x in row]

    def run(maths: Any, symbol: Callable[[str], Any]) -> Mapping[str, Any]:
        values = evaluate(entries, {str(x.data): symbol(str(x.data)) for x in variables}, maths)
        table = nest_flat(values, (len(rows), len(variables))) if rows and variables else []
        scale = [symbol(name) for port in weights for name in port.names]
        times, plus = OPS["mul"].value, OPS["add"].value
        sums: list[Any] = []
        for column in zip(*table):
            total = None
            for x, w in zip(column, scale, strict=True):
                term = times(maths, w, x)
                total = term if total is None else plus(maths, total, term)
            sums.append(total)
        flow = iter(sums)
        return {f"d{port.name}": [next(flow) for _ in port.symbols] for port in own.inputs}

    return run


def _copy(function: Function, graph: Graph) -> Function:
    symbols = {x: graph.symbol(str(x.data), online=True) for port in function.inputs for x in port.symbols}
    roots = rebuilt(function.roots, graph, symbols)
    inputs = tuple(replace(port, symbols=tuple(symbols[x] for x in port.symbols)) for port in function.inputs)
    return replace(function, graph=graph, inputs=inputs, labels={}, conditions=()).with_roots(roots)
