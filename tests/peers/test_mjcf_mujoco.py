"""MJCF means the same to MuJoCo: pose of the tip, inertia matrix, torques, limits. MuJoCo is a bench dependency."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import manipula as mp
from tests.random_mjcf import RandomMjcf

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


def inertia(model: Any, data: Any) -> np.ndarray:
    found = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, found)
    except TypeError:  # before MuJoCo 4
        mujoco.mj_fullM(model, found, data.qM)
    return found
