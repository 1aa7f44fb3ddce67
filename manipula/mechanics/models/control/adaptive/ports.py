"""Inputs that adaptive laws share, and what they make of a reference: the velocity and acceleration to ask for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from manipula.mechanics.models.block import Result
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import PORTS, PortKind
from manipula.scalar import Next, Rate

LAMBDA = PortKind("lam", "1/s", "how fast the error goes along the sliding surface s = ė + λe", role="setting")
THETA = replace(PORTS["theta"], role="state", doc="estimates of the base parameters")
GAMMA = PortKind("gamma", "SI", "gains of the adaptation, one an estimate", "base", "setting")


class Asked(NamedTuple):
    """What a law asks of the arm in place of the reference, so that the error dies out along s = 0."""

    qd: list[Any]
    qdd: list[Any]
    s: list[Any]
    slip: list[Any]


def asked(x: Given) -> Asked:
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


def learnt(state: str, unit: str, what: str, *, sampled: bool) -> dict[str, Result]:
    """The output that is a state's rate, or its value after the step."""
    if sampled:
        return {f"{state}_next": Result(unit, f"{what} after the step", Next(state))}
    return {f"{state}_rate": Result(unit, f"rate of the {what}", Rate(state))}
