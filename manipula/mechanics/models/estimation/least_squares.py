"""Recursive least squares with forgetting, in factors that stay positive.

    θ minimises  Σ_s λ^(now − s) Σ_j ((τ − Yθ)_j/noise_j)²  +  what is left of  Σ_k ((θ − θ₀)_k/sigma_k)²

The covariance is P = U D Uᵀ, U with ones on its diagonal and nothing below, and D = sigma²/(1 + known): `known` counts
what has been learnt. A row φθ = ρ of variance r changes them by

    f = Uᵀφ,  v = D f,  α_0 = r,  α_k = α_{k−1} + f_k v_k
    known_k⁺ = known_k + sigma_k² f_k²/α_{k−1}
    U_ik⁺ = U_ik − b_i f_k/α_{k−1},  b_i⁺ = b_i + U_ik v_k  (i < k),  b_k = v_k
    θ⁺ = θ + b (ρ − φθ)/α

in which D is never the difference of two numbers, so that P is positive in floating point, too. It begins at U = 1,
known = 0, so that all states begin at 0. The rows of a sample follow one another, which is the same as all at once.

Forgetting multiplies 1 + known by λ before a sample's rows. What the motion does not show must not be forgotten, or P
grows without bound: nothing is forgotten while Σ_k P_kk/sigma_k² is not below `guard` times what it began with. A row
only makes P smaller, so that this sum never exceeds guard/λ times its beginning.

Source: Bierman, "Factorization Methods for Discrete Sequential Estimation" (1977), chapter V, for the factors; Åström,
Wittenmark, "Adaptive Control", 2nd ed. (1995), section 2.2, for forgetting and its wind-up. 1 + known in place of D,
and the guard relative to the beginning, are of this text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from manipula.mechanics.models.entry import Block, Given, ModelCall, Result
from manipula.mechanics.models.estimation.unknowns import NOISE, LinearEquations, Unknowns, estimate_outputs, sigma_of
from manipula.mechanics.models.ports import EFFORT, PortKind
from manipula.mechanics.spatial.vector import dot, sum_of
from manipula.scalar import Entries, Maths, Next, Scalar

FORGETTING = PortKind("forgetting", "1", "λ: what a sample keeps of the weight of those before it", ("forgetting",),
                      "setting", divides=True, default=1.0)  # fmt: skip
GUARD = PortKind("guard", "1", "times the covariance of the start up to which is forgotten", ("guard",), "setting",
                 divides=True, default=1.0)  # fmt: skip


class Factors(NamedTuple):
    """P = U D Uᵀ: U by its columns above the diagonal, and 1 + known, D = sigma²/(1 + known)."""

    U: list[list[Scalar]]
    w: list[Scalar]

    @property
    def flat(self) -> list[Scalar]:
        """As the state has them."""
        return [e for u, w in zip(self.U, self.w, strict=True) for e in (*u, w - 1)]


class Learnt(NamedTuple):
    """After a sample: estimates, factors, and of every row the residual and its variance as expected."""

    estimate: list[Scalar]
    factors: Factors
    residual: list[Scalar]
    expected: list[Scalar]

    def outputs(self, name: str, rows: LinearEquations, variance: list[Scalar]) -> dict[str, Entries]:
        return {
            f"{name}_next": self.estimate,
            "factors_next": self.factors.flat,
            **rows.kept,
            "variance": variance,
            "residual": self.residual,
            "expected": self.expected,
        }


def learn(
    maths: Maths[Scalar],
    rows: LinearEquations,
    theta: Sequence[Scalar],
    flat: Sequence[Scalar],
    noises: Sequence[Scalar],
    x: Given,
) -> Learnt:
    """From the rows of one sample, whose torques are so noisy."""
    square = [s * s for s in x["sigma"]]
    factors = _forget(maths, _factors(flat), square, x)
    estimate, residual, expected = list(theta), [], []
    for phi, rho, noise in zip(rows.Y, rows.rho, noises, strict=True):
        wrong = rho - dot(phi, estimate)
        factors, gain, alpha = _rank_one_update(factors, phi, square, noise * noise)
        step = wrong * (1 / alpha)
        estimate = [a + b * step for a, b in zip(estimate, gain, strict=True)]
        residual.append(wrong)
        expected.append(alpha)
    return Learnt(estimate, factors, residual, expected)


def least_squares(unknowns: Unknowns) -> Block:
    """The estimator of these unknowns."""
    theta = unknowns.estimates

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        rows = unknowns.equations(maths, call, x)
        found = learn(maths, rows, x[theta.name], x["factors"], x["noise"], x)
        return found.outputs(theta.name, rows, variances(found.factors, [s * s for s in x["sigma"]]))

    pairs = _pairs(theta)
    memory = PortKind(
        "factors", "1", "of the covariance: column by column what is above the diagonal of U, then known", pairs,
        "state",
    )  # fmt: skip
    outputs = estimate_outputs(theta) | {"factors_next": Result("1", "the factors after the step", Next("factors"))}
    outputs |= unknowns.outputs | {
        "variance": Result("SI", "the squares of the estimates' standard deviations, after the step"),
        "residual": Result(EFFORT, "what the estimates left of a joint's torque before it was learnt from"),
        "expected": Result("SI", "the variance of the residual that was to be expected"),
    }
    ports = (*unknowns.inputs, theta, memory, *unknowns.kept, sigma_of(theta), NOISE, FORGETTING, GUARD)
    return Block("least_squares", "recursive least squares that forgets", ports, outputs, text, unknowns.calls)


def _pairs(theta: PortKind) -> Any:
    """As many as a triangle has; of a fixed number of unknowns, by names."""
    if not isinstance(theta.size, tuple):
        return "pairs"
    count = len(theta.size)
    return tuple(f"factors{i + 1}" for i in range(count * (count + 1) // 2))


def _factors(flat: Sequence[Scalar]) -> Factors:
    entries, found, k = iter(flat), Factors([], []), 0
    while k * (k + 1) // 2 < len(flat):
        found.U.append([next(entries) for _ in range(k)])
        found.w.append(1 + next(entries))
        k += 1
    return found


def variances(factors: Factors, square: Sequence[Scalar]) -> list[Scalar]:
    """P_ii = Σ_k U_ik² D_k"""
    D = [s * (1 / w) for s, w in zip(square, factors.w, strict=True)]
    rows = range(len(D))
    return [sum_of([D[i], *(factors.U[k][i] * factors.U[k][i] * D[k] for k in rows if k > i)]) for i in rows]


def _forget(maths: Maths[Scalar], factors: Factors, square: Sequence[Scalar], x: Given) -> Factors:
    relative = sum_of(p * (1 / s) for p, s in zip(variances(factors, square), square, strict=True))
    open_to = maths.less(relative, x["guard"][0] * len(square))
    kept = maths.select(open_to, x["forgetting"][0], 1)
    return Factors(factors.U, [kept * w for w in factors.w])


def _rank_one_update(
    factors: Factors, phi: Sequence[Scalar], square: Sequence[Scalar], noise: Scalar
) -> tuple[Factors, list[Scalar], Scalar]:
    """The factors after a row, P φ before it, and α = r + φᵀPφ."""
    U, w, gain, alpha = list[list[Scalar]](), list[Scalar](), list[Scalar](), noise
    for k, column in enumerate(factors.U):
        # f = Uᵀφ,  v = D f
        f = sum_of([phi[k], *(u * p for u, p in zip(column, phi))])
        v = square[k] * f * (1 / factors.w[k])
        pull = f * (1 / alpha)
        w.append(factors.w[k] + square[k] * f * pull)
        U.append([u - b * pull for u, b in zip(column, gain, strict=True)])
        gain = [*(b + u * v for u, b in zip(column, gain, strict=True)), v]
        alpha = alpha + f * v
    return Factors(U, w), gain, alpha


# The gradient estimator, normalised: a step towards every row's equation, never past it.
#
#     θ⁺ = θ + γ Σ φ (ρ − φᵀθ)/(noise² + φᵀΣφ),    Σ = diag(sigma²),  0 < γ < 2
#
# row after row. Without noise the error θ̃ in the norm Σ_k (θ̃_k/sigma_k)² never grows: a row changes it by −γ ε² (2 −
# γ φᵀΣφ/(noise² + φᵀΣφ))/(noise² + φᵀΣφ), ε = φᵀθ̃. It remembers nothing but the estimates, and learns slowly what the
# motion shows little of.
#
# Source: Goodwin, Sin, "Adaptive Filtering, Prediction and Control" (1984), section 3.3 (the projection algorithm).


GAIN = PortKind("gain", "1", "γ: the share of an error that a row takes away, less than 2", ("gain",), "setting",
                default=0.5)  # fmt: skip


def gradient(unknowns: Unknowns) -> Block:
    """The estimator of these unknowns."""
    theta = unknowns.estimates

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        rows = unknowns.equations(maths, call, x)
        estimate, residual = list(x[theta.name]), []
        for phi, rho, noise in zip(rows.Y, rows.rho, x["noise"], strict=True):
            wrong = rho - dot(phi, estimate)
            turned = [s * s * y for s, y in zip(x["sigma"], phi, strict=True)]
            step = x["gain"][0] * wrong * (1 / (noise * noise + dot(phi, turned)))
            estimate = [a + b * step for a, b in zip(estimate, turned, strict=True)]
            residual.append(wrong)
        return {f"{theta.name}_next": estimate, **rows.kept, "residual": residual}

    outputs = estimate_outputs(theta) | unknowns.outputs
    outputs |= {"residual": Result(EFFORT, "what the estimates left of a joint's torque before it was learnt from")}
    ports = (*unknowns.inputs, theta, *unknowns.kept, sigma_of(theta), NOISE, GAIN)
    return Block("gradient_estimator", "the normalised gradient, a step a sample", ports, outputs, text, unknowns.calls)
