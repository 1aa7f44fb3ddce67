"""The best way along a path, over samples of swivels and spins that become finer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solveh_banded

from manipula.algebra.run.texts import machine_code
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import TURN, Bits, Floats, principal
from manipula.ik.numeric.poses import scale_jacobian
from manipula.ik.numeric.tolerances import LimitTolerance, PathTolerance
from manipula.ik.numeric.turns import ENDLESS, HIGH, LOW, PERIOD, SLOTS, raise_rows, top_turns
from manipula.ik.path_branches import PathBranches, Rows, joined_rows
from manipula.ik.path_graph import FAR, cheapest

MOST_TURNS = 4  # of a joint: limits further apart are narrowed about the start
SPINS, SWIVELS = 24, 24  # samples at first, over a whole turn
FEW = 12  # of each, where both are free or there is no closed form
FINER = 5  # samples about the way, in each round
ROUNDS, SOME = 4, 2  # of all samples, and of those between knots
NARROWER = 0.4  # of the distance between samples, from round to round
PARTS = (0.25, 0.5, 1.0)  # of a step that smooths
LONGEST = 0.5  # rad, m: a step that smooths
KNOTS, APART = 20, 32  # poses that are searched for all others, at least, and how many are left out between them
LONG = 400  # poses
CROWDED = 64  # rows a pose in the mean, from where their order pays
CLOSE = 0.3  # rad: rows nearer than this are counted as near, to choose the joint that orders them


@dataclass(frozen=True)
class Way:
    """The best way: the row it takes at each pose, its configurations, its jumps, and its travel or worst −margin."""

    rows: NDArray[np.int64]
    q: Floats
    jumps: int
    cost: float


class BranchGraph:
    """Rows of configurations (rows, dof), those of pose i from `first[i]` to `first[i + 1]`, and the arm's limits.

    Every pose has a row. `start` also says about which turn limits that are many turns apart are narrowed.
    """

    def __init__(
        self, q: Floats, first: NDArray[np.int64], turning: Bits, low: Floats, high: Floats, start: Floats | None = None
    ) -> None:
        dof = q.shape[-1]
        self.start = start
        centre = np.zeros(dof) if start is None else start
        half = MOST_TURNS / 2 * TURN
        endless = turning & np.isinf(low) & np.isinf(high)
        # limits many turns apart: as many turns about the start as a seam may need
        wide = turning & ~endless & (high - low > 2 * half)
        middle = np.clip(centre, np.where(wide, low + half, -np.inf), np.where(wide, high - half, np.inf))
        low, high = np.where(wide, middle - half, low), np.where(wide, middle + half, high)
        # a slide without limits has no turns to choose from, and no end to keep away from
        endless |= ~turning & np.isinf(low) & np.isinf(high)
        slotted = turning & ~endless
        span = np.where(slotted, high - low, 0.0)
        # a whole number of turns apart: the last turn is there on the limit alone, and has a row of its own
        slots = np.where(slotted, np.maximum(1.0, np.ceil(span / TURN - LimitTolerance.INSIDE)), 1.0)
        self.joints = np.array([np.where(turning, TURN, 0.0), slots, endless.astype(float), low, high])
        counts = slots.astype(np.int64)
        self.turns = np.stack(np.unravel_index(np.arange(int(counts.prod())), counts), -1).astype(np.int64)
        base = principal(q, turning & endless) if (turning & endless).any() else q
        raised = np.array(base, order="C")
        machine_code(raise_rows)(len(q), dof, raised.reshape(-1), self.joints.reshape(-1))
        self.q, self.first, self.source = _with_ends(raised, first, slotted, low, high, slots)
        self.keys, self.period = self._in_order(turning)
        self.tops = np.empty(self.q.shape, dtype=np.int64)
        machine_code(top_turns)(len(self.q), dof, self.q.reshape(-1), self.joints.reshape(-1), self.tops.reshape(-1))

    def _in_order(self, turning: Bits) -> tuple[Floats, float]:
        """Rows by the joint that parts the rows of a pose best: their keys, and its period. Few stay as they are."""
        layers = len(self.first) - 1
        if len(self.q) < CROWDED * layers or not turning.any():
            return np.zeros(len(self.q)), FAR
        some = np.linspace(0, layers - 1, min(layers, 4)).astype(int)
        near = np.zeros(self.q.shape[1])
        for i in some:
            rows = self.q[self.first[i] : self.first[i + 1]]
            rows = rows[:: 1 + len(rows) // 64]
            near += (np.abs(principal(rows[:, None] - rows, turning)) < CLOSE).mean((0, 1))
        keys = np.mod(self.q[:, np.argmin(np.where(turning, near, np.inf))], TURN)
        order = np.lexsort((keys, np.repeat(np.arange(layers), np.diff(self.first))))
        self.q, self.source = np.ascontiguousarray(self.q[order]), self.source[order]
        return np.ascontiguousarray(keys[order]), TURN

    def best(self, max_step: float, own: Floats | None = None) -> Way:
        """The way of fewest jumps, then of least travel; with margins of rows, first of the largest least margin."""
        if own is None:
            return self._run(max_step, np.full(len(self.source), FAR), False, -FAR)
        margin = own[self.source]
        widest = self._run(max_step, margin, True, -FAR)
        # what the worst pose allows, the others need not exceed: among such ways the shortest
        way = self._run(max_step, margin, False, -widest.cost)
        return Way(way.rows, way.q, way.jumps, widest.cost)

    def _run(self, max_step: float, own: Floats, by_margin: bool, least: float) -> Way:
        dof, each, layers = self.q.shape[1], len(self.turns), len(self.first) - 1
        ahead, rest, back = (np.empty(len(self.q) * each, dtype=np.int64) for _ in range(3))
        cost = np.empty(len(self.q) * each)
        start = np.zeros(dof) if self.start is None else np.ascontiguousarray(self.start, dtype=float)
        last = machine_code(cheapest)(
            layers, dof, each, self.first, self.q.reshape(-1), np.ascontiguousarray(own), self.keys, self.period,
            self.turns.reshape(-1), self.joints.reshape(-1), self.tops.reshape(-1), max_step, by_margin, least,
            self.start is not None, start, ahead, rest, cost, back,
        )  # fmt: skip
        states = np.empty(layers, dtype=np.int64)
        state = int(last)
        for i in range(layers - 1, -1, -1):
            states[i] = state
            state = int(back[state])
        rows = states // each
        q = self.q[rows] + self.turns[states % each] * self.joints[PERIOD]
        return Way(self.source[rows], self._centred(self._unwound(q)), int(ahead[last]), float(cost[last]))

    def _unwound(self, q: Floats) -> Floats:
        """Endless joints on the turn nearest to the pose before, the first one to the start."""
        free = (self.joints[ENDLESS] > 0) & (self.joints[PERIOD] > 0)
        if free.any():
            angles = q[:, free] if self.start is None else np.concatenate([self.start[None, free], q[:, free]])
            q[:, free] = np.unwrap(angles, axis=0)[len(angles) - len(q) :]
        return q

    def _centred(self, q: Floats) -> Floats:
        """The same way on other whole turns, each joint as far from its limits as may be: travel does not tell them
        apart. A start that is given has its turn."""
        slotted, low, high = self.joints[SLOTS] > 1, self.joints[LOW], self.joints[HIGH]
        if self.start is not None or not slotted.any():
            return q
        turns = np.array(sorted(range(-MOST_TURNS, MOST_TURNS + 1), key=abs))  # of two alike the one that was found
        shifts = turns[:, None] * self.joints[PERIOD]
        margins = np.minimum(q.min(0) - low + shifts, high - q.max(0) - shifts)
        best = np.take_along_axis(shifts, np.argmax(margins, axis=0)[None], axis=0)[0]
        return q + np.where(slotted, best, 0.0)


def _with_ends(
    q: Floats, first: NDArray[np.int64], slotted: Bits, low: Floats, high: Floats, slots: Floats
) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """The rows, and again those with a joint on its lower limit that may stand on the upper one as well."""
    source = np.arange(len(q))
    layer = np.repeat(np.arange(len(first) - 1), np.diff(first))
    for j in np.flatnonzero(slotted):
        last = q[:, j] + slots[j] * TURN
        twice = last <= high[j] + LimitTolerance.INSIDE
        if twice.any():
            more = q[twice].copy()
            # one turn higher, so that its last turn is the one on the upper limit
            more[:, j] += TURN
            q = np.concatenate([q, more])
            source, layer = np.concatenate([source, source[twice]]), np.concatenate([layer, layer[twice]])
    order = np.argsort(layer, kind="stable")
    counts = np.bincount(layer, minlength=len(first) - 1)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return np.ascontiguousarray(q[order]), offsets, source[order]


class Search:
    """The best way, over samples that become finer."""

    def __init__(self, branches: PathBranches, max_step: float, by_margin: bool, spinning: bool) -> None:
        self.branches, self.max_step, self.by_margin = branches, max_step, by_margin
        solver, n = branches.solver, len(branches.given)
        self.swinging = solver.parameter.exists
        both = (spinning and self.swinging) or solver.closed is None
        # samples further apart than a step would be islands
        most = min(72, int(np.ceil(2 * TURN / max_step)))
        count = FEW if both else max(SPINS, most)
        spins = -np.pi + TURN * np.arange(count) / count
        low, high = solver.parameter.ends if self.swinging else (0.0, 0.0)
        own = FEW if both else max(SWIVELS, most)
        swivels = low + (high - low) * (np.arange(own) + 0.5) / own
        first = [] if branches.seed is None or not self.swinging else [solver.parameter_of(branches.seed)]
        swivels = np.concatenate([first, swivels])
        self.width = (high - low) / own, TURN / count
        self.samples: tuple[Floats | None, Floats | None] = (
            np.tile(swivels, (n, 1)) if self.swinging else None,
            # no spin at all is the first sample: where it does no harm the tool stays as it is given
            np.tile(np.roll(spins, -(count // 2)), (n, 1)) if spinning else None,
        )

    def best(self) -> tuple[Rows, Way] | None:
        if all(sample is None for sample in self.samples):
            rows = self.branches.rows(None, None)
            return self._way(rows) if len(rows) else None
        found = self._between_knots()
        if found is not None:
            return found
        rows = self.branches.rows(*self.samples)
        if not len(rows):
            return None
        return self._rounds(self._way(rows), ROUNDS)

    def _rounds(self, found: tuple[Rows, Way], count: int) -> tuple[Rows, Way]:
        width = np.array(self.width)
        for _ in range(count):
            found = self._finer(found, self._about(found, width), self._smoothed(found))
            width = width * NARROWER
        return found

    def _finer(self, found: tuple[Rows, Way], *samples: list[Floats | None]) -> tuple[Rows, Way]:
        """The best way over its own configurations and those of more samples."""
        chosen = found[0].take(found[1].rows)
        return self._way(joined_rows([chosen, *(self._near(chosen, values) for values in samples)]))

    def _between_knots(self) -> tuple[Rows, Way] | None:
        """By the best way through a few of many poses: the swivels and spins between them lead through all poses.

        No way has fewer jumps than none; where there is one, or too few poses, None. A pose that is not reached so is
        sampled as any other.
        """
        n = len(self.branches.given)
        if n < 4 * KNOTS:
            return None
        knots = np.linspace(0, n - 1, max(KNOTS, n // APART)).astype(np.int64)
        found = Search(self.branches.part(knots), self.max_step, self.by_margin, self.samples[1] is not None).best()
        if found is None or found[1].jumps:
            return None
        chosen = found[0].take(found[1].rows)
        full = self.branches.solver.parameter.turns_around, True
        values = [
            None if sample is None else _between(knots[chosen.pose], value, n, around)[:, None]
            for sample, value, around in zip(self.samples, (chosen.swivel, chosen.spin), full, strict=True)
        ]
        rows = self.branches.rows(*values)
        lost = np.setdiff1d(np.arange(n), rows.pose)
        if lost.size:
            more = self.branches.part(lost).rows(*(None if sample is None else sample[lost] for sample in self.samples))
            rows = joined_rows([rows, replace(more, pose=lost[more.pose])])
        found = self._way(rows)
        if found[1].jumps:
            return None
        found = self._finer(found, self._smoothed(found))
        # poses of a long seam are so close together that smoothness was all there is to gain
        return found if n > LONG else self._rounds(found, SOME)

    def _values(self, chosen: Rows) -> list[Floats | None]:
        """The swivels and spins of the way at every pose; one that it does not reach has those of the next."""
        place = np.searchsorted(chosen.pose, np.arange(len(self.branches.given))).clip(0, len(chosen) - 1)
        pairs = zip(self.samples, (chosen.swivel, chosen.spin), strict=True)
        return [None if sample is None else value[place] for sample, value in pairs]

    def _about(self, found: tuple[Rows, Way], width: Floats) -> list[Floats | None]:
        """Finer samples about the way."""
        chosen = found[0].take(found[1].rows)
        fan = np.linspace(-1.0, 1.0, FINER)
        pairs = zip(self._values(chosen), width, strict=True)
        return [None if value is None else value[:, None] + step * fan for value, step in pairs]

    def _smoothed(self, found: tuple[Rows, Way]) -> list[Floats | None]:
        """Samples towards the way that minimises Σ|Δq|² to first order: steps along a grid would not shorten it.

        With ∂q/∂x = g, the changes δ of a spin or swivel x solve the tridiagonal normal equations of
        Δqᵢ + gᵢ₊₁ δᵢ₊₁ − gᵢ δᵢ.
        """
        rows, way = found
        chosen = rows.take(way.rows)
        values = self._values(chosen)
        made: list[Floats | None] = []
        for k, value in enumerate(values):
            if value is None:
                made.append(None)
                continue
            change = np.zeros(len(value))
            change[chosen.pose] = _smoothing_steps(way.q, self._slopes(chosen, way.q, k))
            made.append(value[:, None] + change[:, None] * np.array(PARTS))
        return made

    def _slopes(self, chosen: Rows, q: Floats, k: int) -> Floats:
        """∂q by the swivel (k = 0) or the spin (k = 1), by a difference along the branch."""
        values = [None if value is None else value[:, None] for value in self._values(chosen)]
        moved = values[k]
        assert moved is not None
        values[k] = moved + PathTolerance.TICK
        beside, turning = self._near(chosen, values), self.branches.solver.turning
        # the first row of each pose and branch, where there is one
        most = 1 + max(chosen.branch.max(initial=0), beside.branch.max(initial=0))
        names, rows = np.unique(beside.pose * most + beside.branch, return_index=True)
        wanted = chosen.pose * most + chosen.branch
        place = np.searchsorted(names, wanted).clip(0, max(len(names) - 1, 0))
        known = names[place] == wanted if len(names) else np.zeros(len(q), dtype=bool)
        slopes = np.zeros_like(q)
        slopes[known] = principal(beside.q[rows[place[known]]] - q[known], turning) / PathTolerance.TICK
        # beside a singularity, or from one branch to another that has its number: nothing to go by
        slopes[np.abs(slopes).max(-1) > PathTolerance.STEEP] = 0.0
        return slopes

    def _near(self, chosen: Rows, samples: Sequence[Floats | None]) -> Rows:
        """The configurations of some samples at poses that the way reaches."""
        rows = self.branches.rows(*samples)
        return rows.take(np.isin(rows.pose, chosen.pose))

    def _way(self, rows: Rows) -> tuple[Rows, Way]:
        solver = self.branches.solver
        graph = BranchGraph(rows.q, rows.bounds, solver.turning, solver.low, solver.high, self.branches.seed)
        own = least_singular_values(solver, rows.q) if self.by_margin else None
        return rows, graph.best(self.max_step, own)


def _between(places: NDArray[np.int64], values: Floats, n: int, around: bool) -> Floats:
    """Values at some of n poses → at all of them; those that go around take the shorter way."""
    if around:
        values = np.unwrap(values)
    return principal(np.interp(np.arange(n), places, values), np.array(around))


def _smoothing_steps(q: Floats, slopes: Floats) -> Floats:
    """The δ of `Search._smoothed`; damped, so that a pose whose joints do not move has no damping left."""
    n, gaps = len(q), np.diff(q, axis=0)
    if n < 2:
        return np.zeros(n)
    square = (slopes**2).sum(-1)
    bands = np.zeros((2, n))
    bands[1, 1:] += square[1:]
    bands[1, :-1] += square[:-1]
    bands[1] += PathTolerance.DAMPING
    bands[0, 1:] = -(slopes[1:] * slopes[:-1]).sum(-1)
    right = np.zeros(n)
    right[1:] -= (slopes[1:] * gaps).sum(-1)
    right[:-1] += (slopes[:-1] * gaps).sum(-1)
    # the slopes hold nearby only, and so does the step
    steps: Floats = solveh_banded(bands, right).clip(-LONGEST, LONGEST)
    return steps


def least_singular_values(solver: InverseSolver, q: Floats) -> Floats:
    """Of the Jacobian, lengths by the arm's size; the last that the arm's freedoms have."""
    if not len(q):
        return np.empty(0)
    J = scale_jacobian(solver.jacobian(q), solver.turning, solver.size)
    return np.asarray(np.linalg.svd(J, compute_uv=False)[:, min(solver.freedoms, 6) - 1], dtype=np.float64)
