"""Resolved acceleration: the error of the tool follows a linear equation, the joints do what that takes.

    a = ẍ_ref + kd (ẋ_ref − ẋ) + kp x̃                    x̃: of the position; of the orientation 2ε (`task`)
    q̈ = q̈₀ + J⁺ (a − J̇ q̇ − J q̈₀)                         q̈₀ = −null q̇: what the task leaves open is braked
    τ = M(q) q̈ + c(q, q̇) + g(q) + friction

with J⁺ = Jᵀ (J Jᵀ + λ² 1)⁻¹. Away from singularities λ = 0, and with the exact model the position obeys
x̃̈ + kd x̃̇ + kp x̃ = 0. Where the smallest singular value falls below `singular`, λ² rises to `damping`², and the output
`damped` says how far: joint accelerations stay within |a|/(2λ), the tool leaves its path. The velocities wanted of the
joints, J⁺ ẋ_ref, sign the friction.

Source: Luh, Walker, Paul, "Resolved-acceleration control of mechanical manipulators", IEEE Transactions on Automatic
Control 25(3), 1980; for the orientation and the damping see `task`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from manipula.mechanics.models.block import Block, Call, Result, variables
from manipula.mechanics.models.control.computed_torque import torque_for
from manipula.mechanics.models.control.ports import SMOOTHING
from manipula.mechanics.models.control.task import Task, damped, gram, pull, refuse_few, times, tool, transposed
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import EFFORT, PortKind
from manipula.scalar import Maths

NULL_SPACE = PortKind("null", "1/s", "how fast motions that do not move the tool are braked", role="setting", default=1)
SHARE = Result("1", "share of the damping at work: 0 away from singularities, 1 in them")


def _text(task: Task, maths: Maths[Any], call: Call, x: Given) -> dict[str, Any]:
    refuse_few("resolved_acceleration", len(x["q"]), task)
    at = tool(maths, call, x, task)
    bias = call("tool_bias", q=x["q"], qd=x["qd"])["a"][: task.size]
    limit, most = x["singular"][0], x["damping"][0]
    # J⁺ = Jᵀ (J Jᵀ + λ² 1)⁻¹
    least_squares = damped(maths, gram(at.J, at.J), limit * limit, most * most)
    # a − J̇ q̇ − J q̈₀,  q̈₀ = −null q̇
    still = [-k * rate for k, rate in zip(x["null"], x["qd"], strict=True)]
    ask = [far + push - b for far, push, b in zip(x["xdd_ref"], pull(x, at, task), bias, strict=True)]
    left = [want - given for want, given in zip(ask, times(at.J, still), strict=True)]
    # q̈ = q̈₀ + J⁺ (a − J̇ q̇ − J q̈₀)
    qdd = [own + more for own, more in zip(still, transposed(at.J, least_squares.solve(left)), strict=True)]
    rates = transposed(at.J, least_squares.solve(list(x["xd_ref"])))
    return {"tau": torque_for(call, {**x, "qd_ref": rates}, qdd), "damped": [least_squares.share]}


def resolved_acceleration(task: Task) -> Block:
    """The law of a task."""
    return Block(
        "resolved_acceleration",
        f"linear errors of the tool's {task.name}, resolved into the joints",
        (
            *variables("q", "qd"), *task.references,
            task.gains("kp", "1/s²", "proportional gains of the tool"), task.gains("kd", "1/s", "its derivative gains"),
            NULL_SPACE,
            PortKind(
                "singular", "m, 1", "singular value of the Jacobian below which is damped", ("singular",), "setting",
                divides=True, default=0.04,
            ),
            PortKind(
                "damping", "m, 1", "damping of the least squares in a singularity", ("damping",), "setting",
                divides=True, default=0.04,
            ),
            SMOOTHING,
        ),
        {"tau": Result(EFFORT, "joint torques"), "damped": SHARE},
        partial(_text, task),
        ("pose", "jacobian", "tool_bias", "inverse_dynamics_smooth"),
    )  # fmt: skip
