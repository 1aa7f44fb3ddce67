"""The closed form of arms that place a point: two or three joints, of which a whole pose would be asked too much.

A page hands a tool's place to such an arm; its branches are elbow up and elbow down. The formulas are those of
`position_task`, run on expressions and proved as a model of the catalogue is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from manipula.algebra.expr.function import Function
from manipula.generation.build import built, guarded, reference, used_parameters
from manipula.generation.prepare import Prepared, model_named
from manipula.generation.proved import with_proof
from manipula.generation.request import Formulation
from manipula.generation.structure import ArmStructure
from manipula.generation.units.joint_units import with_joint_units
from manipula.ik.partial.solver import PartialSolver
from manipula.mechanics.models.entry import Given, ModelEntry
from manipula.mechanics.models.inverse.plan import Plan
from manipula.mechanics.models.inverse.position_task import PositionPlan, placings, position_plan, with_wrist
from manipula.mechanics.robot.reduce.chains import frames_on_joints
from manipula.mechanics.robot.tree import Tree

METHOD = "closed-form"
DRAWS = ("position one", "position another")


class Placing(Prepared):
    """A request whose model is the closed form of a position; its target is a pose, of which the place counts."""

    @cached_property
    def model(self) -> ModelEntry:
        plan = plan_of_place(self.structure)
        assert plan is not None
        whole = model_named("inverse_kinematics")
        return replace(whole, inputs=("T",), methods={METHOD: lambda chain, x: _placed(plan, chain, x)}, inverts=None)


def plan_of_place(structure: ArmStructure) -> Plan | None:
    """The case of the arm, the same at two draws of its letters; None where there is none."""
    one, other = (position_plan(structure.in_floats(seed)) for seed in DRAWS)
    if one is None or other is None or one.plan != other.plan or one.plan.masks != other.plan.masks:
        return None
    return one.plan


def placing_function(asked: Prepared) -> Function:
    """Branches of a place, with the checks that those of a pose have; proved against the same text in the field."""
    own = Placing(asked.request, asked.structure)
    found = used_parameters(built(own, Formulation(METHOD)))
    return with_proof(guarded(with_joint_units(found, own.robot), own.structure), reference(own))


def _placed(plan: Plan, chain: Tree, x: Given) -> dict[str, Any]:
    T = x["T"]
    arm = with_wrist(chain) if chain.dof == 3 else frames_on_joints(chain)
    found = placings(PositionPlan(plan, arm), (T[3], T[7], T[11]))
    return {"q": found.q, "valid": found.valid, "fit": found.fit, "calm": found.calm(chain.maths), "defect": 0}


def place_solver(chain: Tree, limits: Sequence[tuple[float, float]]) -> PartialSolver | None:
    """What answers are measured by; None where the place leaves joints free, or is no matter of a closed form."""
    if any(link.kind.turns and link.kind.slides for link in chain.links):
        return None
    solver = PartialSolver("position", chain, limits)
    return None if solver.freedom.free or solver.closed is None else solver
