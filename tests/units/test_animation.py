"""A run as a moving picture: what is drawn is where the frames are; files stand alone; bad words are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.simulation.plots import Skeleton, skeleton_of
from manipula.simulation.stepping import Functions
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot, random_state, random_tree

pytestmark = pytest.mark.usefixtures("kept_functions")

pytest.importorskip("matplotlib")


def arm() -> mp.Robot:
    return mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)


def skeleton(robot: mp.Robot, q: Any) -> Skeleton:
    functions = Functions(robot)
    return skeleton_of(robot, lambda q: functions("frames", q), np.asarray(q))


@pytest.fixture(scope="module")
def run() -> Any:
    return mp.simulate(arm(), start=[[0.3, 0.2], [0.1, -0.2]], until=0.1, step=2e-3)


@pytest.mark.turn
@pytest.mark.parametrize("suffix, begins", [(".gif", b"GIF8"), (".html", b"<!DOCTYPE html>")])
def test_files_hold_all_pictures(run: Any, tmp_path: Path, suffix: str, begins: bytes) -> None:
    path = run.animate(tmp_path / f"new/arm{suffix}", rate=30, row=1)
    assert path == tmp_path / f"new/arm{suffix}"
    data = path.read_bytes()
    assert data.startswith(begins) and len(data) > 5000
    if suffix == ".html":  # nothing is fetched, but for the icons of its buttons
        assert data.count(b"data:image/png;base64") == 4


def test_the_picture_shows_links_tool_and_time(run: Any) -> None:
    moving = run.animate(rate=20, speed=0.5)
    place = moving._fig.axes[0]
    moving._draw_frame(4)
    lines = [np.array(line.get_data()).T for line in place.lines]
    l1, l2 = 0.5, 0.4
    a, b = run.q[0, -1] @ np.array([[1, 1], [0, 1]])
    elbow = l1 * np.array([np.cos(a), np.sin(a)])
    tool = elbow + l2 * np.array([np.cos(b), np.sin(b)])
    for bone in ([np.zeros(2), elbow], [elbow, tool]):
        assert any(line.shape == (2, 2) and np.allclose(line, bone, atol=1e-9) for line in lines)
    assert any(len(line) > 20 and np.allclose(line[-1], tool, atol=1e-9) for line in lines)  # its way
    assert [text.get_text() for text in moving._fig.texts] == ["t = 0.10 s"]
    assert (place.get_xlabel(), place.get_ylabel()) == ("x [m]", "y [m]")
    assert len(list(moving.new_frame_seq())) == 5
    moving.to_jshtml()


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(4))
def test_bones_join_the_frames_of_links_that_stand_on_each_other(seed: int) -> None:
    drawn = random_tree(seed, joints="RFPR") if seed % 2 else random_robot(seed, joints="FRPF")
    robot = mp.Robot.of(drawn)
    q = np.array([random_state(robot, k)[0] for k in range(3)])
    bones = skeleton(robot, q)
    pose = np.asarray(mp.Arm(robot).pose(q))
    assert np.allclose(bones.points[:, -1], pose[:, :3, 3])
    assert len(bones.bones) == bones.points.shape[1] - 1
    assert all(start < end for start, end in bones.bones) and {end for _, end in bones.bones} == set(
        range(1, bones.points.shape[1])
    )


def test_arms_that_leave_the_plane_are_drawn_in_space() -> None:
    robot = mp.load("puma560")
    path = np.linspace([0, -0.5, 0.5, 0, 0.3, 0], [0.3, 0, 0.5, 0, 0.3, 0], 3)
    assert skeleton(robot, path).axes == (0, 1, 2)
    upright = np.linspace([0.3, 0.2], [0.5, 0.1], 3)
    assert skeleton(arm(), upright).axes == (0, 1)
    sideways = arm().with_base(rpy=("pi/2", 0, 0))
    assert skeleton(sideways, upright).axes == (0, 2)


@pytest.mark.parametrize(
    "path, options, told",
    [
        ("arm.png", {}, "kind of animation"),
        ("arm", {}, "kind of animation"),
        ("arm.gif", {"rate": 0}, "rate: expected a number above 0"),
        ("arm.gif", {"speed": float("nan")}, "speed: expected a number above 0"),
        ("arm.gif", {"row": 7}, "row: expected the number of an arm in a batch of 2"),
        ("arm.gif", {"row": "a"}, "row: expected the number of an arm"),
        ("arm.gif", {"rate": 1e6}, "pictures are too many"),
    ],
)
def test_words_that_cannot_be_are_told(
    run: Any, tmp_path: Path, path: str, options: Any, told: str, whole: Sentences
) -> None:
    with whole.raises(mp.InputError, match=told):
        run.animate(tmp_path / path, **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.turn
def test_a_symbol_is_given_its_value() -> None:
    robot = mp.load("planar2r").with_parameters(l1=0.5, m1=3, m2=2, g=9.81)
    made = mp.simulate(mp.Plant(robot, effort=None), start=[0.1, 0.2], until=0.01, parameters={"l2": 0.4})
    with pytest.raises(mp.InputError, match="needs a value for l2"):
        made.animate("arm.gif")
    moving = made.animate(parameters={"l2": 0.4})
    assert moving.to_jshtml()
