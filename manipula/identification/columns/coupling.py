"""Motors that turn together, as in wrists: that of joint b turns with ω = q̇_b + c·q̇_a.

It asks  T = I·ω̇ + fv·ω + fc·sign(ω)  of joint b, and c·T of joint a. What of I and fv is felt with a joint's own rates
is in Ia and fv of that joint already; the columns here are the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from manipula.identification.columns.column import Column
from manipula.mechanics.models.linear.joint_families import At, Formula
from manipula.mechanics.robot.values.entry import DAMPING, INERTIA, TORQUE

COUPLING = "coupling"
LETTERS = (("Ia", INERTIA), ("fv", DAMPING), ("fc", TORQUE))


@dataclass(frozen=True)
class Coupling:
    """Of joints a and b by their places, the factor c."""

    a: int
    b: int
    factor: Fraction

    def columns(self, ends: list[str], turns: bool) -> Iterator[tuple[Column, Formula]]:
        rows = tuple(sorted((self.a, self.b)))
        formulas = (self._inertia, self._viscous, self._dry)
        for (letters, unit), formula in zip(LETTERS, formulas, strict=True):
            name = f"{letters}{ends[self.a]}_{ends[self.b]}"
            yield Column(name, COUPLING, self.b, unit[not turns], None, None, rows), formula

    def _other(self, row: int) -> int:
        return self.a if row == self.b else self.b

    def _inertia(self, at: At, row: int) -> object:
        return at.maths.number(self.factor) * at.qdd[self._other(row)]

    def _viscous(self, at: At, row: int) -> object:
        return at.maths.number(self.factor) * at.qd[self._other(row)]

    def _dry(self, at: At, row: int) -> object:
        factor = at.maths.number(self.factor)
        way = At(at.maths, at.q, [at.qd[self.b] + factor * at.qd[self.a]], at.qdd, [at.pace[self.b]]).way(0)
        return factor * way if row == self.a else way
