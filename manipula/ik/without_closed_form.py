"""Poses of an arm without a closed form: solutions that were counted or searched for, as results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from manipula.errors import InputError
from manipula.ik.answers import InverseResult
from manipula.ik.branch_selection import stands
from manipula.ik.general6r.solver import General6R
from manipula.ik.numeric import newton
from manipula.ik.numeric.arrays import Bits, Floats, distances, margins, over_arrays, principal, stack_rows, wound
from manipula.ik.numeric.poses import accept_branches
from manipula.ik.numeric.tolerances import BranchTolerance, LimitTolerance, SearchTolerance
from manipula.ik.search import distinct, unique_solutions
from manipula.ik.solver import Raw, Solver
from manipula.mechanics.models.inverse.plan import ArmKind, Plan
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.tree import Link, Tree, in_series
from manipula.mechanics.spatial.placement import HERE, Placement, shift_along, turn_about


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
