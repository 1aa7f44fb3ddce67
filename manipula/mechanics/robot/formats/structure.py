"""Numbers that mean structure: a twist of 1.5707963267948966 is a quarter turn, an offset of 2e-11 m is none.

One rule, whatever the format. What counts is how far an angle is from the nearest multiple of 90°, and how long a
length is beside the arm, the sum of its lengths:

    angle    ≤ 1e-9 rad    it is that multiple: so much is the rounding of floats
             ≤ 1e-4 rad    it is read as that multiple, with a warning: 1.5708, 3.1416, -1.5707
             further       it stays as written; a warning asks whether 1.57 or 3.14 was meant so
    length   ≤ 1e-9        it is zero

A float may also spell another multiple of 15° to its last digit, as math.pi/4 does: then it is that one. All of it is
noted in the robot's origin, and `exact=True` keeps every number as written.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

from manipula.errors import caution
from manipula.mechanics.robot.exact import is_quarter
from manipula.mechanics.robot.values.parameter import ZERO, Deg, Num, Parameter
from manipula.messages import Message, joined

SURE = 1e-9  # rad, or of the arm's size
LIKELY = 1e-4  # rad
Direction = tuple[Fraction, Fraction, Fraction]
_SPELLED = 1e-12  # rad: a float that stands for a multiple of 15°
_ROUNDED = 1e-3  # rad: as far as three digits go
_DIGITS = 10**6  # a number of more decimals was not rounded by hand
_FARTHEST = 1e4  # rad: beyond, a float no longer tells such angles apart
_SHOWN = 8  # angles named in a warning
QUARTER = math.pi / 2


@dataclass
class Structure:
    """Reads the angles of one file and remembers what it made of them."""

    exact: bool = False
    likely: float = LIKELY
    notes: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def angle(self, angle: Parameter, where: str) -> Parameter:
        """The multiple of 90° it stands for, or the angle as written."""
        if self.exact or not isinstance(angle, Num | Deg) or is_quarter(angle) or abs(radians(angle)) > _FARTHEST:
            return angle
        quarters, apart = nearest_quarter(angle)
        if apart <= self.likely:
            return self._read(angle, where, Deg(Fraction(90 * quarters)), apart > SURE)
        if is_rounded(angle, quarters, apart):
            self.kept.append(
                Message("{where} {value:g} rad beside {quarters}°", where, float(angle.value), 90 * quarters)
            )
        steps = round(radians(angle) * 12 / math.pi)
        if isinstance(angle, Num) and abs(radians(angle) - steps * math.pi / 12) <= _SPELLED:
            return self._read(angle, where, Deg(Fraction(15 * steps)), doubtful=False)
        return angle

    def _read(self, angle: Num | Deg, where: str, meant: Deg, doubtful: bool) -> Parameter:
        written = Message(
            ("{where} {value:.12g} rad" if isinstance(angle, Num) else "{where} {value:.12g} degrees"),
            where,
            float(angle.value),
        )
        self.notes.append(Message("{written} read as {value}°", written, meant.value))
        if doubtful:
            self.doubtful.append(Message("{written} as {value}°", written, meant.value))
        return meant if meant.value else ZERO

    def axis(self, axis: Direction, where: str) -> Direction:
        """Without the parts that are as small beside the largest as a small angle is."""
        size = max(map(abs, axis))
        drops = [0 < abs(part) <= Fraction(self.likely) * size for part in axis]
        if self.exact or not any(drops):
            return axis
        x, y, z = (Fraction(0) if drop else part for part, drop in zip(axis, drops))
        written, read = (" ".join(f"{float(part):g}" for part in way) for way in (axis, (x, y, z)))
        self.notes.append(Message("{where}: axis {written} read as {read}", where, written, read))
        if any(drop and abs(part) > Fraction(SURE) * size for part, drop in zip(axis, drops)):
            self.doubtful.append(Message("{where}: axis {written} as {read}", where, written, read))
        return x, y, z

    def length(self, length: Parameter, where: str, size: float) -> Parameter:
        """Zero, where it is nothing beside the arm."""
        tiny = isinstance(length, Num) and 0 < abs(float(length.value)) <= SURE * size
        if self.exact or not tiny or not isinstance(length, Num):
            return length
        self.notes.append(Message("{where} {value:.3g} m read as 0", where, float(length.value)))
        return ZERO

    def warn(self, file: str) -> None:
        """One warning for the whole file of what was read, and one of what was kept."""
        place = f"{file}: " if file else ""
        if self.doubtful:
            told = Message("{place}near multiples of 90°, so read as such: {listed}", place, _listed(self.doubtful))
            caution("{told} (exact=True, --exact in a shell, keeps what is written)", told)
        if self.kept:
            told = Message(
                "{place}kept as written, though a quarter turn may be meant: {listed}", place, _listed(self.kept)
            )
            caution("{told} (write pi/2, or more of its digits)", told)


def _listed(places: list[str]) -> str:
    more = Message("; and {count} more", len(places) - _SHOWN) if len(places) > _SHOWN else ""
    return joined("", (joined("; ", places[:_SHOWN]), more))


def radians(angle: Num | Deg) -> float:
    return float(angle.value) * (math.pi / 180 if isinstance(angle, Deg) else 1)


def nearest_quarter(angle: Num | Deg) -> tuple[int, float]:
    """(the number of quarter turns, how far the angle is from them in radians)"""
    quarters = round(radians(angle) / QUARTER)
    if isinstance(angle, Deg):
        return quarters, math.radians(abs(float(angle.value - 90 * quarters)))
    return quarters, abs(radians(angle) - quarters * QUARTER)


def is_rounded(angle: Num | Deg, quarters: int, apart: float) -> bool:
    """Whether a person may have written 1.57 for a quarter turn."""
    if isinstance(angle, Deg) or not quarters or (angle.value * _DIGITS).denominator != 1:
        return False
    meant = Fraction(QUARTER) * quarters
    two_digits = angle.value in (round(meant, 2), Fraction(int(meant * 100), 100))
    return apart <= _ROUNDED or two_digits
