"""Estimators: each against what is known of it. The prior and the exact programme, Cramér and Rao, outliers, noise."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.identification.data import Data, Grams, gather
from manipula.identification.estimators.entropic import barrier, barrier_value, entropic_from
from manipula.identification.estimators.log_cholesky import coordinates, derivative, log_cholesky
from manipula.identification.estimators.normal import Normal, fit_rows, normal_from
from manipula.identification.estimators.prior import Prior, entries, least_eigenvalue, pseudo_inertia, ten_from
from manipula.identification.estimators.registry import ESTIMATORS, estimator_named
from manipula.identification.fit.identification import Fit, fit_of
from manipula.identification.fit.result import combinations
from manipula.identification.fit.to_robot import spread_of
from manipula.identification.joint_model import JointModel
from manipula.mechanics.robot.description import RobotDescription
from tests.random_robots import random_robot
from tests.recordings import recording, two_joints

ARM = two_joints()
LOG = recording(ARM, 3, noise=0.05)


@cache
def recorded() -> Data:
    return gather(ARM, LOG, JointModel(), None)


@cache
def least_squares() -> Fit:
    return fit_of(recorded(), "robot")


@cache
def equations() -> Normal:
    return normal_from(recorded().fit, least_squares().weights)


def objective(prior: Prior, theta: Any) -> float:
    return equations().cost(theta) + prior.weight * barrier_value(prior, prior.coordinates(theta))


def test_ten_parameters_and_their_matrix() -> None:
    ten = np.random.default_rng(1).normal(size=(50, 10))
    assert np.allclose(ten_from(pseudo_inertia(ten)), ten)
    points = np.random.default_rng(2).normal(size=(20, 3))  # of unit mass each
    tensor = sum((r @ r) * np.eye(3) - np.outer(r, r) for r in points)
    body = np.array([*tensor[np.triu_indices(3)], *points.sum(0), 20.0])
    extended = np.column_stack([points, np.ones(20)])
    assert np.allclose(pseudo_inertia(body), extended.T @ extended)
    assert 0 < least_eigenvalue(pseudo_inertia(body)) < 1 and least_eigenvalue(pseudo_inertia(-body)) < 0


@pytest.mark.parametrize("seed", range(5))
def test_the_bracket_has_the_slopes_and_curvatures_it_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    prior = least_squares().prior
    x = prior.start
    for columns in prior.bodies:
        root = rng.normal(size=(4, 4))
        x[columns] = entries(root @ root.T + 0.1 * np.eye(4))
    x[prior.positive] = rng.uniform(0.1, 3, len(prior.positive))
    x[prior.free] = rng.normal(size=len(prior.free))
    at, way, h = barrier(prior, x), rng.normal(size=prior.size), 1e-6
    ahead, behind = barrier(prior, x + h * way), barrier(prior, x - h * way)
    assert (ahead.value - behind.value) / (2 * h) == pytest.approx(at.gradient @ way, rel=1e-5)
    curved = at.diagonal * way
    for columns, block in zip(prior.bodies, at.of_bodies):
        curved[columns] += block @ way[columns]
    assert np.allclose((ahead.gradient - behind.gradient) / (2 * h), curved, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("weight", [1e-2, 1.0, 30.0, 1e4])
def test_the_entropic_estimate_is_a_minimum(weight: float) -> None:
    """No step in any direction goes lower, and the slope is nothing."""
    prior = least_squares().prior.with_weight(weight)
    theta = entropic_from(equations(), prior)
    own, x = equations().in_coordinates(prior.transform), prior.coordinates(theta)
    slope = 2 * (own.A @ x - own.b) + weight * barrier(prior, x).gradient
    assert np.abs(slope).max() < 1e-4 * (np.abs(2 * own.b).max() + weight)
    here, rng = objective(prior, theta), np.random.default_rng(0)
    for _ in range(20):
        step = 1e-3 * prior.transform @ rng.normal(size=prior.size)
        assert objective(prior, theta + step) > here


def test_a_heavy_prior_is_returned() -> None:
    theta = entropic_from(equations(), least_squares().prior.with_weight(1e12))
    assert np.allclose(least_squares().prior.coordinates(theta), least_squares().prior.start, atol=1e-6)


@pytest.mark.turn
@pytest.mark.parametrize("weight", [1e-4, 1.0, 30.0])
def test_the_exact_solver_agrees(weight: float) -> None:
    """λ → 0 is the programme without a prior; under a weight it is the same programme with the bracket."""
    pytest.importorskip("cvxpy", reason="the extra `identify` has it")
    pytest.importorskip("clarabel", reason="the extra `identify` has it")
    from manipula.identification.estimators.lmi import lmi_from

    prior = least_squares().prior.with_weight(weight)
    ours = entropic_from(equations(), prior)
    if weight < 1e-3:
        exact = lmi_from(equations(), prior)
        assert equations().cost(ours) == pytest.approx(equations().cost(exact), rel=1e-3)
    else:
        exact = lmi_from(equations(), prior, weight)
        assert objective(prior, ours) <= objective(prior, exact) * (1 + 1e-6)
        assert objective(prior, ours) == pytest.approx(objective(prior, exact), rel=1e-3)


def test_coordinates_that_know_no_impossible_body() -> None:
    prior, rng = least_squares().prior, np.random.default_rng(4)
    phi, way, h = 0.5 * rng.normal(size=prior.size), rng.normal(size=prior.size), 1e-6
    slope = (coordinates(prior, phi + h * way) - coordinates(prior, phi - h * way)) / (2 * h)
    assert np.allclose(derivative(prior, phi) @ way, slope, rtol=1e-6, atol=1e-8)
    theta = log_cholesky(recorded(), prior, least_squares().weights)
    assert equations().cost(theta) <= 1.02 * equations().cost(entropic_from(equations(), prior.with_weight(1e-3)))
    assert (least_eigenvalue(pseudo_inertia(theta[prior.bodies])) > 0).all()


@cache
def quiet() -> tuple[Data, Fit]:
    """Without noise."""
    data = gather(ARM, recording(ARM, 3), JointModel(), None)
    return data, fit_of(data, "robot")


@pytest.mark.parametrize("method", sorted(set(ESTIMATORS) - {"lmi"}))
def test_every_estimator_explains_a_recording_without_noise(method: str) -> None:
    data, fit = quiet()
    theta = estimator_named(method)(data, fit.prior, fit.weights)
    assert data.fit.error(theta) < 0.5  # what sign(q̇) and its smooth stand-in differ by


def test_few_wild_torques_move_the_robust_estimate_less() -> None:
    assert LOG.tau is not None
    rng, tau = np.random.default_rng(7), LOG.tau.copy()
    wild = rng.random(tau.shape) < 0.03
    tau[wild] += 5 * np.abs(tau).max() * rng.normal(size=wild.sum())
    data = gather(ARM, replace(LOG, tau=tau), JointModel(), None)
    fit = fit_of(data, "robot")
    errors = [quiet()[0].fit.error(estimator_named(m)(data, fit.prior, fit.weights)) for m in ("irls", "wls")]
    assert errors[0] < 0.3 * errors[1]


# Cramér and Rao


def noisy(data: Data, rows: list[Any], clean: list[Any], sigma: Any, rng: Any) -> Data:
    """The same motion with other noise: only what the torque has a part in is summed again."""
    motion = data.source.motions[0]
    tau = clean + sigma * rng.normal(size=clean.shape)
    gram = data.fit.gram.sum(0, keepdims=True)
    for chunk, used in rows:
        own = np.append(chunk.places, gram.shape[-1] - 1)
        seen = tau[used, chunk.joint]
        gram[0, chunk.joint, own, -1] = gram[0, chunk.joint, -1, own] = np.append(chunk.Y.T @ seen, seen @ seen)
    source = replace(data.source, motions=(replace(motion, tau=tau),))
    return replace(data, fit=Grams(gram, data.fit.rows.sum(0, keepdims=True)), source=source)


def cover(robot: RobotDescription, seed: int, runs: int, seconds: float) -> tuple[Any, Any]:
    """(median of σ said over Cramér and Rao's bound and of the spread over it, share of intervals that cover)."""
    log = recording(robot, seed, seconds=seconds)
    data = gather(robot, log, JointModel(), None)
    motion = data.source.motions[0]
    used = data.source.rows_for_fit(motion)
    rows = [(chunk, np.flatnonzero(used[:, chunk.joint])) for chunk in fit_rows(data)]
    # the truth is what the columns say of the robot's own numbers, sign(q̇) being smooth
    truth = np.where(np.isfinite(data.file_values), data.file_values, 0.0)
    clean = np.concatenate(data.predict(truth))
    sigma = 0.02 * np.sqrt((clean**2).mean(0)) + 1e-9
    _, C = combinations(data.robot, data.columns)
    exact = spread_of(normal_from(data.fit, 1 / sigma**2), None, truth, 1.0)
    told = np.isfinite(exact.sigma(C))
    C = C[told]
    bound, rng = exact.sigma(C), np.random.default_rng(seed)
    estimates, said = [], []
    for _ in range(runs):
        fit = fit_of(noisy(data, rows, clean, sigma, rng), None)
        theta = estimator_named("wls")(fit.data, fit.prior, fit.weights)
        estimates.append(C @ theta)
        said.append(spread_of(normal_from(fit.data.fit, fit.weights), None, theta, fit.time).sigma(C))
    off, said = np.array(estimates) - C @ truth, np.array(said)
    ratios = np.median(off.std(0) / bound), np.median(said / bound)
    return ratios, (np.abs(off) < 1.96 * said).mean()


def test_spread_is_that_of_cramer_and_rao() -> None:
    ratios, share = cover(ARM, 1, runs=150, seconds=8)
    assert np.allclose(ratios, 1, atol=0.06) and 0.93 < share < 0.97


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["puma560", "RRRPRRR"])
def test_spread_is_that_of_cramer_and_rao_on_whole_arms(robot: str) -> None:
    if robot == "puma560":
        arm: RobotDescription = mp.load(robot)
    else:
        arm = random_robot(5, joints=robot, convention="standard", surroundings=False)
    ratios, share = cover(arm, 1, runs=300, seconds=20)
    assert np.allclose(ratios, 1, atol=0.03), ratios
    assert 0.94 < share < 0.96, share


