"""MuJoCo's XML: the numbers MuJoCo gives for an odd file, what a file may leave out, mistakes in a sentence each."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.robot.coordinates import Coordinate
from manipula.mechanics.robot.values.parameter import Num
from tests.golden.sentences import Sentences
from tests.laws.test_ground import turn
from tests.random_mjcf import RandomMjcf

pytestmark = pytest.mark.usefixtures("without_search")

# Every oddity at once: degrees, capitals in eulerseq, classes in classes, joints off the origin, two joints a body, a
# pose in a frame, a reference position, an inertia in its own axes, a finger beside, a site at the end.
ODD = """<?xml version="1.0"?>
<mujoco model="odd">
  <compiler angle="degree" eulerseq="XYz"/>
  <option gravity="0.5 0 -9.7"/>
  <default><joint damping="0.4"/>
    <default class="arm"><joint armature="0.05" axis="0 1 0"/>
      <default class="wrist"><joint damping="0.1"/></default></default></default>
  <worldbody>
    <light pos="0 0 3"/>
    <body name="base" pos="0.1 0 0.3" euler="10 20 30">
      <body name="upper" pos="0 0.1 0.2" quat="1 0 0 1" childclass="arm">
        <joint name="swing" pos="0.1 0 0.05" range="-90 120" ref="30" frictionloss="0.3"/>
        <joint name="slide" type="slide" axis="1 0 -1" range="-0.2 0.4"/>
        <inertial pos="0.1 0 0.02" euler="0 0 45" mass="3" diaginertia="0.05 0.04 0.03"/>
        <frame pos="0.3 0 0" zaxis="0 -1 0">
          <body name="fore" xyaxes="0 1 0 -1 0 0">
            <joint name="roll" class="wrist" axis="0 0 -1" actuatorfrcrange="-12 12"/>
            <inertial pos="0 0 0.1" mass="1.5" fullinertia="0.02 0.03 0.025 0.001 -0.002 0.003"/>
            <body name="finger" pos="0 0.02 0.1"><joint type="slide" range="0.01 0.04"/>
              <inertial pos="0 0 0.02" mass="0.2" diaginertia="1e-4 1e-4 1e-4"/></body>
            <site name="attachment_site" pos="0 0 0.12" axisangle="0 0 1 90"/>
          </body>
        </frame>
      </body>
    </body>
  </worldbody>
