"""Masses by shapes, tendons, actuators, several options: MJCF means the same to MuJoCo, body by body."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.dynamics.composite import inertia_matrix
from manipula.mechanics.models.dynamics.energy import centre_of_mass
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.formats.mjcf.read import links_from_mjcf
from manipula.mechanics.robot.formats.toml.write import toml_from_robot
from manipula.mechanics.robot.values.parameter import Deg
from tests.laws.test_coupled import in_floats
from tests.laws.test_ground import turn

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed (pip install manipula[bench])")
Rng = np.random.Generator


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes a log of its warnings into the folder it is called in."""
    monkeypatch.chdir(tmp_path)


Array = Any


def numbers(rng: Rng, count: int, size: float = 1.0) -> str:
    return " ".join(f"{x:.6f}" for x in rng.normal(size=count) * size)


def sizes(rng: Rng, count: int) -> str:
    return " ".join(f"{x:.5f}" for x in rng.uniform(0.01, 0.4, count))


def geom(rng: Rng) -> str:
    kind = str(rng.choice(["sphere", "box", "capsule", "cylinder", "ellipsoid", ""]))
    spans = kind in ("box", "capsule", "cylinder", "ellipsoid") and rng.random() < 0.4
    said = [f'type="{kind}"'] if kind else []
    said += [f'size="{sizes(rng, 1 if spans else {"": 1, "sphere": 1, "box": 3, "ellipsoid": 3}.get(kind, 2))}"']
    said += [f'fromto="{numbers(rng, 6, 0.4)}"'] if spans else [f'pos="{numbers(rng, 3, 0.3)}"']
    if not spans and rng.random() < 0.5:
        said += [str(rng.choice([f'quat="{numbers(rng, 4)}"', f'euler="{numbers(rng, 3, 40)}"']))]
    said += [str(rng.choice([f'mass="{rng.uniform(0.1, 3):.4f}"', f'density="{rng.uniform(100, 3000):.2f}"', ""]))]
    said += ['shellinertia="true"'] if kind != "ellipsoid" and rng.random() < 0.2 else []
    said += [str(rng.choice(["", 'class="light"', 'group="3"', 'group="5"']))]
    return f"<geom {' '.join(said)}/>"


def shaped(seed: int) -> str:
    """A chain of bodies, some with an <inertial>, some in frames, some that stand still. Some have no shape that
    weighs anything beside it; shapes of the class `light` are turned there and, some of them, again by themselves."""
    rng = np.random.default_rng(seed)
    turned = rng.choice(["", 'euler="20 -30 40"', 'quat="0.5 0.1 0 0.8"', 'axisangle="1 2 0 50"', 'zaxis="1 1 1"'])
    inner = '<site name="tip" type="capsule" size="0.01" fromto="0 0 0.1 0.2 0.1 0.4"/>'
    for number in range(4, 0, -1):
        shapes = '<geom size="0.05"/>' + "".join(geom(rng) for _ in range(rng.integers(0, 3)))
        weighs = rng.random() < 0.7
        if not weighs:
            shapes = str(rng.choice(["", '<geom size="0.05" mass="0"/>', '<geom size="0.05" density="0"/>']))
            shapes += '<inertial pos="0 0.1 0" mass="0.9" diaginertia="0.02 0.03 0.025"/>'
        if weighs and rng.random() < 0.4:
            shapes += f'<frame pos="{numbers(rng, 3, 0.2)}" euler="{numbers(rng, 3, 30)}">{geom(rng)}</frame>'
        if weighs and rng.random() < 0.3:
            shapes += '<inertial pos="0 0.1 0" mass="1.5" diaginertia="0.02 0.03 0.025"/>'
        moves = number == 4 or rng.random() < 0.6
        joint = f'<joint name="j{number}" axis="{numbers(rng, 3)}" pos="{numbers(rng, 3, 0.2)}"/>' if moves else ""
        inner = f'<body name="b{number}" pos="{numbers(rng, 3, 0.4)}">{joint}{shapes}{inner}</body>'
    compiler = [
        str(rng.choice(["", 'inertiafromgeom="true"', 'inertiafromgeom="auto"'])),
        str(rng.choice(["", 'inertiagrouprange="0 4"', 'settotalmass="7.5"', 'boundmass="0.8"'])),
    ]
    options = f'<option gravity="{numbers(rng, 3)}" timestep="0.001"/><option gravity="{numbers(rng, 3, 5)}"/>'
    flags = "".join(
        f'<option><flag gravity="{rng.choice(["enable", "disable"])}"/></option>'
        for _ in range(int(rng.integers(0, 3)))
    )
    light = f'<default class="light"><geom density="{rng.uniform(50, 500):.1f}" group="2" {turned}/></default>'
    return (
        f"<mujoco><compiler {' '.join(compiler)}/>{options}{flags}<default>{light}</default>"
        f"<worldbody>{inner}</worldbody></mujoco>"
    )


