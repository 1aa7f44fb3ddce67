"""What a closed form can be asked in a robot's module: a whole pose, or a place, where an arm has no more to give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manipula.algebra.emit.expressions import number
from manipula.algebra.expr.function import Function
from manipula.errors import ManipulaError
from manipula.generation.module.making import Maker
from manipula.generation.prepare import Prepared
from manipula.generation.structure import numeric_chain
from manipula.ik.choice.text import Table
from manipula.ik.inverse import InverseSolver
from manipula.ik.module.placing import place_solver, placing_function, plan_of_place
from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.limits import limit_rows
from manipula.ik.redundant import Parameter
from manipula.ik.solver import Solver
from manipula.mechanics.models.inverse.plan import Plan
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.limits import Limits
from manipula.mechanics.robot.stand_ins import with_stand_ins

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
    def closed(self) -> str:
        """What the function is called in the module."""
        return f"closed_form_{self.name}"

    @property
    def branches(self) -> list[dict[str, Any]]:
        """Every branch by name, with the sign of each two-way choice."""
        return [{"name": name, **dict(zip(self.plan.roles, signs))} for name, signs in self.plan.settings.items()]


def tasks_of(maker: Maker) -> list[Task]:
    """Those an arm has, what a page would ask for first."""
    try:
        asked = maker.prepared(MODEL)
        road = with_stand_ins(asked.robot)[0]
    except ManipulaError:
        return []
    found = [_place(asked, road), _pose(maker, asked, road)]
    return [task for task in found if task is not None]


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
        solver, plan = place_solver(numeric_chain(road), pairs_of_limits(road)), plan_of_place(asked.structure)
        if solver is None or plan is None or plan != solver.plan:
            return None
        return Task(PLACE, placing_function(asked), plan, *_tables(solver))
    except ManipulaError:  # joints that follow others: the pose says why there is none
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
