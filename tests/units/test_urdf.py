"""The URDF door: what is read, how it is read, and one clear sentence for everything that cannot be."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError, ManipulaError, ManipulaWarning, RobotFileError, UnknownNameError
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import RobotDescription, actuator_of
from manipula.mechanics.robot.formats.conversion.tables import frame_table
from manipula.mechanics.robot.formats.urdf.read import robot_from_urdf
from manipula.mechanics.robot.formats.urdf.write import urdf_from_robot
from manipula.mechanics.robot.subject import NOTE
from manipula.mechanics.robot.topology import first_branch, frame_names
from manipula.mechanics.robot.values.parameter import Deg, Num
from manipula.mechanics.spatial.floats import FLOATS
from tests.arm_numbers import assert_same_arm, pose_and_torques
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot


def link(name: str, inside: str = "") -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = '<axis xyz="0 0 1"/>') -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def robot(*parts: str) -> str:
    return f'<?xml version="1.0" encoding="utf-8"?><robot name="arm">{"".join(parts)}</robot>'


def inertial(mass: object = 2, xyz: str = "0 0 0", rpy: str = "0 0 0", six: str = "1 0 0 1 0 1") -> str:
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    entries = " ".join(f'{name}="{x}"' for name, x in zip(names, six.split()))
    return f'<inertial><origin xyz="{xyz}" rpy="{rpy}"/><mass value="{mass}"/><inertia {entries}/></inertial>'


def one_joint(inside: str, kind: str = "revolute", body: str = "") -> str:
    return robot(link("base"), link("tip", body), joint("j", "base", "tip", kind, inside))


def turned(axis: tuple[float, float, float], angle: float) -> Any:
    """Rodrigues' formula."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


AXES = [
    (0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -2, 0),
    (1, 0, 1), (0, 1, 1), (0, -3, -0.5), (1, 1, 0), (-0.3, 0.5, -0.7), (0.2, -0.1, 0.9),
]  # fmt: skip


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_any_axis(axis: tuple[float, float, float], kind: str) -> None:
    text = " ".join(map(str, axis))
    arm = robot_from_urdf(one_joint(f'<origin xyz="0.1 0.2 0.3"/><axis xyz="{text}"/>', kind))
    pose, _ = pose_and_torques(arm, [0.7], [0], [0])
    unit = np.array(axis) / np.linalg.norm(axis)
    expected = turned(axis, 0.7) if kind == "revolute" else np.eye(3)
    np.testing.assert_allclose(pose[:3, :3], expected, atol=1e-15)
    np.testing.assert_allclose(pose[:3, 3], [0.1, 0.2, 0.3] + (0 if kind == "revolute" else 0.7) * unit, atol=1e-15)


def test_axes_along_coordinates_are_exact() -> None:
    arm = robot_from_urdf(one_joint('<axis xyz="0 -1 0"/>'))
    (row,) = arm.joints
    assert row.direction == 1
    assert [(step.kind, step.amount.value) for step in row.before] == [("rx", Deg(Fraction(90)))]
    assert [(step.kind, step.amount.value) for step in row.after] == [("rx", Deg(Fraction(-90)))]


def test_a_warning_about_a_file_begins_with_it_and_goes_on_in_the_words_of_the_text(tmp_path: Path) -> None:
    text = one_joint('<origin xyz="1 0 0"/><origin xyz="5 0 0"/><limit lower="2" upper="-2" effort="1" velocity="1"/>')
    (tmp_path / "odd.urdf").write_text(text, encoding="utf-8")
    with pytest.warns(ManipulaWarning) as plain:
        robot_from_urdf(text)
    with pytest.warns(ManipulaWarning) as named:
        mp.load(tmp_path / "odd.urdf")
    said = [str(one.message) for one in plain]
    assert len(said) > 1 and [str(one.message) for one in named] == [f"{tmp_path / 'odd.urdf'}: {x}" for x in said]


def test_a_missing_axis_is_x_and_the_first_of_two_origins_counts() -> None:
    with pytest.warns(ManipulaWarning, match="joint 'j' has 2 <origin>; the first is read"):
        arm = robot_from_urdf(one_joint('<origin xyz="1 0 0"/><origin xyz="5 0 0"/>'))
    pose, _ = pose_and_torques(arm, [0.4], [0], [0])
    np.testing.assert_allclose(pose[:3, :3], turned((1, 0, 0), 0.4), atol=1e-15)
    assert pose[0, 3] == 1


