"""SDF models: the same arm as a URDF, poses seen from anywhere, loops, and what cannot be read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manipula as mp
from manipula.errors import ManipulaWarning

TENSOR = "<inertia><ixx>.01</ixx><iyy>.02</iyy><izz>.025</izz><ixy>.001</ixy><ixz>0</ixz><iyz>0</iyz></inertia>"
LINK = (
    "<link name='{0}'><pose {2}>{1}</pose><inertial><pose>0.1 0.02 0.03 0.1 0.2 0.3</pose><mass>1.5</mass>"
    + TENSOR + "</inertial><visual name='v'/></link>"
)  # fmt: skip
JOINT = (
    "<joint name='{0}' type='{1}'><parent>{2}</parent><child>{3}</child><pose>{4}</pose><axis><xyz>{5}</xyz>"
    "<limit><lower>-2</lower><upper>2</upper><effort>30</effort><velocity>5</velocity></limit>"
    "<dynamics><damping>0.3</damping><friction>0.1</friction></dynamics></axis></joint>"
)


def sdf(*parts: str) -> str:
    return f"<?xml version='1.0'?><sdf version='1.9'><model name='arm'>{''.join(parts)}</model></sdf>"


ARM = sdf(
    LINK.format("a", "0 0 0.3 0 0 0", ""), LINK.format("b", "0.4 0 0.1 0 0.5 0", "relative_to='a'"),
    LINK.format("c", "0.9 0.1 0.3 0 0 0", ""),
    JOINT.format("j1", "revolute", "world", "a", "0 0 0 0 0 0", "0 0 1"),
    JOINT.format("j2", "revolute", "a", "b", "-0.1 0 0.05 0.2 0 0", "0 1 0"),
    JOINT.format("j3", "prismatic", "b", "c", "0 0 0 0 0 0", "1 0 0"),
)  # fmt: skip


def test_an_arm_is_that_of_its_poses() -> None:
    """By hand: the frames of links at rest, and joints about axes through their own origins."""
    robot = mp.Robot.from_text(ARM, "sdf")
    assert robot.joint_names == ("j1", "j2", "j3")
    arm = mp.Arm(robot)
    np.testing.assert_allclose(arm.pose([0, 0, 0])[:3, 3], [0.9, 0.1, 0.3], atol=1e-12)
    q = np.array([0.3, -0.4, 0.2])

    def turn(axis: np.ndarray, angle: float) -> np.ndarray:
        x, y, z = axis
        K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        R: np.ndarray = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
        return R

    Rb = turn(np.array([0, 1, 0]), 0.5)
    b, foot = np.array([0.4, 0, 0.4]), np.array([0.4, 0, 0.4]) + Rb @ [-0.1, 0, 0.05]
    axis = Rb @ turn(np.array([1, 0, 0]), 0.2) @ [0, 1, 0]
    R2 = turn(axis, q[1])
    c = foot + R2 @ (np.array([0.9 + q[2], 0.1, 0.3]) - foot)
    np.testing.assert_allclose(arm.pose(q)[:3, 3], turn(np.array([0, 0, 1]), q[0]) @ c, atol=1e-12)
    assert b.shape == (3,)
    assert robot.joints[0].limits is not None and float(robot.joints[1].actuator["fv"].value.value) == 0.3


def test_masses_and_gravity() -> None:
    robot = mp.Robot.from_text(ARM, "sdf")
    assert float(robot.gravity[2].value.value) == -9.8
    energy = mp.Arm(robot).energy([0, 0, 0], [0, 0, 0]).potential
    heights = [0.3 + 0.03, 0.3 + 0.1 + (np.cos(0.5) * 0.03 - np.sin(0.5) * 0.1), 0.3 + 0.03]
    np.testing.assert_allclose(energy, 1.5 * 9.8 * sum(heights), rtol=1e-12)
    bare = mp.Robot.from_text(ARM.replace("<mass>1.5</mass>", ""), "sdf")
    np.testing.assert_allclose(mp.Arm(bare).energy([0, 0, 0], [0, 0, 0]).potential, 9.8 * sum(heights), rtol=1e-12)


FOUR_BAR = sdf(
    LINK.format("crank", "0 0 0 0 0 0", ""), LINK.format("coupler", "0.05 0.2 0 0 0 0", ""),
    LINK.format("rocker", "0.4 0 0 0 0 0", ""),
    JOINT.format("m", "revolute", "world", "crank", "0 0 0 0 0 0", "0 0 1"),
    JOINT.format("p", "revolute", "crank", "coupler", "0 0 0 0 0 0", "0 0 1"),
    JOINT.format("r", "revolute", "world", "rocker", "0 0 0 0 0 0", "0 0 1"),
    JOINT.format("pin", "{0}", "coupler", "rocker", "0.05 0.35 0 0 0 0", "0 0 1"),
)  # fmt: skip


@pytest.mark.parametrize("kind", ["revolute", "ball"])
def test_a_child_of_two_joints_closes_a_loop(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "bar.sdf"
    file.write_text(FOUR_BAR.replace("{0}", kind))
    with pytest.warns(ManipulaWarning, match="joint 'pin' closes a loop and is left open"):
        assert not mp.load(file).loops
    with pytest.warns(ManipulaWarning, match="damping and friction of joints that close loops: pin"):
        robot = mp.load(file, motors=["m"])
    assert any("'pin' closes a loop: its limits" in note for note in robot.origin.notes)
    assert [x.name for x in robot.loops] == ["pin"] and robot.motors == ("m",)
    at = robot.close([0.2])
    assert at.ok and np.abs(robot.close([0.0]).q).max() < 1e-12
    assert np.isfinite(mp.Arm(robot, optimise="none").inverse_dynamics(at, [0.1], [0.2])).all()


WRONG = {
    "top": ("<robot/>", "SDF file is <sdf>"),
    "two models": (ARM.replace("</model>", "<model name='b'/></model>"), "several models"),
    "include": (ARM.replace("</model>", "<include/></model>"), "include"),
    "pose": (ARM.replace("0 0 0.3 0 0 0", "0 0 0.3"), "six numbers"),
    "axis": (ARM.replace("<xyz>0 1 0</xyz>", "<xyz>0 1</xyz>"), "three numbers"),
    "seen from": (ARM.replace("<xyz>0 1 0</xyz>", "<xyz expressed_in='zz'>0 1 0</xyz>"), "'zz'"),
    "no axis": (ARM.replace("<xyz>0 1 0</xyz>", "<xyz>0 0 0</xyz>"), "joint 'j2': axis: found a zero axis"),
    "shapes": (ARM.replace("<inertial>", "<inertial auto='true'>", 1), "link 'a': inertial: its mass would come from"),
    "no link": (ARM.replace("<child>b</child>", "<child>j1</child>"), "'j1'"),
    "parent": (ARM.replace("<parent>world</parent>", ""), "j1.*parent: is missing"),
    "unknown": (ARM.replace("relative_to='a'", "relative_to='zz'"), "zz"),
    "circle": (ARM.replace("relative_to='a'", "relative_to='b'"), "b"),
    "number": (ARM.replace("1.5", "heavy"), "heavy"),
    "kind": (ARM.replace("'prismatic'", "'gearbox'"), "gearbox"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said(case: str) -> None:
    text, part = WRONG[case]
    with pytest.raises(mp.ManipulaError, match=part):
        mp.Robot.from_text(text, "sdf")


WARNED = {
    "spring": ("<damping>", "<spring_stiffness>4</spring_stiffness><damping>", "not read: springs of joints .*: j1"),
    "weight": ("<inertial>", "<gravity>false</gravity><inertial>", "not read: <gravity> of links, .*: a"),
    "water": ("<mass>", "<fluid_added_mass/><mass>", "not read: fluid_added_mass: a"),
    "static": ("<link", "<static>true</static><link", "the model is static"),
    "word": ("<damping>", "<dampling>2</dampling><damping>", "unknown and not read: <dampling>; .*'damping'"),
}


@pytest.mark.parametrize("case", WARNED)
def test_what_changes_forces_and_is_not_read_is_warned_of(case: str) -> None:
    old, new, said = WARNED[case]
    with pytest.warns(ManipulaWarning, match=said):
        mp.Robot.from_text(ARM.replace(old, new, 1), "sdf")


def test_a_model_that_nothing_holds_stands_where_its_poses_say() -> None:
    text = sdf(
        "<pose>0 0 1 0 0 0</pose>", LINK.format("a", "0 0 0.3 0 0 0", ""), LINK.format("b", "0.2 0 0.3 0 0 0", ""),
        JOINT.format("j1", "revolute", "a", "b", "0 0 0 0 0 0", "0 0 1"),
    )  # fmt: skip
    with pytest.warns(ManipulaWarning, match="no joint holds link 'a' to the world"):
        robot = mp.Robot.from_text(text, "sdf")
    np.testing.assert_allclose(mp.Arm(robot, optimise="none").pose([0.0])[:3, 3], [0.2, 0, 1.3], atol=1e-12)
    assert mp.Robot.from_text(text, "sdf", base="free").moving == "free"


def test_a_joint_that_mimics_another_follows_it() -> None:
    follower = "<mimic joint='j1'><multiplier>-2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic>"
    head, tail = ARM.rsplit("<limit>", 1)
    robot = mp.Robot.from_text(f"{head}{follower}<limit>{tail}", "sdf")
    assert robot.joint_names == ("j1", "j2")
    S, c = robot.coordinates.affine
    np.testing.assert_allclose(S @ [0.3, 0] + c, [0.3, 0, -2 * (0.3 - 0.1) + 0.5], atol=1e-15)


@pytest.mark.parametrize(("kind", "ends", "about"), [("ball", "xyz", "XYZ"), ("universal", "12", "YX")])
def test_joints_of_several_axes_are_hinges_in_turn(kind: str, ends: str, about: str) -> None:
    text = sdf(
        LINK.format("a", "0 0 0.3 0 0 0", ""), LINK.format("b", "0.4 0 0.3 0 0 0", ""),
        f"<joint name='j' type='{kind}'><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz></axis><axis2>"
        "<xyz>1 0 0</xyz></axis2></joint>", JOINT.format("k", "revolute", "a", "b", "0 0 0 0 0 0", "0 0 1"),
    )  # fmt: skip
    robot = mp.Robot.from_text(text, "sdf")
    assert robot.joint_names == (*(f"j_{end}" for end in ends), "k")
    q = np.linspace(0.3, -0.8, len(ends))
    turned = Rotation.from_euler(about, q).as_matrix()
    pose = mp.Arm(robot, optimise="none").pose([*q, 0.0])
    np.testing.assert_allclose(pose[:3, :3], turned, atol=1e-12)
    np.testing.assert_allclose(pose[:3, 3], turned @ [0.4, 0, 0] + [0, 0, 0.3], atol=1e-12)


@pytest.mark.filterwarnings("ignore:not read")
def test_a_motor_that_is_no_joint_is_told() -> None:
    with pytest.raises(mp.ManipulaError, match="zz"):
        mp.Robot.from_text(FOUR_BAR.replace("{0}", "revolute"), "sdf", motors=["zz"])
