"""Robot files whose rows are placements: any robot saves in its own frames, and reads back as it was."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import RobotFileError
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.kinematics.pose import axes, pose
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.formats.conversion.conventions import to_urdf
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.formats.toml.write import toml_from_robot
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state


def behaviour(robot: Any, state: Any) -> list[Any]:
    chain = merge_fixed(bind(robot, FLOATS, {}))
    return [*inverse_dynamics(chain, *state), *(x for row in pose(chain, state[0]).rows() for x in row)]


@pytest.mark.parametrize("screws", [False, True])
def test_random_rows_of_any_shape(screws: bool) -> None:
    """Any placement before the joint, sometimes one after; bodies and actuators, units, fixed rows, branches."""
    for seed in range(25):
        robot = random_robot(seed, convention="urdf", screws=screws)
        units = {"angle": ("deg", "rad")[seed % 2], "length": ("m", "mm")[seed % 3 == 0]}
        robot = replace(robot, origin=replace(robot.origin, **units))  # type: ignore[arg-type]
        text = toml_from_robot(robot)
        again = robot_from_toml(text, exact=True)
        assert 'convention = "urdf"' in text and toml_from_robot(again) == text
        state = random_state(robot, seed)
        assert behaviour(again, state) == pytest.approx(behaviour(robot, state), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_rows_of_a_urdf_are_the_same_cells(seed: int) -> None:
    """Axes along any direction, with the names a URDF's cells have: nothing is lost but the notes of the reader."""
    robot = to_urdf(random_robot(seed))
    again = robot_from_toml(toml_from_robot(robot), exact=True)
    for one, other in zip(again.joints, robot.joints, strict=True):
        ours, theirs = (replace(x, carries=()) for x in (one, other))
        assert ours == theirs
    assert again.origin.convention == "urdf"


URDF = """<robot name="arm">
<link name="base"/>
<link name="one"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="two"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
 <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="first" type="revolute"><parent link="base"/><child link="one"/><origin xyz="0 0 0.3" rpy="0.1 0.2 0.3"/>
 <axis xyz="{axis}"/><limit lower="-1" upper="2" effort="10" velocity="3"/></joint>
<joint name="second" type="prismatic"><parent link="one"/><child link="two"/><origin xyz="0.5 0 0"/><axis xyz="0 -1 0"/>
 <limit lower="0" upper="0.5" effort="10" velocity="3"/><dynamics damping="0.5" friction="0.25"/></joint>
</robot>
"""


@pytest.mark.parametrize("axis", ["0 0 1", "0 0 -1", "1 0 0", "-1 0 0", "0 1 0", "0 0.6 0.8", "0.6 0 0.8", "1 2 3"])
def test_a_urdf_file_saved_as_toml(axis: str, tmp_path: Any) -> None:
    robot = mp.Robot.from_text(URDF.format(axis=axis), "urdf")
    again = mp.load(mp.save(robot, tmp_path / "arm.toml"))
    assert again.joints == robot.joints and again.gravity == robot.gravity
    q = [0.4, 0.2]
    np.testing.assert_array_equal(mp.Arm(again).pose(q), mp.Arm(robot).pose(q))


MJCF = """<mujoco model="arm"><worldbody><body name="one" pos="0 0 0.3" quat="1 0.2 0.1 0">
<joint name="first" type="hinge" axis="0 1 1" pos="0.1 0 0.05" ref="20"/>
<inertial pos="0 0 0.1" mass="1" diaginertia="1 1 1"/>
<body name="two" pos="0.4 0 0"><joint name="second" type="slide" axis="1 0 0" ref="0.1"/>
<inertial pos="0 0 0.1" mass="1" diaginertia="1 1 1"/></body></body></worldbody></mujoco>
"""


def test_axes_beside_the_frame_and_offsets(tmp_path: Any) -> None:
    """Of MuJoCo's: an anchor, a reference, a quaternion."""
    robot = mp.Robot.from_text(MJCF, "mjcf")
    again = mp.load(mp.save(robot, tmp_path / "arm.toml"), exact=True)
    assert again.joints == robot.joints and "anchor" in (tmp_path / "arm.toml").read_text()


ROW = """format = 1
name = "one"
convention = "{convention}"
angle = "deg"
length = "mm"
[[joint]]
type = "revolute"
{row}
"""


def test_a_row_as_a_person_writes_it() -> None:
    text = ROW.format(convention="standard", row="xyz = [100, 0, 0]\nrpy = [0, 0, 90]\naxis = [0, -2, 0]\ntheta = 30")
    T = mp.Arm(mp.Robot.from_text(text)).pose([np.radians(60)])
    np.testing.assert_allclose(T[:3, 3], [0.1, 0, 0], atol=1e-15)
    turned = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])  # about −y: an offset of 30° and 60° on
    c, s = np.cos(np.radians(-90)), np.sin(np.radians(-90))
    np.testing.assert_allclose(T[:3, :3], turned @ [[c, 0, s], [0, 1, 0], [-s, 0, c]], atol=1e-15)


