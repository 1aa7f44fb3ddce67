"""A class of motions, as samples: what an approximate model has to be good for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manipula.errors import InputError
from manipula.mechanics.robot.description import Joint, RobotDescription
from manipula.mechanics.robot.values.parameter import float_of, names_of
from manipula.support.plain import plain

Array = NDArray[np.float64]
SAMPLES = 1024  # a power of two, as the sequence likes it


@dataclass(frozen=True, repr=False)
class Motions:
    """A class of motions: samples of q, q̇, q̈, each (samples, dof), SI."""

    q: Array
    qd: Array
    qdd: Array

    def __repr__(self) -> str:
        bounds = ", ".join(f"{low:.3g} … {high:.3g}" for low, high in zip(self.q.min(0)[:4], self.q.max(0)[:4]))
        more = ", …" if self.q.shape[1] > 4 else ""
        return f"<{len(self.q)} samples of motions of {self.q.shape[1]} joints: q in {bounds}{more}>"

    def as_dict(self) -> dict[str, Any]:
        return {name: plain(value) for name, value in vars(self).items()}

    @classmethod
    def within(
        cls, position: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, samples: int = SAMPLES, seed: int = 1
    ) -> Motions:
        """Every motion in a box: positions between (low, high) of each joint, rates up to a bound of each joint.

        The samples are a Sobol sequence: they fill the box evenly, and the same seed gives the same ones.
        """
        low, high = np.asarray(position, dtype=float).reshape(-1, 2).T
        dof = len(low)
        rates, pushes = (np.broadcast_to(np.asarray(x, dtype=float), (dof,)) for x in (velocity, acceleration))
        from scipy.stats import qmc  # takes a second to load, and serves here alone

        unit = qmc.Sobol(3 * dof, seed=seed).random(samples)
        q = low + (high - low) * unit[:, :dof]
        return cls(q, rates * (2 * unit[:, dof : 2 * dof] - 1), pushes * (2 * unit[:, 2 * dof :] - 1))

    @classmethod
    def of(
        cls, robot: RobotDescription, velocity: ArrayLike, acceleration: ArrayLike, samples: int = SAMPLES
    ) -> Motions:
        """Every motion inside the joint limits of the file, a whole turn where a revolute joint has none."""
        values = {name: float_of(value, {}) for name, value in robot.values if not list(names_of(value))}
        boxes = [_box(joint, values, robot.name) for joint in robot.joints if joint.name in robot.joint_names]
        return cls.within(boxes, velocity, acceleration, samples)


def _box(joint: Joint, values: dict[str, float], robot: str) -> tuple[float, float]:
    if joint.limits is None and not joint.turns:
        raise InputError(
            "{robot}: joint {name!r} has no limits; say how far it slides with Motions.within(…)", robot, joint.name
        )
    if joint.limits is None:
        return (-np.pi, np.pi)
    return (float_of(joint.limits[0], values), float_of(joint.limits[1], values))
