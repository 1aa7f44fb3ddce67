"""Feedback of every joint: PID, PD with gravity compensation, with friction compensation, and about a feedforward.

Each law takes the error of a joint to the torque of the same joint; the model adds what is known of the others.

Source: Åström, Murray (2008); Takegaki, Arimoto (1981); Armstrong-Hélouvry, Dupont, Canudas de Wit (1994); Craig
(2005): in full above each law.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, variables
from manipula.mechanics.models.integrate.discretisation import SAMPLE
from manipula.mechanics.models.ports import (
    DAMPING,
    EFFORT,
    LIMIT,
    POSITION,
    Q_REF,
    QD_REF,
    QDD_REF,
    SMOOTHING,
    STIFFNESS,
    VELOCITY,
    PortKind,
)
from manipula.scalar import Entries, Maths, Next, Rate, Scalar

# PID of every joint, with a filtered derivative and an integral that does not wind up.
#
#     e = q_ref − q
#     v = kp e + I + kd (q̇_ref − d)          d: derivative of the low-passed position
#     τ = v, held within ± limit
#
# In continuous time, with f the low-passed position of time constant T, and k_t the gain of tracking:
#
#     ḟ = d = (q − f)/T                      İ = ki e + k_t (τ − v)
#
# Sampled every h seconds the filter goes by backward differences, which are stable for any h and T ≥ 0 (T = 0: the
# plain difference of two samples), the integral forward:
#
#     d = (q − f)/(T + h),  f⁺ = f + h d     I⁺ = I + h (ki e + k_t (τ − v))
#
# While the torque is at its limit, k_t (τ − v) leads the integral back ("back-calculation", of tracking time 1/k_t);
# k_t = 0 leaves it free to wind up. Start with I = 0 and f = q, else the first derivative is that of a jump.
#
# Source: Åström, Murray, "Feedback Systems" (2008), sections 10.4 (windup) and 10.5 (filtering, implementation).


RATE_OF_EFFORT = "N·m/s or N/s"


class PidAction(NamedTuple):
    """What the law says at one moment: the torques, and the rates of integral and filter."""

    tau: list[Scalar]
    windup: list[Scalar]
    slope: list[Scalar]


def _pid(maths: Maths[Scalar], x: Given, lag: Scalar) -> PidAction:
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


def _continuous(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    law = _pid(maths, x, x["filter"][0])
    return {"tau": law.tau, "integral_rate": law.windup, "filtered_rate": law.slope}


def _discrete_law(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    h = x["sample"][0]
    law = _pid(maths, x, x["filter"][0] + h)
    return {
        "tau": law.tau,
        "integral_next": [a + h * b for a, b in zip(x["integral"], law.windup)],
        "filtered_next": [a + h * b for a, b in zip(x["filtered"], law.slope)],
    }


_INTEGRAL = PortKind("integral", EFFORT, "integral of the error, as a torque", role="state")
_FILTERED = PortKind("filtered", POSITION, "low-passed positions", role="state")
_PID_PORTS = (
    *variables("q"), Q_REF, QD_REF, _INTEGRAL, _FILTERED, STIFFNESS,
    PortKind("ki", "N·m/(rad·s) or N/(m·s)", "integral gains", role="setting"), DAMPING,
    PortKind("tracking", "1/s", "how fast an integral at the limit is led back", role="setting"), LIMIT,
    PortKind("filter", "s", "time constant of the derivative's low-pass", ("filter",), "setting"),
)  # fmt: skip
# in continuous time the slope is divided by the time constant; in steps by it and the sample time together
_CONTINUOUS_PID_PORTS = (*_PID_PORTS[:-1], replace(_PID_PORTS[-1], divides=True))


def _pid_block(name: str, doc: str, text: Callable[..., Any], ports: tuple[PortKind, ...], *memory: Result) -> Block:
    kind = "rate" if isinstance(memory[0].gives, Rate) else "next"
    outputs = {"tau": Result(EFFORT, "joint torques"), f"integral_{kind}": memory[0], f"filtered_{kind}": memory[1]}
    return Block(name, doc, ports, outputs, text)


PID = _pid_block(
    "pid", "PID of every joint in continuous time", _continuous, _CONTINUOUS_PID_PORTS,
    Result(RATE_OF_EFFORT, "rate of the integral", Rate("integral")),
    Result(VELOCITY, "rate of the filter", Rate("filtered")),
)  # fmt: skip
SAMPLED_PID = _pid_block(
    "pid", "PID of every joint, sampled", _discrete_law, (*_PID_PORTS, SAMPLE),
    Result(EFFORT, "integral after the step", Next("integral")),
    Result(POSITION, "filter after the step", Next("filtered")),
)  # fmt: skip


# PD with gravity compensation: every position can be held, and is reached from anywhere without friction's help.
#
#     τ = kp (q_ref − q) + kd (q̇_ref − q̇) + g(q)
#
# Source: Takegaki, Arimoto, "A new feedback method for dynamic control of manipulators", ASME Journal of Dynamic
# Systems, Measurement, and Control 103 (1981); Siciliano et al., "Robotics" (2009), section 8.5.1.


def _pd_gravity(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
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
    _pd_gravity,
    ("gravity",),
)


# Friction compensation: friction is added to what moves the arm, ahead of the motion.
#
#     τ = kp (q_ref − q) + kd (q̇_ref − q̇) + g(q) + share · f(q̇, sat(q̇_ref/ε))
#
# Every friction law of the joint is in f: what is proportional to the velocity takes the measured one, what has a sign
# takes that of the velocity wanted, drawn out: sat is the number, held within ±1. The sign of a measured velocity
# turns with its noise, and the compensated joint chatters about rest. A share below 1 leaves some friction: a joint
# whose friction is overestimated by the model is then still damped, and does not swing about its goal.
#
# Source: B. Armstrong-Hélouvry, P. Dupont and C. Canudas de Wit, A survey of models, analysis tools and compensation
# methods for the control of machines with friction, Automatica 30(7), 1994, section 5 (compensation).


def slip(x: Given, velocity: str = "qd_ref") -> list[Scalar]:
    """q̇_ref/ε, which friction takes within ±1; the divisions are prepared once."""
    return [rate * (1 / width) for rate, width in zip(x[velocity], x["smoothing"], strict=True)]


def _friction_compensation(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
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
    _friction_compensation,
    ("gravity", "friction"),
)  # fmt: skip


# Feedforward: the torques of the motion that is wanted, known before it is made, and a spring and a damper about it.
#
#     τ = M(q_ref) q̈_ref + c(q_ref, q̇_ref) + g(q_ref) + friction(q̇_ref) + kp (q_ref − q) + kd (q̇_ref − q̇)
#
# Nothing measured goes through the model: the gains alone decide how noise reaches the torques.
#
# Source: Craig, "Introduction to Robotics", 3rd ed. (2005), section 10.4 (feedforward nonlinear control).


def _feedforward(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    motion = {"q": x["q_ref"], "qd": x["qd_ref"], "qdd": x["qdd_ref"]}
    ahead = call("inverse_dynamics_smooth", **motion, slip=slip(x))["tau"]
    # τ = ID(q_ref, q̇_ref, q̈_ref) + kp (q_ref − q) + kd (q̇_ref − q̇)
    tau = [
        known + p * (there - q) + d * (fast - qd)
        for known, p, there, q, d, fast, qd in zip(
            ahead, x["kp"], x["q_ref"], x["q"], x["kd"], x["qd_ref"], x["qd"], strict=True
        )
    ]
    return {"tau": tau}


FEEDFORWARD = Block(
    "feedforward",
    "the torques of the motion wanted, a spring and a damper about it",
    (*variables("q", "qd"), Q_REF, QD_REF, QDD_REF, STIFFNESS, DAMPING, SMOOTHING),
    {"tau": Result(EFFORT, "joint torques")},
    _feedforward,
    ("inverse_dynamics_smooth",),
)
