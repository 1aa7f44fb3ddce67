"""The derivatives of a model as one function each: products with its Jacobian, proved like the model itself.

    x̄_k = Σ_i w_i ∂y_i/∂x_k        one walk back through the optimised function
    ẏ_i = Σ_k ∂y_i/∂x_k ẋ_k        one walk forward

Of a function that goes step by step, x⁺ = f(x, u, p) and y = g(x, u, p), it is a step back in time, whose states are
the adjoint λ and the gradient by parameters, and which is driven by the states that were gone through:

    λ = (∂f/∂x)ᵀ λ⁺ + (∂g/∂x)ᵀ w        p̄ = p̄⁺ + (∂f/∂p)ᵀ λ⁺ + (∂g/∂p)ᵀ w

The proof compares them, at random points of the prime field, with forward sweeps of dual numbers: times the weights, or
along the rates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial as bound
from typing import Any

from manipula.algebra.expr.degree import LinearChoiceDegrees
from manipula.algebra.expr.field import LinearChoiceMaths
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths, rebuilt
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.optimise.passes import run_passes
from manipula.algebra.optimise.prove import Reference, prove
from manipula.generation.pipeline import with_proof
from manipula.mechanics.spatial.adjoint import Traced, TracedMaths, pullback
from manipula.mechanics.spatial.adjoint import variables as traced_variables
from manipula.mechanics.spatial.dual import Dual, DualMaths, along, partial
from manipula.mechanics.spatial.dual import variables as dual_variables
from manipula.mechanics.spatial.vector import dot
from manipula.scalar import Next, Role


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
    inputs = _moved_inputs(function, graph)
    weights = _weight_ports(function, graph)
    flow = iter(_walk_back(function, inputs, weights, [name for port in inputs for name in port.names]))
    outputs = tuple(
        Output(f"d{port.name}", (len(port.symbols),), tuple(next(flow) for _ in port.symbols)) for port in inputs
    )
    return _proved(function, "vjp", graph, (*inputs, *weights), outputs, _forward_sweeps(function, weights))


def jacobian_vector_product(function: Function) -> Function:
    """(inputs, rates of every input) → the rates of every output, a vector each; proved."""
    graph, mark = Graph(), _mark(function, "v")
    inputs = _moved_inputs(function, graph)
    rates = [_port(f"{mark}_{port.name}", len(port.symbols), graph, f"rates of {port.name}") for port in inputs]
    names, ways = ([name for port in ports for name in port.names] for ports in (inputs, rates))

    def sweep(maths: Any, symbol: Callable[[str], Any]) -> Mapping[str, Any]:
        moving = along(list(map(symbol, names)), list(map(symbol, ways)))
        results = function(dict(zip(names, moving, strict=True)), DualMaths(maths))
        return {f"d{name}": [partial(root, 0) for root in values] for name, values in results.items()}

    maths: Any = ExprMaths(graph)
    moved = sweep(maths, lambda name: graph.symbol(name, online=True))
    outputs = tuple(Output(name, (len(x),), tuple(map(graph.expr, x))) for name, x in moved.items())
    return _proved(function, "jvp", graph, (*inputs, *rates), outputs, sweep)


def transposed_product(product: Function) -> Function:
    """Of J(x) w, linear in its last input: (x, weights of the outputs) → the gradient by that input; proved.

    The reference has any w, so that the proof fails where the function is not linear.
    """
    graph, last = Graph(), product.inputs[-1]
    inputs, weights = _moved_inputs(product, graph), _weight_ports(product, graph)
    slopes = _walk_back(product, inputs, weights, last.names)
    still = {x: x for port in (*inputs[:-1], *weights) for x in port.symbols} | dict.fromkeys(
        inputs[-1].symbols, graph.zero
    )
    outputs = (Output(f"d{last.name}", (len(slopes),), tuple(rebuilt(slopes, graph, still))),)
    return _proved(
        product, "transposed", graph, (*inputs[:-1], *weights), outputs, _forward_sweeps(product, weights, [last])
    )


def _moved_inputs(function: Function, graph: Graph) -> tuple[Input, ...]:
    return tuple(
        replace(port, symbols=tuple(graph.symbol(name, online=True) for name in port.names)) for port in function.inputs
    )


def _proved(
    function: Function,
    word: str,
    graph: Graph,
    inputs: tuple[Input, ...],
    outputs: tuple[Output, ...],
    plain: Reference,
) -> Function:
    """A product of the function, optimised, once it is proved."""
    origin = replace(function.provenance, model=f"{function.provenance.model}_{word}", columns=(), proof="")
    product = Function(f"{function.name}_{word}", graph, inputs, outputs, provenance=origin)
    return with_proof(run_passes(product), plain, prove_with_choices)


def _walk_back(function: Function, inputs: Sequence[Input], weights: Sequence[Input], by: Sequence[str]) -> list[Expr]:
    """The gradient of the weighted sum of the outputs, by these symbols, on the inputs' graph."""
    graph = next(x for port in (*weights, *inputs) for x in port.symbols).graph
    values: dict[str, Any] = {name: x for port in inputs for name, x in zip(port.names, port.symbols, strict=True)}
    # equal expressions are one object, so their weights are gathered once
    moving = traced_variables([values[name] for name in by], shared=True)
    constants = {name: Traced(x) for name, x in values.items()}
    maths: Any = ExprMaths(graph)
    results = function(constants | dict(zip(by, moving, strict=True)), TracedMaths(maths))
    roots = [root for out in function.outputs for root in results[out.name]]
    pairs = list(zip(roots, (x for port in weights for x in port.symbols), strict=True))
    return [graph.expr(x) for x in pullback(pairs, moving)]


