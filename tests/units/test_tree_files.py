"""Robots that branch in files: TOML and URDF hold them whole, tables of rows refuse them with a sentence."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import RobotDescription, Step, cell_with_value
from manipula.mechanics.robot.formats.conversion.conventions import convert
from manipula.mechanics.robot.formats.dh.read import dh_text_from_robot
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.formats.toml.write import toml_from_robot
from manipula.mechanics.robot.formats.urdf.read import robot_from_urdf
from manipula.mechanics.robot.formats.urdf.write import urdf_from_robot
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.topology import frame_names, seen_at, serial_fault
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.robot.values.parameter import number
from manipula.mechanics.spatial.floats import FLOATS
from tests.golden.sentences import Sentences
from tests.random_robots import random_state, random_tree
from tests.robot_plans import placed, shift, turn

TREES = [seed for seed in range(24) if serial_fault(random_tree(seed)).startswith("it branches")]

FORK = """
format = 1
name = "fork"
convention = "modified"
angle = "deg"

[[frame]]
name = "left hand"
on = "left"
xyz = [0, 0, 0.1]

[[frame]]
name = "right hand"
on = "right"
xyz = [0, 0, 0.1]
rpy = [0, 90, 0]

[[joint]]
name = "trunk"
type = "revolute"
d = 0.4
a = 0
alpha = 0

[[joint]]
name = "left"
type = "revolute"
d = 0
a = 0.2
alpha = 90

