"""The friction of every coordinate as numbers: what slides, and what holds a joint at rest.

A law that jumps where a joint turns back is dry: it has one torque for each way of moving, and at rest any between the
two. The others (viscous, offset) are smooth. A joint that follows one coordinate rubs on that coordinate.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.generation.structure import numeric_chain
from manipula.mechanics.robot.actuators.friction import LAWS, FrictionLaw, Slip
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.tree import Link
from manipula.scalar import OPS, Maths

Array = NDArray[np.float64]


class JointwiseMaths(Maths[Array]):
    """Arrays, joint by joint."""

    def number(self, value: Fraction) -> Array:
        return np.asarray(float(value))

    def degrees(self, value: Fraction) -> Array:
        return np.asarray(np.radians(float(value)))

    def apply(self, name: str, *args: Any) -> Array:
        return np.asarray(getattr(np, OPS[name].word("numpy"))(*args))


_ARRAYS = JointwiseMaths()


class Rubbing:
    """`loads` are the torques that the mechanism behind every coordinate asks for; read where a law depends on them."""

    def __init__(self, robot: RobotDescription) -> None:
        chain = numeric_chain(robot)
        rows = [(x, row.terms) for x, row in zip(chain.links, chain.coordinates.rows, strict=True) if _rubs(x)]
        for link, terms in rows:
            if len(terms) > 1:
                raise InputError(
                    "joint {name!r}: it rubs and follows {count} joints at once; without friction it can be simulated",
                    link.name,
                    len(terms),
                )
        self.dof = robot.dof
        self.coordinate = np.array([terms[0][0] for _, terms in rows], dtype=int)
        self.factor = np.array([float(terms[0][1]) for _, terms in rows])  # q̇ of the joint = factor · q̇
        self.laws = _side_by_side([link for link, _ in rows])
        self.loaded = any(law.loaded for law in self.laws)
        if self.loaded and chain.coordinates.coupled:
            raise InputError(
                "{name}: friction that follows the load is not simulated where joints follow others", robot.name
            )
        still, zero = np.zeros(self.dof), np.ones(self.dof)
        low, high = (self.sliding(still, way * np.ones(self.dof), zero) for way in (-1, 1))
        self.dry = high > low
        self._holds = low, high

    def smooth(self, qd: Array, loads: Array) -> Array:
        """What does not jump."""
        return self._sum(False, qd, loads, None)

    def sliding(self, qd: Array, ways: Any, loads: Array) -> Array:
        """Dry friction of joints that move the ways ±1, smooth in q̇ through zero; none where the way is 0."""
        return self._sum(True, qd, loads, np.asarray(ways))

    def bounds(self, loads: Array) -> tuple[Array, Array]:
        """Between which torques dry friction holds a joint at rest: (low, high)."""
        if not self.loaded:
            return self._holds
        still, one = np.zeros(self.dof), np.ones(self.dof)
        return self.sliding(still, -one, loads), self.sliding(still, one, loads)

    def eased(self, qd: Array, loads: Array, width: float) -> Array:
        """Dry friction with its jump drawn out: ½ (f₊ + f₋) + ½ (f₊ − f₋) tanh(q̇/width)"""
        minus, plus = (self.sliding(qd, way * np.ones(self.dof), loads) for way in (-1, 1))
        return np.asarray(0.5 * (plus + minus) + 0.5 * (plus - minus) * np.tanh(qd / width))

    def _sum(self, dry: bool, qd: Array, loads: Array, ways: Array | None) -> Array:
        laws = [law for law in self.laws if law.dry is dry]
        if not laws:
            return np.zeros(self.dof)
        at = self.coordinate
        ahead: Any = None if ways is None else np.sign(self.factor) * ways[at]
        slip = Slip(self.factor * qd[at], _ARRAYS, loads[at], ahead)
        total = sum(law.torque(slip) for law in laws) * self.factor
        if ways is not None:
            total = np.where(ways[at] == 0, 0.0, total)
        weights = np.broadcast_to(total, at.shape)
        return np.asarray(np.bincount(at, weights=weights, minlength=self.dof), dtype=float)


class OnMotors:
    """The friction of motors as that of all coordinates of an elastic arm, links first; links have none."""

    loaded = False  # what a motor bears is its spring's torque, and known

    def __init__(self, rubbing: Rubbing) -> None:
        self.rubbing, self.n = rubbing, rubbing.dof
        self.dry = np.concatenate([np.zeros(self.n, dtype=bool), rubbing.dry])

    def smooth(self, qd: Array, loads: Array) -> Array:
        return self._below(self.rubbing.smooth(qd[self.n :], loads[self.n :]))

    def sliding(self, qd: Array, ways: Any, loads: Array) -> Array:
        return self._below(self.rubbing.sliding(qd[self.n :], np.asarray(ways)[self.n :], loads[self.n :]))

    def bounds(self, loads: Array) -> tuple[Array, Array]:
        low, high = self.rubbing.bounds(loads[self.n :])
        return self._below(low), self._below(high)

    def eased(self, qd: Array, loads: Array, width: float) -> Array:
        return self._below(self.rubbing.eased(qd[self.n :], loads[self.n :], width))

    def _below(self, motors: Array) -> Array:
        return np.concatenate([np.zeros(self.n), motors])


def _rubs(link: Link) -> bool:
    return any(float(law[x.letters]) for law in link.actuator.laws for x in law.entries if x.linear)


def _side_by_side(links: Sequence[Link]) -> list[FrictionLaw[Any]]:
    """Every law that some joint has, its parameters an entry a joint; one that shapes a law nobody has there is 1."""
    found: list[FrictionLaw[Any]] = []
    for kind in LAWS:
        values = [next((law.values for law in link.actuator.laws if type(law) is kind), None) for link in links]
        table = [[0.0 if x.linear else 1.0 for x in kind.entries] if row is None else row for row in values]
        columns = tuple(np.array([float(x) for x in column]) for column in zip(*table, strict=True))
        if any(column.any() for column, x in zip(columns, kind.entries) if x.linear):
            found.append(kind(columns))
    return found
