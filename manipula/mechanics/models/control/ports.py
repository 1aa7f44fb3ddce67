"""Inputs that control laws have beside the measured q and q̇: references, gains, limits."""

from __future__ import annotations

from dataclasses import replace

from manipula.mechanics.models.law_ports import DAMPING, Q_REF, QD_REF, QDD_REF, SMOOTHING
from manipula.mechanics.models.ports import EFFORT, PortKind

__all__ = ["BRAKE", "DAMPING", "LIMIT", "PULL", "QDD_REF", "QD_REF", "Q_REF", "SMOOTHING", "STIFFNESS"]

STIFFNESS = PortKind("kp", "N·m/rad or N/m", "proportional gains", role="setting")
# of laws that ask for accelerations, which the model turns into torques
PULL = replace(STIFFNESS, unit="1/s²")
BRAKE = replace(DAMPING, unit="1/s")
LIMIT = PortKind("limit", EFFORT, "largest torques or forces, either way", role="setting", unbounded=True)