</mujoco>"""


def test_one_odd_file_has_the_numbers_mujoco_gives() -> None:
    """Of MuJoCo 4.0.0: mj_inverse at these positions, velocities and accelerations, the finger at 0.01."""
    robot = mp.Robot.from_text(ODD, "mjcf", tip="attachment_site").without("friction")
    arm = mp.Arm(robot, optimise="none")
    q, qd, qdd = [0.4, 0.1, -0.6], [0.5, -0.3, 0.8], [1.0, 0.7, -0.9]
    assert robot.name == "odd" and robot.joint_names == ("swing", "slide", "roll")
    np.testing.assert_allclose(arm.pose(q)[:3], POSE, atol=1e-12)
    np.testing.assert_allclose(arm.inverse_dynamics(q, qd, qdd), TORQUES, atol=1e-12)


POSE = [
    [0.09056314922301678, -0.5294501126020213, 0.8434932686563159, 0.054004780199675986],
    [-0.5241934397444509, 0.6948090817848035, 0.49240387650610384, 0.4430674941485469],
    [-0.8467700713485862, -0.4867472836442588, -0.214610177142756, 0.5766480796535376],
]
TORQUES = [-7.6464920563786665, -10.197768597655905, -0.02008076492099859]


def test_what_the_joints_say() -> None:
    robot = mp.Robot.from_text(ODD, "mjcf", tip="attachment_site")
    swing, slide, roll = (joint for joint in robot.joints if joint.kind != "fixed")
    values = robot.parameters
    assert [values[f"fv{i}"] for i in (1, 2, 3)] == [0.4, 0.4, 0.1]
    assert [values[f"Ia{i}"] for i in (1, 2, 3)] == [0.05, 0.05, 0.05]
    assert values["fc1"] == 0.3
    limits = mp.Arm(robot).limits
    np.testing.assert_allclose(limits[0], np.radians([-90, 120]), atol=1e-15)
    assert limits[1] == (-0.2, 0.4) and limits[2] == (-np.inf, np.inf)
    assert (swing.effort_limit, slide.effort_limit) == (None, None) and roll.effort_limit is not None
    assert any("finger" in note for note in robot.origin.notes)
    assert robot.origin.format == "mjcf"


def test_an_ending_shared_with_urdf_is_told_apart_by_the_text(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(ODD)
    assert mp.load(tmp_path / "arm.xml", tip="attachment_site").origin.format == "mjcf"
    with pytest.warns(mp.ManipulaWarning, match="motor inertia"):
        urdf = mp.save(mp.load(tmp_path / "arm.xml", tip="attachment_site"), tmp_path / "again.xml")
    again = mp.load(urdf)
    assert again.origin.format == "urdf"
    q = [0.4, 0.1, -0.6]
    there = mp.Arm(mp.load(tmp_path / "arm.xml", tip="attachment_site")).pose(q)
    np.testing.assert_allclose(mp.Arm(again).pose(q), there, atol=1e-12)
    with pytest.raises(mp.InputError, match=r"MJCF is read but not written; use \.toml, \.urdf"):
        mp.save(again, tmp_path / "arm.mjcf")


@pytest.mark.parametrize("seed", range(4))
def test_an_arm_saved_as_toml_is_the_same_arm(seed: int, tmp_path: Path) -> None:
    """The description holds it: what is read goes on in other formats, as fixed rows and joints."""
    robot = mp.Robot.from_text(RandomMjcf(seed).text, "mjcf", tip="tip")
    again = mp.load(mp.save(mp.convert(robot, "standard"), tmp_path / "arm.toml"))
    q = np.random.default_rng(seed).normal(size=robot.dof)
    np.testing.assert_allclose(mp.Arm(again).pose(q), mp.Arm(robot).pose(q), atol=1e-9)


BODY = '<body name="b"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
CARRIED = (
    '<body name="c"><joint name="root" type="free"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    + BODY.replace("<joint/>", '<joint name="j"/>')
    + BODY.replace("<joint/>", '<joint name="k"/>').replace('name="b"', 'name="d"')
    + "</body>"
)
COUPLING = '<joint joint1="k" joint2="j"/>'
OVER = "<joint joint='joint1' coef='1'/>"


def file(inner: str = BODY, head: str = "") -> str:
    return f"<mujoco>{head}<worldbody>{inner}</worldbody></mujoco>"


def body(inside: str, said: str = "") -> str:
    return file(f'<body name="b" {said}><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{inside}</body>')


def test_what_may_be_left_out() -> None:
    robot = mp.Robot.from_text(file(), "mjcf")
    assert robot.dof == 1 and robot.name == "robot" and robot.joint_names == ("joint1",)
    assert robot.parameters["gz"] == -9.81
    still = mp.Robot.from_text(file(head='<option><flag gravity="disable"/></option>'), "mjcf")
    assert "gz" not in still.parameters  # zeros are structure


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<mujoco>", "not well-formed XML"),
        ("<robot/>", "found <robot> at the top"),
        ("<!DOCTYPE x><mujoco/>", "DOCTYPE"),
        ("<mujoco><worldbody/></mujoco>", "the file has no <body>"),
        (file(head='<attach model="x"/>'), r"found <attach>, which is not read \(let MuJoCo write the model"),
        (file(head='<compiler coordinate="global"/>'), "<compiler>: coordinate: found 'global', which changes"),
        (file(head='<compiler boundinertia="0.1"/>'), "<compiler>: boundinertia: found '0.1', which changes"),
        (file(head='<compiler inertiafromgeom="perhaps"/>'), "inertiafromgeom: found 'perhaps'"),
        (file(head='<compiler angle="grad"/>'), "found 'grad' \\(degree or radian\\)"),
        (file(head='<compiler eulerseq="xyw"/>'), "eulerseq: found 'xyw'"),
        (file(head='<option gravity="0 0"/>'), r"gravity: found '0 0' \(3 numbers\)"),
        (body('<joint class="none"/>'), "class: found 'none'"),
        (body('<joint name="j" type="screw"/>'), "joint 'j': type: found 'screw'"),
        (body('<joint name="j_y"/><joint name="j" type="ball"/>'), "joint 'j_y': two joints have this name"),
        (body('<freejoint name="j"/>'), "joint 'j': type: found 'floating': it has six degrees of freedom"),
        (body("<freejoint/>"), r"body 'b': type: found 'floating': .* \(base='b' reads what is below it\)"),
        (body('<joint name="j" axis="0 0 0"/>'), "joint 'j': axis: found a zero axis"),
        (body('<joint name="j" range="2 1" limited="true"/>'), "found 2.0 above 1.0"),
        (body('<joint name="j" damping="much"/>'), "joint 'j': damping: found 'much'"),
        (body("<joint/>", 'quat="0 0 0 0"'), "body 'b': quat: found '0 0 0 0', which is no direction"),
        (body("<joint/>", 'quat="1 0 0 0" euler="0 0 0"'), "found quat and euler"),
        (body('<joint name="j"/><joint name="j"/>'), "two joints have this name"),
        (body("<frame><joint/></frame>"), "found <joint> inside a <frame>"),
        (file('<body name="b"><joint/><geom mesh="m"/></body>'), "its mass would come from the mesh 'm'"),
        (file('<body name="b"><joint/><geom size="0"/></body>'), r"found '0' \(a sphere has 1 positive numbers\)"),
        (file('<body name="b"><joint/><inertial pos="0 0 0" mass="-1"/></body>'), "a mass cannot be negative"),
        (file(BODY + BODY), "body 'b': two bodies have this name"),
        (
            file()[:-9] + '<equality><joint joint1="elbow" joint2="j"/></equality></mujoco>',
            "<equality>: joint1: found 'elbow'",
        ),
        (
            file('<body><joint/><inertial pos="0 0 0" mass="1" quat="1 1 0 0" fullinertia="1 1 1 0 0 0"/></body>'),
            "found fullinertia beside an orientation",
        ),
    ],
)
def test_a_mistake_is_one_sentence(text: str, said: str, whole: Sentences) -> None:
    with whole.raises(mp.RobotFileError, match=said) as caught:
        mp.Robot.from_text(text, "mjcf", file="arm.mjcf")
    assert str(caught.value).startswith("arm.mjcf") and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (body('<joint name="j" stiffness="2"/>'), r"not read: springs of joints \(stiffness, springdamper\): j"),
        (body('<joint name="j" type="ball" damping="2"/>'), "not read: limits, damping, .* of ball joints: j"),
        (body('<joint name="j" type="ball" range="0 40"/>'), "not read: limits, damping, .* of ball joints: j"),
        (
            file(CARRIED, '<default><joint damping="2"/></default>'),
            "not read: damping, friction and armature of free joints: root",
        ),
        (
            file(CARRIED)[:-9] + f"<equality>{2 * COUPLING}</equality></mujoco>",
            "not read: equalities, .*: <joint> k and j",
        ),
        (body('<joint name="j" range="2 1"/>'), "not read: ranges whose lower limit is above the upper one: j"),
        (body('<joint name="j" actuatorfrcrange="-1 2"/>'), "not read: limits of effort that differ by the way .*: j"),
        (body("<joint/>", 'gravcomp="1"'), "not read: gravcomp, so that bodies have their whole weight: b"),
        (file()[:-9] + '<equality><weld body1="b"/></equality></mujoco>', "not read: equalities, .*: <weld> b"),
        (
            file()[:-9] + f"<tendon><fixed name='t' stiffness='2'>{OVER}</fixed></tendon></mujoco>",
            "springs of tendons: t",
        ),
        (file()[:-9] + "<tendon><spatial name='t' damping='2'/></tendon></mujoco>", "of tendons in space: t"),
        (file()[:-9] + "<actuator><motor name='a' site='s' armature='2'/></actuator></mujoco>", "at no joint: a"),
    ],
)
def test_what_is_passed_over_is_said(text: str, said: str, whole: Sentences) -> None:
    with pytest.warns(mp.ManipulaWarning, match=said) as told:
        mp.Robot.from_text(text, "mjcf")
    for one in told:
        whole.compare(str(one.message))


@pytest.mark.parametrize("word", ["disable", "enable"])
def test_a_medium_and_friction_switched_off_are_noted(word: str) -> None:
    """Each alone, all at once, and none: of a flag only the word that switches off, of a medium only what is not 0."""
    flags, medium = ("frictionloss", "damper", "passive"), ("density", "viscosity", "wind")
    for own in (*([x] for x in (*flags, *medium, "gravity", "timestep")), [*flags, *medium], []):
        said = " ".join(f'{x}="{word}"' for x in own if x in (*flags, "gravity"))
        moving = " ".join(f'{x}="0 {2 if word == "disable" else 0}"' for x in own if x in medium)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            mp.Robot.from_text(file(head=f"<option {moving}><flag {said}/></option>"), "mjcf")
        notes = " ".join(str(x.message) for x in caught)
        for flag in flags:
            assert (f"<flag {flag}> is not read: the friction of joints counts" in notes) == (
                flag in own and word == "disable"
            )
        felt = ", ".join(x for x in medium if x in own and word == "disable")
        assert (f"the {felt} of <option> is not read: the arm moves in nothing" in notes) == bool(felt)
        assert ("moves in nothing" in notes) == bool(felt)


def test_a_coupled_joint_is_no_degree_of_freedom() -> None:
    inner = '<body name="c"><joint name="k"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
    coupled = body(f'<joint name="j"/>{inner}')[:-9] + '<equality><joint joint1="k" joint2="j"/></equality></mujoco>'
    robot = mp.Robot.from_text(coupled, "mjcf")
    assert robot.joint_names == ("j",) and robot.joints[1].coordinate == Coordinate((("j", Fraction(1)),))


def test_a_coupled_joint_beside_the_arm_stands_where_the_equality_puts_it() -> None:
    """MuJoCo: q1 − ref1 = a0 + a1 (q2 − ref2), of the joints k and l, whose own poses are at 0.1 and 0.3."""
    weight = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    fingers = "".join(
        f'<body name="{name}">{weight}<joint name="{name}" type="slide" ref="{ref}"/></body>'
        for name, ref in (("k", 0.1), ("l", 0.3))
    )
    coupling = '<equality><joint joint1="k" joint2="l" polycoef="0.05 2 0 0 0"/></equality></mujoco>'
    text = body(f'<joint name="j"/><site name="end"/>{fingers}')[:-9] + coupling
    robot = mp.Robot.from_text(text, "mjcf", tip="end", locked={"l": 0.5})
    assert "joint 'k' is locked at 0.55" in robot.origin.notes  # 0.1 + 0.05 + 2·(0.5 − 0.3)
    [finger] = [held for joint in robot.joints for held in joint.carries if held.name == "k"]
    assert [(step.kind, step.amount.value) for step in finger.at] == [("tz", Num(Fraction("0.45")))]


def test_bodies_without_end_are_refused_before_they_are_made() -> None:
    deep = file("<body>" * 3000 + "</body>" * 3000)
    with pytest.raises(mp.RobotFileError, match="found 3000 joints"):
        mp.Robot.from_text(deep, "mjcf")
    long = file("".join(f'<body name="b{i}">' for i in range(900)) + "<joint/>" + "</body>" * 900)
    assert mp.Robot.from_text(long, "mjcf").dof == 1


def test_several_chains_are_a_tree() -> None:
    more = '<body name="c"><joint name="k"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
    robot = mp.Robot.from_text(file(BODY + more), "mjcf")
    assert robot.dof == 2 and robot.parents == (-1, -1) and robot.frame_names == ("b", "c")


def test_sections_of_defaults_add_up() -> None:
    """As MuJoCo has it: the second section goes on from the first, and says its own where both speak."""
    first = '<default><joint damping="0.4" armature="0.3"/></default>'
    second = '<default><joint damping="0.7"/><default class="stiff"><joint frictionloss="2"/></default></default>'
    body = '<body name="b"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint name="j" class="stiff"/></body>'
    text = f"<mujoco>{first}{second}<worldbody>{body}</worldbody></mujoco>"
    (joint,) = mp.Robot.from_text(text, "mjcf").joints
    assert [float(joint.actuator[key].value.value) for key in ("Ia", "fv", "fc")] == [0.3, 0.7, 2.0]


def test_a_flood_is_one_sentence() -> None:
    weight = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    many = "".join(
        f'<body name="b{k}" gravcomp="1">{weight}<joint name="j{k}" stiffness="1"/></body>' for k in range(30)
    )
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        mp.Robot.from_text(file(many), "mjcf")
    assert [str(x.message)[-4:] for x in told] == ["(30)", "(30)"]


def test_included_files_stand_where_they_are_named(tmp_path: Path) -> None:
    whole = file(BODY, head='<option gravity="0 0 -5"/>')
    (tmp_path / "inside").mkdir()
    one, other = (f'<include file="inside/{name}.xml"/>' for name in ("head", "body"))
    (tmp_path / "arm.xml").write_text(f"<mujoco>{one}<worldbody>{other}</worldbody></mujoco>")
    (tmp_path / "inside" / "head.xml").write_text('<mujoco><option gravity="0 0 -5"/></mujoco>')
    (tmp_path / "inside" / "body.xml").write_text(f"<mujocoinclude>{BODY}</mujocoinclude>")
    assert mp.load(tmp_path / "arm.xml") == mp.Robot.from_text(whole, "mjcf")
    (tmp_path / "inside" / "body.xml").write_text('<mujoco><include file="deep.xml"/></mujoco>')  # beside itself
    (tmp_path / "inside" / "deep.xml").write_text(f"<mujoco>{BODY}</mujoco>")
    assert mp.load(tmp_path / "arm.xml") == mp.Robot.from_text(whole, "mjcf")
    (tmp_path / "inside" / "body.xml").write_text('<mujoco><include file="arm.xml"/></mujoco>')
    with pytest.raises(mp.RobotFileError, match=r"found 'arm\.xml' a second time"):
        mp.load(tmp_path / "arm.xml")
    (tmp_path / "inside" / "body.xml").write_text("<mujoco>")
    with pytest.raises(mp.RobotFileError, match=r"body\.xml: this is not well-formed XML"):
        mp.load(tmp_path / "arm.xml")


@pytest.mark.parametrize("name", ["", "arm.mjcf"])
def test_a_text_has_no_folder_to_include_from(name: str) -> None:
    """Nor has one that only has a name, as a file that is dropped into the studio."""
    with pytest.raises(mp.RobotFileError, match="a text has no folder to look in"):
        mp.Robot.from_text(file(head='<include file="x.xml"/>'), "mjcf", file=name)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x.xml", r"<include>: file: found 'x\.xml', which is not there"),
        ("../x.xml", "which is outside the folder of the model"),
        ("a/../../outside.xml", "which is outside the folder of the model"),
        ("/etc/passwd", "which is outside the folder of the model"),
        ("", "which is not there"),
        (".", "which is not there"),
        ("link.xml", "which is outside the folder of the model"),
        ("x" * 5000, "File name too long"),
    ],
)
def test_a_file_that_may_not_be_included_is_named(name: str, said: str, tmp_path: Path, whole: Sentences) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "outside.xml").write_text("<mujoco/>")
    (tmp_path / "model" / "link.xml").symlink_to(tmp_path / "outside.xml")
    (tmp_path / "model" / "arm.xml").write_text(file(head=f'<include file="{name}"/>'))
    with whole.raises(mp.RobotFileError, match=said):
        mp.load(tmp_path / "model" / "arm.xml")


def test_the_last_gravity_counts() -> None:
    """Of several <option> elements the last that says it, and the last word of its flag."""
    two = '<option gravity="1 2 3"/><option gravity="0 0 -5"/><option timestep="1"/>'
    assert mp.Robot.from_text(file(head=two), "mjcf").parameters["gz"] == -5.0
    off, on = (f'<option><flag gravity="{x}"/></option>' for x in ("disable", "enable"))
    assert mp.Robot.from_text(file(head=two + off + on), "mjcf").parameters["gz"] == -5.0
    assert "gz" not in mp.Robot.from_text(file(head=two + on + off), "mjcf").parameters


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("axis", ["1 0 0", "0 1 0", "0 0 1", "0.6 0 0.8"])
def test_a_joint_at_its_reference_is_at_the_pose_of_the_file(axis: str, sign: int) -> None:
    """T(q) turns by q − ref about the axis as it is written, whichever way that points."""
    way = " ".join(str(sign * float(x)) for x in axis.split())
    at = body(f'<joint name="j" axis="{way}" ref="0.4"/><site name="tip" pos="0.1 0.2 0.3"/>')
    arm = mp.Arm(mp.Robot.from_text(at.replace("<mujoco>", '<mujoco><compiler angle="radian"/>'), "mjcf", tip="tip"))
    np.testing.assert_allclose(arm.pose([0.4])[:3, 3], [0.1, 0.2, 0.3], atol=1e-15)
    there = turn([float(x) for x in way.split()], 0.3) @ [0.1, 0.2, 0.3]
    np.testing.assert_allclose(arm.pose([0.7])[:3, 3], there, atol=1e-15)


SHAPES = {  # a textbook's: kg, xx, zz of a body of 1 kg a litre
    'type="sphere" size="0.1"': (4e3 * math.pi / 3 * 1e-3, 0.4e-2, 0.4e-2),
    'type="box" size="0.1 0.1 0.2"': (16.0, 0.05 / 3, 0.02 / 3),
    'type="cylinder" size="0.1 0.2"': (math.pi * 4, 0.01 / 4 + 0.04 / 3, 0.005),
    'type="cylinder" size="0.1" fromto="0 0 -0.2 0 0 0.2"': (math.pi * 4, 0.01 / 4 + 0.04 / 3, 0.005),
    'type="ellipsoid" size="0.1 0.1 0.2"': (8e3 * math.pi / 3 * 1e-3, 0.01, 0.004),
    'type="sphere" size="0.1" mass="2"': (2.0, 0.4e-2, 0.4e-2),
    'type="box" size="0.1 0.1 0.2" density="500"': (8.0, 0.05 / 3, 0.02 / 3),
    'type="sphere" size="0.1" mass="3" shellinertia="true"': (3.0, 0.02 / 3, 0.02 / 3),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_weighs_what_books_say(shape: str) -> None:
    robot = mp.Robot.from_text(file(f'<body name="b"><joint name="j"/><geom {shape}/></body>'), "mjcf")
    mass, xx, zz = SHAPES[shape]
    found = [robot.parameters[name] for name in ("m1", "Ixx1", "Iyy1", "Izz1")]
    np.testing.assert_allclose(found, [mass, mass * xx, mass * xx, mass * zz], rtol=1e-14)


def test_a_mesh_that_stands_still_is_noted() -> None:
    base = '<body name="base"><geom type="mesh" mesh="m"/>{}</body>'
    robot = mp.Robot.from_text(file(base.format(BODY)), "mjcf")
    assert robot.dof == 1 and any("of unknown mass: base" in note for note in robot.origin.notes)


def test_a_tendon_is_a_row_that_follows() -> None:
    inner = '<body name="c"><joint name="k"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
    fixed = '<fixed name="j" armature="0.5" damping="2"><joint joint="j" coef="1"/><joint joint="k" coef="-2"/></fixed>'
    text = body(f'<joint name="j"/>{inner}')[:-9] + f"<tendon>{fixed}</tendon></mujoco>"
    robot = mp.Robot.from_text(text, "mjcf")
    row = robot.joints[-1]
    assert (row.name, row.coordinate) == ("j_tendon", Coordinate((("j", Fraction(1)), ("k", Fraction(-2)))))
    assert robot.joint_names == ("j", "k") and robot.tip_link == "c" and robot.frame_names == ("tool",)
    still = mp.Robot.from_text(text, "mjcf", locked={"k": 0})
    assert still.joints[-1].coordinate == Coordinate((("j", Fraction(1)),))
    with pytest.raises(mp.RobotFileError, match="tendon 'j': joint: found 'q'"):
        mp.Robot.from_text(text.replace('joint="k" coef', 'joint="q" coef'), "mjcf")
