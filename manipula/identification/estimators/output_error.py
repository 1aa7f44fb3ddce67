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
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.identification.data import CHUNK, Data
from manipula.identification.estimators.entropic import DECREMENT, barrier_value, entropic_from, newton
from manipula.identification.estimators.normal import Normal, correlation_time, normal_from
from manipula.identification.estimators.prior import Prior
from manipula.identification.filters import RecordedMotion, Smoother, found_cutoff, motion_of
from manipula.identification.torque_columns import Columns
from manipula.recordings.log import Log

# Recorded torques let a model move for a short while, from many places of the recording at once.
#
#     M(q) q̈ + h(q, q̇) = τ − F θ_F        M, h by the inertial columns and motor inertia along the model's own motion
#
# F are the other columns (friction, offsets, springs …) along the recorded motion, which makes signs of friction a
# given
# torque and no stiff law. A window begins where the recording is, up to a correction of position and velocity that is
# unknown, too. No law is assumed: a log names no controller, and over a window none is needed.

Array = NDArray[np.float64]
MOTOR = "motor_inertia"
PERIODS = 2.5  # of the cut-off, which is a few times the motion's band: half a period of the motion
STICKING = 0.25  # of a window's samples at which a joint may stick: what holds it then is in no column
FEWEST = 8  # samples of a window


@dataclass(frozen=True, eq=False)
class Windows:
    """`q` (windows, samples, n) as recorded, `first` (windows, 2n) where each begins, `tau` as `q`, `given` (windows,
    samples, n, k) the columns along the recording, at `places` among those of the data."""

    q: Array
    first: Array
    tau: Array
    given: Array
    places: NDArray[np.intp]
    step: float  # s


def windows_of(data: Data, share: float = 1.0) -> list[Windows]:
    """Of every stretch, one after the other, in parts of the usual length; what is left at its end is not used."""
    found = [_windows(data, motion, share) for motion in data.source.motions]
    kept = [x for x in found if x is not None]
    if not kept:
        raise InputError("method 'output_error': nowhere do all joints move for as long as a window lasts")
    return kept