def test_origin_is_xyz_then_yaw_pitch_roll() -> None:
    arm = robot_from_urdf(one_joint('<origin xyz="0.1 0.2 0.3" rpy="0.4 -0.5 0.6"/><axis xyz="0 0 1"/>'))
    pose, _ = pose_and_torques(arm, [0], [0], [0])
    expected = turned((0, 0, 1), 0.6) @ turned((0, 1, 0), -0.5) @ turned((1, 0, 0), 0.4)
    np.testing.assert_allclose(pose[:3, :3], expected, atol=1e-15)


def test_quarter_turns_are_recovered_and_reported_unless_exact() -> None:
    text = one_joint('<origin rpy="1.5708 0 -3.14159"/><axis xyz="1e-9 0 1"/>')
    with pytest.warns(ManipulaWarning, match=r"roll 1\.5708 rad as 90°; joint 'j': yaw -3\.14159 rad as -180°"):
        arm = robot_from_urdf(text)
    angles = {step.amount.name: step.amount.value for step in arm.joints[0].before}
    assert angles == {"yaw1": Deg(Fraction(-180)), "roll1": Deg(Fraction(90))}
    assert len(arm.origin.notes) == 4
    assert "joint 'j': roll 1.5708 rad read as 90°" in arm.origin.notes
    kept = robot_from_urdf(text, exact=True)
    assert kept.origin.notes == (NOTE,)
    assert {step.amount.value for step in kept.joints[0].before} >= {Num(Fraction("1.5708")), Num(Fraction("-3.14159"))}


def test_an_angle_that_is_no_quarter_turn_stays() -> None:
    with pytest.warns(ManipulaWarning, match=r"kept as written, .*: joint 'j': roll 1\.57 rad beside 90°"):
        arm = robot_from_urdf(one_joint('<origin rpy="1.57 0 0"/><axis xyz="0 0 1"/>'))
    assert arm.joints[0].before[0].amount.value == Num(Fraction("1.57"))
    assert arm.origin.notes == (NOTE,)


def test_turned_inertial_frame() -> None:
    body = inertial(3, "0.1 0.2 0.3", "0.3 -0.4 0.5", "0.11 0.01 0.02 0.12 0.03 0.13")
    arm = robot_from_urdf(one_joint('<axis xyz="0 0 1"/>', body=body))
    (row,) = bind(arm, FLOATS, {}).links
    R = turned((0, 0, 1), 0.5) @ turned((0, 1, 0), -0.4) @ turned((1, 0, 0), 0.3)
    local = np.array([[0.11, 0.01, 0.02], [0.01, 0.12, 0.03], [0.02, 0.03, 0.13]])
    c = np.array([0.1, 0.2, 0.3])
    expected = R @ local @ R.T + 3 * (c @ c * np.eye(3) - np.outer(c, c))
    np.testing.assert_allclose(np.array(row.inertia.I, dtype=float), expected, atol=1e-15)
    np.testing.assert_allclose(row.inertia.s, 3 * c)


def test_inertia_turned_by_quarters_stays_exact() -> None:
    body = inertial(1, rpy="0 1.5707963268 0", six="0.1 0 0 0.2 0 0.3")
    (row,) = robot_from_urdf(one_joint('<axis xyz="0 0 1"/>', body=body)).joints
    assert row.body is not None
    tenths = [cell.value.value * 10 for cell in row.body.inertia if isinstance(cell.value, Num)]
    assert tenths == [3, 0, 0, 2, 0, 1]


def test_limits_the_wrong_way_round_are_exchanged() -> None:
    text = one_joint('<axis xyz="0 0 1"/><limit lower="2.775" upper="-2.775"/>')
    with pytest.warns(mp.ManipulaWarning, match="lower 2.775 is above upper -2.775; they are exchanged"):
        (row,) = robot_from_urdf(text).joints
    assert row.limits == (Num(Fraction("-2.775")), Num(Fraction("2.775")))
    robot_from_urdf(one_joint('<axis xyz="0 0 1"/><limit lower="2" upper="1"/>', "continuous"))  # which has none