def angles(frame: Any) -> Array:
    roll, pitch, yaw = (np.deg2rad(float(x.value)) if isinstance(x, Deg) else float(x.value) for x in frame.rpy)
    return turn([0, 0, 1], yaw) @ turn([0, 1, 0], pitch) @ turn([1, 0, 0], roll)


@pytest.mark.parametrize("seed", range(40))
def test_every_body_weighs_what_it_weighs_there(seed: int) -> None:
    text = shaped(seed)
    model = mujoco.MjModel.from_xml_string(text)
    links = links_from_mjcf(text, "", []).links.links
    for number in range(1, 5):
        body, there = links[f"b{number}"].inertial, model.body(f"b{number}")
        assert body is not None
        np.testing.assert_allclose(float(body.mass), there.mass[0], rtol=1e-12)
        np.testing.assert_allclose([float(x) for x in body.at.xyz], there.ipos, atol=1e-12)
        xx, xy, xz, yy, yz, zz = map(float, body.tensor)
        R, S = angles(body.at), np.zeros(9)
        mujoco.mju_quat2Mat(S, there.iquat)
        tensor = S.reshape(3, 3) @ np.diag(there.inertia) @ S.reshape(3, 3).T
        own = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        np.testing.assert_allclose(own, tensor, rtol=0, atol=1e-11 * (np.abs(tensor).max() + 1e-3))


@pytest.mark.parametrize("seed", range(12))
def test_shapes_make_the_same_models(seed: int) -> None:
    """Inertia matrix, torques under the last gravity, the centre of mass of everything, the frame of a site."""
    text = shaped(seed)
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT  # shapes touch each other
    data = mujoco.MjData(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mp.ManipulaWarning)
        robot = mp.Robot.from_text(text, "mjcf", tip="tip", exact=True)
    tree = in_floats(robot)
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, robot.dof))
    data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
    mujoco.mj_inverse(model, data)
    close(inertia_matrix(tree, q), full(model, data))
    close(inverse_dynamics(tree, q, qd, qdd), data.qfrc_inverse)
    mujoco.mj_comPos(model, data)
    close(centre_of_mass(tree, q), data.subtree_com[0])
    close(pose(tree, q).p, data.site("tip").xpos)
    close(pose(tree, q).R, data.site("tip").xmat.reshape(3, 3))


