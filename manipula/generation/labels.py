"""Names people recognise (w3_x, F5_z) for a function's intermediate values: only where they are true.

The plain recursion runs over the prime field on the robot as its file has it: fixed joints merged, no frame moved, no
mass regrouped. A node that has exactly the value of ω₃ₓ there is called so, however the function came to compute it;
one that is its negative, a multiple of it, or the same letter in another frame has another value, and gets no name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from manipula.algebra.expr.field import Element, FieldMaths
from manipula.algebra.expr.function import Function
from manipula.algebra.expr.node import TABLE_SEED
from manipula.algebra.expr.walk import topological
from manipula.generation.build import Request, input_names
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.reduce.chains import merge_fixed

RECURSION = MODELS["newton_euler"]  # every intermediate, link by link, in the link's own frame
RATES = RECURSION.inputs
LETTERS = [name for name in RECURSION.outputs if name != "tau"]


def labelled(function: Function, request: Request) -> Function:
    """The function with the names of its intermediates."""
    named = names_by_value(request)
    nodes = (node for node in topological(function.roots) if node.args and node.op != "neg")
    return replace(function, labels={node: named[node.value] for node in nodes if node.value in named})


def names_by_value(request: Request) -> dict[int, str]:
    """Value in the table of expressions → name; the first of two names for one value. Nothing for other models."""
    ports = input_names(request)
    if not ports.keys() >= set(RATES):
        return {}
    maths = FieldMaths(TABLE_SEED)  # the draw by which expressions are known
    symbols = {name: maths.symbol(name) for name in free_parameters(request.robot, request.symbolic)}
    chain = merge_fixed(bind(request.robot, maths, symbols, request.symbolic))
    given = {port: [maths.symbol(name) for name in names] for port, names in ports.items()}
    found = RECURSION.methods["newton-euler"](chain, given)
    names: dict[int, str] = {}
    for letter in LETTERS:
        for number, vector in enumerate(found[letter], 1):
            for axis, entry in zip("xyz", vector, strict=True):
                if isinstance(entry, Element):
                    names.setdefault(entry.value, f"{letter}{number}_{axis}")
    return names


def without_doubles(labels: dict[Any, str]) -> dict[Any, str]:
    """Without the names that two values claim, each of them true in its own model."""
    texts = list(labels.values())
    return {node: text for node, text in labels.items() if texts.count(text) == 1}
