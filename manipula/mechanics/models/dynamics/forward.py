"""Forward dynamics through the inertia matrix: M q̈ = τ − (coriolis + gravity + friction − Jᵀ·wrench).

The system is solved by M = Lᵀ D L (`inertia_inverse`): no square roots, one division per joint.

Source: Walker, Orin (1982), as for `composite`, method 3.
"""

from __future__ import annotations

from collections.abc import Sequence

from manipula.mechanics.models.dynamics.composite import inertia_matrix
from manipula.mechanics.models.dynamics.friction import NO_FORWARD, refuse_loaded
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver
from manipula.mechanics.models.dynamics.torque import ToolWrench, inverse_dynamics
from manipula.mechanics.robot.tree import Tree
from manipula.scalar import Scalar


def forward_dynamics(
    chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], tau: Sequence[Scalar], wrench: ToolWrench = None
) -> list[Scalar]:
    """q̈ under the motor torques `tau`."""
    refuse_loaded(chain, NO_FORWARD)
    bias = inverse_dynamics(chain, q, qd, [0] * chain.dof, wrench)
    return InertiaSolver(inertia_matrix(chain, q))([t - b for t, b in zip(tau, bias, strict=True)])
