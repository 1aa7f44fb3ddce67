"""The nearest answer of a closed form as code to emit: the text, the arm's numbers, cases for a self-test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from manipula.algebra.emit.choice import Case, ChoiceSource
from manipula.algebra.emit.decided import decided
from manipula.algebra.expr.function import Function
from manipula.algebra.program.reader import program
from manipula.algebra.program.tapes import Straight
from manipula.algebra.tape import tape_from_function
from manipula.generation.prepare import prepare
from manipula.generation.proved import generate_function
from manipula.generation.request import Request
from manipula.generation.structure import numeric_chain
from manipula.ik.choice.text import Row
from manipula.ik.controller.nearest import (
    FAR,
    LIMITS,
    NO_POSE,
    OK,
    SINGULAR,
    STATES,
    UNREACHABLE,
    Number,
    nearest_text,
)
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.limits import distances, limit_rows, limits_of
from manipula.ik.numeric.measures import sampled
from manipula.ik.numeric.tolerances import BranchTolerance, EmittedTolerance, PoseTolerance, SingleTolerance
from manipula.mechanics.robot.branching import followers, serial_fault

MODEL = "inverse_kinematics"
OUTPUTS = ("q", "valid", "fit", "calm", "defect")
WORDS = {"singular": SINGULAR, "ok": OK, "unreachable": UNREACHABLE, "limits": LIMITS, "no_pose": NO_POSE, "far": FAR}
CASES = 4
CLEAR = SingleTolerance.CLEAR


def nearest_source(request: Request | None, function: Function) -> ChoiceSource | None:
    """None where the arm branches, has joints that follow others, or letters in its geometry."""
    if request is None or request.model != MODEL or tuple(x.name for x in function.outputs) != OUTPUTS:
        return None
    robot = request.robot
    if any(not port.online for port in function.inputs) or serial_fault(robot) or followers(robot):
        return None
    moves = [
        generate_function(prepare(replace(request, model=model, method="best", wrench=False)))
        for model in ("pose", "jacobian")
    ]
    if any(not port.online for made in moves for port in made.inputs):
        return None
    solver = InverseSolver(numeric_chain(robot), limits_of(robot))
    closed, pose, jacobian = (Straight(decided(tape_from_function(x))) for x in (function, *moves))
    return ChoiceSource(
        f"{function.name}_nearest", robot.name, function.provenance.joints, function.outputs[0].unit,
        program(nearest_text(closed, pose, jacobian, solver.size)), *(x.tolist() for x in number_tables(solver)),
        {word: (state, STATES[state]) for word, state in WORDS.items()}, list(_cases(solver)),
        _limit_words(solver), solver.size, exact_of(solver), PoseTolerance.ROTATION, solver.plan.parameter,
    )  # fmt: skip


def exact_of(solver: InverseSolver) -> tuple[float, float]:
    """Largest entry of |FK − pose| of a solution, by the arm's size, in double precision and in single."""
    if solver.freedoms < 6:
        return BranchTolerance.FEW, SingleTolerance.FEW
    return BranchTolerance.EXACT, SingleTolerance.STATED


def number_tables(solver: InverseSolver) -> tuple[Floats, Floats]:
    """The numbers that the text goes by (see `Number`), in double precision and in single."""
    few, rows = solver.freedoms < 6, limit_rows(solver.turning, solver.low, solver.high)
    tables = []
    for own, exact, met in (
        (EmittedTolerance, BranchTolerance.FEW if few else BranchTolerance.EXACT, BranchTolerance.MET),
        (SingleTolerance, SingleTolerance.FEW if few else SingleTolerance.EXACT, SingleTolerance.MET),
    ):
        numbers = np.empty(Number.ROWS)
        numbers[Number.CLEAN], numbers[Number.ROTATION] = own.CLEAN, PoseTolerance.ROTATION
        numbers[Number.EXACT], numbers[Number.MET] = exact * solver.size, (met if few else exact) * solver.size
        numbers[Number.GOOD], numbers[Number.BESIDE] = own.GOOD * solver.size, BranchTolerance.BESIDE
        numbers[Number.FAMILY], numbers[Number.STILL] = own.FAMILY, own.STILL
        numbers[Number.DAMPING], numbers[Number.PULL] = own.DAMPING, own.PULL
        tables.append(np.concatenate([numbers, rows]))
    single = tables[1][Number.ROWS :].reshape(Row.COUNT, -1)
    single[Row.LOW], single[Row.HIGH] = solver.low - SingleTolerance.INSIDE, solver.high + SingleTolerance.INSIDE
    return tables[0], tables[1]