[[joint]]
name = "right"
parent = "trunk"
type = "prismatic"
theta = 0
a = -0.2
alpha = -90
"""


def in_floats(robot: RobotDescription) -> Tree:
    return merge_fixed(bind(robot, FLOATS, {}))


def tree_of_rows(seed: int) -> RobotDescription:
    """With frames as a file may have them."""
    robot = random_tree(seed, convention="modified" if seed % 2 else "standard", surroundings=False)
    at = (Step("tx", cell_with_value("hand_x", number(0.25))), Step("rz", cell_with_value("hand_yaw", number(0.5))))
    frames = tuple(replace(frame, at=at) for frame in robot.frames[:1])
    return replace(robot, frames=tuple(replace(frame, name="hand") for frame in frames))


@pytest.mark.parametrize("seed", TREES)
def test_toml_round_trip(seed: int) -> None:
    robot = tree_of_rows(seed)
    read = robot_from_toml(toml_from_robot(robot))
    assert [(x.name, x.parent) for x in read.joints] == [(x.name, x.parent) for x in robot.joints]
    assert (read.tool_on, [(x.name, x.on) for x in read.frames]) == (robot.tool_on, [("hand", robot.frames[0].on)])
    assert in_floats(read) == in_floats(robot)
    assert in_floats(seen_at(read, "hand")) == in_floats(seen_at(robot, "hand"))


@pytest.mark.parametrize("seed", TREES)
def test_urdf_round_trip(seed: int) -> None:
    """Joints by name; torques and the frames are the same."""
    robot = replace(random_tree(seed, actuators=False, surroundings=False), tool_on=None)
    read = robot_from_urdf(urdf_from_robot(robot), exact=True)
    assert sorted(read.joint_names) == sorted(robot.joint_names)
    state = dict(zip(robot.joint_names, zip(*random_state(robot, seed)[:3])))
    one, other = (inverse_dynamics(in_floats(x), *zip(*(state[n] for n in x.joint_names))) for x in (robot, read))
    np.testing.assert_allclose([*map(float, one)], [float(other[read.joint_names.index(n)]) for n in robot.joint_names],
                               rtol=1e-9, atol=1e-9)  # fmt: skip
    for name in {"frame 0", "frame 1"} & set(frame_names(read)):
        poses = [pose(in_floats(seen_at(x, name)), [state[n][0] for n in x.joint_names]).rows() for x in (robot, read)]
        np.testing.assert_allclose(*(np.array(rows, dtype=float) for rows in poses), atol=1e-9)


@pytest.mark.parametrize("seed", TREES[:4])
def test_tables_of_rows_hold_serial_arms(seed: int) -> None:
    robot = replace(tree_of_rows(seed), frames=(), tool_on=None)
    for write in (
        dh_text_from_robot,
        lambda x: convert(x, "standard"),
        lambda x: convert(x, "modified"),
    ):
        with pytest.raises(mp.RobotFileError, match="stands on"):
            write(robot)


def test_a_file_with_two_hands(tmp_path: Path) -> None:
    (tmp_path / "fork.toml").write_text(FORK)
    robot = mp.load(tmp_path / "fork.toml")
    assert (robot.dof, robot.parents, robot.frame_names) == (3, (-1, 0, 0), ("left hand", "right hand"))
    with pytest.raises(
        mp.InputError, match="fork branches at 'trunk'; say which frame is meant: 'left hand', 'right hand'"
    ):
        mp.generate(robot, "pose")
    q = np.array([0.3, -0.7, 0.2])
    T = {name: mp.generate(robot, "pose", frame=name).compile()(q) for name in robot.frame_names}
    assert not np.allclose(T["left hand"], T["right hand"])
    J = mp.generate(robot, "jacobian", frame="right hand").compile()(q)
    assert not J[:, 1].any() and J[:, 0].any() and J[:, 2].any()
    mp.save(robot, tmp_path / "again.toml")
    assert mp.load(tmp_path / "again.toml") == robot
    assert "stands on" in str(robot) and "frame left hand" in str(robot)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('parent = "trunk"', 'parent = "trunc"', "joint 'right': parent: its parent 'trunc' is no joint of the robot"),
        ('on = "left"', 'on = "nobody"', "frame 'left hand': on: 'nobody' is no joint of the robot"),
        ('name = "right hand"', 'name = "left hand"', "the name is taken"),
        ('name = "right hand"', 'name = "trunk"', "the name is taken"),
        ('name = "right hand"', 'name = "base"', "the name is taken"),
        ('name = "left"\n', 'name = "base"\nparent = "base"\n', "a joint is called 'base' (write (base) for"),
        ('name = "trunk"\n', 'name = "trunk"\nparent = "right"\n', "its parent 'right' stands behind it"),
    ],
)
def test_a_mistake_is_one_sentence(old: str, new: str, said: str, whole: Sentences) -> None:
    with whole.raises(mp.RobotFileError) as caught:
        mp.Robot.from_text(FORK.replace(old, new, 1), file="fork.toml")
    assert said in str(caught.value) and "fork.toml" in str(caught.value)


WORDS = ("base", "tool", "l1", "l2", "j1", "left hand", "it's", "'", "a''b", "2 pi", "q1", "Ельбоў", "x[0]")


@pytest.mark.filterwarnings("ignore:.*is taken for the link of that name")
@pytest.mark.parametrize("seed", range(20))
def test_names_that_links_and_joints_share_come_back(seed: int, tmp_path: Path) -> None:
    """In a URDF a link may be called as another link's joint is, and anything may be called base or tool."""
    rng = random.Random(f"shared names {seed}")
    joints, links = ([*rng.sample(WORDS, 5)] for _ in range(2))
    on = [0, 1, 1, rng.choice((1, 2)), rng.choice((1, 3))]
    text = '<link name="root"/>'
    for i, (joint, link) in enumerate(zip(joints, links)):
        follows = f'<mimic joint="{joints[1]}" multiplier="-2" offset="0.1"/>' if i == 3 else ""
        body = f'<mass value="{i + 1}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        kind, above = ("fixed" if i == 4 else "continuous"), "root" if not on[i] else links[on[i] - 1]
        text += f'<link name="{link}"><inertial>{body}</inertial></link><joint name="{joint}" type="{kind}">'
        text += f'<parent link="{above}"/><child link="{link}"/>{follows}<origin xyz="0.1 0.{i} 0" rpy="0 0 0.{i}"/>'
        text += '<axis xyz="0 1 0"/></joint>'
    robot = mp.Robot.from_text(f'<robot name="r">{text}</robot>', "urdf")
    again = mp.load(mp.save(robot, tmp_path / "again.toml"))
    for one in (robot, again):
        named = [(joint.name, joint.link) for joint in one.joints]
        assert named == [(joint.name, joint.link) for joint in robot.joints] and one.frame_names == robot.frame_names
    assert sorted(robot.joint_names) == sorted(joints[:3])
    where = urdf_frames(joints, links, on, dict(zip(joints, (q := np.array([0.3, -0.4, 0.5])))))
    for frame in robot.frame_names:
        tree = merge_fixed(bind(again.at(frame), FLOATS, {}))
        moving = tree.coordinates.spread([float(q[joints.index(name)]) for name in robot.joint_names])
        np.testing.assert_allclose(np.array(pose(tree, moving).rows(), float), where[frame], atol=1e-12)


