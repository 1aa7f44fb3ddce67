"""A drawing grows with its letters as Python would draw it anew; letters in which it does not are left out."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.drawing.record import _numbers, slopes_of


def arm(rows: list[dict[str, Any]]) -> mp.Robot:
    return mp.Robot.from_dh([{"a": 0, "alpha": 0, **row} for row in rows], name="x", angle="deg")


def redrawn(record: dict[str, Any], slopes: dict[str, Any], values: dict[str, float]) -> dict[str, Any]:
    """As the page does it."""
    made = copy.deepcopy(record)
    for name, lines in slopes.items():
        for *path, last, slope in lines:
            place: Any = made
            for key in path:
                place = place[key]
            place[last] += (values[name] - record["stand_ins"][name]) * slope
    return made


def random_arm(seed: int) -> mp.Robot:
    """Lengths are numbers, letters, multiples and sums of letters."""
    rng = np.random.default_rng(seed)
    cells: list[Any] = [0, 0.2, "p", "r", "2*p", "p + r", "-r", "0.1 + p", "s"]
    rows: list[dict[str, Any]] = []
    for k in range(int(rng.integers(1, 6))):
        row: dict[str, Any] = {"a": cells[rng.integers(len(cells))], "alpha": int(rng.choice([0, 90, -90, 30]))}
        slides = k and rng.random() < 0.25
        rows.append(row | ({"type": "prismatic", "theta": 0} if slides else {"d": cells[rng.integers(len(cells))]}))
    return arm([*rows, {"a": "p", "d": 0}])


LETTERLESS = {0, 4, 18}  # arms of which every letter is left out


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(25))
def test_the_arm_grows_as_it_would_be_drawn(seed: int) -> None:
    robot = random_arm(seed)
    record = mp.drawing(robot)
    slopes = slopes_of(robot, record)
    rng = np.random.default_rng(seed)
    values = {name: float(rng.uniform(0.6, 1.8)) * record["stand_ins"][name] for name in slopes}
    assert bool(slopes) is (seed not in LETTERLESS)
    wanted, found = (dict(_numbers(one)) for one in (mp.drawing(robot, values), redrawn(record, slopes, values)))
    for path in wanted.keys() & found.keys():
        near = 1e-8 if path[2:3] in (("before",), ("after",)) else 0.03 * record["size"]  # solids are for the eye
        assert path[0] == "reach" or abs(wanted[path] - found[path]) <= near, (path, values)


def test_angles_have_no_slope_and_masses_are_no_letters_of_the_drawing() -> None:
    robot = arm([{"d": 0.4, "alpha": "twist"}, {"a": "a2", "d": 0}, {"a": 0.3, "d": 0, "mass": "m3"}])
    record = mp.drawing(robot)
    assert set(record["stand_ins"]) == {"twist", "a2"} and set(slopes_of(robot, record)) == {"a2"}
    assert slopes_of(mp.load("puma560"), mp.drawing("puma560")) == {}


def test_the_size_goes_along() -> None:
    robot = mp.load("planar2r")
    record = mp.drawing(robot)
    found = redrawn(record, slopes_of(robot, record), {"l1": 0.5, "l2": 0.4})
    wanted = mp.drawing(robot, {"l1": 0.5, "l2": 0.4})
    assert found["size"] == pytest.approx(wanted["size"])
    assert found["joints"][0]["after"] == wanted["joints"][0]["after"]
    assert found["reach"]["radius"] == pytest.approx(wanted["reach"]["radius"], rel=0.1)
