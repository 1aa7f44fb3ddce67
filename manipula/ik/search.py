"""Numeric inverse kinematics: many starts. For arms without a closed form, and for poses out of reach.

Starts are a fixed spread inside the limits, the same in every run. When enough of them have been tried is told by the
answers themselves: of N descents that ended at W different solutions, W (W + 1)/(N − W − 2) more are to be expected
(C. G. E. Boender and A. H. G. Rinnooy Kan, Bayesian stopping rules for multistart global optimization methods,
Mathematical Programming 37, 1987).
"""

from __future__ import annotations

import numpy as np

from manipula.ik.descent import Ends
from manipula.ik.numeric import newton
from manipula.ik.numeric.arrays import Bits, Floats, Kinematics, distances, principal
from manipula.ik.numeric.newton import nearest_beside
from manipula.ik.numeric.poses import accept_branches
from manipula.ik.numeric.tolerances import BranchTolerance, SearchTolerance
from manipula.ik.numeric.walk import StandingTool
from manipula.ik.solver import Solver

STARTS = 64
MORE = 32  # starts at a time after the first
MOST = 256
SOME = 16  # starts for a redundant arm, and members of a family that are given
UNSEEN = 0.5  # solutions still to be expected that are not worth more starts
FINITE = 16  # solutions an arm of six joints has at most; more are members of families
HOPELESS = 128  # starts without any solution after which there is none
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
    return np.where((q < solver.low) | (q > solver.high), found.q[i], q), float(found.distance[i])