def test_limits_friction_and_joint_kinds() -> None:
    inside = '<axis xyz="0 0 1"/><limit upper="2.5" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.25"/>'
    (row,) = robot_from_urdf(one_joint(inside)).joints
    assert row.limits == (Num(Fraction(0)), Num(Fraction("2.5")))  # the one of the pair that is missing is zero
    assert (row.effort_limit, row.velocity_limit) == (Num(Fraction(30)), Num(Fraction(4)))
    assert (row.actuator["fv"].value, row.actuator["fc"].value) == (Num(Fraction(1, 2)), Num(Fraction(1, 4)))
    (free,) = robot_from_urdf(one_joint('<axis xyz="0 0 1"/><limit effort="inf" velocity="4"/>', "continuous")).joints
    assert (free.kind, free.limits, free.effort_limit) == ("revolute", None, None)


def test_automatic_names_follow_the_moving_joint_or_the_row() -> None:
    text = robot(
        link("a"), link("b"), link("c", inertial(xyz="1 2 3")),
        joint("weld", "a", "b", "fixed", '<origin xyz="0 0 2"/>'), joint("j", "b", "c"),
    )  # fmt: skip
    arm = robot_from_urdf(text)
    assert [row.kind for row in arm.joints] == ["fixed", "revolute"]
    assert arm.joint_names == ("j",)
    assert {"z_weld", "m1", "rx1", "Ixx1", "fv1", "fc1"} <= {cell.name for cell in arm.cells()}
    assert len({cell.name for cell in arm.cells()}) == len(list(arm.cells()))
    assert [cell.value for cell in arm.gravity] == [Num(Fraction(0)), Num(Fraction(0)), Num(Fraction("-9.81"))]


HAND = robot(
    link("world"), link("base", inertial(100)), link("arm", inertial(2, "0 0 0.5")), link("hand", inertial(1)),
    link("left", inertial(0.25, "0 0.1 0")), link("right", inertial(0.25, "0 -0.1 0")), link("camera", inertial(0.5)),
    joint("weld", "world", "base", "fixed", ""),
    joint("shoulder", "base", "arm", "revolute", '<axis xyz="0 1 0"/>'),
    joint("wrist", "arm", "hand", "revolute", '<origin xyz="0 0 1"/><axis xyz="0 0 1"/>'),
    joint("grip", "hand", "left", "prismatic", '<axis xyz="0 1 0"/><limit lower="0.01" upper="0.04"/>'),
    joint("grip2", "hand", "right", "prismatic",
          '<axis xyz="0 -1 0"/><mimic joint="grip" multiplier="2" offset="0.5"/>'),
    joint("mount", "arm", "camera", "fixed", '<origin xyz="0 0 0.25"/>'),
)  # fmt: skip


def held(arm: RobotDescription, row: int) -> Any:
    """(mass, y of its centre in the link frame) of what a row carries."""
    chain = bind(replace(arm, joints=(replace(arm.joints[row - 1], body=None),), frames=()), FLOATS, {})
    inertia = chain.links[0].inertia
    return float(inertia.m), float(inertia.s[1])


def test_other_branches_are_locked_and_carried() -> None:
    arm = robot_from_urdf(HAND, tip="hand")
    assert arm.joint_names == ("shoulder", "wrist")
    assert [len(row.carries) for row in arm.joints] == [0, 1, 2]
    assert arm.joints[0].body is not None  # stands still with the base, and has its potential energy there
    # left at 0.01 (zero brought within its limits), right at −(2·0.01 + 0.5)
    assert held(arm, 3) == (0.5, pytest.approx(0.25 * (0.1 + 0.01) + 0.25 * (-0.1 - 0.52)))
    assert "joint 'grip' is locked at 0.01" in arm.origin.notes
    assert "link 'camera': its mass is carried by 'arm'" in arm.origin.notes


def test_locked_positions_can_be_given() -> None:
    arm = robot_from_urdf(HAND, tip="hand", locked={"grip": 0.03, "grip2": 0.0})
    assert held(arm, 3) == (0.5, pytest.approx(0.25 * 0.13 + 0.25 * -0.1))
    with pytest.raises(UnknownNameError, match="grip, grip2"):
        robot_from_urdf(HAND, tip="hand", locked={"wrst": 0.0})
    along = robot_from_urdf(HAND, tip="hand", locked={"wrist": 0.1})  # on the chain, too
    assert "wrist" not in along.joint_names and along.dof == arm.dof - 1


