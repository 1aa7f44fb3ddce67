"""Families of motions that are linear in their coefficients: q(t) = B(t) x, and so with velocity and acceleration.

Every family has a constant as its first function, the centre, around which a motion can be made smaller; and every
motion begins and ends at rest, without velocity and acceleration, so that a robot can start it and stop after it.

Fourier, of the period T = 2π/ω, in the letters of `mechanics.models.motion.fourier`:

    q̇(0) = Σ a_k = 0        q̈(0) = ω Σ k b_k = 0

which leaves h − 1 of the a and as many of the b. A spline goes through 2h + 1 points at equal times, of degree five.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import pi
from typing import NamedTuple, Protocol

import numpy as np
from scipy.linalg import null_space

from manipula.errors import InputError
from manipula.simulation.paths.numbers import Floats
from manipula.simulation.paths.series import fourier, spline
from manipula.simulation.paths.trajectory import Trajectory


class Basis(NamedTuple):
    """The functions at some times, (times, functions): of positions, velocities, accelerations."""

    q: Floats
    qd: Floats
    qdd: Floats


class Family(Protocol):
    """Motions of one kind; `functions` is how many coefficients a joint has."""

    @property
    def functions(self) -> int: ...
    def basis(self, t: Floats) -> Basis: ...
    def trajectory(self, x: Floats) -> Trajectory: ...


@dataclass(frozen=True)
class Fourier:
    """Of so many harmonics, in one period."""

    seconds: float
    harmonics: int

    @property
    def functions(self) -> int:
        return 2 * self.harmonics - 1

    @property
    def base(self) -> float:
        return 2 * pi / self.seconds

    @cached_property
    def _free(self) -> tuple[Floats, Floats]:
        """What rest at both ends leaves of a and of b, (harmonics, harmonics − 1) each."""
        orders = np.arange(1.0, self.harmonics + 1)
        return null_space(np.ones((1, self.harmonics))), null_space(orders[None])

    def basis(self, t: Floats) -> Basis:
        rate = self.base * np.arange(1.0, self.harmonics + 1)
        c, s = np.cos(np.outer(t, rate)), np.sin(np.outer(t, rate))
        constant, none = np.ones((len(t), 1)), np.zeros((len(t), 1))
        a, b = self._free
        return Basis(
            np.hstack([constant, (s / rate) @ a, (-c / rate) @ b]),
            np.hstack([none, c @ a, s @ b]),
            np.hstack([none, (-s * rate) @ a, (c * rate) @ b]),
        )

    def trajectory(self, x: Floats) -> Trajectory:
        a, b = self._free
        cosine, sine = np.split(x[1:], 2)
        return fourier(a @ cosine, b @ sine, self.base, q0=x[0])


@dataclass(frozen=True)
class Spline:
    """Through 2h + 1 points; their mean is the centre."""

    seconds: float
    harmonics: int

    @property
    def points(self) -> int:
        return 2 * self.harmonics + 1

    @property
    def functions(self) -> int:
        return self.points

    @cached_property
    def _points(self) -> Floats:
        """Coefficients → points."""
        return np.hstack([np.ones((self.points, 1)), null_space(np.ones((1, self.points)))])

    def basis(self, t: Floats) -> Basis:
        return Basis(*self.trajectory(np.eye(self.functions))(t))

    def trajectory(self, x: Floats) -> Trajectory:
        return spline(self._points @ x, np.linspace(0.0, self.seconds, self.points), degree=5)


FAMILIES: dict[str, type[Fourier] | type[Spline]] = {"fourier": Fourier, "spline": Spline}
FEWEST, MOST = 2, 100  # harmonics: with one, nothing is left of a motion that begins at rest


def refuse_harmonics(value: object) -> int:
    """A whole number that leaves something to choose."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not FEWEST <= value <= MOST:  # type: ignore[operator]
        raise InputError(
            "excite: harmonics: expected a whole number from {fewest} to {most}, found {value!r:.60}",
            FEWEST,
            MOST,
            value,
        )
    return int(value)  # type: ignore[call-overload, no-any-return]
