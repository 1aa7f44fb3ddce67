"""Which inertial parameters the torques can tell: the rank of the regressor, exactly, in the prime field.

The regressor of the candidates (`mechanics.models.base_parameters`) is stacked over random states in GF(2⁶¹−1) and
eliminated column by column, from the base to the tip. A column kept is independent of those before it for certain: a
minor that is not zero at one point is not zero. That the others depend on them is proved in `base`, at fresh points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from manipula.algebra.expr.elimination import Dependency, dependencies
from manipula.algebra.expr.field import FieldElement, FieldMaths, P, rational, value_of
from manipula.algebra.expr.node import Expr
from manipula.mechanics.models.linear.base_parameters import (
    MOMENTS,
    Slot,
    candidate_slots,
    grouping_matrix,
    link_slots,
    own_moment,
    reduced_regressor,
)
from manipula.mechanics.models.linear.regressor import BODY_NAMES, parts_of
from manipula.mechanics.robot.coordinates import Coordinates
from manipula.mechanics.robot.tree import Tree

Rows = list[list[Any]]
State = tuple[list[Any], list[Any], list[Any]]  # q, q̇, q̈ of the joints


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
    laden = {i for i, parts in enumerate(parts_of(chain)) if len(parts) > 1}
    named = [_name(_rename_slot(slots[k], slots, dropped), dict(zip(standard, C[k])), laden) for k in kept]
    names = [name or f"B{number}" for number, (name, _) in enumerate(named, 1)]
    return Ranking(tuple(slots), tuple(kept), dropped, tuple(names), tuple(sign for _, sign in named))


def states_of(chain: Tree) -> int:
    """How many states tell all columns apart: where joints follow others, few coordinates must tell of many links."""
    return STATES + len(candidate_slots(chain)) if chain.coordinates.followers else STATES


def told_rows(chain: Tree, state: State) -> Rows:
    """What the coordinates feel of every candidate, at positions and rates of the joints."""
    return chain.coordinates.gather_rows(reduced_regressor(chain, *state))


def field_state(chain: Tree, moves: Coordinates, tag: str) -> tuple[Tree, State]:
    """The arm, and q, q̇, q̈ of its joints, from parts of coordinates by names no parameter can have: of a multiple of
    a part the field knows the sine."""
    assert isinstance(chain.maths, FieldMaths)
    maths, of = chain.maths, moves.in_parts
    q, qd, qdd = ([maths.symbol(f"{tag} {x}{i}") for i in range(len(of))] for x in ("q", "qd", "qdd"))
    alone = [row.terms[0] for row in of.rows if row.way]
    ways = {value_of(n * qd[c]): (qd[c], n) for c, n in alone}
    state = of.spread(q), of.spread(qd), of.spread(qdd)
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
