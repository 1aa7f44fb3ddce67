"""Operational space: the force that the tool's inertia, as the arm gives it, asks for.

What the task leaves open is braked without moving the tool.

    a = ẍ_ref + kd (ẋ_ref − ẋ) + kp x̃                    x̃: of the position; of the orientation 2ε (`task`)
    F = Λ (a − J̇ q̇ − J q̈₀)                                Λ = (J M⁻¹ Jᵀ)⁻¹,    q̈₀ = −null q̇
    τ = Jᵀ F + M q̈₀ + c(q, q̇) + g(q) + friction

which is Khatib's τ = Jᵀ(Λ a + μ + p) + Nᵀ τ₀ with μ = Λ (J M⁻¹ c − J̇ q̇), p = Λ J M⁻¹ g, N = 1 − M⁻¹ Jᵀ Λ J and
τ₀ = M q̈₀ + c + g: both are the torques of q̈ = q̈₀ + M⁻¹ Jᵀ F, and J q̈ + J̇ q̇ = a whatever q̈₀ is.

Near a singularity Λ grows beyond all bounds. Where its trace exceeds `heaviest`, Λ⁻¹ is raised, in the singularity by
1/heaviest; the output `damped` says how far. J̄ ẋ_ref = M⁻¹ Jᵀ Λ ẋ_ref signs the friction.

Source: O. Khatib, A unified approach for motion and force control of robot manipulators: the operational space
formulation, IEEE J. of Robotics and Automation 3(1), 1987, eq. 21 (Λ) and 51 (redundant arms).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from manipula.mechanics.models.block import Block, Call, Result, variables
from manipula.mechanics.models.control.computed_torque import torque_for
from manipula.mechanics.models.control.ports import SMOOTHING
from manipula.mechanics.models.control.resolved_acceleration import NULL_SPACE, SHARE
from manipula.mechanics.models.control.task import Task, damped, gram, pull, refuse_few, times, tool, transposed
from manipula.mechanics.models.dynamics.inertia_inverse import Solver
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import EFFORT, PortKind
from manipula.scalar import Maths


def _text(task: Task, maths: Maths[Any], call: Call, x: Given) -> dict[str, Any]:
    refuse_few("operational_space", len(x["q"]), task)
    at = tool(maths, call, x, task)
    bias = call("tool_bias", q=x["q"], qd=x["qd"])["a"][: task.size]
    arm, lightest = Solver(call("inertia_matrix", q=x["q"])["M"]), 1 / x["heaviest"][0]
    # Λ⁻¹ = J M⁻¹ Jᵀ = Yᵀ D⁻¹ Y,  Lᵀ Y = Jᵀ
    Y = [arm.halfway(row) for row in at.J]
    mobility = gram([[y * d for y, d in zip(row, arm.inverse)] for row in Y], Y)
    inertia = damped(maths, mobility, lightest, lightest)
    # F = Λ (a − J̇ q̇ − J q̈₀),  q̈₀ = −null q̇
    still = [-k * rate for k, rate in zip(x["null"], x["qd"], strict=True)]
    ask = [far + push - b for far, push, b in zip(x["xdd_ref"], pull(x, at, task), bias, strict=True)]
    F = inertia.solve([want - given for want, given in zip(ask, times(at.J, still), strict=True)])
    # q̇_ref = M⁻¹ Jᵀ Λ ẋ_ref
    rates = arm(transposed(at.J, inertia.solve(list(x["xd_ref"]))))
    # τ = Jᵀ F + M q̈₀ + c + g + friction
    held = torque_for(call, {**x, "qd_ref": rates}, still)
    tau = [push + own for push, own in zip(transposed(at.J, F), held, strict=True)]
    return {"tau": tau, "damped": [inertia.share]}


def operational_space(task: Task) -> Block:
    """The law of a task."""
    return Block(
        "operational_space",
        f"the tool's {task.name} by forces on its own inertia",
        (
            *variables("q", "qd"), *task.references,
            task.gains("kp", "1/s²", "proportional gains of the tool"), task.gains("kd", "1/s", "its derivative gains"),
            NULL_SPACE,
            PortKind(
                "heaviest", "kg, kg·m²", "inertia of the tool beyond which is damped", ("heaviest",), "setting",
                divides=True, default=1000.0,
            ),
            SMOOTHING,
        ),
        {"tau": Result(EFFORT, "joint torques"), "damped": SHARE},
        partial(_text, task),
        ("pose", "jacobian", "tool_bias", "inertia_matrix", "inverse_dynamics_smooth"),
    )  # fmt: skip
