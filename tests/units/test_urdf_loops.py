"""Loops inside a URDF, and xacro files."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import ManipulaWarning, RobotFileError
from tests.linkages import four_bar

TENSOR = '<inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/>'
BODY = f'<inertial><origin xyz="0.1 0.02 0"/><mass value="1"/>{TENSOR}</inertial>'
PIN = """<constraint name="pin" type="{type}"><parent link="coupler"/><parent_origin xyz="0.4 0 0" rpy="0 0 0.3"/>
<parent_axis xyz="{axis}"/><child link="rocker"/><child_origin xyz="0.3 0 0"/><child_axis xyz="{axis}"/></constraint>"""
DRIVE = '<transmission name="t"><joint name="j1"/></transmission>'


def urdf(pin: str = PIN.format(type="revolute", axis="0 0 1"), drive: str = DRIVE) -> str:
    joint = (
        '<joint name="j{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><origin xyz="{3}"/>'
        '<axis xyz="0 0 1"/></joint>'
    )
    rows = [("1", "base", "crank", "0 0 0"), ("2", "crank", "coupler", "0.15 0 0"), ("3", "base", "rocker", "0.35 0 0")]
    links = "".join(f'<link name="{name}">{BODY}</link>' for name in ("crank", "coupler", "rocker"))
    joints = "".join(joint.format(*row) for row in rows)
    return f'<robot name="bar"><link name="base"/>{links}{joints}{pin}{drive}</robot>'


def loaded(tmp_path: Path, text: str) -> mp.Robot:
    file = tmp_path / "bar.urdf"
    file.write_text(text)
    return mp.load(file, loops=file)


def test_a_constraint_is_a_loop(tmp_path: Path) -> None:
    robot = loaded(tmp_path, urdf()).with_poses(closed=[1.2, 1.6, -0.7])
    assert (robot.motors, [(x.joins, x.free) for x in robot.loops]) == (("j1",), [(("pin_parent", "pin_child"), "z")])
    at = robot.close([1.2])
    assert at.ok
    ball = loaded(tmp_path, urdf(PIN.format(type="spherical", axis="1 0 0"))).with_poses(closed=[1.2, 1.6, -0.7])
    one, other = (mp.Arm(x, optimise="none").inverse_dynamics(at, [0.5], [1.0]) for x in (robot, ball))
    np.testing.assert_allclose(one, other, rtol=1e-10)


@pytest.mark.parametrize(
    ("type", "free"), [("prismatic", "slide z"), ("fixed", ""), ("universal", "universal xz"), ("continuous", "z")]
)
def test_types_of_constraints(type: str, free: str, tmp_path: Path) -> None:
    robot = loaded(tmp_path, urdf(PIN.format(type=type, axis="0 1 0")))
    assert robot.loops[0].free == free


def test_a_mimic_inside_a_loop_is_an_approximation(tmp_path: Path) -> None:
    mimic = '<mimic joint="j1" multiplier="0.7"/><limit lower="-3" upper="3" effort="9" velocity="9"/></joint>'
    text = urdf()
    head, _, tail = text.rpartition("</joint><constraint")
    file = tmp_path / "bar.urdf"
    file.write_text(f"{head}{mimic}<constraint{tail}")
    with pytest.warns(ManipulaWarning, match=r"joint 'j3' follows others by a factor and is part of pin"):
        robot = mp.load(file, loops=file)
    assert robot.joint_names == ("j1", "j3", "j2") and robot.with_poses(closed=[1.2, 1.6, -0.7]).close([1.2]).ok


def test_motors_of_ros2_control(tmp_path: Path) -> None:
    taken = '<joint name="j3"><command_interface name="effort"/></joint><joint name="j2"/>'
    drive = f'<ros2_control name="r">{taken}</ros2_control>'
    assert loaded(tmp_path, urdf(drive=drive)).motors == ("j3",)


WRONG = {
    "no constraint": (urdf(pin=""), "has no <constraint>"),
    "no motors": (urdf(drive=""), "which joints have a motor"),
    "type": (urdf(PIN.format(type="screw", axis="0 0 1")), "screw"),
    "axis": (urdf(PIN.format(type="revolute", axis="0 0 0")), "parent_axis: found 0 0 0"),
    "numbers": (urdf(PIN.format(type="revolute", axis="0 0")), "three numbers"),
    "link": (urdf(PIN.format(type="revolute", axis="0 0 1").replace("rocker", "lever")), "lever"),
    "no link": (
        urdf(PIN.format(type="revolute", axis="0 0 1").replace('<child link="rocker"/>', "")),
        "child: is missing",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said(case: str, tmp_path: Path) -> None:
    text, part = WRONG[case]
    with pytest.raises(mp.ManipulaError, match=part):
        loaded(tmp_path, text)


def test_a_xacro_file_is_expanded_by_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bar.urdf.xacro"
    file.write_text("<robot/>")
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(RobotFileError, match=r"needs the package xacro.*pip install xacro"):
        mp.load(file)
    fake: Any = SimpleNamespace(process_file=lambda path: SimpleNamespace(toxml=lambda: urdf(pin="")))
    monkeypatch.setitem(sys.modules, "xacro", fake)
    assert mp.load(file).joint_names == ("j1", "j3", "j2")

    def fail(path: str) -> None:
        raise ValueError("undefined name")

    monkeypatch.setitem(sys.modules, "xacro", SimpleNamespace(process_file=fail))
    with pytest.raises(RobotFileError, match="xacro cannot expand it: undefined name"):
        mp.load(file)
    with pytest.raises(RobotFileError, match="no such file"):
        mp.load(tmp_path / "none.xacro")


def test_a_loop_is_refused_by_a_urdf(tmp_path: Path) -> None:
    with pytest.raises(RobotFileError, match="has loops"):
        mp.save(four_bar(), tmp_path / "bar.urdf")
