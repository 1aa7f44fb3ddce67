"""Along a trajectory: at every pose the solution nearest to the one before; where that is another branch, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from manipula.errors import InputError
from manipula.ik.answers import InverseResult
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import TURN, Floats
from manipula.ik.numeric.poses import poses_from_value
from manipula.ik.numeric.tolerances import SearchTolerance
from manipula.ik.solver import position_text
from manipula.mechanics.models.inverse.plan import Plan
from manipula.messages import Message
from manipula.support.text import plain

OUT = "out of reach"


class Change(NamedTuple):
    """From pose number `at` on another branch, or another turn of a joint: which, how far the joints step, and why."""

    at: int
    before: str
    after: str
    step: float
    reason: str


class Reasons(Mapping[int, str]):
    """What keeps the arm from each pose that it does not reach; found when it is read, as that takes a search."""

    def __init__(self) -> None:
        self._results: dict[int, InverseResult] = {}
        self._known: dict[int, str] = {}

    def note(self, pose: int, result: InverseResult) -> None:
        self._results[pose] = result

    def __getitem__(self, pose: int) -> str:
        if pose not in self._known:
            self._known[pose] = self._results[pose].nearest.reason
        return self._known[pose]

    def __iter__(self) -> Iterator[int]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)


class Path(NamedTuple):
    """Configurations (n, dof), the branch of each, and the changes of branch. What could not be reached is NaN.

    `why` says for every pose number in `unreached` what keeps the arm from it, once it is asked.
    """

    q: Floats
    branch: list[str]
    changes: list[Change]
    unreached: list[int]
    why: Mapping[int, str]

    def as_dict(self) -> dict[str, Any]:
        entries: dict[str, Any] = plain(self._asdict() | {"why": dict(self.why)})
        return entries


def follow(solver: InverseSolver, poses: ArrayLike, seed: ArrayLike) -> Path:
    """The continuous solution of poses (n, 4, 4) from `seed` on."""
    T = poses_from_value(poses)
    if T.ndim != 3:
        raise InputError("poses: expected an array of shape (n, 4, 4), found {shape}", T.shape)
    last, name = np.asarray(seed, dtype=float), ""
    reasons = Reasons()
    path = Path(np.full((len(T), solver.chain.dof), np.nan), [], [], [], reasons)
    for i, pose in enumerate(T):
        result = solver(pose, last)
        if not len(result.q):
            path.unreached.append(i)
            path.branch.append(OUT)
            reasons.note(i, result)
            continue
        # without the parameter’s value: it changes at every pose of a redundant arm, and is no change of branch
        after = result.setting[int(result.order[0])]
        change = _change(solver, i, name, after, last, result)
        if change is not None:
            path.changes.append(change)
        # the seed of the next pose: the path goes on from here
        path.q[i] = last = result.q[0]
        path.branch.append(after)
        name = after
    return path


def _change(
    solver: InverseSolver, i: int, before: str, after: str, last: Floats, result: InverseResult
) -> Change | None:
    """What is new at pose i, if anything is. (Solutions found by search have no names: only their jumps count.)"""
    step = float(np.abs(result.q[0] - last).max())
    other = before != after and solver.closed is not None
    # at the first pose there is nothing to have changed from
    if not before or not (other or step > SearchTolerance.JUMP):
        return None
    names = result.setting
    place = names.index(before) if before in names else int(result.order[0])
    reason = (
        # in the order of what a user can mend: a limit, a turn, the path itself
        _rejection_text(before, result.why[place], result.twin[place] >= 0)
        or _turned_back(solver, last, result.all[place])
        or _branches_met_text(_changed_roles(solver.plan, before, after), step, result)
    )
    return Change(i, before, after, step, reason)


def _rejection_text(before: str, why: str, doubled: bool) -> str:
    """The branch before is no answer any more; one that repeats another still is."""
    return f"{before}: {why}" if why and not doubled else ""


def _turned_back(solver: InverseSolver, last: Floats, q: Floats) -> str:
    """The branch before goes on, but on another turn of a joint that has come to its limit."""
    # a step of about a whole turn is the same branch on another turn
    turned = np.flatnonzero(solver.turning & (np.abs(np.abs(q - last) - TURN) < SearchTolerance.JUMP))
    if not turned.size:
        return ""
    k = int(turned[0])
    limit = solver.high[k] if q[k] < last[k] else solver.low[k]
    return Message(
        "joint {k} comes to its limit {position_text}; to go on it must turn back by 360°",
        k + 1,
        position_text(float(limit), True),
    )


def _changed_roles(plan: Plan, before: str, after: str) -> list[str]:
    """The roles in which two branches of the closed form differ."""
    signs = plan.settings
    return [role for role, a, b in zip(plan.roles, signs.get(before, ()), signs.get(after, ())) if a != b]


def _branches_met_text(roles: Sequence[str], step: float, result: InverseResult) -> str:
    """Both branches go on: they have met, where these roles have one setting."""
    family = result.families[int(result.order[0])]
    met = (
        Message("the two settings of the {roles} meet", " and the ".join(roles)) if roles else Message("solutions meet")
    )
    how = Message("passes" if step <= SearchTolerance.JUMP else "comes close to")
    named = f" ({family.text})" if family is not None else ""
    return Message("{how} a singular pose, where {met}{named}", how, met, named)
