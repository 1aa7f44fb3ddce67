"""The answers of a redundant arm to one pose: what a search for the one nearest to a seed computes row by row.

A step from q towards the family has the least |q + Δ − seed| of those that meet the pose to first order,

    Δ = d + Jᵀ (J Jᵀ + λ)⁻¹ (e − J d)        d = seed − q,  e = (missing position over the arm's size, rotation)

The gradient of the nearest answer is the implicit one. With J n = 0, |n| = 1 and r = q − seed, it obeys pose(q) = T and
n·r = 0, so that

    J dq = dξ,    a·dq = n·dseed        a = n + c,  c_k = −(J⁺ᵀr)·(∂J/∂q_k) n

(dn has no part along n, and its part across is −J⁺ dJ n). Where limits, not the seed, decide, a joint at its limit
stays: a is its unit vector.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.generation.reverse_product import vector_jacobian_product
from manipula.ik.arm.nearest_branch import SEED, nearest_branch, optimise_and_prove
from manipula.ik.numeric.arrays import limit_rows
from manipula.ik.numeric.branches import Row
from manipula.ik.numeric.tolerances import ParameterTolerance
from manipula.mechanics.spatial.vector import Vec3, cross, dot

if TYPE_CHECKING:
    from manipula.ik.inverse import InverseSolver

DAMPING = Fraction(1, 10**4)
TINY = Fraction(1, 10**12)  # keeps a singular arm from a division by zero
LONGEST = Fraction(1, 2)  # rad, m: a step towards a family
FLAT = Fraction(1, 100)  # |n·r| of an answer that the seed decides, beside 1 + |r|


class SwivelFamily(NamedTuple):
    """The answers of a redundant arm to one pose: between which values of what they are searched."""

    gap: Function  # (pose, free, seed) → squared distance of the answer from the seed
    step: Function  # (pose, q, seed) → q nearer to the member of the family that is near the seed
    slopes: Function  # (pose, seed, q, weights) → gradients by the pose and the seed
    jacobian: Function
    joint: int | None  # that is free; None: the arm angle is
    senses: Sequence[int]  # of the joints
    ends: tuple[float, float]
    limits: Sequence[tuple[float, float]]


NearestFunctions = tuple[Function, SwivelFamily | None]  # the answer, and what a redundant arm needs besides


def nearest_functions(
    function: Function, kinematics: Callable[[str], Function], solver: InverseSolver
) -> NearestFunctions:
    """(pose, seed) → q, valid; of a redundant arm (pose, free, seed) → q, valid, and how to search what is free."""
    made = nearest_branch(function, limit_rows(solver.turning, solver.low, solver.high).reshape(Row.COUNT, -1))
    answer = replace(made, outputs=made.outputs[:-1])
    parameter = solver.parameter
    if not parameter.exists:
        return answer, None
    limits = list(zip(solver.low.tolist(), solver.high.tolist(), strict=True))
    jacobian = kinematics("jacobian")
    step = step_to_seed(kinematics("pose"), jacobian, limits, 1 / solver.size)
    slopes = slopes_of_nearest(jacobian, limits)
    senses = [link.direction for link in solver.chain.links]
    joint = parameter.fixed_joint
    return answer, SwivelFamily(_gap_alone(made), step, slopes, jacobian, joint, senses, parameter.ends, limits)


def _gap_alone(nearest: Function) -> Function:
    """The same function without the answer."""
    alone = replace(nearest, name=f"{nearest.name}_gap", outputs=nearest.outputs[-1:], labels={})
    return replace(alone, provenance=replace(nearest.provenance, model=f"{nearest.provenance.model}_gap"))


def step_to_seed(pose: Function, jacobian: Function, limits: Sequence[tuple[float, float]], scale: float) -> Function:
    """(pose, q, seed) → the next q."""
    graph, dof = Graph(), len(limits)
    maths: Any = ExprMaths(graph)
    T, q, seed = (_port(graph, name, size) for name, size in (("T", 16), ("q", dof), (SEED, dof)))
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
    return _made(f"{pose.name}_step", pose, (T, q, seed), [("q_next", moved)])


def _turn(at: Sequence[Any], T: Sequence[Any]) -> list[Any]:
    """½ Σ rₖ × rₖ* over the columns of two rotations: sin φ along the axis of the one that is missing."""
    half = Fraction(1, 2)
    parts = [cross(Vec3(at[k:11:4]), Vec3(T[k:11:4])) for k in range(3)]
    return [half * (x + y + z) for x, y, z in zip(*parts, strict=True)]


def _held(x: Any, ends: tuple[float, float], maths: Any) -> Any:
    low, high = ends
    if isfinite(high):
        x = maths.minimum(x, maths.number(Fraction(high - ParameterTolerance.INSIDE)))
    return maths.maximum(x, maths.number(Fraction(low + ParameterTolerance.INSIDE))) if isfinite(low) else x


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


def slopes_of_nearest(jacobian: Function, limits: Sequence[tuple[float, float]]) -> Function:
    """(pose, seed, q, weights) → the gradients of weights·q by the pose and by the seed."""
    graph, dof = Graph(), len(limits)
    maths: Any = ExprMaths(graph)
    ports = [_port(graph, name, size) for name, size in (("T", 16), (SEED, dof), ("q", dof), ("weights", dof))]
    T, seed, q, w = (port.symbols for port in ports)
    values: dict[str, Any] = dict(zip(jacobian.inputs[0].names, q, strict=True))
    (flat,) = jacobian(values, maths).values()
    J = [flat[i * dof : (i + 1) * dof] for i in range(6)]
    square = [[dot(a, b) + (TINY if a is b else 0) for b in J] for a in J]
    # columns of (J Jᵀ)⁻¹ J, the transpose of the pseudoinverse
    X = [solve_positive(square, [row[j] for row in J]) for j in range(dof)]
    n = _null_vector(J, X, maths)
    r = [x - s for x, s in zip(q, seed, strict=True)]
    product = vector_jacobian_product(jacobian)
    left = [dot([column[i] for column in X], r) for i in range(6)]
    weights = zip(product.inputs[1].names, (-y * x for y in left for x in n), strict=True)
    (c,) = product(values | dict(weights), maths).values()
    off, length = maths.abs(dot(n, r)), maths.sqrt(dot(r, r))
    held = _tightest(q, limits, maths)
    decided = maths.less(off, FLAT * (1 + length)) if held else graph.const(1)
    a = [x + y for x, y in zip(n, c, strict=True)]
    a = [maths.select(decided, x, y) for x, y in zip(a, held, strict=True)] if held else a
    along = dot(n, w) / dot(a, n)
    across = [x - along * y for x, y in zip(w, a, strict=True)]
    v, omega = ([dot([column[i + k] for column in X], across) for i in range(3)] for k in (0, 3))
    by_pose: list[Any] = [0] * 16
    for k in range(3):
        by_pose[4 * k + 3] = v[k]
        # dφ = ½ Σ rₖ × drₖ over the columns of the rotation
        turned = cross(Vec3(omega), Vec3(T[k:11:4]))
        for i, x in enumerate(turned):
            by_pose[4 * i + k] = Fraction(1, 2) * x
    by_seed = [maths.select(decided, along * x, 0) for x in n]
    outputs = [("dT", by_pose), ("dseed", by_seed)]
    return _made(f"{jacobian.name}_nearest_vjp", jacobian, ports, outputs)


def _null_vector(J: Sequence[Sequence[Any]], X: Sequence[Sequence[Any]], maths: Any) -> list[Any]:
    """The longest column of 1 − J⁺J = n nᵀ, as a unit vector."""
    dof = len(X)
    columns = [[(1 if i == k else 0) - dot([row[i] for row in J], X[k]) for i in range(dof)] for k in range(dof)]
    best, most = columns[0], columns[0][0]
    for k in range(1, dof):
        longer = maths.less(most, columns[k][k])
        best = [maths.select(longer, x, y) for x, y in zip(columns[k], best, strict=True)]
        most = maths.select(longer, columns[k][k], most)
    length = maths.sqrt(dot(best, best))
    return [x / length for x in best]


def _tightest(q: Sequence[Any], limits: Sequence[tuple[float, float]], maths: Any) -> list[Any]:
    """The unit vector of the joint nearest to a limit; empty without limits."""
    ends = [
        reduce(maths.minimum, [*([x - low] if isfinite(low) else []), *([high - x] if isfinite(high) else [])])
        if isfinite(low) or isfinite(high)
        else None
        for x, (low, high) in zip(q, ((Fraction(a) if isfinite(a) else a, Fraction(b) if isfinite(b) else b)
                                      for a, b in limits), strict=True)
    ]  # fmt: skip
    known = [x for x in ends if x is not None]
    if not known:
        return []
    least = reduce(maths.minimum, known)
    # two joints equally near are a matter of chance: then the step between them is taken
    return [0 if x is None else maths.select(maths.less(least, x), 0, 1) for x in ends]


def _port(graph: Graph, name: str, size: int) -> Input:
    return Input(name, tuple(graph.symbol(f"{name}_{i + 1}", online=True) for i in range(size)))


def _made(name: str, of: Function, inputs: Sequence[Input], outputs: Sequence[tuple[str, Sequence[Any]]]) -> Function:
    graph = inputs[0].symbols[0].graph
    origin = replace(of.provenance, model=name, columns=(), proof="")
    ports = tuple(Output(port, (len(x),), tuple(map(graph.expr, x))) for port, x in outputs)
    return optimise_and_prove(Function(name, graph, tuple(inputs), ports, provenance=origin))
