"""Adaptive control: what the adaptive laws have in common, and those of Slotine and Li, of Craig, and MRAC.

Source: Slotine, Li (1987); Craig, Hsu, Sastry (1987); Dubowsky, DesForges (1979): in full above each law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, variables
from manipula.mechanics.models.integrate.discretisation import SAMPLE
from manipula.mechanics.models.ports import (
    ACCELERATION,
    DAMPING,
    EFFORT,
    PORTS,
    POSITION,
    Q_REF,
    QD_REF,
    QDD_REF,
    SMOOTHING,
    VELOCITY,
    PortKind,
)
from manipula.scalar import Entries, Maths, Next, Rate, Scalar

# Inputs that adaptive laws share, and what they make of a reference: the velocity and acceleration to ask for.


LAMBDA = PortKind("lam", "1/s", "how fast the error goes along the sliding surface s = ė + λe", role="setting")
THETA = replace(PORTS["theta"], role="state", doc="estimates of the base parameters")
GAMMA = PortKind("gamma", "SI", "gains of the adaptation, one an estimate", "base", "setting")


class Asked(NamedTuple):
    """What a law asks of the arm in place of the reference, so that the error dies out along s = 0."""

    qd: list[Scalar]
    qdd: list[Scalar]
    s: list[Scalar]
    slip: list[Scalar]


def reference_rates(x: Given) -> Asked:
    """q̇_r = q̇_d − Λe,  q̈_r = q̈_d − Λė,  s = ė + Λe = q̇ − q̇_r,  with e = q − q_d"""
    found = Asked([], [], [], [])
    for i, lam in enumerate(x["lam"]):
        e, ed = x["q"][i] - x["q_ref"][i], x["qd"][i] - x["qd_ref"][i]
        qd_r = x["qd_ref"][i] - lam * e
        found.qd.append(qd_r)
        found.qdd.append(x["qdd_ref"][i] - lam * ed)
        found.s.append(ed + lam * e)
        found.slip.append(qd_r * (1 / x["smoothing"][i]))
    return found


def state_output(state: str, unit: str, what: str, *, sampled: bool) -> dict[str, Result]:
    """The output that is a state's rate, or its value after the step."""
    if sampled:
        return {f"{state}_next": Result(unit, f"{what} after the step", Next(state))}
    return {f"{state}_rate": Result(unit, f"rate of the {what}", Rate(state))}


# Bounds of what an adaptive law learns: an estimate that has come to one stays there until it is driven back.
#
#     continuous    â̇ = r, but for the entries that lead out: 0 where â_i ≥ upper_i, r_i > 0 or â_i ≤ lower_i, r_i < 0
#     sampled       â⁺ = min(max(â + h r, lower), upper)
#
# Where the true a lies within, what is taken off r_i has the sign of ã_i = â_i − a_i, so that ½ ãᵀΓ⁻¹ã with its
# diagonal
# Γ falls at least as fast as without bounds, and the law's own V̇ ≤ −sᵀK_D s stays. Of least squares, whose gain is no
# diagonal, the cut keeps the estimates within and promises no more. In continuous time an integrator may carry an
# estimate past its bound by what it learns in one step.
#
# Source: Ioannou, Sun, "Robust Adaptive Control" (1996), chapter 4 (adaptive laws with projection).

LOWER = PortKind("lower", "SI", "least estimates", "base", "setting", unbounded=True, signed=True, default=-inf)
UPPER = PortKind("upper", "SI", "largest estimates", "base", "setting", unbounded=True, signed=True, default=inf)


def bound_estimates(law: Block) -> Block:
    """The law with bounds of every state that it learns; they are settings, infinite unless given."""
    ports = _ports(law)

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        found = law.text(maths, call, x)
        for name, result in law.outputs.items():
            if result.gives is not None and result.gives.state in ports:
                state = result.gives.state
                low, high = (x[port.name] for port in ports[state])
                rows = zip(x[state], found[name], low, high, strict=True)
                kept = rate_within if isinstance(result.gives, Rate) else _cut
                found[name] = [kept(maths, *row) for row in rows]
        return found

    return replace(law, inputs=(*law.inputs, *(port for pair in ports.values() for port in pair)), text=text)


def bound_names(law: Block) -> list[str]:
    """The settings that `bound_estimates` adds; none of a law that has its own."""
    return [] if LOWER in law.inputs else [port.name for pair in _ports(law).values() for port in pair]


