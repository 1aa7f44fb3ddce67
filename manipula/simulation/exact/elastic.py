"""An arm with elastic joints and numbers: its coordinates are those of the links, then those of the motors.

    ( M(q)    ) ( q̈ )     ( c + g − s )
    (       B ) ( θ̈ )  +  (     s     )  =  (push, τ) − (0, friction(θ̇)),        s = K dz(θ − q)

What is asked of a `Mechanism` is asked of these equations. A motor bears s, so friction that follows the load knows it.

Source: as `mechanics.models.drives.elastic`.
"""

from __future__ import annotations

import numpy as np

from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message
from manipula.simulation.drives.bristles import Bristles
from manipula.simulation.drives.rubbing import OnMotors, Rubbing
from manipula.simulation.drives.springs import Springs
from manipula.simulation.exact.mechanism import Array, Mechanism, frictionless, motorless, refuse_weightless

BEHIND = Message("behind a spring a link needs a mass")


class ElasticMechanism(Mechanism):
    """Compiled once."""

    def __init__(
        self, robot: RobotDescription, rubs: bool, width: float | None, bristles: Bristles | None, springs: Springs
    ) -> None:
        refuse_weightless(motorless(frictionless(robot)), BEHIND)
        super().__init__(motorless(robot), rubs, width, bristles)
        assert isinstance(self.rubbing, Rubbing)
        self.n, self.springs, self._links = robot.dof, springs, self.inertia
        self.inertia = self._both
        self.rubbing, held = OnMotors(self.rubbing), self.dry
        self.dry = np.concatenate([np.zeros(self.n, dtype=bool), held])
        self.dof, self._still = 2 * self.n, np.zeros(2 * self.n)

    def _both(self, y: Array) -> Array:
        n, M = self.n, np.zeros((self.dof, self.dof))
        M[:n, :n], M[n:, n:] = self._links(y[:n]), np.diag(self.springs.inertia)
        return M

    def bias(self, q: Array, qd: Array) -> Array:
        """(c + g − s, s)"""
        n = self.n
        s = self.springs.torque(q[n:], q[:n])
        return np.concatenate([np.asarray(self._torque(q[:n], qd[:n], self._still[:n])) - s, s])

    def energies(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """(kinetic, potential), the motors' and the springs' with them."""
        n = self.n
        kinetic, potential = super().energies(q[..., :n], qd[..., :n])
        return kinetic + self.springs.turning(qd[..., n:]), potential + self.springs.stored(q[..., n:], q[..., :n])
