"""A robot with loops in time: positions of all joints and rates of the motors, by a method of Runge and Kutta, torques
held over a step: "rk4", of order 4, two strides a step, since the energy of a light linkage wants shorter ones, or
"rk8", of order 8, in one. What energy is lost is the error of the method, not of the closing: it falls by the fourth
power of the step (`bench/loops.py`), and by "rk8" to rounding.

    q̇ = G(q) q̇_a        q̈_a = (Gᵀ M G)⁻¹ (τ − …)        (`closure.closed_models`)

Rates of the motors are the velocities, so none can drift off the loops. Positions do, by the error of a step: after
every step Newton's method, the motors held, puts them back, q_p ← q_p − J_p⁻¹ e. The gap that is left is
measured at every sample, and so is the energy, beside the work of the motors, which is integrated with the motion.

At a dead centre the motors do not determine the mechanism, and a step may lead past one into another assembly. There a
divisor of the closure changes its sign: the run ends before.

Source: Hairer, Lubich, Wanner, "Geometric Numerical Integration" (2006), section IV.4: standard projection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError, caution
from manipula.generation.closed_positions import closure_function
from manipula.generation.results.system import Law
from manipula.ik.arm.numeric_arm import NumericArm
from manipula.mechanics.models.closure.position import close_loops
from manipula.mechanics.models.integrate.runge_kutta import A, B
from manipula.robot import Robot
from manipula.simulation.run import Run

Array = NDArray[np.float64]
Torques = Callable[[float, Array, Array], Array]
SINGULAR = 1e-6  # of a divisor's usual size
OPEN = 1e-6  # m or rad: of what Newton's method closes to rounding in one step
CLOSINGS = 5  # steps of it


class ClosedMethod(NamedTuple):
    """How many strides make a step, and the method of each: k_i = f(x + h Σ a_ij k_j), x⁺ = x + h Σ b_i k_i."""

    strides: int
    stages: tuple[Array, ...]  # the rows of a_ij from the second on, each as long as there are stages before it
    weights: Array


def _rows(rows: Sequence[Mapping[int, Fraction]]) -> tuple[Array, ...]:
    return tuple(np.array([float(row.get(j, 0)) for j in range(1, i + 1)]) for i, row in enumerate(rows, 1))


METHODS = {
    "rk4": ClosedMethod(2, (np.array([0.5]), np.array([0, 0.5]), np.array([0, 0, 1.0])), np.array([1, 2, 2, 1]) / 6),
    "rk8": ClosedMethod(1, _rows(A), _rows([{}] * len(A) + [B])[-1]),
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClosedRun(Run):
    """A run of a robot with loops: arrays are of all its joints, torques of passive ones 0.

    `gap` is how far the loops are from closed, m or rad; `energy` (time, 2) kinetic and potential energy; `work` what
    the motors have done. `balance` counts what friction takes as lost. Where the motors do not determine the mechanism
    the run ends before its time: `whole` is False, and `about` has a `status`.
    """

    gap: Array
    energy: Array
    work: Array


def run_closed(
    robot: Robot, law: object, ref: object, start: object, until: float | None, step: float, every: int = 1,
    method: str = "rk4",
) -> ClosedRun:  # fmt: skip
    """`law`: torques of the motors, held or a row a step, a function (t, q, q̇ of the motors) → torques, one of
    `controller` with the motors' reference, or None."""
    if until is None and hasattr(ref, "duration"):
        until = float(ref.duration)
    if until is None or not isfinite(until) or not 0 < step < until:
        raise InputError("{robot}: simulate: expected until= and a step below it", robot.name)
    if not isinstance(every, int) or every < 1:
        raise InputError(
            "{robot}: simulate: every: expected a whole number above 0, found {every!r}", robot.name, every
        )
    steps = round(until / step)
    torques = _followed(robot, law, ref, step) if isinstance(law, Law) else _torques(robot, law, steps, step)
    motion = _Motion(robot, torques, method)
    return motion.run(*_state(robot, start), steps, step, every)


