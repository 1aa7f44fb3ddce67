"""Self-tuning control: recursive least squares finds the parameters, computed torque believes them at once.

    u = q̈_d + K_v ė + K_p e,  e = q_d − q           τ = Y(q, q̇, u) θ
    φ = Yᵀ(q, q̇, q̈) q̇,  ε = q̇ᵀτ_f − φᵀθ            the power of the torques, one equation at every moment
    θ̇ = P φ ε,  Ṗ = μ P − P φ φᵀ P                  least squares that forgets at the rate μ

Sampled every h seconds, with λ = 1/(1 + h μ):

    g = P φ,  θ⁺ = θ + g ε/(λ + φᵀg),  P⁺ = (P − g gᵀ/(λ + φᵀg))/λ

q̈ and τ_f come from the same low-pass of time constant T: the velocity's slope (q̇ − slow)/T and the torque's `held`.
What the motion does not show must not be forgotten, or the covariance P grows without bound: nothing is learnt and
nothing forgotten while φᵀφ ≤ `excitation`, and nothing is forgotten while the trace of P is above `trace`. P is kept as
what it has lost, diag(covariance) − P, in the rows of its lower half, so that it begins at 0.
Noise of the measured motion stands in φ, too, and biases the estimates: the low-pass must be slow beside it.

Source: Åström, Wittenmark, "Adaptive Control", 2nd ed. (1995), section 2.2, for least squares with forgetting and its
windup; Gautier, Khalil, "On the identification of the inertial parameters of robots", IEEE Conference on Decision and
Control (1988), for an equation of power or energy in place of torques.
"""

from __future__ import annotations

from typing import NamedTuple

from manipula.mechanics.models.control.adaptive import THETA, state_output
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, variables
from manipula.mechanics.models.integrate.discretisation import SAMPLE
from manipula.mechanics.models.ports import ACCELERATION, EFFORT, Q_REF, QD_REF, QDD_REF, SMOOTHING, VELOCITY, PortKind
from manipula.mechanics.spatial.vector import dot, sum_of
from manipula.scalar import Entries, Maths, Scalar


class Told(NamedTuple):
    """The torques, q̈, φ, g = P φ, ε, P by its lower half, and whether there is something to learn and to forget."""

    tau: list[Scalar]
    qdd: list[Scalar]
    phi: list[Scalar]
    g: list[Scalar]
    wrong: Scalar
    P: list[list[Scalar]]
    excited: Scalar
    bounded: Scalar


def _law(maths: Maths[Scalar], call: ModelCall, x: Given, lag: Scalar) -> Told:
    pace = 1 / lag
    qdd = [pace * (fast - slow) for fast, slow in zip(x["qd"], x["slow"], strict=True)]
    # u = q̈_d + K_v ė + K_p e
    u = [
        far + d * (fast - qd) + p * (there - q)
        for far, d, fast, qd, p, there, q in zip(
            x["qdd_ref"], x["kd"], x["qd_ref"], x["qd"], x["kp"], x["q_ref"], x["q"], strict=True
        )
    ]
    slip = [rate * (1 / width) for rate, width in zip(x["qd_ref"], x["smoothing"], strict=True)]
    motion = {"q": x["q"], "qd": x["qd"], "qd_r": x["qd"], "slip": slip, "theta": x["theta"]}
    # τ = Y(q, q̇, u) θ,  φ = Yᵀ(q, q̇, q̈) q̇
    tau = call("two_velocity_products", **motion, qdd_r=u, weights=[0] * len(u))["tau"]
    phi = call("two_velocity_products", **motion, qdd_r=qdd, weights=x["qd"])["slope"]
    P = _covariance(x)
    g = [dot([_at(P, i, j) for j in range(len(phi))], phi) for i in range(len(phi))]
    wrong = dot(x["qd"], x["held"]) - dot(phi, x["theta"])
    excited = maths.less(x["excitation"][0], dot(phi, phi))
    bounded = maths.less(sum_of(P[i][i] for i in range(len(P))), x["trace"][0])
    return Told(tau, qdd, phi, g, wrong, P, excited, bounded)


def _covariance(x: Given) -> list[list[Scalar]]:
    """diag(covariance) − what P has lost, its lower half by rows."""
    lost, rows = iter(x["lost"]), list[list[Scalar]]()
    for i, first in enumerate(x["covariance"]):
        row = [-next(lost) for _ in range(i)]
        rows.append([*row, first - next(lost)])
    return rows


