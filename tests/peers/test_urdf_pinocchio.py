"""URDFs, read and written, mean the same to Pinocchio: pose of the tip, torques, friction, limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from manipula.errors import ManipulaWarning
from manipula.mechanics.robot.description import RobotDescription, Step, cell_with_value
from manipula.mechanics.robot.formats.conversion.conventions import to_modified, to_standard
from manipula.mechanics.robot.formats.urdf.read import robot_from_urdf
from manipula.mechanics.robot.formats.urdf.write import urdf_from_robot
from manipula.mechanics.robot.values.parameter import float_of, number
from tests.arm_numbers import pose_and_torques
from tests.pinocchio_oracle import pin
from tests.random_robots import random_robot

# Every oddity at once: rounded quarter turns, general and negative axes, turned inertial frames, a finger, a camera.
ODD = """<robot name="odd">
  <link name="world"/>
  <link name="base"><inertial><mass value="9"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0.1 -0.02 0.03" rpy="0.3 1.5708 -0.2"/><mass value="4.25"/>
    <inertia ixx="0.05" ixy="0.01" ixz="-0.002" iyy="0.06" iyz="0.003" izz="0.07"/></inertial></link>
  <link name="slider"><inertial><origin xyz="0 0 0.1"/><mass value="2"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.03"/></inertial></link>
  <link name="fore"/>
  <link name="hand"><inertial><origin rpy="0 0 0.4"/><mass value="0.8"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.0025"/></inertial></link>
  <link name="finger"><inertial><origin xyz="0 0.05 0"/><mass value="0.1"/>
    <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial></link>
  <link name="camera"><inertial><mass value="0.3"/>
    <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial></link>
  <joint name="pedestal" type="fixed"><parent link="world"/><child link="base"/>
    <origin xyz="0.1 0.2 0.7" rpy="0 0.2 0"/></joint>
  <joint name="j1" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.2" rpy="1.5708 0 3.14159"/>
    <axis xyz="0 -1 0"/><limit lower="-2" upper="2.5" effort="50" velocity="3"/>
    <dynamics damping="0.7" friction="0.2"/></joint>
  <joint name="j2" type="prismatic"><parent link="upper"/><child link="slider"/>
    <origin xyz="0.4 0 0" rpy="0.1 0.2 0.3"/>
    <axis xyz="0.5 0 2"/><limit lower="-1" upper="1" effort="20" velocity="1"/></joint>
  <joint name="j3" type="continuous"><parent link="slider"/><child link="fore"/><origin rpy="0 -1.5707963 0"/>
    <axis xyz="0.3 -0.4 0.6"/></joint>
  <joint name="j4" type="revolute"><parent link="fore"/><child link="hand"/><origin xyz="0 0.1 0.3"/>
    <axis xyz="-1 0 0"/><limit lower="-3" upper="3" effort="5" velocity="9"/></joint>
  <joint name="grip" type="prismatic"><parent link="hand"/><child link="finger"/><origin xyz="0 0 0.1"/>
    <axis xyz="0 1 0"/><limit lower="0.02" upper="0.05" effort="5" velocity="1"/></joint>
  <joint name="mount" type="fixed"><parent link="upper"/><child link="camera"/>
    <origin xyz="0.1 0 0.1" rpy="0 0 1"/></joint>
</robot>"""


def configuration(model: Any, q: Sequence[float]) -> Any:
    """Pinocchio writes the angle of a continuous joint as (cos, sin)."""
    joints = list(model.joints)[1:]
    parts = [[np.cos(x), np.sin(x)] if joint.nq == 2 else [x] for joint, x in zip(joints, q, strict=True)]
    return np.concatenate(parts)


def pinocchio(text: str, frame: str, locked: dict[str, float], arm: RobotDescription, state: Any) -> tuple[Any, Any]:
    """(pose, torques) of the same file with the same joints locked."""
    model = pin.buildModelFromXML(text)
    rest = configuration(model, [locked.get(name, 0.0) for name in list(model.names)[1:]])
    model = pin.buildReducedModel(model, [model.getJointId(name) for name in locked], rest)
    model.gravity.linear = np.array([float_of(cell.parameter, {}) for cell in arm.gravity])
    assert tuple(model.names)[1:] == arm.joint_names
    data = model.createData()
    q = configuration(model, state[0])
    pin.framesForwardKinematics(model, data, q)
    return data.oMf[model.getFrameId(frame)].homogeneous, pin.rnea(model, data, q, state[1], state[2])


def assert_agree(text: str, frame: str, locked: dict[str, float], arm: RobotDescription, seed: int = 0) -> None:
    state = np.random.default_rng(seed).uniform(-1.5, 1.5, (3, arm.dof))
    theirs = pinocchio(text, frame, locked, arm, state)
    for mine, other in zip(pose_and_torques(arm, *state), theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=0, atol=1e-10 * max(1.0, np.abs(other).max()))


def test_the_exact_reading_is_pinocchios() -> None:
    arm = robot_from_urdf(ODD, tip="hand", exact=True)
    assert_agree(ODD, "hand", {"grip": 0.02}, arm)


def test_a_locked_finger() -> None:
    arm = robot_from_urdf(ODD, tip="hand", exact=True, locked={"grip": 0.045})
    assert_agree(ODD, "hand", {"grip": 0.045}, arm)


def test_the_tables_of_a_urdf_are_the_same_arm() -> None:
    arm = robot_from_urdf(ODD, tip="hand", exact=True)
    for table in (to_standard(arm), to_modified(arm)):
        assert_agree(ODD, "hand", {"grip": 0.02}, table)


def test_recovered_quarter_turns_move_the_arm_by_microns() -> None:
    state = np.random.default_rng(1).uniform(-1, 1, (3, 4))
    exact = pose_and_torques(robot_from_urdf(ODD, tip="hand", exact=True), *state)[0]
    with pytest.warns(ManipulaWarning, match="near multiples of 90°"):
        recovered = pose_and_torques(robot_from_urdf(ODD, tip="hand"), *state)[0]
    apart = np.abs(exact - recovered).max()
    assert 0 < apart < 2e-5


def test_friction_and_limits() -> None:
    model = pin.buildModelFromXML(ODD)
    arm = robot_from_urdf(ODD, tip="hand", exact=True)
    moving = [joint for joint in arm.joints if joint.kind != "fixed"]
    for joint in moving:
        index = model.joints[model.getJointId(joint.name)].idx_v
        assert model.damping[index] == float_of(joint.actuator["fv"].parameter, {})
        assert model.friction[index] == float_of(joint.actuator["fc"].parameter, {})
        if joint.limits is not None:
            place = model.joints[model.getJointId(joint.name)].idx_q
            assert model.lowerPositionLimit[place] == float_of(joint.limits[0], {})
            assert model.upperPositionLimit[place] == float_of(joint.limits[1], {})


@pytest.mark.parametrize("seed", range(15))
def test_written_urdfs(seed: int) -> None:
    """Any convention; with a tool, so that every written file has the frame tool0."""
    arm = random_robot(seed)
    arm = replace(arm, tool=arm.tool or (Step("tx", cell_with_value("tool_x", number(0.1))),))
    assert_agree(urdf_from_robot(arm), "tool0", {}, arm, seed)
