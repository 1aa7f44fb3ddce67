"""What a payload is known to: drives that are off, an empty hand, recordings without accelerations."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.identification.fit.result import Found
from manipula.identification.online.estimator import BatchMeans
from manipula.identification.online.payload import JointInfluence, model_variance
from tests.laws.test_slips import three_joints
from tests.recordings import motion, torques

pytestmark = pytest.mark.usefixtures("without_search")

ARM = three_joints()


def recorded(robot: mp.Robot, seed: int, drives: Any) -> mp.Log:
    t, q, qd, qdd = motion(3, seed, 8, 100, 0.7)
    tau = torques(robot, q, qd, qdd) * drives
    return mp.Log(t, q, tau + 0.01 * np.abs(tau).mean(0) * np.random.default_rng(seed).normal(size=tau.shape))


@cache
def fitted(drives: tuple[float, ...]) -> Found:
    return mp.identify(ARM, recorded(ARM, 3, drives), model=mp.JointModel(), filter=6.0)


@pytest.mark.parametrize("seed", range(10))
def test_drives_that_are_off_are_within_the_interval(seed: int) -> None:
    """Arm and load are weighed by the same drives, each off by up to 5 %; no accelerations are recorded. The
    errors of drives act on the arm's own weight too: half a kilogram is known no better than a kilogram."""
    rng = np.random.default_rng(seed)
    drives, mass = tuple(map(float, rng.uniform(0.95, 1.05, 3))), float(rng.uniform(0.5, 3))
    weigh = mp.PayloadEstimator(fitted(drives))
    weigh.run(recorded(ARM.with_payload(mass, (0.03, 0.02, 0.05)), 20 + seed, drives))
    assert abs(weigh.mass - mass) < 1.5 * weigh.interval["m"] < 0.5 * max(mass, 1.1)
    assert not weigh.is_empty and np.isfinite(weigh.com).all()
    assert weigh.interval["m"] > 1.9 * weigh.sigma["m"] > 0


@pytest.mark.parametrize("seed", range(6))
def test_an_empty_hand_holds_nothing(seed: int) -> None:
    weigh = mp.PayloadEstimator(fitted((1.0, 1.0, 1.0)))
    weigh.run(recorded(ARM, 40 + seed, (1.0, 1.0, 1.0)))
    assert abs(weigh.mass) < 0.1 and weigh.interval["m"] < 0.5
    if weigh.is_empty:
        assert np.isnan(weigh.com).all()
    told = weigh.as_dict()
    assert told["empty"] == weigh.is_empty and told["interval"]["m"] == pytest.approx(weigh.interval["m"])


def test_a_joint_that_disagrees_is_named() -> None:
    """The arm was identified with other gains than the load is weighed with."""
    weigh = mp.PayloadEstimator(fitted((1.0, 1.0, 1.0)))
    weigh.run(recorded(ARM.with_payload(2.0, (0.03, 0.02, 0.05)), 21, (1.0, 1.2, 1.0)))
    assert any("joint2" in text for text in weigh.doubts)
    assert abs(weigh.mass - 2.0) > 0.05 and weigh.sigma["m"] > 0.05


@pytest.mark.parametrize("memory", [0.0, 0.8, 0.95])
def test_sums_over_blocks_show_how_long_residuals_remember(memory: float) -> None:
    """τ_int of r_t = φ r_{t−1} + noise is (1 + φ)/(1 − φ); in one piece and in many it is the same."""
    rng, r = np.random.default_rng(0), np.zeros((20000, 2))
    noise = rng.normal(size=r.shape)
    for k in range(1, len(r)):
        r[k] = memory * r[k - 1] + noise[k]
    whole, parts = BatchMeans(), BatchMeans()
    whole.add(r)
    for piece in np.split(r, [1, 2, 7, 100, 4097, 15000]):
        parts.add(piece)
    assert whole.correlation == pytest.approx((1 + memory) / (1 - memory), rel=0.35)
    assert parts.correlation == pytest.approx(whole.correlation, rel=1e-9)


def test_the_scatter_of_joints_is_that_of_the_jackknife() -> None:
    theta, without = np.array([2.0]), [np.array([2.3]), np.array([1.8]), np.array([2.0])]
    found = [JointInfluence(str(k), x, np.array([0.3])) for k, x in enumerate(without)]
    assert model_variance(theta, found)[0] == pytest.approx(2 / 3 * (0.09 + 0.04))
    alone = [JointInfluence("1", np.array([0.0]), np.array([0.999])), JointInfluence("2", theta, np.array([0.0]))]
    assert model_variance(theta, alone)[0] == pytest.approx((0.03 * 2.0) ** 2, rel=0.01)