def _at(P: list[list[Scalar]], i: int, j: int) -> Scalar:
    return P[i][j] if j <= i else P[j][i]


def _continuous(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    lag = x["filter"][0]
    told = _law(maths, call, x, lag)
    mu = maths.select(told.bounded, x["forgetting"][0], 0)
    # Ṗ = μ P − g gᵀ; what is lost goes the other way
    lost = [a * b - mu * told.P[i][j] for i, a in enumerate(told.g) for j, b in enumerate(told.g[: i + 1])]
    return {
        "tau": told.tau,
        "theta_rate": [maths.select(told.excited, a * told.wrong, 0) for a in told.g],
        "lost_rate": [maths.select(told.excited, a, 0) for a in lost],
        "slow_rate": told.qdd,
        "held_rate": [(a - b) * (1 / lag) for a, b in zip(told.tau, x["held"], strict=True)],
    }


def _sampled(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    h = x["sample"][0]
    lag = x["filter"][0] + h
    told = _law(maths, call, x, lag)
    grown = 1 + h * x["forgetting"][0]  # 1/λ
    inverse = 1 / (1 / grown + dot(told.phi, told.g))
    swollen = maths.select(told.bounded, grown, 1)
    step = [inverse * a for a in told.g]
    # P⁺ = (P − g gᵀ/(λ + φᵀg))/λ
    places = [(i, j) for i in range(len(step)) for j in range(i + 1)]
    after = [swollen * (told.P[i][j] - step[i] * told.g[j]) for i, j in places]
    lost = [(x["covariance"][i] if i == j else 0) - p for (i, j), p in zip(places, after, strict=True)]
    return {
        "tau": told.tau,
        "theta_next": [maths.select(told.excited, a + b * told.wrong, a) for a, b in zip(x["theta"], step)],
        "lost_next": [maths.select(told.excited, new, old) for new, old in zip(lost, x["lost"], strict=True)],
        "slow_next": [a + h * b for a, b in zip(x["slow"], told.qdd, strict=True)],
        "held_next": [b + h * (1 / lag) * (a - b) for a, b in zip(told.tau, x["held"], strict=True)],
    }


_MEMORY = {"theta": ("SI", "SI", "estimates"), "lost": ("SI", "SI", "lost covariance"),
           "slow": (VELOCITY, ACCELERATION, "low-passed velocities"),
           "held": (EFFORT, "N·m/s or N/s", "low-passed torques")}  # fmt: skip
_PORTS = (
    *variables("q", "qd"), Q_REF, QD_REF, QDD_REF, THETA,
    PortKind("lost", "SI", "what the covariance has lost since the start, its lower half by rows", "pairs", "state"),
    PortKind("slow", VELOCITY, "low-passed velocities", role="state"),
    PortKind("held", EFFORT, "low-passed torques", role="state"),
    PortKind("kp", "1/s²", "proportional gains", role="setting"),
    PortKind("kd", "1/s", "derivative gains", role="setting"),
    PortKind("covariance", "SI", "covariances of the estimates at the start", "base", "setting"),
    PortKind("forgetting", "1/s", "rate at which the past is forgotten", ("forgetting",), "setting"),
    PortKind("excitation", "SI", "φᵀφ up to which nothing is learnt or forgotten", ("excitation",), "setting"),
    PortKind("trace", "SI", "trace of the covariance above which nothing is forgotten", ("trace",), "setting",
             unbounded=True),
    PortKind("filter", "s", "time constant of the low-pass of velocities and torques", ("filter",), "setting",
             divides=True),
    SMOOTHING,
)  # fmt: skip


def _block(*, sampled: bool) -> Block:
    outputs = {"tau": Result(EFFORT, "joint torques")}
    for name, (unit, rate, doc) in _MEMORY.items():
        outputs |= state_output(name, unit if sampled else rate, doc, sampled=sampled)
    text, ports = (_sampled, (*_PORTS, SAMPLE)) if sampled else (_continuous, _PORTS)
    return Block(
        "self_tuning", "computed torque whose parameters are found by recursive least squares", ports, outputs, text,
        ("two_velocity_products",),
    )  # fmt: skip


SELF_TUNING, SAMPLED_SELF_TUNING = _block(sampled=False), _block(sampled=True)
