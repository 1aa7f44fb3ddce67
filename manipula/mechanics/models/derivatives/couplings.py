"""Joints that follow others: mimic fingers, belts, geared wrists. Every model runs on the joints, as if each were free;
what it takes and gives is of coordinates.

With S the constant factors, q_joint = S q + c (`robot.coordinates`):

    τ = Sᵀ τ_joint        M = Sᵀ M_joint S        J = J_joint S        q̈ = (Sᵀ M_joint S)⁻¹ (τ − Sᵀ h_joint)
    Y = Sᵀ Y_joint        b_a = Σ_i S_ia Sᵀ B_i S,  B_i the form of the velocities' torque on joint i

Derived here: the power of τ along q̇ is that of τ_joint along S q̇, and S does not change with time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from manipula.errors import InputError
from manipula.mechanics.models.derivatives import dual, products
from manipula.mechanics.models.dynamics import composite_runs
from manipula.mechanics.models.dynamics import inertia_inverse as operational
from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.dynamics.composite import inertia_matrix
from manipula.mechanics.models.dynamics.friction import NO_FORWARD, friction_apart, refuse_loaded
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver, invert_inertia
from manipula.mechanics.models.dynamics.torque import by_field, inverse_dynamics
from manipula.mechanics.models.entry import FIELD, FieldMethod, Given, Method, ModelEntry, Outputs
from manipula.mechanics.models.kinematics.jacobian import jacobian
from manipula.mechanics.models.lagrange.christoffel import LagrangeTerms, pairs
from manipula.mechanics.models.lagrange.terms import METHODS, lagrange_forces
from manipula.mechanics.robot.coordinates import Coordinates, Rows
from manipula.mechanics.robot.tree import Tree
from manipula.scalar import Entries, Scalar

Contraction = Callable[[Coordinates, Any], Any]  # an output of joints → of coordinates
# inputs of one entry a coordinate, rates of the joints
MOVING = ("q", "qd", "qdd", "dq", "dqd", "dqdd", "weights", "qd_r", "qdd_r")
MATRICES = ("cotangent",)  # a row a coordinate


VECTOR: Contraction = Coordinates.gather
ROWS: Contraction = Coordinates.gather_rows
COLUMNS: Contraction = Coordinates.gather_columns
BOTH: Contraction = Coordinates.gather_both
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
    "joint_motion": {},
    "closure": {"correction": lambda of, value: [0] * len(of)},
    "tool_acceleration": {},
    "centre_of_mass": {},
    "centre_of_mass_jacobian": {"J": COLUMNS},
    "centroidal_momentum": {"A": COLUMNS},
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


def couple_model(model: ModelEntry, robot: str) -> ModelEntry:
    """The model of a robot in which joints follow others."""
    if model.name in SOLVED:
        methods, field = SOLVED[model.name], FIELDS.get(model.name)
        tried = (*tuple(methods)[1:], *((FIELD,) if field else ()))
        return replace(
            model, methods=methods, field=field, differentiates="", candidates=tried, further=(),
            trees=(*methods, *((FIELD,) if field else ())),
        )  # fmt: skip
    if model.name not in AXES:
        raise InputError("{robot}: {name} is not made for robots in which joints follow others", robot, model.name)
    axes = AXES[model.name]
    methods = {name: _on_joints(method, axes) for name, method in model.methods.items()}
    return replace(model, methods=methods, field=None if model.field is None else _on_joints(model.field, axes))


def _on_joints(method: Callable[..., Outputs], axes: Mapping[str, Contraction]) -> Callable[..., Outputs]:
    def made(tree: Tree, x: Given, *choices: Sequence[LinkOptions]) -> dict[str, Entries]:
        found, of = method(tree, _spread(tree.coordinates, x), *choices), tree.coordinates
        return {name: axes[name](of, value) if name in axes else value for name, value in found.items()}

    return made


def _spread(of: Coordinates, x: Given) -> Given:
    joints = {name: of.spread(values) if name in MOVING else values for name, values in x.items()}
    joints |= {name: _spread_rows(of, x[name]) for name in MATRICES if name in x}
    # sat(slip) stands for the sign of a rate: what two joints on one coordinate lose to dry friction is one parameter
    return joints | ({"slip": of.spread_signs(x["slip"])} if "slip" in x else {})


def _spread_rows(of: Coordinates, entries: Sequence[Scalar]) -> list[Scalar]:
    """S times a matrix that has a row a coordinate; both row by row."""
    width = len(entries) // len(of)
    columns = [of.spread(entries[k::width]) for k in range(width)]
    return [x for row in zip(*columns) for x in row]


# what is solved for, in coordinates


def mass_matrix(tree: Tree, q: Sequence[Scalar]) -> Rows:
    """Sᵀ M S at coordinates q."""
    return tree.coordinates.gather_both(inertia_matrix(tree, tree.coordinates.spread(q)))


def _torques(tree: Tree, x: Given) -> list[Scalar]:
    joints = _spread(tree.coordinates, x)
    return tree.coordinates.gather(inverse_dynamics(tree, joints["q"], joints["qd"], joints["qdd"], x.get("wrench")))


def _accelerations(tree: Tree, x: Given) -> list[Scalar]:
    bias = _torques(tree, {**x, "qdd": [0] * len(x["q"])})
    return InertiaSolver(mass_matrix(tree, x["q"]))([push - b for push, b in zip(x["tau"], bias, strict=True)])


def _forward_field(tree: Tree, x: Given, choices: Sequence[LinkOptions]) -> dict[str, Entries]:
    """The velocities' torques on the acceleration field, M from runs of parallel axes."""
    refuse_loaded(tree, NO_FORWARD)
    of, joints = tree.coordinates, _spread(tree.coordinates, {**x, "qdd": [0] * len(x["q"])})
    bias = of.gather(by_field(tree, joints, choices)["tau"])
    M = of.gather_both(composite_runs.inertia_matrix(tree, joints["q"]))
    return {"qdd": InertiaSolver(M)([push - b for push, b in zip(x["tau"], bias, strict=True)])}


