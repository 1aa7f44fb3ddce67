"""The catalogue's entries on how dynamics changes: whole matrices, and their products with a vector on either side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from manipula.mechanics.models.derivatives import analytic as derivatives_analytic
from manipula.mechanics.models.derivatives import dual as derivatives
from manipula.mechanics.models.derivatives import products as derivative_products
from manipula.mechanics.models.derivatives import regressors
from manipula.mechanics.models.derivatives.dual import Torques
from manipula.mechanics.models.dynamics import torque
from manipula.mechanics.models.dynamics.acceleration_field import LinkOptions
from manipula.mechanics.models.entry import AUTOMATIC, FIELD, FRAMES, TORQUES, FieldMethod, Given, ModelEntry
from manipula.mechanics.models.linear import base_parameters, base_regressor, regressor, regressor_carried
from manipula.mechanics.models.ports import EFFORT
from manipula.mechanics.robot.reduce.chains import frames_on_joints
from manipula.mechanics.robot.tree import BASE, Tree

ANALYTIC = "analytic"
FEW = 2  # joints


def _on_field(method: Callable[[Torques, Tree, Given], dict[str, Any]]) -> FieldMethod:
    """What differentiates any text of the torques, on that of the acceleration field."""

    def made(chain: Tree, x: Given, choices: Sequence[LinkOptions]) -> dict[str, Any]:
        return method(lambda c, y: torque.by_field(c, y, choices)["tau"], chain, x)

    return made


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
            "dual": regressors.weighted(regressor.regressor),
            "newton-euler": regressors.pulled_back(regressor.regressor),
            "carried": regressors.pulled_back(regressor_carried.regressor_carried),
        },
        FRAMES, candidates=("newton-euler", "carried"), columns=regressor.columns,
        trees=("dual", "newton-euler", "carried"),
    ),
    ModelEntry(
        "base_regressor_vjp", "the gradient of the base regressor's weighted entries by the motion",
        ("q", "qd", "qdd", "cotangent"), _BY_MOTION,
        {
            "dual": regressors.weighted(base_parameters.reduced_regressor),
            "newton-euler": regressors.pulled_back(base_parameters.reduced_regressor),
            "field": regressors.pulled_back(base_regressor.base_regressor),
            "field-turned": regressors.pulled_back(base_regressor.base_regressor_turned),
        },
        FRAMES, candidates=("newton-euler", "field", "field-turned"), columns=base_parameters.columns,
        ranked=("cotangent",), trees=("dual", "newton-euler", "field", "field-turned"),
    ),
)  # fmt: skip
