"""Computed torque: the error follows ë + kd ė + kp e = 0, as far as the model is right.

    a = q̈_ref + kd (q̇_ref − q̇) + kp (q_ref − q)
    τ = M(q) a + c(q, q̇) + g(q) + friction

Source: Siciliano, Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), section 8.5.2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from manipula.mechanics.models.block import Block, Call, Result, variables
from manipula.mechanics.models.control.ports import DAMPING, Q_REF, QD_REF, QDD_REF, STIFFNESS
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import EFFORT
from manipula.scalar import Maths


def _text(maths: Maths[Any], call: Call, x: Given) -> dict[str, Any]:
    # a = q̈_ref + kd (q̇_ref − q̇) + kp (q_ref − q)
    a = [
        far + d * (fast - qd) + p * (there - q)
        for far, fast, there, q, qd, p, d in zip(
            x["qdd_ref"], x["qd_ref"], x["q_ref"], x["q"], x["qd"], x["kp"], x["kd"], strict=True
        )
    ]
    return {"tau": call("inverse_dynamics", q=x["q"], qd=x["qd"], qdd=a)["tau"]}


COMPUTED_TORQUE = Block(
    "computed_torque",
    "linear error dynamics by the inverse of the model",
    (
        *variables("q", "qd"),
        *(Q_REF, QD_REF, QDD_REF, replace(STIFFNESS, unit="1/s²"), replace(DAMPING, unit="1/s")),
    ),
    {"tau": Result(EFFORT, "joint torques")},
    _text,
    ("inverse_dynamics",),
)