@pytest.mark.filterwarnings("ignore:.*the file has other ends")
def test_a_link_called_tool_is_the_frame_of_that_name(tmp_path: Path) -> None:
    """Also of an arm whose own tool, the frame meant without a name, is its last moving link."""
    ends = (("arm", "b", "continuous"), ("tool", "arm", "fixed"), ("camera", "arm", "fixed"))
    text = '<link name="b"/>'
    for child, parent, kind in ends:
        inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        text += f'<link name="{child}"><inertial><mass value="1"/>{inertia}</inertial></link>'
        text += f'<joint name="to {child}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        text += '<origin xyz="0.1 0.2 0.3"/><axis xyz="0 1 0"/></joint>'
    robot = mp.Robot.from_text(f'<robot name="r">{text}</robot>', "urdf")
    there = shift(0.1, 0.2, 0.3) @ turn((0, 1, 0), np.degrees(0.3))
    for ending in ("toml", "urdf"):
        for one in (robot, mp.load(mp.save(robot, tmp_path / f"again.{ending}"))):
            assert one.frame_names == ("tool", "camera")
            for seen, meant in ((one, there), (one.at("tool"), there @ shift(0.1, 0.2, 0.3))):
                tree = merge_fixed(bind(seen, FLOATS, {}))
                np.testing.assert_allclose(np.array(pose(tree, [0.3]).rows(), float), meant, atol=1e-12)


def urdf_frames(joints: list[str], links: list[str], on: list[int], at: dict[str, float]) -> dict[str, Any]:
    """The links' frames: Txyz Rz(yaw) Ry(q), by hand."""
    at |= {joints[3]: -2 * at[joints[1]] + 0.1, joints[4]: 0.0}
    found = [np.eye(4)]
    for i, above in enumerate(on):
        found.append(
            found[above]
            @ placed((0.1, i / 10, 0, 0, 0, np.degrees(i / 10)))
            @ turn((0, 1, 0), np.degrees(at[joints[i]]))
        )
    return dict(zip(links, found[1:]))


def test_base_as_a_parent_and_a_tool_on_a_link() -> None:
    text = FORK.replace('parent = "trunk"', 'parent = "base"') + '\n[tool]\non = "left"\nxyz = [0.1, 0, 0]\n'
    robot = mp.Robot.from_text(text)
    assert robot.parents == (-1, 0, -1) and robot.tool_row == 1 and robot.frame_names[0] == "tool"
    assert mp.generate(robot, "pose").outputs["T"] == (4, 4)
    assert robot.road().joint_names == ("trunk", "left")


def test_frames_are_added() -> None:
    robot = mp.load("puma560").with_frame("camera", "elbow", xyz=(0, 0, 0.1))
    assert robot.frame_names == ("tool", "camera")
    T = mp.generate(robot, "pose", frame="camera").compile()(np.linspace(0.1, 0.6, 6))
    assert T.shape == (4, 4)
    with pytest.raises(mp.InputError, match="already"):
        robot.with_frame("camera", "waist")
    with pytest.raises(mp.RobotFileError, match="no joint of the robot"):
        robot.with_frame("lamp", "nowhere")


@pytest.mark.turn
def test_an_arm_at_its_frames() -> None:
    """Inverse kinematics moves the joints on the road to the frame, and no other."""
    text = FORK.replace('on = "right"\nxyz = [0, 0, 0.1]\nrpy = [0, 90, 0]', 'on = "right"')
    robot = mp.Robot.from_text(text)
    arm = mp.Arm(robot, frame="left hand")
    q = np.array([0.4, -0.9, 0.3])
    found = arm.inverse_kinematics(arm.pose(q)).q
    assert found.shape[1] == 2 and np.abs(found - q[:2]).max(axis=1).min() < 1e-9
    other = arm.at("right hand")
    assert np.allclose(other.pose(q), mp.generate(robot, "pose", frame="right hand").compile()(q))
    assert np.allclose(arm.jacobian(q, frame="right hand"), other.jacobian(q))
    assert np.abs(other.inverse_kinematics(other.pose(q)).q - q[[0, 2]]).max(axis=1).min() < 1e-9
    with pytest.raises(mp.UnknownNameError, match="nowhere"):
        arm.at("nowhere")


