"""A block that calls no model, as a proved function: a reference, which needs no robot but the number of its joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from manipula.algebra.expr.function import Function, Input, Output, flattened, is_online
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.expr.provenance import Provenance
from manipula.algebra.optimise.passes import optimised
from manipula.algebra.optimise.prove import ProofSample, Reference, prove
from manipula.errors import InputError
from manipula.mechanics.models.block import Block
from manipula.mechanics.models.ports import PortSizes


def generate_formula(block: Block, dof: int) -> Function:
    """The text on expressions, optimised, and compared with the text itself over the prime field."""
    graph, sizes = Graph(), PortSizes(dof)
    inputs = tuple(
        Input(kind.name, tuple(graph.symbol(x, online=is_online(kind.role)) for x in kind.entries(sizes)), *about)
        for kind in block.inputs
        for about in [(kind.unit, kind.doc, kind.role)]
    )
    found = block.text(ExprMaths(graph), no_model, {port.name: port.symbols for port in inputs})
    outputs = tuple(output_of(graph, block, name, found[name]) for name in block.outputs)
    origin = Provenance("", block.name, "the formula as it stands")
    whole = optimised(Function(block.name, graph, inputs, outputs, provenance=origin))
    proof = prove(whole, _plain(block, sizes))
    return replace(whole, provenance=replace(whole.provenance, proof=str(proof)))


def no_model(model: str, /, **inputs: Sequence[Any]) -> dict[str, Any]:
    """What a formula without a robot is given to call."""
    raise InputError("{model} is a model of a robot, and there is none here", model)


def _plain(block: Block, sizes: PortSizes) -> Reference:
    def run(maths: ProofSample, symbol: Callable[[str], Any]) -> dict[str, Any]:
        given = {kind.name: [symbol(x) for x in kind.entries(sizes)] for kind in block.inputs}
        found = block.text(maths, no_model, given)
        return {name: found[name] for name in block.outputs}

    return run


def output_of(graph: Graph, block: Block, name: str, value: Any) -> Output:
    """A value of the block's text as the output of that name."""
    shape, flat = flattened(value)
    about = block.outputs[name]
    return Output(name, shape, tuple(map(graph.expr, flat)), about.unit, about.doc, about.gives)
