"""Why a path is as it is: poses that are not reached, changes of branch, jumps, singular stretches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np

from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import TURN, Bits, Floats
from manipula.ik.numeric.tolerances import FamilyTolerance, LimitTolerance, SearchTolerance
from manipula.ik.path_branches import PathBranches
from manipula.ik.path_search import least_singular_values
from manipula.ik.solver import outside_text, position_text
from manipula.messages import Message

Kind = Literal["limit", "singular", "out of reach", "another branch"]
OUT: Kind = "out of reach"
STRETCH = 0.02  # least singular value, lengths by the arm's size, below which a pose is near a singular one
FAR = 20.0  # of the arm's size: a pose beyond is no pose of this arm, its numbers are of another unit


class Reason(NamedTuple):
    """What happens from pose `first` to pose `last`: its kind, and a sentence. `step`: the largest step of a joint."""

    kind: Kind
    first: int
    last: int
    text: str
    step: float = 0.0

    def text_line(self) -> str:
        """With the poses it is about."""
        if self.first == self.last:
            return Message("pose {first}: {kind}: {text}", self.first, Message(self.kind), self.text)
        return Message("poses {first} to {last}: {kind}: {text}", self.first, self.last, Message(self.kind), self.text)

    def __str__(self) -> str:
        return str(self.text_line())


class Followed(Protocol):
    """What is asked of a path."""

    @property
    def q(self) -> Floats: ...
    @property
    def branch(self) -> list[str]: ...
    @property
    def changes(self) -> list[int]: ...
    @property
    def max_step(self) -> float: ...
    @property
    def pose(self) -> Floats: ...
    @property
    def reached(self) -> Bits: ...
    @property
    def steps(self) -> Floats: ...
    @property
    def solver(self) -> InverseSolver: ...
    @property
    def branches(self) -> PathBranches: ...
    @property
    def samples(self) -> tuple[Floats | None, Floats | None]: ...
    @property
    def start(self) -> Floats | None: ...


def reasons_of(path: Followed) -> list[Reason]:
    """In the order of poses."""
    found = [*_lost(path), *_changed(path), *_singular_stretches(path)]
    return sorted(found, key=lambda reason: (reason.first, reason.last))


def _ranges(places: Sequence[int], keys: Sequence[object]) -> Iterator[tuple[int, int]]:
    """From which to which of the places, in sequence, numbers follow each other under the same key."""
    begin = 0
    for k in range(1, len(places) + 1):
        if k == len(places) or places[k] != places[k - 1] + 1 or keys[k] != keys[begin]:
            yield begin, k - 1
            begin = k


def _lost(path: Followed) -> Iterator[Reason]:
    """Poses that are not reached, by what keeps the arm from them."""
    places = np.flatnonzero(~path.reached)
    if not places.size:
        return
    solver = path.solver
    q, reached = path.branches.outside(places, *path.samples)
    distance = np.linalg.norm(path.pose[places, :3, 3], axis=-1)
    far = distance > FAR * solver.size
    for a, b in _ranges(places.tolist(), list(zip(reached.tolist(), far.tolist(), strict=True))):
        first, last = int(places[a]), int(places[b])
        if far[a]:
            text = Message("the pose is {distance:.3g} m away, far beyond the arm: are its numbers millimetres?",
                           float(distance[a]))  # fmt: skip
            yield Reason(OUT, first, last, text)
        elif reached[a]:
            yield Reason("limit", first, last, outside_text(solver, q[a], LimitTolerance.INSIDE))
        elif path.samples[0] is not None:
            name, count = solver.plan.parameter, path.samples[0].shape[1]
            yield Reason(
                OUT, first, last, Message("no configuration at any of {count} values of the {name}", count, name)
            )
        else:
            yield Reason(OUT, first, last, Message("no configuration reaches the pose"))


def _changed(path: Followed) -> Iterator[Reason]:
    """Changes of branch and jumps."""
    places = np.flatnonzero(path.reached).tolist()
    before = dict(zip(places[1:], places, strict=False))
    for i in path.changes:
        step = float(path.steps[i])
        last = path.start if i not in before else path.q[before[i]]
        if i not in before:
            text = Message("the nearest configuration is {step:.3g} rad or m from the start", step)
            yield Reason("another branch", i, i, text, step)
        elif last is not None:
            yield _change(path, i, path.branch[before[i]], last, step)


def _change(path: Followed, i: int, before: str, last: Floats, step: float) -> Reason:
    """In the order of what a user can mend: a limit, a turn, the path itself."""
    solver, after = path.solver, path.branch[i]
    turned = _turned_back(solver, last, path.q[i])
    if before == after and turned:
        return Reason("limit", i, i, turned, step)
    if solver.closed is None or solver.parameter.exists:
        return Reason("another branch", i, i, Message("the joints step by {step:.3g} rad or m", step), step)
    roles = _changed_roles(solver, before, after)
    named = Message(" and the ".join(roles)) if roles else Message("joints")
    if step <= path.max_step:
        text = Message("passes a singular pose, where the two settings of the {roles} meet", named)
        return Reason("singular", i, i, text, step)
    result = solver(path.pose[i], last)
    names = result.setting
    place = names.index(before) if before in names else int(result.order[0])
    why, twin = result.why[place], result.twin[place] >= 0
    if why and not twin:
        kind: Kind = "limit" if result.residual[place] <= result.tolerance else "another branch"
        return Reason(kind, i, i, f"{before}: {why}", step)
    return Reason("another branch", i, i, Message("{before} goes on to {after}: the joints step by {step:.3g} rad or m",
                                                  before, after, step), step)  # fmt: skip


def _turned_back(solver: InverseSolver, last: Floats, q: Floats) -> str:
    """The branch goes on, but on another turn of a joint that has come to its limit."""
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


def _changed_roles(solver: InverseSolver, before: str, after: str) -> list[str]:
    """The roles in which two branches of the closed form differ."""
    signs = solver.plan.settings
    pairs = zip(solver.plan.roles, signs.get(before, ()), signs.get(after, ()), strict=False)
    return [role for role, a, b in pairs if a != b]


def _without_rounding(value: float) -> float:
    return value if value > FamilyTolerance.ALONG else 0.0


def _singular_stretches(path: Followed) -> Iterator[Reason]:
    """Poses at which the least singular value is small."""
    places = np.flatnonzero(path.reached)
    least = least_singular_values(path.solver, path.q[places])
    near = np.flatnonzero(least < STRETCH)
    for a, b in _ranges(places[near].tolist(), [0] * len(near)):
        first, last = int(places[near[a]]), int(places[near[b]])
        text = Message(
            "near a singular pose: least singular value {least:.2g}",
            _without_rounding(float(least[near[a : b + 1]].min())),
        )
        yield Reason("singular", first, last, text)
