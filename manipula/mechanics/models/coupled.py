"""Joints that follow others: mimic fingers, belts, geared wrists. Every model runs on the joints, as if each were free;
what it takes and gives is of coordinates.

With C the constant factors, q_joint = C q + c:

    τ = Cᵀ τ_joint        M = Cᵀ M_joint C        J = J_joint C        q̈ = (Cᵀ M_joint C)⁻¹ (τ − Cᵀ h_joint)
    Y = Cᵀ Y_joint        b_a = Σ_i C_ia Cᵀ B_i C,  B_i the form of the velocities' torque on joint i
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from manipula.errors import InputError
from manipula.mechanics.models.derivatives import dual, products
from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.dynamics.composite import inertia_matrix
from manipula.mechanics.models.dynamics.friction import NO_FORWARD, refuse_loaded
from manipula.mechanics.models.dynamics.friction_apart import friction_apart
from manipula.mechanics.models.dynamics.inertia_inverse import Solver, inverted
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.entry import FieldMethod, Given, Method, Model
from manipula.mechanics.models.kinematics.jacobian import jacobian
from manipula.mechanics.models.lagrange.coefficients import LagrangeTerms, pairs
from manipula.mechanics.models.lagrange.terms import METHODS, lagrange_forces
from manipula.mechanics.models.operational import inertia as operational
from manipula.mechanics.robot.tree import Terms, Tree
from manipula.mechanics.spatial.vector import sum_of
from manipula.scalar import Scalar

Rows = list[list[Scalar]]
Contraction = Callable[[Tree, Any], Any]  # an output of joints → of coordinates
# inputs of one entry a coordinate, rates of the joints
MOVING = ("q", "qd", "qdd", "dq", "dqd", "dqdd", "weights", "qd_r", "qdd_r")
MATRICES = ("cotangent",)  # a row a coordinate


def _columns(tree: Tree, rows: Sequence[Sequence[Scalar]]) -> Rows:
    return [tree.of_coordinates(row) for row in rows]


def _both(tree: Tree, rows: Sequence[Sequence[Scalar]]) -> Rows:
    return tree.rows_of_coordinates(_columns(tree, rows))


VECTOR: Contraction = Tree.of_coordinates
ROWS: Contraction = Tree.rows_of_coordinates
COLUMNS: Contraction = _columns
BOTH: Contraction = _both
# by model: its outputs along which there is one entry a coordinate; the others are of joints, links or none
AXES: dict[str, Mapping[str, Contraction]] = {
    "pose": {},
    "frames": {},
    "transforms": {},
    "axes": {},
    "orientation": {},
    "jacobian": {"J": COLUMNS},
    "jacobian_tool": {"J": COLUMNS},
    "jacobian_dot": {"Jd": COLUMNS},
    "tool_bias": {},
    "tool_velocity": {},
    "tool_acceleration": {},
    "centre_of_mass": {},
    "centre_of_mass_jacobian": {"J": COLUMNS},
    "inverse_dynamics": {"tau": VECTOR},
    "inverse_dynamics_smooth": {"tau": VECTOR},
    "friction": {"f": VECTOR},
    "momentum": {"momentum": VECTOR, "change": VECTOR},
    "newton_euler": {"tau": VECTOR},
    "joint_wrenches": {},
    "inertia_matrix": {"M": BOTH},
    "coriolis": {"c": VECTOR},
    "coriolis_matrix": {"C": BOTH},
    "gravity": {"g": VECTOR},
    "energy": {},
    "inverse_dynamics_derivatives": {"dq": BOTH, "dqd": BOTH, "dqdd": BOTH},
    "inverse_dynamics_jvp": {"dtau": VECTOR},
    "inverse_dynamics_vjp": {"dq": VECTOR, "dqd": VECTOR, "dqdd": VECTOR},
    "regressor": {"Y": ROWS},
    "base_regressor": {"Y": ROWS},
    "regressor_vjp": {"dq": VECTOR, "dqd": VECTOR, "dqdd": VECTOR},
    "base_regressor_vjp": {"dq": VECTOR, "dqd": VECTOR, "dqdd": VECTOR},
    "energy_regressor": {},
    "two_velocity_dynamics": {"tau": VECTOR},
    "two_velocity_regressor": {"Y": ROWS},
    "two_velocity_products": {"tau": VECTOR},
    "base_inertia_matrix": {"M": BOTH},
    "loaded_dynamics": {"tau": VECTOR},
}


def coupled(model: Model, robot: str) -> Model:
    """The model of a robot in which joints follow others."""
    if model.name in SOLVED:
        methods = SOLVED[model.name]
        tried = tuple(methods)[1:]
        return replace(
            model, methods=methods, field=None, differentiates="", candidates=tried, further=(), trees=tuple(methods)
        )
    if model.name not in AXES:
        raise InputError("{robot}: {name} is not made for robots in which joints follow others", robot, model.name)
    axes = AXES[model.name]
    methods = {name: _on_joints(method, axes) for name, method in model.methods.items()}
    return replace(model, methods=methods, field=None if model.field is None else _field(model.field, axes))


def _on_joints(method: Method, axes: Mapping[str, Contraction]) -> Method:
    return lambda tree, x: _contracted(method(tree, _spread(tree, x)), axes, tree)


def _field(method: FieldMethod, axes: Mapping[str, Contraction]) -> FieldMethod:
    def made(tree: Tree, x: Given, choices: Sequence[LinkOptions]) -> dict[str, Any]:
        return _contracted(method(tree, _spread(tree, x), choices), axes, tree)

    return made


def _spread(tree: Tree, x: Given) -> Given:
    joints = {name: tree.of_joints(values) if name in MOVING else values for name, values in x.items()}
    joints |= {name: _rows_of_joints(tree, x[name], len(x["q"])) for name in MATRICES if name in x}
    return joints | ({"slip": _slips(tree, x["slip"])} if "slip" in x else {})


def _slips(tree: Tree, slip: Sequence[Scalar]) -> list[Scalar]:
    """sat(slip) stands for the sign of a rate: a joint that follows one coordinate has that coordinate's, or its
    negative, whatever its factor. So what two joints on one coordinate lose to dry friction is still one parameter."""

    def of(terms: Terms, way: int) -> Scalar:
        return sum_of(k * slip[c] for c, k in terms) if not way else slip[terms[0][0]] * way

    return [of(terms, link.way) for terms, link in zip(tree.coordinates, tree.links, strict=True)]


def _rows_of_joints(tree: Tree, entries: Sequence[Scalar], count: int) -> list[Scalar]:
    """C times a matrix that has a row a coordinate; both row by row."""
    width = len(entries) // count
    columns = [tree.of_joints(entries[k::width]) for k in range(width)]
    return [x for row in zip(*columns) for x in row]


def _contracted(found: dict[str, Any], axes: Mapping[str, Contraction], tree: Tree) -> dict[str, Any]:
    return {name: axes[name](tree, value) if name in axes else value for name, value in found.items()}


# what is solved for, in coordinates


def mass_matrix(tree: Tree, q: Sequence[Scalar]) -> Rows:
    """Cᵀ M C at coordinates q."""
    return _both(tree, inertia_matrix(tree, tree.of_joints(q)))


def _torques(tree: Tree, x: Given) -> list[Scalar]:
    joints = _spread(tree, x)
    return tree.of_coordinates(inverse_dynamics(tree, joints["q"], joints["qd"], joints["qdd"], x.get("wrench")))


def _accelerations(tree: Tree, x: Given) -> list[Scalar]:
    bias = _torques(tree, {**x, "qdd": [0] * len(x["q"])})
    return Solver(mass_matrix(tree, x["q"]))([push - b for push, b in zip(x["tau"], bias, strict=True)])


def _slopes(tree: Tree, x: Given) -> dict[str, Rows]:
    """Of the accelerations, on dual numbers."""
    return dict(zip(("dq", "dqd", "dtau"), dual.forward(_accelerations, tree, x, products.STATE), strict=True))


def _weighted(tree: Tree, x: Given) -> dict[str, Any]:
    return {name: products.weighed(x["weights"], rows) for name, rows in _slopes(tree, x).items()}


def _operational(tree: Tree, x: Given) -> tuple[Rows, Rows]:
    """J C and Cᵀ M C"""
    return _columns(tree, jacobian(tree, tree.of_joints(x["q"]))), mass_matrix(tree, x["q"])


def lagrange_terms(tree: Tree, found: LagrangeTerms) -> LagrangeTerms:
    """The coefficients of the coordinates from those of the joints."""
    count = len(tree.of_coordinates(found.GRA))
    forms = [_both(tree, _form(tree.dof, COR, CEN)) for COR, CEN in zip(found.COR, found.CEN, strict=True)]
    mixed = [[form[j][k] for j, k in pairs(count)] for form in forms]
    squares = [[form[j][j] for j in range(count)] for form in forms]
    return LagrangeTerms(
        A=_both(tree, found.A),
        COR=tree.rows_of_coordinates(mixed) if count > 1 else [[]],
        CEN=tree.rows_of_coordinates(squares),
        GRA=tree.of_coordinates(found.GRA),
    )


def _form(n: int, COR: Sequence[Scalar], CEN: Sequence[Scalar]) -> Rows:
    """B of  q̇ᵀ B q̇ = 2 Σ b_jk q̇_j q̇_k + Σ b_jj q̇_j²"""
    mixed = dict(zip(pairs(n), COR, strict=True))
    return [[CEN[j] if j == k else mixed[min(j, k), max(j, k)] for k in range(n)] for j in range(n)]


def _lagrange(name: str) -> Method:
    def method(tree: Tree, x: Given) -> dict[str, Any]:
        terms = lagrange_terms(tree, METHODS[name](tree, tree.of_joints(x["q"])))
        forces = lagrange_forces(terms, x["qd"], x["qdd"], x["P"])._asdict()
        return vars(terms) | {key: value for key, value in forces.items() if key != "TIN"}

    return method


def _moving(method: Method) -> Method:
    """A method that asks for accelerations: friction must not follow the load."""

    def made(tree: Tree, x: Given) -> dict[str, Any]:
        refuse_loaded(tree, NO_FORWARD)
        return method(tree, x)

    return made


COMPOSITE = "inertia-matrix"
# the plain method first; where there are others, they are the ones to try
SOLVED: dict[str, Mapping[str, Method]] = {
    "forward_dynamics": {COMPOSITE: _moving(lambda tree, x: {"qdd": _accelerations(tree, x)})},
    "inertia_matrix_inverse": {"composite": lambda tree, x: {"Minv": inverted(mass_matrix(tree, x["q"]))}},
    "forward_dynamics_derivatives": {
        "dual": _moving(_slopes),
        COMPOSITE: _moving(lambda tree, x: dual.forward_reverse(_torques, tree, x, mass_matrix)),
    },
    "forward_dynamics_jvp": {
        "dual": _moving(lambda tree, x: {"dqdd": products.along(_accelerations, tree, x, products.STATE)}),
        COMPOSITE: _moving(lambda tree, x: products.forward_jvp(_torques, tree, x, mass_matrix)),
    },
    "forward_dynamics_vjp": {
        "dual": _moving(_weighted),
        COMPOSITE: _moving(lambda tree, x: products.forward_vjp(_torques, tree, x, mass_matrix)),
    },
    "operational_mobility": {"composite": lambda tree, x: {"Linv": operational.mobility(*_operational(tree, x))}},
    "operational_inertia": {"composite": lambda tree, x: {"L": operational.inertia(*_operational(tree, x))}},
    "lagrange_terms": {name: _lagrange(name) for name in METHODS},
    "friction_parts": {"laws": friction_apart},
}
