"""Poses of an arm without a closed form: solutions that were counted or searched for, as results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from manipula.errors import InputError
from manipula.ik.answers import InverseResult
from manipula.ik.branch_selection import stands
from manipula.ik.descent import Ends
from manipula.ik.general6r.solver import General6R
from manipula.ik.numeric import newton
from manipula.ik.numeric.arrays import (
    Bits,
    Floats,
    Kinematics,
    distances,
    margins,
    over_arrays,
    principal,
    stack_rows,
    wound,
)
from manipula.ik.numeric.newton import nearest_beside
from manipula.ik.numeric.poses import accept_branches
from manipula.ik.numeric.tolerances import BranchTolerance, LimitTolerance, SearchTolerance
from manipula.ik.numeric.walk import StandingTool
from manipula.ik.solver import Raw, Solver
from manipula.mechanics.models.inverse.plan import ArmKind, Plan
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.tree import Link, Tree, in_series
from manipula.mechanics.spatial.placement import HERE, Placement, shift_along, turn_about

# Numeric inverse kinematics: many starts. For arms without a closed form, and for poses out of reach.
#
# Starts are a fixed spread inside the limits, the same in every run. When enough have been tried is decided by the
# answers themselves: of N descents that ended at W different solutions, W (W + 1)/(N − W − 2) more are to be expected
# (C. G. E. Boender and A. H. G. Rinnooy Kan, Bayesian stopping rules for multistart global optimization methods,
# Mathematical Programming 37, 1987).

STARTS = 64
MORE = 32  # starts at a time after the first
MOST = 256
SOME = 16  # starts for a redundant arm, and members of a family that are given
UNSEEN = 0.5  # solutions still to be expected that are not worth more starts
FINITE = 16  # solutions an arm of six joints has at most; more are members of families
HOPELESS = 128  # starts without any solution after which the search ends
FINISHED = 32  # ends that are worth a second-order finish: far from a pose the descent stops early

# the columns of a pose that count
TASKS: dict[str, tuple[int, ...]] = {"pose": (0, 1, 2, 3), "position": (3,), "axis": (2, 3), "direction": (2,)}


def starts(solver: Solver, seed: Floats | None, count: int = STARTS) -> Floats:
    """Configurations to start from: the seed, and a fixed spread inside the limits."""
    # a fixed seed: the same pose has the same answers in every run
    rng = np.random.default_rng(20240229)
    spread = rng.uniform(*solver.span, (count, solver.chain.dof))
    return spread if seed is None else np.concatenate([seed[None], spread])


def unique_solutions(solver: Solver, T: Floats, seed: Floats | None, tolerance: float | None = None) -> Floats:
    """Distinct solutions, (k, n), exact or to a tolerance. Of a redundant arm's some, inside its limits if any are."""
    exact = solver.tolerances.exact if tolerance is None else tolerance
    if solver.descent is None:
        return _by_arrays(solver, T, starts(solver, seed), exact)
    if solver.chain.dof <= 6 and not solver.plan.free:
        return _search_until_complete(solver, T, starts(solver, seed, MOST), exact)
    every = starts(solver, seed)
    for some in np.split(every, [SOME]):  # with tight limits few of them lead to a solution
        # of infinitely many answers those inside the limits are wanted, so the limits go into the descent
        inside = _exact(solver, T, solver.descent(some, T, bounded=True), exact)
        if len(inside):
            return inside
    return _exact(solver, T, solver.descent(every[:SOME], T), exact) if solver.limited else inside


def _search_until_complete(solver: Solver, T: Floats, every: Floats, exact: float) -> Floats:
    """Starts until no more solutions are to be expected."""
    assert solver.descent is not None
    tried, hits = 0, 0
    solutions = np.empty((0, every.shape[-1]))
    while tried < len(every):
        some = every[tried : tried + (MORE if tried else STARTS)]
        ends = solver.descent(some, T)
        tried += len(some)
        # the stopping rule counts descents that ended at a solution, known or new
        hits += int((ends.miss < max(SearchTolerance.CLOSE, SearchTolerance.LOOSE * exact)).sum())
        solutions = told_apart(solver, T, np.concatenate([solutions, _exact(solver, T, ends, exact)]))
        if _enough(tried, hits, len(solutions)):
            break
    return solutions if len(solutions) <= FINITE else solutions[:SOME]


def _enough(tried: int, hits: int, solutions: int) -> bool:
    if not solutions:
        return tried >= HOPELESS
    rest = hits - solutions - 2
    return solutions > FINITE or (rest > 0 and solutions * (solutions + 1) / rest <= UNSEEN)


