"""Momentum observer: what else than its motors pushes the arm, without accelerations and without M⁻¹.

    p = M(q) q̇                         ṗ = τ + Cᵀq̇ − g − friction + τ_ext
    r = K (p − σ)                      σ̇ = τ + Cᵀq̇ − g − friction + r,    σ(0) = p(0)

so that ṙ = K (τ_ext − r): the residual r is the external torque through a first-order low-pass. Sampled every h
seconds, with backward differences, which are stable for any K h:

    r = K/(1 + K h) (p − σ)            σ⁺ = σ + h (τ + Cᵀq̇ − g − friction + r)

An arm that starts at rest starts with σ = 0. Friction has the smooth sign of the measured velocity, for none is wanted
here; at rest it is what nobody knows, and the residual contains it.

Source: De Luca, Mattone, "Sensorless robot collision detection and hybrid force/motion control", IEEE International
Conference on Robotics and Automation (2005); De Luca, Albu-Schäffer, Haddadin, Hirzinger, "Collision detection and safe
reaction with the DLR-III lightweight manipulator arm", IEEE/RSJ IROS (2006).
"""

from __future__ import annotations

from typing import NamedTuple

from manipula.mechanics.models.control.joint_feedback import slip
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, variables
from manipula.mechanics.models.integrate.discretisation import SAMPLE
from manipula.mechanics.models.ports import EFFORT, MOMENTUM, SMOOTHING, PortKind
from manipula.scalar import Entries, Maths, Next, Rate, Scalar


class Seen(NamedTuple):
    """The residual, and what the momentum should change by if it is true."""

    residual: list[Scalar]
    slope: list[Scalar]


def _observe(call: ModelCall, x: Given, gains: list[Scalar]) -> Seen:
    arm = call("momentum", q=x["q"], qd=x["qd"])
    rub = call("friction", q=x["q"], qd=x["qd"], slip=slip(x, "qd"))["f"]
    # r = K (p − σ)
    residual = [k * (p - total) for k, p, total in zip(gains, arm["momentum"], x["integral"], strict=True)]
    # σ̇ = τ + (Cᵀq̇ − g) − friction + r
    slope = [t + c - f + r for t, c, f, r in zip(x["tau"], arm["change"], rub, residual, strict=True)]
    return Seen(residual, slope)


def _continuous(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    seen = _observe(call, x, list(x["gain"]))
    return {"residual": seen.residual, "integral_rate": seen.slope}


def _discrete_law(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    h = x["sample"][0]
    # K/(1 + K h)
    seen = _observe(call, x, [k / (1 + k * h) for k in x["gain"]])
    return {"residual": seen.residual, "integral_next": [a + h * b for a, b in zip(x["integral"], seen.slope)]}


_PORTS = (
    *variables("q", "qd", "tau"),
    PortKind("integral", MOMENTUM, "the momentum that what is known makes", role="state"),
    PortKind("gain", "1/s", "how fast the residual follows", role="setting"), SMOOTHING,
)  # fmt: skip
_CALLS = ("momentum", "friction")
_RESIDUAL = Result(EFFORT, "external torques, low-passed")
MOMENTUM_OBSERVER = Block(
    "momentum_observer", "external torques from the momentum, in continuous time", _PORTS,
    {"residual": _RESIDUAL, "integral_rate": Result(EFFORT, "rate of the integral", Rate("integral"))},
    _continuous, _CALLS,
)  # fmt: skip
SAMPLED_MOMENTUM_OBSERVER = Block(
    "momentum_observer", "external torques from the momentum, sampled", (*_PORTS, SAMPLE),
    {"residual": _RESIDUAL, "integral_next": Result(MOMENTUM, "integral after the step", Next("integral"))},
    _discrete_law, _CALLS,
)  # fmt: skip