def test_base_starts_the_chain_lower() -> None:
    arm = robot_from_urdf(HAND, base="arm", tip="left", locked={"grip2": 0})
    assert [row.name for row in arm.joints] == ["wrist", "grip"]


def test_several_moving_tips_are_a_tree() -> None:
    arm = robot_from_urdf(HAND, locked={"grip2": 0.0})
    assert [frame.name for frame in arm.frames] and "left" in frame_names(arm)
    assert first_branch(robot_from_urdf(HAND.replace("<mimic", "<calibration"), file="hand.urdf")) == "wrist"


def frames(*names: str) -> str:
    links = [link("base"), link("arm"), *map(link, names)]
    fixed = [joint(f"to_{name}", "arm", name, "fixed", f'<origin xyz="{i} 0 0"/>') for i, name in enumerate(names, 1)]
    return robot(*links, joint("j", "base", "arm"), *fixed)


def test_fixed_frames_at_the_end() -> None:
    reach = {names: pose_and_torques(robot_from_urdf(frames(*names)), [0], [0], [0])[0][0, 3] for names in (
        (), ("flange",), ("sensor", "ur_tool0"))}  # fmt: skip
    assert list(reach.values()) == [0, 1, 2]  # itself; the only frame; tool0
    with pytest.warns(ManipulaWarning, match="the tool is the frame of link 'arm'"):
        several = robot_from_urdf(frames("sensor", "camera"))
    assert pose_and_torques(several, [0], [0], [0])[0][0, 3] == 0 and "'arm' chosen among" in several.origin.notes[0]


