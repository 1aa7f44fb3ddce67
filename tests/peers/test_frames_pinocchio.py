"""Velocity and acceleration of any frame, and the centre of mass, against Pinocchio, from one URDF."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.peers.test_locked_pinocchio import arm, near, put
from tests.peers.test_trees_pinocchio import hand, legs
from tests.pinocchio_oracle import pin

WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class Both:
    """A robot here and there, in one state."""

    def __init__(self, text: str, seed: int, **options: Any) -> None:
        rng = np.random.default_rng(seed)
        self.robot = mp.Robot.from_text(text, "urdf", exact=True, **options)
        self.model = pin.buildModelFromXML(text)
        self.data = self.model.createData()
        self.q, self.qd, self.qdd = rng.uniform(-1, 1, (3, self.robot.dof))
        names = self.robot.joint_names
        self.order = [self.model.joints[self.model.getJointId(name)].idx_v for name in names]
        self.there = pin.neutral(self.model)
        for name, value in zip(names, self.q):
            put(self.model, self.there, name, float(value))
        self.v, self.a = np.zeros(self.model.nv), np.zeros(self.model.nv)
        self.v[self.order], self.a[self.order] = self.qd, self.qdd
        pin.forwardKinematics(self.model, self.data, self.there, self.v, self.a)


@pytest.mark.turn
@pytest.mark.parametrize("text, options", [(arm(7), {"tip": "tip"}), (hand(), {}), (legs(), {})])
def test_the_centre_of_mass_is_pinocchios(text: str, options: dict[str, Any]) -> None:
    both = Both(text, 1, **options)
    ours = mp.Arm(both.robot, optimise="none")
    still = both.robot.joints[0].kind == "fixed"  # a palm that stands counts here, not there
    if not still:
        near(ours.centre_of_mass(both.q), pin.centerOfMass(both.model, both.data, both.there))
    J = pin.jacobianCenterOfMass(both.model, both.data, both.there)[:, both.order]
    moved = pin.computeTotalMass(both.model)
    standing = both.robot.parameters["m_j_palm"] if still else 0.0
    near((moved + (standing or 0.0)) * ours.centre_of_mass_jacobian(both.q), moved * J)


@pytest.mark.parametrize("seed, frame", [(1, "j_l3"), (2, "tool"), (3, "j_l1")])
def test_frames_move_as_pinocchios(seed: int, frame: str) -> None:
    both = Both(arm(seed), seed, tip="tip")
    pin.updateFramePlacements(both.model, both.data)
    index = both.model.getFrameId("tip" if frame == "tool" else frame.removeprefix("j_"))
    ours = mp.Arm(both.robot, frame=frame, optimise="none")
    near(ours.pose(both.q), both.data.oMf[index].homogeneous)
    velocity = pin.getFrameVelocity(both.model, both.data, index, WORLD)
    near(ours.tool_velocity(both.q, both.qd), np.r_[velocity.linear, velocity.angular])
    acceleration = pin.getFrameClassicalAcceleration(both.model, both.data, index, WORLD)
    near(ours.tool_acceleration(both.q, both.qd, both.qdd), np.r_[acceleration.linear, acceleration.angular])