prove_with_choices = bound(prove, field=LinearChoiceMaths, degrees=LinearChoiceDegrees)


def _weight_ports(function: Function, graph: Graph) -> list[Input]:
    """A vector of weights for every output, under names that are free."""
    return [
        _port(f"{_mark(function)}_{out.name}", len(out.exprs), graph, f"weights of {out.name}")
        for out in function.outputs
    ]


def _mark(function: Function, letter: str = "w") -> str:
    """A letter that no name begins with."""
    taken = [name for port in function.inputs for name in (port.name, *port.names)]
    mark = letter
    while any(name.startswith(f"{mark}_") for name in taken):
        mark += letter
    return mark


def _port(name: str, size: int, graph: Graph, doc: str, role: Role = "variable") -> Input:
    return Input(name, tuple(graph.symbol(f"{name}_{i + 1}", online=True) for i in range(size)), "", doc, role)


def _forward_sweeps(
    function: Function, weights: Sequence[Input], by: Sequence[Input] | None = None
) -> Callable[[Any, Callable[[str], Any]], Any]:
    """The same gradient by dual numbers, one partial for each input, times the weights."""
    ports = function.inputs if by is None else by

    def run(maths: Any, symbol: Callable[[str], Any]) -> Mapping[str, Any]:
        names = [name for port in ports for name in port.names]
        moving = dict(zip(names, dual_variables([symbol(name) for name in names]), strict=True))
        still = [name for port in function.inputs for name in port.names if name not in moving]
        results = function({name: Dual(symbol(name)) for name in still} | moving, DualMaths(maths))
        roots = [root for out in function.outputs for root in results[out.name]]
        scale = [symbol(name) for port in weights for name in port.names]
        flow = iter([dot(scale, [partial(root, k) for root in roots]) for k in range(len(names))])
        return {f"d{port.name}": [next(flow) for _ in port.symbols] for port in ports}

    return run


# A step back in time.


@dataclass(frozen=True)
class GradientRequest:
    """What a gradient is taken by beside the states, and which results of the steps it is of beside the last state."""

    parameters: tuple[str, ...] = ()  # entries of settings and parameters
    variables: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    states: bool = False  # those recorded on the way


@dataclass(frozen=True)
class StepBack:
    """The adjoint of a step, and what its ports are called.

    It is driven by the states and the other online inputs of the step, under their own names, and by weights.
    """

    function: Function
    adjoint: Mapping[str, str]  # state → its adjoint, a state
    weights: Mapping[str, str]  # output → its weights, a variable
    records: Mapping[str, str]  # state → the weights of its record, a variable
    gradients: Mapping[str, str]  # variable → its gradient, an output
    sums: str  # the gradient by parameters, a state; "" without any


