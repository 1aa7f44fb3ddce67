"""The nearest solution of a closed form as code to emit: the text and the arm's numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise

import numpy as np

from manipula.algebra.emit.backend import fold_choices
from manipula.algebra.emit.choice import Case, ChoiceSource
from manipula.algebra.expr.function import Function
from manipula.algebra.program.reader import program
from manipula.algebra.program.tapes import Straight
from manipula.algebra.tape import tape_from_function
from manipula.generation.arm_structure import numeric_chain
from manipula.generation.pipeline import generate_function
from manipula.generation.prepare import Request, prepare
from manipula.ik.controller import nearest
from manipula.ik.controller.newton import Number
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import Floats, distances, limit_rows, limits_of
from manipula.ik.numeric.branches import Row
from manipula.ik.numeric.poses import checked_poses, sample_configurations
from manipula.ik.numeric.tolerances import (
    BranchTolerance,
    EmittedTolerance,
    NearestTolerance,
    PoseTolerance,
    SingleTolerance,
)
from manipula.mechanics.robot.topology import serial_fault

# Cases for the self-test of the nearest solution: inputs, and what Python finds.

CASES = 4
PATH_POSES = 5
PATH_STEP = 0.1  # rad, m: the whole path of a joint
SINGULAR_CASES = 2
DECIMALS = 4
NEAR = NearestTolerance.NEAR
SLACK = NearestTolerance.SLACK
BISECTIONS = 60
CLEAR = SingleTolerance.CLEAR


def self_test_cases(solver: InverseSolver) -> Iterator[Case]:
    """Poses with a clear solution, one of them rounded, one with a step too long; singular ones; poses without one."""
    q = sample_configurations(solver.low, solver.high, solver.turning, solver.size)
    away = np.random.default_rng(5).uniform(-1.0, 1.0, q.shape)
    # near enough for the seed to decide, far enough for rounding not to
    clear = (_clear(solver, x, x + 0.3 * by) for x, by in zip(q, away, strict=True))
    cases = list(islice((case for case in clear if case is not None), CASES))
    yield from cases
    for case in cases[:1]:
        yield from _step_limit_cases(case)
        yield from _rounded_pose_cases(solver, case)
    yield from islice(_singular(solver, q, away), SINGULAR_CASES)
    far = np.random.default_rng(6).uniform(-9.0, 9.0, q.shape)
    outside = (_unreachable_case(solver, x, y) for x, y in zip(far, q, strict=True) if solver.limited)
    yield from islice((case for case in outside if case is not None), 1)
    yield from _beyond(solver, q[0])


def self_test_path(solver: InverseSolver, cases: Sequence[Case]) -> list[Case]:
    """A few poses from a clear solution on, one after another, none of them close to being undecided."""
    for case in cases:
        q = np.array(case.q)
        inwards = np.where(solver.high - q > q - solver.low, PATH_STEP, -PATH_STEP)
        way = q + np.linspace(0, 1, PATH_POSES + 1)[:, None] * inwards
        path = [_clear(solver, x, before) for before, x in pairwise(way)]
        clear = [step for step, x in zip(path, way[1:], strict=True) if step and np.abs(step.q - x).max() < CLEAR]
        if len(clear) == PATH_POSES:
            return clear
    return []


def _step_limit_cases(case: Case) -> Iterator[Case]:
    """The longest step a little longer than needed, and a little shorter."""
    step = max(abs(x - y) for x, y in zip(case.q, case.now, strict=True))
    yield replace(case, max_step=step + CLEAR)
    # never zero, which means no limit
    yield replace(case, max_step=max(step - CLEAR, CLEAR / 10), status=nearest.FAR, q=case.now)


def _rounded_pose_cases(solver: InverseSolver, case: Case) -> Iterator[Case]:
    """A pose of few decimals, which an arm of fewer than six freedoms does not reach."""
    if solver.freedoms < 6:
        return
    T = np.round(np.reshape(case.T, (4, 4)), DECIMALS)
    exact = checked_poses(T, PoseTolerance.ROTATION)
    result = solver(exact, seed=case.now, parameter=case.parameter or None)
    if len(result.q) and _apart(result.q, np.array(case.now), solver):
        yield replace(case, T=T.ravel().tolist(), q=result.q[0].tolist())


def _singular(solver: InverseSolver, q: Floats, away: Floats) -> Iterator[Case]:
    """Beside a singular configuration, where the nearest solution is one of a family or stands alone; and at it."""
    for x, by in zip(q, away, strict=True):
        at = None if solver.chain.dof != 6 or solver.freedoms < 6 else _singular_beside(solver, x)
        if at is None or np.minimum(at - solver.low, solver.high - at).min() < 10 * NEAR:
            continue
        T, now = solver.pose(at), at + NEAR * by
        solutions = solver(T, seed=now).q
        if len(solutions) and np.abs(solutions[0] - now).max() < 2 * NEAR:
            yield Case(T.ravel().tolist(), [], now.tolist(), nearest.OK, solutions[0].tolist(), slack=SLACK)
            yield Case(T.ravel().tolist(), [], at.tolist(), nearest.OK, at.tolist(), slack=SLACK)


def _singular_beside(solver: InverseSolver, q: Floats) -> Floats | None:
    """The fifth joint turned to where the determinant of the Jacobian changes its sign; None where it does not."""
    way = q + np.linspace(-1.5, 1.5, 7)[:, None] * np.eye(6)[4]
    # a change of sign proves a singularity in between, where a small value would only suggest one
    signs = np.linalg.det(solver.jacobian(way)) > 0
    change = np.flatnonzero(signs[1:] != signs[:-1])
    if not change.size:
        return None
    first: Floats = way[change[0]]
    last: Floats = way[change[0] + 1]
    for _ in range(BISECTIONS):
        middle = (first + last) / 2
        if (np.linalg.det(solver.jacobian(middle)) > 0) == signs[change[0]]:
            first = middle
        else:
            last = middle
    return first


def _beyond(solver: InverseSolver, q: Floats) -> Iterator[Case]:
    """A pose far away, and what is not a pose."""
    T, now, values = solver.pose(q), q.tolist(), _parameter(solver, q)
    T[:3, 3] += 20 * solver.size
    result = solver(T, seed=q, parameter=values or None)
    # a slide reaches that far outside its limits, to within a rounding that single precision does not accept
    if not len(result.q) and not result.reached:
        yield Case(T.ravel().tolist(), values, now, nearest.UNREACHABLE, now)
    yield Case([*T.ravel().tolist()[:-1], 2.0], values, now, nearest.NO_POSE, now)


def _parameter(solver: InverseSolver, q: Floats) -> list[float]:
    return [solver.parameter_of(q)] if solver.parameter.exists else []


def _clear(solver: InverseSolver, q: Floats, now: Floats) -> Case | None:
    """The pose of q, requested from elsewhere, where nothing is close to being undecided."""
    T, values = solver.pose(q), _parameter(solver, q)
    result = solver(T, seed=now, parameter=values or None)
    calm = solver.raw(T, None, np.array(values) if values else None).margin
    if not len(result.q) or calm < CLEAR or not _apart(result.q, now, solver):
        return None
    return Case(T.ravel().tolist(), values, now.tolist(), nearest.OK, result.q[0].tolist())


def _apart(q: Floats, now: Floats, solver: InverseSolver) -> bool:
    gaps = np.sort(((q - now) ** 2).sum(-1))
    inside = np.minimum(q[0] - solver.low, solver.high - q[0]).min() > CLEAR
    half = np.abs(np.abs(q[0] - now) - np.pi)[solver.turning]  # half a turn away either turn is as near
    return bool(inside and (len(gaps) < 2 or gaps[1] - gaps[0] > CLEAR) and half.min(initial=1.0) > CLEAR)


def _unreachable_case(solver: InverseSolver, q: Floats, now: Floats) -> Case | None:
    """A pose that only configurations outside the limits reach."""
    T, values = solver.pose(q), _parameter(solver, q)
    raw = solver.raw(T, None, np.array(values) if values else None)
    result = solver(T, seed=now, parameter=values or None)
    if len(result.q) or raw.margin < CLEAR or not (distances(raw.q, q, solver.turning) < CLEAR).any():
        return None
    over: Sequence[float] = [float(np.maximum(-x, 0).max()) for x in result.margin]
    return None if min(over) < CLEAR else Case(T.ravel().tolist(), values, now.tolist(), nearest.LIMITS, now.tolist())


MODEL = "inverse_kinematics"
OUTPUTS = ("q", "valid", "fit", "calm", "defect")
WORDS = {
    "singular": nearest.SINGULAR, "ok": nearest.OK, "unreachable": nearest.UNREACHABLE, "limits": nearest.LIMITS,
    "no_pose": nearest.NO_POSE, "another_branch": nearest.FAR,
}  # fmt: skip


def nearest_source(request: Request | None, function: Function) -> ChoiceSource | None:
    """None where the arm branches, has joints that follow others, or letters in its geometry."""
    if request is None or request.model != MODEL or tuple(x.name for x in function.outputs) != OUTPUTS:
        return None
    robot = request.robot
    if any(not port.online for port in function.inputs) or serial_fault(robot) or robot.coordinates.followers:
        return None
    moves = [
        generate_function(prepare(replace(request, model=model, method="best", wrench=False)))
        for model in ("pose", "jacobian")
    ]
    if any(not port.online for made in moves for port in made.inputs):
        return None
    solver = InverseSolver(numeric_chain(robot), limits_of(robot))
    closed, pose, jacobian = (Straight(fold_choices(tape_from_function(x))) for x in (function, *moves))
    double, single = number_tables(solver)
    cases = list(self_test_cases(solver))
    return ChoiceSource(
        f"{function.name}_nearest", robot.name, function.provenance.joints, function.outputs[0].unit,
        program(nearest.nearest_text(closed, pose, jacobian, solver.size)), double.tolist(), single.tolist(),
        _states(solver), cases,
        limit_words(solver), solver.size, exact_of(solver), PoseTolerance.ROTATION, solver.plan.parameter,
        path=self_test_path(solver, [case for case in cases if case.status == nearest.OK]),
    )  # fmt: skip


def _states(solver: InverseSolver) -> dict[str, tuple[int, str]]:
    texts = nearest.STATES | ({nearest.SINGULAR: nearest.SINGULAR_REDUNDANT} if solver.plan.parameter else {})
    return {word: (state, texts[state]) for word, state in WORDS.items()}


def exact_of(solver: InverseSolver) -> tuple[float, float]:
    """Largest entry of |FK − pose| of a solution, by the arm's size, in double precision and in single."""
    if solver.freedoms < 6:
        return BranchTolerance.FEW, SingleTolerance.FEW
    return BranchTolerance.EXACT, SingleTolerance.STATED


