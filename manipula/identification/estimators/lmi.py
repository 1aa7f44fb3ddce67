"""Least squares over physically consistent bodies, exactly: a semidefinite programme, by cvxpy and Clarabel.

    min ‖R x − z‖²   such that   X_i ⪰ 0,  y ≥ 0        ‖R x − z‖² the weighted squares of the recording

Without a prior many bodies are as good; the solver gives one of them, on the boundary of consistency. Source: C. D.
Sousa, R. Cortesão, "Physical feasibility of robot base inertial parameter identification: a linear matrix inequality
approach", International Journal of Robotics Research 33(6), 2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.identification.data import Data
from manipula.identification.estimators.normal import Normal, factor_of, normal_from
from manipula.identification.estimators.prior import SYMMETRIC, Prior

Array = NDArray[np.float64]


def lmi(data: Data, prior: Prior, weights: Array) -> Array:
    """θ; the prior gives coordinates, nothing else."""
    return lmi_from(normal_from(data.fit, weights), prior)


def lmi_from(normal: Normal, prior: Prior, weight: float = 0.0) -> Array:
    """θ of normal equations; a weight adds the entropic prior, to compare with."""
    solver = _solver()
    own = normal.in_coordinates(prior.transform)
    R, z = factor_of(own)
    unit = max(np.sqrt(max(own.cost(prior.start), 0.0) / max(own.rows, 1)), 1e-300)  # so that numbers are about one
    x = solver.Variable(prior.size)
    bodies = [_matrix(x, columns) for columns in prior.bodies]
    limits = [body >> 0 for body in bodies] + ([x[prior.positive] >= 0] if len(prior.positive) else [])
    objective = solver.sum_squares((R / unit) @ x - z / unit)
    if weight > 0:
        objective += weight / unit**2 * _bracket(solver, prior, x, bodies)
    problem = solver.Problem(solver.Minimize(objective), limits)
    try:
        problem.solve(solver="CLARABEL")
    except solver.SolverError as error:
        raise InputError("method 'lmi': the solver gave up: {error}", error) from error
    if x.value is None:
        raise InputError("method 'lmi': the solver found no parameters ({status})", problem.status)
    return np.asarray(prior.transform @ np.asarray(x.value, float))


def _solver() -> Any:
    try:
        import cvxpy
    except ImportError as error:
        raise InputError(
            "method 'lmi' asks for cvxpy and clarabel, which are not installed: pip install manipula[identify]; "
            "method 'entropic' needs neither"
        ) from error
    return cvxpy


def _matrix(x: Any, columns: NDArray[np.intp]) -> Any:
    return sum(x[int(k)] * SYMMETRIC[i] for i, k in enumerate(columns))


def _bracket(solver: Any, prior: Prior, x: Any, bodies: list[Any]) -> Any:
    """The entropic prior's Σ −log det X + tr X + …, see `entropic`."""
    found = sum((solver.trace(body) - solver.log_det(body) for body in bodies), 0)
    if len(prior.positive):
        found += solver.sum(x[prior.positive] - solver.log(x[prior.positive]))
    return found + (solver.sum_squares(x[prior.free]) if len(prior.free) else 0)
