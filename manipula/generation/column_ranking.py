"""Which inertial parameters are identifiable from torques: the rank of the regressor, exactly, in the prime field.

The regressor of the candidates (`mechanics.models.base_parameters`) is stacked over random states in GF(2⁶¹−1) and
eliminated column by column, from the base to the tip. A column kept is independent of those before it for certain: a
minor that is not zero at one point is not zero. That the others depend on them is proved in `base`, at fresh points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.expr.elimination import Dependency, dependencies
from manipula.algebra.expr.field import FieldElement, FieldMaths, P, rational, value_of
from manipula.algebra.expr.node import Expr
from manipula.errors import InputError
from manipula.mechanics.models.closure.assembly import ClosurePlan, NumericLinkage, starts_of
from manipula.mechanics.models.closure.closed_models import Closure, joint_motion
from manipula.mechanics.models.closure.constraint import seen_from_first
from manipula.mechanics.models.floating.dynamics import motion_of
from manipula.mechanics.models.floating.regressor import floating_columns
from manipula.mechanics.models.floating.regressor import regressor as moving_regressor
from manipula.mechanics.models.linear.base_parameters import (
    MOMENTS,
    Slot,
    candidate_slots,
    grouping_matrix,
    link_slots,
    own_moment,
    reduced_regressor,
    standard_slots,
)
from manipula.mechanics.models.linear.regressor import BODY_NAMES, columns, parts_of, regressor
from manipula.mechanics.robot.coordinates import Coordinates
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.tree import BASE, Tree

Rows = list[list[Any]]
State = tuple[Any, ...]  # q, q̇, q̈ of the joints, and the motion of a base that moves


@dataclass(frozen=True)
class Family:
    """Parameters that a turn of the frame mixes with each other alone."""

    standard: tuple[str, ...]
    moments: tuple[str, ...]


FAMILIES = (
    Family(BODY_NAMES[:6], (*MOMENTS, "Lxx", "Lyy", "Lzz")),
    Family(BODY_NAMES[6:9], BODY_NAMES[6:9]),
    Family(BODY_NAMES[9:], BODY_NAMES[9:]),
)
STATES = 16  # joint n alone must tell its own link's parameters apart: seven, and four of its actuator


@dataclass(frozen=True)
class Ranking:
    """The candidates; which of them are independent, under what names; of what the others are combinations."""

    slots: tuple[Slot, ...]
    kept: tuple[int, ...]
    dropped: dict[int, Dependency]
    names: tuple[str, ...]
    signs: tuple[int, ...]  # a base parameter is its candidate, or the candidate's negative

    @property
    def base(self) -> tuple[Slot, ...]:
        """The slots of the base parameters."""
        return tuple(self.slots[k] for k in self.kept)

    def columns(self, row: Sequence[Any]) -> list[Any]:
        """A row of the candidates' regressor → of the base parameters'."""
        return [row[k] if sign > 0 else -row[k] for k, sign in zip(self.kept, self.signs)]

    def candidates(self, base: Sequence[Any]) -> list[Any]:
        """Values of the base parameters → of the candidates, those that depend on others being nothing."""
        given = {k: x if sign > 0 else -x for k, sign, x in zip(self.kept, self.signs, base, strict=True)}
        return [given.get(k, 0) for k in range(len(self.slots))]


def ranking_of(chain: Tree, moves: Coordinates) -> Ranking:
    """The base parameters of an arm by their places, from the arm at a point of the field; values come elsewhere."""
    stacked = [
        [integer(x) for x in row]
        for state in range(states_of(chain))
        for row in told_rows(*field_state(chain, moves, f"state {state}"))
    ]
    slots = candidate_slots(chain)
    kept, dropped = dependencies(stacked)
    standard = link_slots(chain)
    C = _combinations(chain, standard, kept, dropped)
    laden = {i for i, parts in enumerate((chain.ground_parts, *parts_of(chain)), BASE) if len(parts) > 1}
    named = [_name(_rename_slot(slots[k], slots, dropped), dict(zip(standard, C[k])), laden) for k in kept]
    names = [name or f"B{number}" for number, (name, _) in enumerate(named, 1)]
    return Ranking(tuple(slots), tuple(kept), dropped, tuple(names), tuple(sign for _, sign in named))


def states_of(chain: Tree) -> int:
    """How many states tell all columns apart: where joints follow others, few coordinates must tell of many links."""
    return STATES + len(candidate_slots(chain)) if chain.coordinates.followers else STATES


def told_rows(chain: Tree, state: State) -> Rows:
    """What the coordinates feel of every candidate, at positions and rates of the joints."""
    rows = reduced_regressor(chain, *state)
    return gather_joint_rows(chain, rows)


def standard_rows(chain: Tree, state: State) -> tuple[Rows, list[str]]:
    """The same of the standard parameters, and their names."""
    text, names = (moving_regressor, floating_columns) if chain.moving else (regressor, columns)
    return gather_joint_rows(chain, text(chain, *state)), names(chain)


def gather_joint_rows(chain: Tree, stacked: Rows) -> Rows:
    """Rows of the coordinates, after those of a base that moves."""
    base = len(stacked) - len(chain.links)
    return [*stacked[:base], *chain.coordinates.gather_rows(stacked[base:])]


def field_state(chain: Tree, moves: Coordinates, tag: str) -> tuple[Tree, State]:
    """The arm, and q, q̇, q̈ of its joints, from parts of coordinates by names no parameter can have: of a multiple of
    a part the field knows the sine."""
    assert isinstance(chain.maths, FieldMaths)
    maths, of = chain.maths, moves.in_parts
    q, qd, qdd = ([maths.symbol(f"{tag} {x}{i}") for i in range(len(of))] for x in ("q", "qd", "qdd"))
    alone = [row.terms[0] for row in of.rows if row.way]
    ways = {value_of(n * qd[c]): (qd[c], n) for c, n in alone}
    state: State = (of.spread(q), of.spread(qd), of.spread(qdd))
    if chain.moving:
        state += (motion_of({x: [maths.symbol(f"{tag} {x}{k}") for k in range(3)] for x in ("w0", "wd0", "a0")}),)
    return replace(chain, maths=_WaysMaths(maths.seed, ways)), state


class _WaysMaths(FieldMaths):
    """A joint that follows one coordinate slips the way it does: sign(n·q̇) is the sign of q̇, or its negative."""

    def __init__(self, seed: str, ways: dict[int, tuple[FieldElement, int]]) -> None:
        super().__init__(seed)
        self.ways = ways

    def sign(self, x: Any) -> FieldElement:
        rate, count = self.ways.get(value_of(x), (x, 1))
        found = super().sign(rate)
        return found if count > 0 else -found


def integer(x: Any) -> int:
    """A scalar of the field as an integer."""
    return x.value if isinstance(x, FieldElement | Expr) else rational(x)


def _combinations(
    chain: Tree, standard: Sequence[Slot], kept: Sequence[int], dropped: dict[int, Dependency]
) -> dict[int, list[int]]:
    """Base parameters in terms of the standard ones, at this point of the field."""
    B = [[integer(x) for x in row] for row in grouping_matrix(chain, standard)]
    rows = {k: B[k] for k in kept}
    for other, parts in dropped.items():
        for k, factor in parts.items():
            rows[k] = [(x + factor * y) % P for x, y in zip(rows[k], B[other])]
    return rows


def _rename_slot(slot: Slot, slots: Sequence[Slot], dropped: dict[int, Dependency]) -> Slot:
    """Where Kxx and Kyy count only together, their sum is Lzz."""
    twin = Slot("Kyy", slot.link)
    together = slot.kind == "Kxx" and dropped.get(slots.index(twin)) == {slots.index(slot): 1}
    return replace(slot, kind="Lzz") if together else slot


def _name(slot: Slot, row: dict[Slot, int], laden: set[int]) -> tuple[str, int]:
    """(mx4 for a link's own, Kxx2_R for what has more in it: of other links, of riders on `laden` ones; ±1).

    Candidates are moments in frames on the joints. The name is that of the same moment in the file's frame, of which a
    candidate may be the negative; where it is no single one there, the name is empty.
    """
    kind, sign = _in_file(slot, row)
    if not kind:
        return "", 1
    named = replace(slot, kind=kind)
    own = {part: rational(sign * weight) for part, weight in own_moment(named).items()}
    there = {part: x for part, x in row.items() if x}
    alone = own == there and not any(part.link in laden and part.kind in BODY_NAMES for part in there)
    return named.name if alone else f"{named.name}_R", sign


def _in_file(slot: Slot, row: dict[Slot, int]) -> tuple[str, int]:
    """What a candidate has of its own link's body, as one of the body's moments in the file's frame, and its sign."""
    family = next((family for family in FAMILIES if slot.kind in (*family.standard, *family.moments)), None)
    if family is None:  # of a joint
        return slot.kind, 1
    there = {part: row[part] for part in (Slot(kind, slot.link) for kind in family.standard) if row[part]}
    for sign in (1, -1):
        for kind in (slot.kind, *family.moments):
            own = own_moment(Slot(kind, slot.link))
            if there == {part: rational(sign * weight) for part, weight in own.items()}:
                return kind, sign
    return "", 1


# Inertial parameters identifiable from the motors of a robot with loops: the rank of GᵀY where the loops close.
#
# Closed positions are numbers, not points of a field: elsewhere the rank is another. So the regressor of the
# candidates (`mechanics.models.linear.base_parameters`) is stacked in floats over closed positions with drawn rates,
# and eliminated column by column, from the base to the tip. What is left of a column across those kept must be clearly
# something or clearly nothing; else the robot is refused. Of a linkage with one motor all columns are smooth functions
# of one angle, and little is left of the last ones: that is something where it is far above what is left of those
# dropped. The combinations are checked at further positions.
#
# Source: Gautier, Khalil, "Direct calculation of minimum set of inertial parameters of serial robots", IEEE
# Transactions on Robotics and Automation 6 (1990); Khalil, Bennis, "Symbolic calculation of the base inertial
# parameters of closed-loop robots", International Journal of Robotics Research 14 (1995): ranks of the closed robot.


Array = NDArray[np.float64]
ROWS = 3  # times as many as columns
REGULAR = 0.2  # of the usual size of a divisor
KEPT, LOST = 1e-7, 1e-10  # of a column's length: what is left is something, is nothing
APART = 1e5  # times what is left of any column dropped: that is something, too
ROUNDED = 1e-14  # what rounding leaves of a column, at least
SPREADS = (0.6, 1.0, 0.3)  # rad around the poses, tried one after the other: near positions tell columns badly apart


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
    stacked, kept = _ranked(robot, tree, plan, ROWS * len(slots) // len(plan.driven) + 4)
    weights = _weights(stacked, kept)
    fresh = _stacked(robot, tree, plan, 12, 1, SPREADS[0])
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


def _ranked(robot: RobotDescription, tree: Tree, plan: ClosurePlan, count: int) -> tuple[Array, list[int]]:
    """Rows of the candidates, and the columns that are independent, from positions that leave no doubt."""
    unclear = 0.0
    for spread in SPREADS:
        stacked = _stacked(robot, tree, plan, count, 0, spread)
        sizes = np.linalg.norm(stacked, axis=0)
        kept, unclear = _independent(stacked / np.where(sizes > 1e-12, sizes, 1.0))
        if not unclear:
            return stacked, kept
    raise InputError(
        "{robot}: the rank of its regressor is not clear: a column is left with {size:.1e} of its length",
        robot.name, unclear,
    )  # fmt: skip


def _renamed(slots: Sequence[Slot], k: int, weights: Array) -> Slot:
    """Where Kxx and Kyy count only together, their sum is Lzz."""
    twin = replace(slots[k], kind="Kyy")
    together = slots[k].kind == "Kxx" and twin in slots and abs(weights[list(slots).index(twin)] - 1) < 1e-9
    return replace(slots[k], kind="Lzz") if together else slots[k]


def _is_own(slot: Slot, row: dict[Slot, float]) -> bool:
    """Whether nothing but the link's own moment is in a base parameter."""
    own = own_moment(slot)
    return all(abs(x - float(own.get(part, 0))) < 1e-9 for part, x in row.items())


def _stacked(robot: RobotDescription, tree: Tree, plan: ClosurePlan, count: int, seed: int, spread: float) -> Array:
    """Rows of GᵀY of the candidates, at closed positions and drawn rates."""
    mechanism, rng = NumericLinkage(robot.name, tree, plan.driven), np.random.default_rng(seed)
    # one position adds little after several rates to what it gives after two
    positions = mechanism.closed_positions(starts_of(robot), max(count // 2, 4), seed, spread)
    # near a singular one few rows are so large that the others count for nothing; another assembly has other ranks
    signs = np.sign(mechanism.divisors(positions[0], plan))
    regular = [q for q in positions if (signs * mechanism.divisors(q, plan) > REGULAR).all()]
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


def _independent(columns: Array) -> tuple[list[int], float]:
    """From the base to the tip, by what is left of each across those kept; and what is left where that is unclear."""
    kept, basis, sizes = list[int](), np.zeros((len(columns), 0)), list[float]()
    for k, column in enumerate(columns.T):
        left = column - basis @ (basis.T @ column)
        left -= basis @ (basis.T @ left)
        sizes.append(float(np.linalg.norm(left)))
        if sizes[k] > LOST:
            kept.append(k)
            basis = np.column_stack([basis, left / sizes[k]])
    least = min((sizes[k] for k in kept), default=1.0)
    dropped = max((size for k, size in enumerate(sizes) if k not in kept), default=0.0)
    return kept, least if least < min(KEPT, APART * max(dropped, ROUNDED)) else 0.0


def _weights(stacked: Array, kept: Sequence[int]) -> Array:
    found: Array = np.array(np.linalg.lstsq(stacked[:, kept], stacked, rcond=None)[0], dtype=np.float64)
    found[np.abs(found) < 1e-9] = 0.0
    found[:, list(kept)] = np.eye(len(kept))
    return found