def number_tables(solver: InverseSolver) -> tuple[Floats, Floats]:
    """The numbers that the text goes by (see `Number`), in double precision and in single."""
    few, size = solver.freedoms < 6, solver.size
    exact = (BranchTolerance.FEW, SingleTolerance.FEW) if few else (BranchTolerance.EXACT, SingleTolerance.EXACT)
    met = (BranchTolerance.MET, SingleTolerance.MET) if few else exact
    numbers = np.empty((2, Number.ROWS))
    numbers[:, Number.CLEAN] = EmittedTolerance.CLEAN, SingleTolerance.CLEAN
    numbers[:, Number.ROTATION] = PoseTolerance.ROTATION
    numbers[:, Number.EXACT], numbers[:, Number.MET] = np.multiply(exact, size), np.multiply(met, size)
    numbers[:, Number.GOOD] = BranchTolerance.GOOD * size, SingleTolerance.GOOD * size
    numbers[:, Number.BESIDE] = BranchTolerance.BESIDE
    numbers[:, Number.FAMILY] = BranchTolerance.FAMILY, SingleTolerance.FAMILY
    numbers[:, Number.STILL] = EmittedTolerance.STILL, SingleTolerance.STILL
    numbers[:, Number.DAMPING] = EmittedTolerance.DAMPING, SingleTolerance.DAMPING
    numbers[:, Number.PULL] = EmittedTolerance.PULL, SingleTolerance.PULL
    rows = limit_rows(solver.turning, solver.low, solver.high)
    tables = [np.concatenate([own, rows]) for own in numbers]
    single = tables[1][Number.ROWS :].reshape(Row.COUNT, -1)
    # limits that single precision rounds inwards would refuse a joint that stands on them
    single[Row.LOW], single[Row.HIGH] = solver.low - SingleTolerance.INSIDE, solver.high + SingleTolerance.INSIDE
    return tables[0], tables[1]


def limit_words(solver: InverseSolver) -> list[str]:
    pairs = enumerate(zip(solver.low.tolist(), solver.high.tolist(), strict=True), 1)
    return [f"q{j} {low:.6g} to {high:.6g}" for j, (low, high) in pairs if np.isfinite([low, high]).any()]
