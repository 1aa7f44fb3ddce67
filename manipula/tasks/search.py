"""Numeric inverse kinematics: many starts at once. For arms without a closed form, and for poses out of reach."""

from __future__ import annotations

import numpy as np

from manipula.tasks import newton
from manipula.tasks.arrays import Floats
from manipula.tasks.limits import distances, principal
from manipula.tasks.solver import Solver

STARTS = 64
SAME = 1e-6
EXACT = 1e-12


def starts(solver: Solver, seed: Floats | None) -> Floats:
    """Configurations to start from: the seed, and a fixed spread inside the limits (the same in every run)."""
    rng = np.random.default_rng(20240229)
    reach = np.where(solver.turning, np.pi, solver.size)
    low, high = np.maximum(solver.low, -reach), np.minimum(solver.high, reach)
    spread = rng.uniform(low, np.maximum(high, low), (STARTS, solver.chain.dof))
    return spread if seed is None else np.concatenate([seed[None], spread])


def unique_solutions(solver: Solver, T: Floats, q: Floats) -> Floats:
    """Distinct exact solutions that damped least squares and Newton find from the starts."""
    far = np.full(q.shape[-1], np.inf)
    found = newton.nearest(q, T, solver.pose, solver.jacobian, -far, far)
    close = found.q[found.distance < 1e-3]
    polished, worst = newton.polished(close, T, solver.pose, solver.jacobian, steps=6)
    exact = principal(polished[worst <= EXACT * solver.size], solver.turning)
    kept: list[Floats] = []
    for x in exact:
        if all(distances(x, other, solver.turning) > SAME for other in kept):
            kept.append(x)
    return np.array(kept).reshape(-1, q.shape[-1])


def best_of(solver: Solver, found: newton.Nearest) -> tuple[Floats, float]:
    """The best of many ends: its configuration, angles plain where the limits allow, and its distance."""
    i = int(np.argmin(found.distance))
    q = principal(found.q[i], solver.turning)
    return np.where((q < solver.low) | (q > solver.high), found.q[i], q), float(found.distance[i])
