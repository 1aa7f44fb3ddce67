"""Inverse kinematics of an arm without a closed form, as a model: nothing to count or print, but code to emit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NoReturn

import numpy as np

from manipula.algebra.emit.c.solver import SolverSource, solver_files
from manipula.algebra.expr.function import Function, Input
from manipula.algebra.expr.node import Graph
from manipula.algebra.loops.reader import program
from manipula.bridge import Request
from manipula.errors import InputError
from manipula.files import write_files
from manipula.generation import generate_function
from manipula.mechanics.models.catalogue import INPUTS, PORT_NAMES
from manipula.model import Model
from manipula.structure import numeric_chain, plan_of
from manipula.tasks.arrays import pose_of
from manipula.tasks.general6r import EXACT, General6R
from manipula.tasks.loops6r.collect import MOST
from manipula.tasks.loops6r.solve import solve_pose
from manipula.version import __version__

METHOD = "elimination and eigenvalues"
CASES = 6  # poses of the self-test


def is_general(request: Request) -> bool:
    """Is it inverse kinematics of an arm that only elimination solves?"""
    if request.model != "inverse_kinematics":
        return False
    return plan_of(request.robot, request.symbolic).title == "general 6R"


def general_model(request: Request) -> GeneralModel:
    """The model of an arm all of whose geometry is known."""
    if request.method not in ("best", METHOD):
        raise InputError(f"method of inverse_kinematics: this arm has one only, {METHOD!r}; found {request.method!r}")
    pose = generate_function(replace(request, model="pose", method="best", optimise="none", wrench=False))
    missing = [name for port in pose.inputs if not port.online for name in port.names]
    if missing:
        why = plan_of(request.robot, request.symbolic).sentence
        raise InputError(
            f"{request.robot.name}: inverse_kinematics has no closed form here ({why}), and elimination needs a value "
            f"for {', '.join(missing[:8])}"
        )
    graph = Graph()
    given = Input("T", tuple(graph.symbol(name, online=True) for name in PORT_NAMES["T"]), *INPUTS["T"][1:])
    notes = {
        "robot": request.robot.name, "model": request.model, "method": METHOD, "joints": pose.notes["joints"],
        "proof": f"at run time: every answer is checked to {EXACT:g} m, and complex solutions are counted",
    }  # fmt: skip
    name = pose.name.removesuffix("_pose") + f"_{request.model}"
    return GeneralModel(Function(name, graph, (given,), (), {}, notes), request)


@dataclass(frozen=True, eq=True)
class GeneralModel(Model):
    """A solver with loops in place of formulas: `emit("c", …)` writes it; `cost` counts nothing."""

    _request: Request

    @cached_property
    def solver(self) -> General6R:
        return General6R(numeric_chain(self._request.robot))

    @property
    def outputs(self) -> dict[str, tuple[int, ...]]:
        return {"q": (MOST, 6), "residual": (MOST,), "apart": (MOST,)}

    def emit(self, language: str = "c", folder: str | Path = ".", *, proof: bool = False) -> list[Path]:
        """Write the solver as C source; returns the paths written."""
        if proof:
            raise InputError(
                "proof=True: there is no checker for inverse_kinematics yet; its solver checks each answer"
            )
        if language != "c":
            raise InputError(f"inverse_kinematics by {METHOD} is written in C only (C++ can call it), not {language!r}")
        return write_files(Path(folder), solver_files(self._source(), __version__))

    def equations(self, form: str = "auxiliary", style: str = "text") -> NoReturn:
        self._refuse("equations")

    def to_sympy(self) -> NoReturn:
        self._refuse("SymPy matrices")

    def compile(self, backend: str = "auto", dtype: str = "float64") -> NoReturn:
        self._refuse("compiled formulas; see Arm.inverse_kinematics")

    def _refuse(self, what: str) -> NoReturn:
        raise InputError(f"inverse_kinematics of {self.function.notes['robot']} has no closed form, so no {what}")

    def _source(self) -> SolverSource:
        solver, tables = self.solver, self.solver.tables
        numbers: dict[str, Sequence[float] | Sequence[int]] = {
            key: value.tolist() for key, value in tables._asdict().items()
        }
        return SolverSource(
            self.name, self._about(), "joint positions, rad", self.function.notes["joints"].split(", "),
            program(solve_pose), numbers, self._cases(), MOST, solver.bound, len(solver.eliminations), solver.exact,
        )  # fmt: skip

    def _about(self) -> list[str]:
        notes = self.function.notes
        return [
            f"inverse kinematics of {notes['robot']}: every solution of a pose, by {METHOD}.",
            f"Fourteen equations of the closed loop, an eigenvalue problem of size {self.solver.tables.shapes[2]},",
            "Newton's method on every root before it is accepted, and a count of the complex ones:",
            f"poses of this arm have {self.solver.bound}.",
            f"Joints: {notes['joints']}.",
        ]

    def _cases(self) -> list[tuple[list[float], list[list[float]]]]:
        """Poses with solutions well apart."""
        angles = np.random.default_rng(2).uniform(-np.pi, np.pi, (4 * CASES, 6))
        poses = pose_of(numeric_chain(self._request.robot))(angles)
        found = zip(poses, self.solver.solve_many(poses), strict=True)
        clear = [(T, a) for T, a in found if a.info.complete and not a.info.double.any()]
        return [(T.ravel().tolist(), answer.q.tolist()) for T, answer in clear[:CASES]]
