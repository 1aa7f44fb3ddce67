"""The branch of a closed form nearest to a seed, as a function without loops, for batches and with gradients.

    q = argmin Σⱼ (qⱼ − seedⱼ)²        over the branches that reach the pose inside the limits

Every angle is taken on the turn inside its limits that is nearest to the seed, as in `numeric.branches`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import isfinite
from typing import Any

from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.optimise.passes import run_passes
from manipula.generation.pipeline import with_proof
from manipula.generation.reverse_product import prove_with_choices
from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.branches import Row
from manipula.scalar import Maths

SEED = "seed"
FAR = 10**9  # rad², m²: added to the squared distance of what is no answer
OUTSIDE = 10**6  # for each rad or m outside the limits


def nearest_branch(function: Function, rows: Floats) -> Function:
    """(pose, free joint or arm angle, seed) → q, valid: 1 where q is an answer, and gap: |q − seed|²."""
    graph, dof = Graph(), rows.shape[1]
    inputs = [
        replace(port, symbols=tuple(graph.symbol(name, online=True) for name in port.names)) for port in function.inputs
    ]
    seed = tuple(graph.symbol(f"{SEED}_{j + 1}", online=True) for j in range(dof))
    inputs.append(Input(SEED, seed, "rad or m", "the answer nearest to it is taken"))
    values = {name: x for port in inputs for name, x in zip(port.names, port.symbols, strict=True)}
    q, valid, gap = _choose(function, rows, values, ExprMaths(graph))
    outputs = (
        Output("q", (dof,), tuple(map(graph.expr, q)), "rad or m", "the answer nearest to the seed"),
        Output("valid", (), (graph.expr(valid),), "1", "1 where there is an answer, else 0"),
        Output("gap", (), (graph.expr(gap),), "rad², m²", "its squared distance from the seed"),
    )
    origin = replace(function.provenance, model=f"{function.provenance.model}_nearest", columns=(), proof="")
    made = Function(f"{function.name}_nearest", graph, tuple(inputs), outputs, provenance=origin)
    return optimise_and_prove(made)


def optimise_and_prove(made: Function) -> Function:
    """The function optimised, and proved equal to what it was."""

    def plain(maths: Any, symbol: Callable[[str], Any]) -> Mapping[str, Any]:
        found = made({name: symbol(name) for port in made.inputs for name in port.names}, maths)
        return {port.name: found[port.name] if port.shape else found[port.name][0] for port in made.outputs}

    return with_proof(run_passes(made), plain, prove_with_choices)


def _choose(
    function: Function, rows: Floats, values: Mapping[str, Any], maths: Maths[Any]
) -> tuple[list[Any], Any, Any]:
    """The text, over any scalar."""
    dof = rows.shape[1]
    found = function(values, maths)
    seed = [values[f"{SEED}_{j + 1}"] for j in range(dof)]
    far = maths.number(Fraction(FAR))
    best: list[Any] = []
    least: Any = None
    for b, reached in enumerate(found["valid"]):
        q = [_wind(found["q"][b * dof + j], seed[j], rows[:, j], maths) for j in range(dof)]
        gap = sum(((x - s) * (x - s) for x, s in zip(q, seed, strict=True)), start=maths.number(Fraction(0)))
        gap = maths.select(reached, gap, gap + far)
        beyond = [x for j in range(dof) for x in _beyond(q[j], rows[:, j], maths)]
        if beyond:
            most = reduce(maths.maximum, beyond)
            # what is less far outside is taken first: a search is led inside
            gap = maths.select(maths.less(maths.number(Fraction(0)), most), far + most * OUTSIDE, gap)
        if least is None:
            best, least = q, gap
            continue
        nearer = maths.less(gap, least)
        best = [maths.select(nearer, x, y) for x, y in zip(q, best, strict=True)]
        least = maths.select(nearer, gap, least)
    one, nothing = maths.number(Fraction(1)), maths.number(Fraction(0))
    return best, maths.select(maths.less(least, far), one, nothing), least


def _wind(x: Any, seed: Any, row: Floats, maths: Maths[Any]) -> Any:
    """An angle onto the turn nearest to the seed, or to what is half a turn inside the limits; slides stay."""
    if not row[Row.PERIOD]:
        return x
    turn = maths.degrees(Fraction(360))
    aim = seed
    if isfinite(row[Row.LAST]):
        aim = maths.minimum(aim, maths.number(Fraction(row[Row.LAST])))
    if isfinite(row[Row.FIRST]):
        aim = maths.maximum(aim, maths.number(Fraction(row[Row.FIRST])))
    # a product with 1/turn, no division: rounded down, it need not be exact
    count = maths.floor((aim - x) * maths.number(Fraction(row[Row.FREQUENCY])) + maths.number(Fraction(1, 2)))
    return x + count * turn


def _beyond(x: Any, row: Floats, maths: Maths[Any]) -> list[Any]:
    """How far it is outside of each limit."""
    low, high = row[Row.LOW], row[Row.HIGH]
    below = [maths.number(Fraction(low)) - x] if isfinite(low) else []
    return below + ([x - maths.number(Fraction(high))] if isfinite(high) else [])
