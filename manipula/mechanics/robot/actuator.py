"""What drives a joint: motor inertia, friction laws, and the transmission between motor and joint.

Over cells in a description, over scalars in a tree. Motor inertia and friction are referred to the joint, and models
of a rigid arm read only these. `gear` (motor turns per joint turn, rad/m where the joint slides), `efficiency` (of the
gear, the share of the power that passes), `stiffness` (of the drive, at the joint) and `backlash` (the joint's free
play) are kept for what looks at the motor's side. None is not given: nothing is known of the gear, the gear loses
nothing, the drive is rigid and without play.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Generic

from manipula.mechanics.robot.friction import LAWS, E, F, FrictionLaw, Slip, linear_letters
from manipula.mechanics.robot.values.parameter import INERTIA, POSITION, SHARE, STIFFNESS, ParameterEntry
from manipula.mechanics.spatial.vector import is_structural_zero
from manipula.scalar import Maths, Scalar

MOTOR = ParameterEntry("motor_inertia", "Ia", INERTIA)
DRIVE = (
    ParameterEntry("gear", "gear", ("motor turns per joint turn", "rad/m"), linear=False, bound="not zero"),
    ParameterEntry("efficiency", "efficiency", SHARE, linear=False, bound="share"),
    ParameterEntry("stiffness", "stiffness", STIFFNESS, linear=False, bound="positive"),
    ParameterEntry("backlash", "backlash", POSITION, linear=False),
)
LETTERS = tuple(x.letters for x in (MOTOR, *(entry for law in LAWS for entry in law.entries), *DRIVE))
# a law that follows the load has no such shape: its torque is a product of its parameter and those of the links
LINEAR = (MOTOR.letters, *(letters for law in LAWS if not law.loaded for letters in linear_letters(law)))


@dataclass(frozen=True)
class Item(Generic[E]):
    """A parameter of an actuator with what it is called: by people, and in a robot file."""

    title: str  # "Coulomb", "Stribeck velocity"
    place: str  # "friction.coulomb", "gear"
    entry: ParameterEntry
    value: E

    @property
    def name(self) -> str:
        """In a sentence."""
        return f"friction {self.title}" if self.place.startswith("friction.") else self.title


@dataclass(frozen=True)
class Actuator(Generic[E]):
    """`laws` are in the order of `LAWS`; those that every joint has are always there."""

    motor_inertia: E
    laws: tuple[FrictionLaw[E], ...]
    gear: E | None = None
    efficiency: E | None = None
    stiffness: E | None = None
    backlash: E | None = None

    def __repr__(self) -> str:
        """Without an efficiency as before there was one: the digest of a robot is of this text."""
        shown = (x.name for x in fields(self) if x.name != "efficiency" or self.efficiency is not None)
        return f"Actuator({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def parameters_by_letter(self) -> dict[str, E]:
        """Every parameter by its letters: Ia fv fc fo, then those of further laws, then what is given of the drive."""
        return {item.entry.letters: item.value for item in self.items()}

    def items(self) -> list[Item[E]]:
        """The same parameters in the same order, with their titles."""
        found = [Item("motor inertia", MOTOR.key, MOTOR, self.motor_inertia)]
        for law in self.laws:
            for entry, value in zip(law.entries, law.values, strict=True):
                words = (law.title, *entry.key.split("_")) if entry.key else (law.title,)
                place = ".".join(("friction", law.key, entry.key)).rstrip(".")
                found.append(Item(" ".join(words), place, entry, value))
        return found + [Item(entry.key, entry.key, entry, value) for entry, value in self.drive() if value is not None]

    def drive(self) -> Iterator[tuple[ParameterEntry, E | None]]:
        """Gear, its efficiency, stiffness and backlash."""
        return ((entry, getattr(self, entry.key)) for entry in DRIVE)

    def __getitem__(self, letters: str) -> E:
        return self.parameters_by_letter()[letters]

    def linear(self) -> dict[str, E]:
        """Those in which torques are linear, in the order of the regressor's columns."""
        return {letters: value for letters, value in self.parameters_by_letter().items() if letters in LINEAR}

    @property
    def depends_on_load(self) -> bool:
        """Does friction depend on what the joint bears?"""
        return any(law.loaded and not law.is_zero() for law in self.laws)

    # changes

    def map_entries(self, change: Callable[[E], F]) -> Actuator[F]:
        """Every parameter changed: cells into scalars, scalars into others."""
        drive = {entry.key: None if value is None else change(value) for entry, value in self.drive()}
        return Actuator(change(self.motor_inertia), tuple(law.map_entries(change) for law in self.laws), **drive)

    def with_entries(self, given: Mapping[str, Any]) -> Actuator[E]:
        """With other parameters, by their letters."""
        drive = {key: given.get(key, value) for key, value in ((entry.key, value) for entry, value in self.drive())}
        laws = tuple(
            type(law)(tuple(given.get(x, y) for x, y in law.parameters_by_letter().items())) for law in self.laws
        )
        return Actuator(given.get(MOTOR.letters, self.motor_inertia), laws, **drive)

    def only(self, given: Mapping[str, object]) -> Actuator[E]:
        """With these linear parameters, all other linear ones being 0; what shapes a law stays."""
        return self.with_entries(dict.fromkeys(self.linear(), 0) | dict(given))

    def without_friction(self, nothing: Callable[[E], E]) -> Actuator[E]:
        """`nothing` makes a zero of a parameter; laws that not every joint has go."""
        return replace(self, laws=tuple(law.map_entries(nothing) for law in self.laws if law.always))

    def with_friction(self, entry: Callable[[str], E], given: Collection[str]) -> Actuator[E]:
        """With other friction, of `entry(letters)`: the laws that every joint has, and those of which one is given."""
        return replace(self, laws=laws_from(entry, given))

    # mechanics, over scalars

    def friction(self, slip: Slip) -> Scalar:
        """Σ of the laws' torques"""
        total: Scalar = 0
        for law in self.laws:
            total = total if law.is_zero() else total + law.torque(slip)
        return total

    def torque(self, slip: Slip, acceleration: Scalar) -> Scalar:
        """Ia q̈ + friction"""
        return self.motor_inertia * acceleration + self.friction(slip)

    def columns(self, slip: Slip, acceleration: Scalar) -> dict[str, Any]:
        """What a unit of each linear parameter asks of the joint."""
        found = {MOTOR.letters: acceleration}
        for law in self.laws:
            found |= law.columns(slip)
        return found

    def slopes(self, slip: Slip) -> tuple[Scalar, Scalar]:
        """(∂friction/∂q̇, ∂friction/∂load)"""
        by_rate: Scalar = 0
        by_load: Scalar = 0
        for law in self.laws:
            rate, load = law.slopes(slip)
            by_rate, by_load = by_rate + rate, by_load + load
        return by_rate, by_load

    def present(self) -> list[str]:
        """The letters of the linear parameters that are there: an entry that is plainly zero is no parameter."""
        return [letters for letters, value in self.linear().items() if not is_structural_zero(value)]


