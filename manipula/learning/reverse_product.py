"""The gradient of a model as one function: the vector–Jacobian product, proved like the model itself.

    x̄_k = Σ_i w_i ∂y_i/∂x_k        one walk back through the optimised function

The proof compares it, at random points of the prime field, with forward sweeps of dual numbers times the weights.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from manipula.algebra.expr.degree import LinearChoiceDegrees
from manipula.algebra.expr.field import LinearChoiceMaths
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths, rebuilt
from manipula.algebra.expr.node import Graph
from manipula.algebra.optimise.passes import run_passes
from manipula.algebra.optimise.prove import prove
from manipula.generation.pipeline import with_proof
from manipula.mechanics.spatial.adjoint import TracedMaths, pullback
from manipula.mechanics.spatial.adjoint import variables as traced_variables
from manipula.mechanics.spatial.dual import DualMaths, partial
from manipula.mechanics.spatial.dual import variables as dual_variables
from manipula.mechanics.spatial.vector import dot


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
    inputs = tuple(
        replace(port, symbols=tuple(graph.symbol(name, online=True) for name in port.names)) for port in function.inputs
    )
    weights = _weight_ports(function, graph)
    names = [name for port in inputs for name in port.names]
    # equal expressions are one object, so their weights are gathered once
    moving = traced_variables([x for port in inputs for x in port.symbols], shared=True)
    maths: Any = ExprMaths(graph)
    results = function(dict(zip(names, moving, strict=True)), TracedMaths(maths))
    roots = [root for out in function.outputs for root in results[out.name]]
    pairs = list(zip(roots, (x for port in weights for x in port.symbols), strict=True))
    flow = iter(pullback(pairs, moving))
    outputs = tuple(
        Output(f"d{port.name}", (len(port.symbols),), tuple(graph.expr(next(flow)) for _ in port.symbols))
        for port in inputs
    )
    origin = replace(function.provenance, model=f"{function.provenance.model}_vjp", columns=(), proof="")
    product = Function(f"{function.name}_vjp", graph, (*inputs, *weights), outputs, provenance=origin)
    return with_proof(run_passes(product), _forward_sweeps(function, weights), _prove_with_choices)


_prove_with_choices = functools.partial(prove, field=LinearChoiceMaths, degrees=LinearChoiceDegrees)


def _weight_ports(function: Function, graph: Graph) -> list[Input]:
    """A vector of weights for every output, under names that are free."""
    taken = [name for port in function.inputs for name in port.names]
    mark = "w"
    while any(name.startswith(f"{mark}_") for name in taken):
        mark += "w"
    return [
        Input(
            f"{mark}_{out.name}",
            tuple(graph.symbol(f"{mark}_{out.name}_{i + 1}", online=True) for i in range(len(out.exprs))),
            doc=f"weights of {out.name}",
        )
        for out in function.outputs
    ]


def _forward_sweeps(function: Function, weights: Sequence[Input]) -> Callable[[Any, Callable[[str], Any]], Any]:
    """The same gradient by dual numbers, one partial for each input, times the weights."""

    def run(maths: Any, symbol: Callable[[str], Any]) -> Mapping[str, Any]:
        names = [name for port in function.inputs for name in port.names]
        moving = dual_variables([symbol(name) for name in names])
        results = function(dict(zip(names, moving, strict=True)), DualMaths(maths))
        roots = [root for out in function.outputs for root in results[out.name]]
        scale = [symbol(name) for port in weights for name in port.names]
        flow = iter([dot(scale, [partial(root, k) for root in roots]) for k in range(len(names))])
        return {f"d{port.name}": [next(flow) for _ in port.symbols] for port in function.inputs}

    return run
