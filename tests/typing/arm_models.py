"""Models of an arm on arrays."""

import numpy as np
from numpy.typing import NDArray

import manipula as mp

Array = NDArray[np.float64]


def step(arm: mp.Arm, q: Array, qd: Array, tau: Array, dt: float) -> tuple[Array, Array]:
    qdd = arm.forward_dynamics(q, qd, tau)
    speed: Array = qd + dt * qdd
    return q + dt * speed, speed


def main() -> float:
    arm = mp.Arm("puma560")
    q, qd = np.zeros(arm.dof), np.full(arm.dof, 0.1)
    tau = arm.gravity(q) + arm.inertia_matrix(q) @ qd
    q, qd = step(arm, q, qd, tau, 1e-3)
    tool = arm.jacobian(q, frame="tool") @ qd
    return float(np.linalg.norm(arm.pose(q)[:3, 3])) + float(np.abs(tool).max())
