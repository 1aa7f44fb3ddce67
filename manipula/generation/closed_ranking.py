"""Which inertial parameters the motors of a robot with loops can tell: the rank of GᵀY where the loops close.

Closed positions are numbers, not points of a field: elsewhere the rank is another. So the regressor of the candidates
(`mechanics.models.linear.base_parameters`) is stacked in floats over closed positions with drawn rates, and eliminated
column by column, from the base to the tip. What is left of a column across those kept must be clearly something or
clearly nothing; else the robot is refused. The combinations are checked at further positions.

Source: Gautier, Khalil, "Direct calculation of minimum set of inertial parameters of serial robots", IEEE Transactions
on Robotics and Automation 6 (1990); Khalil, Bennis, "Symbolic calculation of the base inertial parameters of
closed-loop robots", International Journal of Robotics Research 14 (1995): ranks of the closed robot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.generation.column_ranking import Ranking
from manipula.mechanics.models.closure.assembly import ClosurePlan, NumericLinkage, starts_of
from manipula.mechanics.models.closure.closed_models import Closure, joint_motion
from manipula.mechanics.models.closure.constraint import seen_from_first
from manipula.mechanics.models.linear.base_parameters import (
    Slot,
    candidate_slots,
    grouping_matrix,
    own_moment,
    reduced_regressor,
    standard_slots,
)
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.tree import Tree

Array = NDArray[np.float64]
ROWS = 3  # times as many as columns
REGULAR = 0.2  # of the usual size of a divisor
KEPT, LOST = 1e-6, 1e-9  # of a column's length: what is left is something, is nothing


@dataclass(frozen=True)
class ClosedRanking:
    """The ranking, what every dropped column is of those kept, and how well that held at further positions."""

    ranking: Ranking
    weights: Array  # (kept, candidates): column = Σ weight · column kept
    combinations: Array  # (kept, standard parameters)
    residual: float


def closed_ranking(robot: RobotDescription, tree: Tree, plan: ClosurePlan) -> ClosedRanking:
    """From the tree in floats."""
    slots, standard = candidate_slots(tree), standard_slots(tree)
    stacked = _stacked(robot, tree, plan, ROWS * len(slots) // len(plan.driven) + 4, 0)
    sizes = np.linalg.norm(stacked, axis=0)
    scaled = stacked / np.where(sizes > 1e-12, sizes, 1.0)
    kept = _independent(robot, scaled)
    weights = _weights(stacked, kept)
    fresh = _stacked(robot, tree, plan, 12, 1)
    residual = float(np.abs(fresh - fresh[:, kept] @ weights).max() / np.abs(fresh).max())
    if residual > 1e-7:
        raise InputError(
            "{robot}: its base parameters lose {residual:.1e} of the torques at further positions", robot.name, residual
        )
    B = np.array(grouping_matrix(tree, standard), dtype=float)
    C = weights @ B
    C[np.abs(C) < 1e-11 * np.abs(C).max()] = 0.0  # rounding
    shown = [_renamed(slots, k, weights[number]) for number, k in enumerate(kept)]
    names = [
        slot.name if _is_own(slot, dict(zip(standard, row, strict=True))) else f"{slot.name}_R"
        for slot, row in zip(shown, C, strict=True)
    ]
    ranking = Ranking(tuple(slots), tuple(kept), {}, tuple(names), (1,) * len(kept))
    return ClosedRanking(ranking, weights, C, residual)


def _renamed(slots: Sequence[Slot], k: int, weights: Array) -> Slot:
    """Where Kxx and Kyy count only together, their sum is Lzz."""
    twin = replace(slots[k], kind="Kyy")
    together = slots[k].kind == "Kxx" and twin in slots and abs(weights[list(slots).index(twin)] - 1) < 1e-9
    return replace(slots[k], kind="Lzz") if together else slots[k]


def _is_own(slot: Slot, row: dict[Slot, float]) -> bool:
    """Whether nothing but the link's own moment is in a base parameter."""
    own = own_moment(slot)
    return all(abs(x - float(own.get(part, 0))) < 1e-9 for part, x in row.items())


def _stacked(robot: RobotDescription, tree: Tree, plan: ClosurePlan, count: int, seed: int) -> Array:
    """Rows of GᵀY of the candidates, at closed positions and drawn rates."""
    mechanism, rng = NumericLinkage(robot.name, tree, plan.driven), np.random.default_rng(seed)
    # one position tells little more after several rates than after two
    positions = mechanism.closed_positions(starts_of(robot), max(count // 2, 4), seed)
    # near a singular one few rows are so large that the others count for nothing
    regular = [q for q in positions if (np.abs(mechanism.divisors(q, plan)) > REGULAR).all()]
    positions = regular or positions
    rows: list[Sequence[float]] = []
    for k in range(count):
        q = positions[k % len(positions)].tolist()
        at = Closure(tree, plan, q, seen_from_first)
        x = {
            "q": q,
            "qd": rng.normal(size=len(plan.driven)).tolist(),
            "qdd": rng.normal(size=len(plan.driven)).tolist(),
        }
        motion = joint_motion(at, x)
        Y = tree.coordinates.gather_rows(reduced_regressor(tree, motion["q"], motion["qd"], motion["qdd"]))
        felt = np.array(at.G, dtype=float).T @ np.array(Y, dtype=float)
        rows += list(felt / np.abs(felt).max())
    return np.array(rows)


def _independent(robot: RobotDescription, columns: Array) -> list[int]:
    """From the base to the tip, by what is left of each across those kept."""
    kept, basis = list[int](), np.zeros((len(columns), 0))
    for k, column in enumerate(columns.T):
        left = column - basis @ (basis.T @ column)
        left -= basis @ (basis.T @ left)
        size = float(np.linalg.norm(left))
        if size > KEPT:
            kept.append(k)
            basis = np.column_stack([basis, left / size])
        elif size > LOST:
            raise InputError(
                "{robot}: the rank of its regressor is not clear: a column is left with {size:.1e} of its length",
                robot.name, size,
            )  # fmt: skip
    return kept


def _weights(stacked: Array, kept: Sequence[int]) -> Array:
    found: Array = np.array(np.linalg.lstsq(stacked[:, kept], stacked, rcond=None)[0], dtype=np.float64)
    found[np.abs(found) < 1e-9] = 0.0
    found[:, list(kept)] = np.eye(len(kept))
    return found
