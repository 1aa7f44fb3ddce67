"""Poses of an arm with a closed form: its branches on arrays, the settled ones, and a closer look at the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.run.compiled_function import Compiled
from manipula.ik.branch_selection import accepted_branches, closed_rows, prefer_twins, refine_branches
from manipula.ik.numeric.arrays import Bits, Floats, margins, over_arrays, stack_rows, wound
from manipula.ik.numeric.branches import choose, choose_each, gather, rank, seat
from manipula.ik.numeric.poses import exact_poses
from manipula.ik.numeric.tolerances import LimitTolerance, PoseTolerance
from manipula.ik.solver import AcceptedBranches, Raw, Solver
from manipula.mechanics.models.inverse.loop import defect
from manipula.mechanics.models.inverse.plan import Plan, branches
from manipula.mechanics.robot.tree import Tree

if TYPE_CHECKING:
    from manipula.algebra.run.inverse import InverseCall, ManyTargets


Closed = Callable[..., Any]


def closed_over_arrays(plan: Plan, chain: Tree) -> Closed:
    """The closed form on arrays, (…, 16) → Raw."""
    arm = over_arrays(chain)

    def run(T: Floats, parameter: Floats | None = None) -> Raw:
        entries, lead = [T[..., i] for i in range(16)], T.shape[:-1]
        solved = branches(plan, arm, entries, None if parameter is None else parameter[..., 0])
        margin, pose_error = solved.calm(ARRAYS), defect(entries, ARRAYS)
        return Raw(*(stack_rows(x, lead) for x in (solved.q, solved.valid, solved.fit, margin, pose_error)))

    return run


def settled_poses(
    solver: Solver, T: Floats, values: Floats | None, seed: Floats | None
) -> tuple[Floats, AcceptedBranches]:
    """Poses (n, 16) and their answers, (n × values, …); poses that are not clean are refused or made exact."""
    accepted = _accepted_for_values(solver, T, values, seed)
    if not accepted.unsettled.any():
        return T, accepted
    # several values of a parameter share one pose: it is looked at once
    rows = np.unique(np.flatnonzero(accepted.unsettled) // (1 if values is None else values.size))
    raw = closed_rows(solver, T[rows], None if values is None else values[:1])
    # the closed form itself has measured the pose; checking all of them would cost more than solving
    unclean = rows[~((raw.pose_error <= PoseTolerance.CLEAN) & (raw.margin >= 0))]  # NaN is neither
    if not unclean.size:
        return T, accepted
    T = T.copy()
    T[unclean] = exact_poses(T.reshape(-1, 4, 4), unclean).reshape(-1, 16)
    return T, _accepted_for_values(solver, T, values, seed)


def _accepted_for_values(solver: Solver, T: Floats, values: Floats | None, seed: Floats | None) -> AcceptedBranches:
    """Every pose with every value of the parameter."""
    # one pose is broadcast over all values; many are paired with each
    if values is None or len(T) == 1:
        return accepted_branches(solver, T, values, seed)
    return accepted_branches(solver, np.repeat(T, values.size, axis=0), np.tile(values, len(T)), seed)


def refine_unsettled(
    solver: Solver,
    T: Floats,
    values: Floats | None,
    seed: Floats | None,
    found: AcceptedBranches,
    tolerance: float | None,
) -> None:
    """The unsettled rows, in place: polished, merged, wound."""
    rows = np.flatnonzero(found.unsettled)
    each = 1 if values is None else values.size
    poses = T[rows // each]
    raw = closed_rows(solver, poses, None if values is None else values[rows % each])
    close = refine_branches(solver, poses.reshape(-1, 4, 4), raw, tolerance)
    q = wound(close.q, solver.turning, solver.low, solver.high, seed)
    inside: Bits = np.all(margins(q, solver.low, solver.high) >= -LimitTolerance.INSIDE, axis=-1)
    for i in np.flatnonzero((close.twin >= 0).any(-1)):
        close.twin[i] = prefer_twins(close.twin[i], inside[i], q[i], seed)
    found.q[rows], found.valid[rows] = q, close.reached & (close.twin < 0) & inside


# Closed form and choice among its branches as one piece of machine code: with a thin call, and for many poses.


def thin_code(solver: Solver, closed: Compiled, pose: Compiled) -> InverseCall | None:
    """None where there is no LLVM. The values of a redundant arm's parameter are the general call's business."""
    if solver.plan.parameter:
        return None
    try:
        from manipula.algebra.run.inverse import inverse_call
    except (ImportError, OSError):
        return None
    return inverse_call(closed, pose, (choose, seat, rank, gather), solver.table)


def code_for_many(solver: Solver) -> ManyTargets | None:
    """None where the solver's functions are not compiled by LLVM; `choosing` then does the same on arrays."""
    closed, pose = solver.closed, solver.pose
    if not isinstance(closed, Compiled) or not isinstance(pose, Compiled) or {closed.backend, pose.backend} != {"llvm"}:
        return None
    from manipula.algebra.run.inverse import ManyTargets

    return ManyTargets(closed, pose, choose_each, solver.table)
