"""Names people recognise (w3_x, F5_z) for a function's intermediate values: only where they are true.

The plain recursion runs over the prime field on the robot as its file has it: fixed joints merged, no frame moved, no
mass regrouped. A node that has exactly the value of ω₃ₓ there is called so, however the function came to compute it;
one that is its negative, a multiple of it, or the same letter in another frame has another value, and gets no name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from manipula.algebra.expr.field import FieldElement, FieldMaths
from manipula.algebra.expr.function import Function
from manipula.algebra.expr.node import TABLE_SEED
from manipula.algebra.expr.walk import topological
from manipula.generation.prepare import Prepared
from manipula.mechanics.models.catalogue import MODELS

RECURSION = MODELS["newton_euler"]  # every intermediate, link by link, in the link's own frame
RATES = RECURSION.inputs
LETTERS = [name for name in RECURSION.outputs if name != "tau"]


def labelled(function: Function, asked: Prepared) -> Function:
    """The function with the names of its intermediates."""
    named = names_by_value(asked)
    nodes = (node for node in topological(function.roots) if node.args and node.op != "neg")
    return replace(function, labels={node: named[node.value] for node in nodes if node.value in named})


def names_by_value(asked: Prepared) -> dict[int, str]:
    """Value in the table of expressions → name; the first of two names for one value. Nothing for other models."""
    ports = asked.inputs
    coupled = asked.robot.coordinates.coupled  # there links have other numbers than coordinates
    if coupled or not ports.keys() >= set(RATES):
        return {}
    maths = FieldMaths(TABLE_SEED)  # the draw by which expressions are known
    chain = asked.structure.merged(maths, asked.structure.symbols(maths.symbol))
    given = {port: [maths.symbol(name) for name in names] for port, names in ports.items()}
    found = RECURSION.methods["newton-euler"](chain, given)
    names: dict[int, str] = {}
    for letter in LETTERS:
        for number, vector in enumerate(found[letter], 1):
            for axis, entry in zip("xyz", vector, strict=True):
                if isinstance(entry, FieldElement):
                    names.setdefault(entry.value, f"{letter}{number}_{axis}")
    return names


def without_doubles(labels: dict[Any, str]) -> dict[Any, str]:
    """Without the names that two values claim, each of them true in its own model."""
    texts = list(labels.values())
    return {node: text for node, text in labels.items() if texts.count(text) == 1}
