"""Laws of the tool, of its pose or of its position alone: resolved acceleration, operational space, impedance.

The reference is the tool's, and so are the gains; what the task leaves open is braked in the joints.

Source: Luh, Walker, Paul (1980); Khatib (1987); Hogan (1985): in full above each law.
"""

from __future__ import annotations

from functools import partial

from manipula.mechanics.models.control.computed_torque import torque_for
from manipula.mechanics.models.control.task import (
    Task,
    damp_matrix,
    gram,
    left_open,
    pull,
    tool,
    tool_law,
    transpose_times,
)
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, variables
from manipula.mechanics.models.ports import EFFORT, PortKind
from manipula.scalar import Entries, Maths, Scalar

# Resolved acceleration: the error of the tool follows a linear equation, the joints do what that takes.
#
#     a = ẍ_ref + kd (ẋ_ref − ẋ) + kp x̃                    x̃: of the position; of the orientation 2ε (`task`)
#     q̈ = q̈₀ + J⁺ (a − J̇ q̇ − J q̈₀)                         q̈₀ = −null q̇: what the task leaves open is braked
#     τ = M(q) q̈ + c(q, q̇) + g(q) + friction
#
# with J⁺ = Jᵀ (J Jᵀ + λ² 1)⁻¹. Away from singularities λ = 0, and with the exact model the position obeys x̃̈ + kd x̃̇
# + kp x̃ = 0. Where 1/√tr((J Jᵀ)⁻¹), at most the smallest singular value and close to it where one alone is small,
# falls below `singular`, λ² rises to `damping`², and the output `damped` says how far: joint accelerations stay within
# |a|/(2λ), the tool leaves its path. The velocities wanted of the joints, J⁺ ẋ_ref, sign the friction.
#
# Source: Luh, Walker, Paul, "Resolved-acceleration control of mechanical manipulators", IEEE Transactions on Automatic
# Control 25(3), 1980; for the orientation and the damping see `task`.


_RESOLVED = "resolved_acceleration"


