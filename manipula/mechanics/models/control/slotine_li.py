"""The adaptive law of Slotine and Li: the arm's base parameters are learnt while it follows a reference.

    e = q − q_d,  s = ė + Λe,  q̇_r = q̇_d − Λe,  q̈_r = q̈_d − Λė

    τ = Y(q, q̇, q̇_r, q̈_r) â − K_D s            M q̈_r + C(q, q̇) q̇_r + g = Y a, a the true parameters
    â̇ = −Γ Yᵀ s

With V = ½ sᵀM s + ½ ãᵀΓ⁻¹ã, ã = â − a, it is V̇ = −sᵀK_D s: whatever the arm carries, s and with it the error die out.
No acceleration is measured and no inertia matrix inverted. The estimates need not come to the true values; they do so
far as the motion shows them. Friction that is linear in q̇ is felt at q̇ and compensated at q̇_r, which adds F_v to K_D.

Sampled, the estimates go forward by Euler's rule: â⁺ = â − h Γ Yᵀ s.

Source: Slotine, Li, "On the adaptive control of robot manipulators", International Journal of Robotics Research 6
(1987); Slotine, Li, "Applied Nonlinear Control" (1991), section 9.2.
"""

from __future__ import annotations

from typing import Any

from manipula.mechanics.models.block import Block, ModelCall, Result, variables
from manipula.mechanics.models.control.adaptive_ports import GAMMA, LAMBDA, THETA, reference_rates, state_output
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.integrate.discretisation import SAMPLE
from manipula.mechanics.models.ports import DAMPING, EFFORT, Q_REF, QD_REF, QDD_REF, SMOOTHING
from manipula.scalar import Maths, Scalar


def _law(call: ModelCall, x: Given) -> tuple[list[Scalar], list[Scalar]]:
    """The torques, and the rates of the estimates."""
    to = reference_rates(x)
    motion = {"q": x["q"], "qd": x["qd"], "qd_r": to.qd, "qdd_r": to.qdd, "slip": to.slip}
    found = call("two_velocity_products", **motion, theta=x["theta"], weights=to.s)
    # τ = Yâ − K_D s
    tau = [y - d * s for y, d, s in zip(found["tau"], x["kd"], to.s, strict=True)]
    # â̇ = −Γ Yᵀs
    return tau, [-(g * y) for g, y in zip(x["gamma"], found["slope"], strict=True)]


def _continuous(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Any]:
    tau, rate = _law(call, x)
    return {"tau": tau, "theta_rate": rate}


def _sampled(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Any]:
    tau, rate = _law(call, x)
    h = x["sample"][0]
    return {"tau": tau, "theta_next": [a + h * b for a, b in zip(x["theta"], rate, strict=True)]}


_PORTS = (*variables("q", "qd"), Q_REF, QD_REF, QDD_REF, THETA, LAMBDA, DAMPING, GAMMA, SMOOTHING)
_TORQUES = {"tau": Result(EFFORT, "joint torques")}
_CALLS = ("two_velocity_products",)

SLOTINE_LI = Block(
    "slotine_li", "the arm's base parameters learnt while it follows a reference", _PORTS,
    _TORQUES | state_output("theta", "SI", "estimates", sampled=False), _continuous, _CALLS,
)  # fmt: skip
SAMPLED_SLOTINE_LI = Block(
    "slotine_li", "the arm's base parameters learnt while it follows a reference, sampled", (*_PORTS, SAMPLE),
    _TORQUES | state_output("theta", "SI", "estimates", sampled=True), _sampled, _CALLS,
)  # fmt: skip
