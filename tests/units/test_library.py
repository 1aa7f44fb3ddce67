"""The library's files: all there, readable, physical, cited, the same after saving."""

from __future__ import annotations

import re
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from manipula.errors import ManipulaWarning, UnknownNameError
from manipula.mechanics.robot import library
from manipula.mechanics.robot.description import Body, Cell, RobotDescription
from manipula.mechanics.robot.formats.checks import check_robot
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.formats.toml.write import toml_from_robot
from manipula.mechanics.robot.values.parameter import float_of, names_of

FloatArray = NDArray[Any]
NAMES = library.names()
PROMISED = {
    *("planar2r", "rp", "stanford3", "stanford", "puma560", "puma560_symbolic", "pucrio", "scara", "rx90"),
    *("ur5", "ur10e", "iiwa14", "panda", "kr6", "irb120"),
}
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "robots.md"
# published numbers that break a law of rigid bodies and are kept: (robot, row)
KEPT = {("puma560", 1), ("puma560", 3)}


@cache
def robot_of(name: str) -> RobotDescription:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        return robot_from_toml(library.text_of(name), f"{name}.toml")


def number(cell: Cell) -> float | None:
    """The cell's number; None when it is unknown or holds a name."""
    return None if any(names_of(cell.parameter)) else float_of(cell.parameter, {})


def numbers(cells: tuple[Cell, ...]) -> list[float] | None:
    found = [number(cell) for cell in cells]
    return None if None in found else [x for x in found if x is not None]


def principal_moments(body: Body) -> FloatArray | None:
    """About the centre of mass; None when not all numeric. Numeric files give tensors about it."""
    entries = numbers(body.inertia)
    if entries is None or body.inertia_is != "com":
        return None
    xx, xy, xz, yy, yz, zz = entries
    return np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_the_promised_robots_are_there() -> None:
    assert set(NAMES) >= PROMISED
    assert sorted(set(NAMES)) == NAMES


def test_an_unknown_name_says_what_there_is() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'puma560'"):
        library.text_of("puma56")


@pytest.mark.parametrize("name", ["../library/rp", "rp.toml", ""])
def test_only_names_are_names(name: str) -> None:
    with pytest.raises(UnknownNameError):
        library.text_of(name)


@pytest.mark.parametrize("name", NAMES)
class TestEveryFile:
    def test_loads_under_its_own_name(self, name: str) -> None:
        robot = robot_of(name)
        assert robot.name == name
        assert len(set(robot.joint_names)) == robot.dof == len(robot.joints)

    def test_says_where_its_numbers_come_from(self, name: str) -> None:
        origin = robot_of(name).origin
        assert len(origin.source) > 20
        assert origin.description

    def test_is_the_same_after_saving(self, name: str) -> None:
        robot = robot_of(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ManipulaWarning)
            again = robot_from_toml(toml_from_robot(robot), f"{name}.toml")
        assert again == robot
        assert again.origin == robot.origin

    def test_is_free_of_doubts(self, name: str) -> None:
        doubts = check_robot(robot_of(name))
        assert len(doubts) == sum(robot == name and row != 1 for robot, row in KEPT), doubts

    def test_bodies_are_physical(self, name: str) -> None:
        for row, joint in enumerate(robot_of(name).joints, 1):
            assert joint.body is not None
            mass = number(joint.body.mass)
            assert mass is None or mass > 0 or (name, row) in KEPT
            moments = principal_moments(joint.body)
            if moments is None or name == "planar2r":  # point masses have no inertia of their own
                continue
            physical = moments[0] > 0 and moments[2] <= moments[0] + moments[1]
            assert physical != ((name, row) in KEPT), (row, moments)

    def test_limits_are_in_order(self, name: str) -> None:
        for joint in robot_of(name).joints:
            if joint.limits is not None:
                low, high = (float_of(bound, {}) for bound in joint.limits)
                assert low < high
                assert max(-low, high) < (8 if joint.kind == "revolute" else 2), "radians, metres"
            for bound in (joint.velocity_limit, joint.effort_limit):
                assert bound is None or float_of(bound, {}) > 0

    def test_is_on_the_reference_page(self, name: str) -> None:
        robot = robot_of(name)
        row = next(line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `{name}` "))
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert cells[2] == str(robot.dof)
        assert cells[3] == robot.origin.convention


def test_the_reference_page_lists_nothing_else() -> None:
    listed = re.findall(r"^\| `(\w+)` ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert sorted(listed) == NAMES


def test_the_published_puma_has_its_warning() -> None:
    with pytest.warns(ManipulaWarning, match="puma560.toml: joint 3 'elbow': inertia: breaks the triangle inequality"):
        robot_from_toml(library.text_of("puma560"), "puma560.toml")
