"""The catalogue's entries on dynamics in two velocities: what adaptive laws are made of."""

from __future__ import annotations

from manipula.mechanics.models.entry import FIELD, FRAMES, TORQUES, Model
from manipula.mechanics.models.linear import base_parameters, two_velocity
from manipula.mechanics.models.ports import EFFORT

_MOTION = ("q", "qd", "qd_r", "qdd_r", "slip")

TWO_VELOCITIES = (
    Model(
        "two_velocity_dynamics", "torques of a motion asked for at another velocity, M q̈_r + C(q, q̇) q̇_r + g", _MOTION,
        {"tau": (EFFORT, "joint torques; friction is that of q̇_r, its sign smoothed")},
        {"newton-euler": two_velocity.dynamics_plain}, TORQUES, field=two_velocity.dynamics_by_field,
        candidates=(FIELD,), trees=("newton-euler", FIELD),
    ),
    Model(
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
    Model(
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
)  # fmt: skip
