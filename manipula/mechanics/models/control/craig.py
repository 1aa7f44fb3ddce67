"""Adaptive computed torque of Craig, Hsu and Sastry: the error is made linear by a model that is learnt.

    e = q_d − q,  u = q̈_d + K_v ė + K_p e
    τ = Y(q, q̇, u) â                               M̂ (ë + K_v ė + K_p e) = Y(q, q̇, q̈) (a − â)
    â̇ = Γ Yᵀ(q, q̇, q̈) M̂⁻¹ (ė + Ψe)                within lower ≤ â ≤ upper

The acceleration is needed, and is not differenced from samples: it is that of a low-pass of time constant T, whose
state `slow` follows the velocity, q̈ ≈ (q̇ − slow)/T. The error equation is that of the true acceleration, so T must be
short beside the motion. An estimate that has come to its bound stays there until it is driven back, which keeps M̂ from
becoming singular where the bounds are those of an arm that can be.

Sampled every h seconds the low-pass goes by backward differences, the estimates by Euler's rule, cut at the bounds.

Source: Craig, Hsu, Sastry, "Adaptive control of mechanical manipulators", International Journal of Robotics Research 6
(1987). The low-pass in place of a measured acceleration is of this text.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from manipula.mechanics.models.block import Block, ModelCall, Result, variables
from manipula.mechanics.models.control.adaptive_ports import GAMMA, LOWER, THETA, UPPER, cut, rate_within, state_output
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.integrate.discretisation import SAMPLE
from manipula.mechanics.models.ports import ACCELERATION, EFFORT, Q_REF, QD_REF, QDD_REF, SMOOTHING, VELOCITY, PortKind
from manipula.scalar import Maths, Scalar


class Told(NamedTuple):
    """The torques, the rates of the estimates before their bounds, and the low-passed accelerations."""

    tau: list[Scalar]
    rates: list[Scalar]
    qdd: list[Scalar]


def _law(call: ModelCall, x: Given, lag: Scalar) -> Told:
    """`lag`: what divides the difference of velocity and low-pass."""
    pace = 1 / lag
    qdd = [pace * (fast - slow) for fast, slow in zip(x["qd"], x["slow"], strict=True)]
    e = [a - b for a, b in zip(x["q_ref"], x["q"], strict=True)]
    ed = [a - b for a, b in zip(x["qd_ref"], x["qd"], strict=True)]
    # u = q̈_d + K_v ė + K_p e
    u = [far + v * b + p * a for far, v, b, p, a in zip(x["qdd_ref"], x["kd"], ed, x["kp"], e, strict=True)]
    slip = [rate * (1 / width) for rate, width in zip(x["qd_ref"], x["smoothing"], strict=True)]
    motion = {"q": x["q"], "qd": x["qd"], "qd_r": x["qd"], "slip": slip, "theta": x["theta"]}
    # τ = Y(q, q̇, u) â
    tau = call("two_velocity_products", **motion, qdd_r=u, weights=[0] * len(e))["tau"]
    # M̂⁻¹ (ė + Ψe)
    pushed = InertiaSolver(call("base_inertia_matrix", q=x["q"], theta=x["theta"])["M"])(
        [b + psi * a for b, psi, a in zip(ed, x["psi"], e, strict=True)]
    )
    slope = call("two_velocity_products", **motion, qdd_r=qdd, weights=pushed)["slope"]
    return Told(tau, [g * y for g, y in zip(x["gamma"], slope, strict=True)], qdd)


def _continuous(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Any]:
    told = _law(call, x, x["filter"][0])
    rows = zip(x["theta"], told.rates, x["lower"], x["upper"], strict=True)
    return {"tau": told.tau, "theta_rate": [rate_within(maths, *row) for row in rows], "slow_rate": told.qdd}


def _sampled(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Any]:
    h = x["sample"][0]
    told = _law(call, x, x["filter"][0] + h)
    rows = zip(x["theta"], told.rates, x["lower"], x["upper"], strict=True)
    return {
        "tau": told.tau,
        "theta_next": [cut(maths, a + h * b, low, high) for a, b, low, high in rows],
        "slow_next": [a + h * b for a, b in zip(x["slow"], told.qdd, strict=True)],
    }


_SLOW = PortKind("slow", VELOCITY, "low-passed velocities", role="state")
_PORTS = (
    *variables("q", "qd"), Q_REF, QD_REF, QDD_REF, THETA, _SLOW,
    PortKind("kp", "1/s²", "proportional gains", role="setting"),
    PortKind("kd", "1/s", "derivative gains", role="setting"),
    PortKind("psi", "1/s", "share of the error in what the estimates follow, ė + Ψe; less than kd", role="setting"),
    GAMMA, LOWER, UPPER,
    PortKind("filter", "s", "time constant of the low-pass that gives accelerations", ("filter",), "setting",
             divides=True),
    SMOOTHING,
)  # fmt: skip


def _block(*, sampled: bool) -> Block:
    outputs = {"tau": Result(EFFORT, "joint torques")}
    outputs |= state_output("theta", "SI", "estimates", sampled=sampled)
    outputs |= state_output("slow", VELOCITY if sampled else ACCELERATION, "low-passed velocities", sampled=sampled)
    text, ports = (_sampled, (*_PORTS, SAMPLE)) if sampled else (_continuous, _PORTS)
    models = ("two_velocity_products", "base_inertia_matrix")
    return Block("craig", "computed torque whose model is learnt", ports, outputs, text, models)


CRAIG, SAMPLED_CRAIG = _block(sampled=False), _block(sampled=True)