def _slopes(tree: Tree, x: Given) -> dict[str, Rows]:
    """Of the accelerations, on dual numbers."""
    return dict(zip(("dq", "dqd", "dtau"), dual.forward(_accelerations, tree, x, products.STATE), strict=True))


def _weighted_slopes(tree: Tree, x: Given) -> dict[str, Entries]:
    return {name: products.weigh_rows(x["weights"], rows) for name, rows in _slopes(tree, x).items()}


def _operational(tree: Tree, x: Given) -> tuple[Rows, Rows]:
    """J S and Sᵀ M S"""
    J = jacobian(tree, tree.coordinates.spread(x["q"]))
    return tree.coordinates.gather_columns(J), mass_matrix(tree, x["q"])


def lagrange_terms(tree: Tree, found: LagrangeTerms) -> LagrangeTerms:
    """The coefficients of the coordinates from those of the joints."""
    of = tree.coordinates
    forms = [of.gather_both(_form(tree.dof, COR, CEN)) for COR, CEN in zip(found.COR, found.CEN, strict=True)]
    mixed = [[form[j][k] for j, k in pairs(len(of))] for form in forms]
    squares = [[form[j][j] for j in range(len(of))] for form in forms]
    return LagrangeTerms(
        A=of.gather_both(found.A),
        COR=of.gather_rows(mixed) if len(of) > 1 else [[]],
        CEN=of.gather_rows(squares),
        GRA=of.gather(found.GRA),
    )


def _form(n: int, COR: Sequence[Scalar], CEN: Sequence[Scalar]) -> Rows:
    """B of  q̇ᵀ B q̇ = 2 Σ b_jk q̇_j q̇_k + Σ b_jj q̇_j²"""
    mixed = dict(zip(pairs(n), COR, strict=True))
    return [[CEN[j] if j == k else mixed[min(j, k), max(j, k)] for k in range(n)] for j in range(n)]


def _lagrange(name: str) -> Method:
    def method(tree: Tree, x: Given) -> dict[str, Entries]:
        terms = lagrange_terms(tree, METHODS[name](tree, tree.coordinates.spread(x["q"])))
        forces = lagrange_forces(terms, x["qd"], x["qdd"], x["P"])._asdict()
        return vars(terms) | {key: value for key, value in forces.items() if key != "TIN"}

    return method


def _without_load_friction(method: Method) -> Method:
    """A method that asks for accelerations: friction must not follow the load."""

    def make_outputs(tree: Tree, x: Given) -> Outputs:
        refuse_loaded(tree, NO_FORWARD)
        return method(tree, x)

    return make_outputs


COMPOSITE = "inertia-matrix"
# the plain method first; where there are others, they are the ones to try
SOLVED: dict[str, Mapping[str, Method]] = {
    "forward_dynamics": {COMPOSITE: _without_load_friction(lambda tree, x: {"qdd": _accelerations(tree, x)})},
    "inertia_matrix_inverse": {"composite": lambda tree, x: {"Minv": invert_inertia(mass_matrix(tree, x["q"]))}},
    "forward_dynamics_derivatives": {
        "dual": _without_load_friction(_slopes),
        COMPOSITE: _without_load_friction(lambda tree, x: dual.forward_reverse(_torques, tree, x, mass_matrix)),
    },
    "forward_dynamics_jvp": {
        "dual": _without_load_friction(
            lambda tree, x: {"dqdd": products.along(_accelerations, tree, x, products.STATE)}
        ),
        COMPOSITE: _without_load_friction(lambda tree, x: products.forward_jvp(_torques, tree, x, mass_matrix)),
    },
    "forward_dynamics_vjp": {
        "dual": _without_load_friction(_weighted_slopes),
        COMPOSITE: _without_load_friction(lambda tree, x: products.forward_vjp(_torques, tree, x, mass_matrix)),
    },
    "operational_mobility": {"composite": lambda tree, x: {"Linv": operational.mobility(*_operational(tree, x))}},
    "operational_inertia": {"composite": lambda tree, x: {"L": operational.inertia(*_operational(tree, x))}},
    "lagrange_terms": {name: _lagrange(name) for name in METHODS},
    "friction_parts": {"laws": friction_apart},
}
FIELDS: dict[str, FieldMethod] = {"forward_dynamics": _forward_field}
