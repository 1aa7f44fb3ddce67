"""Which branches of a closed form are answers: checked, distinguished, wound into their limits.

`chosen` does the plain work for many poses, by the text that the thin call runs, too (`choice.text`); what it leaves
unsettled gets a closer look (`refine_branches`): polished first and accepted after.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.run.compiled_function import Compiled
from manipula.algebra.run.texts import machine_code
from manipula.ik.numeric import newton
from manipula.ik.numeric.arrays import (
    Bits,
    Floats,
    distances,
    limit_rows,
    margins,
    over_arrays,
    principal,
    seed_or,
    stack_rows,
    wound,
)
from manipula.ik.numeric.branches import Table, choose, choose_each, gather, prefer, rank, seat
from manipula.ik.numeric.newton import nearest_beside
from manipula.ik.numeric.poses import accept_branches, exact_poses
from manipula.ik.numeric.tolerances import BranchTolerance, LimitTolerance, NewtonTolerance, PoseTolerance
from manipula.ik.numeric.walk import StandingTool
from manipula.ik.solver import AcceptedBranches, Raw, Solver
from manipula.mechanics.models.inverse.loop import defect
from manipula.mechanics.models.inverse.plan import Plan, branches
from manipula.mechanics.robot.tree import Tree

if TYPE_CHECKING:
    from manipula.algebra.run.inverse import InverseCall, ManyTargets


BLOCK = 1024  # poses at a time: what they need stays in the cache
FAR = 1e3  # a branch that is no answer comes after all that are


def choice_table(solver: Solver) -> Floats:
    """The numbers of an arm that the choice among branches goes by; see `Table`."""
    measure = solver.tolerances
    numbers = np.empty(Table.ROWS)
    numbers[Table.CLEAN], numbers[Table.SINGULAR] = PoseTolerance.CLEAN, BranchTolerance.MARGIN
    numbers[Table.ALMOST], numbers[Table.FAMILY] = BranchTolerance.ALMOST, BranchTolerance.FAMILY
    numbers[Table.GOOD], numbers[Table.MARGIN], numbers[Table.BESIDE] = measure.good, measure.margin, measure.beside
    numbers[Table.SAME], numbers[Table.MAYBE] = measure.same, measure.maybe
    numbers[Table.TOLD], numbers[Table.LOOSE] = PoseTolerance.TOLD, BranchTolerance.LOOSE * solver.size
    # the seed of a redundant arm would stand for one value of its parameter only: it is never asked
    numbers[Table.BLURRED] = -1.0 if solver.plan.parameter else measure.blurred
    return np.concatenate([numbers, limit_rows(solver.turning, solver.low, solver.high)])


def accepted_branches(solver: Solver, T: Floats, parameter: Floats | None, seed: Floats | None) -> AcceptedBranches:
    """The answers to poses (n, 16), and which want a closer look. Of T or `parameter`, one row may stand for all."""
    if solver.native is not None:
        return AcceptedBranches(*solver.native(T, parameter, seed))
    n = len(T) if parameter is None else max(len(T), len(parameter))
    if n <= BLOCK:
        return _block(solver, T, parameter, seed)
    accepted: AcceptedBranches | None = None
    for start in range(0, n, BLOCK):
        at = slice(start, start + BLOCK)
        part = _block(solver, _rows(T, at), None if parameter is None else _rows(parameter, at), seed)
        # made after the first block, which alone knows the number of branches
        accepted = accepted or AcceptedBranches(*(np.empty((n, *x.shape[1:]), dtype=x.dtype) for x in part))
        for whole, own in zip(accepted, part, strict=True):
            whole[at] = own
    assert accepted is not None
    return accepted


def _rows(x: Floats, at: slice) -> Floats:
    """One row stands for all."""
    return x if len(x) == 1 else x[at]


def _block(solver: Solver, T: Floats, parameter: Floats | None, seed: Floats | None) -> AcceptedBranches:
    """The same for few enough poses."""
    raw = closed_rows(solver, T, parameter)
    q = np.ascontiguousarray(raw.q)
    n, branches, dof = q.shape
    mark, unsettled = np.empty((n, branches), dtype=np.int64), np.empty(n, dtype=np.int64)
    targets = np.ascontiguousarray(T).reshape(-1)
    measures = (
        np.ascontiguousarray(x).reshape(-1) for x in (raw.discriminant, raw.margin, raw.pose_error, solver.pose(q))
    )
    near = (*seed_or(seed, solver.table), _pose_row(solver, seed))
    machine_code(choose_each, rounded=True, branches=branches, dof=dof)(
        n, branches, dof, targets, 16 if len(T) == n else 0, q.reshape(-1), *measures, *near, solver.table,
        mark.reshape(-1), unsettled,
    )  # fmt: skip
    return AcceptedBranches(q, mark.astype(bool), unsettled.astype(bool))


def _pose_row(solver: Solver, seed: Floats | None) -> Floats:
    """The seed's own pose, 16 entries; without one something that is not looked at."""
    return solver.table if seed is None else solver.pose(seed).reshape(-1)


