"""Gains and delays that cannot be, and those that are called unstable."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.control.laws import LAWS
from manipula.simulation.loop import spectral_radius
from tests.control_laws import (
    FEW,
    H,
    arm_of,
    settings_of,
)


@pytest.mark.parametrize("seed", range(25))
def test_what_is_called_unstable_grows_and_what_is_called_stable_dies_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kp, kd, delay = 10 ** rng.uniform(0, 5), 10 ** rng.uniform(0, 3), int(rng.integers(0, 4))
    ki, h = float(rng.choice([0, kp * kd * 10 ** rng.uniform(-3, 1)])), 10 ** rng.uniform(-4, -2)
    radius = spectral_radius(ki, kp, kd, h, delay)
    e, v, total, late, size = 1.0, 0.0, 0.0, [0.0] * delay, []
    for _ in range(4000):
        late.append(-kp * e - kd * v - total)
        a = late.pop(0)
        e, v, total = e + h * v + h * h / 2 * a, v + h * a, total + h * ki * e
        size.append(abs(e) + h * abs(v))
        if not 1e-200 < size[-1] < 1e200:
            break
    grown = np.log(size[-1] / size[len(size) // 2]) / (len(size) - len(size) // 2)
    assert abs(grown - np.log(radius)) < 0.02 + 0.05 * abs(np.log(radius)), (ki, kp, kd, h, delay)


def test_unstable_gains_are_answered_with_a_sample_that_would_do() -> None:
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    gains: dict[str, Any] = {"kp": [100.0, 1e4], "kd": [20.0, 200.0]}
    told = r"joint 'theta2': kp = 10000, kd = 200 is unstable at a sample of 0.002 s and a delay of 5; .* ([\d.e-]+) s"
    with pytest.raises(mp.InputError, match=told) as found:
        mp.controller(robot, "computed_torque", **gains, sample=2e-3, delay=5)
    sample = float(str(found.value).split("at most ")[1].split()[0])
    mp.controller(robot, "computed_torque", **gains, sample=sample, delay=5)
    with pytest.raises(mp.InputError, match="unstable"):
        mp.controller(robot, "computed_torque", **gains, sample=1.1 * sample, delay=5)
    with pytest.raises(mp.InputError, match="no sample is short enough"):
        mp.controller(robot, "computed_torque", kp=100, kd=0, sample=1e-3)
    mp.controller(robot, "computed_torque", kp=0, kd=0, sample=1e-3)  # feedforward alone: nothing to be unstable
    mp.controller(robot, "computed_torque", kp=0, kd=5, sample=1e-3)  # a law of velocities


@pytest.mark.parametrize("delay", [-1, 1.5, "2", True, None, 65, float("nan")])
def test_a_delay_is_whole_samples(delay: Any) -> None:
    with pytest.raises(mp.InputError, match="delay: expected whole samples, 0 to 64, found"):
        mp.controller("planar2r", "pd_gravity", kp=1, kd=1, sample=1e-3, delay=delay)


def test_a_law_in_continuous_time_has_no_delay() -> None:
    with pytest.raises(mp.InputError, match="delay= counts samples"):
        mp.controller("planar2r", "pd_gravity", kp=1, kd=1, delay=1)


@pytest.mark.usefixtures("without_search")
@pytest.mark.parametrize("name", LAWS)
def test_wrong_settings_of_every_law_are_told(name: str) -> None:
    robot = arm_of(3, "RRR" if name in FEW else "RP")
    given = settings_of(name, robot, 0)
    first = next(x for x in given if x != "task")
    for wrong, told in ((float("nan"), "found NaN"), (-1.0, "found -1"), ([1.0] * 11, "expected"), ("1", "expected")):
        with pytest.raises(mp.InputError, match=rf"{first}.*{told}"):
            mp.controller(robot, name, sample=H, **{**given, first: wrong})
    with pytest.raises(mp.InputError, match=rf"no value for {first}|{first}"):
        mp.controller(robot, name, sample=H, **{k: v for k, v in given.items() if k != first})
    with pytest.raises(mp.UnknownNameError, match=rf"did you mean '{first}'"):
        mp.controller(robot, name, sample=H, **given, **{f"{first}_": 1.0})
    for part in ("limit", "delay"):
        with pytest.raises(mp.InputError, match=part):
            mp.controller(robot, name, sample=H, **{**given, part: -1})


@pytest.mark.turn
def test_an_integral_waits_while_the_torque_is_at_its_limit() -> None:
    """Bounded however long the joint is held off its goal; without a limit it grows on."""
    robot = arm_of(5, "R", actuators=False, surroundings=False)
    ended = {}
    for limit in (0.5, float("inf")):
        law = mp.controller(robot, "computed_torque_pid", kp=50, ki=200, kd=20, sample=H, limit=limit)
        state = law.start()
        for _ in range(3000):
            state, _ = law.step(state, [0.0], [0.0], [1.0], [0.0], [0.0])
        ended[limit] = float(state.integral[0])
    assert ended[float("inf")] == pytest.approx(600) and abs(ended[0.5]) < 1
