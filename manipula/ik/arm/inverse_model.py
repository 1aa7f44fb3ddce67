"""Models of a robot, inverse kinematics among them: its closed form is emitted with what picks one of the answers, and
where elimination alone solves an arm, the model is a solver with loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from manipula.algebra.expr.function import Function
from manipula.errors import InputError, caution
from manipula.generation.pipeline import generate_function
from manipula.generation.prepare import Prepared, Request, prepare
from manipula.generation.results.model import Model
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.values.parameter import ZERO, text_of
from manipula.messages import Message
from manipula.support.files import write_files
from manipula.support.progress import Tell, silent, told_when_slow
from manipula.version import __version__

if TYPE_CHECKING:
    from manipula.algebra.emit.choice import ChoiceSource
    from manipula.ik.general6r.emission import EmittedSolver

INVERSE = "inverse_kinematics"


def generate_model(request: Request, tell: Tell = silent) -> Model:
    """One model of one robot, optimised and proved."""
    robot, name = request.robot, request.model
    with told_when_slow(f"deriving {name} of {robot.name}"):
        prepared = prepare(request)
        made = _solver(prepared) or model_of(generate_function(prepared, tell), prepared.request)
    if name == "gravity" and not any(x.value for output in made.function.outputs for x in output.exprs):
        _warn_of_idle_gravity(robot)
    return made


def model_of(function: Function, request: Request) -> Model:
    """The function as a model of the robot; what people read of it is written from its plain text."""
    kind = InverseModel if request.model == INVERSE else Model
    return kind(request.describe(function), request, partial(_plain_function, request))


def _plain_function(request: Request) -> Function:
    from manipula.generation.reports import plain_function  # most models are only run

    return plain_function(request)


def _solver(asked: Prepared) -> SolverModel | None:
    """Inverse kinematics that only elimination solves."""
    if asked.request.model != INVERSE:
        return None
    from manipula.ik.general6r.emission import is_general, solver_of

    if not is_general(asked):
        return None
    solver = solver_of(asked)
    return SolverModel(asked.request.describe(solver.function), asked.request, _solver=solver)


def _warn_of_idle_gravity(robot: RobotDescription) -> None:
    """A planar arm typed from a book has gravity across its plane unless somebody says otherwise."""
    loaded = [*robot.payload, *(joint.body for joint in robot.joints if joint.body)]
    heavy = any(body.mass.parameter != ZERO for body in loaded)
    if heavy and any(cell.parameter != ZERO for cell in robot.gravity):
        along = ", ".join(text_of(cell.parameter) for cell in robot.gravity)
        caution(
            "{name}: gravity does no work on any joint, pointing along [{along}]; the values gy = -9.81 and "
            "gz = 0 would turn it along -y",
            robot.name,
            along,
        )


@dataclass(frozen=True, eq=True, repr=False)
class InverseModel(Model):
    """Inverse kinematics in closed form: every answer."""

    def _nearest(self, language: str) -> ChoiceSource | None:
        """What picks the solution nearest to the present joints, where a language has it."""
        from manipula.algebra.emit.choice import WRITERS

        if language not in WRITERS:
            return None
        from manipula.ik.controller.emission import nearest_source

        source = nearest_source(self._request, self.function)
        return None if source is None else replace(source, subject=self.provenance.subject)


@dataclass(frozen=True, eq=True, repr=False)
class SolverModel(Model):
    """A solver with loops in place of formulas: `emit("c", …)` writes it; `cost` counts nothing."""

    _has_loops = True
    _solver: EmittedSolver = field(kw_only=True, compare=False, repr=False)

    @property
    def outputs(self) -> dict[str, tuple[int, ...]]:
        return dict(self._solver.outputs)

    def emit(
        self, language: str = "c", folder: str | Path = ".", *, proof: bool = False, prefix: str = "", **options: object
    ) -> list[Path]:
        """Write the solver as C source; returns the paths written. Of the options of `Model.emit` it has the prefix."""
        odd = [name for name, value in options.items() if value and name != "batch"]
        if odd:
            raise InputError(
                "emit: {odd}= is no option of a solver with loops, which computes in double precision", odd[0]
            )
        if proof:
            raise InputError("proof=True: no proof checker for inverse_kinematics; its solver checks each answer")
        from manipula.algebra.emit.backend import language_named
        from manipula.ik.controller.general import general_choice

        if language_named(language) != "c":
            method = self.function.provenance.method
            raise InputError(
                "inverse_kinematics by {method} is written in C only (C++ can call it), not {language!r}",
                method,
                language,
            )
        solver = replace(self._solver, function=self._rename(prefix).function)
        return write_files(Path(folder), solver.files(__version__, general_choice(solver.request.robot)))

    def _summary_text(self) -> str:
        return "a solver with loops; every answer is checked"

    def as_dict(self) -> dict[str, object]:
        return super().as_dict() | {"cost": None}  # loops: no fixed number of operations

    def equations(
        self,
        form: str = "auxiliary",
        style: str = "text",
        *,
        names: str = "file",
        units: bool = False,
        tell: Callable[[str], None] = lambda text: None,
    ) -> NoReturn:
        self._refuse("equations")

    def to_sympy(self) -> NoReturn:
        self._refuse(Message("SymPy matrices"))

    def compile(self, backend: str = "auto", dtype: str = "float64") -> NoReturn:
        self._refuse(Message("compiled formulas; see Arm.inverse_kinematics"))

    def _refuse(self, what: str) -> NoReturn:
        raise InputError(
            "inverse_kinematics of {robot} has no closed form, so no {what}", self.function.provenance.robot, what
        )
