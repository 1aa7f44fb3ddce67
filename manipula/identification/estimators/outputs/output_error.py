"""Output error: the parameters whose motion under the recorded torques is nearest to the recorded one.

    min Σ_windows Σ_j w_j ‖q_j − q_j(θ, s)‖² + λ·prior        s the states in which the windows begin, w_j = 1/σ_j²

Positions are not differenced, so that noise of encoders is noise of what is compared, and of no column. By Gauss's and
Newton's method under the prior: slopes by differences of simulations side by side, the beginnings eliminated window by
window. λ is how long the residuals remember themselves, as it is for torques. Standard deviations count the noise of
positions; edges of dry friction, which is taken along the smoothed motion, are not in them.

Source: M. Gautier, A. Janot, P.-O. Vandanjon, "A new closed-loop output error method for parameter identification of
robot dynamics", IEEE Transactions on Control Systems Technology 21(2), 2013, who simulate with the robot's law and
compare torques; windows are the multiple shooting of H. G. Bock, 1981. Where a log names no law, windows need none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.identification.correlation import correlation_time
from manipula.identification.data import Data
from manipula.identification.estimators.entropic import DECREMENT, barrier_value, entropic_from, newton
from manipula.identification.estimators.normal import Normal, normal_from
from manipula.identification.estimators.outputs.windows import Dynamics, Windows, windows_of
from manipula.identification.estimators.prior import Prior

Array = NDArray[np.float64]
TURNS = 12
STAGES = (0.25, 1.0)  # of a window's length: in short ones an arm that is far off does not get far
ENOUGH = 0.01  # by which a turn lowers the squares in units of σ², residuals being as independent as they are
QUIETEST = 1e-18  # rad² or m²: a simulation without noise has a weight, too
SLOPE = 1e-6  # of a difference, the prior's coordinates being about one
SHORTEST = 1 / 64  # of a step


@dataclass(frozen=True)
class Problem:
    """What stays the same over the turns."""

    dynamics: Dynamics
    windows: list[Windows]
    prior: Prior

    def residuals(self, x: Array, first: list[Array]) -> list[Array]:
        """(windows, samples, n) of every stretch: recorded less simulated."""
        theta = self.prior.transform @ x
        return [
            one.q - self.dynamics.positions(np.tile(theta, (len(one.q), 1)), one, begin)
            for one, begin in zip(self.windows, first)
        ]

    def objective(self, x: Array, first: list[Array], weights: Array, weight: float) -> float:
        bracket = barrier_value(self.prior, x)
        if not np.isfinite(bracket):
            return np.inf
        squares = sum(float((weights * r**2).sum()) for r in self.residuals(x, first))
        return squares + weight * bracket if np.isfinite(squares) else np.inf


@dataclass(frozen=True)
class Linear:
    """Residuals and slopes at a point, the beginnings of the windows eliminated."""

    normal: Normal  # in the prior's coordinates, of x itself
    left: list[Array]  # what beginnings do not explain of the residuals
    starts: list[tuple[Array, Array, Array]]  # of every stretch (pseudo-inverse of ∂/∂s, residual, ∂/∂x), by window


def output_error(data: Data, prior: Prior, weights: Array) -> Array:
    """θ, from the fit to torques."""
    if not prior.weight > 0:
        raise InputError("method='output_error' needs a prior; without one take method='iv' or method='wls'")
    x = prior.coordinates(entropic_from(normal_from(data.fit, weights), prior))
    for share in STAGES:
        x = _solved(Problem(Dynamics(data), windows_of(data, share), prior), x)
    return prior.transform @ x


def _solved(problem: Problem, x: Array) -> Array:
    first = [one.first for one in problem.windows]
    for _ in range(TURNS):
        linear, own, weight = _seen(problem, x, first)
        here = problem.objective(x, first, own, weight)
        x, first, now = _step(problem, linear, x, first, own, weight, here)
        if not here - now > ENOUGH * weight:
            break
    return x


def information(data: Data, prior: Prior, theta: Array) -> tuple[Normal, Prior]:
    """The normal equations of θ near a solution, and the prior with the weight that it had there."""
    problem = Problem(Dynamics(data), windows_of(data), prior)
    linear, _, weight = _seen(problem, prior.coordinates(theta), [one.first for one in problem.windows])
    back: Array = np.asarray(np.linalg.inv(prior.transform), float)
    return linear.normal.in_coordinates(back), prior.with_weight(weight)


def _seen(problem: Problem, x: Array, first: list[Array]) -> tuple[Linear, Array, float]:
    """The linear problem, weights by what it leaves, and how long that remembers itself."""
    left = problem.residuals(x, first)
    if not all(np.isfinite(r).all() for r in left):
        raise InputError("method 'output_error': the arm of the fit to torques runs away within a window")
    slopes = [_slopes(problem, one, s, x, one.q - r) for one, s, r in zip(problem.windows, first, left)]
    weights = _weights(left)
    for _ in range(2):
        linear = _linear(x, left, slopes, weights)
        weights = _weights(linear.left)
    return _linear(x, left, slopes, weights), weights, _remembered(linear.left)


def _weights(left: list[Array]) -> Array:
    """1/σ_j², from the residuals, of which the beginnings take two a window."""
    rows = np.concatenate([r.reshape(-1, r.shape[-1]) for r in left])
    free = 1 - 2 * sum(len(r) for r in left) / len(rows)
    return np.asarray(1 / np.maximum((rows**2).mean(0) / max(free, 0.25), QUIETEST))


def _remembered(left: list[Array]) -> float:
    rows = [window for r in left for window in r]
    return correlation_time(rows, [np.ones(r.shape, bool) for r in rows])


def _linear(x: Array, left: list[Array], slopes: list[tuple[Array, Array]], weights: Array) -> Linear:
    A, b, c, count = np.zeros((len(x), len(x))), np.zeros(len(x)), 0.0, 0
    root, starts, after = np.sqrt(weights), [], []
    for r, (by_x, by_s) in zip(left, slopes):
        many = len(r)
        R, X, S = (y.reshape(many, -1, *y.shape[3:]) for y in (r * root, by_x * root[:, None], by_s * root[:, None]))
        Q = np.linalg.qr(S)[0]
        target, wide = (y - Q @ (np.swapaxes(Q, 1, 2) @ y) for y in (R[..., None], X))
        flat = wide.reshape(-1, len(x))
        A, b, c = A + flat.T @ flat, b + flat.T @ target.reshape(-1), c + float((target**2).sum())
        count += target.size - S.shape[-1] * many
        starts.append((np.asarray(np.linalg.pinv(S), float), R, X))
        after.append(target.reshape(r.shape) / root)
    own = A @ x
    return Linear(Normal(A, b + own, c + float(x @ own + 2 * b @ x), count), after, starts)


def _slopes(problem: Problem, one: Windows, begin: Array, x: Array, here: Array) -> tuple[Array, Array]:
    """∂q/∂x and ∂q/∂s, (windows, samples, n, ·): a simulation more for every unknown, all side by side."""
    many, width = len(one.q), begin.shape[1]
    theta = problem.prior.transform @ (x[:, None] + SLOPE * np.eye(len(x)))  # a column a change
    changed = np.concatenate([theta.T, np.tile(problem.prior.transform @ x, (width, 1))])
    states = np.concatenate([np.zeros((len(x), width)), SLOPE * np.eye(width)])
    found = []
    for some in np.array_split(np.arange(len(changed)), max(1, len(changed) * many // 4096)):
        starts = (states[some][:, None] + begin).reshape(-1, width)
        moved = problem.dynamics.positions(np.repeat(changed[some], many, axis=0), one, starts)
        found.append((moved.reshape(len(some), *here.shape) - here) / SLOPE)
    slopes = np.moveaxis(np.concatenate(found), 0, -1)
    return slopes[..., : len(x)], slopes[..., len(x) :]


def _step(
    problem: Problem, linear: Linear, x: Array, first: list[Array], weights: Array, weight: float, here: float
) -> tuple[Array, list[Array], float]:
    """Towards the least of the linear problem, as far as the objective falls."""
    step = newton(linear.normal, problem.prior, weight, x, DECREMENT) - x
    moves = [(inverse @ (R - X @ step)[..., None])[..., 0] for inverse, R, X in linear.starts]
    length = 1.0
    while length >= SHORTEST:
        trial, begun = x + length * step, [s + length * move for s, move in zip(first, moves)]
        now = problem.objective(trial, begun, weights, weight)
        if now < here:
            return trial, begun, now
        length /= 2
    return x, first, here
