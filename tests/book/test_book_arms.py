"""The arms of the textbooks, against products of exponentials: screw axes and home poses read from their drawings.

Nothing here uses a Denavit-Hartenberg row. An arm is the list of its axes at q = 0, each a direction and a point on it
(no point: a slide), and the place of its last frame there; T(q) = e^[S1]q1 ... e^[Sn]qn M (Lynch and Park, 4.1).
"""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest
from numpy.typing import NDArray

import manipula as mp

Vector = tuple[float, float, float]
Axis = tuple[Vector, Vector | None]
X, Y, Z, O = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
FORE, DOWN = (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
# any lengths: what is drawn must hold for all
L1, L2, a1, a2, a3, d1, d2, d3, d4, d6 = 0.41, 0.37, 0.52, 0.43, 0.31, 0.66, 0.15, 0.12, 0.44, 0.07
LENGTHS = {"L1": L1, "L2": L2, "a1": a1, "a2": a2, "a3": a3, "d1": d1, "d2": d2, "d3": d3, "d4": d4, "d6": d6}

STANFORD: list[Axis] = [(Z, O), (Y, O), (Z, None), (Z, (0, d2, 0)), (Y, (0, d2, 0)), (Z, (0, d2, 0))]
# name: convention, axes at q = 0, x and z of the last frame and its origin there
ARMS: dict[str, tuple[str, list[Axis], Vector, Vector, Vector]] = {
    "craig_3r": ("modified", [(Z, O), (Z, (L1, 0, 0)), (Z, (L1 + L2, 0, 0))], X, Z, (L1 + L2, 0, 0)),
    "craig_cylindrical": ("modified", [(Z, O), (FORE, None), (FORE, O)], X, FORE, (0, -L2, 0)),
    "craig_puma560": (
        "modified",
        [(Z, O), (Y, O), (Y, (a2, 0, 0)), (DOWN, (a2 + a3, d3, 0)), (Y, (a2 + a3, d3, -d4)), (DOWN, (a2 + a3, d3, 0))],
        X, DOWN, (a2 + a3, d3, -d4),
    ),
    "spong_cylindrical": ("standard", [(Z, O), (Z, None), (Y, None)], X, Y, (0, 0, d1)),
    "spong_cartesian": ("standard", [(Z, None), (Y, None), (X, None)], Z, X, O),
    "spong_elbow": ("standard", [(Z, O), (FORE, (0, 0, d1)), (FORE, (a2, 0, d1))], X, FORE, (a2 + a3, 0, d1)),
    "spong_stanford": ("standard", STANFORD, X, Z, (0, d2, d6)),
    "siciliano_3r": ("standard", [(Z, O), (Z, (a1, 0, 0)), (Z, (a1 + a2, 0, 0))], X, Z, (a1 + a2 + a3, 0, 0)),
    "siciliano_cartesian": ("standard", [(Z, None), (X, None)], Y, X, O),
    "siciliano_spherical": ("standard", STANFORD[:3], X, Z, (0, d2, 0)),
    "siciliano_elbow": ("standard", [(Z, O), (FORE, O), (FORE, (a2, 0, 0))], X, FORE, (a2 + a3, 0, 0)),
    "siciliano_elbow_wrist": (
        "standard",
        [(Z, O), (FORE, O), (FORE, (a2, 0, 0)), (DOWN, (a2, 0, 0)), (FORE, (a2, 0, -d4)), (DOWN, (a2, 0, 0))],
        X, DOWN, (a2, 0, -d4 - d6),
    ),
    "siciliano_stanford": ("standard", STANFORD, X, Z, (0, d2, d6)),
}  # fmt: skip


def exponential(axis: Axis, amount: float) -> NDArray[np.float64]:
    """e^[S]q: a turn about the axis, or a slide along it."""
    direction, point = axis
    place = np.eye(4)
    if point is None:
        place[:3, 3] = np.array(direction) * amount
        return place
    x, y, z = direction
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    place[:3, :3] = np.eye(3) + sin(amount) * k + (1 - cos(amount)) * k @ k
    place[:3, 3] = (np.eye(3) - place[:3, :3]) @ point
    return place


def home(x: Vector, z: Vector, origin: Vector) -> NDArray[np.float64]:
    place = np.eye(4)
    place[:3, 0], place[:3, 1], place[:3, 2], place[:3, 3] = x, np.cross(z, x), z, origin
    return place


def test_every_arm_named_after_a_book_is_here() -> None:
    assert set(ARMS) == {name for name in mp.robots() if name.split("_")[0] in ("craig", "spong", "siciliano")}


@pytest.mark.parametrize("name", ARMS)
def test_the_pose_is_that_of_the_drawing(name: str) -> None:
    convention, axes, *frame = ARMS[name]
    robot = mp.load(name)
    assert robot.origin.convention == convention
    lengths = {key: value for key, value in LENGTHS.items() if key in robot.parameters}
    arm = mp.Arm(robot.with_parameters(**lengths))
    for q in np.random.default_rng(7).uniform(-3, 3, (4, robot.dof)):
        want = np.eye(4)
        for axis, amount in zip(axes, q, strict=True):
            want = want @ exponential(axis, amount)
        np.testing.assert_allclose(arm.pose(q), want @ home(*frame), atol=1e-12)


@pytest.mark.parametrize("name", ARMS)
def test_the_source_names_the_book(name: str) -> None:
    authors = {"craig": "J. J. Craig", "spong": "M. W. Spong", "siciliano": "B. Siciliano"}
    source = mp.load(name).origin.source
    assert source.startswith(authors[name.split("_", maxsplit=1)[0]]) and "symbolic, no numbers" in source
