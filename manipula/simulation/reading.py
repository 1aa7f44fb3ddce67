"""What is read from a recorded part of a run with the plain models: accelerations, friction, energies, who rested.

M(q) q̈ = τ + Jᵀw − c(q, q̇) − g(q) − friction        in the rows of the joints that move; q̈ = 0 of those that rest

Where joints are elastic, the springs' torques stand in place of τ − friction, and who rests are the motors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from manipula.mechanics.models.motion.ports import Motion
from manipula.simulation.balance import Energies, Motors, energies
from manipula.simulation.driving import Part, along_time
from manipula.simulation.exact.mechanism import frictionless, motorless
from manipula.simulation.functions import Array, Functions
from manipula.simulation.marching import Marched


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
    if plant.springs is not None:
        return _read_elastic(part, t, went, tau, wrench)
    resting = resting_of(qd)
    friction = went.outputs.get("friction")
    if plant.friction == "none":
        friction = np.zeros_like(q)
    if friction is None:  # a robot by itself: nothing of it is dry
        qdd = functions("forward_dynamics", q, qd, tau, wrench=wrench)
        whole = functions("inverse_dynamics", q, qd, qdd)
        friction = whole - functions.without_friction("inverse_dynamics", q, qd, qdd)
    else:
        qdd = _accelerations(functions.without_friction, q, qd, tau - friction, wrench, resting)
    held = part.held and task.every == 1
    found = energies(functions, t, q, qd, tau, wrench, friction, held)
    return Read(Motion(q, qd, qdd), tau, _with_impacts(found, part, q, qd), resting)


def _read_elastic(part: Part, t: Array, went: Marched, tau: Array, wrench: Array | None) -> Read:
    springs = part.plant.springs
    assert springs is not None
    q, qd, motor, rate = (went.states[name] for name in ("q", "qd", "motor", "motor_rate"))
    links = Functions(motorless(frictionless(part.robot)), part.task.parameters)
    qdd = np.asarray(links("forward_dynamics", q, qd, springs.torque(motor, q), wrench=wrench))
    held = part.held and part.task.every == 1
    motors = Motors(motor, rate, springs)
    found = energies(links, t, q, qd, tau, wrench, went.outputs["friction"], held, motors)
    return Read(Motion(q, qd, qdd), tau, _with_impacts(found, part, q, qd), resting_of(rate))


def _wrench(part: Part, q: Array) -> Array | None:
    if part.wrench is None:
        return None
    rows = along_time("wrench", part.wrench, 6, part)[..., :: part.task.every, :]
    return np.broadcast_to(rows[..., : q.shape[-2], :], (*q.shape[:-1], 6))


def resting_of(qd: Array) -> Any:
    """Zero now and after the step, to the last bit; at the end, zero."""
    still = qd == 0
    after = np.concatenate([still[..., 1:, :], still[..., -1:, :]], axis=-2)
    return still & after


def _accelerations(rigid: Functions, q: Array, qd: Array, tau: Array, wrench: Any, resting: Any) -> Array:
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
    drops = np.where(met, np.maximum(np.diff(found.missing, axis=-1), 0.0), 0.0)
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
