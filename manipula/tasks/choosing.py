"""Which branches of a closed form are answers: checked, told apart, wound into their limits.

`chosen` does the plain work for many poses, in machine code where there is some; what it leaves open gets a closer look
(`refined`): polished first and accepted after.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.tasks import newton
from manipula.tasks.arrays import Bits, Floats
from manipula.tasks.limits import SLACK, TURN, distances, margins, principal, wound
from manipula.tasks.search import EXACT, SAME
from manipula.tasks.solver import Chosen, Raw, Solver
from manipula.tasks.walk import Still

CLEAN = 1e-13  # defect of a pose that is only rounding
CALM = 1e-8  # above this `fit` no two branches meet and nothing is undetermined
FAMILY = 1e-18  # above this `fit` a branch is alone: only beside a lock this close can answers form a family
ALMOST = -1e-6  # a branch this far out of reach may have been lost by rounding
GOOD = 1e-13  # residual of a branch that needs no polish, for an arm of 1 m
NEARBY = 1e-3  # a branch that misses by less is worth a polish, and two this close may be one
ONE = 2e-15  # two answers between which the pose is missed by less are one double root
INSIDE = 1e-9  # a joint this far past its limit is on it


def interval_rows(solver: Solver) -> dict[str, Floats]:
    """The limits, as machine code wants them: one number a joint."""
    period = np.where(solver.turning, TURN, 0.0)
    return {
        "low_turn": solver.low - SLACK, "high_turn": solver.high + SLACK,
        "low": solver.low - INSIDE, "high": solver.high + INSIDE,
        "period": period, "per": np.where(solver.turning, 1 / TURN, 0.0),
    }  # fmt: skip


def tolerances(solver: Solver) -> dict[str, float]:
    return {
        "clean": CLEAN, "calm": CALM, "almost": ALMOST, "good": GOOD * solver.size, "same": SAME, "nearby": NEARBY,
        "family": FAMILY,
    }  # fmt: skip


def chosen(solver: Solver, T: Floats, parameter: Floats | None, seed: Floats | None) -> Chosen:
    """The answers to poses (n, 16), and which want a closer look. Of T or `parameter`, one row may stand for all."""
    if solver.native is not None:
        return Chosen(*solver.native.many(T, parameter, seed))
    raw = closed_rows(solver, T, parameter)
    q = wound(raw.q, solver.turning, solver.low, solver.high, seed)
    valid = (raw.valid > 0) & (margins(q, solver.low, solver.high) >= -INSIDE).all(-1)
    return Chosen(q, valid, ~((raw.calm > CALM) & (raw.defect <= CLEAN)))


def closed_rows(solver: Solver, T: Floats, parameter: Floats | None) -> Raw:
    """The closed form of poses (n, 16)."""
    if parameter is None:
        return Raw(*solver.closed(T))
    n = max(len(T), len(parameter))
    return Raw(*solver.closed(np.broadcast_to(T, (n, 16)), np.broadcast_to(parameter, n)[:, None]))


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
    # beside a locked wrist rounding alone can put a branch out of reach: whatever is close is polished
    close = (raw.fit > ALMOST) | (worst < NEARBY) & ~(raw.calm > CALM)[:, None]
    near = close & (worst > newton.POLISHED) & _rough(solver, q, worst, close, raw.calm)[:, None]
    if near.any():
        target = np.broadcast_to(pose, (*near.shape, 4, 4))[near]
        q[near], worst[near] = newton.polished(q[near], target, solver.pose, solver.jacobian)
    reached = worst <= EXACT * solver.size
    return Refined(q, worst, reached, twins(solver, pose, q, reached))


def _rough(solver: Solver, q: Floats, worst: Floats, close: Bits, calm: Floats) -> Bits:
    """The poses with a branch that misses, or with two that may be one; the others are right as they stand."""
    good = worst <= GOOD * solver.size
    unsure = _pairs(solver, q, good)[1].any((-1, -2))
    rough: Bits = (close & ~good).any(-1) | (unsure & ~(calm > CALM))
    return rough


def _pairs(solver: Solver, q: Floats, reached: Bits) -> tuple[Bits, Bits]:
    """Of every two branches, the earlier second: whether they are the same; whether they may be one double root."""
    apart = distances(q[..., :, None, :], q[..., None, :, :], solver.turning)
    both = np.tri(q.shape[-2], k=-1, dtype=bool) & reached[..., None, :] & reached[..., :, None]
    return both & (apart < SAME), both & (apart >= SAME) & (apart < NEARBY)


def twins(solver: Solver, pose: Floats, q: Floats, reached: Bits) -> NDArray[np.intp]:
    """For every branch the first one before it that is the same solution, else −1."""
    if not q.shape[-2]:
        return np.zeros(reached.shape, dtype=np.intp)
    same, unsure = _pairs(solver, q, reached)
    if unsure.any():
        *lead, one, other = np.nonzero(unsure)
        still = Still(pose[(*lead, np.zeros_like(one))], solver.pose, solver.jacobian, solver.turning)
        same[unsure] = still.between(q[(*lead, one)], q[(*lead, other)]) < ONE * solver.size
    return np.where(same.any(-1), same.argmax(-1), -1)


def ordered(q: Floats, valid: Bits, seed: Floats | None) -> NDArray[np.intp]:
    """The answers' places among the branches, nearest to the seed first."""
    places = np.flatnonzero(valid)
    if seed is None or not places.size:
        return places
    squares = np.cumsum((q[places] - seed) ** 2, axis=1)[:, -1]  # in the order of the joints, as machine code has it
    return places[np.argsort(squares, kind="stable")]
