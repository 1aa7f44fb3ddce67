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
    data.qpos[model.joint("grip").dofadr[0]] = 0  # where the finger is locked
    mujoco.mj_inverse(model, data)
    pose, site = arm.pose(q), data.site("tip")
    np.testing.assert_allclose(pose[:3, 3], site.xpos, atol=1e-12)
    np.testing.assert_allclose(pose[:3, :3].ravel(), site.xmat, atol=1e-12)
    there = inertia(model, data)[np.ix_(moving, moving)]
    assert abs(arm.inertia_matrix(q) - there).max() < 1e-12 * (1 + abs(there).max())
    torques = data.qfrc_inverse[moving]
    assert abs(arm.inverse_dynamics(q, qd, qdd) - torques).max() < 1e-12 * (1 + abs(torques).max())


def inertia(model: Any, data: Any) -> np.ndarray:
    found = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, found)
    except TypeError:  # before MuJoCo 4
        mujoco.mj_fullM(model, found, data.qM)
    return found
