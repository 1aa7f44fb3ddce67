"""Friction laws: each is one class that holds all there is to know of it. A new one is a class here and its place in
`LAWS`: files, tables, models, regressors, derivatives, identification and checks go by that list.

A law's parameters are cells in a description and scalars in a chain; `entries` says of each how a robot file calls it,
the letters of its automatic name (`fv` of `fv2`), its units, and whether the torque is linear in it. The formula itself
is `shapes`: what is beside each linear parameter, as a function of how the joint slips. From it follow

    torque     f = Σ parameter · shape              column      ∂f/∂parameter = shape
    slope      ∂f/∂q̇ and ∂f/∂load, by dual numbers   breakaway   f at rest, about to slip one way

so that a regressor, a derivative and a simulation cannot disagree with the torque. For a parameter that the torque is
not linear in, an identification tries the law's `widths`.

Sources: B. Armstrong-Hélouvry, P. Dupont and C. Canudas de Wit, A survey of models, analysis tools and compensation
methods for the control of machines with friction, Automatica 30(7), 1994, sections 2 and 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

from manipula.mechanics.robot.values.parameter import DAMPING, SHARE, TORQUE, VELOCITY, ParameterEntry
from manipula.mechanics.spatial.dual import Dual, DualMaths, partial, variables
from manipula.mechanics.spatial.inertia import half, quotient
from manipula.mechanics.spatial.vector import is_structural_zero
from manipula.scalar import Maths, Scalar

E = TypeVar("E")
F = TypeVar("F")


@dataclass(frozen=True)
class Slip:
    """How a joint slips: its rate q̇, and the torque `load` the mechanism behind it asks for (motion, weight, contact).

    `ahead` stands for sign(q̇) where that is given: ±1 for a joint at rest about to move, or a smooth function of a
    velocity that is wanted; of a joint that simply moves it is None.
    """

    rate: Scalar
    maths: Maths[Any]
    load: Any = None
    ahead: Any = None

    @property
    def way(self) -> Any:
        """sign(q̇), 0 at rest; requested only where a law needs it."""
        return self.maths.sign(self.rate) if self.ahead is None else self.ahead


@dataclass(frozen=True)
class FrictionLaw(Generic[E]):
    """`values` holds the parameters in the order of `entries`."""

    values: tuple[E, ...]

    key: ClassVar[str]  # in the table `friction` of a robot file
    title: ClassVar[str]  # at the head of a table's column
    says: ClassVar[str]  # its formula, for people
    entries: ClassVar[tuple[ParameterEntry, ...]]
    always: ClassVar[bool] = False  # every joint has it, zero unless the file says more
    loaded: ClassVar[bool] = False  # does the torque depend on the load?
    checked: ClassVar[bool] = False  # does the checker beside emitted code know it, by its key?
    dry: ClassVar[bool] = False  # does the torque jump where the joint turns back, so that it can hold it?
    widths: ClassVar[tuple[Fraction, ...]] = ()  # tried for the parameter it is not linear in, SI of a turning joint

    def shapes(self, slip: Slip) -> tuple[Scalar, ...]:
        """What is beside each linear parameter."""
        raise NotImplementedError

    def __getitem__(self, letters: str) -> E:
        return self.parameters_by_letter()[letters]

    def parameters_by_letter(self) -> dict[str, E]:
        """The parameters by their letters."""
        return {entry.letters: value for entry, value in zip(self.entries, self.values, strict=True)}

    def map_entries(self, change: Callable[[E], F]) -> FrictionLaw[F]:
        """The same law with every parameter changed."""
        return type(self)(tuple(map(change, self.values)))  # type: ignore[arg-type, return-value]

    def columns(self, slip: Slip) -> dict[str, Scalar]:
        """Of each linear parameter the torque that one unit of it makes."""
        return dict(zip(linear_letters(type(self)), self.shapes(slip), strict=True))

    def is_zero(self) -> bool:
        """No linear parameter is there: whatever the joint does, this law asks for nothing."""
        return all(is_structural_zero(self[letters]) for letters in linear_letters(type(self)))

    def torque(self, slip: Slip) -> Any:
        """f = Σ parameter · shape; a parameter that is structurally absent asks for no function of the rate."""
        total: Scalar = 0
        for letters, shape in {} if self.is_zero() else self.columns(slip).items():
            total = total if is_structural_zero(self[letters]) else total + self[letters] * shape
        return total

    def breakaway(self, way: int, maths: Maths[Scalar], load: Scalar | None = None) -> Any:
        """The torque at which a joint at rest gives way, `way` = ±1: the limit of the torque at small rates."""
        return self.torque(Slip(0, maths, load, way))

    def slopes(self, slip: Slip) -> tuple[Scalar, Scalar]:
        """(∂f/∂q̇, ∂f/∂load), the sign of a rate being constant."""
        if self.is_zero():
            return 0, 0
        rate, load = variables([slip.rate, 0 if slip.load is None else slip.load])
        constant = self.map_entries(lambda value: value if isinstance(value, int) else Dual(value))
        found = constant.torque(Slip(rate, DualMaths(slip.maths), load, slip.ahead))
        return partial(found, 0), partial(found, 1)


def linear_letters(law: type[FrictionLaw[Any]]) -> tuple[str, ...]:
    """The letters of the parameters a law's torque is linear in."""
    return tuple(entry.letters for entry in law.entries if entry.linear)