def _resolve(task: Task, maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    at, still, left = left_open(_RESOLVED, task, maths, call, x)
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
    return tool_law(
        _RESOLVED, f"linear errors of the tool's {task.name}, resolved into the joints", task, _DAMPING, _resolve
    )


# Operational space: the force that the tool's inertia, as the arm gives it, asks for.
#
# What the task leaves open is braked without moving the tool.
#
#     a = ẍ_ref + kd (ẋ_ref − ẋ) + kp x̃                    x̃: of the position; of the orientation 2ε (`task`)
#     F = Λ (a − J̇ q̇ − J q̈₀)                                Λ = (J M⁻¹ Jᵀ)⁻¹,    q̈₀ = −null q̇
#     τ = Jᵀ F + M q̈₀ + c(q, q̇) + g(q) + friction
#
# which is Khatib's τ = Jᵀ(Λ a + μ + p) + Nᵀ τ₀ with μ = Λ (J M⁻¹ c − J̇ q̇), p = Λ J M⁻¹ g, N = 1 − M⁻¹ Jᵀ Λ J and
# τ₀ = M q̈₀ + c + g: both are the torques of q̈ = q̈₀ + M⁻¹ Jᵀ F, and J q̈ + J̇ q̇ = a whatever q̈₀ is.
#
# Near a singularity Λ grows beyond all bounds. Where its trace exceeds `heaviest`, Λ⁻¹ is raised, in the singularity
# by 1/heaviest; the output `damped` says how far. J̄ ẋ_ref = M⁻¹ Jᵀ Λ ẋ_ref signs the friction.
#
# Source: O. Khatib, A unified approach for motion and force control of robot manipulators: the operational space
# formulation, IEEE J. of Robotics and Automation 3(1), 1987, eq. 21 (Λ) and 51 (redundant arms).


_OPERATIONAL = "operational_space"


def _operational_space(task: Task, maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    at, still, left = left_open(_OPERATIONAL, task, maths, call, x)
    arm, lightest = InertiaSolver(call("inertia_matrix", q=x["q"])["M"]), 1 / x["heaviest"][0]
    # Λ⁻¹ = J M⁻¹ Jᵀ = Yᵀ D⁻¹ Y,  Lᵀ Y = Jᵀ
    Y = [arm.halfway(row) for row in at.J]
    mobility = gram([[y * d for y, d in zip(row, arm.inverse)] for row in Y], Y)
    inertia = damp_matrix(maths, mobility, lightest, lightest)
    # F = Λ (a − J̇ q̇ − J q̈₀)
    F = inertia.solve(left)
    # q̇_ref = M⁻¹ Jᵀ Λ ẋ_ref
    rates = arm(transpose_times(at.J, inertia.solve(list(x["xd_ref"]))))
    # τ = Jᵀ F + M q̈₀ + c + g + friction
    held = torque_for(call, {**x, "qd_ref": rates}, still)
    tau = [push + own for push, own in zip(transpose_times(at.J, F), held, strict=True)]
    return {"tau": tau, "damped": [inertia.share]}


_HEAVIEST = PortKind(
    "heaviest", "kg, kg·m²", "inertia of the tool beyond which is damped", ("heaviest",), "setting",
    divides=True, default=1000.0,
)  # fmt: skip


def operational_space(task: Task) -> Block:
    """The law of a task."""
    doc = f"the tool's {task.name} by forces on its own inertia"
    return tool_law(_OPERATIONAL, doc, task, (_HEAVIEST,), _operational_space, ("inertia_matrix",))


# Impedance: the tool as a mass on a spring and a damper, without a force sensor.
#
#     F = kp x̃ + kd (ẋ_ref − ẋ)                             x̃: of the position; of the orientation 2ε (`task`)
#     τ = Jᵀ F − null q̇ + g(q)
#
# The inertia is the arm's own. A push at the tool meets the spring: at rest the force on it is kp times the way
# it was pushed. With the goal at rest the storage
#
#     V = ½ q̇ᵀM q̇ + ½ Σ kp x̃² + 4 kp_turn (1 − η)           V̇ = F_extᵀẋ − ẋᵀ kd ẋ − q̇ᵀ null q̇ − friction
#
# never rises but by what is pushed in: the arm is passive, and stays so against anything passive. So neither c(q, q̇)
# nor friction is compensated, and all turns have one stiffness: several would have no potential.
#
# Source: N. Hogan, Impedance control: an approach to manipulation, ASME Journal of Dynamic Systems, Measurement, and
# Control 107 (1985), part I; Siciliano et al., "Robotics" (2009), section 9.2 (compliance and impedance control).


def _impedance(task: Task, maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
    at = tool(maths, call, x, task)
    weight = call("gravity", q=x["q"])["g"]
    # τ = Jᵀ (kp x̃ + kd (ẋ_ref − ẋ)) − null q̇ + g
    rows = zip(transpose_times(at.J, pull(x, at, task)), x["null"], x["qd"], weight, strict=True)
    return {"tau": [push - brake * rate + g for push, brake, rate, g in rows]}


def impedance(task: Task) -> Block:
    """The law of a task."""
    position, velocity, _ = task.references
    return Block(
        "impedance",
        f"a spring and a damper on the tool's {task.name}",
        (
            *variables("q", "qd"), position, velocity,
            task.gains("kp", "N/m, N·m/rad", "stiffness of the tool"),
            task.gains("kd", "N·s/m, N·m·s/rad", "damping of the tool"),
            PortKind("null", "N·m·s/rad or N·s/m", "brake of every joint", role="setting", default=0.0),
        ),
        {"tau": Result(EFFORT, "joint torques")},
        partial(_impedance, task),
        ("pose", "jacobian", "gravity"),
    )  # fmt: skip
