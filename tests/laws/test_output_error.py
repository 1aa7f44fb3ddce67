"""Output error: noise of encoders biases columns, and nothing that is simulated."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError
from manipula.identification.data import Data, gather
from manipula.identification.estimators.output_error import Dynamics, Windows, _weights, information, windows_of
from manipula.identification.fit.identification import fit_of
from tests.random_robots import random_robot, random_tree
from tests.recordings import motion, recording, two_joints

PLAIN = mp.JointModel()


def noisy(log: mp.Log, seed: int, size: float) -> mp.Log:
    """Positions with noise, no rates."""
    return mp.Log(log.t, log.q + size * np.random.default_rng(seed).normal(size=log.q.shape), log.tau)


def true_values(data: Data) -> Any:
    return np.nan_to_num(data.file_values)


def gap(data: Data, theta: Any) -> float:
    """How far windows of the true arm end from the recording, at most."""
    dynamics, worst = Dynamics(data), 0.0
    for one in windows_of(data):
        found = dynamics.positions(np.tile(theta, (len(one.q), 1)), one, one.first)
        worst = max(worst, float(np.abs(found - one.q).max()))
    return worst


def test_the_true_arm_moves_as_it_was_recorded() -> None:
    """And one with a heavier hand does not: a planted error is seen."""
    arm = two_joints()
    data = gather(arm, recording(arm, 5, 4.0, 400.0), PLAIN, None)
    true = true_values(data)
    assert gap(data, true) < 1e-3
    heavy = true.copy()
    heavy[data.names.index("m2")] *= 1.2
    heavy[data.names.index("mx2")] *= 1.2
    assert gap(data, heavy) > 1e-2


@pytest.mark.turn
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_noisy_encoders_without_a_filter(seed: int) -> None:
    """Least squares of differenced noise is off by tens of percent; the motion is not."""
    arm = two_joints()
    log, other = noisy(recording(arm, seed, 6.0, noise=2e-3), seed, 3e-4), recording(arm, seed + 50, 6.0)
    own, least = (mp.identify(arm, log, model=PLAIN, method=method, filter=None) for method in ("output_error", "ols"))
    assert own.error(other) < 0.6
    assert own.error(other) < 0.05 * least.error(other)
    assert own.consistent


@pytest.mark.slow
def test_deviations_are_those_that_are_said() -> None:
    """Over seeds, of every sum that torques can tell, on an arm without dry friction, whose edges along a smooth motion
    no deviation counts: errors in parts of σ, the Cramér–Rao bound of the windows, have the spread of one, nearly."""
    arm = two_joints().with_friction(joint1={"viscous": 0.8}, joint2={"viscous": 0.3})
    model, ratios = mp.JointModel(friction=("viscous",)), []
    log = recording(arm, 7, 6.0)
    for seed in range(10):
        found = mp.identify(arm, noisy(log, 500 + seed, 3e-4), model=model, method="output_error", filter=None)
        exact = replace(found, theta=true_values(found.data))
        pairs = zip(found.base_parameters, exact.base_parameters)
        ratios.append([(row.value - true.value) / row.sigma for row, true in pairs])
    assert 0.7 < np.median(np.sqrt((np.array(ratios) ** 2).mean(0))) < 1.5


def residuals_from_best_states(dynamics: Dynamics, one: Windows, theta: Any, weights: Any) -> Any:
    """What windows leave of the recorded positions, each begun in the state from which it leaves the least."""
    many, states = len(one.q), one.first.copy()
    thetas = np.tile(theta, (many, 1))
    for _ in range(2):
        left = one.q - dynamics.positions(thetas, one, states)
        slopes = [(one.q - left - dynamics.positions(thetas, one, states - h)) / 1e-6 for h in 1e-6 * np.eye(4)]
        rows = (np.stack(slopes, -1) * np.sqrt(weights)[:, None]).reshape(many, -1, 4)
        states += np.stack([np.linalg.lstsq(A, y, rcond=None)[0] for A, y in
                            zip(rows, (left * np.sqrt(weights)).reshape(many, -1))])  # fmt: skip
    return one.q - dynamics.positions(thetas, one, states)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_known_of_the_parameters_is_what_other_ones_would_leave(seed: int) -> None:
    """The normal equations near a solution, on which the deviations rest: the weighted squares that other parameters
    leave, simulated, windows begun wherever they leave the least."""
    rng, sigma = np.random.default_rng(seed), np.array([3e-4, 1e-3])
    arm = two_joints().with_friction(joint1={"viscous": 0.8}, joint2={"viscous": 0.3})  # no edges, as below
    log, model = recording(arm, 5 + seed, 2.0), mp.JointModel(friction=("viscous",))
    data = gather(arm, mp.Log(log.t, log.q + sigma * rng.normal(size=log.q.shape), log.tau), model, None)
    theta, (one,), dynamics = true_values(data), windows_of(data), Dynamics(data)
    normal, prior = information(data, fit_of(data, "robot").prior, theta)
    left = residuals_from_best_states(dynamics, one, theta, 1 / sigma**2)
    weights = (left[..., 0].size - 2 * len(left)) / (left**2).sum((0, 1))
    assert np.allclose(weights, 1 / sigma**2, rtol=0.4)  # of a hundred samples each
    assert 0.5 < prior.weight < 2  # white noise forgets itself at once
    other = theta * (1 + 0.003 * rng.normal(size=len(theta)))
    found = residuals_from_best_states(dynamics, one, other, weights)
    more = float((weights * (found**2).sum((0, 1))).sum() - (weights * (left**2).sum((0, 1))).sum())
    assert normal.cost(other) - normal.cost(theta) == pytest.approx(more, rel=0.05)


def three_joints() -> mp.Robot:
    """One that slides among them."""
    rows = [
        {"theta": 0, "d": 0.3, "a": 0.0, "alpha": 90, "mass": 4.0, "com": [0.02, -0.1, 0.03]},
        {"theta": 0, "d": 0.0, "a": 0.4, "alpha": 0, "mass": 3.0, "com": [-0.15, 0.02, 0.04]},
        {"type": "prismatic", "theta": 0, "a": 0.1, "alpha": 90, "mass": 2.0, "com": [0.03, 0.05, -0.1]},
    ]
    inertia = {"xx": 0.03, "yy": 0.05, "zz": 0.04, "xy": 0.002, "xz": 0.0, "yz": 0.001}
    arm = mp.Robot.from_dh([{**row, "inertia": inertia} for row in rows], angle="deg", name="three")
    friction = {f"joint{k}": {"viscous": 0.4, "coulomb": 0.6} for k in (1, 2, 3)}
    return arm.with_friction(**friction).with_motor_inertia(joint1=0.1, joint2=0.1, joint3=0.3)


@pytest.mark.slow
def test_three_joints_one_of_which_slides() -> None:
    arm = three_joints()
    log, other = noisy(recording(arm, 3, 6.0, noise=1e-3), 4, 2e-4), recording(arm, 60, 6.0)
    found = mp.identify(arm, log, model=PLAIN, method="output_error", filter=None)
    assert found.error(other) < 0.3
    assert all(np.isfinite(row.sigma) and row.sigma > 0 for row in found.parameters)


def test_windows_are_left_out_where_a_joint_stands_still() -> None:
    """What holds it there is in no column: a rest in the recording changes nothing that is found."""
    arm, log = two_joints(), recording(two_joints(), 2, 6.0, noise=1e-3)
    rest = np.arange(200)[:, None] * 0.0
    t = np.arange(len(log) + 200) * 0.01
    q, tau = np.concatenate([rest + log.q[0], log.q]), np.concatenate([rest + log.q[0] * 50, np.asarray(log.tau)])
    data = gather(arm, mp.Log(t, q, tau), PLAIN, 10.0)
    whole = gather(arm, log, PLAIN, 10.0)
    many, all_of = (sum(len(one.q) for one in windows_of(x)) for x in (data, whole))
    assert all_of - 1 <= many <= all_of + 1
    with pytest.raises(InputError, match="nowhere do all joints move"):
        windows_of(gather(arm, mp.Log(t, q, tau).between(0.0, 1.6), PLAIN, 10.0))


@pytest.mark.turn
def test_what_it_cannot_do_is_said() -> None:
    arm = two_joints()
    small = recording(arm, 1)
    with pytest.raises(InputError, match="many orders smaller"):
        mp.identify(arm, replace(small, tau=np.asarray(small.tau) * 1e-12), model=PLAIN)
    with pytest.raises(InputError, match="needs a prior"):
        mp.identify(arm, recording(arm, 1), method="output_error", prior=None)


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_are_those_of_the_model(seed: int) -> None:
    """Of random arms, some with slides or branches: what inertia and motors ask for gives the motion back."""
    arm = random_tree(seed, joints=3) if seed % 2 else random_robot(seed, joints=3)
    t, q, qd, qdd = motion(arm.dof, seed, 0.5, 40.0)
    data = gather(arm, mp.Log(t, q, np.ones_like(q), qd, qdd), PLAIN, None)
    columns, (along,) = data.source.columns, data.source.motions
    rigid = [c.family in ("inertial", "motor_inertia") for c in data.columns]
    theta = np.where(rigid, true_values(data) + 1e-3 * np.arange(len(rigid)), 0.3)
    asked = [x @ (theta * rigid)[columns.own(j)] for j, x in enumerate(columns.values(along, slice(None), None))]
    found = Dynamics(data).acceleration(np.tile(theta, (len(q), 1)), along.q, along.qd, np.stack(asked, 1))
    assert np.allclose(found, along.qdd, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("samples", [6, 12, 200])
def test_the_beginnings_of_windows_take_their_freedoms_from_the_noise(samples: int) -> None:
    """White noise from which a line was fitted in every window has σ²(1 − 2/samples) left; the weights are 1/σ²."""
    sigma, line = np.array([0.5, 2.0, 0.01]), np.vander(np.linspace(-1, 1, samples), 2)
    noise = np.random.default_rng(samples).normal(size=(40000 // samples, samples, 3)) * sigma
    left = noise - line @ (np.linalg.pinv(line) @ noise)
    np.testing.assert_allclose(_weights([left[:50], left[50:]]), 1 / sigma**2, rtol=0.05)
