"""The plain function of what was asked: for people, who want the formulas of a book in the letters of their file.

A model's first text, run on the arm as it is described: no frame is moved, no mass regrouped, nothing is turned to make
a moment zero. It costs more operations than what `generate` finds, and is written shorter. Whatever is printed from it
is proved equal to the optimised function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from manipula.algebra.expr.function import Function, moved_to
from manipula.algebra.expr.node import Graph
from manipula.generation.build import built, reference, used_parameters
from manipula.generation.joining.together import Part, asked_of, beside, join
from manipula.generation.prepare import Prepared, prepare
from manipula.generation.request import Formulation, Request
from manipula.mechanics.models.block import Block
from manipula.support.collecting import seldom_collecting


@seldom_collecting()
def plain_function(request: Request) -> Function:
    """One model."""
    return _plain(prepare(request))


@seldom_collecting()
def plain_together(requests: Sequence[Request]) -> Function:
    """Several models of one robot, side by side."""
    first = prepare(requests[0])
    graph = Graph()
    parts = [moved_to(_plain(first.asking(model=request.model)), graph) for request in requests]
    return beside(first.named("models"), graph, parts)


@seldom_collecting()
def plain_block(block: Block, request: Request, others: Mapping[str, Request] = MappingProxyType({})) -> Function:
    """A block around plain models."""
    asked, known = prepare(request), {name: prepare(other) for name, other in others.items()}
    calls = {name: asked_of(name, asked, known) for name in block.calls}
    parts = {name: Part(_plain(part), reference(part)) for name, part in calls.items()}
    return used_parameters(join(block, asked, parts).function)


def _plain(asked: Prepared) -> Function:
    first = next(iter(asked.model.methods))
    return used_parameters(built(asked, Formulation(first)))
