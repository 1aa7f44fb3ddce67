"""The entropic estimate: least squares under a log-determinant prior, by damped Newton. Convex, no solver needed.

    min_x  xᵀA x − 2bᵀx + c + λ [ Σ_i (−log det X_i + tr X_i) + Σ_positive (−log y + y) + Σ_free z² ]

in coordinates where the prior is X_i = 1, y = 1, z = 0 (`prior.transform`). The bracket is self-concordant, so that
Newton's steps, shortened where they would leave the cone, converge from anywhere (S. Boyd, L. Vandenberghe, "Convex
Optimization", 2004, section 9.6); a small λ is reached by way of larger ones, as interior-point methods do.

Source: T. Lee, P. M. Wensing, F. C. Park, IEEE Transactions on Robotics 36(2), 2020.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from manipula.errors import InputError
from manipula.identification.data import Data
from manipula.identification.estimators.normal import Normal, normal_from
from manipula.identification.estimators.prior import SYMMETRIC, Prior

Array = NDArray[np.float64]
STEPS = 200
DECREMENT = 1e-10  # of the objective in units of λ: far below what any digit of the result feels
ROUGH = 0.1  # for a stage on the way
FAR = 1e2  # a start with a larger decrement is approached by stages
STAGE = 20.0  # by which λ falls from one stage to the next
INSIDE = 0.95  # of the way to the edge of the cone


@dataclass(frozen=True)
class Barrier:
    """The bracket at a point: its value, gradient and the non-zero parts of its Hessian."""

    value: float
    gradient: Array
    of_bodies: Array  # (k, 10, 10)
    diagonal: Array  # (p,)


def entropic(data: Data, prior: Prior, weights: Array) -> Array:
    """θ under the prior, whose weight is λ."""
    if not prior.weight > 0:
        raise InputError("method='entropic' needs a prior; without one take method='lmi' or method='wls'")
    return entropic_from(normal_from(data.fit, weights), prior)


def entropic_from(normal: Normal, prior: Prior) -> Array:
    """θ of normal equations."""
    own = normal.in_coordinates(prior.transform)
    try:
        return prior.transform @ from_the_prior(own, prior, DECREMENT)
    except np.linalg.LinAlgError as error:
        raise InputError(
            "identify: bodies shrink to nothing: the recorded torques are many orders smaller than what the masses "
            "believed ask for; are they in N·m (N of joints that slide)?"
        ) from error


def from_the_prior(normal: Normal, prior: Prior, enough: float) -> Array:
    """The minimum in the prior's coordinates, from the prior itself: under weights above λ first, so that the way is
    short at every stage."""
    x = prior.start
    bracket, stages, weight = barrier(prior, x), list[float](), prior.weight
    while _fall(normal, prior, weight, x, bracket) > FAR:  # at the prior the bracket has no slope: it ends
        weight *= STAGE
        stages.append(weight)
    for weight in stages[::-1]:
        x = newton(normal, prior, weight, x, ROUGH)
    return newton(normal, prior, prior.weight, x, enough)


def _fall(normal: Normal, prior: Prior, weight: float, x: Array, bracket: Barrier) -> float:
    """The square of Newton's decrement."""
    gradient = 2 * (normal.A @ x - normal.b) / weight + bracket.gradient
    return float(gradient @ solved_by(hessian(normal.A / weight, prior, bracket), gradient))


def newton(normal: Normal, prior: Prior, weight: float, x: Array, enough: float) -> Array:
    """The minimum, from x inside the cone. The objective is divided by λ, which makes it self-concordant."""
    A, b = normal.A / weight, normal.b / weight

    def change(step: Array) -> float:
        """Of the objective along a step, in small numbers."""
        bracket = barrier_value(prior, x + step)
        return float(step @ (A @ (2 * x + step) - 2 * b)) + bracket - here

    for _ in range(STEPS):
        bracket = barrier(prior, x)
        gradient = 2 * (A @ x - b) + bracket.gradient
        step = -solved_by(hessian(A, prior, bracket), gradient)
        fall = -float(gradient @ step)
        if not fall > enough:
            return x
        here, length = bracket.value, min(1.0, INSIDE * room(prior, x, step))
        # outside the cone the change is infinite, and in this form NaN is refused, too
        while not change(length * step) <= -1e-4 * length * fall:
            length /= 2
            if length < 1e-9:  # rounding: nothing nearer can be distinguished
                return x
        x = x + length * step
    return x


def room(prior: Prior, x: Array, step: Array) -> float:
    """How many steps lead to the edge of the cone."""
    y, dy = x[prior.positive], step[prior.positive]
    # where no edge lies ahead there is room for as many steps as one likes
    nearest = [1e-300, *(-dy / y)]
    if len(prior.bodies):
        # with X = L Lᵀ: X + s dX is positive as long as 1 + s λ is, for the eigenvalues λ of L⁻¹ dX L⁻ᵀ
        root = np.linalg.inv(np.linalg.cholesky(bodies_at(prior, x)))
        seen = root @ bodies_at(prior, step) @ np.swapaxes(root, -1, -2)
        nearest.append(float(-np.linalg.eigvalsh(seen).min()))
    return float(1 / max(nearest))


def hessian(A: Array, prior: Prior, bracket: Barrier) -> Array:
    """2A + the bracket's."""
    H = 2 * A
    for columns, block in zip(prior.bodies, bracket.of_bodies):
        H[np.ix_(columns, columns)] += block
    H[np.diag_indices_from(H)] += bracket.diagonal
    return H


def solved_by(H: Array, right: Array) -> Array:
    try:
        return np.asarray(cho_solve(cho_factor(H, check_finite=False), right, check_finite=False))
    except LinAlgError:  # rounding of a Gram matrix far larger than the bracket
        jitter = 1e-13 * float(np.max(np.diag(H)))
        return np.asarray(np.linalg.lstsq(H + jitter * np.eye(len(H)), right, rcond=None)[0])


def bodies_at(prior: Prior, x: Array) -> Array:
    """X of every body."""
    return np.asarray(np.einsum("bk,kij->bij", x[prior.bodies], SYMMETRIC))


def barrier_value(prior: Prior, x: Array) -> float:
    """The bracket; infinite outside the cone."""
    y, X = x[prior.positive], bodies_at(prior, x)
    if (y <= 0).any():
        return float("inf")
    try:
        roots = np.linalg.cholesky(X)
    except np.linalg.LinAlgError:
        return float("inf")
    logs = 2 * np.log(np.einsum("bii->bi", roots)).sum()
    return float(np.einsum("bii->", X) - logs + (y - np.log(y)).sum() + (x[prior.free] ** 2).sum())


def barrier(prior: Prior, x: Array) -> Barrier:
    """∂/∂x_k = tr S_k − tr X⁻¹S_k,  ∂²/∂x_k∂x_l = tr X⁻¹S_k X⁻¹S_l"""
    inverse = np.linalg.inv(bodies_at(prior, x))
    products = np.einsum("bij,kjl->bkil", inverse, SYMMETRIC)
    gradient, diagonal = np.zeros_like(x), np.zeros_like(x)
    gradient[prior.bodies] = np.einsum("kii->k", SYMMETRIC) - np.einsum("bkii->bk", products)
    y = x[prior.positive]
    gradient[prior.positive], diagonal[prior.positive] = 1 - 1 / y, 1 / y**2
    gradient[prior.free], diagonal[prior.free] = 2 * x[prior.free], 2.0
    blocks = np.einsum("bkij,blji->bkl", products, products)
    return Barrier(barrier_value(prior, x), gradient, blocks, diagonal)
