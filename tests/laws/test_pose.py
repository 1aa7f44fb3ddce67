"""Direct geometry: every way gives the same pose; frames are frames; bracketings are all there and read back."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import manipula as mp
from manipula.errors import InputError
from manipula.generation.arm_structure import numeric_chain
from manipula.mechanics.models.kinematics.pose import elementary, frames, pose
from manipula.mechanics.models.kinematics.pose_ways import (
    FURTHER_WAYS,
    WAYS,
    bracketings,
    parallel_runs,
    parse_bracketing,
    pose_by_brackets,
    text_from_bracketing,
    way_from_name,
)
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import cell_with_value
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS, FloatMaths
from manipula.mechanics.spatial.placement import Placement
from tests.random_robots import random_robot, random_state

SEEDS = range(30)


def arm(seed: int, **options: Any) -> tuple[Tree, list[float]]:
    robot = random_robot(seed, **options)
    return merge_fixed(bind(robot, FLOATS, {})), random_state(robot, seed)[0]


def array(at: Placement) -> Any:
    return np.array(at.rows(), dtype=float)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("way", [*WAYS, *FURTHER_WAYS])
def test_every_way_gives_the_same_pose(way: str, seed: int) -> None:
    chain, q = arm(seed)
    np.testing.assert_allclose(array(way_from_name(way, chain.dof)(chain, q)), array(pose(chain, q)), atol=1e-13)


@pytest.mark.drawn("convention")
@pytest.mark.parametrize("joints", ["R", "P", "RR", "RRRR", "RRPR", "PRPRR"])
@pytest.mark.parametrize("convention", ["standard", "modified", "urdf"])
def test_merged_axes_of_every_make(joints: str, convention: str) -> None:
    """Many draws, so that runs with sliding joints, reversed axes and directions all occur."""
    longest = reversed_axes = 0
    for seed in range(25):
        chain, q = arm(seed, joints=joints, convention=convention)
        runs = parallel_runs(chain, q)
        longest = max(longest, *map(len, runs))
        between = [a.after.R[2][2] * b.before.R[2][2] for a, b in zip(chain.links, chain.links[1:])]
        reversed_axes += -1 in between
        for way in (WAYS["merged"], *FURTHER_WAYS.values()):
            np.testing.assert_allclose(array(way(chain, q)), array(pose(chain, q)), atol=1e-13)
    if len(joints) > 2 and convention != "urdf":  # free placements are seldom parallel
        assert longest > 1 and reversed_axes


class CountingMaths(FloatMaths):
    """Floats that remember whose sine was asked for."""

    def __init__(self) -> None:
        self.angles: set[float] = set()

    def sin(self, x: float) -> float:
        self.angles.add(x)
        return super().sin(x)


def test_parallel_axes_are_turned_by_the_sum_of_their_angles() -> None:
    robot = random_robot(1, joints="RRR", convention="standard", surroundings=False)
    level = tuple(step for step in robot.joints[0].after if step.kind != "rx")
    row = replace(robot.joints[0], offset=cell_with_value("theta"), direction=1, after=level)
    planar = replace(robot, joints=(row, row, row))
    maths = CountingMaths()
    chain = merge_fixed(bind(planar, maths, {}))
    maths.angles.clear()
    WAYS["merged"](chain, [0.1, 0.25, 0.5])
    assert maths.angles == {0.1, 0.35, 0.85}


@pytest.mark.parametrize("seed", SEEDS)
def test_frames_are_the_running_product_and_orthonormal(seed: int) -> None:
    chain, q = arm(seed)
    *links, tool = map(array, frames(chain, q))
    at = array(chain.base)
    for link, step in zip(links, elementary(chain, q), strict=True):
        at = at @ array(step)
        np.testing.assert_allclose(link, at, atol=1e-13)
        np.testing.assert_allclose(link[:3, :3] @ link[:3, :3].T, np.eye(3), atol=1e-14)
        assert np.linalg.det(link[:3, :3]) == pytest.approx(1)
    np.testing.assert_allclose(tool, at @ array(chain.tool), atol=1e-13)


def test_all_42_bracketings_of_a_six_joint_arm_agree() -> None:
    chain, q = arm(3, joints="RRPRRR")
    trees = list(bracketings(6))
    assert len(set(trees)) == 42
    for tree in trees:
        np.testing.assert_allclose(array(pose_by_brackets(tree)(chain, q)), array(pose(chain, q)), atol=1e-13)


@pytest.mark.parametrize("n", range(1, 9))
def test_bracketings_are_the_catalan_numbers_and_read_back(n: int) -> None:
    trees = list(bracketings(n))
    assert len(trees) == comb(2 * n - 2, n - 1) // n
    assert [parse_bracketing(text_from_bracketing(tree), n) for tree in trees] == trees


def test_text_of_a_bracketing() -> None:
    tree = (((1, 2), (3, 4)), (5, 6))
    assert parse_bracketing("((1 2)(3 4))(5 6)", 6) == tree
    assert text_from_bracketing(tree) == "((1 2)(3 4))(5 6)"
    assert parse_bracketing(" (((1,2) ((3 4)))(5 6)) ", 6) == tree


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(1 2", "never closed"),
        ("1 2)", "never opened"),
        ("1 2 3", "3 factors at once"),
        ("()", "0 factors at once"),
        ("", "0 factors at once"),
        ("(1 2)4", "needs 1 2 3"),
        ("(2 1)3", "needs 1 2 3"),
        ("(1 2)x3", "'x'"),
        ("1 2", "needs 1 2 3"),
    ],
)
def test_a_wrong_bracketing_says_what_is_wrong(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        parse_bracketing(text, 3)


@settings(deadline=None)
@given(st.text("()12 ,", max_size=12))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        tree = parse_bracketing(text, 2)
    except InputError:
        return
    assert tree == (1, 2)


def test_an_unknown_way_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="did you mean 'forward'"):
        way_from_name("forwards", 6)


@pytest.mark.filterwarnings("ignore:.*looks like")
@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("value", [0, 1, -1, 2, 90, 180])
def test_whole_numbers_in_a_table_are_what_they_say(value: int, convention: str) -> None:
    """Each cell in turn has the number, 1 m and 1° too: the product of the four motions of each row, by hand."""
    for place in range(4):
        row = [30, 0.2, 0.3, 40]
        row[place] = value
        kind: Any = convention
        robot = mp.Robot.from_dh([row, [10, 0.1, 0.4, 20]], angle="deg", convention=kind, columns="theta d a alpha")
        wanted = np.eye(4)
        for (theta, d, a, alpha), q in zip((row, [10, 0.1, 0.4, 20]), (0.5, -0.8), strict=True):
            about_z, about_x = np.eye(4), np.eye(4)
            turn, twist = np.radians(theta) + q, np.radians(alpha)
            about_z[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
            about_x[1:3, 1:3] = [[np.cos(twist), -np.sin(twist)], [np.sin(twist), np.cos(twist)]]
            about_z[2, 3], about_x[0, 3] = d, a
            wanted = wanted @ (about_z @ about_x if convention == "standard" else about_x @ about_z)
        found = pose(numeric_chain(robot), [0.5, -0.8])
        np.testing.assert_allclose(np.c_[found.R, found.p], wanted[:3], atol=1e-15)
