"""The two-link arm of Slotine and Li: its parameters, a step by PD, and the adaptive run from no knowledge at all.

Slotine, Li, "Applied Nonlinear Control" (1991), Example 9.1 and its adaptive continuation in section 9.2. The arm moves
in the horizontal plane. The book prints curves; the digits here are those of an integration to 1e-12, done once apart
from this package, with the book's parameters a1 … a4 in its own closed form of the dynamics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import manipula as mp

M1, L1, ME, DELTA, I1, LC1, IE, LCE = 1.0, 1.0, 2.0, np.radians(30), 0.12, 0.5, 0.25, 0.6
A = np.array([3.34, 0.97, 1.0392, 0.6])  # as printed
GAMMA = np.diag([0.03, 0.05, 0.1, 0.3])
LAMBDA, KD = 20.0, 100.0
# a1 = L1_R + Lzz2,  a2 = Lzz2,  a3 = l1·mx2,  a4 = −l1·my2: the load sits δ behind the axis of the forearm
TO_BOOK = np.array([[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, L1, 0], [0, 0, 0, -L1]])
ROW = '[[joint]]\ntype = "revolute"\ntheta = 0\nd = 0\na = {a}\nalpha = 0\nmass = {m}\ncom = [{x}, {y}, 0]\n'
TENSOR = "inertia = {{ xx = 0, yy = 0, zz = {zz}, xy = 0, xz = 0, yz = 0 }}\n"
HEAD = 'format = 1\nname = "twolink"\nconvention = "standard"\nangle = "rad"\nlength = "m"\ngravity = [0, 0, 0]\n'


def arm() -> mp.Robot:
    """Link frames at the far end of each link, as the convention has them."""
    shoulder = ROW.format(a=L1, m=M1, x=LC1 - L1, y=0) + TENSOR.format(zz=I1)
    x, y = LCE * np.cos(DELTA), -LCE * np.sin(DELTA)
    return mp.Robot.from_text(HEAD + shoulder + ROW.format(a=0, m=ME, x=x, y=y) + TENSOR.format(zz=IE))


def book_parameters(robot: mp.Robot) -> Any:
    return TO_BOOK @ np.array([float(x) for x in robot.base_parameters.values() if x is not None])


def run(rate: Callable[[float, Any], Any], start: Any, seconds: float) -> tuple[Any, Any]:
    times = np.arange(round(1000 * seconds) + 1) / 1000
    found = solve_ivp(rate, (0, seconds), start, "DOP853", times, rtol=1e-10, atol=1e-11)
    return times, found.y.T


def test_its_parameters() -> None:
    robot = arm()
    assert len(robot.base_parameters) == 4
    np.testing.assert_allclose(book_parameters(robot), A, atol=5e-5)
    q = np.array([0.4, -1.1])
    M = mp.Arm(robot).inertia_matrix(q)
    a = book_parameters(robot)
    assert M[0, 0] == pytest.approx(a[0] + 2 * a[2] * np.cos(q[1]) + 2 * a[3] * np.sin(q[1]), rel=1e-12)
    assert M[0, 1] == pytest.approx(a[1] + a[2] * np.cos(q[1]) + a[3] * np.sin(q[1]), rel=1e-12)
    assert M[1, 1] == pytest.approx(a[1], rel=1e-12)


def test_a_step_by_pd() -> None:
    """Example 9.1: from rest to (60°, 90°), K_D = 100, K_P = 20 K_D."""
    robot = arm()
    law = mp.controller(robot, "pd_gravity", kp=20 * KD, kd=KD)
    torque, accelerate = law.compile(), mp.Arm(robot).forward_dynamics
    target, gains = np.radians([60, 90]), {**{f"kp{i}": 20 * KD for i in (1, 2)}, **{f"kd{i}": KD for i in (1, 2)}}

    def rate(t: float, x: Any) -> Any:
        return np.concatenate([x[2:], accelerate(x[:2], x[2:], torque(x[:2], x[2:], target, np.zeros(2), p=gains))])

    _, x = run(rate, np.zeros(4), 1.0)
    np.testing.assert_allclose(np.degrees(np.abs(x[-1, :2] - target)), [0.00446, 0.00168], atol=5e-6)


@pytest.mark.turn
def test_the_adaptive_run() -> None:
    """q_d = (30°, 45°)(1 − cos 2πt), Λ = 20, K_D = 100, Γ = diag(0.03, 0.05, 0.1, 0.3), from â = 0."""
    robot = arm()
    law = mp.controller(robot, "slotine_li", lam=LAMBDA, kd=KD, gamma=1)
    told, accelerate = law.compile(), mp.Arm(robot).forward_dynamics
    gains = {name: value for port in law.settings for name, value in zip(law.inputs[port], law.settings[port])}
    wide, back = np.radians([30, 45]), np.linalg.inv(TO_BOOK)

    def reference(t: Any) -> tuple[Any, Any, Any]:
        w = 2 * np.pi
        return wide * (1 - np.cos(w * t)), wide * w * np.sin(w * t), wide * w * w * np.cos(w * t)

    def rate(t: float, x: Any) -> Any:
        q, qd, a = np.split(x, [2, 4])
        tau, slope = told(q, qd, *reference(t), back @ a, p=gains)
        # the book's Γ is diagonal in its own parameters: â̇ = −Γ Y_aᵀs, Y_a = Y_θ · ∂θ/∂a
        return np.concatenate([qd, accelerate(q, qd, tau), GAMMA @ back.T @ slope])

    times, x = run(rate, np.zeros(8), 3.0)
    wanted = np.array([reference(t) for t in times])
    e = np.degrees(np.abs(x[:, :2] - wanted[:, 0]))
    worst = [e[1000 * k : 1000 * (k + 1) + 1].max(axis=0) for k in range(3)]
    np.testing.assert_allclose(worst, [[3.2459, 1.2884], [0.8319, 0.3193], [0.4503, 0.2205]], atol=1e-4)
    np.testing.assert_allclose(x[-1, 4:], [0.17349, 0.66063, 1.75923, 1.32008], atol=1e-5)
    true, inertia = book_parameters(robot), mp.Arm(robot).inertia_matrix

    def V(k: int) -> float:
        q, qd, a = np.split(x[k], [2, 4])
        s = qd - wanted[k, 1] + LAMBDA * (q - wanted[k, 0])
        return float(0.5 * s @ inertia(q) @ s + 0.5 * (a - true) @ np.linalg.solve(GAMMA, a - true))

    assert V(0) == pytest.approx(201.3357, abs=1e-3)
    assert V(-1) == pytest.approx(171.6087, abs=1e-3)