def rate_within(maths: Maths[Scalar], estimate: Scalar, rate: Scalar, lower: Scalar, upper: Scalar) -> Scalar:
    """The rate, but for one that leads out of the bounds."""
    up = maths.select(maths.less(estimate, upper), rate, maths.minimum(rate, 0))
    return maths.select(maths.less(lower, estimate), up, maths.maximum(rate, 0))


def cut(maths: Maths[Scalar], value: Scalar, lower: Scalar, upper: Scalar) -> Scalar:
    """The nearest value within."""
    return maths.minimum(maths.maximum(value, lower), upper)


def _cut(maths: Maths[Scalar], estimate: Scalar, following: Scalar, lower: Scalar, upper: Scalar) -> Scalar:
    return cut(maths, following, lower, upper)


def _ports(law: Block) -> dict[str, tuple[PortKind, PortKind]]:
    """State → its bounds: `lower` and `upper`, or `lower_load` … where the gains have such names."""
    gains = {port.name for port in law.inputs}
    found = {}
    for state in (port for port in law.inputs if port.role == "state"):
        if f"gamma_{state.name}" in gains:
            found[state.name] = _bound_of_state(LOWER, state), _bound_of_state(UPPER, state)
        elif state.name == "theta":
            found[state.name] = replace(LOWER, size=state.size), replace(UPPER, size=state.size)
    return found


def _bound_of_state(bound: PortKind, state: PortKind) -> PortKind:
    """Of one state among several: `lower_load`."""
    entries: Any = state.size
    if isinstance(state.size, Sequence) and not isinstance(state.size, str):
        entries = tuple(f"{bound.name}_{x}" for x in state.size)
    return replace(bound, name=f"{bound.name}_{state.name}", unit=state.unit, size=entries)


# The adaptive law of Slotine and Li: the arm's base parameters are learnt while it follows a reference.
#
#     e = q − q_d,  s = ė + Λe,  q̇_r = q̇_d − Λe,  q̈_r = q̈_d − Λė
#
#     τ = Y(q, q̇, q̇_r, q̈_r) â − K_D s            M q̈_r + C(q, q̇) q̇_r + g = Y a, a the true parameters
#     â̇ = −Γ Yᵀ s
#
# With V = ½ sᵀM s + ½ ãᵀΓ⁻¹ã, ã = â − a, it is V̇ = −sᵀK_D s: whatever the arm carries, s and with it the error die
# out. No acceleration is measured and no inertia matrix inverted. The estimates need not come to the true values; they
# do so far as the motion shows them. Friction that is linear in q̇ is felt at q̇ and compensated at q̇_r, which adds
# F_v to K_D.
#
# Sampled, the estimates go forward by Euler's rule: â⁺ = â − h Γ Yᵀ s.
#
# Source: Slotine, Li, "On the adaptive control of robot manipulators", International Journal of Robotics Research 6
# (1987); Slotine, Li, "Applied Nonlinear Control" (1991), section 9.2.


def _slotine_li(call: ModelCall, x: Given) -> tuple[list[Scalar], list[Scalar]]:
    """The torques, and the rates of the estimates."""
    to = reference_rates(x)
    motion = {"q": x["q"], "qd": x["qd"], "qd_r": to.qd, "qdd_r": to.qdd, "slip": to.slip}
    found = call("two_velocity_products", **motion, theta=x["theta"], weights=to.s)
    # τ = Yâ − K_D s
    tau = [y - d * s for y, d, s in zip(found["tau"], x["kd"], to.s, strict=True)]
    # â̇ = −Γ Yᵀs
    return tau, [-(g * y) for g, y in zip(x["gamma"], found["slope"], strict=True)]


