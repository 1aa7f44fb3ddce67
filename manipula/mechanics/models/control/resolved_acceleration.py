"""Resolved acceleration: the error of the tool follows a linear equation, the joints do what that takes.

    a = ẍ_ref + kd (ẋ_ref − ẋ) + kp x̃                    x̃: of the position; of the orientation 2ε (`task`)
    q̈ = q̈₀ + J⁺ (a − J̇ q̇ − J q̈₀)                         q̈₀ = −null q̇: what the task leaves open is braked
    τ = M(q) q̈ + c(q, q̇) + g(q) + friction

with J⁺ = Jᵀ (J Jᵀ + λ² 1)⁻¹. Away from singularities λ = 0, and with the exact model the position obeys
x̃̈ + kd x̃̇ + kp x̃ = 0. Where 1/√tr((J Jᵀ)⁻¹), at most the smallest singular value and close to it where one alone is
small, falls below `singular`, λ² rises to `damping`², and the output `damped` says how far: joint accelerations stay
within |a|/(2λ), the tool leaves its path. The velocities wanted of the joints, J⁺ ẋ_ref, sign the friction.

Source: Luh, Walker, Paul, "Resolved-acceleration control of mechanical manipulators", IEEE Transactions on Automatic
Control 25(3), 1980; for the orientation and the damping see `task`.
"""

from __future__ import annotations

from typing import Any

from manipula.mechanics.models.block import Block, ModelCall
from manipula.mechanics.models.control.computed_torque import torque_for
from manipula.mechanics.models.control.task import Task, damp_matrix, gram, left_open, tool_law, transpose_times
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import PortKind
from manipula.scalar import Maths, Scalar

_NAME = "resolved_acceleration"


def _text(task: Task, maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Any]:
    at, still, left = left_open(_NAME, task, maths, call, x)
    limit, most = x["singular"][0], x["damping"][0]
    # J⁺ = Jᵀ (J Jᵀ + λ² 1)⁻¹
    least_squares = damp_matrix(maths, gram(at.J, at.J), limit * limit, most * most)
    # q̈ = q̈₀ + J⁺ (a − J̇ q̇ − J q̈₀)
    qdd = [own + more for own, more in zip(still, transpose_times(at.J, least_squares.solve(left)), strict=True)]
    rates = transpose_times(at.J, least_squares.solve(list(x["xd_ref"])))
    return {"tau": torque_for(call, {**x, "qd_ref": rates}, qdd), "damped": [least_squares.share]}


_DAMPING = (
    PortKind(
        "singular", "m, 1", "singular value of the Jacobian below which is damped", ("singular",), "setting",
        divides=True, default=0.04,
    ),
    PortKind(
        "damping", "m, 1", "damping of the least squares in a singularity", ("damping",), "setting",
        divides=True, default=0.04,
    ),
)  # fmt: skip


def resolved_acceleration(task: Task) -> Block:
    """The law of a task."""
    return tool_law(_NAME, f"linear errors of the tool's {task.name}, resolved into the joints", task, _DAMPING, _text)
