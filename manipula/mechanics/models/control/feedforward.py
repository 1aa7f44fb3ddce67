"""Feedforward: the torques of the motion that is wanted, known before it is made, and a spring and a damper about it.

    τ = M(q_ref) q̈_ref + c(q_ref, q̇_ref) + g(q_ref) + friction(q̇_ref) + kp (q_ref − q) + kd (q̇_ref − q̇)

Nothing measured goes through the model: the gains alone decide how noise reaches the torques.

Source: Craig, "Introduction to Robotics", 3rd ed. (2005), section 10.4 (feedforward nonlinear control).
"""

from __future__ import annotations

from typing import Any

from manipula.mechanics.models.block import Block, ModelCall, Result, variables
from manipula.mechanics.models.control.friction_compensation import slip
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import DAMPING, EFFORT, Q_REF, QD_REF, QDD_REF, SMOOTHING, STIFFNESS
from manipula.scalar import Maths, Scalar


def _text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Any]:
    motion = {"q": x["q_ref"], "qd": x["qd_ref"], "qdd": x["qdd_ref"]}
    ahead = call("inverse_dynamics_smooth", **motion, slip=slip(x))["tau"]
    # τ = ID(q_ref, q̇_ref, q̈_ref) + kp (q_ref − q) + kd (q̇_ref − q̇)
    tau = [
        known + p * (there - q) + d * (fast - qd)
        for known, p, there, q, d, fast, qd in zip(
            ahead, x["kp"], x["q_ref"], x["q"], x["kd"], x["qd_ref"], x["qd"], strict=True
        )
    ]
    return {"tau": tau}


FEEDFORWARD = Block(
    "feedforward",
    "the torques of the motion wanted, a spring and a damper about it",
    (*variables("q", "qd"), Q_REF, QD_REF, QDD_REF, STIFFNESS, DAMPING, SMOOTHING),
    {"tau": Result(EFFORT, "joint torques")},
    _text,
    ("inverse_dynamics_smooth",),
)
