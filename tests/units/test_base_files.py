"""A base that moves in robot files: read, written, refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from tests.floating_robots import near
from tests.laws.test_floating import FOLLOWER
from tests.peers.test_floating_pinocchio import DOG

LEG = FOLLOWER.format(coordinate="")
BODY = '<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
FLYER = f"""<robot name="flyer"><link name="world"/><link name="trunk">{BODY}</link><link name="arm">{BODY}</link>
<link name="imu"/><joint name="fly" type="floating"><parent link="world"/><child link="trunk"/>
<origin xyz="0 0 1"/></joint><joint name="j" type="revolute"><parent link="trunk"/><child link="arm"/>
<origin xyz="0.1 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="i" type="fixed"><parent link="trunk"/><child link="imu"/><origin xyz="0 0 0.2"/></joint></robot>"""


@pytest.mark.parametrize("moving", ["free", "given"])
def test_toml_says_how_the_base_moves_and_keeps_it(moving: str, tmp_path: Path) -> None:
    robot = mp.Robot.from_text(LEG.replace('"free"', f'"{moving}"'))
    assert robot.moving == moving
    again = mp.load(mp.save(robot, tmp_path / "leg.toml"))
    assert again == robot and again.digest == robot.digest
    assert robot.digest != mp.Robot.from_text(LEG.replace('moving = "free"', "")).digest
    assert "base that moves freely" in str(robot) if moving == "free" else "motion is given" in str(robot)


def test_a_base_of_which_nothing_is_said_has_an_unknown_mass(tmp_path: Path) -> None:
    text = LEG.replace("mass = 4\ninertia = { xx = 0.1, yy = 0.2, zz = 0.3 }\n", "").replace(
        "inertia_default = 0\n", ""
    )
    robot = mp.Robot.from_text(text)
    assert {"m_base", "rx_base", "Ixx_base"} <= set(robot.parameters)
    gravity = mp.generate(robot, "gravity", optimise="none")
    assert "m_base" in gravity.inputs["p"]
    assert mp.load(mp.save(robot, tmp_path / "leg.toml")) == robot


