"""Published counts of base inertial parameters, no friction and no motors, last frame at the wrist centre.

Arms of N revolute joints have 7N − 4β − 2γ of them, β the number of parallel axes the arm begins with, γ = 1 where
these are parallel to gravity: Mayeda, Yoshida and Osuka, "Base parameters of manipulator dynamic models", IEEE
Transactions on Robotics and Automation 6 (1990). A prismatic link past the first joints has four: Gautier and Khalil,
"Direct calculation of minimum set of inertial parameters of serial robots", same volume.
"""

from __future__ import annotations

from typing import Any

import pytest

import manipula as mp
from manipula import api

PLANAR = [("q1", 0, 0, 0), ("q2", 0, "l1", 0)]
STANFORD = [
    ("q1", 0, 0, 0), ("q2", "d2", 0, -90), (0, "q3", 0, 90, "P"), ("q4", 0, 0, 0), ("q5", 0, 0, -90), ("q6", 0, 0, 90),
]  # fmt: skip
PUMA = [
    ("q1", 0, 0, 0), ("q2", 0, 0, -90), ("q3", "d3", "a3", 0), ("q4", "d4", "a4", -90), ("q5", 0, 0, 90),
    ("q6", 0, 0, -90),
]  # fmt: skip
RX90 = [
    ("q1", 0, 0, 0), ("q2", 0, 0, 90), ("q3", 0, "a3", 0), ("q4", "r4", 0, -90), ("q5", 0, 0, 90), ("q6", 0, 0, -90),
]  # fmt: skip
IIWA = [
    ("q1", 0, 0, 0), ("q2", 0, 0, -90), ("q3", "r3", 0, 90), ("q4", 0, 0, 90), ("q5", "r5", 0, -90), ("q6", 0, 0, -90),
    ("q7", 0, 0, 90),
]  # fmt: skip
COUNTS = [
    ("planar 2R, gravity in its plane", PLANAR, (0, "-g", 0), 6),
    ("planar 2R, gravity across its plane", PLANAR, (0, 0, "-g"), 4),
    ("Stanford, three joints", STANFORD[:3], (0, 0, "-g"), 12),
    ("Stanford", STANFORD, (0, 0, "-g"), 33),
    ("PUMA 560", PUMA, (0, 0, "-g"), 36),
    ("RX90", RX90, (0, 0, "-g"), 36),
    ("iiwa", IIWA, (0, 0, "-g"), 43),
]


@pytest.mark.parametrize(("name", "rows", "gravity", "count"), COUNTS)
def test_the_count_is_the_published_one(name: str, rows: list[Any], gravity: tuple[Any, Any, Any], count: int) -> None:
    robot = mp.Robot.from_dh(
        rows, convention="modified", columns="theta d a alpha", angle="deg", name=name
    ).with_gravity(*gravity)
    assert len(api.base_parameters(robot)) == count


def test_arms_of_revolute_joints_obey_the_formula() -> None:
    for name, rows, gravity, count in COUNTS:
        if all(len(row) == 4 for row in rows):
            beta = 1 + sum(all(row[3] == 0 for row in rows[1 : k + 1]) for k in range(1, len(rows)))
            assert count == 7 * len(rows) - 4 * beta - 2 * (gravity[2] == "-g"), name


@pytest.mark.turn
def test_the_puma_groups_as_khalil_writes_it() -> None:
    """ZZR2 = Kxx2 + Kyy2 = Lzz2 + a3²·(m3 + … + m6); MXR2 = MX2 + a3·(m3 + … + m6); MYR4 = MY4 − MZ5."""
    robot = mp.Robot.from_dh(
        PUMA, convention="modified", columns="theta d a alpha", angle="deg", name="puma"
    ).with_gravity(0, 0, "-g")
    found = dict(api.base_parameters(robot).equations())
    assert found["Kxx2_R"] == "a3^2*(m3 + m4 + m5 + m6) + 0.5*(Lyy2 + Lzz2 - Lxx2)"
    assert found["Kyy2"] == "0.5*(Lxx2 - Lyy2 + Lzz2)"
    assert found["mx2_R"] == "a3*(m3 + m4 + m5 + m6) + mx2"
    assert found["my4_R"] == "my4 - mz5"