def actuator_from(entry: Callable[[str], E], given: Collection[str] = ()) -> Actuator[E]:
    """The actuator whose parameters are `entry(letters)`: those every joint has, and those of which one is given."""
    drive = {x.key: entry(x.letters) for x in DRIVE if x.letters in given}
    return Actuator(entry(MOTOR.letters), laws_from(entry, given), **drive)


def laws_from(entry: Callable[[str], E], given: Collection[str]) -> tuple[FrictionLaw[E], ...]:
    """The laws that every joint has, and those of which a parameter is given, by its letters."""
    there = (law for law in LAWS if law.always or any(x.letters in given for x in law.entries))
    return tuple(law(tuple(entry(x.letters) for x in law.entries)) for law in there)


IDLE: Actuator[Scalar] = actuator_from(lambda letters: 0)


# Springs that bear a joint's weight: counterbalances, hung between two points beside the axis of a joint that turns.
#
# One end is held by the link before, at a distance R from the axis, the other by the joint's own link, at r. With the
# angle δ = angle + q between them, seen along the axis,
#
#     ℓ² = R² + r² − 2 R r cos δ         dℓ/dq = R r sin δ / ℓ         torque = force(ℓ) · dℓ/dq
#
# that the motor must give. The force of a coil spring is size·(ℓ − length), that of a gas spring, whose gas is pressed
# together over a stroke, size/(1 − (ℓ − length)/stroke). A file gives where it hangs; its size is found from logs.
#
# Derived here from the potential energy.


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


def spring_torque(spring: Spring[Any], q: Scalar, maths: Maths[Scalar]) -> Any:
    """Of a unit of its size, over any scalar."""
    R, r = spring.radii
    delta = spring.angle + q
    span = maths.sqrt(R * R + r * r - 2 * R * r * maths.cos(delta))
    lever = R * r * maths.sin(delta) / span
    drawn = span - spring.length
    return drawn * lever if spring.stroke is None else lever / (1 - drawn / spring.stroke)
