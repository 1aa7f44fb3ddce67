"""The reference integrator: adaptive, of order 8, from event to event, for one arm with dry friction and stops.

Between events the same joints rest. Their rows are removed, so that they stay to the last bit, and the others follow

    M(q) q̈ = τ − c(q, q̇) − g(q) − friction, with the way of sliding of every joint held

which is smooth: DOP853 goes as far as it likes. An event is a sliding joint whose velocity reaches zero, a joint at
rest pushed beyond what friction can hold, a joint that reaches its stop. It is found on the dense output, and which
joints rest afterwards is the answer of a convex problem (`exact.rest`).

Source: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", 2nd ed., section II.5 (DOP853, dense
output) and section II.6 (discontinuities); scipy.integrate.DOP853 is its text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from manipula.errors import DivergenceError
from manipula.messages import Message
from manipula.simulation.exact.equations import (
    Array,
    Bounds,
    Change,
    Course,
    Drive,
    Mode,
    StateEquations,
    Torques,
    drive_from,
    refuse_times,
    rising_times,
    start_from,
)
from manipula.simulation.exact.mechanism import ElasticMechanism, Mechanism, Ways, at_rest
from manipula.simulation.plant import Plant, states_of

Dense = Callable[[float], Array]
_MOST_AT_ONCE = 100  # changes of mode at one moment
_PARTS = 16  # of a step, in which velocities on the dense output are looked at
_LOOSE = 1e-13  # of its bound: by so much a joint that is let go is beyond it


def integrate(
    plant: Plant,
    drive: Torques | Drive | None,
    start: object,
    until: float,
    *,
    at: Sequence[float] | Array | None = None,
    since: float = 0.0,
    push: Torques | None = None,
    also: Mapping[str, Any] | None = None,
    rtol: float = 1e-12,
    atol: float = 1e-13,
    longest: float = 0.05,
    stop: Callable[[float], bool] = lambda t: False,
) -> Course:
    """The arm from `since` to `until`, seconds, starting from q or (q, qd).

    `drive` gives the motors' torques: a function (t, q, qd) → tau, a `Drive` where there is memory or sampling, or
    None. They are clipped to the plant's efforts. `push` are further torques, (t, q, qd) → (n,), such as Jᵀ·wrench.
    Where joints are elastic `drive` sees the motors, `push` the links; `also` are the states of motors and bristles to
    start with, by name, else they are relaxed. The course is given `at` these times, or at the end of every step. No
    step is longer than `longest`; `stop(t)` ends early.

    >>> import manipula as mp
    >>> arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    >>> course = integrate(Plant(arm, effort=None), None, [0.1, 0.2], 0.5)
    >>> course.balance < 1e-12
    True
    """
    refuse_times(since, until, rtol, atol, longest)
    run = _Run(plant, drive_from(drive, plant.robot.dof), start, since, push, also or {})
    times = None if at is None else rising_times(at, since, until)
    return run.course(until, times, rtol, atol, longest, stop)


class _Run(StateEquations):
    """The equations on their way: the time, the state, what has happened."""

    def __init__(
        self, plant: Plant, drive: Drive, start: object, since: float, push: Torques | None, also: Mapping[str, object]
    ) -> None:
        q, qd = start_from(start, plant.robot.joint_names, *plant.ends)
        known = states_of(plant, q, qd, also)
        z = known.get("bristle", np.empty(0))
        if plant.springs is not None:
            q, qd = np.concatenate([q, known["motor"]]), np.concatenate([qd, known["motor_rate"]])
        bounds = Bounds(*plant.ends, plant.efforts)
        super().__init__(_mechanism(plant), bounds, drive, push, np.sign(qd).astype(np.int8), len(z))
        self.names, self.t = plant.robot.joint_names, since
        self.y = np.concatenate([q, qd, z, np.asarray(drive.state, dtype=float).ravel(), [0.0, 0.0]])
        self.changes: list[Change] = []
        self.modes: list[Mode] = []
        self.rows: list[tuple[float, Array, Array, Array]] = []
        self._from = since + drive.wait
        self.pace: float | None = None

    # from event to event

    def course(
        self, until: float, times: Array | None, rtol: float, atol: float, longest: float, stop: Callable[[float], bool]
    ) -> Course:
        self._settle(())
        self.changes.clear()  # how it starts is no change
        self._record(self.t, self.y)
        corners = self._corners(until)
        try:
            while self.t < until and not stop(self.t):
                goal = next((x for x in corners if x > self.t), until)
                self._sample()
                self._smoothly(min(goal, self._next_sample(until)), times, rtol, atol, longest)
            self._sample()
        except KeyboardInterrupt:  # keep the samples so far
            if len(self.rows) < 2:
                raise
        self._mode()
        return self._collect_course(times)

    def _corners(self, until: float) -> list[float]:
        return [*sorted(float(x) for x in self.drive.breaks if self.t < x < until), until]

    def _next_sample(self, until: float) -> float:
        if self.drive.sample is None:
            return until
        return min(self._from + self._asked_for * self.drive.sample, until)

    _asked_for: int = 0

    def _sample(self) -> None:
        """A sampled law is asked at its times."""
        if self.drive.sample is None:
            return
        if self.held is None or self.t >= self._from + self._asked_for * self.drive.sample:
            self.held, new = self.evaluate_law(self.t, self.y)
            self.y[self.m : -2] = new
            self._asked_for += 1
            self._settle(())
            if self.rows and self.t - self.rows[-1][0] <= 1e-9 * self.drive.sample:  # told is the torque from now on
                self.rows[-1] = (*self.rows[-1][:2], self.arm_rate(), self.held)

    def _smoothly(self, goal: float, times: Array | None, rtol: float, atol: float, longest: float) -> None:
        """To the goal or the next event, whichever comes first."""
        first = None if self.pace is None else min(self.pace, goal - self.t, longest)
        solver = scipy.integrate.DOP853(
            self.rate, self.t, self.y, goal, rtol=rtol, atol=atol, max_step=longest, first_step=first
        )
        while solver.status == "running":
            self.lowest[:] = np.inf
            told = solver.step()
            if solver.status == "failed":
                raise DivergenceError(self._divergence_text(solver.t, solver.y, str(told)))
            self.pace = solver.h_abs  # what is a good step before an event is one after it
            dense = solver.dense_output() if self.lowest.min() < 0 or _any_between(times, self.t, solver.t) else None
            event = self._first_event(dense, solver.t) if dense is not None and self.lowest.min() < 0 else None
            end = solver.t if event is None else event[0]
            if times is not None and dense is not None:
                for t in times[(times > self.t) & (times < end)]:
                    self._record(float(t), dense(float(t)))
            y = np.array(solver.y) if event is None or dense is None else dense(end)
            self.t, self.y = end, y
            if event is not None:
                self._happen(event[1])
            if times is None or (times == end).any():
                self._record(self.t, self.y)
            if event is not None:
                return

    def _first_event(self, dense: Dense, end: float) -> tuple[float, int] | None:
        """The earliest margin to reach zero in the step, and which: its number among the margins."""
        found: tuple[float, int] | None = None
        last = self._margins_at(dense, end, hold=True)
        grid = np.linspace(self.t, end, _PARTS + 1)[1:]
        states = [dense(float(t)) for t in grid]
        free = np.array([self.margins(y, None) for y in states])
        suspects = set(np.flatnonzero((free < 0).any(axis=0))) | set(np.flatnonzero(last < 0))
        dips = set(np.flatnonzero(self.lowest[2 * self.n :] < 0) + 2 * self.n) - suspects
        for k in sorted(suspects):
            row = next((i for i, y in enumerate(free[:, k]) if y < 0), _PARTS - 1)
            left = self.t if row == 0 or k >= 2 * self.n else float(grid[row - 1])
            found = self._earlier(found, dense, int(k), left, float(grid[row]) if k < 2 * self.n else end)
        for k in sorted(dips):  # beyond its bound at some stage, and back: looked at more closely
            for t in grid:
                if self._margins_at(dense, float(t), hold=True)[k] < 0:
                    found = self._earlier(found, dense, int(k), self.t, float(t))
                    break
        return self._none_before(found, dense)

    def _earlier(
        self, found: tuple[float, int] | None, dense: Dense, k: int, left: float, right: float
    ) -> tuple[float, int] | None:
        if found is not None and left >= found[0]:
            return found

        def margin(t: float) -> float:
            return float(self._margins_at(dense, t, hold=k >= 2 * self.n)[k])

        t = (
            left
            if margin(left) <= 0
            else float(scipy.optimize.brentq(margin, left, right, xtol=1e-15, rtol=4 * np.finfo(float).eps))
        )
        return (t, k) if found is None or t < found[0] else found

    def _none_before(self, found: tuple[float, int] | None, dense: Dense) -> tuple[float, int] | None:
        """A joint held at the step's end may have been beyond its bound at the event's time."""
        while found is not None and self.resting.any():
            there = self._margins_at(dense, found[0], hold=True)
            worst = int(np.argmin(there))
            if worst == found[1] or worst < 2 * self.n or there[worst] >= 0:
                return found
            earlier = self._earlier(found, dense, worst, self.t, found[0])
            if earlier == found:
                return found
            found = earlier
        return found

    def _margins_at(self, dense: Dense, t: float, hold: bool) -> Array:
        y = dense(t)
        return self.margins(y, self.motion(t, y) if hold and self.resting.any() else None)

    # events

    def _happen(self, k: int) -> None:
        kind, i = divmod(k, self.n)
        if kind == 0:
            self.y[self.n + i] = 0.0
            self._settle((i,))
        elif kind == 1:
            self._impact(i)
        else:
            self._settle((), loose=i)

    def _impact(self, i: int) -> None:
        """Inelastic: velocities into a stop end, by impulses that friction, being finite, cannot answer."""
        q, qd = self.y[: self.n], self.y[self.n : 2 * self.n]
        q[i] = self.upper[i] if self.upper[i] - q[i] < q[i] - self.lower[i] else self.lower[i]
        M, stopped = self.arm.inertia(q), (q <= self.lower) | (q >= self.upper)
        low, high = self.bounds(np.zeros(self.n), np.zeros(self.n), q)
        # v = argmin ½ (v − q̇)ᵀM(v − q̇), not into a stop
        v = at_rest(M, M @ qd, low, high, stopped).a
        self.y[-1] += 0.5 * (qd @ M @ qd - v @ M @ v)
        self.y[self.n : 2 * self.n] = v
        self.changes.append(Change(self.t, i % self.joints, "hits a stop"))
        self.ways = np.sign(v).astype(np.int8)
        self._settle(())

    def _settle(self, stopped: Sequence[int], loose: int | None = None) -> None:
        """Which joints at rest stay, which start."""
        q, qd = self.y[: self.n], self.y[self.n : 2 * self.n]
        stop = (q <= self.lower) | (q >= self.upper)
        before, were = self.ways.copy(), self.resting.copy()
        resting = (qd == 0) & (self.arm.dry | stop)
        ways = np.where(resting, 0, np.sign(qd)).astype(np.int8)
        ends = self.bounds(np.zeros(self.n), np.zeros(self.n), q)
        if loose is not None:
            low, high = self.arm.rubbing.bounds(self.arm.bias(q, qd))
            ends[0][loose] += _LOOSE * (high - low)[loose]
            ends[1][loose] -= _LOOSE * (high - low)[loose]
        tau = self.torques(self.t, self.y)[1]
        self.evaluations += 1
        found = self.arm.find_starting_joints(q, qd, tau, ways, resting, ends, self.y[2 * self.n : self.m])
        if loose is not None and found.ways[loose] == 0:
            # from a stop there is one way, though what pushes a joint off it is nothing yet, or less by rounding
            away = int(q[loose] <= self.lower[loose]) - int(q[loose] >= self.upper[loose])
            found.ways[loose] = away or np.sign(found.push[loose])
        self.ways = np.where(resting, found.ways, ways).astype(np.int8)
        self.resting = resting & (self.ways == 0)
        self._tell(stopped, before, were)

    def _tell(self, stopped: Sequence[int], before: Ways, were: NDArray[np.bool_]) -> None:
        n = self.joints
        self.changes += [Change(self.t, int(i) % n, "sticks") for i in np.flatnonzero(self.resting & ~were)]
        self.changes += [Change(self.t, int(i) % n, "slips") for i in np.flatnonzero(were & ~self.resting)]
        turned = (i for i in stopped if self.ways[i] and self.ways[i] != before[i])
        self.changes += [Change(self.t, i % n, "turns back") for i in turned]
        if len(self.changes) > _MOST_AT_ONCE and self.changes[-_MOST_AT_ONCE].t == self.t:
            name = self.names[self.changes[-1].joint]
            raise DivergenceError(
                "joint {name!r} changes between rest and motion without end at t = {t:g} s", name, self.t
            )
        self._mode()

    def _mode(self) -> None:
        """The mode that ends now, and the one that begins."""
        now = tuple(map(bool, self.resting[: self.joints] | self.resting[-self.joints :]))
        if self.modes:
            last = self.modes.pop()
            if last.since < self.t:
                self.modes.append(last._replace(until=self.t))
        if not self.modes or self.modes[-1].resting != now:
            self.modes.append(Mode(self.t, self.t, now))

    def _divergence_text(self, t: float, y: Array, told: str) -> str:
        qd = np.abs(y[self.n : 2 * self.n])
        name = self.names[int(np.argmax(np.where(np.isfinite(qd), qd, np.inf))) % self.joints]
        return Message(
            "the motion of joint {name!r} cannot be followed beyond t = {t:g} s: {rstrip}",
            name,
            t,
            told.rstrip(".").lower(),
        )

    # results

    def arm_rate(self) -> Array:
        """The accelerations now; for the reader, not counted."""
        before = self.evaluations
        found, self.evaluations = self.motion(self.t, self.y).a, before
        return found

    def _record(self, t: float, y: Array) -> None:
        before = self.evaluations
        tau, _, _ = self.torques(t, y)
        self.rows.append((t, np.array(y), self.motion(t, y).a, np.array(tau)))
        self.evaluations = before  # for the reader alone

    def _collect_course(self, times: Array | None) -> Course:
        n, own = self.n, self.joints
        rows = self.rows if times is None or (times == self.rows[0][0]).any() else self.rows[1:]
        t = np.array([row[0] for row in rows])
        y, qdd, tau = (np.array([row[k] for row in rows]).reshape(len(rows), -1) for k in (1, 2, 3))
        q, qd = y[:, :n], y[:, n : 2 * n]
        kinetic, potential = self.arm.energies(q, qd)
        drive = {"motor": q[:, own:], "motor_rate": qd[:, own:], "bristle": y[:, 2 * n : self.m]}
        return Course(
            t, q[:, :own], qd[:, :own], qdd[:, :own], tau, y[:, self.m : -2], kinetic + potential, kinetic, y[:, -2],
            y[:, -1], tuple(self.modes), tuple(self.changes), self.evaluations,
            {name: x for name, x in drive.items() if x.shape[1]},
        )  # fmt: skip


def _mechanism(plant: Plant) -> Mechanism:
    rubs, width = plant.friction != "none", plant.width if plant.friction == "smooth" else None
    if plant.springs is None:
        return Mechanism(plant.robot, rubs, width, plant.bristles)
    return ElasticMechanism(plant.robot, rubs, width, plant.bristles, plant.springs)


def _any_between(times: Array | None, left: float, right: float) -> bool:
    return times is not None and bool(((times > left) & (times < right)).any())
