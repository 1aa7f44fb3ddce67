"""The kinds of joint: the only place that knows how a joint moves.

A joint displaces by x along or about its own z axis. `turn` and `slide` give the angular and the linear share of a
rate or acceleration; `effort` picks what the motor feels of the wrench (f, n) the joint transmits.
"""

from __future__ import annotations

from typing import Any, Protocol

from manipula.mechanics.spatial.placement import Placement, shift_along, turn_about
from manipula.mechanics.spatial.vector import Vector
from manipula.scalar import Maths


class JointKind(Protocol):
    name: str

    def motion(self, x: Any, maths: Maths[Any]) -> Placement: ...
    def turn(self, rate: Any) -> Any: ...
    def slide(self, rate: Any) -> Any: ...
    def effort(self, f: Vector, n: Vector) -> Any: ...


class Revolute:
    name = "revolute"

    def motion(self, x: Any, maths: Maths[Any]) -> Placement:
        return turn_about("z", maths.cos(x), maths.sin(x))

    def turn(self, rate: Any) -> Any:
        return rate

    def slide(self, rate: Any) -> Any:
        return 0

    def effort(self, f: Vector, n: Vector) -> Any:
        return n[2]


class Prismatic:
    name = "prismatic"

    def motion(self, x: Any, maths: Maths[Any]) -> Placement:
        return shift_along("z", x)

    def turn(self, rate: Any) -> Any:
        return 0

    def slide(self, rate: Any) -> Any:
        return rate

    def effort(self, f: Vector, n: Vector) -> Any:
        return f[2]


class Fixed:
    """Never moves; `reduce.merge_fixed` removes such links before any model sees them."""

    name = "fixed"

    def motion(self, x: Any, maths: Maths[Any]) -> Placement:
        return Placement()

    def turn(self, rate: Any) -> Any:
        return 0

    def slide(self, rate: Any) -> Any:
        return 0

    def effort(self, f: Vector, n: Vector) -> Any:
        return 0


KINDS: dict[str, JointKind] = {kind.name: kind for kind in (Revolute(), Prismatic(), Fixed())}
