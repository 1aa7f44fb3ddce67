"""Recordings that tests make for themselves: an arm along a smooth random motion, its torques by the plain model."""

from __future__ import annotations

from typing import Any

import numpy as np

import manipula as mp
from manipula.algebra.expr.evaluate import ArrayMaths
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import merge_fixed


def torques(robot: RobotDescription, q: Any, qd: Any, qdd: Any) -> Any:
    """With friction and motors, by Newton and Euler."""
    chain = merge_fixed(bind(robot, ArrayMaths(), {}))
    given = (chain.coordinates.spread(list(x.T)) for x in (q, qd, qdd))
    tau = chain.coordinates.gather(inverse_dynamics(chain, *given))
    return np.stack([np.broadcast_to(x, len(q)) for x in tau], axis=1)


def motion(dof: int, seed: int, seconds: float, rate: float, pace: float = 1.0) -> Any:
    """(t, q, q̇, q̈): three sines a joint."""
    rng, t = np.random.default_rng(seed), np.arange(0, seconds, 1 / rate)
    a, w, f = rng.uniform(0.3, 0.8, (3, dof)), pace * rng.uniform(0.8, 5, (3, dof)), rng.uniform(0, 6, (3, dof))
    angle = w * t[:, None, None] + f
    q, qd, qdd = (a * np.sin(angle)).sum(1), (a * w * np.cos(angle)).sum(1), (-a * w**2 * np.sin(angle)).sum(1)
    return t, q, qd, qdd


def recording(
    robot: RobotDescription, seed: int, seconds: float = 8.0, rate: float = 100.0, noise: float = 0.0, pace: float = 1.0
) -> mp.Log:
    """Exact positions and rates; noise of the torques in parts of each joint's rms."""
    t, q, qd, qdd = motion(robot.dof, seed, seconds, rate, pace)
    tau = torques(robot, q, qd, qdd)
    loud = np.sqrt((tau**2).mean(0))
    return mp.Log(t, q, tau + noise * loud * np.random.default_rng(seed + 1).normal(size=tau.shape), qd, qdd)


def two_joints() -> mp.Robot:
    """Across gravity, with friction and motors, every number its own."""
    rows = [
        {"theta": 0, "d": 0.3, "a": 0.4, "alpha": 90, "mass": 3.0, "com": [-0.2, 0.05, 0.02],
         "inertia": {"xx": 0.03, "yy": 0.06, "zz": 0.05, "xy": 0.004, "xz": 0, "yz": 0}},
        {"theta": 0, "d": 0.0, "a": 0.35, "alpha": 0, "mass": 2.0, "com": [-0.15, 0.01, 0.03],
         "inertia": {"xx": 0.01, "yy": 0.03, "zz": 0.025, "xy": 0, "xz": 0, "yz": 0.002}},
    ]  # fmt: skip
    arm = mp.Robot.from_dh(rows, angle="deg", name="two").with_gravity(0, -9.81, 0)
    arm = arm.with_friction(
        joint1={"viscous": 0.8, "coulomb": 1.2}, joint2={"viscous": 0.3, "coulomb": 0.5, "offset": 0.1}
    )
    return arm.with_motor_inertia(joint1=0.2, joint2=0.05)
