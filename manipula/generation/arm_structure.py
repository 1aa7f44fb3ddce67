"""What is true of an arm by structure: which axes meet, which are parallel, what is zero whatever the values.

Where every length and angle has a value, floats decide, within rounding. Where letters are left they are drawn from the
prime field, and what is zero there is zero exactly: two different formulas agree at a draw with a probability below
1e-15. Two independent draws must say the same.

A `ArmStructure` belongs to one robot and one wish for symbols. Each of its answers is worked out when it is first asked
for, and lives as long as the structure does: no table of robots lies behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from manipula.algebra.expr.elimination import Dependency, dependencies
from manipula.algebra.expr.evaluate import evaluate
from manipula.algebra.expr.field import FieldElement, FieldMaths, P, hash_to_field, rational, value_of
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.errors import ProofError
from manipula.mechanics.models.choices import Answers, Topic
from manipula.mechanics.models.dynamics.moving_bodies import slid_back
from manipula.mechanics.models.inverse.classify import classify
from manipula.mechanics.models.inverse.plan import Plan
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
from manipula.mechanics.robot.bind import Binding, Symbolic, free_parameters
from manipula.mechanics.robot.coordinates import Coordinates
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.reduce import frames_on_joints, merge_fixed
from manipula.mechanics.robot.tree import Tree, map_tree
from manipula.mechanics.spatial.floats import FLOATS, ROUNDED
from manipula.scalar import Judge, Maths

# Which inertial parameters the torques can tell: the rank of the regressor, exactly, in the prime field.
#
# The regressor of the candidates (`mechanics.models.base_parameters`) is stacked over random states in GF(2⁶¹−1) and
# eliminated column by column, from the base to the tip. A column kept is independent of those before it for certain: a
# minor that is not zero at one point is not zero. That the others depend on them is proved in `base`, at fresh points.

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
    return STATES + len(candidate_slots(chain)) if chain.coordinates.coupled else STATES


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


SHORTEST, LONGEST = 0.1, 0.6  # m or rad: lengths and angles of an arm to look at
DRAWS = 6  # until two that follow each other agree

Said = TypeVar("Said")
Decide = Callable[[Tree, Judge, Sequence[Tree]], Said]


class Exact:
    """The judge of field elements: nothing is rounded."""

    def zero(self, x: Any, within: float) -> bool:
        return value_of(x) == 0

    def length(self, *x: Any) -> float:
        return 1.0


EXACT = Exact()


@dataclass(frozen=True, eq=False)
class ArmStructure:
    """A robot with some parameters as letters, and what holds for it whatever their values."""

    robot: RobotDescription
    symbolic: Symbolic = "auto"

    @cached_property
    def free(self) -> tuple[str, ...]:
        """The parameters that stay letters, in the file's order."""
        return tuple(free_parameters(self.robot, self.symbolic))

    def symbols(self, symbol: Callable[[str], Any]) -> dict[str, Any]:
        """Every letter as a scalar."""
        return {name: symbol(name) for name in self.free}

    def merged(self, maths: Maths[Any], symbols: Mapping[str, Any]) -> Tree:
        """The arm bound to any scalar, fixed joints merged: operation by operation, as scalars that round want it."""
        return merge_fixed(self._binding.over(maths, symbols))

    @cached_property
    def tree(self) -> Tree:
        """The arm over expressions, fixed joints merged once: `over` carries it to every other exact scalar."""
        graph = Graph()
        return self.merged(ExprMaths(graph), self.symbols(graph.symbol))

    def over(self, maths: Maths[Any], symbols: Mapping[str, Any]) -> Tree:
        """The merged arm over a scalar that is exact. Every proof holds it against the robot's description."""
        values = dict(zip(self._entries, evaluate(self._entries, symbols, maths)))
        return map_tree(self.tree, lambda x: values.get(x, x), maths)

    @cached_property
    def _entries(self) -> list[Expr]:
        """The expressions of the merged arm."""
        entries: dict[Any, None] = {}
        map_tree(self.tree, lambda x: entries.setdefault(x, None), self.tree.maths)
        return [x for x in entries if isinstance(x, Expr)]

    @cached_property
    def sampled(self) -> WeakKeyDictionary[Any, Tree]:
        """The arm at the samples of proofs under way: a sample is one draw, in which a letter has one value."""
        return WeakKeyDictionary()

    @cached_property
    def _binding(self) -> Binding:
        return Binding(self.robot, self.symbolic)

    def in_field(self, seed: str) -> Tree:
        """The arm at one random point of the prime field."""
        maths = FieldMaths(seed)
        return self.over(maths, self.symbols(maths.symbol))

    def in_floats(self, seed: str) -> Tree:
        """The arm in floats, its letters drawn: nothing may be read from it but what holds for any value."""
        span = LONGEST - SHORTEST
        return self.merged(FLOATS, self.symbols(lambda name: SHORTEST + span * hash_to_field(seed, name) / P))

    @cached_property
    def on_joints(self) -> Tree:
        """The arm over expressions, frames on the joints: for its zeros and its letters, never for values."""
        return frames_on_joints(self.tree)

    @cached_property
    def lengths(self) -> list[str]:
        """Parameters by which a search may divide: the lengths between the joints."""
        levers = [x for link in self.on_joints.links for x in link.before.p]
        bare = (x.args[0] if isinstance(x, Expr) and x.op == "neg" else x for x in levers)
        return [str(x.data) for x in bare if isinstance(x, Expr) and x.op == "symbol"]

    @cached_property
    def plan(self) -> Plan:
        """How its inverse kinematics is solved."""
        return self._decided(classify, lambda one, other: one == other and one.masks == other.masks)

    @cached_property
    def slides(self) -> Answers:
        """The frames that may stand at their parent's, as answers to questions of formulation."""
        links = self._decided(lambda chain, judge, trials: slid_back(chain, judge))
        return {Topic("slide", link): "back" for link in links}

    @cached_property
    def ranking(self) -> Ranking:
        """Which parameters the torques can tell."""
        return ranking_of(self.in_field("base parameters"), self.robot.coordinates)

    def _decided(
        self, decide: Decide[Said], same: Callable[[Said, Said], bool] = lambda one, other: one == other
    ) -> Said:
        if not self._has_letters:
            chain = self.in_floats("numeric")
            return decide(chain, ROUNDED, (chain,))
        before = self._drawn(decide, 0)
        for draw in range(1, DRAWS):
            said = self._drawn(decide, draw)
            if same(before, said):
                return said
            before = said
        raise ProofError(
            "{name}: {draws} draws of its parameters do not agree on which of its axes meet", self.robot.name, DRAWS
        )

    def _drawn(self, decide: Decide[Said], draw: int) -> Said:
        seed = f"structure {draw}"
        return decide(self.in_field(seed), EXACT, (self.in_floats(seed),))

    @cached_property
    def _has_letters(self) -> bool:
        """Whether the geometry still changes with a parameter: it differs between two draws."""
        one, other = (_geometry(self.in_floats(seed)) for seed in ("one", "other"))
        return one != other


def _geometry(chain: Tree) -> list[Any]:
    return [chain.base, chain.tool, *((link.before, link.offset, link.after) for link in chain.links)]


def numeric_chain(robot: RobotDescription) -> Tree:
    """The arm in floats, fixed joints merged; a parameter without a value gets one of no meaning."""
    return ArmStructure(robot).in_floats("numeric")


def plan_of(robot: RobotDescription, symbolic: Symbolic = "auto") -> Plan:
    """How inverse kinematics of a robot is solved."""
    return ArmStructure(robot, symbolic).plan
