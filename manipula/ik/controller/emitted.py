"""The nearest solution of a closed form as code to emit: the text and the arm's numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from manipula.algebra.emit.choice import ChoiceSource
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
from manipula.ik.controller.cases import self_test_cases
from manipula.ik.controller.nearest import (
    FAR,
    LIMITS,
    NO_POSE,
    OK,
    SINGULAR,
    SINGULAR_REDUNDANT,
    STATES,
    UNREACHABLE,
    nearest_text,
)
from manipula.ik.controller.newton import Number
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.limits import limit_rows, limits_of
from manipula.ik.numeric.tolerances import BranchTolerance, EmittedTolerance, PoseTolerance, SingleTolerance
from manipula.mechanics.robot.branching import serial_fault

MODEL = "inverse_kinematics"
OUTPUTS = ("q", "valid", "fit", "calm", "defect")
WORDS = {
    "singular": SINGULAR, "ok": OK, "unreachable": UNREACHABLE, "limits": LIMITS, "no_pose": NO_POSE,
    "another_branch": FAR,
}  # fmt: skip


def nearest_source(request: Request | None, function: Function) -> ChoiceSource | None:
    """None where the arm branches, has joints that follow others, or letters in its geometry."""
    if request is None or request.model != MODEL or tuple(x.name for x in function.outputs) != OUTPUTS:
        return None
    robot = request.robot
    if any(not port.online for port in function.inputs) or serial_fault(robot) or robot.coordinates.coupled:
        return None
    moves = [
        generate_function(prepare(replace(request, model=model, method="best", wrench=False)))
        for model in ("pose", "jacobian")
    ]
    if any(not port.online for made in moves for port in made.inputs):
        return None
    solver = InverseSolver(numeric_chain(robot), limits_of(robot))
    closed, pose, jacobian = (Straight(decided(tape_from_function(x))) for x in (function, *moves))
    double, single = number_tables(solver)
    return ChoiceSource(
        f"{function.name}_nearest", robot.name, function.provenance.joints, function.outputs[0].unit,
        program(nearest_text(closed, pose, jacobian, solver.size)), double.tolist(), single.tolist(),
        _states(solver), list(self_test_cases(solver)),
        _limit_words(solver), solver.size, exact_of(solver), PoseTolerance.ROTATION, solver.plan.parameter,
    )  # fmt: skip


def _states(solver: InverseSolver) -> dict[str, tuple[int, str]]:
    texts = STATES | ({SINGULAR: SINGULAR_REDUNDANT} if solver.plan.parameter else {})
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
    single[Row.LOW], single[Row.HIGH] = solver.low - SingleTolerance.INSIDE, solver.high + SingleTolerance.INSIDE
    return tables[0], tables[1]


def _limit_words(solver: InverseSolver) -> list[str]:
    pairs = enumerate(zip(solver.low.tolist(), solver.high.tolist(), strict=True), 1)
    return [f"q{j} {low:.6g} to {high:.6g}" for j, (low, high) in pairs if np.isfinite([low, high]).any()]
