"""What a friction law is: one class that knows all there is to know of it.

A law's parameters are cells in a description and scalars in a chain; `entries` says of each how a robot file calls it,
the letters of its automatic name (`fv` of `fv2`), its unit, and whether the torque is linear in it. The formula itself
is `shapes`: what stands beside each linear parameter, as a function of how the joint slips. From it follow

    torque     f = Σ parameter · shape              column      ∂f/∂parameter = shape
    slope      ∂f/∂q̇ and ∂f/∂load, by dual numbers   breakaway   f at rest, about to slip one way

so that a regressor, a derivative and a simulation cannot disagree with the torque.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from manipula.mechanics.robot.values.entry import Entry
from manipula.mechanics.spatial.dual import Dual, DualMaths, partial, variables
from manipula.mechanics.spatial.vector import nothing
from manipula.scalar import Maths

E = TypeVar("E")
F = TypeVar("F")


@dataclass(frozen=True)
class Slip:
    """How a joint slips: its rate q̇, and the torque `load` the mechanism behind it asks for (motion, weight, contact).

    `ahead` stands for sign(q̇) where that is given: ±1 for a joint at rest about to move, or a smooth function of a
    velocity that is wanted; of a joint that simply moves it is None.
    """

    rate: Any
    maths: Maths[Any]
    load: Any = None
    ahead: Any = None

    @property
    def way(self) -> Any:
        """sign(q̇), 0 at rest; asked for only where a law needs it."""
        return self.maths.sign(self.rate) if self.ahead is None else self.ahead


@dataclass(frozen=True)
class Law(Generic[E]):
    """`values` holds the parameters in the order of `entries`."""

    values: tuple[E, ...]

    key: ClassVar[str]  # in the table `friction` of a robot file
    title: ClassVar[str]  # at the head of a table's column
    says: ClassVar[str]  # its formula, for people
    entries: ClassVar[tuple[Entry, ...]]
    always: ClassVar[bool] = False  # every joint has it, zero unless the file says more
    loaded: ClassVar[bool] = False  # does the torque depend on the load?
    checked: ClassVar[bool] = False  # does the checker beside emitted code know it, by its key?
    dry: ClassVar[bool] = False  # does the torque jump where the joint turns back, so that it can hold it?

    def shapes(self, slip: Slip) -> tuple[Any, ...]:
        """What stands beside each linear parameter."""
        raise NotImplementedError

    def __getitem__(self, letters: str) -> E:
        return self.named()[letters]

    def named(self) -> dict[str, E]:
        """The parameters by their letters."""
        return {entry.letters: value for entry, value in zip(self.entries, self.values, strict=True)}

    def mapped(self, change: Callable[[E], F]) -> Law[F]:
        """The same law with every parameter changed."""
        return type(self)(tuple(map(change, self.values)))  # type: ignore[arg-type, return-value]

    def columns(self, slip: Slip) -> dict[str, Any]:
        """Of each linear parameter the torque that one unit of it makes."""
        return dict(zip(linear_letters(type(self)), self.shapes(slip), strict=True))

    def is_zero(self) -> bool:
        """No linear parameter is there: whatever the joint does, this law asks for nothing."""
        return all(nothing(self[letters]) for letters in linear_letters(type(self)))

    def torque(self, slip: Slip) -> Any:
        """f = Σ parameter · shape; a parameter that is structurally absent asks for no function of the rate."""
        total: Any = 0
        for letters, shape in {} if self.is_zero() else self.columns(slip).items():
            total = total if nothing(self[letters]) else total + self[letters] * shape
        return total

    def breakaway(self, way: int, maths: Maths[Any], load: Any = None) -> Any:
        """The torque at which a joint at rest gives way, `way` = ±1: the limit of the torque at small rates."""
        return self.torque(Slip(0, maths, load, way))

    def slopes(self, slip: Slip) -> tuple[Any, Any]:
        """(∂f/∂q̇, ∂f/∂load), the sign of a rate being constant."""
        if self.is_zero():
            return 0, 0
        rate, load = variables([slip.rate, 0 if slip.load is None else slip.load])
        constant = self.mapped(lambda value: value if isinstance(value, int) else Dual(value))
        found = constant.torque(Slip(rate, DualMaths(slip.maths), load, slip.ahead))
        return partial(found, 0), partial(found, 1)


def linear_letters(law: type[Law[Any]]) -> tuple[str, ...]:
    """The letters of the parameters a law's torque is linear in."""
    return tuple(entry.letters for entry in law.entries if entry.linear)
