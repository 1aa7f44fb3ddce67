"""What is true of an arm by structure: which axes meet, which are parallel, what is zero whatever the values.

Where every length and angle has a value, floats decide, within rounding. Where letters are left they are drawn from the
prime field, and what is zero there is zero exactly: two different formulas agree at a draw with a probability below
1e-15. Two independent draws must say the same.

A `ArmStructure` belongs to one robot and one wish for symbols. Each of its answers is worked out when it is first
requested, and lives as long as the structure does: no table of robots lies behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from manipula.algebra.expr.evaluate import evaluate
from manipula.algebra.expr.field import FieldMaths, P, hash_to_field, value_of
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.errors import ProofError
from manipula.mechanics.models.dynamics.choices import Answers, Topic
from manipula.mechanics.robot.bind import Binding, Symbolic, free_parameters
from manipula.mechanics.robot.description import Frame, RobotDescription
from manipula.mechanics.robot.reduce import frames_on_joints, merge_fixed
from manipula.mechanics.robot.topology import refuse_moving_loops
from manipula.mechanics.robot.tree import Tree, map_tree
from manipula.mechanics.spatial.floats import FLOATS, ROUNDED
from manipula.scalar import Judge, Maths

if TYPE_CHECKING:
    from manipula.generation.column_ranking import ClosedRanking, Ranking
    from manipula.mechanics.models.closure.assembly import ClosurePlan
    from manipula.mechanics.models.inverse.plan import Plan

SHORTEST, LONGEST = 0.1, 0.6  # m or rad: lengths and angles of an arm to look at
CLOSINGS = 20  # draws of letters at which loops may close
DRAWS = 6  # until two that follow each other agree

Said = TypeVar("Said")
Decide = Callable[[Tree, Judge, Sequence[Tree]], Said]


class Exact:
    """The judge of field elements: nothing is rounded."""

    def zero(self, x: Any, within: float) -> bool:
        return value_of(x) == 0

    def length(self, *x: object) -> float:
        return 1.0


EXACT = Exact()


@dataclass(frozen=True, eq=False)
class ArmStructure:
    """A robot with some parameters as letters, and what holds for it whatever their values."""

    robot: RobotDescription
    symbolic: Symbolic = "auto"
    marks: tuple[Frame, ...] = ()  # frames by name that models are about, beside the tool

    @cached_property
    def free(self) -> tuple[str, ...]:
        """The parameters that stay letters, in the file's order."""
        return tuple(free_parameters(self.robot, self.symbolic))

    def symbols(self, symbol: Callable[[str], Any]) -> dict[str, Any]:
        """Every letter as a scalar."""
        return {name: symbol(name) for name in self.free}

    def bound_tree(self, maths: Maths[Any], symbols: Mapping[str, Any]) -> Tree:
        """The arm bound to any scalar, fixed joints merged: operation by operation, as scalars that round want it."""
        return merge_fixed(self._binding.over(maths, symbols))

    @cached_property
    def tree(self) -> Tree:
        """The arm over expressions, fixed joints merged once: `over` carries it to every other exact scalar."""
        graph = Graph()
        return self.bound_tree(ExprMaths(graph), self.symbols(graph.symbol))

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
    def samples(self) -> WeakKeyDictionary[Any, Tree]:
        """The arm at the samples of proofs under way: a sample is one draw, in which a letter has one value."""
        return WeakKeyDictionary()

    @cached_property
    def _binding(self) -> Binding:
        return Binding(self.robot, self.symbolic, self.marks)

    def in_field(self, seed: str) -> Tree:
        """The arm at one random point of the prime field."""
        maths = FieldMaths(seed)
        return self.over(maths, self.symbols(maths.symbol))

    def in_floats(self, seed: str) -> Tree:
        """The arm in floats, its letters drawn: nothing may be read from it but what holds for any value."""
        span = LONGEST - SHORTEST
        return self.bound_tree(FLOATS, self.symbols(lambda name: SHORTEST + span * hash_to_field(seed, name) / P))

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
        from manipula.mechanics.models.inverse.classify import classify

        return self._decided(classify, lambda one, other: one == other and one.masks == other.masks)

    @cached_property
    def slides(self) -> Answers:
        """The frames that may stand at their parent's, as answers to questions of formulation."""
        from manipula.mechanics.models.dynamics.moving_bodies import slid_back

        links = self._decided(lambda chain, judge, trials: slid_back(chain, judge))
        return {Topic("slide", link): "back" for link in links}

    @cached_property
    def column_ranking(self) -> Ranking:
        """Which parameters are identifiable from the torques."""
        if self.robot.loops:
            return self.closed_ranking.ranking
        from manipula.generation.column_ranking import ranking_of

        return ranking_of(self.in_field("base parameters"), self.robot.coordinates)

    @cached_property
    def closed_ranking(self) -> ClosedRanking:
        """The same of a robot with loops, decided where they close."""
        from manipula.generation.column_ranking import closed_ranking

        refuse_moving_loops(self.robot, "base_parameters")
        plan, tree = self.closure_and_tree
        return closed_ranking(self.robot, tree, plan)

    @cached_property
    def closure(self) -> ClosurePlan:
        """How its loops are solved, decided where they close."""
        return self.closure_and_tree[0]

    @cached_property
    def closure_and_tree(self) -> tuple[ClosurePlan, Tree]:
        """The plan and the robot in floats that it was decided on; letters are drawn until the loops close."""
        from manipula.mechanics.models.closure.assembly import plan_closure

        draws = range(CLOSINGS if self._has_letters else 1)
        return plan_closure(self.robot, (self.in_floats(f"closure {draw}") for draw in draws))

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
    return [chain.base, chain.tool, chain.cuts, *((link.before, link.offset, link.after) for link in chain.links)]


def numeric_chain(robot: RobotDescription) -> Tree:
    """The arm in floats, fixed joints merged; a parameter without a value gets one of no meaning."""
    return ArmStructure(robot).in_floats("numeric")


def plan_of(robot: RobotDescription, symbolic: Symbolic = "auto") -> Plan:
    """How inverse kinematics of a robot is solved."""
    return ArmStructure(robot, symbolic).plan