@pytest.mark.parametrize("seed", range(60))
def test_a_tensor_that_no_body_has_is_balanced(seed: int) -> None:
    """Where the file asks for it, by `diaginertia` in axes of its own or by `fullinertia`."""
    rng = np.random.default_rng(seed)
    moments = rng.uniform(0.01, 0.1, 3) + rng.choice([0.0, 0.15]) * np.eye(3)[rng.integers(3)]
    R = turn(rng.normal(size=3), rng.uniform(-3, 3))
    xx, yy, zz, xy, xz, yz = (R @ np.diag(moments) @ R.T)[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    said = str(rng.choice([
        f'diaginertia="{moments[0]} {moments[1]} {moments[2]}" euler="20 -30 40"',
        f'fullinertia="{xx} {yy} {zz} {xy} {xz} {yz}"',
    ]))  # fmt: skip
    text = (
        '<mujoco><compiler balanceinertia="true"/><worldbody><body name="b"><joint axis="0 0 1"/>'
        f'<inertial pos="0.1 0 0" mass="2" {said}/></body></worldbody></mujoco>'
    )
    there = mujoco.MjModel.from_xml_string(text).body("b")
    body = links_from_mjcf(text, "", []).links.links["b"].inertial
    assert body is not None
    own, S, (xx, xy, xz, yy, yz, zz) = angles(body.at), np.zeros(9), map(float, body.tensor)
    mujoco.mju_quat2Mat(S, there.iquat)
    tensor = own @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ own.T
    np.testing.assert_allclose(tensor, S.reshape(3, 3) @ np.diag(there.inertia) @ S.reshape(3, 3).T, atol=1e-12)
    least, middle, most = np.sort(moments)
    assert (np.ptp(there.inertia) < 1e-12) == (least + middle < most)


@pytest.mark.parametrize("inner", ["", '<geom size="0.1" mass="0"/>'])
def test_a_body_of_nothing_has_the_least_mass(inner: str) -> None:
    """MuJoCo puts it where the body's own `pos` is, whatever frame the body stands in."""
    weight = '<inertial pos="0 0.1 0" mass="1" diaginertia="0.02 0.03 0.025"/>'
    text = f"""<mujoco><compiler boundmass="0.5"/><worldbody><body name="a"><joint name="j" axis="0 1 0"/>{weight}
      <frame pos="0 0.2 0" euler="30 0 0"><body name="b" pos="0.3 0.2 0.1" euler="0 40 0">{inner}</body></frame>
    </body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = 0.3
    mujoco.mj_inverse(model, data)
    tree = in_floats(mp.Robot.from_text(text, "mjcf", exact=True))
    close(inverse_dynamics(tree, [0.3], [0.0], [0.0]), data.qfrc_inverse)
    close(inertia_matrix(tree, [0.3]), full(model, data))


def close(found: Any, meant: Any) -> None:
    meant = np.array(meant, dtype=float)
    np.testing.assert_allclose(np.array(found, dtype=float), meant, rtol=0, atol=1e-12 * (1 + np.abs(meant).max()))


def full(model: Any, data: Any) -> Array:
    found = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, found)
    except TypeError:  # before MuJoCo 4
        mujoco.mj_fullM(model, found, data.qM)
    return found


WEIGHT = '<inertial pos="0 0.05 0.1" mass="1" diaginertia="0.02 0.01 0.015"/>'


def pulled(seed: int) -> str:
    """Three hinges and a slide; tendons over them, with and without classes; actuators at joints and tendons."""
    rng = np.random.default_rng(seed)

    def tendon(name: str) -> str:
        over = rng.choice(["j1", "j2", "j3", "j4"], int(rng.integers(1, 4)), replace=False)
        parts = "".join(f'<joint joint="{x}" coef="{rng.normal():.4f}"/>' for x in over)
        keys = rng.permutation(["armature", "damping"])[: rng.integers(0, 3)]
        said = " ".join(f'{key}="{rng.uniform(0.1, 2):.4f}"' for key in keys)
        return f'<fixed name="{name}" {said} {rng.choice(["", "class=" + chr(34) + "k" + chr(34)])}>{parts}</fixed>'

    def actuator(number: int) -> str:
        at = rng.choice(['joint="j1"', 'joint="j4"', 'jointinparent="j2"', 'tendon="t0"', 'tendon="t1"'])
        keys = rng.permutation(["armature", "damping", "gear"])[: rng.integers(0, 4)]
        said = " ".join(f'{key}="{rng.uniform(0.1, 3):.4f}"' for key in keys)
        of_class = rng.choice(["", 'class="k"'])
        return f'<{rng.choice(["motor", "general"])} name="a{number}" {at} {said} {of_class}/>'

    tags = rng.permutation(["general", "motor", "position"])
    outer, *others = (
        f'<{tag} {key}="{rng.uniform(0.5, 3):.3f}"/>' for tag, key in zip(tags, ("gear", "armature", "gear"))
    )
    inner_class = f'<default class="k"><tendon damping="0.4"/>{others[1]}</default>'
    head = f"<default>{outer}{others[0]}{inner_class}</default>"
    axes = [str(rng.choice(["0 0 -1", "0 -1 0", "-1 0 0", "0.6 0 -0.8"])) for _ in range(4)]
    kinds = ["hinge", "hinge", "slide", "hinge"]
    inner, ref = "", rng.uniform(-0.8, 0.8, 4)
    for k in range(3, -1, -1):
        joint = f'<joint name="j{k + 1}" type="{kinds[k]}" axis="{axes[k]}" ref="{ref[k]:.4f}" damping="0.1"/>'
        inner = f'<body name="b{k}" pos="0.1 0.2 {0.1 * k}">{joint}{WEIGHT}{inner}</body>'
    tendons = "".join(tendon(f"t{k}") for k in range(3))
    actuators = "".join(actuator(k) for k in range(4))
    return (
        f'<mujoco><compiler angle="radian"/>{head}<worldbody>{inner}</worldbody>'
        f"<tendon>{tendons}</tendon><actuator>{actuators}</actuator></mujoco>"
    )


@pytest.mark.parametrize("seed", range(16))
def test_tendons_and_actuators_resist_as_there(seed: int) -> None:
    text = pulled(seed)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    robot = mp.Robot.from_text(text, "mjcf", exact=True)
    assert robot.joint_names == ("j1", "j2", "j3", "j4") and robot.tip_link == "b3"
    tree = in_floats(robot)
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, 4))
    data.qpos[:], data.qvel[:] = q, qd
    mujoco.mj_forward(model, data)
    C = np.array([tree.coordinates.spread(list(row)) for row in np.eye(4)], dtype=float).T
    close(C.T @ np.array(inertia_matrix(tree, C @ q), dtype=float) @ C, full(model, data))
    torques = C.T @ np.array(inverse_dynamics(tree, C @ q, C @ qd, C @ qdd), dtype=float)
    close(torques, full(model, data) @ qdd + data.qfrc_bias - data.qfrc_passive)


def test_the_models_have_the_tendon_too() -> None:
    """Generated, proved, compiled; and through a robot file."""
    text = pulled(3)
    robot = mp.Robot.from_text(text, "mjcf", exact=True)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    q, qd, qdd = np.random.default_rng(3).normal(size=(3, 4))
    data.qpos[:], data.qvel[:] = q, qd
    mujoco.mj_forward(model, data)
    assert len(robot.joints) > 4
    for given in (robot, mp.Robot.from_text(toml_from_robot(robot))):
        arm = mp.Arm(given, optimise="none")
        close(arm.inertia_matrix(q), full(model, data))
        close(arm.inverse_dynamics(q, qd, qdd), full(model, data) @ qdd + data.qfrc_bias - data.qfrc_passive)


def test_friction_of_a_tendon_slows_it() -> None:
    plain = pulled(1).partition("<tendon>")[0] + "{}</mujoco>"
    over = '<joint joint="j1" coef="1"/><joint joint="j4" coef="-3"/>'
    fixed = f'<tendon><fixed name="t" frictionloss="2">{over}</fixed></tendon>'
    one, other = (mp.Robot.from_text(plain.format(x), "mjcf") for x in ("", fixed))
    q, qd = [0.1, 0.2, 0.3, 0.4], [0.5, 1.0, 1.0, 0.1]
    more = [mp.Arm(x, optimise="none").inverse_dynamics(q, qd, [0] * 4) for x in (one, other)]
    np.testing.assert_allclose(more[1] - more[0], [2, 0, 0, -6], atol=1e-12)  # L̇ = 0.5 − 3·0.1 > 0
