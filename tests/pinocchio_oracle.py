"""Pinocchio as an oracle: a model built from a Tree of floats, joint by joint, and its answers in our conventions.

Pinocchio's joint frames sit on the joints; ours may stand after them. So joint i is placed at after(parent) · before(i)
· motion(offset), its body is seen from the joint, and our link frame is a frame `after` on it.
Motor inertia is Pinocchio's `armature`; friction is not modelled. World axes throughout, as in our models.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from manipula.mechanics.robot.tree import Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody
from manipula.mechanics.spatial.placement import Placement

pin = pytest.importorskip("pinocchio")  # not on Windows; whoever imports this file is skipped there
Array = Any  # numpy arrays, whatever their shape


class Oracle:
    """The arm of a merged chain (no fixed links) in Pinocchio."""

    def __init__(self, chain: Tree) -> None:
        self.chain = chain
        self.model = pin.Model()
        self.model.gravity = pin.Motion(_vector(chain.gravity), np.zeros(3))
        self.link_frames: list[int] = []
        joints, roads = {-1: 0}, {-1: se3(chain.base)}
        for i, link in enumerate(chain.links):
            joints[i] = self._add(link, joints[link.parent], roads[link.parent])
            roads[i] = se3(link.after)
        self.holder = joints[chain.holder]
        self.tool = self._frame("tool frame", self.holder, roads[chain.holder] * se3(chain.tool))
        self.model.armature = np.array([float(link.motor_inertia) for link in chain.links])
        self.data = self.model.createData()

    def _add(self, link: Link, parent: int, road: Any) -> int:
        at = road * se3(link.before) * se3(link.kind.motion(float(link.offset), self.chain.maths))
        axis = np.array([0.0, 0.0, link.direction])
        revolute = link.kind.name == "revolute"
        kind = pin.JointModelRevoluteUnaligned(axis) if revolute else pin.JointModelPrismaticUnaligned(axis)
        joint = int(self.model.addJoint(parent, kind, at, link.name))
        self.model.appendBodyToJoint(joint, body(link.inertia), se3(link.after))
        self.link_frames.append(self._frame(f"{link.name} frame", joint, se3(link.after)))
        return joint

    def _frame(self, name: str, joint: int, at: Any) -> int:
        return int(self.model.addFrame(pin.Frame(name, joint, 0, at, pin.FrameType.OP_FRAME)))

    # geometry

    def frames(self, q: Sequence[float]) -> Array:
        """(dof + 1, 4, 4): links 1…n, then the tool."""
        pin.framesForwardKinematics(self.model, self.data, np.array(q))
        return np.array([self.data.oMf[index].homogeneous for index in (*self.link_frames, self.tool)])

    def jacobian(self, q: Sequence[float], frame: str = "world") -> Array:
        """At the tool's origin, linear rows first."""
        J = pin.computeFrameJacobian(self.model, self.data, np.array(q), self.tool, _axes(frame))
        return self._shaped(J, 6)

    def jacobian_dot(self, q: Sequence[float], qd: Sequence[float], frame: str = "world") -> Array:
        pin.computeJointJacobiansTimeVariation(self.model, self.data, np.array(q), np.array(qd))
        pin.updateFramePlacements(self.model, self.data)
        return self._shaped(pin.getFrameJacobianTimeVariation(self.model, self.data, self.tool, _axes(frame)), 6)

    # dynamics; `wrench` (force, moment; world axes) acts on the tool at its origin

    def inverse_dynamics(
        self, q: Sequence[float], qd: Sequence[float], qdd: Sequence[float], wrench: Sequence[float] | None = None
    ) -> Array:
        state = np.array(q), np.array(qd), np.array(qdd)
        return pin.rnea(self.model, self.data, *state, self._external(q, wrench)).copy()

    def forward_dynamics(
        self, q: Sequence[float], qd: Sequence[float], tau: Sequence[float], wrench: Sequence[float] | None = None
    ) -> Array:
        state = np.array(q), np.array(qd), np.array(tau)
        return pin.aba(self.model, self.data, *state, self._external(q, wrench)).copy()

    def inertia_matrix(self, q: Sequence[float]) -> Array:
        return _mirrored(self._shaped(pin.crba(self.model, self.data, np.array(q)), self.model.nv))

    def gravity(self, q: Sequence[float]) -> Array:
        return pin.computeGeneralizedGravity(self.model, self.data, np.array(q)).copy()

    def coriolis(self, q: Sequence[float], qd: Sequence[float]) -> Array:
        """C(q, q̇) q̇"""
        return pin.nonLinearEffects(self.model, self.data, np.array(q), np.array(qd)).copy() - self.gravity(q)

    def coriolis_matrix(self, q: Sequence[float], qd: Sequence[float]) -> Array:
        """Pinocchio's C; others with the same C q̇ exist."""
        C = pin.computeCoriolisMatrix(self.model, self.data, np.array(q), np.array(qd))
        return self._shaped(C, self.model.nv)

    def energy(self, q: Sequence[float], qd: Sequence[float]) -> tuple[float, float]:
        """(kinetic, potential), the potential zero at the world's origin; Pinocchio leaves out what stands still."""
        kinetic = pin.computeKineticEnergy(self.model, self.data, np.array(q), np.array(qd))
        moving = float(pin.computePotentialEnergy(self.model, self.data, np.array(q)))
        ground, at = self.chain.ground, se3(self.chain.base)
        s = at.rotation @ np.array(ground.s, dtype=float) + float(ground.m) * at.translation
        return float(kinetic), moving - float(np.array(self.chain.gravity, dtype=float) @ s)

    def joint_wrenches(
        self, q: Sequence[float], qd: Sequence[float], qdd: Sequence[float], wrench: Sequence[float] | None = None
    ) -> Array:
        """(dof, 6): what link i−1 exerts on link i, force then moment, at joint i's origin, in link i's axes."""
        self.inverse_dynamics(q, qd, qdd, wrench)
        rows = []
        for joint, link in enumerate(self.chain.links, 1):
            turned = np.array(link.after.R, dtype=float).T
            force = self.data.f[joint]
            rows.append(np.concatenate([turned @ force.linear, turned @ force.angular]))
        return np.array(rows)

    def inverse_dynamics_derivatives(
        self, q: Sequence[float], qd: Sequence[float], qdd: Sequence[float]
    ) -> tuple[Array, Array, Array]:
        """∂τ/∂q, ∂τ/∂q̇, ∂τ/∂q̈, without a wrench."""
        state = np.array(q), np.array(qd), np.array(qdd)
        found = pin.computeRNEADerivatives(self.model, self.data, *state)
        dq, dqd, dqdd = (self._shaped(part, self.model.nv) for part in found)
        return dq, dqd, _mirrored(dqdd)

    def forward_dynamics_derivatives(
        self, q: Sequence[float], qd: Sequence[float], tau: Sequence[float]
    ) -> tuple[Array, Array, Array]:
        """∂q̈/∂q, ∂q̈/∂q̇, ∂q̈/∂τ, without a wrench."""
        state = np.array(q), np.array(qd), np.array(tau)
        found = pin.computeABADerivatives(self.model, self.data, *state)
        dq, dqd, dtau = (self._shaped(part, self.model.nv) for part in found)
        return dq, dqd, _mirrored(dtau)

    def _shaped(self, values: Array, rows: int) -> Array:
        """A copy, as a matrix also when there is one joint: Pinocchio hands out vectors then."""
        return np.array(values).reshape(rows, self.model.nv)

    def _external(self, q: Sequence[float], wrench: Sequence[float] | None) -> Any:
        """The wrench in the frame of the joint that holds the tool, which is where Pinocchio wants it."""
        forces = pin.StdVec_Force()
        forces.extend([pin.Force.Zero() for _ in range(self.model.njoints)])
        if wrench is not None:
            tool = self.frames(q)[-1]
            at = pin.SE3(np.eye(3), tool[:3, 3])  # world axes, tool's origin
            forces[self.holder] = self.data.oMi[self.holder].actInv(at.act(pin.Force(_vector(wrench))))
        return forces


def se3(at: Placement) -> Any:
    return pin.SE3(np.array(at.R, dtype=float), _vector(at.p))


def body(inertia: RigidBody) -> Any:
    """pin.Inertia wants mass, centre of mass and the tensor about it."""
    m, s, I = float(inertia.m), _vector(inertia.s), np.array(inertia.I, dtype=float)
    if m == 0:
        return pin.Inertia(0.0, np.zeros(3), I)
    c = s / m
    return pin.Inertia(m, c, I - m * (c @ c * np.eye(3) - np.outer(c, c)))


def _mirrored(upper: Array) -> Array:
    """Symmetric, from the upper triangle; Pinocchio leaves the lower one undefined."""
    return np.triu(upper) + np.triu(upper, 1).T


def _axes(frame: str) -> Any:
    return {"world": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED, "tool": pin.ReferenceFrame.LOCAL}[frame]


def _vector(values: Sequence[Any]) -> Array:
    return np.array([float(value) for value in values])
