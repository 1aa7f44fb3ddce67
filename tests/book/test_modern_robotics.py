"""Lynch and Park, "Modern Robotics: Mechanics, Planning, and Control" (Cambridge, 2017), chapter 4: screw axes, home
poses and poses as printed there; and the rotations of chapter 3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import manipula as mp
from manipula.generation.arm_structure import ArmStructure
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.spatial.floats import FLOATS

HALF = np.pi / 2


def pose_at(robot: mp.Robot, q: list[float]) -> np.ndarray:
    structure = ArmStructure(robot)  # masses stay letters; the pose has none
    tree = structure.bound_tree(FLOATS, dict.fromkeys(structure.free, 1.0))
    return np.array(pose(tree, q).rows(), dtype=float)


def exponential(screw: Sequence[float], angle: float) -> np.ndarray:
    """e^{[S]q} of a screw of pitch 0 by SciPy, independent of the package."""
    w, v = np.array(screw[:3]), screw[3:]
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = np.cross(np.eye(3), w), v
    return np.asarray(expm(matrix * angle))


def test_example_4_1_a_3r_spatial_open_chain() -> None:
    """Its M and S_i; the pose is the product of turns about axes written down by hand, eq. (4.14)."""
    home: Any = [[0, 0, 1, "L1"], [0, 1, 0, 0], [-1, 0, 0, "-L2"], [0, 0, 0, 1]]
    axes: Any = [[0, 0, 1, 0, 0, 0], [0, -1, 0, 0, 0, "-L1"], [1, 0, 0, 0, "-L2", 0]]
    robot = mp.Robot.from_screws(axes, home)
    found = mp.screws(robot)
    assert found.home.tolist() == [[str(x) for x in row] for row in home]
    assert found.space.tolist() == [[str(x) for x in row] for row in axes]
    L1, L2, q = 0.7, 0.4, [0.3, -0.8, 1.1]
    turns = [(mp.rotation.about(*x)) for x in (("z", q[0]), ("y", -q[1]), ("x", q[2]))]
    points = [np.zeros(3), np.array([L1, 0, 0]), np.array([0, 0, -L2])]
    T = np.eye(4)
    for R, p in zip(turns, points):
        T = T @ mp.rotation.transform_from_parts(R, p - R @ p)
    M = np.array([[0, 0, 1, L1], [0, 1, 0, 0], [-1, 0, 0, -L2], [0, 0, 0, 1]])
    assert np.abs(pose_at(robot.with_parameters(L1=L1, L2=L2), q) - T @ M).max() < 1e-14


def test_example_4_2_a_3r_planar_open_chain() -> None:
    """Three links in a row, whose tool is at the sums of cosines."""
    axes = [[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, "-L1", 0], [0, 0, 1, 0, "-L1 - L2", 0]]
    home = [[1, 0, 0, "L1 + L2 + L3"], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    robot = mp.Robot.from_screws(axes, home, name="planar3r")
    dh = mp.Robot.from_dh([("q1", 0, "L1", 0), ("q2", 0, "L2", 0), ("q3", 0, "L3", 0)])
    assert mp.screws(dh).space.tolist() == mp.screws(robot).space.tolist()
    for arm in (robot, dh):
        last = mp.derive(arm, "pose", method="screws").text()
        assert "L₁·c₁ + L₂·c₁₂ + L₃·c₁₂₃" in last and "L₁·s₁ + L₂·s₁₂ + L₃·s₁₂₃" in last


@pytest.mark.parametrize("made", ["space", "body"])
def test_example_4_5_the_ur5(made: str) -> None:
    """Fig. 4.6: W1 = 109, W2 = 82, L1 = 425, L2 = 392, H1 = 89, H2 = 95 mm; T at θ2 = −π/2, θ5 = π/2 as printed."""
    W1, W2, L1, L2, H1, H2 = 0.109, 0.082, 0.425, 0.392, 0.089, 0.095
    home: Any = [[-1, 0, 0, L1 + L2], [0, 0, 1, W1 + W2], [0, 1, 0, H1 - H2], [0, 0, 0, 1]]
    axes: Any = [
        [0, 0, 1, 0, 0, 0],
        [0, 1, 0, -H1, 0, 0],
        [0, 1, 0, -H1, 0, L1],
        [0, 1, 0, -H1, 0, L1 + L2],
        [0, 0, -1, -W1, L1 + L2, 0],
        [0, 1, 0, H2 - H1, 0, L1 + L2],
    ]
    robot = mp.Robot.from_screws(axes, home, name="ur5")
    upright: Any = [[0, -1, 0, H2], [1, 0, 0, W1], [0, 0, 1, H1 + L1 + L2 + W2], [0, 0, 0, 1]]  # read off the figure
    assert np.abs(exponential(axes[1], -HALF) @ exponential(axes[4], HALF) @ home - upright).max() < 1e-15
    if made == "body":
        robot = mp.Robot.from_screws(mp.screws(robot).body, home, frame="body")
    printed: Any = [[0, -1, 0, 0.095], [1, 0, 0, 0.109], [0, 0, 1, 0.988], [0, 0, 0, 1]]
    assert np.abs(pose_at(robot, [0, -HALF, 0, 0, HALF, 0]) - upright).max() < 1e-14
    assert np.abs(np.subtract(upright, printed)).max() < 5e-4
    assert np.abs(mp.screws(robot).space - axes).max() < 1e-14


def test_example_4_7_the_wam_by_body_axes() -> None:
    """Fig. 4.8: L1 = 550, L2 = 300, L3 = 60, W1 = 45 mm; T at θ2 = 45°, θ4 = −45°, θ6 = −90° as printed."""
    L1, L2, L3, W1 = 0.55, 0.3, 0.06, 0.045
    home = np.eye(4)
    home[2, 3] = L1 + L2 + L3
    axes: Any = [
        [0, 0, 1, 0, 0, 0],
        [0, 1, 0, L1 + L2 + L3, 0, 0],
        [0, 0, 1, 0, 0, 0],
        [0, 1, 0, L2 + L3, 0, W1],
        [0, 0, 1, 0, 0, 0],
        [0, 1, 0, L3, 0, 0],
        [0, 0, 1, 0, 0, 0],
    ]
    robot = mp.Robot.from_screws(axes, home, frame="body", name="wam")
    c = np.sqrt(0.5)  # the upper arm leans by 45°, the forearm stands upright again, the hand points back
    bent: Any = [[0, 0, -1, c * (L1 + W1) - W1 - L3], [0, 1, 0, 0], [1, 0, 0, c * (L1 - W1) + L2], [0, 0, 0, 1]]
    turns = [exponential(axes[i], x) for i, x in ((1, HALF / 2), (3, -HALF / 2), (5, -HALF))]
    assert np.abs(home @ turns[0] @ turns[1] @ turns[2] - bent).max() < 1e-15
    printed: Any = [[0, 0, -1, 0.3157], [0, 1, 0, 0], [1, 0, 0, 0.6571], [0, 0, 0, 1]]
    assert np.abs(pose_at(robot, [0, HALF / 2, 0, -HALF / 2, 0, -HALF, 0]) - bent).max() < 1e-14
    assert np.abs(np.subtract(bent, printed)).max() < 5e-5
