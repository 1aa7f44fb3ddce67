"""Entries of the catalogue: motion without forces, how dynamics changes, what control laws ask for, two velocities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from manipula.mechanics.models.derivatives import analytic as derivatives_analytic
from manipula.mechanics.models.derivatives import dual as derivatives
from manipula.mechanics.models.derivatives import products
from manipula.mechanics.models.derivatives import products as derivative_products
from manipula.mechanics.models.derivatives.dual import Torques
from manipula.mechanics.models.dynamics import energy as centre
from manipula.mechanics.models.dynamics import torque
from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.dynamics.friction import friction
from manipula.mechanics.models.entry import (
    AUTOMATIC,
    ENERGY,
    FIELD,
    FRAMES,
    TOOL,
    TORQUES,
    FieldMethod,
    Given,
    ModelEntry,
)
from manipula.mechanics.models.kinematics import jacobian, manipulability, pose
from manipula.mechanics.models.lagrange import momentum
from manipula.mechanics.models.linear import (
    base_parameters,
    base_regressor,
    payload,
    regressor,
    regressor_carried,
    two_velocity,
)
from manipula.mechanics.models.ports import EFFORT, MOMENTUM
from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.robot.tree import BASE, Tree
from manipula.mechanics.spatial.vector import dot

# The catalogue's entries about motion without forces: of the tool, or of any other frame in its place, and of the
# centre of mass.


def _velocity(chain: Tree, x: Given) -> dict[str, Any]:
    return {"v": [dot(row, x["qd"]) for row in jacobian.jacobian(chain, x["q"])]}


def _acceleration(chain: Tree, x: Given) -> dict[str, Any]:
    rows = zip(jacobian.jacobian(chain, x["q"]), jacobian.jacobian_dot(chain, x["q"], x["qd"]))
    return {"a": [dot(J, x["qdd"]) + dot(Jd, x["qd"]) for J, Jd in rows]}


def _acceleration_summed(chain: Tree, x: Given) -> dict[str, Any]:
    rows = zip(jacobian.jacobian(chain, x["q"]), jacobian.tool_bias(chain, x["q"], x["qd"]))
    return {"a": [dot(J, x["qdd"]) + bias for J, bias in rows]}


def _volumes(chain: Tree, x: Given) -> dict[str, Any]:
    return manipulability.manipulability(chain, x["q"])


def _of_moving_rows(model: ModelEntry, chain: Tree) -> ModelEntry:
    """Of an arm in numbers, without the rows in which it never moves."""
    rows = manipulability.moving_rows(chain)
    return replace(model, methods={"gram": lambda c, x: manipulability.manipulability(c, x["q"], rows)})


OF_FRAMES = (
    ModelEntry(
        "axes", "pose of every joint's own frame; it moves about or along +z", ("q",), {"T": ("1, m", "joints 1…n")},
        {"forward": lambda c, x: {"T": [at.rows() for at in pose.axes(c, x["q"])]}}, FRAMES, trees=("forward",),
    ),
    ModelEntry(
        "tool_velocity", "velocity of the tool, J·q̇, world axes", ("q", "qd"),
        {"v": ("m/s, rad/s", "linear, then angular")}, {"columns": _velocity}, TOOL, trees=("columns",),
    ),
    ModelEntry(
        "tool_acceleration", "acceleration of the tool, J·q̈ + J̇·q̇, world axes", ("q", "qd", "qdd"),
        {"a": ("m/s², rad/s²", "linear, then angular")},
        {"columns": _acceleration, "summed": _acceleration_summed}, TOOL, candidates=("summed",),
        trees=("columns", "summed"),
    ),
    ModelEntry(
        "manipulability", "how far the tool is from losing a freedom, √det(J·Jᵀ), of rows in which it moves", ("q",),
        {
            "w": ("mixed", "of the whole Jacobian"), "translation": ("m³, m² or m", "of the tool's position"),
            "rotation": ("1", "of its orientation"),
        },
        {"gram": _volumes}, TOOL, planned=_of_moving_rows, trees=("gram",),
    ),
    ModelEntry(
        "centre_of_mass", "centre of mass of the whole arm with its load, world axes", ("q",),
        {"com": ("m", "position")},
        {"first-moments": lambda c, x: {"com": centre.centre_of_mass(c, x["q"])}}, ENERGY, trees=("first-moments",),
        wants="a link with a mass",
    ),
    ModelEntry(
        "centre_of_mass_jacobian", "velocity of the centre of mass per joint velocity, world axes", ("q",),
        {"J": ("m/rad or 1", "3×n")},
        {"first-moments": lambda c, x: {"J": centre.centre_of_mass_jacobian(c, x["q"])}}, ENERGY,
        trees=("first-moments",), wants="a link with a mass",
    ),
)  # fmt: skip


# The catalogue's entries on how dynamics changes: whole matrices, and their products with a vector on either side.

ANALYTIC = "analytic"
FEW = 2  # joints


def _on_field(method: Callable[[Torques, Tree, Given], dict[str, Any]]) -> FieldMethod:
    """What differentiates any text of the torques, on that of the acceleration field."""

    def make_outputs(chain: Tree, x: Given, choices: Sequence[LinkOptions]) -> dict[str, Any]:
        return method(lambda c, y: torque.by_field(c, y, choices)["tau"], chain, x)

    return make_outputs


def _worth_trying(model: ModelEntry, chain: Tree) -> ModelEntry:
    """Every way on arms that are simple; on others nothing comes near the one that is named."""
    parallel = all(link.before.R[2][2] in (1, -1) for link in frames_on_joints(chain).links if link.parent != BASE)
    simple = chain.dof <= FEW or parallel
    return replace(model, candidates=tuple(model.method_names)) if simple else model


_INVERSE = {
    "dq": ("N·m/rad …", "by position: row a torque, column a joint"), "dqd": ("N·m·s/rad …", "by velocity"),
    "dqdd": ("kg·m²", "by acceleration: the inertia matrix"),
}  # fmt: skip
_FORWARD = {
    "dq": ("1/s² …", "by position: row an acceleration, column a joint"), "dqd": ("1/s …", "by velocity"),
    "dtau": ("1/(kg·m²)", "by torque: the inverse of the inertia matrix"),
}  # fmt: skip
_BY_MOTION = {
    "dq": ("1/rad …", "by position"), "dqd": ("s/rad …", "by velocity"), "dqdd": ("s²/rad …", "by acceleration"),
}  # fmt: skip
_ACCELERATION = ("rad/s² or m/s²", "the change of the accelerations")

DERIVATIVES = (
    ModelEntry(
        "inverse_dynamics_derivatives", "how joint torques change with the motion", ("q", "qd", "qdd"), _INVERSE,
        {"dual": derivatives.inverse_plain, ANALYTIC: derivatives_analytic.inverse}, TORQUES, takes_wrench=True,
        field=_on_field(derivatives.inverse_reverse), candidates=(ANALYTIC,), differentiates="inverse_dynamics",
        planned=_worth_trying, trees=("dual", FIELD, AUTOMATIC),
    ),
    ModelEntry(
        "forward_dynamics_derivatives", "how joint accelerations change with state and torques", ("q", "qd", "tau"),
        _FORWARD, {"dual": derivatives.forward_plain, ANALYTIC: derivatives_analytic.forward}, TORQUES,
        takes_wrench=True, field=_on_field(derivatives.forward_reverse), candidates=(ANALYTIC,),
        differentiates="forward_dynamics", planned=_worth_trying, trees=("dual", FIELD, AUTOMATIC),
    ),
    ModelEntry(
        "inverse_dynamics_jvp", "the change of joint torques along a change of the motion",
        ("q", "qd", "qdd", "dq", "dqd", "dqdd"), {"dtau": (EFFORT, "the change of the torques")},
        {"dual": derivative_products.inverse_along}, TORQUES, takes_wrench=True,
        field=_on_field(derivative_products.inverse_jvp), candidates=(FIELD,), planned=_worth_trying,
        trees=("dual", FIELD),
    ),
    ModelEntry(
        "inverse_dynamics_vjp", "the gradient of weighted joint torques by the motion", ("q", "qd", "qdd", "weights"),
        _BY_MOTION, {"dual": derivative_products.inverse_weighted}, TORQUES, takes_wrench=True,
        field=_on_field(derivative_products.inverse_vjp), candidates=(FIELD,), planned=_worth_trying,
        trees=("dual", FIELD),
    ),
    ModelEntry(
        "forward_dynamics_jvp", "the change of joint accelerations along a change of state and torques",
        ("q", "qd", "tau", "dq", "dqd", "dtau"), {"dqdd": _ACCELERATION},
        {"dual": derivative_products.forward_along}, TORQUES, takes_wrench=True,
        field=_on_field(derivative_products.forward_jvp), candidates=(FIELD,), planned=_worth_trying,
        trees=("dual", FIELD),
    ),
    ModelEntry(
        "forward_dynamics_vjp", "the gradient of weighted joint accelerations by state and torques",
        ("q", "qd", "tau", "weights"),
        {"dq": ("1/rad …", "by position"), "dqd": ("s/rad …", "by velocity"), "dtau": ("1/(N·m) …", "by torque")},
        {"dual": derivative_products.forward_weighted}, TORQUES, takes_wrench=True,
        field=_on_field(derivative_products.forward_vjp), candidates=(FIELD,), planned=_worth_trying,
        trees=("dual", FIELD),
    ),
)  # fmt: skip

REGRESSOR_SLOPES = (
    ModelEntry(
        "regressor_vjp", "the gradient of the regressor's weighted entries by the motion",
        ("q", "qd", "qdd", "cotangent"), _BY_MOTION,
        {
            "dual": products.weighted_slopes(regressor.regressor),
            "newton-euler": products.pulled_back(regressor.regressor),
            "carried": products.pulled_back(regressor_carried.regressor_carried),
        },
        FRAMES, candidates=("newton-euler", "carried"), columns=regressor.columns,
        trees=("dual", "newton-euler", "carried"),
    ),
    ModelEntry(
        "base_regressor_vjp", "the gradient of the base regressor's weighted entries by the motion",
        ("q", "qd", "qdd", "cotangent"), _BY_MOTION,
        {
            "dual": products.weighted_slopes(base_parameters.reduced_regressor),
            "newton-euler": products.pulled_back(base_parameters.reduced_regressor),
            "field": products.pulled_back(base_regressor.base_regressor),
            "field-turned": products.pulled_back(base_regressor.base_regressor_turned),
        },
        FRAMES, candidates=("newton-euler", "field", "field-turned"), columns=base_parameters.columns,
        ranked=("cotangent",), trees=("dual", "newton-euler", "field", "field-turned"),
    ),
)  # fmt: skip


# The catalogue's entries that control laws ask for: torques whose friction has a smooth sign, friction by itself,
# momenta, what the tool accelerates by.
#
# The sign of a measured velocity chatters when a joint is meant to rest. A law takes sat(q̇_ref/ε) for it instead, of
# the
# velocity that is wanted; what is proportional to the velocity keeps the measured one.


def _friction(chain: Tree, x: Given) -> dict[str, Any]:
    return {"f": friction(chain, x["qd"], _weight(chain, x["q"]), x["slip"])}


def _weight(chain: Tree, q: Sequence[Any]) -> Sequence[Any] | None:
    """The load of joints whose friction asks for it: what holds the arm still."""
    return torque.gravity(chain, q) if any(link.actuator.depends_on_load for link in chain.links) else None


FOR_CONTROL = (
    ModelEntry(
        "inverse_dynamics_smooth", "joint torques of a motion, sat(slip) standing for sign(q̇) in the friction",
        ("q", "qd", "qdd", "slip"), {"tau": (EFFORT, "joint torques")}, {"newton-euler": torque.by_newton_euler},
        TORQUES, field=torque.by_field, candidates=("newton-euler", FIELD), trees=("newton-euler", FIELD),
    ),
    ModelEntry(
        "friction", "what joints lose to friction, sat(slip) standing for sign(q̇); loaded by the weight alone",
        ("q", "qd", "slip"), {"f": (EFFORT, "joint torques")}, {"laws": _friction}, TORQUES, trees=("laws",),
    ),
    ModelEntry(
        "tool_bias", "acceleration of the tool at constant joint rates, J̇·q̇, world axes", ("q", "qd"),
        {"a": ("m/s², rad/s²", "linear, then angular")},
        {
            "columns": lambda c, x: {"a": [dot(row, x["qd"]) for row in jacobian.jacobian_dot(c, x["q"], x["qd"])]},
            "summed": lambda c, x: {"a": jacobian.tool_bias(c, x["q"], x["qd"])},
        },
        TOOL, candidates=("summed",), trees=("columns", "summed"),
    ),
    ModelEntry(
        "momentum", "the momenta of the joints, and what changes them beside motors, friction and contacts",
        ("q", "qd"), {"momentum": (MOMENTUM, "M q̇"), "change": (EFFORT, "Cᵀ q̇ − g, C of Christoffel symbols")},
        {
            "christoffel": lambda c, x: momentum.plain(c, x["q"], x["qd"])._asdict(),
            "recursive": lambda c, x: momentum.recursive(c, x["q"], x["qd"])._asdict(),
        },
        TORQUES, candidates=("recursive",), trees=("christoffel", "recursive"),
    ),
)  # fmt: skip


# The catalogue's entries on dynamics in two velocities: what adaptive laws are made of.

_MOTION = ("q", "qd", "qd_r", "qdd_r", "slip")

TWO_VELOCITIES = (
    ModelEntry(
        "two_velocity_dynamics", "torques of a motion asked for at another velocity, M q̈_r + C(q, q̇) q̇_r + g", _MOTION,
        {"tau": (EFFORT, "joint torques; friction is that of q̇_r, its sign smoothed")},
        {"newton-euler": two_velocity.dynamics_plain}, TORQUES, field=two_velocity.dynamics_by_field,
        candidates=(FIELD,), trees=("newton-euler", FIELD),
    ),
    ModelEntry(
        "two_velocity_regressor", "torques of a motion asked for at another velocity, per base parameter", _MOTION,
        {"Y": ("various", "Y · base parameters = M q̈_r + C(q, q̇) q̇_r + g + friction(q̇_r)")},
        {
            "polarised": lambda c, x: {"Y": two_velocity.polarise_regressor(c, x)},
            "field": lambda c, x: {"Y": two_velocity.two_velocity_regressor(c, x)},
            "field-turned": lambda c, x: {"Y": two_velocity.two_velocity_regressor_turned(c, x)},
        },
        FRAMES, candidates=("field", "field-turned"), columns=base_parameters.columns, ranked=("Y",),
        trees=("polarised", "field", "field-turned"),
    ),
    ModelEntry(
        "two_velocity_products", "that regressor times parameters, and weights times it",
        (*_MOTION, "theta", "weights"),
        {"tau": (EFFORT, "Y · theta"), "slope": ("various", "Yᵀ · weights, one entry a base parameter")},
        {
            "polarised": lambda c, x: two_velocity.products_of(two_velocity.polarise_regressor(c, x), x),
            "matrix": lambda c, x: two_velocity.products_of(two_velocity.two_velocity_regressor(c, x), x),
            "recursion": two_velocity.products_by_recursion,
        },
        FRAMES, candidates=("matrix", "recursion"), columns=base_parameters.columns, ranked=("slope",),
        trees=("polarised", "matrix", "recursion"),
    ),
    ModelEntry(
        "base_inertia_matrix", "M(q) of an arm with these base parameters", ("q", "theta"),
        {"M": ("kg·m²", "symmetric, linear in the parameters; motor inertia on the diagonal")},
        {
            "regressor": lambda c, x: {"M": two_velocity.inertia_plain(c, x)},
            "composite": lambda c, x: {"M": two_velocity.inertia(c, x)},
        },
        FRAMES, candidates=("composite",), trees=("regressor", "composite"),
    ),
    ModelEntry(
        "loaded_dynamics", "two_velocity_dynamics with a body of these parameters in the tool, and the body's share",
        (*_MOTION, "load", "weights"),
        {
            "tau": (EFFORT, "joint torques of the arm and the body"),
            "slope": ("various", "Yᵀ · weights, one entry a parameter of the body"),
        },
        {"polarised": payload.plain, "welded": payload.dynamics_with_payload}, FRAMES | TOOL, candidates=("welded",),
        trees=("polarised", "welded"),
    ),
)  # fmt: skip
