"""The catalogue's entries on dynamics in two velocities: what adaptive laws are made of."""

from __future__ import annotations

from manipula.mechanics.models.entry import FIELD, FRAMES, TOOL, TORQUES, ModelEntry
from manipula.mechanics.models.linear import base_parameters, payload, two_velocity
from manipula.mechanics.models.ports import EFFORT

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
            "polarised": lambda c, x: {"Y": two_velocity.polarised(c, x)},
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
            "polarised": lambda c, x: two_velocity.products_of(two_velocity.polarised(c, x), x),
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
        {"polarised": payload.plain, "welded": payload.welded}, FRAMES | TOOL, candidates=("welded",),
        trees=("polarised", "welded"),
    ),
)  # fmt: skip
