"""Model-referenced adaptive control of Dubowsky and DesForges: every joint is made to move like a second-order model.

    a ÿ + b ẏ + y = r                     the model, a = 1/ω², b = 2ζ/ω; r is the position wanted
    α ẍ + β ẋ + x = r                     a joint x under τ = (J/α)(r − x − β ẋ), were it the inertia J alone
    e = y − x,  f = ½ (k₁ ė + k₀ e)²      what steepest descent makes small:
    α̇ ∝ (k₁ ė + k₀ e)(k₁ u̇ + k₀ u)        a ü + b u̇ + u = −ÿ, the sensitivity of x to α
    β̇ ∝ (k₁ ė + k₀ e)(k₁ ẇ + k₀ w)        a ẅ + b ẇ + w = −ẏ, its sensitivity to β

Here α = a (1 + A), β = b (1 + B) with the states A and B, and the sensitivities are scaled by a and b, so that all of
them begin at 0. The weight of ë, which the authors have beside k₁ and k₀, is 0: no acceleration is measured. 1 + A is
not let below a tenth. Every joint is by itself: gravity and the coupling between joints are disturbances to it.
Sampled, the states go forward by Euler's rule, velocities before the positions that follow them.

Source: Dubowsky, DesForges, "The application of model-referenced adaptive control to robotic manipulators", ASME
Journal of Dynamic Systems, Measurement, and Control 101 (1979); Fu, Gonzalez, Lee, "Robotics" (1987), section 5.8.1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from manipula.mechanics.models.block import Block, ModelCall, Result, variables
from manipula.mechanics.models.control.adaptive_ports import state_output
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.integrate.discretisation import SAMPLE
from manipula.mechanics.models.ports import ACCELERATION, EFFORT, POSITION, Q_REF, VELOCITY, PortKind
from manipula.scalar import Maths, Scalar

LEAST = Fraction(1, 10)  # of 1 + A
RATE_OF = {"model": "model_speed", "u": "u_speed", "w": "w_speed"}


def _joint(maths: Maths[Any], x: Given, i: int) -> tuple[Any, dict[str, Any]]:
    """Of one joint: the torque, and the rates of its states."""
    now = {name: x[name][i] for name in _STATES}
    omega, zeta, q, r = x["frequency"][i], x["zeta"][i], x["q"][i], x["q_ref"][i]
    stiff, damped = omega * omega, 2 * zeta * omega  # 1/a, b/a

    def second(drive: Scalar, place: str) -> Any:
        """ẍ of a ẍ + b ẋ + x = a·drive"""
        return drive - damped * now[RATE_OF[place]] - stiff * now[place]

    # ÿ = (r − b ẏ − y)/a;  the sensitivities to A = α/a − 1 and B = β/b − 1
    model = second(stiff * r, "model")
    u, w = second(-model, "u"), second(-(damped * now["model_speed"]), "w")
    wrong = x["k1"][i] * (now["model_speed"] - x["qd"][i]) + x["k0"][i] * (now["model"] - q)
    climb = [x["k1"][i] * now[f"{z}_speed"] + x["k0"][i] * now[z] for z in ("u", "w")]
    # τ = (J/α)(r − x − β ẋ)
    share = maths.maximum(1 + now["alpha"], maths.number(LEAST))
    b = 2 * zeta * (1 / omega)
    tau = x["inertia"][i] * stiff * (1 / share) * (r - q - b * (1 + now["beta"]) * x["qd"][i])
    learning = {name: x["gamma"][i] * wrong * slope for name, slope in zip(("alpha", "beta"), climb, strict=True)}
    moving = {place: now[rate] for place, rate in RATE_OF.items()}
    return tau, {**moving, "model_speed": model, "u_speed": u, "w_speed": w, **learning}


def _continuous(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
    tau, rates = zip(*(_joint(maths, x, i) for i in range(len(x["q"]))))
    return {"tau": list(tau), **{f"{name}_rate": [rate[name] for rate in rates] for name in _STATES}}


def _sampled(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
    h, found = x["sample"][0], dict[str, list[Any]]()
    tau, rates = zip(*(_joint(maths, x, i) for i in range(len(x["q"]))))
    for name in sorted(_STATES, key=lambda name: name in RATE_OF):  # rates before the places that follow them
        if name in RATE_OF:
            found[name] = [a + h * b for a, b in zip(x[name], found[RATE_OF[name]], strict=True)]
        else:
            found[name] = [a + h * rate[name] for a, rate in zip(x[name], rates, strict=True)]
    found["alpha"] = [maths.maximum(a, maths.number(LEAST - 1)) for a in found["alpha"]]
    return {"tau": list(tau), **{f"{name}_next": values for name, values in found.items()}}


_ABOUT = {
    "model": (POSITION, "positions of the models"),
    "model_speed": (VELOCITY, "velocities of the models"),
    "u": (POSITION, "sensitivities to the inertia"),
    "u_speed": (VELOCITY, "rates of the sensitivities to the inertia"),
    "w": (POSITION, "sensitivities to the damping"),
    "w_speed": (VELOCITY, "rates of the sensitivities to the damping"),
    "alpha": ("1", "relative changes of α"),
    "beta": ("1", "relative changes of β"),
}
_STATES = tuple(_ABOUT)
_PORTS = (
    *variables("q", "qd"), Q_REF,
    *(PortKind(name, unit, doc, role="state", letter=f"mrac_{name}") for name, (unit, doc) in _ABOUT.items()),
    PortKind("frequency", "rad/s", "natural frequencies of the models", role="setting", divides=True),
    PortKind("zeta", "1", "damping ratios of the models", role="setting"),
    PortKind("inertia", "kg·m² or kg", "inertias that the gains begin with", role="setting"),
    PortKind("k0", "1", "weights of the error", role="setting"),
    PortKind("k1", "s", "weights of the error's rate", role="setting"),
    PortKind("gamma", "1/(rad²·s) or 1/(m²·s)", "gains of the adaptation", role="setting"),
)  # fmt: skip


def _block(*, sampled: bool) -> Block:
    outputs = {"tau": Result(EFFORT, "joint torques")}
    for name, (unit, doc) in _ABOUT.items():
        outputs |= state_output(name, unit if sampled else {POSITION: VELOCITY, VELOCITY: ACCELERATION}.get(unit,
        "1/s"), doc,
                          sampled=sampled)  # fmt: skip
    text, ports = (_sampled, (*_PORTS, SAMPLE)) if sampled else (_continuous, _PORTS)
    return Block("mrac", "every joint made to move like a second-order model", ports, outputs, text)


MRAC, SAMPLED_MRAC = _block(sampled=False), _block(sampled=True)
