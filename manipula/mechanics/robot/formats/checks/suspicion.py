"""Numbers that look as if they were in another unit. Each answer is (problem, hint), or None."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from manipula.mechanics.robot.values.parameter import Deg, Num
from manipula.messages import Message

_LONGEST = 20  # metres: no link of a table is longer, many a link in millimetres is
_SHORTEST = Fraction(5, 1000)  # metres: a table with nothing longer was not written in millimetres
_QUARTER = math.pi / 2


def angle_suspicion(angle: Num | Deg, unit: str) -> tuple[str, str] | None:
    """Degrees given as radians, radians given as degrees; `unit` is the file's."""
    value = angle.value
    if isinstance(angle, Deg):
        if 0 < abs(value) < 7 and _near_quarter(value, 1e-3):
            return Message("{value:g} degrees looks like radians", float(value)), Message(
                'write angle = "rad", or the angle in degrees'
            )
        return None
    if abs(value) > 2 * math.pi or (value and value % 15 == 0):
        hint = (
            Message('write angle = "deg", or an expression such as "pi/2"')
            if unit == "rad"
            else _with_unit(value, "deg")
        )
        return Message("{value:g} radians looks like degrees", float(value)), hint
    return None


def _near_quarter(value: Fraction, tolerance: float) -> bool:
    turns = float(value) / _QUARTER
    return round(turns) != 0 and abs(turns - round(turns)) < tolerance


def length_suspicion(length: Num | Deg, unit: str) -> tuple[str, str] | None:
    """Millimetres given as metres."""
    if isinstance(length, Num) and abs(length.value) > _LONGEST:
        hint = (
            Message('write length = "mm", or the length in metres') if unit == "m" else _with_unit(length.value, "mm")
        )
        return Message("{value:g} m looks like millimetres", float(length.value)), hint
    return None


def _with_unit(value: Fraction, unit: str) -> str:
    """The file says the unit already: the number is the value of a name, or has another one written behind it."""
    return Message('a name has its value in SI; write "{value:g} {unit}"', float(value), unit)


def short_suspicion(lengths: Sequence[Fraction]) -> tuple[str, str] | None:
    """Metres given as millimetres: every length of the table is tiny."""
    longest = max(map(abs, lengths), default=Fraction(0))
    if 0 < longest < _SHORTEST:
        return Message("the longest link is {longest:g} mm, which looks like metres", float(longest * 1000)), Message(
            'write length = "m"'
        )
    return None
