"""A planar arm, motors and tasks for studies of designs, and what they ask of the arm, by hand and by public models."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.studies.designs.tasks import SAMPLES

FLAT = mp.load("planar2r").with_parameters(m1=0.6, m2=0.4, g=9.81)
GEARS = [30, 80]
MOTORS: list[dict[str, Any]] = [
    {"name": "S", "torque": 0.3, "rated": 0.2, "speed": 500, "inertia": 1e-5, "mass": 0.4, "price": 90, "ratio": GEARS},
    {"name": "M", "torque": 0.9, "rated": 0.5, "speed": 400, "inertia": 5e-5, "mass": 0.9, "price": 70, "ratio": GEARS},
    {"name": "L", "torque": 2.5, "speed": 300, "inertia": 2e-4, "mass": 2.1, "price": 260, "ratio": [80]},
]
SWING: dict[str, Any] = {
    "joints": [[0, 0], [1, -0.5], [0.3, 1]],
    "duration": 1.2,
    "payload": 1.5,
    "com": [0.1, 0, 0.05],
}
HOLD: dict[str, Any] = {"joints": [0.2, -0.4], "payload": 1.5, "com": [0.1, 0, 0.05]}
WIDE = {"l1": [0.2, 3.0], "l2": [0.2, 3.0]}
NEAR = {"l1": [0.4, 0.5], "l2": [0.4, 0.5]}
BOTH = {"l1": [0.2, 0.7], "l2": [0.2, 0.7]}


def followed(task: dict[str, Any]) -> tuple[Any, Any, Any]:
    """q, q̇, q̈ by the public trajectories, leg by leg."""
    stops = np.atleast_2d(task["joints"])
    if len(stops) == 1:
        return stops, 0 * stops, 0 * stops
    seconds = task["duration"] / (len(stops) - 1)
    t = np.linspace(0, seconds, SAMPLES)
    legs = [mp.trajectory.quintic(a, b, seconds)(t) for a, b in pairwise(stops)]
    return tuple(np.concatenate([leg[k] for leg in legs]) for k in range(3))  # type: ignore[return-value]


def by_hand(l1: float, m1: float, l2: float, bodies: list[tuple[float, float]], rotors: Any, motion: Any) -> Any:
    """τ of the planar arm: m1 at the end of the first link, (mass, distance from the elbow) on the second."""
    (q1, q2), (v1, v2), (a1, a2) = (x.T for x in motion)
    c1, c2, s2, c12, g = np.cos(q1), np.cos(q2), np.sin(q2), np.cos(q1 + q2), 9.81
    tau = [m1 * l1**2 * a1 + m1 * g * l1 * c1 + rotors[0] * a1, rotors[1] * a2]
    for m, r in bodies:
        tau[0] = tau[0] + m * ((l1**2 + r**2 + 2 * l1 * r * c2) * a1 + (r**2 + l1 * r * c2) * a2)
        tau[0] += m * (g * (l1 * c1 + r * c12) - l1 * r * s2 * (2 * v1 * v2 + v2**2))
        tau[1] = tau[1] + m * ((r**2 + l1 * r * c2) * a1 + r**2 * a2 + l1 * r * s2 * v1**2 + g * r * c12)
    return np.stack(tau, axis=-1)


def drive_of(label: str) -> tuple[dict[str, Any], float]:
    name, ratio = label.split(" ×")
    return next(motor for motor in MOTORS if motor["name"] == name), float(ratio)


def use_of(motor: dict[str, Any], N: float, tau: Any, qd: Any) -> float:
    rms = np.sqrt((tau**2).mean()) / (N * motor.get("rated", np.inf))
    return float(max(np.abs(tau).max() / (N * motor["torque"]), rms, np.abs(qd).max() * N / motor["speed"]))


def asked_of(robot: mp.Robot, tasks: list[dict[str, Any]]) -> list[tuple[Any, Any]]:
    """(torque, speed) of a robot in every task: what its motor inertia, bodies and the load make of it."""
    arm = mp.Arm(robot.with_payload(1.5, com=[0.1, 0, 0.05]))
    motions = [followed(task) for task in tasks]
    return [(arm.inverse_dynamics(*motion), motion[1]) for motion in motions]


def check_row(found: Any, case: int, tasks: list[dict[str, Any]]) -> None:
    row, robot = found.rows[case], found.robot(case)
    asked = asked_of(robot, tasks)
    assert row["torque"] == pytest.approx(np.max([np.abs(tau).max(0) for tau, _ in asked], axis=0), rel=1e-9)
    works = [np.abs(tau * qd).sum() * task.get("duration", 0) / (len(np.atleast_2d(task["joints"])) - 1 or 1)
             for (tau, qd), task in zip(asked, tasks)]  # fmt: skip
    assert row["energy"] == pytest.approx(sum(works) / (SAMPLES - 1), rel=1e-9)
    limits = [(joint.effort_limit, joint.velocity_limit) for joint in robot.joints if joint.name in robot.joint_names]
    assert all(x is not None for pair in limits for x in pair)
