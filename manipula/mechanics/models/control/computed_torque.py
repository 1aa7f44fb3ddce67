"""Computed torque: the error follows ë + kd ė + kp e = 0, as far as the model is right.

    a = q̈_ref + kd (q̇_ref − q̇) + kp (q_ref − q)
    τ = M(q) a + c(q, q̇) + g(q) + friction

with an integral it follows e⃛ + kd ë + kp ė + ki e = 0 (`computed_torque_pid`):

    a = q̈_ref + kd (q̇_ref − q̇) + kp (q_ref − q) + I,    İ = ki (q_ref − q)

and I waits while the torque of its joint is at its limit and the error asks for more ("conditional integration").

The friction that has a sign takes sat(q̇_ref/ε) for it (`friction_compensation` says why); the rest is exact.

Source: Siciliano, Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), section 8.5.2;
Åström, Hägglund, "PID Controllers" (1995), section 3.5 (conditional integration).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from manipula.mechanics.models.control.joint_feedback import slip
from manipula.mechanics.models.dynamics.friction import saturate
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, variables
from manipula.mechanics.models.integrate.discretisation import SAMPLE
from manipula.mechanics.models.ports import (
    ACCELERATION,
    BRAKE,
    EFFORT,
    LIMIT,
    PULL,
    Q_REF,
    QD_REF,
    QDD_REF,
    SMOOTHING,
    VELOCITY,
    PortKind,
)
from manipula.scalar import Entries, Maths, Next, Rate, Scalar


def commanded_acceleration(x: Given) -> list[Scalar]:
    """a = q̈_ref + kd (q̇_ref − q̇) + kp (q_ref − q)"""
    return [
        far + d * (fast - qd) + p * (there - q)
        for far, fast, there, q, qd, p, d in zip(
            x["qdd_ref"], x["qd_ref"], x["q_ref"], x["q"], x["qd"], x["kp"], x["kd"], strict=True
        )
    ]


def torque_for(call: ModelCall, x: Given, a: list[Scalar]) -> list[Scalar]:
    """τ = M(q) a + c(q, q̇) + g(q) + friction"""
    return list(call("inverse_dynamics_smooth", q=x["q"], qd=x["qd"], qdd=a, slip=slip(x))["tau"])


def _computed_torque(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    return {"tau": torque_for(call, x, commanded_acceleration(x))}


_REFERENCE = (*variables("q", "qd"), Q_REF, QD_REF, QDD_REF)
_TORQUES = Result(EFFORT, "joint torques")
COMPUTED_TORQUE = Block(
    "computed_torque",
    "linear error dynamics by the inverse of the model",
    (*_REFERENCE, PULL, BRAKE, SMOOTHING),
    {"tau": _TORQUES},
    _computed_torque,
    ("inverse_dynamics_smooth",),
)


# with an integral


class ComputedTorqueAction(NamedTuple):
    """What the law says at one moment: the torques, and the rate of the integral."""

    tau: list[Scalar]
    slope: list[Scalar]


def _law(maths: Maths[Scalar], call: ModelCall, x: Given) -> ComputedTorqueAction:
    asked = torque_for(
        call, x, [a + integral for a, integral in zip(commanded_acceleration(x), x["integral"], strict=True)]
    )
    found = ComputedTorqueAction([], [])
    for v, there, q, ki, limit in zip(asked, x["q_ref"], x["q"], x["ki"], x["limit"], strict=True):
        # τ = min(max(v, −limit), limit)
        found.tau.append(maths.minimum(maths.maximum(v, -limit), limit))
        # İ = ki e, or 0 where |v| > limit and e has the sign of v
        e = there - q
        free = maths.select(maths.less(limit, maths.abs(v)), maths.less(e * v, 0), 1)
        found.slope.append(maths.select(free, ki * e, 0))
    return found


def _continuous(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    law = _law(maths, call, x)
    return {"tau": law.tau, "integral_rate": law.slope}


def _discrete_law(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    law, h = _law(maths, call, x), x["sample"][0]
    # I⁺ = I + h İ
    return {"tau": law.tau, "integral_next": [a + h * b for a, b in zip(x["integral"], law.slope)]}


_PORTS = (
    *_REFERENCE, PortKind("integral", ACCELERATION, "integral of the error, as an acceleration", role="state"),
    PULL, PortKind("ki", "1/s³", "integral gains", role="setting"), BRAKE,
    replace(LIMIT, default=float("inf")), SMOOTHING,
)  # fmt: skip
COMPUTED_TORQUE_PID = Block(
    "computed_torque_pid", "computed torque with an integral, in continuous time", _PORTS,
    {"tau": _TORQUES, "integral_rate": Result("rad/s³ or m/s³", "rate of the integral", Rate("integral"))},
    _continuous, ("inverse_dynamics_smooth",),
)  # fmt: skip
SAMPLED_COMPUTED_TORQUE_PID = Block(
    "computed_torque_pid", "computed torque with an integral, sampled", (*_PORTS, SAMPLE),
    {"tau": _TORQUES, "integral_next": Result(ACCELERATION, "integral after the step", Next("integral"))},
    _discrete_law, ("inverse_dynamics_smooth",),
)  # fmt: skip


# Sliding control: an error is led to a line in finite time, whatever the model's mistake, and down the line to zero.
#
#     e = q_ref − q                      s = ė + Λ e                  s = 0: the line, on which e dies out with e^(−Λt)
#     a = q̈_ref + Λ ė + K sat(s/φ)       sat: the number, held within ±1
#     τ = M(q) a + c(q, q̇) + g(q) + friction
#
# With the exact model ṡ = −K sat(s/φ): from |s| > φ the layer |s| ≤ φ is reached after (|s| − φ)/K and not left again.
# A model that is wrong by no more than η < K in the acceleration of the joint needs at most (|s| − φ)/(K − η). Within
# the layer the law is computed torque with kd = Λ + K/φ, kp = Λ K/φ, and does not chatter.
#
# Source: Slotine, Li, "Applied Nonlinear Control" (1991), sections 7.1 (sliding surfaces) and 7.2 (boundary layers).


def _sliding(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
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
    _sliding,
    ("inverse_dynamics_smooth",),
)  # fmt: skip
