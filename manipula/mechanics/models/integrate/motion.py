"""The arm in motion as a system with state: q and q̇, driven by torques."""

from __future__ import annotations

from typing import Any

from manipula.mechanics.models.block import Block, ModelCall, Result, states, variables
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import ACCELERATION, VELOCITY
from manipula.scalar import Maths, Rate


def _motion(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
    # d/dt q = q̇,  d/dt q̇ = M(q)⁻¹ (τ − c(q, q̇) − g(q) − friction)
    acceleration = call("forward_dynamics", q=x["q"], qd=x["qd"], tau=x["tau"])["qdd"]
    return {"q_rate": list(x["qd"]), "qd_rate": acceleration}


MOTION = Block(
    "motion",
    "the arm under joint torques",
    (*states("q", "qd"), *variables("tau")),
    {
        "q_rate": Result(VELOCITY, "rate of the positions", Rate("q")),
        "qd_rate": Result(ACCELERATION, "rate of the velocities", Rate("qd")),
    },
    _motion,
    ("forward_dynamics",),
)
