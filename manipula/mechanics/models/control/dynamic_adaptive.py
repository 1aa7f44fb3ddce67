"""Dynamic-adaptive control: the model of the arm as it is known, and Slotine and Li's adaptation of what is not.

    e = q − q_d,  s = ė + Λe,  q̇_r = q̇_d − Λe,  q̈_r = q̈_d − Λė

    τ = M q̈_r + C(q, q̇) q̇_r + g + f(q̇_r) + Y_u â_u − K_D s        the arm as known, and Y_u of what is learnt
    â̇_u = −Γ Y_uᵀ s

What is learnt is added to what is known, so that an estimate of nothing is the known arm. It is one of, or several of

    payload      the ten parameters of a body held in the tool: Kxx Kxy Kxz Kyy Kyz Kzz mx my mz m, in its frame
    friction     viscous, Coulomb and constant friction of every joint: fv q̇_r + fc sat(q̇_r/ε) + fo
    simplified   corrections of base parameters by name, such as those that `significance` says a model can do without

With V = ½ sᵀM s + ½ ãᵀΓ⁻¹ã it is V̇ = −sᵀK_D s where all that is not known is learnt. Sampled, the estimates go forward
by Euler's rule.

Source: the adaptation is that of Slotine, Li, "On the adaptive control of robot manipulators", International Journal of
Robotics Research 6 (1987); restricting it to a load or to friction leaves its proof as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.control.adaptive import LAMBDA, Asked, reference_rates, state_output
from manipula.mechanics.models.dynamics.friction import saturate
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, variables
from manipula.mechanics.models.integrate.discretisation import SAMPLE
from manipula.mechanics.models.ports import DAMPING, EFFORT, PORTS, Q_REF, QD_REF, QDD_REF, SMOOTHING, PortKind
from manipula.mechanics.robot.friction import LAWS, Slip
from manipula.scalar import Entries, Maths, Scalar

Unknown = Literal["payload", "friction", "simplified"]
RUBBING = {law.key: law for law in LAWS if law.always}  # those that every joint has


class Learnt(NamedTuple):
    """What the unknown asks of the joints, and Y_uᵀ s by the names of the states."""

    tau: list[Scalar]
    slopes: dict[str, list[Scalar]]


def dynamic_adaptive(
    adapt: Unknown | Sequence[Unknown] = "payload", dropped: Sequence[str] = ()
) -> tuple[Block, Block]:
    """The law in continuous time, and sampled; `dropped` are the names of "simplified"."""
    parts = (adapt,) if isinstance(adapt, str) or not isinstance(adapt, Sequence) else tuple(adapt)
    for part in parts:
        if part not in get_args(Unknown):
            raise UnknownNameError("part of an arm to adapt", str(part), get_args(Unknown))
    if not parts or len(set(parts)) < len(parts) or ("simplified" in parts) != bool(dropped):
        raise InputError(
            "dynamic_adaptive: expected adapt=, one or several of payload, friction, simplified, each once, "
            "and with simplified (only there) dropped=, names of base parameters; found {adapt!r:.60}, "
            "dropped={dropped!r:.60}",
            adapt,
            dropped,
        )
    return _block(parts, tuple(dropped), sampled=False), _block(parts, tuple(dropped), sampled=True)


def _block(parts: Sequence[str], dropped: tuple[str, ...], *, sampled: bool) -> Block:
    kinds = [kind for part in parts for kind in _kinds(part, dropped)]
    memory = [kind for kind in kinds if kind.role == "state"]

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        to = reference_rates(x)
        motion = {"q": x["q"], "qd": x["qd"], "qd_r": to.qd, "qdd_r": to.qdd, "slip": to.slip}
        found = [_unknown_torques(part, dropped, maths, call, x, to, motion) for part in parts]
        # τ = M q̈_r + C q̇_r + g + f + Y_u â_u − K_D s; the arm with the load is one model
        known = [] if "payload" in parts else [call("two_velocity_dynamics", **motion)["tau"]]
        first, *others = known + [y.tau for y in found]
        rows = zip(first, x["kd"], to.s, *others, strict=True)
        tau = [sum(more, start=bare - d * s) for bare, d, s, *more in rows]
        slopes = {name: slope for y in found for name, slope in y.slopes.items()}
        return {"tau": tau, **_adapt(x, slopes, sampled=sampled)}

    outputs = {"tau": Result(EFFORT, "joint torques")}
    for kind in memory:
        outputs |= state_output(kind.name, kind.unit, kind.doc, sampled=sampled)
    ports = (*variables("q", "qd"), Q_REF, QD_REF, QDD_REF, *memory, LAMBDA, DAMPING)
    ports += (*(kind for kind in kinds if kind.role == "setting"), SMOOTHING, *((SAMPLE,) if sampled else ()))
    models = {"payload": "loaded_dynamics", "simplified": "two_velocity_products"}
    calls = tuple(models[part] for part in parts if part in models)
    calls += () if "payload" in parts else ("two_velocity_dynamics",)
    doc = f"the arm as known, its {' and '.join(parts)} learnt"
    return Block("dynamic_adaptive", doc, ports, outputs, text, calls)


def _adapt(x: Given, slopes: dict[str, list[Scalar]], *, sampled: bool) -> dict[str, Entries]:
    """â̇ = −Γ Yᵀs, or â⁺ = â − h Γ Yᵀs"""
    rates = {name: [-(g * y) for g, y in zip(x[f"gamma_{name}"], slope, strict=True)] for name, slope in slopes.items()}
    if not sampled:
        return {f"{name}_rate": rate for name, rate in rates.items()}
    h = x["sample"][0]
    return {f"{name}_next": [a + h * b for a, b in zip(x[name], rate, strict=True)] for name, rate in rates.items()}


def _kinds(part: str, dropped: tuple[str, ...]) -> list[PortKind]:
    """The states of what is learnt, and the gains of their adaptation."""
    if part == "friction":
        rubs = [
            PortKind(key, law.entries[0].unit, f"{law.title} friction beside the known", role="state")
            for key, law in RUBBING.items()
        ]
        return [*rubs, *(PortKind(f"gamma_{x}", "SI", f"gains of {x} friction", role="setting") for x in RUBBING)]
    if part == "payload":
        names, what = tuple(PORTS["load"].size), "load"
        state = PortKind("load", "SI", "estimates of the payload's ten parameters", names, "state")
    else:
        what = "theta"
        state = PortKind(what, "SI", "corrections of base parameters", tuple(f"theta_{x}" for x in dropped), "state")
        names = tuple(map(str, state.size))
    return [state, PortKind(f"gamma_{what}", "SI", "gains of the adaptation", _gains(names), "setting")]


def _gains(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"gamma_{name}" for name in names)


def _unknown_torques(
    part: str,
    dropped: tuple[str, ...],
    maths: Maths[Scalar],
    call: ModelCall,
    x: Given,
    to: Asked,
    motion: dict[str, Any],
) -> Learnt:
    if part == "friction":
        return _friction(maths, x, to)
    if part == "payload":
        found = call("loaded_dynamics", **motion, load=x["load"], weights=to.s)
        return Learnt(found["tau"], {"load": found["slope"]})
    theta = dict(zip(dropped, x["theta"], strict=True))
    found = call("two_velocity_products", **motion, theta=theta, weights=to.s)
    slopes = dict(zip(found["columns"], found["slope"], strict=True))
    return Learnt(found["tau"], {"theta": [slopes[name] for name in dropped]})


def _friction(maths: Maths[Scalar], x: Given, to: Asked) -> Learnt:
    """The friction of every joint at the velocity wanted, its sign drawn out: fv q̇_r + fc sat(q̇_r/ε) + fo"""
    slips = [Slip(rate, maths, ahead=saturate(maths, slip)) for rate, slip in zip(to.qd, to.slip, strict=True)]
    laws = {key: [law((value,)) for value in x[key]] for key, law in RUBBING.items()}
    return Learnt(
        [sum(one[i].torque(slip) for one in laws.values()) for i, slip in enumerate(slips)],
        {
            key: [law.shapes(slip)[0] * s for law, slip, s in zip(one, slips, to.s, strict=True)]
            for key, one in laws.items()
        },
    )
