"""The power balance of a run: energy in − energy stored − energy lost, which is zero but for what the integrator lost.

    E(t) − E(0) = ∫ τᵀq̇ dt + ∫ wᵀJ q̇ dt − ∫ fᵀq̇ dt        f: friction and dampers, w: the wrench on the tool

Forces of the surroundings count with the wrench.

Of elastic joints E has the springs' energy and the motors', and τ and f are at the motors: θ̇ stands beside them.
The work of a torque held over a step is τᵀ(q(t+h) − q(t)), exactly, that of a wrench wᵀ∫v dt, v the tool's velocity;
every other power is integrated as a cubic spline through its samples, of order 4 where it is smooth. The error is given
relative to the largest energy that took part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from manipula.errors import DivergenceError
from manipula.mechanics.models.motion.ports import Motion
from manipula.mechanics.robot.exact import is_zero
from manipula.simulation.exact.drives import Springs
from manipula.simulation.exact.mechanism import frictionless, motorless, without_damping
from manipula.simulation.inputs import Part, along_time
from manipula.simulation.stepping import Array, Functions, Marched

ROUNDING = 1e-9  # of the potential energy, whose own rounding is some 1e-16 of it


class Energies(NamedTuple):
    """(…, time), joules from the start on: what went in by motors and by the wrench, what is stored, what was lost."""

    motors: Array
    wrench: Array
    kinetic: Array
    potential: Array
    lost: Array

    @property
    def residual(self) -> Array:
        """In − stored − lost; zero at the start."""
        stored = self.kinetic + self.potential
        return self.motors + self.wrench - self.lost - (stored - stored[..., :1])

    @property
    def scale(self) -> Array:
        """The largest of the energies that took part, (…,)."""
        swing = self.potential - self.potential[..., :1]
        parts = (self.motors, self.wrench, self.kinetic, swing, self.lost)
        return np.asarray(np.max([np.abs(x).max(axis=-1) for x in parts], axis=0))


class Motors(NamedTuple):
    """Of elastic joints."""

    position: Array
    rate: Array
    springs: Springs


def error_of(parts: list[Energies]) -> Array:
    """|in − stored − lost| at the end of each part of a run, together, over the largest energy; 0 of an arm at rest."""
    missing = np.abs(np.sum([part.residual[..., -1] for part in parts], axis=0))
    scale = np.max([part.scale for part in parts], axis=0)
    # an arm that is held does not move but by rounding, which is no error of a step
    scale = np.maximum(scale, ROUNDING * np.max([np.abs(part.potential).max(axis=-1) for part in parts], axis=0))
    return np.asarray(np.divide(missing, scale, out=np.zeros_like(missing), where=scale > 0))


def energies(
    functions: Callable[..., Any], t: Array, q: Array, qd: Array, tau: Array, wrench: Any, friction: Array,
    held: bool, motors: Motors | None = None, damped: Array | float = 0.0, force: Array | None = None,
) -> Energies:  # fmt: skip
    """`held`: the torques are constant from sample to sample, as the wrench is. `motors`: where they are not one with
    the joints. `damped` is the power that dampers between two frames take, `force` torques of the surroundings."""
    kinetic, potential = functions("energy", q, qd)
    driven, rate = (q, qd) if motors is None else (motors.position, motors.rate)
    if motors is not None:
        kinetic = kinetic + motors.springs.motor_kinetic_energy(motors.rate)
        potential = potential + motors.springs.spring_energy(motors.position, q)
    work = _held_work(tau, driven) if held else _integral(t, _power(tau, rate))
    outside = np.zeros_like(kinetic)
    if wrench is not None:
        way = _integral(t, np.moveaxis(_tool_velocity(functions, q, qd), -1, -2))  # (…, 6, time)
        outside = _held_work(wrench, np.moveaxis(way, -1, -2))
    if force is not None:
        outside = outside + _integral(t, _power(force, qd))
    lost = _integral(t, _power(friction, rate) + damped)
    return Energies(work, outside, kinetic, potential, lost)


def damped_power(functions: Functions, q: Array, qd: Array) -> Array | float:
    """c l̇² of the two-point elements: the power of what inverse dynamics loses with their damping."""
    if all(is_zero(element.damping.value) for element in functions.robot.elements):
        return 0.0
    bare, still = functions.without_friction, np.zeros_like(q)
    apart = Functions(without_damping(bare.robot), functions.parameters)
    return _power(bare("inverse_dynamics", q, qd, still) - apart("inverse_dynamics", q, qd, still), qd)


def _tool_velocity(functions: Callable[..., Any], q: Array, qd: Array) -> Array:
    return np.asarray(np.einsum("...ij,...j->...i", functions("jacobian", q), qd))


def _power(effort: Array, rate: Array) -> Array:
    # P = fᵀ v
    return np.asarray((effort * rate).sum(axis=-1))


def _held_work(tau: Array, q: Array) -> Array:
    # W(t+h) − W(t) = τᵀ (q(t+h) − q(t))
    steps = (tau[..., :-1, :] * np.diff(q, axis=-2)).sum(axis=-1)
    return _from_zero(np.cumsum(steps, axis=-1))


def _integral(t: Array, power: Array) -> Array:
    from scipy.interpolate import CubicSpline

    if not np.isfinite(power).all():
        raise DivergenceError("the power of this run is not finite: a force, a torque or a length is too large")
    if len(t) < 3:
        return _from_zero(np.cumsum(np.diff(t) * (power[..., 1:] + power[..., :-1]) / 2, axis=-1))
    return np.asarray(CubicSpline(t, power, axis=-1).antiderivative()(t))


def _from_zero(sums: Array) -> Array:
    return np.concatenate([np.zeros((*sums.shape[:-1], 1)), sums], axis=-1)


# What is read from a recorded part of a run with the plain models: accelerations, friction, energies, who rested.
#
# M(q) q̈ = τ + Jᵀw − c(q, q̇) − g(q) − friction        in the rows of the joints that move; q̈ = 0 of those that rest
#
# Where joints are elastic, the springs' torques stand in place of τ − friction, and who rests are the motors.


class Rest(NamedTuple):
    """A joint (by its place) rests from `since` to `until`, held by friction or a stop; `row` of a batch."""

    joint: int
    since: float
    until: float
    row: tuple[int, ...] = ()


class Read(NamedTuple):
    """Of one part: the motion, the torques that reached the joints, the energies, which joints rest (…, time, n)."""

    motion: Motion
    tau: Array
    energies: Energies
    resting: Any


def read(part: Part, t: Array, went: Marched) -> Read:
    """The recorded states in the light of the models."""
    task, plant = part.task, part.plant
    q, qd = went.states["q"], went.states["qd"]
    functions = Functions(part.robot, task.parameters)
    tau = np.clip(went.outputs["tau"], -plant.efforts, plant.efforts)
    wrench = _wrench(part, q)
    force = went.outputs.get("force")
    push = np.zeros_like(q) if force is None else force
    if plant.springs is not None:
        return _read_elastic(part, t, went, tau, wrench)
    resting = resting_of(qd)
    friction = went.outputs.get("friction")
    if plant.friction == "none":
        friction = np.zeros_like(q)
    if friction is None:  # a robot alone: nothing of it is dry
        qdd = functions("forward_dynamics", q, qd, tau + push, wrench=wrench)
        whole = functions("inverse_dynamics", q, qd, qdd)
        friction = whole - functions.without_friction("inverse_dynamics", q, qd, qdd)
    else:
        qdd = _accelerations(functions.without_friction, q, qd, tau + push - friction, wrench, resting)
    held = part.holds_torque and task.every == 1
    found = energies(
        functions, t, q, qd, tau, wrench, friction, held, damped=damped_power(functions, q, qd), force=force
    )
    return Read(Motion(q, qd, qdd), tau, _with_impacts(found, part, q, qd), resting)


def _read_elastic(part: Part, t: Array, went: Marched, tau: Array, wrench: Array | None) -> Read:
    springs = part.plant.springs
    assert springs is not None
    q, qd, motor, rate = (went.states[name] for name in ("q", "qd", "motor", "motor_rate"))
    links = Functions(motorless(frictionless(part.robot)), part.task.parameters)
    force = went.outputs.get("force")
    push = np.zeros_like(q) if force is None else force
    qdd = np.asarray(links("forward_dynamics", q, qd, springs.torque(motor, q) + push, wrench=wrench))
    held = part.holds_torque and part.task.every == 1
    motors = Motors(motor, rate, springs)
    damped = damped_power(links, q, qd)
    found = energies(links, t, q, qd, tau, wrench, went.outputs["friction"], held, motors, damped, force)
    return Read(Motion(q, qd, qdd), tau, _with_impacts(found, part, q, qd), resting_of(rate))


def _wrench(part: Part, q: Array) -> Array | None:
    if part.wrench is None:
        return None
    rows = along_time("wrench", part.wrench, 6, part)[..., :: part.task.every, :]
    return np.broadcast_to(rows[..., : q.shape[-2], :], (*q.shape[:-1], 6))


def resting_of(qd: Array) -> object:
    """Zero now and after the step, to the last bit; at the end, zero."""
    still = qd == 0
    after = np.concatenate([still[..., 1:, :], still[..., -1:, :]], axis=-2)
    return still & after


def _accelerations(rigid: Functions, q: Array, qd: Array, tau: Array, wrench: object, resting: Any) -> Array:
    if not resting.any():
        return np.asarray(rigid("forward_dynamics", q, qd, tau, wrench=wrench))
    M, bias = rigid("inertia_matrix", q), rigid("inverse_dynamics", q, qd, np.zeros_like(q), wrench=wrench)
    moves = (~resting).astype(float)
    # the rows and columns of joints that rest are those of the unit matrix
    masked = M * moves[..., :, None] * moves[..., None, :] + np.eye(q.shape[-1]) * resting[..., None, :]
    found = np.linalg.solve(masked, (moves * (tau - bias))[..., None])[..., 0]
    return np.where(resting, 0.0, found)


def _with_impacts(found: Energies, part: Part, q: Array, qd: Array) -> Energies:
    """What is missing after a step in which a joint met its stop was lost there: stops do not bounce."""
    lower, upper = part.plant.ends
    # it is on a stop, and before was not, or moved towards it
    ends = ((q <= lower, qd < 0), (q >= upper, qd > 0))
    met = np.any([at[..., 1:, :] & (~at[..., :-1, :] | towards[..., :-1, :]) for at, towards in ends], axis=(0, -1))
    if not met.any():
        return found
    drops = np.where(met, np.maximum(np.diff(found.residual, axis=-1), 0.0), 0.0)
    lost = found.lost.copy()
    lost[..., 1:] += np.cumsum(drops, axis=-1)
    return found._replace(lost=lost)


def rests_of(t: Array, resting: Any) -> list[Rest]:
    """The intervals in which a joint rests, in the order of joints, then of time."""
    found = []
    for *row, joint in np.ndindex(*resting.shape[:-2], resting.shape[-1]):
        edges = np.diff(np.concatenate([[0], resting[(*row, slice(None), joint)].astype(int), [0]]))
        for first, last in zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist()):
            found.append(Rest(joint, float(t[first]), float(t[min(last, len(t) - 1)]), tuple(row)))
    return found