def believed(prior: Prior, theta: Any) -> float:
    """The prior's bracket in the parameters themselves: tr P0⁻¹P − log det P of bodies, f/f0 − log f, (f/f0)²."""
    total, mean = 0.0, prior.mean
    for own in prior.bodies:
        xx, xy, xz, yy, yz, zz, x, y, z, m = (theta[own] + 1j * mean[own])[:, None, None]
        L = np.block([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        P = np.block([[np.trace(L) / 2 * np.eye(3) - L, np.block([[x], [y], [z]])], [np.block([[x, y, z]]), m]])
        total += np.trace(np.linalg.solve(P.imag, P.real)) - np.linalg.slogdet(P.real)[1]
    positive, free = theta[prior.positive] / mean[prior.positive], theta[prior.free] / prior.scale[prior.free]
    return float(total + (positive - np.log(theta[prior.positive])).sum() + (free**2).sum())


@pytest.mark.parametrize("count, time", [(1.0, 1.0), (100.0, 1.0), (3.0, 7.0)])
def test_a_standard_deviation_away_the_posterior_falls_by_half(count: float, time: float) -> None:
    """−log posterior = ½ (Σ weighted squares)/τ_int + ½ bracket: along S g/√(gᵀS g), S the covariance said, its second
    difference is 1, where the prior rules and where the data do."""
    normal = replace(equations(), A=count * equations().A, b=count * equations().b, c=count * equations().c)
    prior = least_squares().prior.with_weight(time)
    theta = entropic_from(normal, prior)
    spread = spread_of(normal, prior, theta, time)

    def unlikely(step: Any) -> float:
        """Less what it is at the estimate, the squares in small numbers."""
        squares = step @ normal.A @ (2 * theta + step) - 2 * normal.b @ step
        return 0.5 * float(squares / time + believed(prior, theta + step) - believed(prior, theta))

    rng = np.random.default_rng(1)
    directions = np.vstack([np.eye(len(theta)), rng.normal(size=(10, len(theta)))])
    sigmas = spread.sigma(directions)
    for g, sigma in zip(directions, sigmas):
        away = spread.covariance @ g / sigma
        assert g @ away == pytest.approx(sigma)
        small = 1e-3
        assert (unlikely(small * away) + unlikely(-small * away)) / small**2 == pytest.approx(1.0, rel=1e-3)


@pytest.mark.slow
def test_consistent_robots_are_recovered() -> None:
    """Twenty random arms whose files could exist, from balls as a prior: nine of ten sums within three deviations."""
    inside = []
    for seed in range(20):
        robot = random_robot(seed, joints=1 + seed % 3, surroundings=False)
        data = gather(robot, recording(robot, seed, noise=0.02), JointModel(), None)
        if not (
            least_eigenvalue(pseudo_inertia(data.file_values[: 10 * (len(data.columns) // 14)].reshape(-1, 10))) > 0
        ).all():
            continue
        found = mp.identify(robot, recording(robot, seed, noise=0.02), model=JointModel(), filter=None, prior="spheres")
        _, C = combinations(data.robot, data.columns)
        truth = C @ np.where(np.isfinite(data.file_values), data.file_values, 0.0)
        inside += list(np.abs(found.base_parameters.values - truth) < 3 * found.base_parameters.sigmas)
    assert np.mean(inside) > 0.9