def test_a_planar_base_is_two_slides_and_a_turn() -> None:
    robot = mp.Robot.from_text(LEG.replace('"free"', '"planar"') + '[[frame]]\nname = "eye"\non = "base"\n')
    assert (robot.moving, robot.joint_names) == ("", ("base_x", "base_y", "base_yaw", "hip", "knee"))
    arm, q = mp.Arm(robot, optimise="none"), [0.3, -0.2, 0.5, 0.1, 0.2]
    M = arm.inertia_matrix(q)
    near(M[:2, :2], 5.5 * np.eye(2))  # the masses of the base, the thigh and the shank
    T = arm.pose(q, frame="eye")
    near(T[:2, 3], q[:2])
    near(T[:2, :2], [[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])


def test_a_floating_joint_at_the_root_of_a_urdf() -> None:
    robot = mp.Robot.from_text(FLYER, "urdf")
    assert (robot.moving, robot.base_link, robot.joint_names) == ("free", "trunk", ("j",))
    assert "imu" in robot.frame_names
    near(mp.Arm(robot, optimise="none").pose([0.0], frame="imu", base=np.eye(4))[:3, 3], [0, 0, 0.2])
    still = mp.Robot.from_text(FLYER, "urdf", base="trunk")
    assert still.moving == "" and still.dof == 1
    assert mp.Robot.from_text(FLYER, "urdf", base="given").moving == "given"


def test_a_root_that_is_said_to_be_free(tmp_path: Path) -> None:
    text = FLYER.replace("floating", "fixed")
    assert mp.Robot.from_text(text, "urdf").moving == ""
    path = tmp_path / "flyer.urdf"
    path.write_text(text)
    robot = mp.load(path, base="free")
    assert (robot.moving, robot.base_link) == ("free", "world")
    near(mp.Arm(robot, optimise="none").inertia_matrix([0.3])[0, 0], 4)


@pytest.mark.parametrize("robot", [mp.Robot.from_text(FLYER, "urdf"), mp.Robot.from_text(DOG, "mjcf")])
def test_a_urdf_that_is_written_is_the_same_robot(robot: mp.Robot, tmp_path: Path) -> None:
    robot = robot.without("motor_inertia")
    again = mp.load(mp.save(robot, tmp_path / "robot.urdf"))
    assert (again.moving, again.joint_names, again.base_link) == ("free", robot.joint_names, robot.base_link)
    assert set(again.frame_names) >= set(robot.frame_names) - {"tool"}
    q = np.linspace(0.1, 0.4, robot.dof)
    near(mp.Arm(again, optimise="none").inertia_matrix(q), mp.Arm(robot, optimise="none").inertia_matrix(q))


def test_motion_of_the_base_that_a_urdf_cannot_hold_is_said(tmp_path: Path) -> None:
    robot = mp.Robot.from_text(LEG.replace('"free"', '"given"'))
    with pytest.warns(mp.ManipulaWarning, match="motion of the base as an input"):
        mp.save(robot, tmp_path / "leg.urdf")
    with pytest.raises(mp.ManipulaError, match="its base moves"):
        mp.save(robot, tmp_path / "leg.csv")
    with pytest.warns(mp.ManipulaWarning, match="the names of joints"):
        mp.save(robot, tmp_path / "leg.par")
    assert mp.load(tmp_path / "leg.par").moving == "given"


def test_bad_bases_are_refused_in_a_sentence() -> None:
    cases = {
        "it moves freely and has no mass": lambda: mp.Robot.from_text(LEG.replace("mass = 4", "mass = 0")),
        "base.moving: found 'up'": lambda: mp.Robot.from_text(LEG.replace('"free"', '"up"')),
        "tip='arm' reads a serial arm on a base that stands still": lambda: mp.Robot.from_text(
            FLYER, "urdf", tip="arm"
        ),
        "has no mass, so forces": lambda: mp.Robot.from_text(FLYER.replace(BODY, "", 1), "urdf"),
    }
    for said, read in cases.items():
        with pytest.raises(mp.ManipulaError) as caught:
            read()
        assert said in str(caught.value)


def test_calls_without_the_motion_of_the_base_are_refused_in_a_sentence() -> None:
    arm, fixed, q = mp.Arm(mp.Robot.from_text(LEG), optimise="none"), mp.Arm("planar2r"), [0.1, 0.2]
    three = np.zeros(3)
    cases = {
        "leg: its base moves, so inverse_dynamics needs base=(w0, wd0, a0)": lambda: arm.inverse_dynamics(q, q, q),
        "inverse_dynamics: expected base=(w0, wd0, a0), found 2": lambda: arm.inverse_dynamics(
            q, q, q, base=(three, three)
        ),
        "gravity: R0: expected a matrix (…, 3, 3), found shape (4,)": lambda: arm.gravity(q, base=[1, 0, 0, 0]),
        "gravity: R0: its rotation is not one": lambda: arm.gravity(q, base=2 * np.eye(3)),
        "gravity: R0: its rotation is": lambda: arm.gravity(q, base=np.full((3, 3), np.nan)),
        "leg: inertia_matrix does not depend on the base's motion; drop base=": lambda: arm.inertia_matrix(
            q, base=three
        ),
        "leg: its base moves, and inverse_kinematics is made for a base that stands still": lambda: (
            arm.inverse_kinematics(np.eye(4))
        ),
        "leg: its base moves, and lagrange_terms is made": lambda: arm.lagrange_terms(q, q, q, q),
        "leg: its base moves, and a plant is made": lambda: mp.Plant(arm),
        "leg: its base moves, and pd_gravity is made": lambda: mp.controller(arm, "pd_gravity", kp=1, kd=1),
        "planar2r: its base stands still, so gravity takes no base=": lambda: mp.Arm(
            fixed.robot.with_parameters(l1=1, l2=1, m1=1, m2=1, g=9.81), optimise="none"
        ).gravity(q, base=np.eye(3)),
    }  # fmt: skip
    for said, call in cases.items():
        with pytest.raises(mp.InputError) as caught:
            call()
        assert said in str(caught.value)


def test_rows_of_a_batch_are_single_calls() -> None:
    arm, rng = mp.Arm(mp.Robot.from_text(LEG), optimise="none"), np.random.default_rng(3)
    q, qd, tau = rng.normal(size=(3, 5, 2))
    v0, w0 = rng.normal(size=(2, 5, 3))
    found = arm.forward_dynamics(q, qd, tau, base=(np.tile(np.eye(3), (5, 1, 1)), v0, w0))
    for k in range(5):
        one = arm.forward_dynamics(q[k], qd[k], tau[k], base=(np.eye(3), v0[k], w0[k]))
        np.testing.assert_array_equal(found.qdd[k], one.qdd)
        np.testing.assert_array_equal(found.base_acceleration[k], one.base_acceleration)


def test_one_configuration_of_arrays_goes_the_short_way_with_the_same_answer() -> None:
    import inspect
    import pickle

    arm, rng = mp.Arm(mp.Robot.from_text(LEG), optimise="none"), np.random.default_rng(3)
    q, qd, qdd = rng.normal(size=(3, 2))
    w0, wd0, a0 = rng.normal(size=(3, 3))
    R, T = mp.states.rotation([0.6, 0, 0.8, 0]), np.eye(4)
    T[:3, :3] = R
    cases = {
        "inverse_dynamics": ((q, qd, qdd), (w0, wd0, a0)),
        "forward_dynamics": ((q, qd, qdd), (R, w0, wd0)),
        "gravity": ((q,), R),
        "energy": ((q, qd), (T, w0, wd0)),
        "momentum": ((q, qd), (w0, wd0)),
        "inertia_matrix": ((q,), None),
    }
    for name, (given, base) in cases.items():
        call = getattr(arm, name)
        short, long = call(*given, base=base), call(*(x[None] for x in given), base=base)
        short, long = (x if isinstance(x, tuple) else (x,) for x in (short, long))
        for one, other in zip(short, long, strict=True):
            np.testing.assert_array_equal(one, other[0])
        assert "base" in inspect.signature(call).parameters and call.__doc__
    again = pickle.loads(pickle.dumps(arm.gravity))
    np.testing.assert_array_equal(again(q, base=R), arm.gravity(q, base=R))
    for bad in (2 * R, -R, R.T @ np.diag([1.0, 1, -1]), R * np.nan):
        with pytest.raises(mp.InputError, match="its rotation is not one"):
            arm.gravity(q, base=bad)
