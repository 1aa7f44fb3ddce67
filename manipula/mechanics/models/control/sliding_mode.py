"""Sliding control: an error is led to a line in finite time, whatever the model's mistake, and down the line to zero.

    e = q_ref − q                      s = ė + Λ e                  s = 0: the line, on which e dies out with e^(−Λt)
    a = q̈_ref + Λ ė + K sat(s/φ)       sat: the number, held within ±1
    τ = M(q) a + c(q, q̇) + g(q) + friction

With the exact model ṡ = −K sat(s/φ): from |s| > φ the layer |s| ≤ φ is reached after (|s| − φ)/K and not left again.
A model that is wrong by no more than η < K in the acceleration of the joint needs at most (|s| − φ)/(K − η). Within the
layer the law is computed torque with kd = Λ + K/φ, kp = Λ K/φ, and does not chatter.

Source: Slotine, Li, "Applied Nonlinear Control" (1991), sections 7.1 (sliding surfaces) and 7.2 (boundary layers).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from manipula.mechanics.models.block import Block, ModelCall, Result, variables
from manipula.mechanics.models.control.computed_torque import torque_for
from manipula.mechanics.models.dynamics.friction import saturate
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import ACCELERATION, EFFORT, Q_REF, QD_REF, QDD_REF, SMOOTHING, VELOCITY, PortKind
from manipula.scalar import Maths, Scalar


def _text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Any]:
    a = []
    for i, (q, qd) in enumerate(zip(x["q"], x["qd"], strict=True)):
        slope = x["qd_ref"][i] - qd
        # s = ė + Λ e
        s = slope + x["lam"][i] * (x["q_ref"][i] - q)
        # sat(s/φ) = min(max(s/φ, −1), 1)
        share = saturate(maths, s * (1 / x["layer"][i]))
        # a = q̈_ref + Λ ė + K sat(s/φ)
        a.append(x["qdd_ref"][i] + x["lam"][i] * slope + x["gain"][i] * share)
    return {"tau": torque_for(call, x, a)}


def linear_gains(x: Mapping[str, float]) -> tuple[float, float, float]:
    """(ki, kp, kd) within the layer, where K/φ is the steepest."""
    steep = x["gain"] / x["layer"]
    return 0.0, x["lam"] * steep, x["lam"] + steep


SLIDING = Block(
    "sliding",
    "errors led to a line in finite time, and down it",
    (
        *variables("q", "qd"), Q_REF, QD_REF, QDD_REF,
        PortKind("lam", "1/s", "how fast an error on the line dies out", role="setting"),
        PortKind("gain", ACCELERATION, "how hard it is pulled to the line", role="setting"),
        PortKind("layer", VELOCITY, "width of the layer about the line, either way", role="setting", divides=True),
        SMOOTHING,
    ),
    {"tau": Result(EFFORT, "joint torques")},
    _text,
    ("inverse_dynamics_smooth",),
)  # fmt: skip
