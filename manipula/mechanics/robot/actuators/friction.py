"""The friction laws. A new one is a class here and its line in `LAWS`: files, tables, models, regressors, derivatives
and checks go by that list.

Sources: B. Armstrong-Hélouvry, P. Dupont and C. Canudas de Wit, A survey of models, analysis tools and compensation
methods for the control of machines with friction, Automatica 30(7), 1994, sections 2 and 3.
"""

from __future__ import annotations

from typing import Any

from manipula.mechanics.robot.actuators.law import E, Law, Slip
from manipula.mechanics.robot.values.entry import Entry
from manipula.mechanics.spatial.inertia import half, quotient


class Viscous(Law[E]):
    key, title, says, always = "viscous", "viscous", "fv·q̇", True
    entries = (Entry("", "fv", "N·m·s/rad or N·s/m"),)

    def shapes(self, slip: Slip) -> tuple[Any, ...]:
        return (slip.rate,)


class Coulomb(Law[E]):
    key, title, says, always, dry = "coulomb", "Coulomb", "fc·sign(q̇)", True, True
    entries = (Entry("", "fc", "N·m or N"),)

    def shapes(self, slip: Slip) -> tuple[Any, ...]:
        return (slip.way,)


class Offset(Law[E]):
    """A constant torque: a spring at rest, an amplifier's offset, what is left of asymmetric friction."""

    key, title, says, always = "offset", "offset", "fo", True
    entries = (Entry("", "fo", "N·m or N", bound="any"),)

    def shapes(self, slip: Slip) -> tuple[Any, ...]:
        return (1,)


class Asymmetric(Law[E]):
    """Coulomb and viscous friction that differ with the way the joint moves, all four given as positive numbers.

    With s = sign(q̇), ½(1 + s) is 1 forwards and 0 backwards; both are ½ at rest, where s and q̇ beside them are 0.
    """

    key, title, dry, checked = "asymmetric", "asymmetric", True, True
    says = "fcp + fvp·q̇ where q̇ > 0, −fcm + fvm·q̇ where q̇ < 0"
    entries = (
        Entry("coulomb_plus", "fcp", "N·m or N"),
        Entry("coulomb_minus", "fcm", "N·m or N"),
        Entry("viscous_plus", "fvp", "N·m·s/rad or N·s/m"),
        Entry("viscous_minus", "fvm", "N·m·s/rad or N·s/m"),
    )

    def shapes(self, slip: Slip) -> tuple[Any, ...]:
        way = slip.way
        plus, minus = half(1 + way), half(1 - way)
        return way * plus, way * minus, slip.rate * plus, slip.rate * minus


class Load(Law[E]):
    """Coulomb friction that grows with what the joint bears, as gears do: the load is the torque the mechanism behind
    the joint asks for, with its weight and its contacts, without motor inertia and friction."""

    key, title, says, loaded, dry, checked = "load", "load", "fl·|load|·sign(q̇)", True, True, True
    entries = (Entry("", "fl", "N·m per N·m, or N per N"),)

    def shapes(self, slip: Slip) -> tuple[Any, ...]:
        return (slip.maths.abs(slip.load) * slip.way,)


class Stribeck(Law[E]):
    """What friction at rest has above Coulomb friction, lost within a few times the Stribeck velocity (Bo and Pavelescu
    1982, in the survey's equation 5 with δ = 2)."""

    key, title, says, dry, checked = "stribeck", "Stribeck", "fs·exp(−(q̇/vs)²)·sign(q̇)", True, True
    entries = (
        Entry("torque", "fs", "N·m or N above Coulomb friction"),
        Entry("velocity", "vs", "rad/s or m/s", linear=False, bound="positive"),
    )

    def shapes(self, slip: Slip) -> tuple[Any, ...]:
        speed: Any = self["vs"]
        pace = quotient(slip.rate, speed)
        return (slip.maths.exp(-(pace * pace)) * slip.way,)


LAWS: tuple[type[Law[Any]], ...] = (Viscous, Coulomb, Offset, Asymmetric, Load, Stribeck)
