"""The least time along a path under limits of torque, velocity and acceleration.

    τ = a(s) s̈ + b(s) ṡ² + c(s)        a = M q',  b = M q'' + C(q, q') q',  c = g

come from three calls of inverse dynamics on all grid points. Coulomb friction along a path is known, it belongs to c;
what else of friction depends on speed or load is linearised about the solution before, until that does not change.
A first, coarse solution says where torques change fast, and the grid is finest there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from manipula.algebra.run.texts import machine_code
from manipula.errors import InputError, caution
from manipula.ik.arm.numeric_arm import NumericArm
from manipula.mechanics.models.motion.ports import Motion
from manipula.mechanics.robot.default_values import Limits
from manipula.messages import Message
from manipula.trajectories.time_scaling import Path, fastest, path_of
from manipula.trajectories.trajectory import Floats, Trajectory, arm_of, limits, remember_call

FEWEST = 20  # intervals
COARSE = 4  # the first grid has so many times fewer intervals
ROUNDS = 12  # of linearising friction
SETTLED = 1e-7  # of x, from round to round
ALLOWED = 1.001  # of a torque limit, between grid points
SPARED = 1e-6  # of a velocity limit: more than what two looks leave unseen between them
FAST_LOOKS = 32  # in every interval, at velocities
TRIES = 5
LOOKS = 1000  # at least, along the whole path
WITHOUT_LIMIT = 1e30  # of x = ṡ², where velocities have no limit
TINY = 1e-300
CRAWL = 1e-3  # of the path in a second: the speed at which friction is that of rest
TICK = 1e-4  # of the speed, to differentiate friction


@dataclass(frozen=True, eq=False)
class TimeOptimal(Trajectory):
    """The least time along a path. `s`: the grid along it; `sd`: the speed there; `share`: the largest torque by its
    limit, looked for between grid points too."""

    s: Floats = field(repr=False)
    sd: Floats = field(repr=False)
    share: float


@remember_call
def time_optimal(
    arm: object,
    path: Trajectory | ArrayLike,
    *,
    torque: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    grid: int = 1000,
) -> TimeOptimal:
    """The quickest motion along a path, from rest to rest, that keeps the limits: one number, or one a joint.

    `path` is a trajectory whose path is taken, or points (count, dof) that a smooth curve goes through. Limits of
    torque and velocity that are not given are those of the robot's file. `grid` is the number of intervals.
    """
    what = "time_optimal"
    asked = arm_of(arm, what)
    way = path_of(path, what)
    if way.dof != asked.dof:
        raise InputError(
            "{what}: path is of {dof} joints, {name} has {dof2}", what, way.dof, asked.robot.name, asked.dof
        )
    if isinstance(grid, bool) or not isinstance(grid, int | np.integer) or grid < FEWEST:
        raise InputError(
            "{what}: grid: expected a number of intervals of at least {fewest}, found {grid!r:.60}", what, FEWEST, grid
        )
    bounds = Bounds(
        _limit(torque, asked, f"{what}: torque", "effort"),
        _limit(velocity, asked, f"{what}: velocity", "velocity"),
        np.full(way.dof, inf) if acceleration is None else limits(acceleration, way.dof, f"{what}: acceleration"),
    )
    if not np.isfinite([bounds.torque, bounds.acceleration]).any():
        raise InputError(
            "{what}: {name} has no effort limits; torque= (or acceleration=) gives some", what, asked.robot.name
        )
    return _solve_on_grid(_Problem(asked, way, bounds), int(grid))


class Bounds(NamedTuple):
    """Limits of every joint."""

    torque: Floats
    velocity: Floats
    acceleration: Floats


def _limit(given: object, arm: NumericArm, what: str, kind: Literal["effort", "velocity"]) -> Floats:
    known: Floats = getattr(Limits(arm.robot), kind)
    return known if given is None else limits(given, arm.dof, what)


@dataclass(frozen=True, eq=False)
class Profile:
    """x = ṡ² at the grid points, u = s̈ in the intervals between."""

    s: Floats
    x: Floats
    u: Floats

    @cached_property
    def times(self) -> Floats:
        """When each grid point is passed."""
        sd = np.sqrt(self.x)
        with np.errstate(divide="ignore"):
            return np.concatenate([[0.0], np.cumsum(2 * np.diff(self.s) / (sd[1:] + sd[:-1]))])

    def on(self, s: Floats) -> Profile:
        """The same on another grid."""
        middle = (s[1:] + s[:-1]) / 2
        return Profile(s, np.interp(s, self.s, self.x), self.u[np.searchsorted(self.s, middle) - 1])

    def slow_down(self, times: float) -> Profile:
        """The same way in so many times the time."""
        return Profile(self.s, self.x / times**2, self.u / times**2)

    def at(self, t: Floats) -> Motion:
        """s, ṡ, s̈ at times within."""
        ends = self.times
        i = np.clip(np.searchsorted(ends, t, side="right") - 1, 0, len(self.u) - 1)
        dt, sd = t - ends[i], np.sqrt(self.x)[i]
        s = np.minimum(self.s[i] + dt * (sd + dt * self.u[i] / 2), self.s[i + 1])
        return Motion(s, sd + dt * self.u[i], self.u[i])


class _Problem:
    """An arm, a path, limits."""

    def __init__(self, arm: NumericArm, path: Path, bounds: Bounds) -> None:
        self.arm, self.path, self.bounds = arm, path, bounds
        self.faster = np.ones(0)  # at the grid points: how much a velocity is above its limit beside them
        self.free = arm_of(arm.robot.without("friction"), "time_optimal") if self._rubs() else arm

    def _rubs(self) -> bool:
        """Friction alone makes torques at constant speed other when the path is travelled backward."""
        q, first, _ = self.path.at(np.linspace(0.0, self.path.length, FEWEST))
        there, back = (self.arm.inverse_dynamics(q, way * first, 0 * q) for way in (1, -1))
        return bool(np.abs(there - back).max() > 1e-9 * np.abs(there).max())

    def solve(self, s: Floats, guess: Profile | None = None, scale: float = 1.0) -> Profile:
        """On this grid; `scale` makes the torque limits stricter."""
        place = self.path.at(s)
        if self.free is self.arm:
            a, b, c = self._linear(place)
            return self._pass(s, place, (a, b, c, c), scale)
        crawl = CRAWL * self.path.length
        plain = self._linear(place)
        last = self._solve_crawl(s, place, plain, crawl, scale) if guess is None else guess.on(s)
        for _ in range(ROUNDS):
            made = self._pass(s, place, self._linearise_friction(place, plain, last, crawl), scale)
            change = np.abs(made.x - last.x).max()
            last = made
            if change <= SETTLED * made.x.max():
                break
        return last

    def _linear(self, place: Motion) -> tuple[Floats, Floats, Floats]:
        """a, b, c without friction: three calls of inverse dynamics."""
        q, first, second = (np.ascontiguousarray(x) for x in place)
        rest = np.zeros_like(q)
        c = self.free.inverse_dynamics(q, rest, rest)
        return self.free.inverse_dynamics(q, rest, first) - c, self.free.inverse_dynamics(q, first, second) - c, c

    def _solve_crawl(self, s: Floats, place: Motion, plain: tuple[Floats, ...], crawl: float, scale: float) -> Profile:
        """With the friction of a joint that hardly moves, whatever the speed: to begin with."""
        a, b, c = plain
        stuck = self._friction(place, np.full(len(s), crawl), np.zeros(len(s)))
        return self._pass(s, place, (a, b, *_friction_bounds(place.qd, c + stuck)), scale)

    def _linearise_friction(
        self, place: Motion, plain: tuple[Floats, ...], last: Profile, crawl: float
    ) -> tuple[Floats, ...]:
        """With friction, linearised in x about the solution before: f + f' (x − x̄), f' = ∂f/∂ṡ/(2ṡ)."""
        a, b, c = plain
        sd = np.maximum(np.sqrt(last.x), max(crawl, 1e-3 * float(np.sqrt(last.x.max()))))
        inner = np.concatenate([last.u[:1], (last.u[1:] + last.u[:-1]) / 2, last.u[-1:]])
        found, more, less = (self._friction(place, sd * k, inner) for k in (1, 1 + TICK, 1 - TICK))
        slope = (more - less) / (2 * TICK * sd[:, None]) / (2 * sd[:, None])
        return a, b + slope, *_friction_bounds(place.qd, c + found - slope * (sd**2)[:, None])

    def _friction(self, place: Motion, sd: Floats, u: Floats) -> Floats:
        state = _state(place, sd, u)
        return np.asarray(self.arm.inverse_dynamics(*state) - self.free.inverse_dynamics(*state))

    def _pass(self, s: Floats, place: Motion, linear: tuple[Floats, ...], scale: float) -> Profile:
        """`linear`: a, b, and the least and the largest that c may be."""
        a, b, least_c, most_c = linear
        torque, count = self.bounds.torque * scale, len(s) - 1
        rows = [(a, b, -torque - least_c, torque - most_c)]
        if np.isfinite(self.bounds.acceleration).any():
            most = np.broadcast_to(self.bounds.acceleration, a.shape)
            rows.append((place.qd, place.qdd, -most, most))
        a, b, low, high = (np.ascontiguousarray(np.hstack(part)) for part in zip(*rows))
        x, u, least, most = (np.empty(size) for size in (count + 1, count, count + 1, count + 1))
        top = self._top(place.qd, a, b, low, high)
        run = machine_code(fastest)
        failed = run(count, a.shape[1], np.diff(s), a, b, low, high, top, 0.0, 0.0, least, most, x, u)
        made = Profile(s, x, u)
        if failed != -1 or not np.isfinite(made.times[-1]):
            raise InputError(self._why(s[max(failed, 0)], np.fmax(most_c, -least_c), torque))
        return made

    def _top(self, first: Floats, a: Floats, b: Floats, low: Floats, high: Floats) -> Floats:
        """The largest x by velocities, and by limits that u does not help to keep."""
        with np.errstate(divide="ignore", invalid="ignore"):
            speed = np.min((self.bounds.velocity / np.abs(first)) ** 2, axis=1)
            speed = speed / self.faster**2 if len(self.faster) == len(speed) else speed
            alone = np.where((a == 0) & (b != 0), np.maximum(low / b, high / b), inf).min(axis=1)
        return np.asarray(np.fmin(np.fmin(speed, alone), WITHOUT_LIMIT))

    def _why(self, s: float, c: Floats, torque: Floats) -> str:
        held = np.abs(c) / torque
        place, joint = np.unravel_index(int(np.argmax(held)), held.shape)
        if held[place, joint] > 1:
            return Message(
                "time_optimal: the path cannot be followed within the limits; joint {joint} needs {c:.4g} to "
                "hold still, and has {torque:.4g}",
                joint + 1,
                abs(c[place, joint]),
                torque[joint],
            )
        return Message(
            "time_optimal: the path cannot be followed within the limits, at {where:.3g} % of the path",
            100 * s / self.path.length,
        )

    def share(self, profile: Profile) -> float:
        """The largest torque by its limit, within the intervals and right behind the grid points."""
        ends = profile.times
        # more of them in long intervals, and with friction, which may change its sign anywhere
        inner = max(1 if self.free is self.arm else 3, LOOKS // len(profile.u))
        places = [0.01, *(np.arange(inner) + 0.5) / inner]
        t = (ends[:-1, None] + np.diff(ends)[:, None] * np.array(places)).ravel()
        s, sd, sdd = profile.at(t)
        tau = self.arm.inverse_dynamics(*_state(self.path.at(s), sd, sdd))
        return float(np.max(np.abs(tau) / self.bounds.torque))

    def speeds(self, profile: Profile) -> Floats:
        """Of every interval the largest velocity by its limit: looked for twice, closely where it was largest."""
        first, last, rows = profile.times[:-1], profile.times[1:], np.arange(len(profile.u))
        for _ in range(2):
            t = np.linspace(first, last, FAST_LOOKS + 1, axis=1)
            s, sd, _ = profile.at(t.ravel())
            shares = (np.abs(self.path.at(s).qd) * sd[:, None] / self.bounds.velocity).max(axis=1).reshape(t.shape)
            most = shares.argmax(axis=1)
            first, last = t[rows, np.maximum(most - 1, 0)], t[rows, np.minimum(most + 1, FAST_LOOKS)]
        return np.asarray(shares.max(axis=1))

    def ease(self, speeds: Floats) -> None:
        """Slower at the grid points beside intervals in which a velocity is above its limit."""
        above = np.maximum(speeds, 1.0)
        before = self.faster if len(self.faster) == len(above) + 1 else np.ones(len(above) + 1)
        self.faster = before * np.maximum(np.append(above, 1.0), np.insert(above, 0, 1.0))

    def refine_grid(self, coarse: Profile, grid: int) -> Floats:
        """A grid that is finest where torques at their limits change fastest."""
        place, sd = self.path.at(coarse.s), np.sqrt(coarse.x)
        sides = [self._loads(place, sd, coarse.u, part) for part in (slice(None, -1), slice(1, None))]
        near = np.argmax(np.maximum(*map(np.abs, sides)), axis=1)[:, None]
        change = np.abs(np.take_along_axis(sides[1] - sides[0], near, axis=1))[:, 0]
        # time runs slowly where speed is small, and there friction changes fast, too
        pace = np.abs(np.diff(sd)) / sd.max()
        weight = change / (change.sum() + TINY) + pace / (pace.sum() + TINY) + 1 / len(change)
        total = np.concatenate([[0.0], np.cumsum(weight)])
        return np.asarray(np.interp(np.linspace(0.0, total[-1], grid + 1), total, coarse.s))

    def on_knots(self, s: Floats) -> Floats:
        """The grid with a point on every knot of the path: across one, torques do not change smoothly."""
        inner = 1 + np.abs(s[1:-1, None] - self.path.knots).argmin(axis=0)
        if len(np.unique(inner)) == len(inner):
            s[inner] = self.path.knots
        return s

    def _loads(self, place: Motion, sd: Floats, u: Floats, part: slice) -> Floats:
        """Torques by their limits, at one end of every interval."""
        tau = self.free.inverse_dynamics(*_state(Motion(*(x[part] for x in place)), sd[part], u))
        return np.asarray(tau / self.bounds.torque)


def _friction_bounds(first: Floats, c: Floats) -> tuple[Floats, Floats]:
    """The least and the largest c; where a joint turns back its dry friction is of either sign, on both sides."""
    turns = np.sign(first[1:]) != np.sign(first[:-1])
    least, most = c.copy(), c.copy()
    for bound, pick in ((least, np.minimum), (most, np.maximum)):
        pair = np.where(turns, pick(c[1:], c[:-1]), np.nan)
        bound[1:] = np.where(turns, pick(bound[1:], pair), bound[1:])
        bound[:-1] = np.where(turns, pick(bound[:-1], pair), bound[:-1])
    return least, most


def _state(place: Motion, sd: Floats, u: Floats) -> tuple[Floats, Floats, Floats]:
    """q, q̇ = q' ṡ, q̈ = q' s̈ + q'' ṡ²"""
    q, first, second = place
    return q, first * sd[:, None], first * u[:, None] + second * (sd * sd)[:, None]


def _solve_on_grid(problem: _Problem, grid: int) -> TimeOptimal:
    first = problem.path.length * (1 - np.cos(np.linspace(0.0, np.pi, max(FEWEST, grid // COARSE) + 1))) / 2
    coarse = problem.solve(problem.on_knots(first))
    s, scale = problem.on_knots(problem.refine_grid(coarse, grid)), 1.0
    for _ in range(TRIES):
        profile = problem.solve(s, coarse, scale)
        share, speeds = problem.share(profile), problem.speeds(profile)
        if share <= (1 + ALLOWED) / 2 and speeds.max() <= 1 + SPARED:
            break
        scale *= (2 - ALLOWED) / share if share > (1 + ALLOWED) / 2 else 1.0
        problem.ease(speeds)
    profile = profile.slow_down(max(problem.speeds(profile).max() * (1 + SPARED), 1.0))
    if share > ALLOWED:
        caution(
            "time_optimal: torques are up to {share:.4g} times their limits between grid points; use a finer grid",
            share,
        )
    return _trajectory_from_profile(problem, profile, share)


def _trajectory_from_profile(problem: _Problem, profile: Profile, share: float) -> TimeOptimal:
    duration, path = float(profile.times[-1]), problem.path

    def curve(t: Floats) -> Motion:
        flat = t.reshape(-1)
        s, sd, sdd = profile.at(np.clip(flat, 0.0, duration))
        gone = (flat < 0) | (flat > duration)
        moved = _state(path.at(s), np.where(gone, 0.0, sd), np.where(gone, 0.0, sdd))
        lost = np.isnan(flat)[:, None]
        return Motion(*(np.where(lost, np.nan, x).reshape(*t.shape, path.dof) for x in moved))

    sd = np.sqrt(profile.x)
    return TimeOptimal("time_optimal", path.dof, duration, None, {}, curve, s=profile.s, sd=sd, share=share)
