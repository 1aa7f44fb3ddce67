"""The branch of a closed form nearest to a seed, as a function without loops, for batches and with gradients.

    q = argmin Σⱼ (qⱼ − seedⱼ)²        over the branches that reach the pose inside the limits

Every angle is taken on the turn inside its limits that is nearest to the seed, as in `numeric.branches`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.optimise.passes import run_passes
from manipula.generation.pipeline import with_proof
from manipula.generation.reverse_product import prove_with_choices
from manipula.ik.numeric.arrays import Floats, limit_rows
from manipula.ik.numeric.branches import Row
from manipula.mechanics.spatial.vector import dot
from manipula.scalar import Maths

if TYPE_CHECKING:
    from manipula.ik.inverse import InverseSolver

SEED = "seed"
FAR = 10**9  # rad², m²: added to the squared distance of what is no answer
OUTSIDE = 10**6  # for each rad or m outside the limits
DAMPING = Fraction(1, 10**4)
LONGEST = Fraction(1, 2)  # rad, m: a step towards a family
INSIDE = 1e-3  # rad, m: how far from their limits joints are kept on the way


class Family(NamedTuple):
    """The answers of a redundant arm to one pose: between which values of what they are searched."""

    gap: Function  # (pose, free, seed) → squared distance of the answer from the seed
    step: Function  # (pose, q, seed) → q nearer to the member of the family that is near the seed
    jacobian: Function
    joint: int | None  # that is free; None: the arm angle is
    senses: Sequence[int]  # of the joints
    ends: tuple[float, float]
    limits: Sequence[tuple[float, float]]


def nearest_functions(
    function: Function, kinematics: Callable[[str], Function], solver: InverseSolver
) -> tuple[Function, Family | None]:
    """(pose, seed) → q, valid; of a redundant arm (pose, free, seed) → q, valid, and how to search what is free."""
    made = nearest_branch(function, limit_rows(solver.turning, solver.low, solver.high).reshape(Row.COUNT, -1))
    answer = replace(made, outputs=made.outputs[:-1])
    parameter = solver.parameter
    if not parameter.exists:
        return answer, None
    limits = list(zip(solver.low.tolist(), solver.high.tolist(), strict=True))
    jacobian = kinematics("jacobian")
    step = step_to_seed(kinematics("pose"), jacobian, limits, 1 / solver.size)
    senses = [link.direction for link in solver.chain.links]
    return answer, Family(_gap_alone(made), step, jacobian, parameter.fixed_joint, senses, parameter.ends, limits)


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
    return with_proof(run_passes(made), _chosen(function, rows, list(values)), prove_with_choices)


def _gap_alone(nearest: Function) -> Function:
    """The same function without the answer."""
    alone = replace(nearest, name=f"{nearest.name}_gap", outputs=nearest.outputs[-1:], labels={})
    return replace(alone, provenance=replace(nearest.provenance, model=f"{nearest.provenance.model}_gap"))


def _chosen(function: Function, rows: Floats, names: Sequence[str]) -> Callable[[Any, Callable[[str], Any]], Any]:
    """The same over another scalar, for the proof."""

    def run(maths: Any, symbol: Callable[[str], Any]) -> Mapping[str, Any]:
        q, valid, gap = _choose(function, rows, {name: symbol(name) for name in names}, maths)
        return {"q": q, "valid": valid, "gap": gap}

    return run


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


# On the way to the family from the seed: least |q + Δ − seed| of the steps that meet the pose to first order,
#
#     Δ = d + Jᵀ (J Jᵀ + λ)⁻¹ (e − J d)        d = seed − q,  e = (missing position over the arm's size, rotation)


def step_to_seed(pose: Function, jacobian: Function, limits: Sequence[tuple[float, float]], scale: float) -> Function:
    """(pose, q, seed) → the next q."""
    graph, dof = Graph(), len(limits)
    maths: Any = ExprMaths(graph)
    T, q, seed = (
        Input(name, tuple(graph.symbol(f"{mark}{i + 1}", online=True) for i in range(size)))
        for name, mark, size in (("T", "T", 16), ("q", "q", dof), (SEED, f"{SEED}_", dof))
    )
    values = dict(zip(pose.inputs[0].names, q.symbols, strict=True))
    at, J = (next(iter(f(values, maths).values())) for f in (pose, jacobian))
    factor = [graph.const(Fraction(scale))] * 3 + [graph.const(1)] * 3
    rows = [[factor[i] * J[i * dof + j] for j in range(dof)] for i in range(6)]
    d = [s - x for s, x in zip(seed.symbols, q.symbols, strict=True)]
    missing = [factor[0] * (T.symbols[4 * i + 3] - at[4 * i + 3]) for i in range(3)] + _turn(at, T.symbols)
    left = [e - dot(row, d) for e, row in zip(missing, rows, strict=True)]
    square = [[dot(a, b) + (DAMPING if a is b else 0) for b in rows] for a in rows]
    pulled = solve_positive(square, left)
    step = [x + dot([row[j] for row in rows], pulled) for j, x in enumerate(d)]
    most = reduce(maths.maximum, map(maths.abs, step))
    shorter = LONGEST / maths.maximum(most, graph.const(LONGEST))
    moved = [_held(x + shorter * dx, ends, maths) for x, dx, ends in zip(q.symbols, step, limits, strict=True)]
    output = Output("q_next", (dof,), tuple(map(graph.expr, moved)))
    origin = replace(pose.provenance, model="step_to_seed", columns=(), proof="")
    made = Function(f"{pose.name}_step", graph, (T, q, Input(SEED, seed.symbols)), (output,), provenance=origin)
    return run_passes(made)


def _turn(at: Sequence[Any], T: Sequence[Any]) -> list[Any]:
    """½ Σ rₖ × rₖ* over the columns of two rotations: sin φ along the axis of the one that is missing."""
    half = Fraction(1, 2)
    columns = [([at[4 * i + k] for i in range(3)], [T[4 * i + k] for i in range(3)]) for k in range(3)]
    parts = [(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]) for a, b in columns]
    return [half * (x + y + z) for x, y, z in zip(*parts, strict=True)]


def _held(x: Any, ends: tuple[float, float], maths: Any) -> Any:
    low, high = ends
    if isfinite(high):
        x = maths.minimum(x, maths.number(Fraction(high - INSIDE)))
    return maths.maximum(x, maths.number(Fraction(low + INSIDE))) if isfinite(low) else x


def solve_positive(square: list[list[Any]], right: list[Any]) -> list[Any]:
    """A y = b with A symmetric and positive, by A = L D Lᵀ."""
    n, y = len(right), list(right)
    A = [list(row) for row in square]
    for k in range(n):
        inverse = 1 / A[k][k]
        for i in range(k + 1, n):
            entry, A[i][k] = A[i][k], A[i][k] * inverse
            for j in range(k + 1, i + 1):
                A[i][j] = A[i][j] - entry * A[j][k]
            y[i] = y[i] - A[i][k] * y[k]
        # D is divided out after the columns that read it
        A[k][k] = inverse
    y = [x * A[k][k] for k, x in enumerate(y)]
    for k in reversed(range(n)):
        for i in range(k + 1, n):
            y[k] = y[k] - A[i][k] * y[i]
    return y
