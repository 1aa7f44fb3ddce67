"""Settings that estimators share: how far off their first estimates may be, and how noisy torques are.

Source: Ljung, Söderström, "Theory and Practice of Recursive Identification" (1983), chapter 2: recursive least squares
begins with the covariance of what is believed of its parameters.
"""

from __future__ import annotations

from manipula.mechanics.models.block import Result
from manipula.mechanics.models.ports import EFFORT, PortKind
from manipula.scalar import Next

NOISE = PortKind("noise", EFFORT, "standard deviation of a joint's torque about its model", role="setting",
                 divides=True, default=1.0)  # fmt: skip


def sigma_of(theta: PortKind) -> PortKind:
    """One an estimate; entries of a fixed number have names."""
    size = tuple(f"sigma_{x}" for x in theta.size) if isinstance(theta.size, tuple) else theta.size
    return PortKind("sigma", "SI", "standard deviations of the first estimates", size, "setting", divides=True)


def estimated(theta: PortKind) -> dict[str, Result]:
    return {f"{theta.name}_next": Result(theta.unit, "estimates after the step", Next(theta.name))}
