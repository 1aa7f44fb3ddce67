"""PD with gravity compensation: every position can be held, and is reached from anywhere without friction's help.

    τ = kp (q_ref − q) + kd (q̇_ref − q̇) + g(q)

Source: Takegaki, Arimoto, "A new feedback method for dynamic control of manipulators", ASME Journal of Dynamic Systems,
Measurement, and Control 103 (1981); Siciliano et al., "Robotics" (2009), section 8.5.1.
"""

from __future__ import annotations

from typing import Any

from manipula.mechanics.models.block import Block, ModelCall, Result, variables
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import DAMPING, EFFORT, Q_REF, QD_REF, STIFFNESS
from manipula.scalar import Maths, Scalar


def _text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Any]:
    weight = call("gravity", q=x["q"])["g"]
    # τ = kp (q_ref − q) + kd (q̇_ref − q̇) + g(q)
    tau = [
        p * (there - q) + d * (fast - qd) + g
        for p, there, q, d, fast, qd, g in zip(
            x["kp"], x["q_ref"], x["q"], x["kd"], x["qd_ref"], x["qd"], weight, strict=True
        )
    ]
    return {"tau": tau}


PD_GRAVITY = Block(
    "pd_gravity",
    "a spring and a damper in every joint, and the weight carried",
    (*variables("q", "qd"), Q_REF, QD_REF, STIFFNESS, DAMPING),
    {"tau": Result(EFFORT, "joint torques")},
    _text,
    ("gravity",),
)
