"""The frames of the joints: their z axes are those about and along which growing coordinates move every link."""

from __future__ import annotations

import numpy as np
import pytest

import manipula as mp
from manipula.generation.arm_structure import numeric_chain
from tests.random_robots import random_robot, random_state, random_tree


@pytest.mark.parametrize("seed", range(8))
def test_the_links_turn_about_z_and_slide_along_it(seed: int) -> None:
    """Of a small change of one coordinate: dT/dq T⁻¹ = (turn·[z]×, slide·z + o × …)."""
    drawn = random_tree(seed, 3) if seed % 3 == 0 else random_robot(seed, joints=1 + seed % 4, screws=seed % 2 == 0)
    robot = mp.Robot.of(drawn)
    arm, q = mp.Arm(robot, optimise="none"), np.array(random_state(robot, seed)[0])
    chain, axes, h = numeric_chain(robot), arm.axes(q), 1e-6
    for i, link in enumerate(chain.links):
        step = h * np.eye(robot.dof)[i]
        change = (arm.frames(q + step)[i] - arm.frames(q - step)[i]) / (2 * h)
        twist = change @ np.linalg.inv(arm.frames(q)[i])
        z, o = axes[i][:3, 2], axes[i][:3, 3]
        turn, slide = (float(x) for x in (link.kind.turn(1), link.kind.slide(1)))
        spin = turn * np.array([[0, -z[2], z[1]], [z[2], 0, -z[0]], [-z[1], z[0], 0]])
        np.testing.assert_allclose(twist[:3, :3], spin, atol=1e-8)
        np.testing.assert_allclose(twist[:3, 3], slide * z - spin @ o, atol=1e-8)


def test_the_axis_of_a_standard_row_is_that_of_the_frame_before() -> None:
    arm, q = mp.Arm(mp.load("puma560"), optimise="none"), [0.3, -0.4, 0.5, 0.1, 0.2, -0.6]
    frames, axes = arm.frames(q), arm.axes(q)
    np.testing.assert_allclose(axes[1:], frames[:5], atol=1e-15)
    assert axes.shape == (6, 4, 4)
