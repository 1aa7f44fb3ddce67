"""The bristles of LuGre friction as numbers, one entry a coordinate; equations and source: `models.drives.bristles`.

Unless given they bend by a milliradian (a tenth of a millimetre where a joint slides) before they give way, σ0 =
breakaway / bend, and are damped by σ1 = σ0 · 5 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.mechanics.robot.description import RobotDescription
from manipula.simulation.drives.rubbing import Rubbing

Array = NDArray[np.float64]
TURN, SLIDE = 1e-3, 1e-4  # rad, m: how far bristles bend
DAMPED = 5e-3  # s
FAST = 1e6  # rad/s, m/s: nothing of Stribeck friction is left


class Bristles(NamedTuple):
    """σ0 in N·m/rad or N/m, σ1 in N·m·s/rad or N·s/m; `bent` are the coordinates that have bristles."""

    stiffness: Array
    damping: Array
    bent: tuple[bool, ...]

    def rate(self, v: Array, against: Array, z: Array) -> Array:
        """ż = v − σ0 |v|/g(v) z, `against` being g"""
        g = np.where(self.bent, against, 1.0)
        return np.where(self.bent, v - self.stiffness * np.abs(v) / g * z, 0.0)

    def torque(self, z: Array, rate: Array) -> Array:
        """σ0 z + σ1 ż"""
        return np.where(self.bent, self.stiffness * z + self.damping * rate, 0.0)


def bristles_of(robot: RobotDescription, sigma0: Sequence[float] | None, sigma1: Sequence[float] | None) -> Bristles:
    """As given, one a coordinate, or by default. Bristles need something to bend against, whichever way they slide."""
    rubs = Rubbing(robot)
    still, one = np.zeros(robot.dof), np.ones(robot.dof)
    low, high = (rubs.sliding(still, way * one, still) for way in (-1, 1))
    for v in (0.0, FAST):
        for way in (-1, 1):
            _refuse_bare(robot, rubs.dry, way * rubs.sliding(way * v * one, way * one, still))
    bend = np.where(robot.coordinates.turns, TURN, SLIDE)
    stiffness = np.maximum(-low, high) / bend if sigma0 is None else np.array(sigma0)
    stiffness = np.where(rubs.dry, stiffness, 1.0)
    damping = stiffness * DAMPED if sigma1 is None else np.array(sigma1)
    return Bristles(stiffness, np.where(rubs.dry, damping, 0.0), tuple(map(bool, rubs.dry)))


def _refuse_bare(robot: RobotDescription, dry: NDArray[np.bool_], against: Array) -> None:
    for name, has, torque in zip(robot.joint_names, dry, against):
        if has and not torque > 0:
            raise InputError(
                "joint {name!r}: its dry friction goes down to {torque:g} in one way of moving, so bristles "
                'have nothing to bend against; give it Coulomb friction in both, or take friction="stick"',
                name,
                torque + 0.0,
            )
