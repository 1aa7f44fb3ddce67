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


@pytest.mark.turn
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


@pytest.mark.turn
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


def sections(rng: np.random.Generator) -> tuple[str, list[str]]:
    """Sections of defaults as joined files have them: the outermost class in each, others inside; and their names."""
    names = [f"k{i}" for i in range(int(rng.integers(1, 5)))]

    def joint() -> str:
        keys = rng.permutation(["damping", "armature", "frictionloss"])[: rng.integers(0, 3)]
        return f"<joint {' '.join(f'{key}={chr(34)}{rng.integers(1, 9)}{chr(34)}' for key in keys)}/>"

    def own() -> str:
        return joint() if rng.random() < 0.7 else ""

    parts = ["" for _ in range(int(rng.integers(1, 4)))]
    for name in names:
        at = int(rng.integers(len(parts)))
        inner = f'<default class="{name}_in">{own()}</default>' if rng.random() < 0.4 else ""
        parts[at] += f'<default class="{name}">{own()}{inner}</default>'
        names = [*names, f"{name}_in"] if inner else names
    return "".join(f"<default>{own()}{part}</default>" for part in parts), names


@pytest.mark.parametrize("seed", range(30))
def test_defaults_of_several_sections_are_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    head, names = sections(rng)
    mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    bodies, ends = "", ""
    for row in range(3):
        one = rng.choice([*names, ""])
        bodies += f'<body name="b{row}">{mass}<joint name="j{row}" {f"class={chr(34)}{one}{chr(34)}" if one else ""}/>'
        ends += "</body>"
    text = f"<mujoco>{head}<worldbody>{bodies}{ends}</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    robot = mp.Robot.from_text(text, "mjcf")
    for joint, name in zip(robot.joints, ("j0", "j1", "j2")):
        dof = model.joint(name).dofadr[0]
        there = (model.dof_armature[dof], model.dof_damping[dof], model.dof_frictionloss[dof])
        assert tuple(float(joint.actuator[key].value.value) for key in ("Ia", "fv", "fc")) == there


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ('<option viscosity="1"/>', "the viscosity of <option> is not read"),
        ('<option density="1.2" wind="1 0 0"/>', "the density, wind of <option> is not read"),
        ('<option><flag frictionloss="disable"/></option>', "<flag frictionloss> is not read"),
        ('<option density="0" wind="0 0 0"><flag damper="enable"/></option>', ""),
    ],
)
def test_forces_that_are_not_read_are_told_of(option: str, said: str) -> None:
    body = '<body name="b"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint name="j"/></body>'
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", mp.ManipulaWarning)
        mp.Robot.from_text(f"<mujoco>{option}<worldbody>{body}</worldbody></mujoco>", "mjcf")
    assert len(warned) == bool(said) and all(said in str(each.message) for each in warned)
