"""Bounds of what adaptive laws learn: kept, and no worse for the energy of the errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

import manipula as mp
from tests.golden.sentences import Sentences
from tests.laws.test_adaptive import GAINS, PLANAR, Followed, swing, theta_of
from tests.random_robots import random_robot

TUNING = {"kp": 60, "kd": 12, "covariance": 1, "forgetting": 0.1, "filter": 0.02, "excitation": 1e-6, "trace": 50}
LOADED = {**GAINS, "gamma_load": 2.0}
RUBBED = {**GAINS, "gamma_viscous": 3.0, "gamma_coulomb": 3.0, "gamma_offset": 3.0}


@pytest.mark.parametrize("seed, kinds", [(24, "R"), pytest.param(25, "PR", marks=pytest.mark.slow)])
def test_bounds_around_the_truth_cost_no_energy_of_the_errors(seed: int, kinds: str) -> None:
    """V = ½ sᵀM s + ½ ãᵀΓ⁻¹ã falls by sᵀK_D s at least, and by more while an estimate is held at its bound."""
    n = len(kinds)
    robot = mp.Robot.of(random_robot(seed, joints=kinds, actuators=False, surroundings=False))
    plant, gamma = robot.with_payload(1.3, (0.1, -0.05, 0.2)), 3 + 2.0 * np.arange(len(robot.base_parameters))
    true, begun = theta_of(plant), theta_of(robot)
    low, high = np.minimum(true, begun) - 1e-2, np.maximum(true, begun) + 1e-2
    ref = swing(n)
    found = {}
    for name, bounds in {"free": {}, "held": {"lower": low, "upper": high}}.items():
        law = mp.controller(robot, "slotine_li", **GAINS, gamma=gamma, **bounds)
        run = Followed(mp.closed_loop(plant, law, ref, step=1e-3), ref, 2.0)
        lost, M = true - run.x.theta, mp.Arm(plant).inertia_matrix(run.x.q)
        V = 0.5 * np.einsum("ti,tij,tj->t", run.s, M, run.s) + 0.5 * (lost * lost / gamma).sum(axis=1)
        spent = cumulative_simpson(GAINS["kd"] * (run.s * run.s).sum(axis=1), dx=1e-3, initial=0)
        found[name] = V + spent, run.x.theta
    total, theta = found["held"]
    assert ((found["free"][1] < low) | (found["free"][1] > high)).any()  # else nothing is seen here
    assert np.abs(found["free"][0] / total[0] - 1).max() < 1e-6
    assert np.diff(total).max() < 1e-6 * total[0] and total[-1] < 0.999 * total[0]
    step = 1e-3 * np.abs(np.diff(found["free"][1], axis=0)).max() / 1e-3  # what is learnt in a step
    assert (theta > low - step).all() and (theta < high + step).all()


@pytest.mark.parametrize(
    "law, gains, state, words",
    [
        ("slotine_li", {**GAINS, "gamma": 3.0}, "theta", ("lower", "upper")),
        ("self_tuning", TUNING, "theta", ("lower", "upper")),
        ("dynamic_adaptive", LOADED, "load", ("lower_load", "upper_load")),
        ("dynamic_adaptive", {**RUBBED, "adapt": "friction"}, "coulomb", ("lower_coulomb", "upper_coulomb")),
    ],
)
def test_a_sample_later_estimates_are_those_without_bounds_cut(
    law: str, gains: dict[str, Any], state: str, words: tuple[str, str]
) -> None:
    free = mp.controller(PLANAR, law, sample=1e-2, **gains)
    size, begun = len(free.inputs[state]), np.array(free.initial.get(state, np.zeros(len(free.inputs[state]))))
    rng = np.random.default_rng(size)
    low, high = begun - rng.uniform(0, 1e-2, size), begun + rng.uniform(0, 1e-2, size)
    held = mp.controller(PLANAR, law, sample=1e-2, **gains, **dict(zip(words, (low, high))))
    others = {name: x for name, x in free.start()._asdict().items() if name != state}
    at_bounds = 0
    for _ in range(20):
        others = {
            name: x + rng.uniform(-1, 1, x.shape) if name in ("slow", "held") else x for name, x in others.items()
        }
        given, here = rng.uniform(-2, 2, (5, 2)), rng.uniform(low, high)
        want, tau = free.step(free.start(**{state: here}, **others), *given)
        got, bounded = held.step(held.start(**{state: here}, **others), *given)
        np.testing.assert_allclose(getattr(got, state), np.clip(getattr(want, state), low, high), rtol=0, atol=1e-12)
        np.testing.assert_allclose(bounded, tau, rtol=1e-12)
        at_bounds += int(((getattr(got, state) == low) | (getattr(got, state) == high)).sum())
    assert at_bounds > 5
    one = mp.controller(PLANAR, law, sample=1e-2, **gains, **{words[0]: low})  # the other is infinite
    new = one.step(one.start(**{state: here}, **others), *given).state
    np.testing.assert_allclose(getattr(new, state), np.maximum(getattr(want, state), low), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "words, sentence",
    [
        ({"lower": 5, "upper": 4}, "lower: entry 1 is 5, above its upper bound 4"),
        ({"lower": 100}, r"entry 1 of theta begins at 1\.25, outside its bounds 100 … inf"),
        ({"upper": [1, 2]}, "upper: expected a number or 6 numbers"),
        ({"upper": float("nan")}, "found NaN"),
        ({"upper": "high"}, "found 'high'"),
        ({"lower_load": 0}, "no setting of planar2r_slotine_li is called 'lower_load'"),
    ],
)
def test_bounds_that_cannot_be_are_told(words: dict[str, Any], sentence: str, whole: Sentences) -> None:
    with whole.raises(mp.ManipulaError, match=sentence):
        mp.controller(PLANAR, "slotine_li", **GAINS, gamma=1, sample=1e-3, **words)


def test_craig_is_told_of_bounds_that_cross() -> None:
    gains = {"kp": 1, "kd": 1, "psi": 0.5, "gamma": 1, "filter": 0.01, "sample": 1e-3}
    with pytest.raises(mp.InputError, match="above its upper bound"):
        mp.controller(PLANAR, "craig", **gains, lower=5, upper=-5)
