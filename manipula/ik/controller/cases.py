"""Cases for the self-test of the nearest solution: inputs, and what Python finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from manipula.algebra.emit.choice import Case
from manipula.ik.controller.nearest import FAR, LIMITS, NO_POSE, OK, UNREACHABLE
from manipula.ik.inverse import InverseSolver
from manipula.ik.numeric.arrays import Floats
from manipula.ik.numeric.limits import distances
from manipula.ik.numeric.measures import sampled
from manipula.ik.numeric.poses import checked_poses
from manipula.ik.numeric.tolerances import NearestTolerance, PoseTolerance, SingleTolerance

CASES = 4
SINGULAR_CASES = 2
DECIMALS = 4
NEAR = NearestTolerance.NEAR
SLACK = NearestTolerance.SLACK
BISECTIONS = 60
CLEAR = SingleTolerance.CLEAR


def self_test_cases(solver: InverseSolver) -> Iterator[Case]:
    """Poses with a clear solution, one of them rounded, one with a step too long; singular ones; poses without one."""
    q = sampled(solver.low, solver.high, solver.turning, solver.size)
    away = np.random.default_rng(5).uniform(-1.0, 1.0, q.shape)
    clear = (_clear(solver, x, x + 0.3 * by) for x, by in zip(q, away, strict=True))
    found = list(islice((case for case in clear if case is not None), CASES))
    yield from found
    for case in found[:1]:
        yield from _guarded(case)
        yield from _rounded(solver, case)
    yield from islice(_singular(solver, q, away), SINGULAR_CASES)
    far = np.random.default_rng(6).uniform(-9.0, 9.0, q.shape)
    outside = (_refused(solver, x, y) for x, y in zip(far, q, strict=True) if solver.limited)
    yield from islice((case for case in outside if case is not None), 1)
    yield from _beyond(solver, q[0])


def _guarded(case: Case) -> Iterator[Case]:
    """The longest step a little longer than needed, and a little shorter."""
    step = max(abs(x - y) for x, y in zip(case.q, case.now, strict=True))
    yield replace(case, max_step=step + CLEAR)
    yield replace(case, max_step=max(step - CLEAR, CLEAR / 10), status=FAR, q=case.now)


def _rounded(solver: InverseSolver, case: Case) -> Iterator[Case]:
    """A pose of few decimals, which an arm of fewer than six freedoms does not reach."""
    if solver.freedoms < 6:
        return
    T = np.round(np.reshape(case.T, (4, 4)), DECIMALS)
    exact = checked_poses(T, PoseTolerance.ROTATION)
    found = solver(exact, seed=case.now, parameter=case.parameter or None)
    if len(found.q) and _apart(found.q, np.array(case.now), solver):
        yield replace(case, T=T.ravel().tolist(), q=found.q[0].tolist())


def _singular(solver: InverseSolver, q: Floats, away: Floats) -> Iterator[Case]:
    """Beside a singular configuration, where the nearest solution is one of a family or stands alone; and at it."""
    for x, by in zip(q, away, strict=True):
        at = None if solver.chain.dof != 6 or solver.freedoms < 6 else _singular_beside(solver, x)
        if at is None or np.minimum(at - solver.low, solver.high - at).min() < 10 * NEAR:
            continue
        T, now = solver.pose(at), at + NEAR * by
        found = solver(T, seed=now).q
        if len(found) and np.abs(found[0] - now).max() < 2 * NEAR:
            yield Case(T.ravel().tolist(), [], now.tolist(), OK, found[0].tolist(), slack=SLACK)
            yield Case(T.ravel().tolist(), [], at.tolist(), OK, at.tolist(), slack=SLACK)


def _singular_beside(solver: InverseSolver, q: Floats) -> Floats | None:
    """The fifth joint turned to where the determinant of the Jacobian changes its sign; None where it does not."""
    way = q + np.linspace(-1.5, 1.5, 7)[:, None] * np.eye(6)[4]
    signs = np.linalg.det(solver.jacobian(way)) > 0
    change = np.flatnonzero(signs[1:] != signs[:-1])
    if not change.size:
        return None
    first: Floats = way[change[0]]
    last: Floats = way[change[0] + 1]
    for _ in range(BISECTIONS):
        middle = (first + last) / 2
        if (np.linalg.det(solver.jacobian(middle)) > 0) == signs[change[0]]:
            first = middle
        else:
            last = middle
    return first


def _beyond(solver: InverseSolver, q: Floats) -> Iterator[Case]:
    """A pose far away, and what is none."""
    T, now, values = solver.pose(q), q.tolist(), _parameter(solver, q)
    T[:3, 3] += 20 * solver.size
    found = solver(T, seed=q, parameter=values or None)
    if not len(found.q):
        yield Case(T.ravel().tolist(), values, now, LIMITS if found.reached else UNREACHABLE, now)
    yield Case([*T.ravel().tolist()[:-1], 2.0], values, now, NO_POSE, now)


def _parameter(solver: InverseSolver, q: Floats) -> list[float]:
    return [solver.parameter_of(q)] if solver.parameter.exists else []


def _clear(solver: InverseSolver, q: Floats, now: Floats) -> Case | None:
    """The pose of q, asked for from elsewhere, where nothing is close to being undecided."""
    T, values = solver.pose(q), _parameter(solver, q)
    found = solver(T, seed=now, parameter=values or None)
    calm = solver.raw(T, None, np.array(values) if values else None).margin
    if not len(found.q) or calm < CLEAR or not _apart(found.q, now, solver):
        return None
    return Case(T.ravel().tolist(), values, now.tolist(), OK, found.q[0].tolist())


def _apart(q: Floats, now: Floats, solver: InverseSolver) -> bool:
    gaps = np.sort(((q - now) ** 2).sum(-1))
    inside = np.minimum(q[0] - solver.low, solver.high - q[0]).min() > CLEAR
    half = np.abs(np.abs(q[0] - now) - np.pi)[solver.turning]  # half a turn away either turn is as near
    return bool(inside and (len(gaps) < 2 or gaps[1] - gaps[0] > CLEAR) and half.min(initial=1.0) > CLEAR)


def _refused(solver: InverseSolver, q: Floats, now: Floats) -> Case | None:
    """A pose that only configurations outside the limits reach."""
    T, values = solver.pose(q), _parameter(solver, q)
    raw = solver.raw(T, None, np.array(values) if values else None)
    found = solver(T, seed=now, parameter=values or None)
    if len(found.q) or raw.margin < CLEAR or not (distances(raw.q, q, solver.turning) < CLEAR).any():
        return None
    over: Sequence[float] = [float(np.maximum(-x, 0).max()) for x in found.margin]
    return None if min(over) < CLEAR else Case(T.ravel().tolist(), values, now.tolist(), LIMITS, now.tolist())