def closed_rows(solver: Solver, T: Floats, parameter: Floats | None) -> Raw:
    """The closed form of poses (n, 16)."""
    if parameter is None:
        return Raw(*solver.closed(T))
    n = max(len(T), len(parameter))
    return Raw(*solver.closed(np.broadcast_to(T, (n, 16)), np.broadcast_to(parameter, n)[:, None]))


class Refined(NamedTuple):
    """Branches polished and checked, (…, branches); `twin`: the earlier branch that is the same, or −1."""

    q: Floats
    residual: Floats
    reached: Bits
    twin: NDArray[np.intp]


def refine_branches(solver: Solver, T: Floats, raw: Raw, exact: float | None = None) -> Refined:
    """A closer look at the branches of some poses (m, 4, 4), all at once: polish, then accept, then merge.

    `exact`: the largest |FK − pose| of an answer, where that is not the arm's own.
    """
    measure, pose = solver.tolerances, T[:, None]
    q = principal(raw.q, solver.turning)
    worst = newton.residual(solver.pose(q), pose)
    # beside a locked wrist rounding alone can put a branch out of reach: whatever is close is polished
    beside = measure.beside if exact is None else BranchTolerance.BESIDE
    meeting = (exact is not None) | ~(raw.margin > measure.margin)
    close = (raw.discriminant > BranchTolerance.ALMOST) | (worst < beside) & meeting[:, None]
    near = close & (worst > NewtonTolerance.POLISHED) & _rough(solver, q, worst, close, raw.margin)[:, None]
    if near.any():
        target = np.broadcast_to(pose, (*near.shape, 4, 4))[near]
        # only what is near: from afar Newton's method would lead to another branch
        q[near], worst[near] = newton.newton_polish(q[near], target, solver.pose, solver.jacobian)
    # with fewer than six freedoms a rounded pose is met by no configuration, and Newton's method wanders
    if exact is not None or measure.few or solver.chain.dof < 6:
        _least_squares(solver, pose, q, worst, near & (worst > measure.good))
    reached: Bits = accept_branches(worst, measure) if exact is None else worst <= exact
    return Refined(q, worst, reached, twins(solver, pose, q, reached, worst))


def _least_squares(solver: Solver, pose: Floats, q: Floats, worst: Floats, rows: Bits) -> None:
    """In place: where a pose cannot be met exactly, the configuration that comes nearest to it on each branch."""
    if rows.any():
        target = np.broadcast_to(pose, (*rows.shape, 4, 4))[rows]
        q[rows] = principal(nearest_beside(q[rows], target, solver.pose, solver.jacobian), solver.turning)
        worst[rows] = newton.residual(solver.pose(q[rows]), target)


def _rough(solver: Solver, q: Floats, worst: Floats, close: Bits, margin: Floats) -> Bits:
    """The poses with a branch that misses, or with two that may be one; the others are right as they stand."""
    good = worst <= solver.tolerances.good
    unsure = _pairs(solver, q, good)[1].any((-1, -2))
    rough: Bits = (close & ~good).any(-1) | (unsure & ~(margin > solver.tolerances.margin))
    return rough


def _pairs(solver: Solver, q: Floats, reached: Bits) -> tuple[Bits, Bits]:
    """Of every two branches, the earlier second: whether they are the same; whether they may be one double root."""
    apart = distances(q[..., :, None, :], q[..., None, :, :], solver.turning)
    both = np.tri(q.shape[-2], k=-1, dtype=bool) & reached[..., None, :] & reached[..., :, None]
    same, maybe = solver.tolerances.same, solver.tolerances.maybe
    return both & (apart < same), both & (apart >= same) & (apart < maybe)