def step_back(function: Function, wanted: GradientRequest) -> StepBack:
    """The step back of a step, proved."""
    graph, mark = Graph(), _mark(function)
    following = {out.gives.state: out for out in function.outputs if isinstance(out.gives, Next)}
    plain = [out for out in function.outputs if out.name in wanted.outputs]
    kept = replace(function, outputs=(*following.values(), *plain), labels={})
    inputs = [
        replace(
            port,
            symbols=tuple(graph.symbol(name, online=port.online) for name in port.names),
            role="variable" if port.online else port.role,
        )
        for port in function.inputs
    ]
    ports = {port.name: port for port in inputs}
    adjoint = {
        state: _port(f"{mark}_{out.name}", len(out.exprs), graph, f"adjoint of {state}", "state")
        for state, out in following.items()
    }
    weights = {x.name: _port(f"{mark}_{x.name}", len(x.exprs), graph, f"weights of {x.name}") for x in plain}
    recorded = {
        state: _port(f"{mark}_{state}_recorded", len(port.symbols), graph, f"weights of {state} where it is recorded")
        for state, port in adjoint.items()
        if wanted.states
    }
    own = {name: x for port in inputs for name, x in zip(port.names, port.symbols, strict=True)}
    chosen = Input(f"{mark}_parameters", tuple(own[name] for name in wanted.parameters))
    by = [*(ports[state] for state in adjoint), *(ports[name] for name in wanted.variables), chosen]
    carried = [*adjoint.values(), *weights.values()]
    slopes = iter(_walk_back(kept, inputs, carried, [name for port in by for name in port.names]))
    found = {port.name: [next(slopes) for _ in port.symbols] for port in by}
    for state, port in recorded.items():
        found[state] = [x + y for x, y in zip(found[state], port.symbols, strict=True)]
    sums = _port(f"{mark}_sums", len(wanted.parameters), graph, "gradient by parameters", "state")
    found[chosen.name] = [x + y for x, y in zip(sums.symbols, found[chosen.name], strict=True)]
    gives = {state: Next(port.name) for state, port in adjoint.items()} | {chosen.name: Next(sums.name)}
    outputs = tuple(
        Output(f"d{port.name}", (len(port.symbols),), tuple(found[port.name]), gives=gives.get(port.name))
        for port in by
        if port.symbols
    )
    origin = replace(function.provenance, model=f"{function.provenance.model}_adjoint", columns=(), proof="")
    added = [*carried, *recorded.values(), *([sums] if wanted.parameters else [])]
    made = Function(f"{function.name}_adjoint", graph, (*inputs, *added), outputs, provenance=origin)
    sweeps = _forward_sweeps(kept, carried, by)

    def reference(maths: Any, symbol: Callable[[str], Any]) -> Mapping[str, Any]:
        plus = {state: port.names for state, port in recorded.items()} | {chosen.name: sums.names}
        return {
            name: [x + symbol(plus[name[1:]][i]) if name[1:] in plus else x for i, x in enumerate(values)]
            for name, values in sweeps(maths, symbol).items()
            if values
        }

    return StepBack(
        with_proof(run_passes(made), reference, prove_with_choices),
        {state: port.name for state, port in adjoint.items()},
        {name: port.name for name, port in weights.items()},
        {state: port.name for state, port in recorded.items()},
        {name: f"d{name}" for name in wanted.variables},
        sums.name if wanted.parameters else "",
    )


def with_noise_kept(function: Function) -> Function:
    """The states that follow, and the noise that was drawn on the way to them."""
    drawn = tuple(
        Output(f"{port.name}_drawn", (len(port.symbols),), port.symbols)
        for port in function.inputs
        if port.role == "noise"
    )
    following = tuple(out for out in function.outputs if out.gives is not None)
    return replace(function, name=f"{function.name}_states", outputs=(*following, *drawn), labels={})
