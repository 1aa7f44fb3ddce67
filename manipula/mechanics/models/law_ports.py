"""Inputs that laws of every kind have beside the measured q and q̇: what is wanted, damping, friction's smooth sign."""

from __future__ import annotations

from manipula.mechanics.models.ports import ACCELERATION, POSITION, VELOCITY, PortKind

Q_REF = PortKind("q_ref", POSITION, "positions wanted")
QD_REF = PortKind("qd_ref", VELOCITY, "velocities wanted")
QDD_REF = PortKind("qdd_ref", ACCELERATION, "accelerations wanted")
DAMPING = PortKind("kd", "N·m·s/rad or N·s/m", "derivative gains", role="setting")
SMOOTHING = PortKind(
    "smoothing", VELOCITY, "velocity wanted within which the sign in friction is smooth", role="setting",
    divides=True, default=0.01,
)  # fmt: skip
