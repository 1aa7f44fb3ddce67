"""Joints that follow others: mimic fingers, belts, geared wrists. Every model runs on the joints, as if each were free;
what it takes and gives is of coordinates.

With C the constant factors, q_joint = C q + c:

    τ = Cᵀ τ_joint        M = Cᵀ M_joint C        J = J_joint C        q̈ = (Cᵀ M_joint C)⁻¹ (τ − Cᵀ h_joint)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from manipula.errors import InputError
from manipula.mechanics.models.dynamics.acceleration_field import Choice
from manipula.mechanics.models.dynamics.composite import inertia_matrix
from manipula.mechanics.models.dynamics.inertia_inverse import Solver, inverted
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.entry import FieldMethod, Given, Method, Model
from manipula.mechanics.robot.tree import Tree

MOVING = (
    "q",
    "qd",
    "qdd",
    "dq",
    "dqd",
    "dqdd",
    "weights",
    "slip",
)  # inputs of one entry a coordinate, rates of the joints
ROWS, BOTH, COLUMNS = (0,), (0, 1), (1,)
# by model: the axes of its outputs that are one entry a coordinate; of the others they are joints, links or none
AXES: dict[str, Mapping[str, tuple[int, ...]]] = {
    "pose": {},
    "frames": {},
    "transforms": {},
    "orientation": {},
    "jacobian": {"J": COLUMNS},
    "jacobian_tool": {"J": COLUMNS},
    "jacobian_dot": {"Jd": COLUMNS},
    "tool_bias": {},
    "inverse_dynamics": {"tau": ROWS},
    "inverse_dynamics_smooth": {"tau": ROWS},
    "friction": {"f": ROWS},
    "momentum": {"momentum": ROWS, "change": ROWS},
    "newton_euler": {"tau": ROWS},
    "joint_wrenches": {},
    "inertia_matrix": {"M": BOTH},
    "coriolis": {"c": ROWS},
    "coriolis_matrix": {"C": BOTH},
    "gravity": {"g": ROWS},
    "energy": {},
    "inverse_dynamics_derivatives": {"dq": BOTH, "dqd": BOTH, "dqdd": BOTH},
    "inverse_dynamics_jvp": {"dtau": ROWS},
    "inverse_dynamics_vjp": {"dq": ROWS, "dqd": ROWS, "dqdd": ROWS},
}


def coupled(model: Model, robot: str) -> Model:
    """The model of a robot in which joints follow others."""
    if model.name in SOLVED:
        name, method = SOLVED[model.name]
        return replace(
            model, methods={name: method}, field=None, candidates=(), further=(), trees=(name,), planned=None
        )
    if model.name not in AXES:
        raise InputError(f"{robot}: {model.name} is not made for robots in which joints follow others")
    axes = AXES[model.name]
    methods = {name: _on_joints(method, axes) for name, method in model.methods.items()}
    return replace(model, methods=methods, field=None if model.field is None else _field(model.field, axes))


def _on_joints(method: Method, axes: Mapping[str, tuple[int, ...]]) -> Method:
    return lambda tree, x: _contracted(method(tree, _spread(tree, x)), axes, tree)


def _field(method: FieldMethod, axes: Mapping[str, tuple[int, ...]]) -> FieldMethod:
    def made(tree: Tree, x: Given, choices: Sequence[Choice]) -> dict[str, Any]:
        return _contracted(method(tree, _spread(tree, x), choices), axes, tree)

    return made


def _spread(tree: Tree, x: Given) -> Given:
    return {name: tree.of_joints(values) if name in MOVING else values for name, values in x.items()}


def _contracted(found: dict[str, Any], axes: Mapping[str, tuple[int, ...]], tree: Tree) -> dict[str, Any]:
    return {name: _along(value, axes.get(name, ()), tree) for name, value in found.items()}


def _along(value: Any, axes: tuple[int, ...], tree: Tree) -> Any:
    """A vector, or a matrix along its rows, its columns or both."""
    if axes == ROWS:
        return tree.of_coordinates(value)
    rows = [tree.of_coordinates(row) for row in value] if axes else value
    return [list(row) for row in zip(*(tree.of_coordinates(column) for column in zip(*rows)))] if axes == BOTH else rows


def mass_matrix(tree: Tree, q: Sequence[Any]) -> list[list[Any]]:
    """Cᵀ M C at coordinates q."""
    found: list[list[Any]] = _along(inertia_matrix(tree, tree.of_joints(q)), BOTH, tree)
    return found


def _accelerations(tree: Tree, x: Given) -> dict[str, Any]:
    still = [0] * tree.dof
    joints = _spread(tree, x)
    bias = tree.of_coordinates(inverse_dynamics(tree, joints["q"], joints["qd"], still, x.get("wrench")))
    return {"qdd": Solver(mass_matrix(tree, x["q"]))([push - b for push, b in zip(x["tau"], bias, strict=True)])}


def _inverse(tree: Tree, x: Given) -> dict[str, Any]:
    return {"Minv": inverted(mass_matrix(tree, x["q"]))}


SOLVED: dict[str, tuple[str, Method]] = {
    "forward_dynamics": ("inertia-matrix", _accelerations),
    "inertia_matrix_inverse": ("composite", _inverse),
}
