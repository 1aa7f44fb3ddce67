"""Inverse kinematics of an arm without a closed form: nothing to count or print, but code to emit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from manipula.algebra.emit.about import entry
from manipula.algebra.emit.c.program import SolverChoice, SolverSource, solver_files
from manipula.algebra.expr.function import Function
from manipula.algebra.expr.node import Graph
from manipula.algebra.expr.provenance import Provenance
from manipula.errors import InputError
from manipula.generation.arm_structure import numeric_chain
from manipula.generation.build import input_of
from manipula.generation.pipeline import generate_function
from manipula.generation.prepare import Prepared, Request
from manipula.ik.general6r.roots import MOST
from manipula.ik.general6r.solutions import solve_pose
from manipula.ik.general6r.solver import General6R
from manipula.ik.numeric.arrays import pose_of
from manipula.ik.numeric.tolerances import RootTolerance
from manipula.mechanics.models.inverse.plan import ArmKind
from manipula.mechanics.models.ports import PORTS, PortSizes

METHOD = "elimination and eigenvalues"
CASES = 6  # poses of the self-test


def is_general(asked: Prepared) -> bool:
    """Is it inverse kinematics of an arm that only elimination solves?"""
    if asked.request.model != "inverse_kinematics":
        return False
    return asked.structure.plan.kind is ArmKind.SIX


def solver_of(asked: Prepared) -> EmittedSolver:
    """The solver of an arm all of whose geometry is known."""
    request = asked.request
    if request.method not in ("best", METHOD):
        raise InputError(
            "method of inverse_kinematics: this arm has one only, {method!r}; found {method2!r}", METHOD, request.method
        )
    pose = generate_function(asked.with_request(model="pose", method="best", optimise="none", wrench=False))
    missing = [name for port in pose.inputs if not port.online for name in port.names]
    if missing:
        why = asked.structure.plan.sentence
        raise InputError(
            "{name}: inverse_kinematics has no closed form here ({sentence}), and elimination needs a value "
            "for {missing}",
            request.robot.name,
            why,
            ", ".join(missing[:8]),
        )
    graph = Graph()
    target = input_of("T", [graph.symbol(name, online=True) for name in PORTS["T"].entries(PortSizes(6))])
    proof = f"at run time: every answer is checked to {RootTolerance.EXACT:g} m, and complex solutions are counted"
    origin = Provenance(asked.robot.name, request.model, METHOD, joints=pose.provenance.joints, proof=proof)
    return EmittedSolver(Function(asked.name, graph, (target,), (), {}, origin), request)


@dataclass(frozen=True)
class EmittedSolver:
    """A solver with loops in place of formulas: what it takes, and its files."""

    function: Function  # inputs and provenance; no formulas
    request: Request
    outputs = {"q": (MOST, 6), "residual": (MOST,), "apart": (MOST,)}

    @cached_property
    def solver(self) -> General6R:
        return General6R(numeric_chain(self.request.robot))

    def files(self, version: str, choice: SolverChoice) -> dict[str, str]:
        """C source: name → text; with a choice among the solutions, whose routines call `solve_pose`."""
        return solver_files(self._source(choice), version)

    def _source(self, choice: SolverChoice) -> SolverSource:
        solver, tables = self.solver, self.solver.tables
        numbers: dict[str, Sequence[float] | Sequence[int]] = {
            key: value.tolist() for key, value in tables._asdict().items()
        }
        return SolverSource(
            self.function.name, self._about(), "joint positions, rad", self.function.provenance.joints,
            solve_pose.__name__, choice, numbers, self._cases(), MOST, solver.bound, len(solver.eliminations),
            solver.exact,
        )  # fmt: skip

    def _about(self) -> list[str]:
        origin = self.function.provenance
        return [
            f"inverse kinematics of {origin.robot}: every solution of a pose, by {METHOD}.",
            f"Fourteen equations of the closed loop, an eigenvalue problem of size {self.solver.tables.shapes[2]},",
            "Newton's method on every root before it is accepted, and a count of the complex ones:",
            f"poses of this arm have {self.solver.bound}.",
            f"Joints: {', '.join(origin.joints)}.",
            *(line for key, text in origin.subject for line in entry(key, text)),
        ]

    def _cases(self) -> list[tuple[list[float], list[list[float]]]]:
        """Poses with solutions well apart."""
        angles = np.random.default_rng(2).uniform(-np.pi, np.pi, (4 * CASES, 6))
        poses = pose_of(numeric_chain(self.request.robot))(angles)
        solved = zip(poses, self.solver.solve_many(poses), strict=True)
        # double roots have no exact answer to compare with on another machine
        clear = [(T, a) for T, a in solved if a.info.complete and not a.info.double.any()]
        return [(T.ravel().tolist(), answer.q.tolist()) for T, answer in clear[:CASES]]