def _continuous_slotine_li(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    tau, rate = _slotine_li(call, x)
    return {"tau": tau, "theta_rate": rate}


def _sampled_slotine_li(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    tau, rate = _slotine_li(call, x)
    h = x["sample"][0]
    return {"tau": tau, "theta_next": [a + h * b for a, b in zip(x["theta"], rate, strict=True)]}


_SLOTINE_LI_PORTS = (*variables("q", "qd"), Q_REF, QD_REF, QDD_REF, THETA, LAMBDA, DAMPING, GAMMA, SMOOTHING)
_TORQUES = {"tau": Result(EFFORT, "joint torques")}
_CALLS = ("two_velocity_products",)

SLOTINE_LI = Block(
    "slotine_li", "the arm's base parameters learnt while it follows a reference", _SLOTINE_LI_PORTS,
    _TORQUES | state_output("theta", "SI", "estimates", sampled=False), _continuous_slotine_li, _CALLS,
)  # fmt: skip
SAMPLED_SLOTINE_LI = Block(
    "slotine_li", "the arm's base parameters learnt while it follows a reference, sampled",
    (*_SLOTINE_LI_PORTS, SAMPLE), _TORQUES | state_output("theta", "SI", "estimates", sampled=True),
    _sampled_slotine_li, _CALLS,
)  # fmt: skip


# Adaptive computed torque of Craig, Hsu and Sastry: the error is made linear by a model that is learnt.
#
#     e = q_d − q,  u = q̈_d + K_v ė + K_p e
#     τ = Y(q, q̇, u) â                               M̂ (ë + K_v ė + K_p e) = Y(q, q̇, q̈) (a − â)
#     â̇ = Γ Yᵀ(q, q̇, q̈) M̂⁻¹ (ė + Ψe)                within lower ≤ â ≤ upper
#
# The acceleration is needed, and is not differenced from samples: it is that of a low-pass of time constant T, whose
# state `slow` follows the velocity, q̈ ≈ (q̇ − slow)/T. The error equation is that of the true acceleration, so T must
# be short beside the motion. An estimate that has come to its bound stays there until it is driven back, which keeps
# M̂ from becoming singular where the bounds are those of an arm that can be.
#
# Sampled every h seconds the low-pass goes by backward differences, the estimates by Euler's rule, cut at the bounds.
#
# Source: Craig, Hsu, Sastry, "Adaptive control of mechanical manipulators", International Journal of Robotics Research
# 6 (1987). The low-pass in place of a measured acceleration is of this text.


class CraigAction(NamedTuple):
    """The torques, the rates of the estimates before their bounds, and the low-passed accelerations."""

    tau: list[Scalar]
    rates: list[Scalar]
    qdd: list[Scalar]


def _craig(call: ModelCall, x: Given, lag: Scalar) -> CraigAction:
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
    return CraigAction(tau, [g * y for g, y in zip(x["gamma"], slope, strict=True)], qdd)


def _continuous_craig(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    told = _craig(call, x, x["filter"][0])
    rows = zip(x["theta"], told.rates, x["lower"], x["upper"], strict=True)
    return {"tau": told.tau, "theta_rate": [rate_within(maths, *row) for row in rows], "slow_rate": told.qdd}


def _sampled_craig(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    h = x["sample"][0]
    told = _craig(call, x, x["filter"][0] + h)
    rows = zip(x["theta"], told.rates, x["lower"], x["upper"], strict=True)
    return {
        "tau": told.tau,
        "theta_next": [cut(maths, a + h * b, low, high) for a, b, low, high in rows],
        "slow_next": [a + h * b for a, b in zip(x["slow"], told.qdd, strict=True)],
    }


_SLOW = PortKind("slow", VELOCITY, "low-passed velocities", role="state")
_CRAIG_PORTS = (
    *variables("q", "qd"), Q_REF, QD_REF, QDD_REF, THETA, _SLOW,
    PortKind("kp", "1/s²", "proportional gains", role="setting"),
    PortKind("kd", "1/s", "derivative gains", role="setting"),
    PortKind("psi", "1/s", "share of the error in what the estimates follow, ė + Ψe; less than kd", role="setting"),
    GAMMA, LOWER, UPPER,
    PortKind("filter", "s", "time constant of the low-pass that gives accelerations", ("filter",), "setting",
             divides=True),
    SMOOTHING,
)  # fmt: skip


def _craig_block(*, sampled: bool) -> Block:
    outputs = {"tau": Result(EFFORT, "joint torques")}
    outputs |= state_output("theta", "SI", "estimates", sampled=sampled)
    outputs |= state_output("slow", VELOCITY if sampled else ACCELERATION, "low-passed velocities", sampled=sampled)
    text, ports = (_sampled_craig, (*_CRAIG_PORTS, SAMPLE)) if sampled else (_continuous_craig, _CRAIG_PORTS)
    models = ("two_velocity_products", "base_inertia_matrix")
    return Block("craig", "computed torque whose model is learnt", ports, outputs, text, models)


CRAIG, SAMPLED_CRAIG = _craig_block(sampled=False), _craig_block(sampled=True)


# Model-referenced adaptive control of Dubowsky and DesForges: every joint is made to move like a second-order model.
#
#     a ÿ + b ẏ + y = r                     the model, a = 1/ω², b = 2ζ/ω; r is the position wanted
#     α ẍ + β ẋ + x = r                     a joint x under τ = (J/α)(r − x − β ẋ), were it the inertia J alone
#     e = y − x,  f = ½ (k₁ ė + k₀ e)²      what steepest descent makes small:
#     α̇ ∝ (k₁ ė + k₀ e)(k₁ u̇ + k₀ u)        a ü + b u̇ + u = −ÿ, the sensitivity of x to α
#     β̇ ∝ (k₁ ė + k₀ e)(k₁ ẇ + k₀ w)        a ẅ + b ẇ + w = −ẏ, its sensitivity to β
#
# Here α = a (1 + A), β = b (1 + B) with the states A and B, and the sensitivities are scaled by a and b, so that all
# of them begin at 0. The weight of ë, which the authors have beside k₁ and k₀, is 0: no acceleration is measured. 1 +
# A is not let below a tenth. Every joint is alone: gravity and the coupling between joints are disturbances to it.
# Sampled, the states go forward by Euler's rule, velocities before the positions that follow them.
#
# Source: Dubowsky, DesForges, "The application of model-referenced adaptive control to robotic manipulators", ASME
# Journal of Dynamic Systems, Measurement, and Control 101 (1979); Fu, Gonzalez, Lee, "Robotics" (1987), section 5.8.1.


LEAST = Fraction(1, 10)  # of 1 + A
RATE_OF = {"model": "model_speed", "u": "u_speed", "w": "w_speed"}


def _mrac_joint(maths: Maths[Scalar], x: Given, i: int) -> tuple[Scalar, dict[str, Scalar]]:
    """Of one joint: the torque, and the rates of its states."""
    now = {name: x[name][i] for name in _MRAC_STATES}
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


def _continuous_mrac(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    tau, rates = zip(*(_mrac_joint(maths, x, i) for i in range(len(x["q"]))))
    return {"tau": list(tau), **{f"{name}_rate": [rate[name] for rate in rates] for name in _MRAC_STATES}}


def _sampled_mrac(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    h, found = x["sample"][0], dict[str, list[Scalar]]()
    tau, rates = zip(*(_mrac_joint(maths, x, i) for i in range(len(x["q"]))))
    for name in sorted(_MRAC_STATES, key=lambda name: name in RATE_OF):  # rates before the places that follow them
        if name in RATE_OF:
            found[name] = [a + h * b for a, b in zip(x[name], found[RATE_OF[name]], strict=True)]
        else:
            found[name] = [a + h * rate[name] for a, rate in zip(x[name], rates, strict=True)]
    found["alpha"] = [maths.maximum(a, maths.number(LEAST - 1)) for a in found["alpha"]]
    return {"tau": list(tau), **{f"{name}_next": values for name, values in found.items()}}


_ABOUT_MRAC = {
    "model": (POSITION, "positions of the models"),
    "model_speed": (VELOCITY, "velocities of the models"),
    "u": (POSITION, "sensitivities to the inertia"),
    "u_speed": (VELOCITY, "rates of the sensitivities to the inertia"),
    "w": (POSITION, "sensitivities to the damping"),
    "w_speed": (VELOCITY, "rates of the sensitivities to the damping"),
    "alpha": ("1", "relative changes of α"),
    "beta": ("1", "relative changes of β"),
}
_MRAC_STATES = tuple(_ABOUT_MRAC)
_MRAC_PORTS = (
    *variables("q", "qd"), Q_REF,
    *(PortKind(name, unit, doc, role="state", letter=f"mrac_{name}") for name, (unit, doc) in _ABOUT_MRAC.items()),
    PortKind("frequency", "rad/s", "natural frequencies of the models", role="setting", divides=True),
    PortKind("zeta", "1", "damping ratios of the models", role="setting"),
    PortKind("inertia", "kg·m² or kg", "inertias that the gains begin with", role="setting"),
    PortKind("k0", "1", "weights of the error", role="setting"),
    PortKind("k1", "s", "weights of the error's rate", role="setting"),
    PortKind("gamma", "1/(rad²·s) or 1/(m²·s)", "gains of the adaptation", role="setting"),
)  # fmt: skip


def _mrac_block(*, sampled: bool) -> Block:
    outputs = {"tau": Result(EFFORT, "joint torques")}
    for name, (unit, doc) in _ABOUT_MRAC.items():
        outputs |= state_output(name, unit if sampled else {POSITION: VELOCITY, VELOCITY: ACCELERATION}.get(unit,
        "1/s"), doc,
                          sampled=sampled)  # fmt: skip
    text, ports = (_sampled_mrac, (*_MRAC_PORTS, SAMPLE)) if sampled else (_continuous_mrac, _MRAC_PORTS)
    return Block("mrac", "every joint made to move like a second-order model", ports, outputs, text)


MRAC, SAMPLED_MRAC = _mrac_block(sampled=False), _mrac_block(sampled=True)
