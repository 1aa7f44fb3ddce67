"""PID of every joint, with a filtered derivative and an integral that does not wind up.

    e = q_ref − q
    v = kp e + I + kd (q̇_ref − d)          d: derivative of the low-passed position
    τ = v, held within ± limit

In continuous time, with f the low-passed position of time constant T, and k_t the gain of tracking:

    ḟ = d = (q − f)/T                      İ = ki e + k_t (τ − v)

Sampled every h seconds the filter goes by backward differences, which are stable for any h and T ≥ 0 (T = 0: the plain
difference of two samples), the integral forward:

    d = (q − f)/(T + h),  f⁺ = f + h d     I⁺ = I + h (ki e + k_t (τ − v))

While the torque is at its limit, k_t (τ − v) leads the integral back ("back-calculation", of tracking time 1/k_t);
k_t = 0 leaves it free to wind up. Start with I = 0 and f = q, else the first derivative is that of a jump.

Source: Åström, Murray, "Feedback Systems" (2008), sections 10.4 (windup) and 10.5 (filtering, implementation).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from manipula.mechanics.models.block import Block, ModelCall, Result, variables
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.integrate.discretisation import SAMPLE
from manipula.mechanics.models.ports import (
    DAMPING,
    EFFORT,
    LIMIT,
    POSITION,
    Q_REF,
    QD_REF,
    STIFFNESS,
    VELOCITY,
    PortKind,
)
from manipula.scalar import Maths, Next, Rate, Scalar

RATE_OF_EFFORT = "N·m/s or N/s"


class PidAction(NamedTuple):
    """What the law says at one moment: the torques, and the rates of integral and filter."""

    tau: list[Scalar]
    windup: list[Scalar]
    slope: list[Scalar]


def _law(maths: Maths[Scalar], x: Given, lag: Scalar) -> PidAction:
    """`lag`: what divides the difference of position and filter, the same for all joints."""
    found, pace = PidAction([], [], []), 1 / lag
    for i, (q, integral, low) in enumerate(zip(x["q"], x["integral"], x["filtered"], strict=True)):
        # e = q_ref − q,  d = (q − f)/lag
        e, d = x["q_ref"][i] - q, pace * (q - low)
        # v = kp e + I + kd (q̇_ref − d)
        v = x["kp"][i] * e + integral + x["kd"][i] * (x["qd_ref"][i] - d)
        # τ = min(max(v, −limit), limit)
        tau = maths.minimum(maths.maximum(v, -x["limit"][i]), x["limit"][i])
        found.tau.append(tau)
        # ki e + k_t (τ − v)
        found.windup.append(x["ki"][i] * e + x["tracking"][i] * (tau - v))
        found.slope.append(d)
    return found


def _continuous(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Any]:
    law = _law(maths, x, x["filter"][0])
    return {"tau": law.tau, "integral_rate": law.windup, "filtered_rate": law.slope}


def _discrete_law(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Any]:
    h = x["sample"][0]
    law = _law(maths, x, x["filter"][0] + h)
    return {
        "tau": law.tau,
        "integral_next": [a + h * b for a, b in zip(x["integral"], law.windup)],
        "filtered_next": [a + h * b for a, b in zip(x["filtered"], law.slope)],
    }


_INTEGRAL = PortKind("integral", EFFORT, "integral of the error, as a torque", role="state")
_FILTERED = PortKind("filtered", POSITION, "low-passed positions", role="state")
_PORTS = (
    *variables("q"), Q_REF, QD_REF, _INTEGRAL, _FILTERED, STIFFNESS,
    PortKind("ki", "N·m/(rad·s) or N/(m·s)", "integral gains", role="setting"), DAMPING,
    PortKind("tracking", "1/s", "how fast an integral at the limit is led back", role="setting"), LIMIT,
    PortKind("filter", "s", "time constant of the derivative's low-pass", ("filter",), "setting"),
)  # fmt: skip
# in continuous time the slope is divided by the time constant; in steps by it and the sample time together
_CONTINUOUS = (*_PORTS[:-1], replace(_PORTS[-1], divides=True))


def _block(name: str, doc: str, text: Callable[..., Any], ports: tuple[PortKind, ...], *memory: Result) -> Block:
    kind = "rate" if isinstance(memory[0].gives, Rate) else "next"
    outputs = {"tau": Result(EFFORT, "joint torques"), f"integral_{kind}": memory[0], f"filtered_{kind}": memory[1]}
    return Block(name, doc, ports, outputs, text)


PID = _block(
    "pid", "PID of every joint in continuous time", _continuous, _CONTINUOUS,
    Result(RATE_OF_EFFORT, "rate of the integral", Rate("integral")),
    Result(VELOCITY, "rate of the filter", Rate("filtered")),
)  # fmt: skip
SAMPLED_PID = _block(
    "pid", "PID of every joint, sampled", _discrete_law, (*_PORTS, SAMPLE),
    Result(EFFORT, "integral after the step", Next("integral")),
    Result(POSITION, "filter after the step", Next("filtered")),
)  # fmt: skip
