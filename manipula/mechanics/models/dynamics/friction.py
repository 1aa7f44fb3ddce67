"""Joint friction: viscous·q̇ + coulomb·sign(q̇) + offset, with sign(0) = 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manipula.mechanics.robot.tree import Link, Tree
from manipula.scalar import Maths


def friction(chain: Tree, qd: Sequence[Any]) -> list[Any]:
    """The torque every joint loses."""
    return [joint_friction(link, rate, chain.maths) for link, rate in zip(chain.links, qd, strict=True)]


def joint_friction(link: Link, rate: Any, maths: Maths[Any]) -> Any:
    """One joint's; a coefficient that is structurally absent (the int 0) asks for no sign function."""
    dry = 0 if absent(link.coulomb) else link.coulomb * maths.sign(rate)
    return link.viscous * rate + dry + link.friction_offset


def absent(entry: Any) -> bool:
    """The structural zero: a fact about the table, not about a scalar's value."""
    return isinstance(entry, int) and entry == 0
