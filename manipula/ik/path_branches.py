"""The configurations at every pose of a path: branches, swivels of a redundant arm, spins of a symmetric tool."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.ik.branch_selection import accepted_branches, closed_rows, refine_branches, refine_rows, settled_poses
from manipula.ik.families import Family, nearest_members
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import Bits, Floats, distances, margins, principal, wound
from manipula.ik.numeric.newton import residual
from manipula.ik.numeric.poses import checked_poses
from manipula.ik.numeric.reach import ReachBound, reach_bound
from manipula.ik.numeric.tolerances import BranchTolerance, FamilyTolerance, LimitTolerance
from manipula.ik.solver import AcceptedBranches
from manipula.ik.without_closed_form import paired_solutions, side_by_side

Places = NDArray[np.int64]


def spin_poses(T: Floats, angle: Floats) -> Floats:
    """The poses turned about their own z axes."""
    turned = T.copy()
    c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
    turned[..., :3, 0], turned[..., :3, 1] = (
        c * T[..., :3, 0] + s * T[..., :3, 1],
        c * T[..., :3, 1] - s * T[..., :3, 0],
    )
    return turned


@dataclass
class Rows:
    """Configurations (rows, dof): the pose of each, its branch, its swivel and its spin."""

    q: Floats
    pose: Places
    branch: Places
    swivel: Floats
    spin: Floats

    def __len__(self) -> int:
        return len(self.q)

    def take(self, rows: NDArray[Any]) -> Rows:
        return Rows(self.q[rows], self.pose[rows], self.branch[rows], self.swivel[rows], self.spin[rows])

    @cached_property
    def bounds(self) -> Places:
        """Where the rows of each pose that has some begin, and the end; rows are in the order of poses."""
        starts = np.flatnonzero(np.diff(self.pose, prepend=-1))
        return np.append(starts, len(self.pose)).astype(np.int64)

    @cached_property
    def reached(self) -> Places:
        """The poses that have rows."""
        return self.pose[self.bounds[:-1]]


def joined_rows(parts: list[Rows]) -> Rows:
    """In the order of poses."""
    pose = np.concatenate([part.pose for part in parts])
    order = np.argsort(pose, kind="stable")
    return Rows(
        np.concatenate([part.q for part in parts])[order], pose[order],
        np.concatenate([part.branch for part in parts])[order],
        np.concatenate([part.swivel for part in parts])[order], np.concatenate([part.spin for part in parts])[order],
    )  # fmt: skip


@dataclass
class PathBranches:
    """Of one arm and the poses (n, 4, 4) of a path."""

    solver: InverseSolver
    given: Floats
    tolerance: float | None = None
    seed: Floats | None = None
    T: Floats = field(init=False)
    _plain: AcceptedBranches | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Poses that are no poses are refused here, and those of few digits made exact."""
        solver, flat = self.solver, self.given.reshape(-1, 16)
        if solver.closed is None or self.tolerance is not None:
            self.T = checked_poses(self.given, self.tolerance)
            return
        # one value of a redundant arm’s parameter is enough to see which poses are given in few digits
        values = solver.parameter.fan()[:1] if solver.parameter.exists else None
        exact, accepted = settled_poses(solver, flat, values, None)
        self.T = exact.reshape(-1, 4, 4)
        if values is None:
            self._plain = accepted

    def part(self, places: Places) -> PathBranches:
        """Of some of the poses."""
        own = copy(self)
        own.given, own.T, own._plain = self.given[places], self.T[places], None
        own.__dict__.pop("calm", None)
        return own

    def rows(self, swivels: Floats | None, spins: Floats | None) -> Rows:
        """Every configuration inside the limits; of swivels and spins each pose has a row of values, (n, …)."""
        n, none = len(self.T), np.zeros((len(self.T), 1))
        swivel = none if swivels is None else swivels
        spin = none if spins is None else spins
        each = swivel.shape[1] * spin.shape[1]
        pose = np.repeat(np.arange(n), each)
        swivel_of = np.tile(swivel, spin.shape[1]).reshape(-1)
        spin_of = np.repeat(spin, swivel.shape[1], axis=1).reshape(-1)
        T = self.T if spins is None else spin_poses(self.T[pose], spin_of)
        T = T if len(T) == len(pose) else T[pose]
        found = self._found(T, None if swivels is None else swivel_of, each == 1 and spins is None)
        row, branch = np.nonzero(found.valid)
        made = Rows(found.q[row, branch], pose[row], branch, swivel_of[row], spin_of[row])
        return joined_rows([made, *self._members(made, T, pose, spin_of)]) if self._may_have_families else made

    def _found(self, T: Floats, swivel: Floats | None, plain: bool) -> AcceptedBranches:
        """The branches of poses (m, 4, 4), each with its swivel."""
        solver, flat = self.solver, T.reshape(-1, 16)
        if solver.closed is None:
            return self._searched(T, swivel)
        # each pose once, as it is: the first look at the path has answered already
        known = self._plain if plain else None
        found = accepted_branches(solver, flat, swivel, None) if known is None else known
        # the quick way knows the arm’s own tolerance alone
        unsettled = found.unsettled if self.tolerance is None else np.ones(len(flat), dtype=bool)
        rows = np.flatnonzero(unsettled)
        if rows.size:
            refine_rows(solver, flat[rows], None if swivel is None else swivel[rows], None, found, rows, self.tolerance)
        if solver.freedoms < 6:
            # axes in line may leave a joint to the position, of which a closed form for few joints says nothing
            lost = rows[~found.valid[rows].any(-1)]
            if len(lost) and not solver.loses_aligned_poses:
                # elsewhere a search, some milliseconds of it, would only miss again
                margin = closed_rows(solver, flat[lost], None if swivel is None else swivel[lost]).margin
                lost = lost[~(margin > BranchTolerance.MARGIN)]
            for i in lost:
                q = solver(T[i], self.seed, None, self.tolerance).q[: found.valid.shape[1]]
                found.q[i, : len(q)], found.valid[i, : len(q)] = q, True
        return found

    def _searched(self, T: Floats, swivel: Floats | None) -> AcceptedBranches:
        """Without a closed form: by elimination, or by search; nothing is asked of poses beyond the arm's reach."""
        solver = self.solver
        # what a wider tolerance takes may be further away
        near = np.flatnonzero((self.tolerance is not None) | self._reach.may_hold(T))
        asked = T[near]
        if swivel is None:
            batch = solver(asked, self.seed, None, self.tolerance)
            each = [q[valid] for q, valid in zip(batch.q, batch.valid, strict=True)]
        elif solver.general is not None and self.tolerance is None:
            each = paired_solutions(solver.general, solver, asked, swivel[near], self.seed)
        else:
            pairs = zip(asked, swivel[near], strict=True)
            each = [solver(t, self.seed, [x], self.tolerance).q for t, x in pairs]
        own, found = side_by_side(each, solver.chain.dof)
        q, valid = np.zeros((len(T), *own.shape[1:])), np.zeros((len(T), own.shape[1]), dtype=bool)
        q[near], valid[near] = own, found
        return AcceptedBranches(q, valid, np.zeros(len(T), dtype=bool))

    @cached_property
    def _reach(self) -> ReachBound:
        return reach_bound(self.solver.chain, self.solver.low, self.solver.high)

    # singular poses with infinitely many configurations

    @cached_property
    def calm(self) -> Floats:
        """How far branches are from meeting at each pose as it is given, as a discriminant."""
        if not self._may_have_families:
            return np.full(len(self.T), np.inf)
        margin: Floats = closed_rows(self.solver, self.T.reshape(-1, 16), None).margin
        return margin

    @property
    def _may_have_families(self) -> bool:
        solver = self.solver
        return solver.closed is not None and not solver.parameter.exists and solver.chain.dof <= 6

    def _members(self, made: Rows, T: Floats, pose: Places, spin: Floats) -> list[Rows]:
        """Of families at singular poses those members that are nearest to configurations of the poses beside them.

        A stretch of singular poses is gone through from both ends: what one pose has got leads to the next.
        """
        calm = self.calm if T is self.T else closed_rows(self.solver, T.reshape(-1, 16), None).margin
        places = np.flatnonzero(calm <= BranchTolerance.FAMILY)
        if not places.size:
            return []
        families = {int(i): self._families_at(T[i]) for i in places}
        at = {k: [i for i in families if pose[i] == k and families[i]] for k in np.unique(pose[places]).tolist()}
        parts: list[Rows] = []
        for step in (1, -1):
            lead, turned = np.empty((0, self.solver.chain.dof)), np.empty(0)
            # beside no pose, whichever way the path is gone through: the first stretch is entered anew
            last = -9
            for k in sorted(at, reverse=step < 0):
                if last != k - step:
                    lead, turned = self._entrance(made, k, k - step)
                grown = []
                for i in at[k]:
                    # of other spins another sample has the members
                    apart = np.abs(principal(turned - spin[i], np.array(True)))
                    near = lead[apart <= apart.min(initial=np.inf) + FamilyTolerance.WHOLE]
                    q, branch = self._nearest(families[i], T[i], near)
                    zero = np.zeros(len(q))
                    grown.append(Rows(q, np.full(len(q), k), branch, zero, zero + spin[i]))
                parts += grown
                lead = np.concatenate([lead[:0], *(part.q for part in grown)])
                turned, last = np.concatenate([turned[:0], *(part.spin for part in grown)]), k
        return parts

    def _entrance(self, made: Rows, k: int, beside: int) -> tuple[Floats, Floats]:
        """From where the first of a stretch of singular poses is entered: the pose beside it, else the start."""
        rows, beyond = made.pose == beside, made.q[made.pose == 2 * k - beside]
        if rows.any():
            q, spin = made.q[rows], made.spin[rows]
            if not len(beyond):
                return q, spin
            # a way through passes between the poses on both sides: halfway to the nearest configuration beyond
            gap = principal(beyond[None] - q[:, None], self.solver.turning)
            nearest = np.abs(gap).max(-1).argmin(-1)
            halfway = q + gap[np.arange(len(q)), nearest] / 2
            return np.concatenate([q, halfway]), np.concatenate([spin, spin])
        rows = made.pose == k
        if self.seed is None:
            return made.q[rows], made.spin[rows]
        spins = np.unique(made.spin[rows])
        seeds = np.repeat(self.seed[None], len(spins), axis=0)
        return np.concatenate([made.q[rows], seeds]), np.concatenate([made.spin[rows], spins])

    def _families_at(self, T: Floats) -> list[tuple[int, Family]]:
        """The families of a pose and the branch of each."""
        result = self.solver(T, None, None, self.tolerance)
        return [(i, family) for i, family in enumerate(result.families) if family is not None and result.valid[i]]

    def _nearest(self, families: list[tuple[int, Family]], T: Floats, lead: Floats) -> tuple[Floats, Places]:
        """For each of some configurations the nearest member of all families that is inside the limits."""
        solver, exact = self.solver, self.solver.tolerances.exact if self.tolerance is None else self.tolerance
        found: list[Floats] = []
        branch: list[int] = []
        for seed in lead:
            near = nearest_members([family for _, family in families], seed)
            inside = np.array([
                family.inside(solver.low, solver.high, seed, member)
                for (_, family), member in zip(families, near, strict=True)
            ])  # fmt: skip
            inside = wound(inside, solver.turning, solver.low, solver.high, seed)
            good = residual(solver.pose(inside), T) <= max(exact, FamilyTolerance.ALONG)
            good &= (margins(inside, solver.low, solver.high) >= -LimitTolerance.INSIDE).all(-1)
            if good.any():
                best = int(np.argmin(np.where(good, np.abs(inside - seed).sum(-1), np.inf)))
                # two configurations may lead to one member, which is one state of the graph
                known = distances(np.array(found), inside[best], solver.turning) if found else np.ones(1)
                if known.min() > BranchTolerance.SEATED:
                    found.append(inside[best])
                    branch.append(families[best][0])
        return np.reshape(found, (-1, solver.chain.dof)), np.array(branch, dtype=np.int64)

    # poses without a configuration

    def outside(self, places: Places, swivels: Floats | None, spins: Floats | None) -> tuple[Floats, Bits]:
        """Without an answer: the configuration that breaks the limits least, and whether one reaches the pose."""
        solver, dof = self.solver, self.solver.chain.dof
        best, reached = np.full((len(places), dof), np.nan), np.zeros(len(places), dtype=bool)
        if solver.closed is None:
            return best, reached
        fewest = np.full(len(places), np.inf)
        for value in [None] if swivels is None else swivels.T:
            for angle in [None] if spins is None else spins.T:
                T = self.T[places] if angle is None else spin_poses(self.T[places], angle[places])
                raw = closed_rows(solver, T.reshape(-1, 16), None if value is None else value[places])
                close = refine_branches(solver, T, raw, self.tolerance)
                q = wound(close.q, solver.turning, solver.low, solver.high, None)
                over = np.maximum(-margins(q, solver.low, solver.high), 0).max(-1)
                # a branch that misses the pose is no answer, however far inside the limits
                over = np.where(close.reached, over, np.inf)
                row = np.arange(len(places)), over.argmin(-1)
                better = over[row] < fewest
                best[better], fewest[better] = principal(q[row], solver.turning)[better], over[row][better]
        return best, np.isfinite(fewest)
