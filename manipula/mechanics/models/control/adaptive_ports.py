"""Inputs that adaptive laws share, and what they make of a reference: the velocity and acceleration to ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Any, NamedTuple

from manipula.mechanics.models.block import Block, ModelCall, Result
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import PORTS, PortKind
from manipula.scalar import Maths, Next, Rate, Scalar

LAMBDA = PortKind("lam", "1/s", "how fast the error goes along the sliding surface s = ė + λe", role="setting")
THETA = replace(PORTS["theta"], role="state", doc="estimates of the base parameters")
GAMMA = PortKind("gamma", "SI", "gains of the adaptation, one an estimate", "base", "setting")


class Asked(NamedTuple):
    """What a law asks of the arm in place of the reference, so that the error dies out along s = 0."""

    qd: list[Any]
    qdd: list[Any]
    s: list[Any]
    slip: list[Any]


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

    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
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


def rate_within(maths: Maths[Any], estimate: Scalar, rate: Scalar, lower: Scalar, upper: Scalar) -> Any:
    """The rate, but for one that leads out of the bounds."""
    up = maths.select(maths.less(estimate, upper), rate, maths.minimum(rate, 0))
    return maths.select(maths.less(lower, estimate), up, maths.maximum(rate, 0))


def cut(maths: Maths[Any], value: Scalar, lower: Scalar, upper: Scalar) -> Any:
    """The nearest value within."""
    return maths.minimum(maths.maximum(value, lower), upper)


def _cut(maths: Maths[Any], estimate: Scalar, following: Scalar, lower: Scalar, upper: Scalar) -> Any:
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
