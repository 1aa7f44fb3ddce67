"""Springs that bear a joint's weight: counterbalances, hung between two points beside the axis of a joint that turns.

One end is held by the link before, at a distance R from the axis, the other by the joint's own link, at r. With the
angle δ = angle + q between them, seen along the axis,

    ℓ² = R² + r² − 2 R r cos δ         dℓ/dq = R r sin δ / ℓ         torque = force(ℓ) · dℓ/dq

that the motor must give. The force of a coil spring is size·(ℓ − length), that of a gas spring, whose gas is pressed
together over a stroke, size/(1 − (ℓ − length)/stroke). A file gives where it hangs; its size is found from logs.

Derived here from the potential energy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from manipula.mechanics.robot.actuators.friction import E
from manipula.scalar import Maths


@dataclass(frozen=True)
class Spring(Generic[E]):
    """Where it hangs: SI; without a stroke it is a coil spring."""

    radii: tuple[E, E]
    angle: E
    length: E
    stroke: E | None = None

    @property
    def entries(self) -> tuple[E, ...]:
        found = (*self.radii, self.angle, self.length)
        return found if self.stroke is None else (*found, self.stroke)


def spring_torque(spring: Spring[Any], q: Any, maths: Maths[Any]) -> Any:
    """Of a unit of its size, over any scalar."""
    R, r = spring.radii
    delta = spring.angle + q
    span = maths.sqrt(R * R + r * r - 2 * R * r * maths.cos(delta))
    lever = R * r * maths.sin(delta) / span
    drawn = span - spring.length
    return drawn * lever if spring.stroke is None else lever / (1 - drawn / spring.stroke)