def twins(solver: Solver, pose: Floats, q: Floats, reached: Bits, worst: Floats) -> NDArray[np.intp]:
    """For every branch the first one before it that is the same solution, else −1.

    Two that miss the pose by more than rounding (`worst`) are one where it is missed no more between them.
    """
    if not q.shape[-2]:
        return np.zeros(reached.shape, dtype=np.intp)
    same, unsure = _pairs(solver, q, reached)
    if unsure.any():
        *lead, one, other = np.nonzero(unsure)
        still = StandingTool(pose[(*lead, np.zeros_like(one))], solver.pose, solver.jacobian, solver.turning)
        # a branch that misses the pose lies somewhere in a ball of that size around a true solution
        loose = np.where(worst > BranchTolerance.GOOD * solver.size, worst, 0.0)
        slack = BranchTolerance.ONE * solver.size + np.maximum(loose[(*lead, one)], loose[(*lead, other)])
        same[unsure] = still.between(q[(*lead, one)], q[(*lead, other)]) < slack
    return np.where(same.any(-1), same.argmax(-1), -1)


def seat_of(
    solver: Solver, T: Floats, seed: Floats | None, q: Floats, own: Bits, exact: float, values: Floats | None = None
) -> int | None:
    """Which of q (k, n) a seed is that stands at the pose itself; None where it does not, or is found as it is.

    Of a redundant arm it is a branch beside it, or, where its own parameter is among the `values`, one that is no
    answer: with joints that lock each other at this pose its own branch may be anywhere.
    """
    if seed is None or not len(q) or not stands(solver, T, seed, exact):
        return None
    apart = distances(q, seed, solver.turning)
    # answers before branches that are none, each by distance
    i = int(np.argmin(np.where(own, apart, apart + FAR)))
    if apart[i] <= BranchTolerance.SEATED or not solver.plan.parameter or apart[i] <= BranchTolerance.BESIDE:
        return None if apart[i] <= BranchTolerance.SEATED else i
    return int(np.argmin(apart + FAR * own)) if solver.stands_for(seed, values) else None


def stands(solver: Solver, T: Floats, seed: Floats, exact: float) -> bool:
    """Whether a seed is at the pose, inside the limits."""
    inside = (margins(seed, solver.low, solver.high) >= -LimitTolerance.INSIDE).all()
    return bool(inside and newton.residual(solver.pose(seed), T) <= exact)


def prefer_twins(twin: NDArray[np.intp], inside: Bits, q: Floats, seed: Floats | None) -> NDArray[np.intp]:
    """The same pairs; of two that differ by whole turns alone the one inside, or nearer to the seed, is the first."""
    twins = twin.astype(np.int64)
    if (twins >= 0).any():
        near = seed_or(seed, q.reshape(-1))
        machine_code(prefer, rounded=True)(*q.shape, q.reshape(-1), inside.astype(np.int64), *near, twins)
    return twins


def order_branches(q: Floats, valid: Bits, seed: Floats | None) -> NDArray[np.intp]:
    """The answers' places among the branches, nearest to the seed first."""
    places = np.flatnonzero(valid)
    if seed is None or not places.size:
        return places
    order, room = np.empty(len(q), dtype=np.int64), np.empty(len(q))
    near = seed_or(seed, room)
    dense = np.ascontiguousarray(q).reshape(-1)
    count = machine_code(rank, rounded=True)(*q.shape, dense, valid.astype(np.int64), *near, order, room)
    return order[:count]


# Poses of an arm with a closed form: its branches on arrays, the settled ones, and a closer look at the others.

Closed = Callable[..., object]


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
    refine_rows(solver, T[rows // each], None if values is None else values[rows % each], seed, found, rows, tolerance)


def refine_rows(
    solver: Solver,
    T: Floats,
    parameter: Floats | None,
    seed: Floats | None,
    found: AcceptedBranches,
    rows: NDArray[np.intp],
    tolerance: float | None,
) -> None:
    """The same of given rows, with the pose (m, 16) and the parameter's value of each."""
    close = refine_branches(solver, T.reshape(-1, 4, 4), closed_rows(solver, T, parameter), tolerance)
    q = wound(close.q, solver.turning, solver.low, solver.high, seed)
    inside: Bits = np.all(margins(q, solver.low, solver.high) >= -LimitTolerance.INSIDE, axis=-1)
    # row by row, for few poses have twins at all
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
