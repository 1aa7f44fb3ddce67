"""What comes back: `InverseResult` for one pose, `InverseBatch` for many. Everything beyond the branches is lazy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.tasks import newton
from manipula.tasks.arrays import Bits, Floats
from manipula.tasks.families import Family, family_at, nearest_member
from manipula.tasks.limits import distances, margins, principal, wound
from manipula.tasks.search import EXACT, SAME
from manipula.tasks.solver import Nearest, Raw, Solver

CALM = 1e-8  # above this `fit` a closed form is right to the last digits as it stands
ALMOST = -1e-6  # a branch this far out of reach may have been lost by rounding
INSIDE = 1e-9  # a joint this far past its limit is on it


class Refined(NamedTuple):
    """Branches polished and checked, (…, branches); `twin`: the earlier branch that is the same, or −1."""

    q: Floats
    residual: Floats
    reached: Bits
    twin: NDArray[np.intp]


def refined(solver: Solver, T: Floats, raw: Raw) -> Refined:
    """A closer look at the branches of some poses (m, 4, 4), all at once: polish, then accept, then merge."""
    q, pose = principal(raw.q, solver.turning), T[:, None]
    worst = newton.residual(solver.pose(q), pose)
    near = (raw.fit > ALMOST) & (worst > newton.POLISHED)
    if near.any():
        target = np.broadcast_to(pose, (*near.shape, 4, 4))[near]
        q[near], worst[near] = newton.polished(q[near], target, solver.pose, solver.jacobian)
    reached = worst <= EXACT * solver.size
    return Refined(q, worst, reached, twins(solver, q, reached))


def twins(solver: Solver, q: Floats, reached: Bits) -> NDArray[np.intp]:
    """For every branch the first one before it that is the same solution, else −1."""
    if not q.shape[-2]:
        return np.zeros(reached.shape, dtype=np.intp)
    same = distances(q[..., :, None, :], q[..., None, :, :], solver.turning) < SAME
    same &= np.tri(q.shape[-2], k=-1, dtype=bool) & reached[..., None, :] & reached[..., :, None]
    return np.where(same.any(-1), same.argmax(-1), -1)


class Answers:
    """One pose, branch by branch, with reasons."""

    def __init__(self, solver: Solver, T: Floats, seed: Floats | None, raw: Raw) -> None:
        self.solver, self.T, self.seed = solver, T, seed
        close = refined(solver, T[None], raw.row())
        self.q: Floats
        self.residual: Floats
        self.q, self.residual, self.reached = close.q[0], close.residual[0], close.reached[0]
        self.families: list[Family | None] = [self._family(i) for i in range(len(self.q))]
        self._slide_to_seed()
        twin = twins(solver, self.q, self.reached)
        self.q = wound(self.q, solver.turning, solver.low, solver.high, seed)
        self.margin = margins(self.q, solver.low, solver.high)
        self.why = [self._why(i, float(raw.fit[i]), int(twin[i])) for i in range(len(self.q))]
        self.valid = np.array([not why for why in self.why], dtype=bool)

    def _family(self, i: int) -> Family | None:
        if not self.reached[i]:
            return None
        return family_at(self.q[i], self.T, self.solver.pose, self.solver.jacobian, self.solver.plan.group)

    def _slide_to_seed(self) -> None:
        """The member of each family nearest to the seed, as long as it still is a solution."""
        for i, family in enumerate(self.families):
            if family is None or self.seed is None:
                continue
            member = nearest_member(family, self.seed)
            miss = float(newton.residual(self.solver.pose(member), self.T))
            if miss <= EXACT * self.solver.size:
                self.q[i], self.residual[i] = member, miss

    def _why(self, i: int, fit: float, twin: int) -> str:
        """Why a branch is not an answer; nothing for one that is."""
        if not self.reached[i]:
            return f"out of reach: residual {self.residual[i]:.3g}, fit {fit:.3g}"
        if twin >= 0:
            return f"the same as branch {twin + 1}: " + ("one family" if self.families[twin] else "a double root")
        outside = np.flatnonzero(self.margin[i] < -INSIDE)
        if outside.size:
            k = int(outside[0])
            low, high = self.solver.low[k], self.solver.high[k]
            return f"joint {k + 1} at {self.q[i, k]:.6g} is outside its limits [{low:.6g}, {high:.6g}]"
        return ""

    @cached_property
    def order(self) -> Any:
        """The answers' places among the branches, nearest to the seed first."""
        places = np.flatnonzero(self.valid)
        if self.seed is None or not places.size:
            return places
        return places[np.argsort(np.linalg.norm(self.q[places] - self.seed, axis=1), kind="stable")]


