"""What comes back: `InverseResult` for one pose, `InverseBatch` for many. Everything beyond the answers is lazy."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.ik import solver
from manipula.ik.branch_selection import (
    accepted_branches,
    order_branches,
    prefer_twins,
    refine_branches,
    seat_of,
    twins,
)
from manipula.ik.families import Family, family_at, nearest_members
from manipula.ik.numeric import newton
from manipula.ik.numeric.arrays import Bits, Floats, distances, margins, wound
from manipula.ik.numeric.tolerances import BranchTolerance, FamilyTolerance, LimitTolerance
from manipula.ik.numeric.walk import StandingTool
from manipula.support.text import html_table, plain


class Answers:
    """One pose, branch by branch, with reasons."""

    def __init__(
        self,
        solver: solver.Solver,
        T: Floats,
        seed: Floats | None,
        raw: solver.Raw,
        tolerance: float | None = None,
        parameter: Floats | None = None,
    ) -> None:
        self.solver, self.T, self.seed, self._parameter = solver, T, seed, parameter
        self._still = StandingTool(T, solver.pose, solver.jacobian, solver.turning)
        self.exact = solver.tolerances.exact if tolerance is None else tolerance
        close = refine_branches(solver, T[None], raw.row(), tolerance)
        self.q: Floats
        self.residual: Floats
        self.q, self.residual, self.reached = close.q[0], close.residual[0], close.reached[0]
        # a double root has a null direction as well, but the tool leaves the pose along it: no family
        self.families = self._families(self.reached & ~self._pair_double_roots(close.twin[0]))
        # before twins are looked for: members of one family that slide to the seed become one answer
        self._slide_to_seed()
        self.twin = twins(solver, T[None], self.q, self.reached, self.residual)
        self._seat_seed()
        # turns last: twins and families are measured without them
        self.q = wound(self.q, solver.turning, solver.low, solver.high, seed)
        self.margin = margins(self.q, solver.low, solver.high)
        inside: Bits = np.all(self.margin >= -LimitTolerance.INSIDE, axis=-1)
        # of two equal branches the one inside the limits must stay, whichever comes first
        self.twin = prefer_twins(self.twin, inside, self.q, seed)
        self.valid: Bits = self.reached & (self.twin < 0) & inside

    def adopt(self, q: Floats, valid: Bits) -> None:
        """What the quick way has decided stands: its answers are these, and a branch it left out is one of them."""
        # the quick way has already answered the caller: what is computed later must agree with it
        own = self.valid & ~valid
        self.q[valid], self.valid, self.reached = q[valid], valid, self.reached | valid
        self.residual[valid] = newton.residual(self.solver.pose(q[valid]), self.T)
        self.margin = margins(self.q, self.solver.low, self.solver.high)
        self.twin[valid] = -1
        places = np.flatnonzero(valid)
        for i in np.flatnonzero(own) if places.size else ():
            self.twin[i] = places[np.argmin(distances(self.q[places], self.q[i], self.solver.turning))]

    def _pair_double_roots(self, twin: NDArray[np.intp]) -> Bits:
        """The branches beside another between which the pose strays with the square: roots that have met and parted."""
        own, paired = np.flatnonzero(self.reached & (twin < 0)), np.zeros(len(self.q), dtype=bool)
        if len(own) < 2:
            return paired
        apart = distances(self.q[own, None], self.q[own], self.solver.turning)
        one, other = np.nonzero(np.tri(len(own), k=-1, dtype=bool) & (apart < BranchTolerance.NEARBY))
        if one.size:
            # on a family the pose strays nowhere; between two roots it strays with the square of their distance
            miss = self._still.between(self.q[own[one]], self.q[own[other]])
            met = miss > FamilyTolerance.SQUARE * apart[one, other] ** 2
            paired[own[one[met]]] = paired[own[other[met]]] = True
        return paired

    def _families(self, possible: Bits) -> list[Family | None]:
        """The family through each branch; only where the Jacobian is singular can there be one."""
        families: list[Family | None] = [None] * len(self.q)
        rows = np.flatnonzero(possible)
        # a redundant arm is on a family everywhere; its parameter names the member
        if self.q.shape[-1] > 6 or self.solver.plan.parameter or self.solver.plan.free or not rows.size:
            return families
        # the smallest singular value: only where it is small is a walk along a null direction worth its price
        least = np.linalg.svd(self.solver.jacobian(self.q[rows]), compute_uv=False)[:, -1]
        for i in rows[least < FamilyTolerance.NEAR]:
            families[i] = family_at(self.q[i], self._still, self.solver.plan.group)
        return families

    def _slide_to_seed(self) -> None:
        """The member of each family nearest to the seed and inside the limits, as long as it still is a solution."""
        places = [i for i, family in enumerate(self.families) if family is not None]
        families = [family for family in self.families if family is not None]
        if not families or (self.seed is None and not self.solver.limited):
            return
        # without a seed every member is as good as the one that was found
        best = [family.q for family in families] if self.seed is None else nearest_members(families, self.seed)
        for i, family, near in zip(places, families, best, strict=True):
            member = family.inside(self.solver.low, self.solver.high, self.seed, near)
            miss = float(newton.residual(self.solver.pose(member), self.T))
            # a walk rounds: a member that has lost the pose is no answer, and the branch stays where it was
            if miss <= self.exact:
                self.q[i], self.residual[i] = member, miss

    def _seat_seed(self) -> None:
        """A seed that is at the pose is an answer: where joints are hardly determined, the branch beside it is."""
        own = self.reached & (self.twin < 0)
        i = seat_of(self.solver, self.T, self.seed, self.q, own, self.exact, self._parameter)
        if i is not None and self.seed is not None:
            self.q[i], self.reached[i], self.twin[i] = self.seed, True, -1
            self.residual[i] = newton.residual(self.solver.pose(self.seed), self.T)

    @cached_property
    def why(self) -> list[str]:
        return [self._why(i, int(twin)) for i, twin in enumerate(self.twin)]

    def _why(self, i: int, twin: int) -> str:
        """Why a branch is not an answer; nothing for one that is."""
        if not self.reached[i]:
            return solver.lost_text(self.solver.away(self.T, self.solver.pose(self.q[i])))
        if twin >= 0:
            return solver.twin_text(twin, self.families[twin] is not None)
        return solver.outside_text(self.solver, self.q[i], LimitTolerance.INSIDE)

    @property
    def order(self) -> NDArray[np.intp]:
        return order_branches(self.q, self.valid, self.seed)

    @property
    def limits_text(self) -> str:
        """The limits that keep the arm from the solution that breaks them least; nothing where it is missing."""
        places = np.flatnonzero(self.reached & (self.twin < 0) & ~self.valid)
        if self.valid.any() or not places.size:
            return ""
        # the joint farthest outside decides: its limit is the one a user would have to move
        over = np.maximum(-self.margin[places], 0).max(-1)
        return solver.outside_text(self.solver, self.q[places[int(np.argmin(over))]], LimitTolerance.INSIDE)


class InverseResult:
    """Every solution of one pose.

    `q` are the answers (k, dof): distinct, inside the limits, nearest to the seed first; the pose of each is the one
    required in every entry to `tolerance`. `all`, `valid`, `why`, `branch`, `residual`, `margin`, `families` have one
    entry for each branch, answers or not; they are computed when requested.
    """

    def __init__(
        self,
        solver: solver.Solver,
        pose: Floats,
        q: Floats | None = None,
        seed: Floats | None = None,
        parameter: Floats | None = None,
        raw: solver.Raw | None = None,
        tolerance: float | None = None,
    ) -> None:
        self._solver, self.pose, self.seed, self._parameter = solver, pose, seed, parameter
        self._tolerance = tolerance
        self._settled, self._searched = q is not None, raw is not None
        if q is not None:
            self.q = q
        if raw is not None:
            self._raw = raw

    note = ""  # what an answer leaves free

    def accept_quick(self, q: Floats, valid: Bits) -> None:
        """Every branch and which are answers, where a quick way has told."""
        self._quick_branches = q, valid
        self.q = q[order_branches(q, valid, self.seed)]

    @cached_property
    def q(self) -> Floats:
        answers: Floats = self._answers.q[self._answers.order]
        return answers

    @cached_property
    def _quick_branches(self) -> tuple[Floats, Bits] | None:
        """Every branch and which are answers, where the quick way has told."""
        if not self._settled:
            return None
        accepted = accepted_branches(self._solver, self.pose.reshape(1, 16), self._parameter, self.seed)
        return accepted.q.reshape(-1, accepted.q.shape[-1]), accepted.valid.ravel()

    @cached_property
    def _raw(self) -> solver.Raw:
        return self._solver.raw(self.pose, self.seed, self._parameter)

    @cached_property
    def _answers(self) -> Answers:
        answers = Answers(self._solver, self.pose, self.seed, self._raw, self._tolerance, self._parameter)
        if self._quick_branches is not None:
            answers.adopt(*self._quick_branches)
        return answers

    def __len__(self) -> int:
        return len(self.q)

    @property
    def all(self) -> Floats:
        """Every branch, (branches, dof); without any, the nearest."""
        return self._answers.q

    @property
    def valid(self) -> Bits:
        """Which branches are answers."""
        return self._answers.valid

    @property
    def reached(self) -> bool:
        """Whether any branch reaches the pose, inside the limits or not."""
        return bool(self._answers.reached.any())

    @property
    def why(self) -> list[str]:
        """Why a branch is not an answer; an empty text for one that is."""
        return self._answers.why

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The places of the rows of `q` among the branches."""
        return self._answers.order if self._quick_branches is None else order_branches(*self._quick_branches, self.seed)

    @property
    def tolerance(self) -> float:
        """The largest entry of |FK − pose| that an answer may have (m, and rad to first order)."""
        return self._solver.tolerances.exact if self._tolerance is None else self._tolerance

    @property
    def residual(self) -> Floats:
        """The largest entry of |FK − pose| of each branch."""
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
        return solver.branch_names(self._solver, len(self._raw.q), self._searched)

    @cached_property
    def setting(self) -> list[str]:
        """The branches' names without the value of a redundant arm's parameter, which goes on from pose to pose."""
        return solver.setting_names(self._solver, len(self._raw.q), self._searched)

    @property
    def twin(self) -> NDArray[np.intp]:
        """The branch that each repeats, as a double root or in one family with it; −1 for none."""
        return self._answers.twin

    @cached_property
    def nearest(self) -> solver.Nearest:
        """The least-squares answer: for a pose out of reach the best there is, its distance, and what it lacks.

        Where there are answers it is one of them, and only then the reason is "reached".
        """
        if len(self.q):
            away = np.sqrt(((self._solver.pose(self.q) - self.pose) ** 2).sum((-1, -2)))
            # among answers that all meet the pose, rounding must not outvote the seed's order
            best = int(np.argmin(away)) if away.min() > self._solver.tolerances.good else 0
            return solver.Nearest(self.q[best], float(away[best]), solver.MET)
        nearest = self._solver.nearest(self.pose, self.seed)
        return nearest if nearest.reason != solver.MET else nearest._replace(reason=self._not_reached(nearest))

    def as_dict(self) -> dict[str, object]:
        """The answers in their order, every branch with its verdict, and the nearest pose where there is no answer."""
        ranks = {int(place): rank for rank, place in enumerate(self.order, 1)}
        entries: dict[str, object] = plain(
            {
                "answers": self.q,
                "branches": [self._branch_as_dict(i) | {"answer": ranks.get(i)} for i in range(len(self.all))],
                "nearest": None if len(self.q) else self.nearest,
                "note": self.note,
            }
        )
        return entries

    def _branch_as_dict(self, i: int) -> dict[str, Any]:
        family = self.families[i]
        return {
            "name": self.branch[i],
            "q": self.all[i],
            "kept": self.valid[i],
            "why": self.why[i],
            "residual": self.residual[i],
            "margin": self.margin[i],
            "family": None if family is None else family.text,
        }

    def _not_reached(self, found: solver.Nearest) -> str:
        """What to say of a pose that the arm comes to as near as it likes, and of which there is no answer."""
        if self._solver.plan.parameter:
            return self._solver.elsewhere(found.q, self._parameter)
        at = self._solver.pose(found.q)
        return f"{solver.nearest_reason(self.pose, at, False, '')}, more than the tolerance {self.tolerance:.1e}"

    def _repr_html_(self) -> str:
        """Every branch, the answers numbered in their order."""
        ranks = {int(place): str(rank) for rank, place in enumerate(self.order, 1)}
        heads = ("answer", "branch", *(f"q{i + 1}" for i in range(self.all.shape[-1])), "why not")
        rows = [
            (ranks.get(i, ""), self.branch[i], *(f"{x:.6g}" for x in self.all[i]), self.why[i])
            for i in range(len(self.all))
        ]
        return html_table(heads, rows, repr(self).strip("<>"))

    def __repr__(self) -> str:
        count = f"{len(self.q)} of {len(self._raw.q)} branches"
        named = sorted({family.text for family in self.families if family is not None})
        return f"<InverseResult: {count}{'; ' + ', '.join(named) if named else ''}>"


class InverseBatch:
    """Many poses: `q` (…, branches, dof) and the mask `valid` (…, branches); where it is false `q` means nothing.

    At a singular pose `q` has one member of each family, the closed form's own.
    """

    def __init__(self, solver: solver.Solver, pose: Floats, q: Floats, valid: Bits) -> None:
        self._solver, self.pose, self.q, self.valid = solver, pose, q, valid

    def as_dict(self) -> dict[str, object]:
        entries: dict[str, object] = plain(
            {"pose": self.pose, "q": self.q, "valid": self.valid, "residual": self.residual}
        )
        return entries

    @cached_property
    def residual(self) -> Floats:
        """The largest entry of |FK − pose|, (…, branches)."""
        return newton.residual(self._solver.pose(self.q), self.pose[..., None, :, :])

    def __repr__(self) -> str:
        lead = "×".join(map(str, self.valid.shape[:-1]))
        return f"<InverseBatch: {lead} poses, {int(self.valid.sum())} answers, {self.valid.shape[-1]} branches>"