GOOD = one_joint('<axis xyz="0 0 1"/>', body=inertial())
TWO = [link("a"), link("b"), link("c")]
MALFORMED = {
    "empty": ("  \n", ["empty"]),
    "binary": ("\x7fELF\x00\x01", ["binary"]),
    "not xml": ("<robot><link></robot>", ["well-formed"]),
    "doctype": (
        '<!DOCTYPE r [<!ENTITY a "b">]>' + GOOD.replace('<?xml version="1.0" encoding="utf-8"?>', ""), ["DOCTYPE"]
    ),
    "another root": ("<sdf/>", ["<sdf>", "<robot"]),
    "xacro tag": ('<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:arm/></robot>', ["xacro"]),
    "xacro value": (GOOD.replace('value="2"', 'value="${m}"'), ["xacro", "mass"]),
    "no links": ('<robot name="r"/>', ["no <link>"]),
    "bad number": (GOOD.replace('value="2"', 'value="2kg"'), ["link 'tip'", "mass", "2kg", "decimal"]),
    "decimal comma": (one_joint('<axis xyz="0 0 1"/><origin xyz="0,1 0 0"/>'), ["joint 'j'", "origin xyz", "0,1"]),
    "nan": (one_joint('<axis xyz="0 0 nan"/>'), ["joint 'j'", "axis", "nan"]),
    "two numbers": (one_joint('<axis xyz="0 1"/>'), ["joint 'j'", "axis", "three numbers"]),
    "zero axis": (one_joint('<axis xyz="0 0 0"/>'), ["joint 'j'", "axis", "zero"]),
    "no mass": (GOOD.replace('<mass value="2"/>', ""), ["link 'tip'", "<mass> is missing"]),
    "negative mass": (GOOD.replace('value="2"', 'value="-2"'), ["link 'tip'", "mass", "negative"]),
    "no izz": (GOOD.replace('izz="1"', ""), ["link 'tip'", "inertia izz", "missing"]),
    "no joint name": (GOOD.replace('joint name="j"', "joint"), ["joint", "name"]),
    "no type": (GOOD.replace(' type="revolute"', ""), ["joint 'j'", "type"]),
    "unknown type": (GOOD.replace("revolute", "hinge"), ["joint 'j'", "type", "hinge", "prismatic"]),
    "no parent": (GOOD.replace('<parent link="base"/>', ""), ["joint 'j'", "<parent> is missing"]),
    "unknown child": (GOOD.replace('<child link="tip"/>', '<child link="top"/>'), ["joint 'j'", "child", "top"]),
    "two links of one name": (robot(link("a"), link("a")), ["link 'a'", "two links"]),
    "two joints of one name": (robot(*TWO, joint("j", "a", "b"), joint("j", "b", "c")), ["joint 'j'", "two joints"]),
    "two parents": (
        robot(*TWO, joint("j", "a", "b"), joint("k", "a", "c"), joint("l", "b", "c")),
        ["link 'c'", "'k' and 'l'", "loop"],
    ),
    "loop without root": (robot(*TWO[:2], joint("j", "a", "b"), joint("k", "b", "a")), ["loop"]),
    "loop beside the root": (
        robot(link("r"), *TWO[:2], joint("j", "a", "b"), joint("k", "b", "a")), ["link 'a'", "loop"]
    ),
    "two roots": (robot(*TWO, joint("j", "a", "b")), ["link 'c'", "2 separate parts", "a, c"]),
    "nothing moves": (robot(*TWO[:2], joint("j", "a", "b", "fixed", "")), ["no joint", "moves"]),
    "floating": (one_joint("", "floating"), ["joint 'j'", "floating", "six"]),
    "planar": (one_joint("", "planar"), ["joint 'j'", "planar", "prismatic"]),
    "mimic": (
        robot(*TWO, joint("j", "a", "b"), joint("k", "b", "c", inside='<axis xyz="0 0 1"/><mimic joint="nobody"/>')),
        ["joint 'k'", "mimics joint 'nobody'"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed(case: str, whole: Sentences) -> None:
    text, expected = MALFORMED[case]
    with whole.raises(RobotFileError) as caught:
        robot_from_urdf(text, file="bad.urdf")
    message = str(caught.value)
    assert message.startswith("bad.urdf: ")
    assert "\n" not in message
    for part in expected:
        assert part in message


def test_branches_that_cannot_be_locked(whole: Sentences) -> None:
    with whole.raises(RobotFileError, match=r"joint 'grip2'.*'wrist', which moves with the arm"):
        robot_from_urdf(HAND.replace('mimic joint="grip"', 'mimic joint="wrist"'), tip="hand")
    with whole.raises(RobotFileError, match=r"joint 'grip'.*floating"):
        robot_from_urdf(HAND.replace('name="grip" type="prismatic"', 'name="grip" type="floating"'), tip="hand")
    with whole.raises(RobotFileError, match="mimics it in turn"):
        robot_from_urdf(HAND.replace('mimic joint="grip"', 'mimic joint="grip2"'), tip="hand")


def test_unknown_ends(whole: Sentences) -> None:
    with whole.raises(UnknownNameError, match="did you mean 'hand'"):
        robot_from_urdf(HAND, tip="hnad")
    with whole.raises(ManipulaError, match="does not hang below"):
        robot_from_urdf(HAND, base="hand", tip="arm")


# Writing


@pytest.mark.parametrize("seed", range(12))
def test_written_arms_read_back_as_the_same_arm(seed: int) -> None:
    arm = random_robot(seed)
    again = robot_from_urdf(urdf_from_robot(arm), exact=True)
    assert_same_arm(arm, replace(again, gravity=arm.gravity))


def test_a_urdf_reads_writes_and_reads_the_same() -> None:
    arm = robot_from_urdf(HAND, tip="hand")
    with pytest.warns(ManipulaWarning, match="the file has other ends of the arm"):
        again = robot_from_urdf(urdf_from_robot(arm))
    kept = [row for row in again.joints if row.name in {mine.name for mine in arm.joints}]
    assert [(row.before, row.after, row.direction, row.body, row.limits) for row in kept] == [
        (row.before, row.after, row.direction, row.body, row.limits) for row in arm.joints
    ]


def test_links_step_aside_for_joints_of_the_same_name() -> None:
    arm = robot_from_urdf(HAND.replace('"wrist"', '"link2"').replace('"shoulder"', '"tool0_joint"'), tip="hand")
    text = urdf_from_robot(arm)
    names = re.findall(r'<(?:joint|link) name="([^"]*)"', text)
    assert len(set(names)) == len(names)
    with pytest.warns(ManipulaWarning, match="the file has other ends of the arm"):
        assert robot_from_urdf(text).joint_names == ("tool0_joint", "link2")


def test_what_urdf_cannot_hold_is_said() -> None:
    arm = robot_from_urdf(GOOD)
    (row,) = arm.joints
    arm = replace(arm, joints=(replace(row, actuator=actuator_of("1", Ia=Num(Fraction(1, 4)))),))
    text = urdf_from_robot(arm)
    assert "<!-- URDF cannot hold the motor inertia 0.25 of joint j -->" in text
    assert "gravity, which URDF cannot hold: 0 0 -9.81" in text


def test_a_symbol_without_value_cannot_be_written() -> None:
    arm = robot_from_urdf(GOOD)
    (row,) = arm.joints
    arm = replace(arm, joints=(replace(row, offset=replace(row.offset, name="phi", value=None)),))
    with pytest.raises(InputError, match=r"arm: a URDF needs numbers.*phi"):
        urdf_from_robot(arm)


def test_what_is_lost_is_said_when_saving(tmp_path: Path) -> None:
    robot = mp.load("puma560")
    with pytest.warns(
        mp.ManipulaWarning, match=r"arm.urdf: URDF cannot hold the motor inertia .* of joint .* more; a .toml"
    ):
        mp.save(robot, tmp_path / "arm.urdf")
    mp.save(robot, tmp_path / "arm.toml")  # nothing is lost, nothing is said
    mp.save(robot.without("motor_inertia", "friction"), tmp_path / "plain.urdf")


def flange(*frames: str) -> str:
    """One joint, and fixed frames on its link: "name 0 0 0.107"."""
    text = one_joint('<axis xyz="0 0 1"/>', "continuous").replace("</robot>", "")
    for frame in frames:
        name, _, place = frame.partition(" ")
        ends = f'<parent link="tip"/><child link="{name}"/><origin xyz="{place}" rpy="0 0.3 0"/>'
        text += f'<link name="{name}"/><joint name="to_{name}" type="fixed">{ends}</joint>'
    return text + "</robot>"


def test_an_arm_that_may_end_in_several_places_says_which() -> None:
    with pytest.warns(
        ManipulaWarning, match=r"the tool is the frame of link 'tip'; .*: link8 \(107 mm away\), eye"
    ) as said:
        robot = mp.Robot.from_text(flange("link8 0 0 0.107", "eye 0 0.003 0.004"), "urdf")
    assert len(said) == 1 and "eye (5 mm away)" in str(said[0].message)
    assert (robot.base_link, robot.tip_link) == ("base", "tip")
    assert mp.Robot.from_text(flange("link8 0 0 0.107", "eye 0 0 0"), "urdf", tip="link8").tip_link == "link8"


def test_other_ends_are_as_far_as_the_way_there_leads() -> None:
    """Two frames in a row, the first turned by 0.3 rad about y: 3 along z and 4 along the turned x."""
    beyond = (
        '<link name="far"/><joint name="f" type="fixed"><parent link="eye"/><child link="far"/><origin xyz="4 0 0"/>'
    )
    text = flange("eye 0 0 3", "hand 0 0 0").replace("</robot>", f"{beyond}</joint></robot>")
    distance = 1000 * math.hypot(4 * math.cos(0.3), 3 - 4 * math.sin(0.3))
    with pytest.warns(ManipulaWarning, match=rf"far \({distance:.0f} mm away\)"):
        mp.Robot.from_text(text, "urdf")


@pytest.mark.parametrize(
    ("frames", "tip"),
    [(["flange 0 0 0.1"], "flange"), (["tool0 0 0 0.1", "eye 0 0 0.2"], "tool0"), (["m 0 0 0", "n 0 0 0"], "tip")],
)
def test_an_arm_with_one_end_has_no_choice(frames: list[str], tip: str) -> None:
    robot = mp.Robot.from_text(flange(*frames), "urdf")  # a warning would be an error
    assert robot.tip_link == tip and robot.as_dict()["tip_link"] == tip
    assert ("tip link", tip) in frame_table(robot).rows and ("base link", "base") in frame_table(robot).rows
    moved = robot.with_tool([0, 0, 0.3])
    assert moved.tip_link == "" and moved.base_link == "base"
