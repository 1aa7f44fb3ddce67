"""The gradient estimator, normalised: a step towards every row's equation, never past it.

    θ⁺ = θ + γ Σ φ (ρ − φᵀθ)/(noise² + φᵀΣφ),    Σ = diag(sigma²),  0 < γ < 2

row after row. Without noise the error θ̃ in the norm Σ_k (θ̃_k/sigma_k)² never grows: a row changes it by
−γ ε² (2 − γ φᵀΣφ/(noise² + φᵀΣφ))/(noise² + φᵀΣφ), ε = φᵀθ̃. It remembers nothing but the estimates, and learns slowly
what the motion shows little of.

Source: Goodwin, Sin, "Adaptive Filtering, Prediction and Control" (1984), section 3.3 (the projection algorithm).
"""

from __future__ import annotations

from typing import Any

from manipula.mechanics.models.block import Block, ModelCall, Result
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.estimation.unknowns import NOISE, Unknowns, estimate_outputs, sigma_of
from manipula.mechanics.models.ports import EFFORT, PortKind
from manipula.mechanics.spatial.vector import dot
from manipula.scalar import Maths, Scalar

GAIN = PortKind("gain", "1", "γ: the share of an error that a row takes away, less than 2", ("gain",), "setting",
                default=0.5)  # fmt: skip


def gradient(unknowns: Unknowns) -> Block:
    """The estimator of these unknowns."""
    theta = unknowns.estimates

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Any]:
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