class InverseResult:
    """Every solution of one pose.

    `q` are the answers (k, dof): distinct, inside the limits, nearest to the seed first. `all`, `valid`, `why`,
    `branch`, `residual`, `margin`, `families` have one entry for each branch, answers or not.
    """

    def __init__(self, solver: Solver, T: Floats, seed: Floats | None, raw: Raw) -> None:
        self._solver, self.pose, self._seed, self._raw = solver, T, seed, raw

    @cached_property
    def q(self) -> Floats:
        raw, solver = self._raw, self._solver
        found: Floats
        if self._seed is not None or solver.limited:
            found = self._answers.q[self._answers.order]
        elif raw.calm > CALM:
            found = raw.q[raw.valid > 0]
        else:
            close = refined(solver, self.pose[None], raw.row())
            found = close.q[0][(close.reached & (close.twin < 0))[0]]
        return found

    @cached_property
    def _answers(self) -> Answers:
        return Answers(self._solver, self.pose, self._seed, self._raw)

    def __len__(self) -> int:
        return len(self.q)

    @property
    def all(self) -> Floats:
        """Every branch, (branches, dof); where there is none, the nearest."""
        return self._answers.q

    @property
    def valid(self) -> Any:
        """Which branches are answers."""
        return self._answers.valid

    @property
    def why(self) -> list[str]:
        """Why a branch is not an answer; an empty text for one that is."""
        return self._answers.why

    @property
    def order(self) -> Any:
        """The places of the rows of `q` among the branches."""
        return self._answers.order

    @property
    def residual(self) -> Floats:
        """The largest entry of |FK − pose|."""
        return self._answers.residual

    @property
    def margin(self) -> Floats:
        """Distance of every joint to its nearer limit, (branches, dof); negative outside, infinite without limits."""
        return self._answers.margin

    @property
    def families(self) -> list[Family | None]:
        """Where a branch is one of infinitely many: the family it belongs to."""
        return self._answers.families

    @cached_property
    def branch(self) -> list[str]:
        """The branches' names, the same from pose to pose: shoulder +, elbow −, wrist +."""
        return branch_names(self._solver, len(self._raw.q), self._seed)

    @cached_property
    def nearest(self) -> Nearest:
        """The least-squares answer: for a pose out of reach the best there is, its distance, and what it lacks."""
        return self._solver.nearest(self.pose, self._seed)

    def __repr__(self) -> str:
        found = f"{len(self.q)} of {len(self._raw.q)} branches"
        named = sorted({family.text for family in self.families if family is not None})
        return f"<InverseResult: {found}{'; ' + ', '.join(named) if named else ''}>"


def branch_names(solver: Solver, count: int, seed: Floats | None) -> list[str]:
    """One sign for each two-way choice of the closed form."""
    roles = solver.plan.roles
    if solver.closed is None:
        return [f"solution {i + 1}" for i in range(count)]
    each = 2 ** len(roles)
    signs = product("+−", repeat=len(roles))
    names = [", ".join(f"{role} {sign}" for role, sign in zip(roles, choice, strict=True)) for choice in signs]
    if count == each:
        return [name or "only" for name in names]
    sets = count // each
    return [f"{solver.plan.parameter} {s + 1} of {sets}: {name}" for s in range(sets) for name in names]


@dataclass(frozen=True)
class InverseBatch:
    """Many poses: `q` (…, branches, dof) and the mask `valid` (…, branches); where it is false `q` means nothing."""

    q: Floats
    valid: Any
    residual: Floats

    @staticmethod
    def from_raw(solver: Solver, T: Floats, seed: Floats | None, raw: Raw, lead: tuple[int, ...]) -> InverseBatch:
        """The closed form as it stands where it is calm; a closer look at the other poses."""
        q, valid = raw.q, raw.valid > 0
        residual = np.full(valid.shape, np.nan)
        rows = np.flatnonzero(~(raw.calm > CALM))
        if rows.size:
            close = refined(solver, T[rows], Raw(*(part[rows] for part in raw)))
            q[rows], residual[rows], valid[rows] = close.q, close.residual, close.reached & (close.twin < 0)
        if solver.limited or seed is not None:
            q = wound(q, solver.turning, solver.low, solver.high, seed)
            valid &= (margins(q, solver.low, solver.high) >= -INSIDE).all(-1)
        return InverseBatch(q.reshape(*lead, *q.shape[1:]), valid.reshape(*lead, -1), residual.reshape(*lead, -1))

    @staticmethod
    def from_rows(rows: list[Answers], lead: tuple[int, ...], dof: int) -> InverseBatch:
        """Answers of poses solved one by one, side by side."""
        most = max((len(row.q) for row in rows), default=0)
        q, valid = np.full((len(rows), most, dof), np.nan), np.zeros((len(rows), most), dtype=bool)
        residual = np.full((len(rows), most), np.nan)
        for i, row in enumerate(rows):
            k = len(row.q)
            q[i, :k], valid[i, :k], residual[i, :k] = row.q, row.valid, row.residual
        return InverseBatch(q.reshape(*lead, most, dof), valid.reshape(*lead, most), residual.reshape(*lead, most))