def _state(robot: Robot, start: object) -> tuple[Array, Array]:
    """Positions of all joints, closed, and rates of the motors: q, (q, q̇), or the motors alone."""
    q, qd = start if isinstance(start, tuple) else (start, np.zeros(len(robot.motors)))
    near: object = None
    if q is not None and np.size(np.asarray(q)) == robot.dof:
        near = np.asarray(q, dtype=float)
        q = near[list(robot.motor_coordinates)]
    elif q is None:
        poses = robot.poses
        near = poses.get("closed") or next(iter(poses.values()), (0.0,) * robot.dof)
        q = [near[c] for c in robot.motor_coordinates]
    rates = np.asarray(qd, dtype=float)
    if rates.shape != (len(robot.motors),) or not np.isfinite(rates).all():
        raise InputError(
            "{robot}: simulate: start: expected rates of {names}, found {found!r:.60}",
            robot.name, ", ".join(robot.motors), qd,
        )  # fmt: skip
    return np.asarray(close_loops(robot, q, near)), rates


def _followed(robot: Robot, law: Law, ref: object, step: float) -> Torques:
    """A law of `controller` on its reference, once a step."""
    ports = [port.name for port in law.function.inputs if port.role == "variable"]
    if not callable(ref) or law.request.robot != robot or law.sample not in (None, step):
        raise InputError(
            "{robot}: simulate: a law of this robot, sampled every step, needs ref=, the motion of {names} in time",
            robot.name, ", ".join(robot.motors),
        )  # fmt: skip
    state: list[object] = [law.start() if law.function.states else ()]

    def torques(t: float, q: Array, qd: Array) -> Array:
        there = ref(t)
        given = {"q": q, "qd": qd, "q_ref": there.q, "qd_ref": there.qd, "qdd_ref": there.qdd}
        state[0], found = law.step(state[0], *(given[name] for name in ports))
        return np.asarray(getattr(found, "tau", found), dtype=float)

    return torques


def _torques(robot: Robot, law: object, steps: int, step: float) -> Torques:
    count = len(robot.motors)
    if callable(law):
        return lambda t, q, qd: np.asarray(law(t, q, qd), dtype=float)
    try:
        given = np.zeros(count) if law is None else np.asarray(law, dtype=float)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape == (count,):
        return lambda t, q, qd: given
    if given.ndim == 2 and given.shape[1] == count and len(given) >= steps:
        return lambda t, q, qd: given[min(int(t / step + 1e-9), len(given) - 1)]
    raise InputError(
        "{robot}: simulate: of a robot with loops the law is torques of {names}, held or a row a step, a function (t, "
        "q, qd), or None", robot.name, ", ".join(robot.motors),
    )  # fmt: skip


def _balance(energy: Array, work: Array) -> float:
    """The largest change of energy that is not work, beside the largest energy that took part."""
    lost = energy.sum(axis=1) - energy[0].sum() - work
    return float(np.abs(lost).max() / max(np.ptp(energy, axis=0).max(), np.abs(work).max(), 1e-300))


