"""Inputs that control laws have beside the measured q and q̇: references, gains, limits."""

from __future__ import annotations

from dataclasses import replace

from manipula.mechanics.models.ports import ACCELERATION, EFFORT, POSITION, VELOCITY, PortKind

Q_REF = PortKind("q_ref", POSITION, "positions wanted")
QD_REF = PortKind("qd_ref", VELOCITY, "velocities wanted")
QDD_REF = PortKind("qdd_ref", ACCELERATION, "accelerations wanted")
STIFFNESS = PortKind("kp", "N·m/rad or N/m", "proportional gains", role="setting")
DAMPING = PortKind("kd", "N·m·s/rad or N·s/m", "derivative gains", role="setting")
# of laws that ask for accelerations, which the model turns into torques
PULL = replace(STIFFNESS, unit="1/s²")
BRAKE = replace(DAMPING, unit="1/s")
LIMIT = PortKind("limit", EFFORT, "largest torques or forces, either way", role="setting", unbounded=True)
SMOOTHING = PortKind(
    "smoothing", VELOCITY, "velocity wanted within which the sign in friction is smooth", role="setting",
    divides=True, default=0.01,
)  # fmt: skip
