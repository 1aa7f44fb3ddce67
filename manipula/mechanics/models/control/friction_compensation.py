"""Friction compensation: friction is added to what moves the arm, ahead of the motion.

    τ = kp (q_ref − q) + kd (q̇_ref − q̇) + g(q) + share · f(q̇, sat(q̇_ref/ε))

Every friction law of the joint is in f: what is proportional to the velocity takes the measured one, what has a sign
takes that of the velocity wanted, drawn out: sat is the number, held within ±1. The sign of a measured velocity turns
with its noise, and the compensated joint chatters about rest. A share below 1 leaves some friction: a joint whose
friction is overestimated by the model is then still damped, and does not swing about its goal.

Source: B. Armstrong-Hélouvry, P. Dupont and C. Canudas de Wit, A survey of models, analysis tools and compensation
methods for the control of machines with friction, Automatica 30(7), 1994, section 5 (compensation).
"""

from __future__ import annotations

from typing import Any

from manipula.mechanics.models.block import Block, ModelCall, Result, variables
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import DAMPING, EFFORT, Q_REF, QD_REF, SMOOTHING, STIFFNESS, PortKind
from manipula.scalar import Maths, Scalar


def slip(x: Given, velocity: str = "qd_ref") -> list[Scalar]:
    """q̇_ref/ε, which friction takes within ±1; the divisions are prepared once."""
    return [rate * (1 / width) for rate, width in zip(x[velocity], x["smoothing"], strict=True)]


def _text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Any]:
    weight = call("gravity", q=x["q"])["g"]
    rub = call("friction", q=x["q"], qd=x["qd"], slip=slip(x))["f"]
    # τ = kp (q_ref − q) + kd (q̇_ref − q̇) + g(q) + share f
    tau = [
        p * (there - q) + d * (fast - qd) + g + share * f
        for p, there, q, d, fast, qd, g, share, f in zip(
            x["kp"], x["q_ref"], x["q"], x["kd"], x["qd_ref"], x["qd"], weight, x["share"], rub, strict=True
        )
    ]
    return {"tau": tau}


FRICTION_COMPENSATION = Block(
    "friction_compensation",
    "a spring and a damper in every joint, weight and friction carried",
    (
        *variables("q", "qd"), Q_REF, QD_REF, STIFFNESS, DAMPING,
        PortKind("share", "1", "of the friction that is compensated", role="setting", default=1.0), SMOOTHING,
    ),
    {"tau": Result(EFFORT, "joint torques")},
    _text,
    ("gravity", "friction"),
)  # fmt: skip