def _exact(solver: Solver, T: Floats, ends: Ends | newton.Nearest, exact: float) -> Floats:
    """Of ends, the distinct solutions."""
    near = distinct(
        principal(ends[0][ends[1] < max(SearchTolerance.CLOSE, SearchTolerance.LOOSE * exact)], solver.turning),
        solver.turning,
    )
    worst = newton.residual(solver.pose(near), T)
    if not (worst > solver.tolerances.good).any():
        return near
    near, worst = newton.newton_polish(near, T, solver.pose, solver.jacobian, steps=6)
    loose = (worst > solver.tolerances.good) & (worst < exact * SearchTolerance.LOOSE)
    if loose.any():  # what cannot be met exactly is met as nearly as it can be
        near[loose] = nearest_beside(near[loose], T[None].repeat(loose.sum(), 0), solver.pose, solver.jacobian)
        worst[loose] = newton.residual(solver.pose(near[loose]), T)
    measure = solver.tolerances
    answers = accept_branches(worst, measure) if exact == measure.exact else worst <= exact
    return distinct(principal(near[answers], solver.turning), solver.turning)


def _by_arrays(solver: Solver, T: Floats, q: Floats, exact: float) -> Floats:
    """Without machine code: all starts at once."""
    solutions = told_apart(
        solver, T, _exact(solver, T, newton.nearest(q, T, solver.pose, solver.jacobian, *solver.walls), exact)
    )
    return solutions[:SOME] if solver.plan.free else solutions


def told_apart(solver: Solver, T: Floats, q: Floats) -> Floats:
    """The distinct ones, and of those that are ends of one double root, between which the pose is met too, the best.

    (Where two roots meet, the pose is missed by the square of the way to them: descents end all around.)
    """
    q = distinct(q, solver.turning)
    near = np.tri(len(q), k=-1, dtype=bool) & (distances(q[:, None], q, solver.turning) < BranchTolerance.NEARBY)
    if not near.any():
        return q
    one, other = np.nonzero(near)
    still = StandingTool(T, solver.pose, solver.jacobian, solver.turning)
    # two ends of one flat valley: the pose is met between them, so they are one root
    near[one, other] = still.between(q[one], q[other]) <= solver.tolerances.good
    worst = still.miss(q)
    # of equal ones the later is beaten: one of them has to stay
    beaten: Bits = (near | near.T) & ((worst[:, None] > worst) | ((worst[:, None] == worst) & near))
    return q[~beaten.any(-1)]


def distinct(q: Floats, turning: Bits) -> Floats:
    """Configurations that are not the same as one before, in their order."""
    if len(q) < 2:
        return q
    same = np.tri(len(q), k=-1, dtype=bool) & (distances(q[:, None], q, turning) <= BranchTolerance.SAME)
    return q[~same.any(-1)]


# what is out of reach


def nearest_found(
    solver: Solver, T: Floats, q: Floats, task: str, kinematics: tuple[Kinematics, Kinematics]
) -> tuple[Floats, float]:
    """The configuration inside the limits nearest in what counts, of all that starts q lead to, and its distance."""
    weights = np.tile([1.0 if column in TASKS[task] else 0.0 for column in range(4)], 3)
    pose, jacobian = kinematics
    q = np.clip(q, solver.low, solver.high)
    if solver.descent is not None:
        ends = solver.descent(q, T, task, bounded=True).q
        cost = ((newton.difference(pose(ends), T) * weights) ** 2).sum(-1)
        # the second-order finish is dear: only the best distinct ends get one
        q = distinct(ends[np.argsort(cost, kind="stable")], solver.turning)[:FINISHED]
    return best_of(solver, newton.nearest(q, T, pose, jacobian, solver.low, solver.high, weights))


def best_of(solver: Solver, found: newton.Nearest) -> tuple[Floats, float]:
    """The best of many ends: its configuration, angles plain where the limits allow, and its distance."""
    i = int(np.argmin(found.distance))
    q = principal(found.q[i], solver.turning)
    # the plain angle may be outside the limits where the one that was found, turns away, is not
    return np.where((q < solver.low) | (q > solver.high), found.q[i], q), float(found.distance[i])


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
    result.accept_quick(q, inside)
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
    # the empty first part gives the width where no pose has an answer
    q[valid] = np.concatenate([np.empty((0, dof)), *found])
    return q, valid


# Four or five turning joints without a closed form: six, of which the last stay at zero.
#
#     T = A(q₁ … qₙ) · tool        is        T = A(q₁ … qₙ) · G J(0) G J(0) · (G G)⁻¹ tool
#
# Every solution of the arm is one of the longer arm's, at most 16; those that move an added joint are none.

# parallel or crossing axes would make the longer arm singular at every pose
GAP = (  # in no special place to the axis before
    turn_about("z", math.cos(0.9), math.sin(0.9)) @ shift_along("x", 0.23) @ shift_along("z", 0.17)
    @ turn_about("x", math.cos(1.3), math.sin(1.3))
)  # fmt: skip


