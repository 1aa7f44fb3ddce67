"""Springs of a robot's file: columns of an identification, slopes of an energy, saved and refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError
from manipula.identification.data import gather
from manipula.identification.torque_columns import Columns
from tests.laws.test_columns import log_of

HUNG = """
format = 1
name = "hung"
convention = "standard"
angle = "deg"
length = "mm"
gravity = [0, -9.81, 0]
[values]
R = 0.8
[[joint]]
name = "shoulder"
type = "revolute"
d = 0
a = 500
alpha = 90
mass = 3
com = [-200, 0, 10]
inertia = { xx = 0.1, yy = 0.2, zz = 0.2, xy = 0, xz = 0, yz = 0 }
springs = [
    { radii = ["R", 200], angle = -85, length = 600, stroke = 575 },
    { radii = [300, 100], angle = 30, length = 100 },
]
[[joint]]
type = "prismatic"
theta = 0
a = 0
alpha = 0
mass = 1
com = [0, 0, 0]
inertia = { xx = 0.1, yy = 0.1, zz = 0.1, xy = 0, xz = 0, yz = 0 }
"""


def hung(text: str = HUNG) -> mp.Robot:
    return mp.Robot.from_text(text)


def test_springs_of_a_file_are_columns_and_slopes_of_an_energy() -> None:
    robot = hung()
    data = gather(robot, log_of(robot, 400), filter=None)
    columns = [column for column in data.columns if column.family == "spring"]
    assert [(c.name, c.unit, c.lower) for c in columns] == [("ks1", "N", 0.0), ("ks1_2", "N/m", 0.0)]
    q, small = data.source.motions[0].q[:, 0], 1e-5

    def span(x: Any, first: float, second: float, angle: float) -> Any:
        return np.sqrt(first**2 + second**2 - 2 * first * second * np.cos(np.deg2rad(angle) + x))

    def gas(x: Any) -> Any:  # ∫ 1/(1 − (ℓ − l)/s) dℓ
        return -0.575 * np.log(1 - (span(x, 0.8, 0.2, -85) - 0.6) / 0.575)

    def coil(x: Any) -> Any:
        return (span(x, 0.3, 0.1, 30) - 0.1) ** 2 / 2

    for column, energy in zip(columns, (gas, coil)):
        theta = np.array([float(c is column) for c in data.columns])
        slope = (energy(q + small) - energy(q - small)) / (2 * small)
        assert np.allclose(data.predict(theta)[0][:, 0], slope, atol=1e-7)
        assert not data.predict(theta)[0][:, 1].any()


def test_springs_are_saved_and_models_say_that_they_lack_them(tmp_path: Any) -> None:
    robot = hung()
    mp.save(robot, tmp_path / "hung.toml")
    again = mp.load(tmp_path / "hung.toml")
    assert again.joints[0].springs == robot.joints[0].springs and len(again.joints[0].springs) == 2
    with pytest.warns(mp.ManipulaWarning, match="leaves out the springs of joint 'shoulder'"):
        mp.generate(robot, "gravity")
    mp.generate(robot, "pose")  # without a word


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"R", 200', '"R", -200', "springs.radii.*not positive"),
        ("stroke = 575", "stroke = 0", "springs.stroke.*not positive"),
        ("stroke = 575", "strok = 575", "strok"),
        ('["R", 200]', '["R"]', "radii"),
        ('type = "revolute"', 'type = "prismatic"\ntheta = 0', "springs"),
    ],
)
def test_springs_that_cannot_be_are_refused(old: str, new: str, said: str) -> None:
    text = HUNG.replace(old, new).replace("d = 0\n", "" if "prismatic" in new else "d = 0\n")
    with pytest.raises(mp.RobotFileError, match=said):
        hung(text)


def test_a_spring_without_numbers_cannot_be_a_column() -> None:
    robot = hung(HUNG.replace("R = 0.8\n", ""))
    with pytest.raises(InputError, match="R has no value"):
        Columns(robot, mp.JointModel())
