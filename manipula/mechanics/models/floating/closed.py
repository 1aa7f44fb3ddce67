"""Robots with loops on a base that moves: a leg with a rod, a platform with legs that close.

A loop joins links of the robot, so no motion of the base enters it: G and γ of the closure (`closed_models`) are those
of the robot on a base that stands still. A model of the open tree takes the rates of all joints; of its results the
motors feel Gᵀ, the base feels all:

    (base_wrench, Gᵀ τ)    M = (1, G)ᵀ M_tree (1, G)    M (a₀, ω̇₀, q̈_a) = (0, τ) − (base_wrench, Gᵀ τ) at q̈_a = a₀ = 0

Derived here: the closure holds whatever the base does, so the virtual work of its forces is zero there, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from manipula.mechanics.models.closure.assembly import ClosurePlan
from manipula.mechanics.models.closure.closed_models import PIVOT, Closure, close_model, joint_motion
from manipula.mechanics.models.closure.constraint import seen_from_first, seen_from_world
from manipula.mechanics.models.dynamics import composite, composite_runs
from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.dynamics.friction import NO_FORWARD, refuse_loaded
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver
from manipula.mechanics.models.entry import FIELD, Given, ModelEntry, Outputs
from manipula.mechanics.models.floating import dynamics
from manipula.mechanics.models.floating.dynamics import Forces, Rows, field_forces, inertia_composite, inertia_runs
from manipula.mechanics.models.floating.forms import AXES, SIX, raw_form
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.topology import refuse_moving_loops
from manipula.mechanics.robot.tree import Tree
from manipula.scalar import Scalar

AROUND = "around"  # the plain method with the loops seen from their first frames
Inertia = Callable[[Tree, Sequence[Scalar]], Rows]


@dataclass(frozen=True)
class Motors:
    """What gathers results of joints into those of the motors, in the words of `Coordinates`."""

    at: Closure

    def gather(self, x: Sequence[Scalar]) -> list[Scalar]:
        return self.at.gather(self.at.tree.coordinates.gather(x))

    def gather_columns(self, rows: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
        return [self.gather(row) for row in rows]

    def gather_rows(self, matrix: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
        return [list(row) for row in zip(*map(self.gather, zip(*matrix, strict=True)), strict=True)]


def close_floating(model: ModelEntry, robot: RobotDescription, plan: ClosurePlan) -> ModelEntry:
    """The form of a model on a base that moves, of a robot with loops."""
    if model.name in ("joint_motion", "closure"):  # which no motion of the base enters
        return close_model(model, robot.name, plan)
    form = raw_form(model, robot)
    outputs = {**form.outputs, "pivot": PIVOT}
    if form.name == "forward_dynamics":
        texts = (_forward, _forward_field) if robot.moving == "free" else (_given, _given_field)
        plain, field = _bound(texts[0], plan, True), _bound(texts[1], plan, False)
        return replace(
            form, outputs=outputs, methods={"inertia-matrix": plain}, field=field, candidates=(FIELD,),
            trees=("inertia-matrix", FIELD),
        )  # fmt: skip
    if form.ranked or form.differentiates or any(name not in AXES for name in form.outputs):
        refuse_moving_loops(robot, form.name)
    if "qd" not in form.inputs and all(AXES[name] is AXES["T"] for name in form.outputs):
        return form
    first = next(iter(form.methods))
    methods = {
        first: _bound(_open(form.methods[first]), plan, True),
        AROUND: _bound(_open(form.methods[first]), plan, False),
    }
    field_text = None if form.field is None else _bound(_open(form.field), plan, False)
    tried = (AROUND, FIELD) if field_text else (AROUND,)
    return replace(form, outputs=outputs, methods=methods, field=field_text, candidates=tried, trees=(first, *tried))


def _bound(run: Callable[..., Outputs], plan: ClosurePlan, plain: bool) -> Any:
    """On a tree: the plain method looks at the loops from the world, the others from their first frame."""

    def made(tree: Tree, x: Given, *choices: Sequence[LinkOptions]) -> Outputs:
        at = Closure(tree, plan, x["q"], seen_from_world if plain else seen_from_first)
        return {**run(at, x, *choices), **at.pivot()}

    return made


def _open(method: Callable[..., Outputs]) -> Callable[..., Outputs]:
    """A model of the open tree on the rates of all joints."""

    def run(at: Closure, x: Given, *choices: Sequence[LinkOptions]) -> Outputs:
        of: Any = Motors(at)
        found = method(at.tree, joint_motion(at, x), *choices)
        return {name: AXES[name](of, value) for name, value in found.items()}

    return run


def _forward(at: Closure, x: Given, forces: Forces = dynamics.plain_forces, M: Inertia = inertia_composite) -> Outputs:
    """Six rows of the base, then one a motor."""
    refuse_loaded(at.tree, NO_FORWARD)
    still: list[Scalar] = [0, 0, 0]
    motion = joint_motion(at, {**x, "qdd": [0] * len(at.plan.driven)})
    felt = dynamics.inverse_dynamics(at.tree, {**motion, "wd0": still, "a0": still}, forces)
    of: Any = Motors(at)
    right = [*(-w for w in felt["base_wrench"]), *(t - b for t, b in zip(x["tau"], of.gather(felt["tau"])))]
    found = InertiaSolver(AXES["M"](of, M(at.tree, at.joints)))(right)
    base = dynamics.base_acceleration(at.tree, x, found[:3], found[3:SIX])
    return {"qdd": found[SIX:], "base_acceleration": base}


def _forward_field(at: Closure, x: Given, choices: Sequence[LinkOptions]) -> Outputs:
    return _forward(at, x, field_forces(choices), inertia_runs)


def _given(
    at: Closure, x: Given, forces: Forces = dynamics.plain_forces, M: Inertia = composite.inertia_matrix
) -> Outputs:
    """Where the base's motion is given: the motors alone."""
    refuse_loaded(at.tree, NO_FORWARD)
    motion = joint_motion(at, {**x, "qdd": [0] * len(at.plan.driven)})
    of = Motors(at)
    bias = of.gather(dynamics.inverse_dynamics(at.tree, motion, forces)["tau"])
    closed = of.gather_rows(of.gather_columns(M(at.tree, at.joints)))
    return {"qdd": InertiaSolver(closed)([t - b for t, b in zip(x["tau"], bias, strict=True)])}


def _given_field(at: Closure, x: Given, choices: Sequence[LinkOptions]) -> Outputs:
    return _given(at, x, field_forces(choices), composite_runs.inertia_matrix)
