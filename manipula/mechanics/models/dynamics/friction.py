"""Joint friction: the sum of the laws of each joint's actuator (`robot.actuators`), with sign(0) = 0.

A law may depend on the load of the joint, the torque the mechanism behind it asks for (motion, weight, contact). In
inverse dynamics that torque is known before friction is. Forward dynamics would have to know the acceleration first:
it refuses such a robot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manipula.errors import InputError
from manipula.mechanics.robot.actuators.friction import Slip
from manipula.mechanics.robot.tree import Tree
from manipula.messages import Message
from manipula.scalar import Maths, Scalar

NO_FORWARD = Message("accelerations do not follow from torques in closed form")
NO_COLUMNS = Message("torques are not linear in the parameters")
NO_SUM = Message("the torques of its links do not add up")
__all__ = ["NO_COLUMNS", "NO_FORWARD", "NO_SUM", "friction", "refuse_loaded", "sat", "slips"]


def friction(
    chain: Tree, qd: Sequence[Scalar], loads: Sequence[Scalar] | None = None, slip: Sequence[Scalar] | None = None
) -> list[Scalar]:
    """The torque every joint loses; `loads` are the torques of the bare mechanism, `slip` as in `slips`."""
    return [link.actuator.friction(x) for link, x in zip(chain.links, slips(chain, qd, loads, slip))]


def slips(
    chain: Tree, qd: Sequence[Scalar], loads: Sequence[Scalar] | None = None, slip: Sequence[Scalar] | None = None
) -> list[Slip]:
    """How every joint slips. Where `slip` is given sat(slip) stands for sign(q̇): a control law's friction."""
    known = [None] * chain.dof if loads is None else loads
    ahead = [None] * chain.dof if slip is None else [sat(chain.maths, x) for x in slip]
    return [Slip(rate, chain.maths, *about) for rate, *about in zip(qd, known, ahead, strict=True)]


def sat(maths: Maths[Any], slip: Scalar) -> Scalar:
    """The number, held within ±1: a sign drawn out, in a tenth of the time that tanh takes."""
    held: Scalar = maths.minimum(maths.maximum(slip, -1), 1)
    return held


def refuse_loaded(chain: Tree, model: str) -> None:
    """Raises where the friction of a joint depends on its load and `model` cannot have it so."""
    for link in chain.links:
        if link.actuator.loaded:
            keys = ", ".join(f"friction.{law.key}" for law in link.actuator.laws if law.loaded and not law.is_zero())
            raise InputError(
                "joint {name!r}: its friction depends on its load ({keys}), so {model}; take it from "
                'robot.without("friction"), or give the joint other laws',
                link.name,
                keys,
                model,
            )
