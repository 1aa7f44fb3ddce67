"""Joints that move no mass: whatever solves for accelerations divides by the inertia such a joint feels, which is zero.

M = Lᵀ D L is factored from the tip inward, as forward dynamics does it; the pivot D_k is the inertia that joint k feels
when the joints beyond it are free. A pivot counts as zero only where it is zero in the prime field at two independent
draws of every angle and every symbol: not by rounding, and not at one unlucky posture.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from manipula.algebra.expr.field import FieldMaths, P, rational
from manipula.errors import InputError, SingularError, caution
from manipula.generation.arm_structure import ArmStructure
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.entry import ENERGY, TORQUES
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.subject import is_massless
from manipula.messages import Message

DRAWS = 2
REMEDY = Message("give the link a mass, or the joint a motor_inertia")


def joints_without_inertia(structure: ArmStructure) -> list[str]:
    """The joints that feel no inertia while those beyond them are free, from the base to the tip."""
    empty = [_zero_pivots(_inertia(structure)) for _ in range(DRAWS)]
    return [name for k, name in enumerate(structure.robot.joint_names) if all(k in zeros for zeros in empty)]


def singular(structure: ArmStructure, model: str) -> InputError:
    """What to say of a model that divides by zero on this robot, whatever its configuration."""
    robot = structure.robot
    joints = [] if MODELS[model].needs & ENERGY else joints_without_inertia(structure)  # energies solve for nothing
    if not joints:
        return zero_divisor(robot, model, MODELS[model].wants)
    return SingularError(
        "{robot}: {sentence}, so {model} has no answer ({remedy})", robot.name, sentence(joints), model, REMEDY
    )


def zero_divisor(robot: RobotDescription, model: str, wants: str = "") -> InputError:
    return InputError(
        Message(
            "{name}: {model} divides by an expression that is zero in every configuration: it wants {wants}",
            robot.name,
            model,
            wants,
        )
        if wants
        else Message("{name}: {model} divides by an expression that is zero in every configuration", robot.name, model)
    )


def motionless(structure: ArmStructure, remedy: str = REMEDY) -> SingularError | None:
    """What to say of a robot whose motion is not determined; None where it is."""
    joints = joints_without_inertia(structure)
    if not joints:
        return None
    return SingularError(
        "{name}: {sentence}, so its motion is not determined ({remedy})", structure.robot.name, sentence(joints), remedy
    )


def sentence(joints: Sequence[str]) -> str:
    """`joint 'a6' feels no inertia`"""
    named = ", ".join(map(repr, joints))
    return Message(("joint {named} feels no inertia" if len(joints) == 1 else "joints {named} feel no inertia"), named)


def warn_massless(robot: RobotDescription, model: str) -> None:
    """Zeros are a right answer that nobody wanted."""
    entry = MODELS[model]
    forces = entry.needs & (TORQUES | ENERGY) or "qdd" in entry.inputs
    if forces and entry.columns is None and is_massless(robot):
        caution("{name}: no link has a mass, so {model} is computed without inertia and weight", robot.name, model)


def _inertia(structure: ArmStructure) -> list[list[int]]:
    """M at a fresh random point of the field."""
    from manipula.mechanics.models.derivatives.couplings import mass_matrix

    maths = FieldMaths(f"pivots {secrets.token_hex(16)}")
    chain = structure.over(maths, structure.symbols(maths.symbol))
    q = [maths.symbol(f"angle of joint {k}") for k in range(structure.robot.dof)]
    return [[_integer(x) for x in row] for row in mass_matrix(chain, q)]


def _integer(x: Any) -> int:
    return x.value if hasattr(x, "value") else rational(x)


def _zero_pivots(M: list[list[int]]) -> set[int]:
    """From the tip inward; a joint that feels nothing is passed over: of a real body its whole row is zero."""
    work, zeros = [list(row) for row in M], set[int]()
    for k in range(len(M) - 1, -1, -1):
        if work[k][k] == 0:
            zeros.add(k)
            continue
        inverse = pow(work[k][k], -1, P)
        for i in range(k):
            factor = work[i][k] * inverse % P
            work[i] = [(x - factor * y) % P for x, y in zip(work[i], work[k])]
    return zeros
