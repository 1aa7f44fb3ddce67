"""The count of base parameters by two other roads, on numbers.

Rank: the regressor of all standard parameters at many random states, by QR with column pivoting and by singular values.
Superposition: one virtual robot for every standard parameter, in which it is 1 and all others are 0; its torques at the
same states are the regressor's column. Symbols of the robot take random values. Both must agree with the exact result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, svd

from manipula.algebra.expr.evaluate import ArrayMaths
from manipula.generation.column_ranking import standard_rows
from manipula.mechanics.models.dynamics.torque import actuator_torque, inverse_dynamics
from manipula.mechanics.models.floating.dynamics import motion_of, plain_forces
from manipula.mechanics.models.linear.base_parameters import Slot, standard_slots, unit_of
from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import massless, merge_fixed, without_actuators
from manipula.mechanics.robot.tree import BASE, Tree
from manipula.mechanics.spatial.inertia import RigidBody
from manipula.parameters.base import BaseParameters, Class, select_columns
from manipula.support.text import plain

Array = NDArray[np.float64]
SAMPLES = 60
ZERO = 1e-8  # of columns scaled to length 1: far above rounding, far below what any real dependence leaves


@dataclass(frozen=True)
class Agreement:
    """The same question answered three ways. `gap` is the distance, in decades, of what counts from what does not."""

    exact: int
    by_qr: int
    by_singular_values: int
    by_superposition: int
    same_columns: bool  # superposition gives the regressor's columns
    same_classes: bool  # the three classes, parameter by parameter
    gap: float

    @property
    def passed(self) -> bool:
        counts = {self.exact, self.by_qr, self.by_singular_values, self.by_superposition}
        return len(counts) == 1 and self.same_columns and self.same_classes

    def as_dict(self) -> dict[str, object]:
        return asdict(self) | {"passed": self.passed, "gap": plain(self.gap)}

    def __str__(self) -> str:
        verdict = "agree" if self.passed else "DISAGREE"
        return (
            f"exact {self.exact}, QR {self.by_qr}, singular values {self.by_singular_values}, "
            f"superposition {self.by_superposition}: they {verdict} "
            f"(columns {'equal' if self.same_columns else 'differ'}, "
            f"classes {'equal' if self.same_classes else 'differ'}, gap of {self.gap:.0f} decades)"
        )


def base_agreement(robot: RobotDescription, found: BaseParameters, seed: int = 1) -> Agreement:
    """Compare an exact result with rank and superposition on random numbers."""
    rng = np.random.default_rng(seed)
    symbols = {name: rng.uniform(0.3, 1.3) for name in free_parameters(robot)}
    chain = merge_fixed(bind(robot, ArrayMaths(), symbols))
    state: list[Any] = [
        chain.coordinates.spread(list(rng.uniform(-reach, reach, (robot.dof, SAMPLES)))) for reach in (3.0, 2.0, 4.0)
    ]
    if chain.moving:
        state.append(motion_of({x: list(rng.uniform(-3, 3, (3, SAMPLES))) for x in ("w0", "wd0", "a0")}))
    slots = standard_slots(chain)
    full = _stack_samples(select_columns(*standard_rows(chain, tuple(state)), [slot.name for slot in slots]))
    virtual = np.stack([_torques(virtual_robot(chain, slot), state) for slot in slots], axis=1)
    scaled = _normalise_columns(full)
    singular = svd(scaled, compute_uv=False)
    rank = int((singular > ZERO * singular[0]).sum())
    return Agreement(
        len(found),
        _qr_rank(scaled),
        rank,
        _qr_rank(_normalise_columns(virtual)),
        bool(np.allclose(full, virtual, rtol=1e-9, atol=1e-9)),
        found.classes.items() <= numerical_classes(full, [slot.name for slot in slots]).items(),
        float(np.log10(singular[rank - 1] / max(singular[rank] if rank < len(singular) else 0.0, 1e-17))),
    )


def virtual_robot(chain: Tree, slot: Slot) -> Tree:
    """The arm in which one standard parameter is 1 and all others are 0."""
    links = list(without_actuators(massless(chain)).links)
    if slot.link == BASE:
        return replace(chain, links=tuple(links), ground=unit_of(chain, slot))
    links[slot.link] = replace(
        links[slot.link],
        inertia=RigidBody() if slot.of_actuator else unit_of(chain, slot),
        actuator=chain.links[slot.link].actuator.only({slot.kind: 1} if slot.of_actuator else {}),
    )
    return replace(chain, links=tuple(links), ground=RigidBody() if chain.moving else chain.ground)


def numerical_classes(full: Array, names: Sequence[str]) -> dict[str, Class]:
    """From the null space of the regressor: a parameter that no null vector touches is identifiable alone."""
    scaled = _normalise_columns(full)
    _, singular, rows = svd(scaled, full_matrices=True)
    rank = int((singular > ZERO * singular[0]).sum())
    touched = np.abs(rows[rank:]).max(axis=0, initial=0.0) > 1e-6
    felt = np.linalg.norm(scaled, axis=0) > 0.5
    return {
        name: "not identifiable" if not here else "in combinations" if mixed else "alone"
        for name, here, mixed in zip(names, felt, touched)
    }


def _torques(chain: Tree, state: Sequence[Any]) -> Array:
    if not chain.moving:
        return _stack_samples([[x] for x in chain.coordinates.gather(inverse_dynamics(chain, *state))])[:, 0]
    tau, wrench = plain_forces(chain, *state)
    motors = actuator_torque(chain, state[1], state[2], tau)
    felt = [*wrench, *(chain.coordinates.gather([a + b for a, b in zip(tau, motors)]))]
    return _stack_samples([[x] for x in felt])[:, 0]


def _stack_samples(rows: Sequence[Sequence[Any]]) -> Array:
    """Entries that are arrays over the samples → one tall matrix."""
    full = [[np.broadcast_to(np.asarray(x, dtype=float), (SAMPLES,)) for x in row] for row in rows]
    return np.concatenate([np.stack(row, axis=1) for row in full])


def _normalise_columns(matrix: Array) -> Array:
    """Columns of length 1; those that are nothing but rounding become exactly nothing."""
    norms = np.linalg.norm(matrix, axis=0)
    alive = norms > 1e-11 * norms.max(initial=1e-300)
    return np.where(alive, matrix / np.where(alive, norms, 1.0), 0.0)


def _qr_rank(scaled: Array) -> int:
    diagonal = np.abs(np.diag(qr(scaled, mode="r", pivoting=True)[0]))
    return int((diagonal > ZERO * diagonal[0]).sum())