class Viscous(FrictionLaw[E]):
    key, title, says, always = "viscous", "viscous", "fv·q̇", True
    entries = (ParameterEntry("", "fv", DAMPING),)

    def shapes(self, slip: Slip) -> tuple[Scalar, ...]:
        return (slip.rate,)


class Coulomb(FrictionLaw[E]):
    key, title, says, always, dry = "coulomb", "Coulomb", "fc·sign(q̇)", True, True
    entries = (ParameterEntry("", "fc", TORQUE),)

    def shapes(self, slip: Slip) -> tuple[Scalar, ...]:
        return (slip.way,)


class Offset(FrictionLaw[E]):
    """A constant torque: a spring at rest, an amplifier's offset, what is left of asymmetric friction."""

    key, title, says, always = "offset", "offset", "fo", True
    entries = (ParameterEntry("", "fo", TORQUE, bound="any"),)

    def shapes(self, slip: Slip) -> tuple[Scalar, ...]:
        return (1,)


class Asymmetric(FrictionLaw[E]):
    """Coulomb and viscous friction that differ with the way the joint moves, all four given as positive numbers.

    With s = sign(q̇), ½(1 + s) is 1 forwards and 0 backwards; both are ½ at rest, where s and q̇ beside them are 0.
    """

    key, title, dry, checked = "asymmetric", "asymmetric", True, True
    says = "fcp + fvp·q̇ where q̇ > 0, −fcm + fvm·q̇ where q̇ < 0"
    entries = (
        ParameterEntry("coulomb_plus", "fcp", TORQUE),
        ParameterEntry("coulomb_minus", "fcm", TORQUE),
        ParameterEntry("viscous_plus", "fvp", DAMPING),
        ParameterEntry("viscous_minus", "fvm", DAMPING),
    )

    def shapes(self, slip: Slip) -> tuple[Scalar, ...]:
        way = slip.way
        plus, minus = half(1 + way), half(1 - way)
        return way * plus, way * minus, slip.rate * plus, slip.rate * minus


class Load(FrictionLaw[E]):
    """Coulomb friction that grows with what the joint bears, as gears do: the load is the torque the mechanism behind
    the joint asks for, with its weight and its contacts, without motor inertia and friction."""

    key, title, says, loaded, dry, checked = "load", "load", "fl·|load|·sign(q̇)", True, True, True
    entries = (ParameterEntry("", "fl", SHARE),)

    def shapes(self, slip: Slip) -> tuple[Scalar, ...]:
        return (slip.maths.abs(slip.load) * slip.way,)


class Stribeck(FrictionLaw[E]):
    """What friction at rest has above Coulomb friction, lost within a few times the Stribeck velocity (Bo and Pavelescu
    1982, in the survey's equation 5 with δ = 2)."""

    key, title, says, dry, checked = "stribeck", "Stribeck", "fs·exp(−(q̇/vs)²)·sign(q̇)", True, True
    entries = (
        ParameterEntry("torque", "fs", TORQUE),
        ParameterEntry("velocity", "vs", VELOCITY, linear=False, bound="positive"),
    )
    widths = tuple(map(Fraction, ("0.02", "0.05", "0.1", "0.3")))

    def shapes(self, slip: Slip) -> tuple[Scalar, ...]:
        speed: Any = self["vs"]
        pace = quotient(slip.rate, speed)
        return (slip.maths.exp(-(pace * pace)) * slip.way,)


LAWS: tuple[type[FrictionLaw[Any]], ...] = (Viscous, Coulomb, Offset, Asymmetric, Load, Stribeck)


def without_negative_damping(friction: Mapping[str, float]) -> dict[str, float]:
    """The same friction, by letters, where a difference of both ways has made the damping of one of them negative:
    fv·q̇ is asymmetric damping with fvp = fvm = fv."""
    found = dict(friction)
    if min(found.get("fvp", 0.0), found.get("fvm", 0.0)) < 0:
        common = found.pop("fv", 0.0)
        found |= {letters: found.get(letters, 0.0) + common for letters in ("fvp", "fvm")}
    return found
