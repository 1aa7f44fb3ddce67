"""A loop that hunts: play under too much integral gain. How often and how far it swings, by the describing function.

The motor's PID alone is unstable, and held stable by the weight of the link, which pulls on it only beyond the play. So
small swings grow until the weight holds them: a limit cycle. (Begun far out it is another motion: a link that nothing
damps goes on ringing between the ends of its play, which is as good as a spring to the motor.)
"""

from __future__ import annotations

from functools import cache
from math import asin, pi, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import manipula as mp

pytestmark = pytest.mark.usefixtures("without_search")

HINGE = """
format = 1
name = "pendulum"
convention = "standard"
angle = "rad"
length = "m"
gravity = [100, 0, 0]
[[joint]]
type = "revolute"
d = 0
a = 0.006666666666666667
alpha = 0
mass = 45
com = [0, 0, 0]
inertia = { xx = 0, yy = 0, zz = 0 }
motor_inertia = 0.5
"""
B, WEIGHT = 0.5, 30.0  # kg·m², N·m/rad: the pendulum hangs; it is light, and follows its spring at once
PLAY = 0.02
KP, KD, KI, T = 20.0, 6.0, 350.0, 1e-3


@cache
def hunting(
    play: float, start: float, K: float = 60.0, until: float = 40.0, method: str = "rk4", every: int = 5
) -> mp.Run:
    arm = mp.Robot.from_text(HINGE)
    law = mp.controller(arm, "pid", kp=KP, kd=KD, ki=KI, filter=T, tracking=0.0, limit=1e9, sample=None)
    plant = mp.Plant(arm, elastic=K, backlash=play, effort=None, stops=False)
    task = {"start": {"q": [0.0], "motor": [start]}, "until": until, "step": 2e-4, "every": every}
    return mp.simulate(plant, law, {"q_ref": [0.0], "qd_ref": [0.0]}, method=method, **task)


def swing(run: mp.Run, after: float = 30.0) -> tuple[float, float]:
    """Amplitude of the motor and rad/s."""
    late = run.t > after
    motor, t = run.state["motor"][late, 0], run.t[late]
    rising = np.flatnonzero((motor[:-1] < 0) & (motor[1:] >= 0))
    times = [t[i] - motor[i] * (t[i + 1] - t[i]) / (motor[i + 1] - motor[i]) for i in rising]
    return float(np.abs(motor).max()), float(2 * pi / np.diff(times).mean())


def predicted(K: float) -> tuple[float, float]:
    """Harmonic balance. B θ̈ + kd θ̇ + (kp + N) θ + ki ∫θ = 0 neither grows nor falls, its derivative low-passed, with
    one spring N; and a dead zone of ±play/2 before the springs k = 1/(1/K + 1/weight) has it on average where
    N/k = 1 − 2/π (asin r + r √(1 − r²)), r = (play/2)/amplitude. (Gelb, Vander Velde, "Multiple-input describing
    functions", 1968: the dead zone.)"""

    def values(N: float) -> Any:
        # θ, θ̇, ∫, f
        rows = [[0, 1, 0, 0], [-(KP + N + KD / T) / B, 0, 1 / B, KD / (T * B)], [-KI, 0, 0, 0], [1 / T, 0, 0, -1 / T]]
        return np.linalg.eigvals(np.array(rows))

    N, k = brentq(lambda x: values(x).real.max(), 0.0, K), 1 / (1 / K + 1 / WEIGHT)
    r = brentq(lambda x: 1 - 2 / pi * (asin(x) + x * sqrt(1 - x * x)) - N / k, 1e-9, 1 - 1e-12)
    return PLAY / 2 / r, float(values(N).imag.max())


@pytest.mark.turn
@pytest.mark.parametrize("K, start", [(60.0, 0.004), (30.0, -0.006), pytest.param(120, 0.002, marks=pytest.mark.slow)])
def test_play_makes_a_loop_hunt_as_the_describing_function_says(K: float, start: float) -> None:
    (far, fast), (amplitude, frequency) = swing(hunting(PLAY, start, K)), predicted(K)
    assert abs(fast / frequency - 1) < 2e-3 and abs(far / amplitude - 1) < 0.02


def test_twice_the_play_is_twice_the_swing_and_none_is_no_swing() -> None:
    """Springs without a length of their own scale all motions; the weight's sine adds the rest."""
    one, two = (hunting(play, play / 5, until=2.0).state["motor"] for play in (1e-4, 2e-4))
    np.testing.assert_allclose(two, 2 * one, rtol=0, atol=1e-6 * np.abs(two).max())
    still = hunting(0.0, 0.004)
    assert np.abs(still.state["motor"][still.t > 30]).max() < 0.004 / 100  # the light link is damped by the motor alone


@pytest.mark.turn
def test_steps_hunt_as_the_event_driven_reference_does() -> None:
    found, true = (hunting(PLAY, 0.012, 60.0, 0.3, method, 1) for method in ("rk4", "dop853"))
    assert np.abs(found.q - true.q).max() < 1e-5
    beyond = np.abs(true.state["motor"] - true.q) > PLAY / 2
    assert beyond.any() and not beyond.all()
