"""Filters of recordings: exact for polynomials, a cut-off between motion and noise, a robot found through them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import manipula as mp
from manipula.identification import data as gathering
from manipula.identification.data import gather
from manipula.identification.estimators.normal import correlation_time
from manipula.identification.filters import Smoother, cutoff_for, rates
from manipula.identification.fit.identification import identify_robot
from manipula.identification.fit.result import combinations
from manipula.identification.joint_model import JointModel
from manipula.identification.torque_columns import Columns
from tests.recordings import recording, two_joints


def test_rates_are_exact_for_polynomials() -> None:
    t = np.arange(40) * 0.01
    q = np.stack([1 + 2 * t + 3 * t**2, t**3 - t**4], axis=1)
    qd, qdd = rates(q, 0.01)
    inner = slice(2, -2)
    assert np.allclose(qd[inner, 1], (3 * t**2 - 4 * t**3)[inner]) and np.allclose(qdd[:, 0], 6)
    assert np.allclose(qdd[inner, 1], (6 * t - 12 * t**2)[inner]) and np.allclose(qd[:, 0], 2 + 6 * t)


def test_a_smoother_keeps_what_is_slow_and_loses_what_is_fast() -> None:
    t = np.arange(4000) / 500.0
    slow, fast = np.sin(2 * np.pi * t), np.sin(2 * np.pi * 100 * t)
    found = Smoother(500.0, 10.0)(np.stack([slow, fast], axis=1))[500:-500]
    assert np.allclose(found[:, 0], slow[500:-500], atol=1e-6) and np.abs(found[:, 1]).max() < 1e-6


@pytest.mark.parametrize("rate", [100.0, 400.0])
@pytest.mark.parametrize("counts", [4000, 40_000, 0])
@pytest.mark.parametrize("pace", [0.3, 1.0])
def test_the_cutoff_found_is_above_the_motion_and_below_the_noise(rate: float, counts: int, pace: float) -> None:
    """From a log without noise it is some times the motion's band; with noise it is lower, and at it the accelerations
    are known to a small part of themselves."""
    t = np.arange(int(20 * rate)) / rate
    w = 2 * np.pi * pace * np.array([0.6, 1.0])
    q, qdd = np.sin(w * t[:, None]), -(w**2) * np.sin(w * t[:, None])
    step = 2 * np.pi / counts if counts else 0.0
    seen = np.round(q / step) * step if counts else q
    cut = cutoff_for([mp.Log(t, seen, q)], "auto").frequency
    assert cut is not None and pace < cut < 0.3 * rate
    if not counts:
        assert 3 * pace < cut < 15 * pace
    smoother, inner = Smoother(rate, cut), slice(len(t) // 5, -len(t) // 5)
    seen_there = smoother(rates(smoother.wider()(seen), 1 / rate)[1])[inner]
    meant = smoother(qdd)[inner]
    assert np.linalg.norm(seen_there - meant) < 0.01 * np.linalg.norm(meant)


@pytest.mark.parametrize("seed", range(4))
def test_a_long_recording_has_the_cutoff_of_its_parts(seed: int) -> None:
    """Ten minutes of a few sines are lines in a spectrum; the motion does not end between them."""
    rng, t = np.random.default_rng(seed), np.arange(0, 600, 0.01)
    w, a = rng.uniform(0.5, 3, (3, 2)), rng.uniform(0.2, 0.5, (3, 2))
    q = (a * np.sin(w * t[:, None, None])).sum(1)
    cut = cutoff_for([mp.Log(t, np.round(q / 1e-5) * 1e-5, q)], "auto").frequency
    assert cut is not None and cut > w.max() / (2 * np.pi)


def test_a_log_that_does_not_move_is_not_filtered() -> None:
    t = np.arange(400) / 100.0
    assert cutoff_for([mp.Log(t, np.zeros((400, 2)), np.zeros((400, 2)))], "auto").frequency is None


@pytest.mark.turn
def test_a_quantised_puma_is_found_through_the_filter() -> None:
    """One-sided filters leave 2 % here, differences without one 16 %."""
    robot = mp.load("puma560")
    rng, t, w = np.random.default_rng(0), np.arange(0, 10, 2e-3), 2 * np.pi * 0.1
    q, qd, qdd = np.zeros((3, len(t), 6))
    for k in range(1, 6):
        a, b = rng.normal(size=(2, 6)) * 0.6 / k
        s, c = np.sin(w * k * t)[:, None], np.cos(w * k * t)[:, None]
        q, qd, qdd = q + a * s + b * c, qd + w * k * (a * c - b * s), qdd - (w * k) ** 2 * (a * s + b * c)
    columns = Columns(robot, mp.JointModel())
    truth = np.nan_to_num(columns.file_values)
    exact = mp.Log(t, q, np.zeros_like(q), qd=qd, qdd=qdd)
    tau = gather(robot, exact, filter=None).predict(truth)[0]
    step = 2 * np.pi / 40_000
    data = gather(robot, mp.Log(t, np.round(q / step) * step, tau))
    theta = gathering.first_fit(data.fit)
    again = gather(robot, replace(exact, tau=tau), filter=None)
    assert again.judge.error(theta) < 0.1


@pytest.mark.parametrize("seed", range(6))
def test_how_long_filtered_white_noise_remembers(seed: int) -> None:
    """The number that a smoother tells is that of noise which has gone through it."""
    rng = np.random.default_rng(seed)
    rate = float(rng.choice([100.0, 250.0, 1000.0]))
    smoother = Smoother(rate, rate * float(rng.uniform(0.01, 0.2)))
    noise = smoother(rng.normal(size=(400_000, 1)))[:: smoother.step]
    measured = correlation_time([noise], [np.ones(noise.shape, bool)])
    assert smoother.correlation == pytest.approx(measured, rel=0.08)
    assert Smoother(rate, None).correlation == 1.0


def test_doubts_count_what_the_filter_does_to_noise() -> None:
    """A fit takes the slow part of the noise for itself: what is left seems to remember less than the noise did."""
    robot = two_joints()
    found = identify_robot(robot, quantised(recording(robot, 3, noise=0.02), 40_000), model=JointModel())
    assert found.correlation >= found.data.source.motions[0].smoother.correlation > 2


@pytest.mark.slow
def test_intervals_cover_through_the_filter() -> None:
    robot, inside = two_joints(), []
    for seed in range(30):
        log = quantised(recording(robot, seed, noise=0.02), 40_000)
        found = identify_robot(robot, log, model=JointModel(), method="wls", prior=None)
        _, C = combinations(found.data.robot, found.columns)
        sigma = np.array([row.sigma for row in found.base_parameters])
        inside += list(np.abs(C @ (found.theta - found.data.file_values)) <= 1.96 * sigma)
    assert 0.93 <= np.mean(inside) <= 0.99


def quantised(log: mp.Log, counts: int) -> mp.Log:
    """Positions as an encoder gives them; no rates."""
    step = 2 * np.pi / counts
    return mp.Log(log.t, np.round(log.q / step) * step, log.tau)
