"""What a closed form can be asked in a robot's module: a whole pose, or a place, where an arm has no more to give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from manipula.algebra.emit.text import number
from manipula.algebra.expr.function import Function
from manipula.errors import ManipulaError
from manipula.generation.arm_structure import ArmStructure, numeric_chain
from manipula.generation.build import add_conditions, build_function, reference, used_parameters
from manipula.generation.labels import with_joint_units
from manipula.generation.module import Maker
from manipula.generation.pipeline import with_proof
from manipula.generation.prepare import Formulation, Prepared, model_named
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import Floats, limit_rows
from manipula.ik.numeric.branches import Table
from manipula.ik.position_tasks import PartialSolver
from manipula.ik.redundant import Parameter
from manipula.ik.solver import Solver
from manipula.mechanics.models.entry import Given, ModelEntry
from manipula.mechanics.models.inverse.plan import Plan
from manipula.mechanics.models.inverse.position_task import PositionPlan, placings, position_plan, with_wrist
from manipula.mechanics.robot.default_values import Limits, with_stand_ins
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.robot.tree import Tree

# The closed form of arms that place a point: two or three joints, of which a whole pose would be asked too much.
#
# A page hands a tool's place to such an arm; its branches are elbow up and elbow down. The formulas are those of
# `position_task`, run on expressions and proved as a model of the catalogue is.

METHOD = "closed-form"
DRAWS = ("position one", "position another")


class Placing(Prepared):
    """A request whose model is the closed form of a position; its target is a pose, of which the place counts."""

    @cached_property
    def model(self) -> ModelEntry:
        plan = plan_of_place(self.structure)
        assert plan is not None
        whole = model_named("inverse_kinematics")
        return replace(
            whole, inputs=("T",), methods={METHOD: lambda chain, x: _solve_position(plan, chain, x)}, inverts=None
        )


def plan_of_place(structure: ArmStructure) -> Plan | None:
    """The case of the arm, the same at two draws of its letters; None where it is missing."""
    # two draws: letters that meet by chance at one would make another case of it
    one, other = (position_plan(structure.in_floats(seed)) for seed in DRAWS)
    if one is None or other is None or one.plan != other.plan or one.plan.masks != other.plan.masks:
        return None
    return one.plan


def placing_function(asked: Prepared) -> Function:
    """Branches of a place, with the checks that those of a pose have; proved against the same text in the field."""
    own = Placing(asked.request, asked.structure)
    function = used_parameters(build_function(own, Formulation(METHOD)))
    return with_proof(add_conditions(with_joint_units(function, own.robot), own.structure), reference(own))


def _solve_position(plan: Plan, chain: Tree, x: Given) -> dict[str, Any]:
    T = x["T"]
    arm = with_wrist(chain) if chain.dof == 3 else frames_on_joints(chain)
    placing = placings(PositionPlan(plan, arm), (T[3], T[7], T[11]))
    return {"q": placing.q, "valid": placing.valid, "fit": placing.fit, "calm": placing.calm(chain.maths), "defect": 0}


def place_solver(chain: Tree, limits: Sequence[tuple[float, float]]) -> PartialSolver | None:
    """What answers are measured by; None where the place leaves joints free, or is no matter of a closed form."""
    if any(link.kind.turns and link.kind.slides for link in chain.links):
        return None
    solver = PartialSolver("position", chain, limits)
    return None if solver.freedom.free or solver.closed is None else solver


MODEL = "inverse_kinematics"
POSE, PLACE = "pose", "position"
FEW = 3  # joints: with so many a place can be all there is


@dataclass(frozen=True)
class Task:
    """One of them: the closed form, how branches are called, and the numbers by which they are judged."""

    name: str
    function: Function
    plan: Plan
    inside: Floats
    anywhere: Floats
    parameter: Parameter | None = None
    senses: tuple[int, ...] = ()

    @property
    def function_name(self) -> str:
        """What the function is called in the module."""
        return f"closed_form_{self.name}"

    @property
    def branches(self) -> list[dict[str, Any]]:
        """Every branch by name, with the sign of each two-way choice."""
        return [{"name": name, **dict(zip(self.plan.roles, signs))} for name, signs in self.plan.settings.items()]


def tasks_of(maker: Maker) -> list[Task]:
    """Those an arm has, what a page would ask for first."""
    try:
        prepared = maker.prepare_model(MODEL)
        road = with_stand_ins(prepared.robot)[0]
    except ManipulaError:
        return []
    tasks = [_place(prepared, road), _pose(maker, prepared, road)]
    return [task for task in tasks if task is not None]


def _pose(maker: Maker, asked: Prepared, road: RobotDescription) -> Task | None:
    function = maker.function(MODEL)
    if function is None:
        return None
    solver = InverseSolver(numeric_chain(road), pairs_of_limits(road), plan=asked.structure.plan)
    parameter = solver.parameter if solver.parameter.exists else None
    senses = tuple(link.direction for link in solver.chain.links)
    return Task(POSE, function, solver.plan, *_tables(solver), parameter, senses)


def _place(asked: Prepared, road: RobotDescription) -> Task | None:
    if not 1 < asked.robot.dof <= FEW:
        return None
    try:
        # the page's letters and the solver's numbers must agree on the case
        solver, plan = place_solver(numeric_chain(road), pairs_of_limits(road)), plan_of_place(asked.structure)
        if solver is None or plan is None or plan != solver.plan:
            return None
        return Task(PLACE, placing_function(asked), plan, *_tables(solver))
    except ManipulaError:  # joints that follow others: the pose says why it is missing
        return None


def _tables(solver: Solver) -> tuple[Floats, Floats]:
    """The numbers of the choice, with the arm's limits and without."""
    free, still = solver.table.copy(), np.full(solver.chain.dof, np.inf)
    free[Table.ROWS :] = limit_rows(solver.turning, -still, still)
    return solver.table, free


def pairs_of_limits(robot: RobotDescription) -> list[tuple[float, float]]:
    """Infinite where the file gives none, or letters."""
    limits = Limits(robot)
    return list(zip(limits.lower.tolist(), limits.upper.tolist(), strict=True))


def numbers(values: Sequence[float]) -> str:
    """An array of a program, infinite numbers too."""
    return f"Float64Array.of({', '.join(number(x, 'Infinity', 'NaN') for x in values)})"
