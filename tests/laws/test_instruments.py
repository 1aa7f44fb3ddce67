"""Instrumental variables: noise of encoders biases least squares and not them; what is no instrument is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError
from manipula.identification.data import gather
from manipula.identification.estimators.registry import estimator_named
from manipula.identification.fit.identification import fit_of
from manipula.identification.fit.result import combinations
from manipula.identification.joint_model import JointModel
from manipula.identification.torque_columns import Columns
from manipula.mechanics.robot.description import RobotDescription
from tests.random_robots import random_robot
from tests.recordings import motion, torques, two_joints

ARM = two_joints()
PLAIN = JointModel()
LAG = 3  # samples that the arm is behind what was asked of it


def followed(robot: RobotDescription, seed: int, noise: float = 2e-4, rates: bool = True) -> mp.Log:
    """An arm late behind its reference; noise of encoders (rad, m) and of torques (2 %)."""
    t, q, qd, qdd = motion(robot.dof, seed, 8.0, 100.0)
    tau, rng = torques(robot, q, qd, qdd), np.random.default_rng(seed + 100)
    behind, ahead = slice(None, -LAG), slice(LAG, None)
    seen = q[behind] + noise * rng.normal(size=q[behind].shape)
    given = tau[behind] + 0.02 * tau.std(0) * rng.normal(size=q[behind].shape)
    wanted = {"qd_ref": qd[ahead], "qdd_ref": qdd[ahead]} if rates else {}
    return mp.Log(t[behind], seen, given, q_ref=q[ahead], **wanted)


@cache
def sums() -> Any:
    """C of the base parameters = C·columns."""
    columns = Columns(ARM, PLAIN)
    return combinations(columns.robot, columns.columns)[1]


def errors(log: mp.Log, *methods: str) -> list[Any]:
    """Of the sums that torques tell, method by method."""
    data = gather(ARM, log, PLAIN, None)
    fit, C = fit_of(data, None), sums()
    truth = C @ np.where(np.isfinite(data.file_values), data.file_values, 0.0)
    return [C @ estimator_named(method)(data, fit.prior, fit.weights) - truth for method in methods]


@cache
def drawn(rates: bool) -> Any:
    """(methods, runs, parameters)"""
    return np.swapaxes([errors(followed(ARM, seed, rates=rates), "ols", "iv") for seed in range(8)], 0, 1)


@pytest.mark.parametrize("rates", [True, False])
def test_the_mean_of_many_runs_is_the_truth(rates: bool) -> None:
    """Within three deviations of the mean, all parameters together; least squares is many times that away."""
    ols, iv = drawn(rates)
    doubt = iv.std(0, ddof=1) / np.sqrt(len(iv))
    off = [np.abs(x.mean(0)) / doubt for x in (ols, iv)]
    assert np.sqrt((off[1] ** 2).mean()) < 2 and off[1].max() < 4.5  # of Student's t with seven degrees
    assert off[0].max() > 15
    assert np.linalg.norm(iv, axis=1).mean() < 0.2 * np.linalg.norm(ols, axis=1).mean()


@pytest.mark.turn
def test_doubts_cover_the_truth() -> None:
    log = followed(ARM, 20)
    found = mp.identify(ARM, log, model=PLAIN, method="iv", filter=None)
    truth = sums() @ np.where(np.isfinite(found.data.file_values), found.data.file_values, 0.0)
    told = found.base_parameters
    assert np.isfinite(told.sigmas).all() and (np.abs(told.values - truth) < 3 * told.sigmas).all()
    assert found.prior is None and not any("'iv'" in text for text in found.warnings)


@pytest.mark.parametrize("seed", range(4))
def test_any_arm(seed: int) -> None:
    """With one joint, with slides: the torques of the exact motion are those of the arm."""
    robot = random_robot(seed, joints=1 + seed % 3, surroundings=False)
    log = followed(robot, seed, noise=1e-5)
    t, q, qd, qdd = motion(robot.dof, seed, 8.0, 100.0)
    exact = gather(robot, mp.Log(t, q, torques(robot, q, qd, qdd), qd, qdd), PLAIN, None)
    data = gather(robot, log, PLAIN, None)
    fit = fit_of(data, None)
    assert exact.fit.error(estimator_named("iv")(data, fit.prior, fit.weights)) < 3


def test_without_a_reference_the_motion_is_smoothed_and_this_is_said() -> None:
    log = replace(followed(ARM, 1), q_ref=None, qd_ref=None, qdd_ref=None)
    ols, iv = errors(log, "ols", "iv")
    assert np.linalg.norm(iv) < 0.3 * np.linalg.norm(ols)
    found = mp.identify(ARM, log, model=PLAIN, method="iv")
    assert any("have no q_ref" in text for text in found.warnings)


def test_what_is_no_instrument_is_refused() -> None:
    log = followed(ARM, 2)
    assert log.q_ref is not None
    for wrong in (np.degrees(log.q_ref), np.zeros_like(log.q_ref), log.q_ref[::-1]):
        with pytest.raises(InputError, match="q_ref"):
            mp.identify(ARM, replace(log, q_ref=wrong, qd_ref=None, qdd_ref=None), model=PLAIN, method="iv")


def test_a_reference_that_says_little_of_the_motion_is_doubted() -> None:
    log = followed(ARM, 5, noise=1e-5)
    assert log.q_ref is not None
    stairs = replace(log, q_ref=np.round(2 * log.q_ref) / 2, qd_ref=None, qdd_ref=None)
    for given, doubted in ((log, False), (stairs, True)):
        found = mp.identify(ARM, given, model=PLAIN, method="iv")
        assert any("too far from the motion" in text for text in found.warnings) == doubted