KINDS = {"revolute": "theta", "prismatic": "d", "helical": "theta"}


def turned_about(axis: Any, angle: float) -> Any:
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


@pytest.mark.parametrize("kind", KINDS)
def test_offset_and_coordinate_count_about_the_axis_as_written(kind: str, tmp_path: Any) -> None:
    """Axes along ± x, y, z and skew, of any length; with either direction; saved, and held still."""
    rng = random.Random(kind)
    sides = [tuple(sign * (i == k) for i in range(3)) for k in range(3) for sign in (1, -1)]
    for axis in [*sides, (0, 0.001, -1), (0, -1, -1), (-1, 0, -2), (-1, -2, -3)]:
        length, direction = rng.choice((0.5, 1, 2)), rng.choice((1, -1))
        offset, q, pitch = 0.3 + rng.random(), round(rng.uniform(-1, 1), 3), 0.25
        row = (
            f"xyz = [0, 0, 0]\naxis = {[length * x for x in axis]}\ndirection = {direction}\n{KINDS[kind]} = {offset}\n"
        )
        text = ROW.format(convention="urdf", row=row + (f"pitch = {pitch}" if kind == "helical" else ""))
        text = text.replace('"deg"', '"rad"').replace('"mm"', '"m"').replace('"revolute"', f'"{kind}"')
        text = text.replace("[[joint]]", "inertia_default = 0\nexact = true\n[[joint]]", 1)
        text += '[[joint]]\ntype = "prismatic"\nxyz = [0, 0, 0]\n'  # at 0: something must move where one is locked
        robot = mp.Robot.from_text(text)
        unit = np.array(axis) / np.linalg.norm(axis)
        turn = 0 if kind == "prismatic" else offset + direction * q
        slide = {"revolute": 0.0, "prismatic": offset + direction * q, "helical": pitch * direction * q}[kind]
        expected = np.eye(4)
        expected[:3, :3], expected[:3, 3] = turned_about(unit, turn), slide * unit
        saved = [
            mp.load(mp.save(robot, tmp_path / f"arm{end}")) for end in (".toml", *([".urdf"] * (kind != "helical")))
        ]
        for each in (robot, *saved):
            tree = merge_fixed(bind(each, FLOATS, {}))
            np.testing.assert_allclose(np.array(pose(tree, [q, 0]).rows(), float), expected, atol=1e-14)
            z = np.array(axes(tree, [q, 0])[0].rows(), float)[:3, 2]
            np.testing.assert_allclose(z, direction * unit, atol=1e-14)
        assert saved[0].joints == robot.joints
        held = merge_fixed(bind(robot.locked(joint1=q), FLOATS, {}))
        np.testing.assert_allclose(np.array(pose(held, [0]).rows(), float), expected, atol=1e-14)


@pytest.mark.parametrize("axis", ["[-1, 0, 0]", "[0, -1, 0]", "[0, 0, -1]"])
def test_an_offset_by_name_is_the_one_of_the_file(axis: str) -> None:
    """As a symbol it keeps its sign, and the proof holds."""
    row = f"xyz = [100, 0, 0]\naxis = {axis}\ntheta = 30\n"
    robot = mp.Robot.from_text(ROW.format(convention="urdf", row=row))
    model = mp.generate(robot, "pose", symbolic="all")
    found = model.compile()([0.4], p={"x1": 0.1, "offset1": 0.7})
    other = mp.Robot.from_text(ROW.format(convention="urdf", row=row.replace("30", '"0.7 rad"')))
    np.testing.assert_allclose(found, mp.Arm(other).pose([0.4]), atol=1e-15)


@pytest.mark.parametrize(
    ("convention", "row", "said"),
    [
        ("standard", "xyz = [1, 0, 0]\na = 0", "a: is given beside xyz, rpy or axis"),
        ("standard", "xyz = [1, 0, 0]\nd = 0", "d: is given beside"),
        ("standard", "d = 0\nalpha = 0", "a: is missing (the link length along x; write 0 if none)"),
        ("urdf", "d = 0\na = 0\nalpha = 0", "xyz: is missing"),
        ("urdf", "axis = [0, 0, 0]", "axis: is no direction"),
        ("urdf", 'axis = [0, "k", 1]', "axis: is no direction"),
        ("urdf", "axis = { lean = 3 }", "axis: found lean (expected lean and tilt"),
        ("urdf", "axis = { tild = 3 }", "axis"),
    ],
)
def test_what_a_row_may_not_say(convention: str, row: str, said: str) -> None:
    with pytest.raises(RobotFileError) as caught:
        mp.Robot.from_text(ROW.format(convention=convention, row=row))
    assert said in str(caught.value) and "joint 1" in str(caught.value)
