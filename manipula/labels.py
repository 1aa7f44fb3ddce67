"""Names people recognise (w3_x, F5_z) for a function's intermediate values: only where they are true.

The plain recursion runs over the prime field on the robot as its file has it: fixed joints merged, no frame moved, no
mass regrouped. A node that has exactly the value of ω₃ₓ there is called so, however the function came to compute it;
one that is its negative, a multiple of it, or the same letter in another frame has another value, and gets no name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from manipula.algebra.expr.field import Element, FieldMaths
from manipula.algebra.expr.function import Function
from manipula.algebra.expr.node import TABLE_SEED
from manipula.algebra.expr.walk import topological
from manipula.bridge import Request, input_names
from manipula.mechanics.models.newton_euler import NewtonEuler, newton_euler
from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.vector import Vector

RATES = ("q", "qd", "qdd")  # a recursion needs all three


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
    q, qd, qdd = (given[port] for port in RATES)
    found = newton_euler(chain, q, qd, qdd, given.get("wrench"))
    names: dict[int, str] = {}
    for letter, vectors in _vectors(found).items():
        for number, vector in enumerate(vectors, 1):
            for axis, entry in zip("xyz", vector, strict=True):
                if isinstance(entry, Element):
                    names.setdefault(entry.value, f"{letter}{number}_{axis}")
    return names


def without_doubles(labels: dict[Any, str]) -> dict[Any, str]:
    """Without the names that two values claim, each of them true in its own model."""
    texts = list(labels.values())
    return {node: text for node, text in labels.items() if texts.count(text) == 1}


def _vectors(found: NewtonEuler) -> dict[str, Sequence[Vector]]:
    """By letter, link by link: each in the axes of the link's frame as the file has it."""
    return {
        "w": [m.w for m in found.motion],
        "wd": [m.wd for m in found.motion],
        "vd": [m.vd for m in found.motion],
        "F": found.F,
        "N": found.N,
        "f": [load.f for load in found.loads],
        "n": [load.n for load in found.loads],
    }
