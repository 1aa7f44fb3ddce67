"""MJCF means the same to MuJoCo: pose of the tip, inertia matrix, torques, limits. MuJoCo is a bench dependency."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.random_mjcf import RandomMjcf

pytestmark = pytest.mark.usefixtures("without_search")

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed (pip install manipula[bench])")


@pytest.mark.parametrize("seed", range(12))
def test_pose_inertia_and_torques(seed: int) -> None:
    made = RandomMjcf(seed)
    model = mujoco.MjModel.from_xml_string(made.text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mp.ManipulaWarning)
        arm = mp.Arm(mp.Robot.from_text(made.text, "mjcf", tip="tip"), optimise="none")
    assert list(arm.robot.joint_names) == made.joints
    moving = [model.joint(name).dofadr[0] for name in made.joints]
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, arm.dof))
    data.qpos[moving], data.qvel[moving], data.qacc[moving] = q, qd, qdd
    data.qpos[model.joint("grip1").dofadr[0]] = 0  # where the finger is locked
    mujoco.mj_inverse(model, data)
    pose, site = arm.pose(q), data.site("tip")
    np.testing.assert_allclose(pose[:3, 3], site.xpos, atol=1e-12)
    np.testing.assert_allclose(pose[:3, :3].ravel(), site.xmat, atol=1e-12)
    there = inertia(model, data)[np.ix_(moving, moving)]
    assert abs(arm.inertia_matrix(q) - there).max() < 1e-12 * (1 + abs(there).max())
    torques = data.qfrc_inverse[moving]
    assert abs(arm.inverse_dynamics(q, qd, qdd) - torques).max() < 1e-12 * (1 + abs(torques).max())


@pytest.mark.parametrize("seed", range(4))
def test_a_file_whose_bodies_branch_is_the_whole_tree(seed: int) -> None:
    made = RandomMjcf(seed, fingers=3)
    model = mujoco.MjModel.from_xml_string(made.text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mp.ManipulaWarning)
        arm = mp.Arm(mp.Robot.from_text(made.text, "mjcf"), optimise="none")
    assert sorted(arm.robot.joint_names) == sorted([*made.joints, "grip1", "grip2", "grip3"])
    order = [model.joint(name).dofadr[0] for name in arm.robot.joint_names]
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, arm.dof))
    data.qpos[order], data.qvel[order], data.qacc[order] = q, qd, qdd
    mujoco.mj_inverse(model, data)
    there, torques = inertia(model, data)[np.ix_(order, order)], data.qfrc_inverse[order]
    assert abs(arm.inertia_matrix(q) - there).max() < 1e-12 * (1 + abs(there).max())
    assert abs(arm.inverse_dynamics(q, qd, qdd) - torques).max() < 1e-12 * (1 + abs(torques).max())


WEIGHT = '<inertial pos="0 0.05 0.1" mass="1" diaginertia="0.02 0.01 0.015"/>'
COUPLED = f"""<mujoco model="hand"><compiler angle="radian"/>
  <worldbody><body name="a"><joint name="j1" axis="0 1 0"/>{WEIGHT}
    <body name="b" pos="0.1 0 .5"><joint name="j2" axis="1 0 1"/>{WEIGHT}
      <body name="left" pos="0 .1 0">{WEIGHT}
        <joint name="f1" type="slide" axis="0 -1 0" ref="0.1" armature="0.3"/></body>
      <body name="right" pos="0 0 .2" quat="0 0 0 1">{WEIGHT}
        <joint name="f2" ref="0.3" axis="0 0 1" pos="0.1 0.2 0"/></body>
    </body></body></worldbody>
  <equality><joint joint1="f1" joint2="f2" polycoef="0.05 2 0 0 0"/></equality>
</mujoco>"""


def test_a_coupled_joint_follows_the_other() -> None:
    """q1 − 0.1 = 0.05 + 2 (q2 − 0.3): with q̇ of MuJoCo's four joints S times that of our three, M is Sᵀ M S."""
    arm = mp.Arm(mp.Robot.from_text(COUPLED, "mjcf"), optimise="none")
    model = mujoco.MjModel.from_xml_string(COUPLED)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data, names = mujoco.MjData(model), arm.robot.joint_names
    assert names == ("j1", "j2", "f2")
    S = np.zeros((4, 3))
    for column, name in enumerate(names):
        S[model.joint(name).dofadr[0], column] = 1
    follower = model.joint("f1").dofadr[0]
    S[follower, 2] = 2
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 3))
    data.qpos[:], data.qvel[:], data.qacc[:] = S @ q, S @ qd, S @ qdd
    data.qpos[follower] = 0.15 + 2 * (q[2] - 0.3)
    mujoco.mj_inverse(model, data)
    np.testing.assert_allclose(arm.inertia_matrix(q), S.T @ inertia(model, data) @ S, atol=1e-12)
    np.testing.assert_allclose(arm.inverse_dynamics(q, qd, qdd), S.T @ data.qfrc_inverse, atol=1e-12)


def inertia(model: Any, data: Any) -> np.ndarray:
    found = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, found)
    except TypeError:  # before MuJoCo 4
        mujoco.mj_fullM(model, found, data.qM)
    return found