def _windows(data: Data, motion: RecordedMotion, share: float) -> Windows | None:
    smoother, rate = _smoother(motion), motion.smoother.rate
    size = max(FEWEST, round(share * PERIODS * rate / (smoother.motion or smoother.cutoff or rate)))
    # at the ends of a stretch the velocities that windows begin with are guesses
    ends = min(smoother.ends, len(motion) // 4)
    count = (len(motion) - 2 * ends) // size
    if count < 1:
        return None
    along = motion if motion.smoother.cutoff is not None else _along(data, motion, smoother)
    places, given = _other_torque_columns(data, along)
    rows = ends + np.arange(count * size).reshape(count, size)
    rows = rows[(np.abs(along.qd[rows]) < data.source.columns.slow).mean(1).max(1) <= STICKING]
    if not len(rows):
        return None
    begin = np.concatenate([along.q[rows[:, 0]], along.qd[rows[:, 0]]], axis=1)
    return Windows(motion.q[rows], begin, motion.tau[rows], given[rows], places, 1 / rate)


def _smoother(motion: RecordedMotion) -> Smoother:
    """The recording's filter; where nothing was to be filtered, the one that its spectrum asks for."""
    if motion.smoother.cutoff is not None:
        return motion.smoother
    cut = found_cutoff([Log(motion.t, motion.q)])
    if cut.frequency is None:
        raise InputError("method 'output_error': the motion of a stretch is lost in its noise")
    return Smoother(motion.smoother.rate, cut.frequency)


def _along(data: Data, motion: RecordedMotion, smoother: Smoother) -> RecordedMotion:
    """The motion without its noise."""
    return motion_of(Log(motion.t, smoother.wider().positions(motion.q)), motion.tau, motion.smoother, _radii(data))


def _radii(data: Data) -> dict[Fraction, Array]:
    columns = data.source.columns
    return {radius: float(radius) * columns.pace for radius in columns.radii()}


def _other_torque_columns(data: Data, motion: RecordedMotion) -> tuple[NDArray[np.intp], Array]:
    """The columns that are neither inertial nor of motors, by time and joint."""
    columns, inertial = data.source.columns, len(data.source.columns.inertial.columns)
    other = [k for k, c in enumerate(data.columns) if data.places[k] >= inertial and c.family != MOTOR]
    found = np.zeros((len(motion), columns.dof, len(other)))
    place = {int(data.places[k]): i for i, k in enumerate(other)}
    for first in range(0, len(motion), CHUNK):
        rows = slice(first, min(first + CHUNK, len(motion)))
        for j, values in enumerate(columns.values(motion, rows, data.load)):
            for k, old in enumerate(columns.own(j)):
                if int(old) in place:
                    found[rows, j, place[int(old)]] = values[:, k]
    return np.array(other, dtype=np.intp), found


class Dynamics:
    """q̈ of many arms at once, each with its own parameters."""

    def __init__(self, data: Data) -> None:
        self.columns: Columns = data.source.columns
        size = len(self.columns.inertial.columns)
        self._inertial = np.flatnonzero(data.places < size)
        self._among = data.places[self._inertial]
        self._motors = [(k, c.joint) for k, c in enumerate(data.columns) if c.family == MOTOR and c.joint is not None]

    def acceleration(self, theta: Array, q: Array, qd: Array, tau: Array) -> Array:
        """θ (m, p); q, q̇ and the torque that is left for the bodies (m, n)."""
        many, n = q.shape
        columns = self.columns.inertial
        bodies = np.zeros((many, len(columns.columns)))
        bodies[:, self._among] = theta[:, self._inertial]
        still = np.einsum("mjk,mk->mj", columns(q, qd, np.zeros_like(q)), bodies)
        M = np.empty((many, n, n))
        for j in range(n):
            way = np.zeros_like(q)
            way[:, j] = 1.0
            # one joint accelerates, at rest and without gravity: a column of M
            M[:, :, j] = np.einsum("mjk,mk->mj", columns(q, np.zeros_like(q), way, np.zeros(3)), bodies)
        for place, joint in self._motors:
            M[:, joint, joint] += theta[:, place]
        return np.asarray(np.linalg.solve(M, (tau - still)[..., None])[..., 0])

    def positions(self, theta: Array, windows: Windows, first: Array) -> Array:
        """(m, samples, n) from the states `first` (m, 2n), by Runge's and Kutta's fourth order, a step a sample; m goes
        over the windows, several times if there are several θ."""
        times = len(theta) // len(windows.q)
        own = theta[:, windows.places].reshape(times, len(windows.q), -1)
        rub = np.einsum("wtjk,ewk->ewtj", windows.given, own).reshape(len(theta), *windows.tau.shape[1:])
        u = np.tile(windows.tau, (times, 1, 1)) - rub
        n, h = u.shape[-1], windows.step
        q, qd = first[:, :n], first[:, n:]
        found: Array = np.empty(u.shape)
        found[:, 0] = q
        for k in range(1, u.shape[1]):
            # torques are known at the samples alone; between them they are taken for straight
            middle = (u[:, k - 1] + u[:, k]) / 2
            a = self.acceleration(theta, q, qd, u[:, k - 1])
            b = self.acceleration(theta, q + h / 2 * qd, qd + h / 2 * a, middle)
            c = self.acceleration(theta, q + h / 2 * qd + h * h / 4 * a, qd + h / 2 * b, middle)
            d = self.acceleration(theta, q + h * qd + h * h / 2 * b, qd + h * c, u[:, k])
            q, qd = q + h * qd + h * h / 6 * (a + b + c), qd + h / 6 * (a + 2 * b + 2 * c + d)
            found[:, k] = q
        return found


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
    # from a fit that needs no simulation: another arm would leave the recording within a window
    x = prior.coordinates(entropic_from(normal_from(data.fit, weights), prior))
    for share in STAGES:
        x = _iterate(Problem(Dynamics(data), windows_of(data, share), prior), x)
    return prior.transform @ x


def _iterate(problem: Problem, x: Array) -> Array:
    first = [one.first for one in problem.windows]
    for _ in range(TURNS):
        linear, own, weight = _linearise(problem, x, first)
        here = problem.objective(x, first, own, weight)
        x, first, now = _step(problem, linear, x, first, own, weight, here)
        if not here - now > ENOUGH * weight:
            break
    return x


def information(data: Data, prior: Prior, theta: Array) -> tuple[Normal, Prior]:
    """The normal equations of θ near a solution, and the prior with the weight that it had there."""
    problem = Problem(Dynamics(data), windows_of(data), prior)
    linear, _, weight = _linearise(problem, prior.coordinates(theta), [one.first for one in problem.windows])
    back: Array = np.asarray(np.linalg.inv(prior.transform), float)
    return linear.normal.in_coordinates(back), prior.with_weight(weight)


def _linearise(problem: Problem, x: Array, first: list[Array]) -> tuple[Linear, Array, float]:
    """The linear problem, weights by what it leaves, and how long that remembers itself."""
    left = problem.residuals(x, first)
    if not all(np.isfinite(r).all() for r in left):
        raise InputError("method 'output_error': the arm of the fit to torques runs away within a window")
    slopes = [_slopes(problem, one, s, x, one.q - r) for one, s, r in zip(problem.windows, first, left)]
    weights = _weights(left)
    # residuals still hold errors of the beginnings: weights by what is left without them
    for _ in range(2):
        linear = _linear(x, left, slopes, weights)
        weights = _weights(linear.left)
    return _linear(x, left, slopes, weights), weights, _correlation_time(linear.left)


def _weights(left: list[Array]) -> Array:
    """1/σ_j², from the residuals, of which the beginnings take two a window."""
    rows = np.concatenate([r.reshape(-1, r.shape[-1]) for r in left])
    free = 1 - 2 * sum(len(r) for r in left) / len(rows)
    return np.asarray(1 / np.maximum((rows**2).mean(0) / max(free, 0.25), QUIETEST))


def _correlation_time(left: list[Array]) -> float:
    rows = [window for r in left for window in r]
    return correlation_time(rows, [np.ones(r.shape, bool) for r in rows])


def _linear(x: Array, left: list[Array], slopes: list[tuple[Array, Array]], weights: Array) -> Linear:
    A, b, c, count = np.zeros((len(x), len(x))), np.zeros(len(x)), 0.0, 0
    root, starts, after = np.sqrt(weights), [], []
    for r, (by_x, by_s) in zip(left, slopes):
        many = len(r)
        R, X, S = (y.reshape(many, -1, *y.shape[3:]) for y in (r * root, by_x * root[:, None], by_s * root[:, None]))
        # a beginning is felt in its own window alone: projected out there, it is no unknown of the whole
        Q = np.linalg.qr(S)[0]
        target, wide = (y - Q @ (np.swapaxes(Q, 1, 2) @ y) for y in (R[..., None], X))
        flat = wide.reshape(-1, len(x))
        A, b, c = A + flat.T @ flat, b + flat.T @ target.reshape(-1), c + float((target**2).sum())
        count += target.size - S.shape[-1] * many
        starts.append((np.asarray(np.linalg.pinv(S), float), R, X))
        after.append(target.reshape(r.shape) / root)
    # the squares are about the point so far: moved to the origin, for the prior is of x and not of its change
    own = A @ x
    return Linear(Normal(A, b + own, c + float(x @ own + 2 * b @ x), count), after, starts)


def _slopes(problem: Problem, one: Windows, begin: Array, x: Array, here: Array) -> tuple[Array, Array]:
    """∂q/∂x and ∂q/∂s, (windows, samples, n, ·): a simulation more for every unknown, all side by side."""
    many, width = len(one.q), begin.shape[1]
    theta = problem.prior.transform @ (x[:, None] + SLOPE * np.eye(len(x)))  # a column a change
    changed = np.concatenate([theta.T, np.tile(problem.prior.transform @ x, (width, 1))])
    states = np.concatenate([np.zeros((len(x), width)), SLOPE * np.eye(width)])
    found = []
    # in parts: side by side, simulations cost memory by their number
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
