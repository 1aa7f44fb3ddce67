"""The catalogue's entries that control laws ask for: torques whose friction has a smooth sign, friction by itself,
momenta, what the tool accelerates by.

The sign of a measured velocity chatters when a joint is meant to rest. A law takes sat(q̇_ref/ε) for it instead, of the
velocity that is wanted; what is proportional to the velocity keeps the measured one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manipula.mechanics.models.dynamics import torque
from manipula.mechanics.models.dynamics.friction import friction
from manipula.mechanics.models.entry import FIELD, TOOL, TORQUES, Given, ModelEntry
from manipula.mechanics.models.kinematics import jacobian
from manipula.mechanics.models.lagrange import momentum
from manipula.mechanics.models.ports import EFFORT, MOMENTUM
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.vector import dot


def _smooth(chain: Tree, x: Given) -> dict[str, Any]:
    return {"tau": torque.inverse_dynamics(chain, x["q"], x["qd"], x["qdd"], slip=x["slip"])}


def _friction(chain: Tree, x: Given) -> dict[str, Any]:
    return {"f": friction(chain, x["qd"], _weight(chain, x["q"]), x["slip"])}


def _weight(chain: Tree, q: Sequence[Any]) -> Sequence[Any] | None:
    """The load of joints whose friction asks for it: what holds the arm still."""
    return torque.gravity(chain, q) if any(link.actuator.loaded for link in chain.links) else None


FOR_CONTROL = (
    ModelEntry(
        "inverse_dynamics_smooth", "joint torques of a motion, sat(slip) standing for sign(q̇) in the friction",
        ("q", "qd", "qdd", "slip"), {"tau": (EFFORT, "joint torques")}, {"newton-euler": _smooth}, TORQUES,
        field=torque.by_field, candidates=("newton-euler", FIELD), trees=("newton-euler", FIELD),
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