def _limit_words(solver: InverseSolver) -> list[str]:
    pairs = enumerate(zip(solver.low.tolist(), solver.high.tolist(), strict=True), 1)
    return [f"q{j} {low:.6g} to {high:.6g}" for j, (low, high) in pairs if np.isfinite([low, high]).any()]


def _cases(solver: InverseSolver) -> Iterator[Case]:
    """Poses with a clear answer; one far away, one outside the limits where there is one, and one that is no pose."""
    q = sampled(solver.low, solver.high, solver.turning, solver.size)
    away = np.random.default_rng(5).uniform(-1.0, 1.0, q.shape)
    clear = (_clear(solver, x, x + 0.3 * by) for x, by in zip(q, away, strict=True))
    yield from islice((case for case in clear if case is not None), CASES)
    far = np.random.default_rng(6).uniform(-9.0, 9.0, q.shape)
    outside = (_refused(solver, x, y) for x, y in zip(far, q, strict=True) if solver.limited)
    yield from islice((case for case in outside if case is not None), 1)
    yield from _beyond(solver, q[0])


def _beyond(solver: InverseSolver, q: Floats) -> Iterator[Case]:
    """A pose far away, and what is none."""
    T, now, values = solver.pose(q), q.tolist(), _parameter(solver, q)
    T[:3, 3] += 20 * solver.size
    found = solver(T, seed=q, parameter=values or None)
    if not len(found.q):
        yield Case(T.ravel().tolist(), values, now, LIMITS if found.reached else UNREACHABLE, now)
    yield Case([*T.ravel().tolist()[:-1], 2.0], values, now, NO_POSE, now)


def _parameter(solver: InverseSolver, q: Floats) -> list[float]:
    return [solver.parameter_of(q)] if solver.parameter.exists else []


def _clear(solver: InverseSolver, q: Floats, now: Floats) -> Case | None:
    """The pose of q, asked for from elsewhere, where nothing is close to being undecided."""
    T, values = solver.pose(q), _parameter(solver, q)
    found = solver(T, seed=now, parameter=values or None)
    calm = solver.raw(T, None, np.array(values) if values else None).margin
    if not len(found.q) or calm < CLEAR or not _apart(found.q, now, solver):
        return None
    return Case(T.ravel().tolist(), values, now.tolist(), OK, found.q[0].tolist())


def _apart(q: Floats, now: Floats, solver: InverseSolver) -> bool:
    gaps = np.sort(((q - now) ** 2).sum(-1))
    inside = np.minimum(q[0] - solver.low, solver.high - q[0]).min() > CLEAR
    half = np.abs(np.abs(q[0] - now) - np.pi)[solver.turning]  # half a turn away either turn is as near
    return bool(inside and (len(gaps) < 2 or gaps[1] - gaps[0] > CLEAR) and half.min(initial=1.0) > CLEAR)


def _refused(solver: InverseSolver, q: Floats, now: Floats) -> Case | None:
    """A pose that only configurations outside the limits reach."""
    T, values = solver.pose(q), _parameter(solver, q)
    raw = solver.raw(T, None, np.array(values) if values else None)
    found = solver(T, seed=now, parameter=values or None)
    if len(found.q) or raw.margin < CLEAR or not (distances(raw.q, q, solver.turning) < CLEAR).any():
        return None
    over: Sequence[float] = [float(np.maximum(-x, 0).max()) for x in found.margin]
    return None if min(over) < CLEAR else Case(T.ravel().tolist(), values, now.tolist(), LIMITS, now.tolist())
