"""Robots with several ends in the studio and in reports: pages are about the frame that the picture has for a tool."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import manipula as mp
from manipula import api
from manipula.api.robot_story import paper_story
from manipula.api.robot_verbs import robot_with_shown_tool, shown_frame
from manipula.arm import Arm
from manipula.errors import InputError
from manipula.mechanics.robot.topology import with_frame
from manipula.studio.tasks.descriptions import draw, export
from manipula.studio.tasks.motion import motion
from tests.random_robots import random_tree

FINGERS = "".join(
    f'<link name="{child}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    f'</inertial></link><joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
    f'<origin xyz="{at} 0 0.1"/><axis xyz="0 {axis}"/><limit lower="-1" upper="1" effort="9" velocity="1"/></joint>'
    for name, kind, parent, child, at, axis in (
        ("turn", "revolute", "base", "palm", 0.3, "1 0"), ("a", "prismatic", "palm", "left", 0.1, "0 1"),
        ("b", "prismatic", "palm", "right", 0.2, "0 1"),
    )
)  # fmt: skip
URDF = f'<robot name="claw"><link name="base"/>{FINGERS}</robot>'


@pytest.mark.parametrize("seed", range(40))
def test_a_frame_is_named_wherever_one_would_be_asked_for(seed: int) -> None:
    robot = mp.Robot.of(random_tree(seed))
    try:
        with_frame(robot)
    except InputError as error:
        assert "say which frame is meant" in str(error)
        assert shown_frame(robot) in robot.frame_names
    else:
        assert shown_frame(robot) == "" and robot_with_shown_tool(robot) is robot
    with_frame(robot_with_shown_tool(robot))


def test_the_frame_of_a_picture_is_one_of_the_row_that_its_tool_is_on() -> None:
    robot = mp.Robot.from_text(URDF, "urdf")
    left, right = robot.frames
    assert robot.joints[robot.tool_row].name == right.on != left.on and shown_frame(robot) == right.name
    assert shown_frame(replace(robot, frames=(left, right, replace(right, name="pad")))) == "pad"
    assert shown_frame(replace(robot, frames=(left, right, replace(left, name="pad")))) == right.name
    assert shown_frame(replace(robot, frames=())) == right.on  # the row itself, where no frame has a name
    assert shown_frame(replace(robot, frames=(left, replace(left, name="pad")))) == "pad"  # none is on it: the last
    assert shown_frame(replace(robot, frames=(left,))) == ""


@pytest.mark.turn
def test_the_panels_answer_for_a_claw() -> None:
    """Torques need no frame; the pose is that of the tool which is drawn, and the file that is saved has none."""
    robot = mp.Robot.from_text(URDF, "urdf")
    document = api.document(robot)
    drawn = draw({"document": document}, lambda step: None)
    assert drawn["frame"] == "right"
    found = motion({"document": document, "motion": {"to": [0.5, 0.1, 0.2]}}, lambda step: None)
    assert np.shape(found["tau"])[1] == 3
    np.testing.assert_allclose(found["tool"][0], Arm(robot.at("right")).pose([0, 0, 0])[:3, 3])
    assert drawn["drawing"]["tool"] == api.drawing(robot.at("right"))["tool"]
    assert export({"document": document}, lambda step: None)["text"] == api.to_text(robot)


def test_a_report_says_which_end_it_is_about() -> None:
    robot = mp.Robot.from_text(URDF, "urdf")
    told = paper_story(robot, ("check", "counts", "base", "table"), lambda step: None, str)
    assert any("those of right" in remark and "left" in remark for remark in told.remarks)
    assert not [one.title for one in told.formulas if one.why_not]
    assert paper_story(robot.at("left"), ("equations", "check", "counts", "base", "inverse"), print, str).remarks == []
