"""Arms that carry a humanoid: the same arm as limb by limb, in a few bodies."""

from __future__ import annotations

import random

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.dynamics.composite import inertia_matrix
from manipula.mechanics.models.dynamics.energy import energy
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.formats.urdf import light as urdf_light
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_state

AXES = ("0 0 1", "0 1 0", "-1 0 0", "0.6 0.8 0.1")


def humanoid(rng: random.Random, moving: int, limbs: int, fixed: int) -> str:
    """A chain of moving joints with fixed ones between them; limbs, fixed and locked, hang at its links."""

    def three() -> str:
        off = rng.choice((-1, 1)) * rng.uniform(0.01, 0.5)
        return " ".join(rng.choice(("0", "0.25", f"{off:.6f}", f"{-off / 2:.6f}")) for _ in range(3))

    def part(name: str, parent: str, kind: str) -> str:
        body = (f'<inertial><mass value="{rng.uniform(0.1, 3):.4f}"/><origin xyz="{three()}" rpy="{three()}"/>'
                '<inertia ixx="0.5" iyy="0.6" izz="0.55" ixy="0.01" ixz="0.02" iyz="-0.03"/></inertial>')  # fmt: skip
        inside = f'<parent link="{parent}"/><child link="{name}"/><origin xyz="{three()}" rpy="{three()}"/>'
        axis = f'<axis xyz="{rng.choice(AXES)}"/><limit lower="{rng.choice((-1, 0.1))}" upper="1"/>'
        link = f'<link name="{name}">{body if rng.random() < 0.9 else ""}</link>'
        return f'{link}<joint name="to_{name}" type="{kind}">{inside}{axis}</joint>'

    kinds = ["fixed"] * fixed + [rng.choice(("revolute", "prismatic")) for _ in range(moving)]
    rng.shuffle(kinds)
    names = ["base", *(f"a{k}" for k in range(len(kinds)))]
    text = [part(name, parent, kind) for name, parent, kind in zip(names[1:], names, kinds)]
    pool = names[1:]
    for k in range(limbs):
        text.append(part(f"b{k}", rng.choice(pool[-20:]), rng.choice(("fixed", "revolute", "prismatic"))))
        pool.append(f"b{k}")
    return f'<robot name="h"><link name="base"/>{"".join(text)}</robot>'


@pytest.mark.parametrize("seed", range(16))
def test_the_same_arm_as_limb_by_limb(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    moving, limbs, fixed = rng.randint(1, 4), rng.choice((3, 14, 20, 40)), rng.choice((0, 2, 18, 25))
    text = humanoid(rng, moving, limbs, fixed)
    tip = f"a{moving + fixed - 1}"
    light = mp.Robot.from_text(text, "urdf", tip=tip)
    monkeypatch.setattr(urdf_light, "GATHERED", 10**6)
    monkeypatch.setattr(urdf_light, "LONG_WAY", 10**6)
    heavy = mp.Robot.from_text(text, "urdf", tip=tip)
    one, other = (merge_fixed(bind(robot, FLOATS, {})) for robot in (light, heavy))
    q, qd, qdd, wrench = random_state(heavy, seed)
    assert np.allclose(inertia_matrix(one, q), inertia_matrix(other, q), rtol=1e-12, atol=1e-12)
    torques = [inverse_dynamics(chain, q, qd, qdd, wrench) for chain in (one, other)]
    assert np.allclose(*torques, rtol=1e-11, atol=1e-10)
    assert np.allclose(energy(one, q, qd), energy(other, q, qd), rtol=1e-11, atol=1e-10)
    ends = [np.array(frames(chain, q)[-1].rows(), dtype=float) for chain in (one, other)]
    assert np.allclose(*ends, rtol=0, atol=1e-13)
    held = [mounted.body.mass.name for joint in light.joints for mounted in joint.carries]
    assert len(held) == len(set(held))
    assert light.joint_names == heavy.joint_names
    assert sum(len(joint.carries) for joint in light.joints) <= max(urdf_light.GATHERED, limbs)


@pytest.mark.turn
def test_a_humanoid_is_a_few_bodies_and_its_models_are_proved() -> None:
    robot = mp.Robot.from_text(humanoid(random.Random(1), 3, 60, 0), "urdf", tip="a2")
    assert sum(len(joint.carries) for joint in robot.joints) <= 3
    assert len(robot.parameters) < 110
    for model in ("pose", "inverse_dynamics"):
        assert "identical to the plain model" in mp.generate(robot, model, optimise="none").provenance.proof
    assert any("links that move with joint" in note for note in robot.origin.notes)


@pytest.mark.turn
def test_a_long_limb_is_no_deep_recursion() -> None:
    place = '<origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><axis xyz="0 0 1"/>'
    ends = {k: f'<parent link="b{k - 1}"/><child link="b{k}"/>{place}' for k in range(1, 600)}
    limbs = "".join(f'<link name="b{k}"/><joint name="k{k}" type="revolute">{end}</joint>' for k, end in ends.items())
    arm = '<link name="a"/><joint name="j" type="revolute"><parent link="r"/><child link="a"/></joint>'
    hold = '<link name="b0"/><joint name="h" type="fixed"><parent link="a"/><child link="b0"/></joint>'
    robot = mp.Robot.from_text(f'<robot name="x"><link name="r"/>{arm}{hold}{limbs}</robot>', "urdf", tip="a")
    assert robot.dof == 1
    more = '<link name="z"/><joint name="zz" type="revolute"><parent link="a"/><child link="z"/></joint>'
    tree = mp.Robot.from_text(f'<robot name="x"><link name="r"/>{arm}{hold}{limbs}{more}</robot>', "urdf")
    assert tree.dof == 601 and tree.frame_names == ("b599", "z")