@pytest.mark.turn
def test_the_wrench_acts_where_it_is_said() -> None:
    robot = mp.Robot.from_text(FORK + "mass = 1\ncom = [0, 0, 0]\ninertia = {xx=1, yy=1, zz=1, xy=0, xz=0, yz=0}\n")
    robot = robot.with_parameters(**{name: 0.1 for name, value in robot.parameters.items() if value is None})
    q, still, wrench = np.array([0.4, -0.9, 0.3]), np.zeros(3), np.array([1.0, -2, 3, 0.5, 0.1, -0.2])
    for frame in robot.frame_names:
        arm = mp.Arm(robot, frame=frame)
        pushed = arm.inverse_dynamics(q, still, still, wrench) - arm.inverse_dynamics(q, still, still)
        np.testing.assert_allclose(pushed, -arm.jacobian(q).T @ wrench, atol=1e-12)


@pytest.mark.turn
def test_a_load_in_a_frame() -> None:
    """Held where it is said, whatever the tool; two loads keep their names."""
    robot = mp.Robot.from_text(FORK)
    robot = robot.with_parameters(**{name: 0.1 for name, value in robot.parameters.items() if value is None})
    q, still = np.array([0.4, -0.9, 0.3]), np.zeros(3)
    both = robot.with_payload(2, frame="right hand").with_payload(3, (0, 0, 0.1), frame="left hand")
    assert (both.parameters["m_payload"], both.parameters["m_payload_2"]) == (2, 3)
    assert both.tool_on == robot.tool_on and both.frame_names == robot.frame_names
    there = {name: mp.generate(robot, "jacobian", frame=name).compile()(q) for name in robot.frame_names}
    tip = mp.generate(robot, "pose", frame="left hand").compile()(q)[:3, :3] @ [0, 0, 0.1]
    weight = {"left hand": np.array([0, 0, 3 * 9.81]), "right hand": np.array([0, 0, 2 * 9.81])}
    pushed = there["right hand"][:3].T @ weight["right hand"] + there["left hand"][:3].T @ weight["left hand"]
    pushed = pushed + there["left hand"][3:].T @ np.cross(tip, weight["left hand"])
    found = mp.Arm(both).gravity(q) - mp.Arm(robot).gravity(q)
    np.testing.assert_allclose(found, pushed, atol=1e-12)
    columns = mp.generate(both, "regressor").columns
    assert "m_payload" in columns and "m_payload_2" in columns
    Y = mp.Arm(both).regressor(q, still, still)
    np.testing.assert_allclose(Y @ [x or 0 for x in both.standard_parameters.values()],
                               mp.Arm(both).inverse_dynamics(q, still, still), atol=1e-12)  # fmt: skip


def test_functions_are_named_after_their_frame(tmp_path: Path) -> None:
    robot = mp.Robot.from_text(FORK)
    assert mp.generate(robot, "pose", frame="left hand").name == "fork_pose_left_hand"
    assert mp.generate(robot, "inertia_matrix", frame="left hand").name == "fork_inertia_matrix"
    assert mp.generate("puma560", "pose").name == "puma560_pose"


@pytest.mark.turn
def test_a_frame_behind_several_fixed_joints(tmp_path: Path) -> None:
    """It is saved as one shift and one turn, and stands where Pinocchio's order of joints has it."""
    turn = '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>'
    links = "".join(f'<link name="{name}"/>' for name in ("base", "a", "b", "m", "n", "end"))
    moving = "".join(f'<joint name="j{name}" type="continuous"><parent link="base"/><child link="{name}"/>{turn}'
                     '<axis xyz="0 0 1"/></joint>' for name in "ab")  # fmt: skip
    fixed = "".join(f'<joint name="f{two}" type="fixed"><parent link="{one}"/><child link="{two}"/>{turn}</joint>'
                    for one, two in (("a", "m"), ("m", "n"), ("n", "end")))  # fmt: skip
    robot = mp.Robot.from_text(f'<robot name="x">{links}{moving}{fixed}</robot>', "urdf")
    assert robot.frame_names == ("end", "b")
    again = mp.load(mp.save(robot, tmp_path / "x.toml"))
    place = mp.Arm(mp.Robot.from_text(f'<robot name="y">{links}{moving}{fixed}</robot>', "urdf", tip="end")).pose([0.7])
    for each in (robot, again):
        np.testing.assert_allclose(mp.Arm(each, frame="end").pose([0.7, 0.1]), place, atol=1e-14)
