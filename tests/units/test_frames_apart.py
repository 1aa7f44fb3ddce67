"""Links and joints that share names: a frame asked for by the name of a link is that link's."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError, ManipulaWarning, UnknownNameError
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS

WORDS = ("tool", "base", "world", "link1", "link2", "a", "b", "joint1", "J1", "j1")


def drawn(seed: int) -> tuple[mp.Robot, list[str], list[str], list[float]]:
    """An arm that climbs a known height with every row: (robot, links, joints, height of each link)."""
    rng = random.Random(f"shared names {seed}")
    count = rng.randint(2, 5)
    links, joints = rng.sample(WORDS, count), rng.sample(WORDS, count)
    kinds = [rng.choice(("revolute", "fixed")) for _ in range(count - 1)] + ["revolute"]
    heights = [rng.randint(1, 9) / 10 for _ in range(count)]
    text = '<link name="root"/>'
    for i, (link, joint, kind, height) in enumerate(zip(links, joints, kinds, heights)):
        ends = f'<parent link="{links[i - 1] if i else "root"}"/><child link="{link}"/>'
        text += f'<link name="{link}"/><joint name="{joint}" type="{kind}">{ends}<origin xyz="0 0 {height}"/>'
        text += '<axis xyz="0 0 1"/></joint>'
    robot = mp.Robot.from_text(f'<robot name="r">{text}</robot>', "urdf")
    return robot, links, joints, list(np.cumsum(heights))


def height(robot: mp.Robot, name: str) -> float:
    return float(pose(merge_fixed(bind(robot.at(name), FLOATS, {})), [0.3] * robot.dof).p[2])


@pytest.mark.parametrize("seed", range(30))
def test_a_link_is_found_by_its_name_whatever_joints_are_called(seed: int) -> None:
    robot, links, joints, heights = drawn(seed)
    for row, link in enumerate(links):
        shared = link in joints and joints.index(link) != row
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", ManipulaWarning)
            found = height(robot, link)
        if link == "tool" and row != len(links) - 1:
            assert found == pytest.approx(heights[-1]) and f"found by its joint, {joints[row]!r}" in str(warned[0])
        else:
            assert found == pytest.approx(heights[row]) and bool(warned) == (shared and link != "tool")
    for row, joint in enumerate(joints):
        if joint not in (*links, "tool"):
            assert height(robot, joint) == pytest.approx(heights[row])


def test_a_number_that_is_no_link_of_a_file_that_numbers_its_links_is_refused() -> None:
    rows = [f'<link name="link{i}"/>' for i in range(4)]
    rows += [
        f'<joint name="j{i}" type="revolute"><parent link="link{i}"/><child link="link{i + 1}"/></joint>'
        for i in range(2)
    ]
    end = '<joint name="j2" type="revolute"><parent link="link2"/><child link="link3"/></joint>'
    text = f'<robot name="r">{"".join(rows)}{end}</robot>'.replace("link3", "hand")
    with pytest.raises(UnknownNameError, match="no frame is called 'link3'"):
        mp.Robot.from_text(text, "urdf").at("link3")


def test_a_frame_may_not_take_the_name_of_a_link() -> None:
    robot = drawn(0)[0]
    with pytest.raises(InputError, match="has a frame, a link or a joint called"):
        robot.with_frame(robot.link_names[0], robot.joint_names[0])