class _Motion:
    """The compiled models, and a step."""

    def __init__(self, robot: Robot, torques: Torques, method: str = "rk4") -> None:
        self.robot, self.torques, arm = robot, torques, NumericArm(robot)
        self.name, self.method = method, METHODS[method]
        names = ("forward_dynamics", "joint_motion", "closure", "energy")
        self.forward, self.motion, self.closing, self.storing = (arm.model(name) for name in names)
        joints = list(robot.coordinates.joints)
        self.own = [joints.index(name) for name in robot.joint_names]
        self.still = np.zeros(len(robot.motors))
        self.closure = compile_tape(tape_from_function(closure_function(robot)))
        self.signs: Array = np.empty(0)  # of the assembly in which the run begins

    def rate(self, q: Array, qd: Array, tau: Array) -> tuple[Array, Array, float, bool]:
        """q̇ of all coordinates, q̈ of the motors, their power, and whether the closure is regular."""
        found = self.forward(q, qd, tau)
        qdd, pivot = (found.qdd, found.pivot) if hasattr(found, "pivot") else (found, np.inf)
        rates = np.asarray(self.motion(q, qd, self.still).rates)[self.own]
        return rates, np.asarray(qdd), float(tau @ qd), bool(pivot > 0)

    def run(self, q: Array, qd: Array, steps: int, h: float, every: int) -> ClosedRun:
        samples, work, status = list[tuple[Any, ...]](), 0.0, "whole"
        self.signs = self.assembly(q)
        for k in range(steps + 1):
            t = k * h
            tau = self.torques(t, q, qd)
            if k % every == 0:
                qdd = self.rate(q, qd, tau)[1]
                samples.append((t, q, *self.of_all(q, qd, qdd, tau), self.gap(q), self.energy(q, qd), work))
            if k == steps:
                break
            for _ in range(self.method.strides):
                q, qd, done, regular = self.stride(q, qd, tau, h / self.method.strides)
                work += done
                status = status if regular else "singular"
            if status != "whole":
                caution(
                    "{robot}: the run ends at {t:.3g} s of {until:.3g}: the closure becomes singular there, and the "
                    "mechanism could fold either way (other motors than {names} may determine it)",
                    self.robot.name, t, steps * h, ", ".join(self.robot.motors),
                )  # fmt: skip
                break
        names = ("t", "q", "qd", "qdd", "tau", "gap", "energy", "work")
        found = {name: np.array(x, dtype=float) for name, x in zip(names, zip(*samples, strict=True), strict=True)}
        about = {"method": self.name, "step": h, "status": status}
        return ClosedRun(
            robot=self.robot, ref=None, state={}, balance=_balance(found["energy"], found["work"]),
            whole=status == "whole", about=about, t=found["t"], q=found["q"], qd=found["qd"], qdd=found["qdd"],
            tau=found["tau"], gap=found["gap"], energy=found["energy"], work=found["work"],
        )  # fmt: skip

    def stride(self, q: Array, qd: Array, tau: Array, h: float) -> tuple[Array, Array, float, bool]:
        """One of the method, the torques held, the positions closed again; and the work done."""
        n, x = len(q), np.concatenate([q, qd, [0.0]])  # positions, rates, work
        k = np.empty((len(self.method.weights), len(x)))
        for i in range(len(k)):
            at = x + h * (self.method.stages[i - 1] @ k[:i]) if i else x
            rates, accelerations, power, regular = self.rate(at[:n], at[n:-1], tau)
            if not regular:
                return q, qd, 0.0, False
            k[i] = *rates, *accelerations, power
        x = x + h * (self.method.weights @ k)
        there, closed = self.closed_again(x[:n])
        if not closed or (self.signs is not None and not np.array_equal(self.assembly(there), self.signs)):
            return q, qd, 0.0, False
        return there, x[n:-1], float(x[-1]), True

    def closed_again(self, q: Array) -> tuple[Array, bool]:
        """The positions that an error of a step has opened, by Newton's method: mostly in one step."""
        for _ in range(CLOSINGS):
            found = self.closing(q)
            q = q + np.asarray(found.correction)
            if found.gap < OPEN:
                return q, True
        return q, False

    def assembly(self, q: Array) -> Array:
        """The signs of the closure's divisors, 0 of one that is nearly zero."""
        found = np.asarray(self.closure(q).divisors)
        return np.where(np.abs(found) > SINGULAR, np.sign(found), 0.0)

    def of_all(self, q: Array, qd: Array, qdd: Array, tau: Array) -> tuple[Array, Array, Array]:
        """Rates, accelerations and torques of all coordinates."""
        found, torques = self.motion(q, qd, qdd), np.zeros(self.robot.dof)
        torques[list(self.robot.motor_coordinates)] = tau
        return np.asarray(found.rates)[self.own], np.asarray(found.accelerations)[self.own], torques

    def gap(self, q: Array) -> float:
        return float(self.closing(q).gap)

    def energy(self, q: Array, qd: Array) -> tuple[float, float]:
        found = self.storing(q, qd)
        return float(found.kinetic), float(found.potential)
