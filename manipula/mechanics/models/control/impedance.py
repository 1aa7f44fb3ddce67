"""Impedance: the tool as a mass on a spring and a damper, without a force sensor.

    F = kp x̃ + kd (ẋ_ref − ẋ)                             x̃: of the position; of the orientation 2ε (`task`)
    τ = Jᵀ F − null q̇ + g(q)

The inertia is the arm's own. Whoever pushes the tool meets the spring: at rest the force on it is kp times the way it
was pushed. With the goal at rest the storage

    V = ½ q̇ᵀM q̇ + ½ Σ kp x̃² + 4 kp_turn (1 − η)           V̇ = F_extᵀẋ − ẋᵀ kd ẋ − q̇ᵀ null q̇ − friction

never rises but by what is pushed in: the arm is passive, and stays so against anything passive. So neither c(q, q̇) nor
friction is compensated, and all turns have one stiffness: several would have no potential.

Source: N. Hogan, Impedance control: an approach to manipulation, ASME Journal of Dynamic Systems, Measurement, and
Control 107 (1985), part I; Siciliano et al., "Robotics" (2009), section 9.2 (compliance and impedance control).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from manipula.mechanics.models.block import Block, ModelCall, Result, variables
from manipula.mechanics.models.control.task import Task, pull, tool, transpose_times
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.ports import EFFORT, PortKind
from manipula.scalar import Maths, Scalar


def _text(task: Task, maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Any]:
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
        partial(_text, task),
        ("pose", "jacobian", "gravity"),
    )  # fmt: skip
