"""Poses of an arm without a closed form: solutions that were counted or searched for, as results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manipula.ik.answers import InverseResult
from manipula.ik.choosing import stands
from manipula.ik.numeric.arrays import Bits, Floats
from manipula.ik.numeric.limits import distances, margins, wound
from manipula.ik.numeric.tolerances import BranchTolerance, LimitTolerance
from manipula.ik.search import unique_solutions
from manipula.ik.solver import Raw, Solver


def unclosed_result(
    solver: Solver,
    T: Floats,
    seed: Floats | None,
    q: Floats | None,
    values: Floats | None = None,
    tolerance: float | None = None,
) -> InverseResult:
    """Of solutions q that elimination has counted: they are alone, nothing more is to be asked. None: of a search."""
    if q is None or (tolerance is not None and not len(q)):
        return InverseResult(solver, T, None, seed, values, searched_branches(solver, T, seed, tolerance), tolerance)
    q = _with_seed(solver, q, T, seed, values)
    result = InverseResult(solver, T, None, seed, values, found_branches(q), tolerance)
    inside: Bits = np.ones(len(q), dtype=bool)
    if seed is not None or solver.limited:
        q = wound(q, solver.turning, solver.low, solver.high, seed)
        inside = np.all(margins(q, solver.low, solver.high) >= -LimitTolerance.INSIDE, axis=-1)
    result.decided(q, inside)
    return result


def _with_seed(solver: Solver, q: Floats, T: Floats, seed: Floats | None, values: Floats | None) -> Floats:
    """The same answers; one beside a seed that stands at the pose is the seed, or the seed is one more."""
    if seed is None or not stands(solver, T, seed, solver.tolerances.exact):
        return q
    apart = distances(q, seed, solver.turning)
    if apart.min(initial=np.inf) <= BranchTolerance.BESIDE:
        q = q.copy()
        q[np.argmin(apart)] = seed
        return q
    return np.concatenate([seed[None], q]) if solver.stands_for(seed, values) else q


def searched_branches(solver: Solver, T: Floats, seed: Floats | None, tolerance: float | None = None) -> Raw:
    """What a search finds."""
    return found_branches(unique_solutions(solver, T, seed, tolerance))


def found_branches(q: Floats) -> Raw:
    """Solutions that were found, as branches."""
    one = np.ones(len(q))
    return Raw(q, one, one, np.float64(1.0), np.float64(0.0))  # type: ignore[arg-type]


def side_by_side(found: Sequence[Floats], dof: int) -> tuple[Floats, Bits]:
    """Answers of many poses, (n, most, dof), and the mask; the rest is not a number."""
    sizes = np.array([len(q) for q in found], dtype=int)
    valid = np.arange(sizes.max(initial=0)) < sizes[:, None]
    q = np.full((*valid.shape, dof), np.nan)
    q[valid] = np.concatenate([np.empty((0, dof)), *found])
    return q, valid
