"""What is true of an arm by structure: which axes meet, which are parallel, what is zero whatever the values.

Where every length and angle has a value, floats decide, within rounding. Where letters are left they are drawn from the
prime field, and what is zero there is zero exactly: two different formulas agree at a draw with a probability below
1e-15. Two independent draws must say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from manipula.algebra.expr.field import P, hashed, value_of
from manipula.errors import ProofError
from manipula.generation.ranking import field_chain
from manipula.mechanics.models.dynamics.moving_bodies import slid_back
from manipula.mechanics.models.inverse.classify import classify
from manipula.mechanics.models.inverse.plan import Plan
from manipula.mechanics.robot.bind import Symbolic, bind, free_parameters
from manipula.mechanics.robot.description import Robot
from manipula.mechanics.robot.reduce.chains import merge_fixed
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS, ROUNDED
from manipula.scalar import Judge

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


def numeric_chain(robot: Robot) -> Tree:
    """The arm in floats, fixed joints merged. A parameter without a value gets one of no meaning: nothing may be read
    from such a chain but what holds for any value."""
    return drawn_chain(robot, "auto", "numeric")


def drawn_chain(robot: Robot, symbolic: Symbolic, seed: str) -> Tree:
    """The arm in floats, what is free drawn."""
    span = LONGEST - SHORTEST
    values = {name: SHORTEST + span * hashed(seed, name) / P for name in free_parameters(robot, symbolic)}
    return merge_fixed(bind(robot, FLOATS, values, symbolic))


def plan_of(robot: Robot, symbolic: Symbolic = "auto") -> Plan:
    """How inverse kinematics of a robot is solved."""
    return _plan(robot, _key(symbolic))


@lru_cache(maxsize=16)
def _plan(robot: Robot, symbolic: str | frozenset[str]) -> Plan:
    return _decided(robot, symbolic, classify, _same_plan)


def slides_of(robot: Robot, symbolic: Symbolic = "auto") -> dict[str, str]:
    """The frames that may stand at their parent's, as answers to questions of formulation."""
    return dict(_slides(robot, _key(symbolic)))


@lru_cache(maxsize=16)
def _slides(robot: Robot, symbolic: str | frozenset[str]) -> dict[str, str]:
    return _decided(robot, symbolic, lambda chain, judge, trials: slid_back(chain, judge))


def _key(symbolic: Symbolic) -> str | frozenset[str]:
    return symbolic if isinstance(symbolic, str) else frozenset(symbolic)


def _decided(
    robot: Robot,
    symbolic: Any,
    decide: Decide[Said],
    same: Callable[[Said, Said], bool] = lambda one, other: one == other,
) -> Said:
    if not _has_letters(robot, symbolic):
        chain = drawn_chain(robot, symbolic, "numeric")
        return decide(chain, ROUNDED, (chain,))
    before = _drawn(robot, symbolic, decide, 0)
    for draw in range(1, DRAWS):
        said = _drawn(robot, symbolic, decide, draw)
        if same(before, said):
            return said
        before = said
    raise ProofError(f"{robot.name}: {DRAWS} draws of its parameters do not agree on which of its axes meet")


def _drawn(robot: Robot, symbolic: Symbolic, decide: Decide[Said], draw: int) -> Said:
    seed = f"structure {draw}"
    return decide(field_chain(robot, symbolic, seed), EXACT, (drawn_chain(robot, symbolic, seed),))


def _same_plan(one: Plan, other: Plan) -> bool:
    return one == other and one.masks == other.masks


def _has_letters(robot: Robot, symbolic: Symbolic) -> bool:
    """Whether the geometry still changes with a parameter: it differs between two draws."""
    one, other = (drawn_chain(robot, symbolic, seed) for seed in ("one", "other"))
    return _geometry(one) != _geometry(other)


def _geometry(chain: Tree) -> list[Any]:
    return [chain.base, chain.tool, *((link.before, link.offset, link.after) for link in chain.links)]
