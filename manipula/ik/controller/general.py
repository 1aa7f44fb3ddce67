"""The nearest solution of an arm that only elimination solves: a text around the solver, its numbers, its self-test."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from manipula.algebra.emit.c.program import SolverChoice
from manipula.algebra.emit.choice import Case
from manipula.algebra.program.primitives import Ints, Reals, integers, reals
from manipula.algebra.program.reader import program
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.controller.emission import CASES, CLEAR, WORDS, limit_words, number_tables
from manipula.ik.controller.nearest import FAR, LIMITS, NO_POSE, OK, SINGULAR, STATES, UNREACHABLE, longest_step
from manipula.ik.controller.newton import Number, is_finite, nearest_rotation
from manipula.ik.general6r.roots import MOST
from manipula.ik.general6r.solutions import solve_pose, solve_special
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import limits_of
from manipula.ik.numeric.branches import away, wind
from manipula.ik.numeric.poses import sample_configurations
from manipula.mechanics.robot.description import RobotDescription

TEXTS = STATES | {SINGULAR: "q is a solution, but not all are certain to be found, and another may be nearer"}


def nearest_of_all(
    arm: Reals, sizes: Ints, shapes: Ints, tables: Reals, pose: Reals, now: Reals, max_step: float, table: Reals,
    q: Reals,
) -> int:  # fmt: skip
    """Of every solution of a pose the one inside the limits nearest to the present joints; one of STATES."""
    exact = reals(16)
    found = reals(6 * MOST)
    about = reals(2 * MOST)
    report = integers(3)
    finite = is_finite(16, pose) and is_finite(6, now) and abs(max_step) >= 0
    if not (finite and nearest_rotation(pose, exact, table)):
        return NO_POSE
    count = solve_pose(arm, sizes, shapes, tables, exact, found, about, report)
    if count >= 0 and report[1] == 0:
        count = solve_special(arm, sizes, shapes, tables, exact, found, about, report)
    best = -1
    least = 0.0
    for k in range(count):
        if wind(6, found[6 * k :], True, now, table[Number.ROWS :]):
            gap = away(6, found[6 * k :], now)
            if best < 0 or gap < least:
                best = k
                least = gap
    if best < 0:
        return LIMITS if count > 0 else UNREACHABLE
    if max_step > 0 and longest_step(6, found[6 * best :], now) > max_step:
        return FAR
    for j in range(6):
        q[j] = found[6 * best + j]
    return OK if report[1] == 1 else SINGULAR


def general_choice(robot: RobotDescription) -> SolverChoice:
    """What is emitted beside the solver of an arm whose geometry is known."""
    solver = InverseSolver(numeric_chain(robot), limits_of(robot))
    table, _ = number_tables(solver)
    states = {word: (state, TEXTS[state]) for word, state in WORDS.items()}
    return SolverChoice(program(nearest_of_all), table.tolist(), states, list(_cases(solver)), limit_words(solver))


def _cases(solver: InverseSolver) -> Iterator[Case]:
    """Poses with a clear solution, one of them with a step too long; one far away, and what is no pose."""
    q = sample_configurations(solver.low, solver.high, solver.turning, solver.size)
    beside = q + 0.1 * np.random.default_rng(5).uniform(-1.0, 1.0, q.shape)
    made = (_clear_case(solver, x, np.clip(now, solver.low, solver.high)) for x, now in zip(q, beside, strict=True))
    cases = list(islice((case for case in made if case), CASES))
    yield from cases
    for case in cases[:1]:
        step = float(np.abs(np.subtract(case.q, case.now)).max())
        yield Case(case.T, [], case.now, OK, case.q, step + CLEAR)
        yield Case(case.T, [], case.now, FAR, case.now, step - CLEAR)
        far = np.reshape(case.T, (4, 4)) + 0.0
        far[:3, 3] += 20 * solver.size
        yield Case(far.ravel().tolist(), [], case.now, UNREACHABLE, case.now)
        yield Case([*case.T[:-1], 2.0], [], case.now, NO_POSE, case.now)


def _clear_case(solver: InverseSolver, q: np.ndarray, now: np.ndarray) -> Case | None:
    """The pose of q, requested from beside it, where no other solution is nearly as close."""
    T = solver.pose(q)
    found = solver(T, seed=now).q
    gaps = np.sort(((found - now) ** 2).sum(-1))
    inside = len(found) and np.minimum(found[0] - solver.low, solver.high - found[0]).min() > CLEAR
    if not inside or (len(gaps) > 1 and gaps[1] - gaps[0] < 0.1) or np.abs(found[0] - now).max() < 2 * CLEAR:
        return None
    # a pose whose Jacobian is nearly singular has no digits to compare in single precision
    if abs(np.linalg.det(solver.jacobian(found[0]) / np.array([[solver.size]] * 3 + [[1.0]] * 3))) < 10 * CLEAR:
        return None
    return Case(T.ravel().tolist(), [], now.tolist(), OK, found[0].tolist())
