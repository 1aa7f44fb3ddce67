"""What has a name: poses in a robot file, links, frames; and what is said of a name that is not there."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.kinematics import pose
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.formats.toml.write import toml_from_robot
from tests.golden.sentences import Sentences
from tests.laws.test_coupled import in_floats
from tests.peers.test_trees_pinocchio import Urdf
from tests.random_robots import random_robot, random_tree

pytestmark = pytest.mark.usefixtures("without_search")


def arm() -> mp.Robot:
    rows: list[dict[str, Any]] = [
        {"name": "waist", "d": 0.4, "a": 0.1, "alpha": -90, "mass": 1, "limits": [-170, 170]},
        {"name": "rail", "type": "prismatic", "theta": 0, "a": 0, "alpha": 90, "mass": 1, "limits": [0, 0.5]},
        {"name": "wrist", "d": 0, "a": 0.2, "alpha": 0, "mass": 1},
    ]
    robot = mp.Robot.from_dh(rows, angle="deg", name="arm")
    unknown = {name: 0.1 for name, value in robot.parameters.items() if value is None}
    return robot.with_parameters(**unknown | {f"I{x}{i}": 0.5 for x in ("xx", "yy", "zz") for i in (1, 2, 3)})


@pytest.mark.parametrize("seed", range(8))
def test_poses_are_saved_and_read(seed: int) -> None:
    robot = mp.Robot.of(random_tree(seed) if seed % 2 else random_robot(seed, convention="standard"))
    rng = np.random.default_rng(seed)
    unlimited = mp.Robot.of(replace_limits(robot))
    named = unlimited.with_poses(home=[0] * robot.dof, **{"odd name": rng.uniform(-1, 1, robot.dof)})
    read = mp.Robot.of(robot_from_toml(toml_from_robot(named)))
    assert read.poses == named.poses and list(read.poses) == ["home", "odd name"]
    assert named.with_poses(home=[1] * robot.dof).poses["home"] == (1.0,) * robot.dof


def replace_limits(robot: mp.Robot) -> mp.Robot:
    return replace(robot, joints=tuple(replace(joint, limits=None) for joint in robot.joints))


def test_a_file_gives_poses_in_its_own_units() -> None:
    robot = arm().with_poses(ready=["pi/2", 0.25, -1])
    text = toml_from_robot(robot)
    assert 'ready = [90, 0.25, "-1 rad"]' in text
    in_mm = text.replace('length = "m"', 'length = "mm"').replace("ready = [90, 0.25", "ready = [90, 250")
    in_mm = in_mm.replace("limits = [0, 0.5]", "limits = [0, 500]")
    with pytest.warns(mp.ManipulaWarning, match="looks like metres"):
        assert mp.Robot.of(robot_from_toml(in_mm)).poses["ready"] == (math.pi / 2, 0.25, -1.0)


def test_methods_take_a_pose_by_name() -> None:
    robot = arm().with_poses(ready=["pi/2", 0.25, -1])
    moving, q = mp.Arm(robot), robot.poses["ready"]
    np.testing.assert_array_equal(moving.pose("ready"), moving.pose(q))
    np.testing.assert_array_equal(moving.inverse_dynamics("ready", q, q), moving.inverse_dynamics(q, q, q))
    np.testing.assert_array_equal(moving.jacobian("ready"), moving.jacobian(q))


def test_what_is_left_of_a_robot_has_what_is_left_of_its_poses() -> None:
    robot = arm().with_poses(ready=[1, 0.25, -1])
    assert robot.locked(rail=0.1).poses == {"ready": (1.0, -1.0)}
    assert robot.road("rail").poses == {"ready": (1.0, 0.25)}
    assert mp.convert(robot, "modified").poses == mp.convert(robot, "urdf").poses == robot.poses


@pytest.mark.parametrize(
    "wrong, said",
    [
        ([0, 0], "poses.home: found 2 coordinates (expected 3, of waist, rail, wrist)"),
        ([0, 0.6, 0], "poses.home: joint 'rail' would stand at 0.6 m, outside its limits 0 … 0.5"),
        ([3, 0, 0], "poses.home: joint 'waist' would stand at 3 rad, outside its limits -2.96706 … 2.96706"),
        ([0, "x", 0], "'x' of joint 'rail' has no value (expected numbers)"),
        ([0, math.nan, 0], "poses.home[1]: found nan"),
        ("home", "found 'home', expected a list of numbers"),
        ([[0, 0, 0]], "poses.home[0]: found a list"),
    ],
)
def test_a_pose_the_robot_cannot_take_is_refused(wrong: Any, said: str) -> None:
    with pytest.raises(mp.InputError) as told:
        arm().with_poses(home=wrong)
    assert said in str(told.value)


@pytest.mark.parametrize("text", ["[0, 0]", "[0, 0.6, 0]", "[200, 0, 0]", "[0, 'x', 0]", "3", "[[0, 0, 0]]"])
def test_so_is_one_of_a_file(text: str) -> None:
    with pytest.raises(mp.RobotFileError, match=r"poses\.home"):
        robot_from_toml(toml_from_robot(arm()).replace("[[joint]]", f"[poses]\nhome = {text}\n[[joint]]", 1))


def test_an_unknown_pose_is_said(whole: Sentences) -> None:
    with whole.raises(mp.InputError, match=r"has no poses by name, found 'home'; robot\.with_poses"):
        mp.Arm(arm()).pose("home")
    with whole.raises(mp.UnknownNameError, match="no pose of arm is called 'hom'; did you mean 'home'"):
        mp.Arm(arm().with_poses(home=[0, 0, 0])).pose("hom")


def urdf_arm() -> mp.Robot:
    urdf, parent = Urdf("arm", 3), "root"
    for i in (1, 2, 3):
        parent = urdf.link(parent, f"panda_part{i}", "revolute", ("0 0 1", "0 1 0", "1 0 0")[i - 1])
    urdf.link(parent, "flange", "fixed")
    return mp.Robot.from_text(urdf.text(), "urdf", exact=True)


def test_links_are_asked_for_by_their_names_their_joints_or_their_numbers() -> None:
    robot = urdf_arm()
    assert robot.link_names == ("panda_part1", "panda_part2", "panda_part3", "flange")
    q = [0.1, 0.2, 0.3]
    links = [at.rows() for at in pose.frames(in_floats(robot), q)]
    for i in (1, 2, 3):
        for name in (f"panda_part{i}", f"j_panda_part{i}", f"link{i}", f"link_{i}"):
            np.testing.assert_allclose(pose.pose(in_floats(robot.at(name)), q).rows(), links[i - 1], atol=1e-15)
    moving = mp.Arm(robot, optimise="none")
    np.testing.assert_allclose(moving.pose(q, frame="panda_part2"), links[1], atol=1e-15)
    np.testing.assert_array_equal(moving.jacobian(q, "link2"), moving.at("link2").jacobian(q))
    read = mp.Robot.of(robot_from_toml(toml_from_robot(robot)))
    assert read.link_names == robot.link_names
    assert robot.locked(q2=0.4).at("panda_part2").tool_on == "j_panda_part2"


def test_a_name_that_is_no_frame_is_said() -> None:
    with pytest.raises(mp.UnknownNameError, match="no frame is called 'panda_part4'; did you mean 'panda_part"):
        mp.generate(urdf_arm(), "jacobian", frame="panda_part4")
    with pytest.raises(mp.UnknownNameError, match="no frame is called 'link9'"):
        mp.Arm(urdf_arm()).pose([0, 0, 0], frame="link9")


def gripper(**options: Any) -> mp.Robot:
    """An arm of two joints with two fingers, of which one mimics the other."""
    urdf = Urdf("gripper", 5)
    urdf.limb("root", "arm", ("0 0 1", "0 1 0"))
    urdf.link("arm2", "left", "prismatic", "0 1 0")
    urdf.link("arm2", "right", "prismatic", "0 1 0")
    mimic = '<mimic joint="j_left" multiplier="-1" offset="0.1"/></joint>'
    head, tail = urdf.text().rsplit("</joint>", 1)
    return mp.Robot.from_text(head + mimic + tail, "urdf", exact=True, **options)


@pytest.mark.turn
def test_fingers_that_mimic_follow_and_are_locked_together() -> None:
    whole = gripper()
    assert whole.joint_names == ("j_arm1", "j_arm2", "j_left")
    q = [0.1, 0.2]
    later, reading = whole.locked(j_left=0.02), gripper(locked={"j_left": 0.02})
    assert later.joint_names == reading.joint_names == ("j_arm1", "j_arm2")
    for frame in ("left", "right"):
        wanted = mp.Arm(whole, frame=frame, optimise="none").pose([*q, 0.02])
        for robot in (later, reading):
            np.testing.assert_allclose(mp.Arm(robot, frame=frame, optimise="none").pose(q), wanted, atol=1e-14)
    gravity = mp.Arm(whole, optimise="none").gravity([*q, 0.02])[:2]
    for robot in (later, reading):
        np.testing.assert_allclose(mp.Arm(robot, optimise="none").gravity(q), gravity, atol=1e-13)


def test_a_joint_of_the_chain_is_locked_while_reading() -> None:
    held = gripper(tip="arm2", locked={"j_arm1": 0.3, "j_left": 0.01})
    assert held.joint_names == ("j_arm2",)
    wanted = mp.Arm(gripper(tip="arm2"), optimise="none").pose([0.3, 0.7])
    np.testing.assert_allclose(mp.Arm(held, optimise="none").pose([0.7]), wanted, atol=1e-14)
    with pytest.raises(mp.UnknownNameError, match="no joint that moves is called 'j_lef'; did you mean 'j_left'"):
        gripper(tip="arm2", locked={"j_lef": 0})


@pytest.mark.parametrize("given", [3, ["q1"], {1: 0.2}, {"": 0.1}])
def test_what_is_no_dict_by_name_is_said(given: Any) -> None:
    with pytest.raises(mp.InputError, match=r"locked: found .*expected a dict by name"):
        arm().locked(given)
    with pytest.raises(mp.InputError, match=r"poses: found .*expected a dict by name"):
        arm().with_poses(given)
    with pytest.raises(mp.UnknownNameError, match="no frame is called 3"):
        arm().at(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("joint", ["waist", "rail", "wrist", "base"])
def test_a_frame_stays_where_it_is_in_another_convention(joint: str) -> None:
    robot = arm().with_frame("camera", joint, [0.1, 0.2, 0.3], [0.4, 0.5, 0.6])
    q = [0.1, 0.2, 0.3]
    here, there = (pose.pose(in_floats(x.at("camera")), q).rows() for x in (robot, mp.convert(robot, "modified")))
    np.testing.assert_allclose(there, here, atol=1e-12)
