"""The branches of a task for an arm with no more joints than the task needs: closed, by elimination, or both."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import Floats, over_arrays, stacked
from manipula.ik.partial.elimination3 import linked
from manipula.ik.partial.targets import completed
from manipula.ik.search import unique_solutions
from manipula.ik.solver import Raw
from manipula.mechanics.models.inverse.plan import ArmKind, Plan
from manipula.mechanics.models.inverse.position_task import placings, position_plan
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.tree import Link, Tree, in_series
from manipula.mechanics.spatial.placement import HERE
from manipula.messages import Message


class Branches(Protocol):
    """`plan` names the class; `raw` gives every branch of a masked target, free joints left out.

    `at`: where the joints are that a branch leaves free. `searched`: what a search finds where `raw` has nothing.
    """

    plan: Plan
    closed: bool

    def raw(self, T: Floats, at: Floats) -> Raw: ...
    def searched(self, T: Floats, at: Floats) -> Raw: ...


class PositionBranches:
    """One to three joints that place a point."""

    def __init__(self, chain: Tree) -> None:
        self.chain, self._linked = chain, linked(chain) if chain.dof else None
        found = position_plan(chain)
        self._closed = None if found is None else found.over(over_arrays(chain))
        self.closed = self._closed is not None
        self.plan = found.plan if found is not None else _eliminated(chain)

    def raw(self, T: Floats, at: Floats) -> Raw:
        p = T[:3, 3]
        if self._closed is not None:
            found = placings(self._closed, tuple(p[:, None]))
            q, valid, fit, calm = (stacked(x, (1,))[0] for x in (found.q, found.valid, found.fit, found.calm(ARRAYS)))
            return Raw(q, valid, fit, calm, np.float64(0.0))  # type: ignore[arg-type]
        if self._linked is None:
            return checked(np.zeros((1, 0)))
        links = self.chain.links
        signs = np.array([float(link.direction) for link in links])
        offsets = np.array([float(link.offset) for link in links])
        return checked((self._linked.candidates(p, offsets + signs * at) - offsets) * signs)

    def searched(self, T: Floats, at: Floats) -> Raw:
        """Nothing: elimination has every root."""
        return checked(np.empty((0, self.chain.dof)))


def checked(q: Floats) -> Raw:
    """Candidates: each is to be polished and looked at."""
    return Raw(q, np.ones(len(q)), np.zeros(len(q)), np.float64(0.0), np.float64(0.0))  # type: ignore[arg-type]


def _eliminated(chain: Tree) -> Plan:
    kinds = "".join("R" if link.kind.name == "revolute" else "P" for link in chain.links)
    said = {
        0: Message("no joint moves what counts"),
        1: Message("one joint"),
        2: Message("two joints {kinds}: roots of a quadratic", kinds),
    }
    words = said.get(len(kinds), Message("three joints {kinds} placed in general: roots of a quartic", kinds))
    return Plan("none", "", "position of the tool", words, kind=ArmKind.NUMERIC)


class AxisBranches:
    """Up to five joints that place a point and a direction: with one more joint about it, a pose."""

    def __init__(self, chain: Tree) -> None:
        turn = Link(name="added", kind=KINDS["revolute"], before=chain.tool)
        self._solver = InverseSolver(replace(chain, links=in_series((*chain.links, turn)), tool=HERE))
        whole = self._solver.plan
        self.closed = whole.closed and not whole.parameter
        title = Message("position and axis of the tool, {title}", Message(whole.title))
        said = Message("with a turning axis added at the tool, {sentence}", whole.sentence)
        self.plan = replace(whole, title=title, sentence=said, parameter="", fixed_joint=None)

    def raw(self, T: Floats, at: Floats) -> Raw:
        if self.closed:
            found = self._solver.raw(completed(T), None)
            return found._replace(q=found.q[:, :-1])
        return checked(self._solver(completed(T)).q[:, :-1])

    def searched(self, T: Floats, at: Floats) -> Raw:
        """A closed form may be singular at every pose of an arm whose joints cannot all place its point."""
        return checked(unique_solutions(self._solver, completed(T), np.append(at, 0.0))[:, :-1])
