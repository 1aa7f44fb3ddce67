"""Integrators: one step over any scalar, of the order the book says; and from rates to next states."""

from __future__ import annotations

from fractions import Fraction
from math import cos, log2, sin
from typing import Any

import numpy as np
import pytest

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.block import Block, Call, Result, states, variables
from manipula.mechanics.models.control.laws import LAWS
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.integrate.discretised import INTEGRATORS, discretised
from manipula.mechanics.models.integrate.motion import MOTION
from manipula.mechanics.models.integrate.steps import State
from manipula.mechanics.spatial.floats import FLOATS
from manipula.scalar import Maths, Rate

ORDER = {"euler": 1, "semi-implicit": 1, "rk4": 4}


def pendulum(x: State) -> State:
    """q̈ = −sin q, beside a state that is no position: ẇ = q̇ w"""
    return {"q": x["qd"], "qd": [-sin(x["q"][0])], "w": [x["qd"][0] * x["w"][0]]}


def ended(method: str, steps: int) -> np.ndarray[Any, Any]:
    x: State = {"q": [1.0], "qd": [0.3], "w": [2.0]}
    for _ in range(steps):
        x = INTEGRATORS[method](pendulum, x, 1.0 / steps)
    return np.array([x["q"][0], x["qd"][0], x["w"][0]])


@pytest.mark.parametrize("method", INTEGRATORS)
def test_halving_the_step_divides_the_error_by_two_to_the_order(method: str) -> None:
    true = ended("rk4", 4000)
    assert abs(true[2] - 2 * np.exp(true[0] - 1)) < 1e-12  # w = w₀ exp(q − q₀)
    coarse, fine = (np.abs(ended(method, n) - true).max() for n in (40, 80))
    assert abs(log2(coarse / fine) - ORDER[method]) < 0.2


def test_semi_implicit_moves_with_the_new_velocity_and_keeps_the_energy_of_a_spring() -> None:
    x: State = {"q": [1.0], "qd": [0.0]}
    h = Fraction(1, 10)
    new = INTEGRATORS["semi-implicit"](lambda x: {"q": x["qd"], "qd": [-x["q"][0]]}, {"q": [1], "qd": [0]}, h)
    assert new == {"q": [1 - h * h], "qd": [-h]}
    for _ in range(10_000):
        x = INTEGRATORS["semi-implicit"](lambda x: {"q": x["qd"], "qd": [-x["q"][0]]}, x, 0.1)
    assert abs(x["q"][0] ** 2 + x["qd"][0] ** 2 - 1) < 0.11  # explicit Euler: e¹⁰⁰⁰ times as much


@pytest.mark.parametrize("method", INTEGRATORS)
def test_one_step_over_fractions_is_exact(method: str) -> None:
    """ẋ = x for one state: the Taylor polynomial of the order."""
    h, series = Fraction(1, 3), 0
    for k in range(ORDER[method], -1, -1):
        series = 1 + Fraction(1, k + 1) * h * series if k < ORDER[method] else 1
    found = INTEGRATORS[method](lambda x: {"y": x["y"]}, {"y": [Fraction(1)]}, h)
    assert found == {"y": [series]}


def _clock(maths: Maths[Any], call: Call, x: Given) -> dict[str, Any]:
    return {"seen": [maths.cos(x["q"][0])], "q_rate": [x["qd"][0]]}


CLOCK = Block(
    "clock", "", (*states("q"), *variables("qd")), {"seen": Result("", ""), "q_rate": Result("", "", Rate("q"))}, _clock
)


def test_outputs_are_those_at_the_start_of_the_step() -> None:
    def none(model: str, /, **inputs: Any) -> Any:
        raise AssertionError

    fixed, free = discretised(CLOCK, Fraction(1, 8)), discretised(CLOCK)
    assert [port.name for port in fixed.inputs] == ["q", "qd"] and free.inputs[-1].role == "setting"
    found = fixed.text(FLOATS, none, {"q": [0.5], "qd": [2.0]})
    assert found == {"seen": [cos(0.5)], "q_next": [0.75]}
    assert free.text(FLOATS, none, {"q": [0.5], "qd": [2.0], "sample": [0.125]}) == found
    assert free.outputs["q_next"].gives is not None and free.outputs["q_next"].gives.state == "q"


def test_what_cannot_be_discretised_says_so() -> None:
    with pytest.raises(UnknownNameError, match="rk5"):
        discretised(MOTION, method="rk5")
    with pytest.raises(InputError, match="computed_torque"):
        discretised(LAWS["computed_torque"].continuous)
    with pytest.raises(InputError, match="pid"):
        discretised(LAWS["pid"].sampled)