def with_six(chain: Tree) -> Tree:
    """The arm with joints added at its tool."""
    count = 6 - chain.dof
    added = tuple(Link(name="", kind=KINDS["revolute"], before=GAP) for _ in range(count))
    back: Placement = HERE
    for _ in added:
        back = back @ GAP.inverse()
    return replace(chain, links=in_series(chain.links + added), tool=back @ chain.tool)


def padded_solutions(general: General6R, solver: Solver, poses: Floats) -> Sequence[Floats | None]:
    """The solutions (k, n) of poses (m, 4, 4); None where the count of the longer arm's is not full."""
    solved = zip(poses, general.solve_many(poses), strict=True)
    return [_still(answer.q, solver, T) if answer.info.complete else None for T, answer in solved]


def _still(q: Floats, solver: Solver, T: Floats) -> Floats:
    n = solver.chain.dof
    # an added joint that has moved belongs to the longer arm alone
    kept = q[(np.abs(q[:, n:]) < SearchTolerance.STILL).all(-1), :n]
    close, worst = newton.newton_polish(kept, np.broadcast_to(T, (len(kept), 4, 4)), solver.pose, solver.jacobian)
    # two roots of the longer arm may be one of this one
    return distinct(principal(close[accept_branches(worst, solver.tolerances)], solver.turning), solver.turning)


# Seven turning joints of which none, when held, leaves a closed form: the last is given, the six before are general.
#
#     T = A(q₁ … q₆) · B(q₇)        so        A(q₁ … q₆) = T · B(q₇)⁻¹
#
# The six joints are studied once; a value of the last one only moves the pose that is asked of them.


def first_six(chain: Tree) -> Tree:
    """A: the arm up to its last joint, whose frame is the tool."""
    return replace(chain, links=chain.links[:6], tool=chain.links[6].before)


def last_part(chain: Tree, values: Floats) -> Floats:
    """B(q₇), (n, 4, 4): the last joint's motion and all that follows it."""
    last = chain.links[6]
    at = last.motion(values, over_arrays(chain).maths) @ last.after @ chain.tool
    return stack_rows(at.rows(), values.shape)


def fixed_joint_solutions(general: General6R, chain: Tree, poses: Floats, values: Floats) -> list[Floats]:
    """For each pose (n, 4, 4) the solutions (k, 7) with the last joint at any of the values."""
    wanted = poses[:, None] @ np.linalg.inv(last_part(chain, values))
    answers = iter(general.solve_many(wanted.reshape(-1, 4, 4)))
    return [np.concatenate([_with(next(answers).q, value) for value in values]) for _ in poses]


def paired_solutions(general: General6R, solver: Solver, poses: Floats, values: Floats, seed: Floats | None
                     ) -> list[Floats]:  # fmt: skip
    """For each pose (n, 4, 4) the solutions (k, 7) inside the limits with the last joint at the value of its own (n).

    A seed that stands at a pose is among them where it has the value.
    """
    wanted = poses @ np.linalg.inv(last_part(solver.chain, values))
    answers = [_with(answer.q, value) for answer, value in zip(general.solve_many(wanted), values, strict=True)]
    if seed is not None:
        for i in np.flatnonzero(newton.residual(solver.pose(seed), poses) <= solver.tolerances.exact):
            answers[i] = _with_seed(solver, answers[i], poses[i], seed, values[i : i + 1])
    every = wound(np.concatenate([np.empty((0, 7)), *answers]), solver.turning, solver.low, solver.high, seed)
    inside = (margins(every, solver.low, solver.high) >= -LimitTolerance.INSIDE).all(-1)
    ends = np.cumsum([len(q) for q in answers])[:-1]
    return [q[kept] for q, kept in zip(np.split(every, ends), np.split(inside, ends), strict=True)]


def _with(q: Floats, value: float) -> Floats:
    return np.column_stack([q, np.full(len(q), value)])


# Arms without a closed form whose solutions can be counted: six turning joints, or what can be made of six.


def general_solver(plan: Plan, chain: Tree) -> General6R | None:
    """Elimination and eigenvalues: for six turning joints, for those before a fixed one, or for fewer made six.

    None for other arms, and for those that are singular everywhere.
    """
    made = {ArmKind.SIX: lambda chain: chain, ArmKind.HELD: first_six, ArmKind.FEWER: with_six}
    if plan.kind not in made:
        return None
    six = made[plan.kind](chain)
    try:
        return General6R(six)
    except InputError:  # an arm that is singular everywhere
        return None


def counted_solutions(
    general: General6R | None, solver: Solver, T: Floats, values: Floats | None
) -> Sequence[Floats | None]:
    """All solutions of poses (n, 4, 4); None where elimination does not apply or the count is not full."""
    if general is None:
        return [None] * len(T)
    if values is not None:
        return fixed_joint_solutions(general, solver.chain, T, values)
    if solver.plan.pad is not None:
        return padded_solutions(general, solver, T)
    return [answer.q if answer.info.complete else None for answer in general.solve_many(T)]
